//! The syntax of `query_string` and `simple_query_string` in our language's spelling. Both have fields, phrases,
//! ranges, wildcards and expressions alike; what is side by side is an alternative in Lucene and a
//! conjunction in ours, and the simple syntax has signs for operators.

/// Rewrites a query. With `is_and`, what is side by side must all hold.
pub fn to_own(query: &str, is_and: bool, is_simple: bool) -> String {
    let mut own = String::with_capacity(query.len() + 16);
    // Whether something ended that an alternative may follow.
    let mut ended = false;
    for piece in pieces(query, is_simple) {
        match piece {
            Piece::Operator(word) => {
                own.push(' ');
                own.push_str(word);
                own.push(' ');
                ended = false;
            }
            Piece::Not => {
                own.push_str(" NOT ");
                ended = false;
            }
            Piece::Open => {
                separate(&mut own, ended && !is_and);
                own.push('(');
                ended = false;
            }
            Piece::Close => {
                own.push(')');
                ended = true;
            }
            Piece::Clause(clause) => {
                separate(&mut own, ended && !is_and);
                own.push_str(clause);
                // The values of a field may follow in parentheses.
                ended = !clause.ends_with(':');
            }
        }
    }
    own
}

fn separate(own: &mut String, is_alternative: bool) {
    if is_alternative {
        own.push_str(" OR ");
    } else if !own.is_empty() && !own.ends_with(['(', ' ', ':']) {
        own.push(' ');
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece<'q> {
    Operator(&'static str),
    Not,
    Open,
    Close,
    Clause(&'q str),
}

fn pieces(query: &str, is_simple: bool) -> Vec<Piece<'_>> {
    let bytes = query.as_bytes();
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        let piece = match byte {
            b'(' => Some(Piece::Open),
            b')' => Some(Piece::Close),
            b'|' if is_simple => Some(Piece::Operator("OR")),
            b'+' if is_simple => Some(Piece::Operator("AND")),
            b'-' | b'!' if next.is_some_and(|next| !next.is_ascii_whitespace() && next != b'=') => {
                Some(Piece::Not)
            }
            _ => None,
        };
        if let Some(piece) = piece {
            pieces.push(piece);
            at += 1;
            continue;
        }
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let end = clause_end(query, at, is_simple);
        let clause = &query[at..end];
        pieces.push(match clause {
            "AND" | "&&" if !is_simple => Piece::Operator("AND"),
            "OR" | "||" if !is_simple => Piece::Operator("OR"),
            "NOT" if !is_simple => Piece::Not,
            _ => Piece::Clause(clause),
        });
        at = end;
    }
    pieces
}

/// Where a clause ends: at a space or parenthesis outside of quotes, brackets and expressions.
fn clause_end(query: &str, start: usize, is_simple: bool) -> usize {
    let bytes = query.as_bytes();
    let mut at = start;
    let mut closing: Option<u8> = None;
    while let Some(&byte) = bytes.get(at) {
        match (closing, byte) {
            (_, b'\\') => at += 1,
            (Some(b']'), b']' | b'}') => closing = None,
            (Some(close), byte) if byte == close => closing = None,
            (None, b'"') => closing = Some(b'"'),
            (None, b'[' | b'{') => closing = Some(b']'),
            (None, b'/') if at == start || bytes[at - 1] == b':' => closing = Some(b'/'),
            (None, b'(' | b')') => break,
            (None, b'|') if is_simple => break,
            (None, byte) if byte.is_ascii_whitespace() => break,
            _ => {}
        }
        at += 1;
    }
    let mut end = at.min(bytes.len()).max(start + 1);
    while !query.is_char_boundary(end) {
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_by_side_are_alternatives() {
        for (query, expected) in [
            ("error timeout", "error OR timeout"),
            ("status:500 AND host:web", "status:500 AND host:web"),
            ("status:(404 500) \"lost connection\"", "status:(404 OR 500) OR \"lost connection\""),
            ("a NOT b", "a NOT b"),
            ("a -b !c", "a NOT b NOT c"),
            ("(a b) c", "(a OR b) OR c"),
            ("time:[1 TO 5] path:/a b/ x\\ y", "time:[1 TO 5] OR path:/a b/ OR x\\ y"),
            ("a || b && c", "a OR b AND c"),
            ("größe übel", "größe OR übel"),
            ("", ""),
        ] {
            assert_eq!(to_own(query, false, false).trim(), expected, "{query}");
            // Nothing that can be parsed becomes something that cannot.
            if !query.is_empty() {
                indexer::query::parse(&to_own(query, false, false))
                    .unwrap_or_else(|error| panic!("{query}: {}", error.message));
            }
        }
        assert_eq!(to_own("a b (c d)", true, false), "a b (c d)");
    }

    #[test]
    fn the_simple_syntax_has_signs() {
        let read = |query: &str| to_own(query, false, true).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(read("a + b | c"), "a AND b OR c");
        assert_eq!(read("\"a|b\" -c"), "\"a|b\" NOT c");
        assert_eq!(read("a|b*"), "a OR b*");
    }
}
