//! One clause of a filter: text, or a test on a field in any of the spellings that people bring along.

use super::expr::regex_text;
use super::{Parsed, Parser, Reading, joined};
use crate::ast::{Bound, Filter, Op, Pattern, Range, Span, Test};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Mode, Token, TokenKind, is_field_name};
use crate::network;
use base::tokens;

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parsed<Filter> {
        let token = self.peek(Mode::Clause)?;
        let wrong = |message, hint| Err(Diagnostic::error(token.span, message, hint));
        match &token.kind {
            TokenKind::Open => {
                self.at = token.span.end;
                self.deeper(|parser| {
                    let filter = parser.or()?;
                    parser.expect_close(token.span, Mode::Clause)?;
                    Ok(filter)
                })
            }
            TokenKind::Phrase(text) | TokenKind::Name(text) => {
                self.at = token.span.end;
                if self.operator_follows()? {
                    return self.field(&token, text);
                }
                Ok(Filter::Text(self.phrase(text.clone())))
            }
            TokenKind::Regex { source, ignore_case } => {
                self.at = token.span.end;
                regex(source, *ignore_case, token.span).map(Filter::Text)
            }
            TokenKind::Word { text, plain } => {
                self.at = token.span.end;
                self.word(&token, text, plain)
            }
            TokenKind::End | TokenKind::Pipe => {
                Err(self.error_here("something is missing at the end", "add a word, a phrase or field:value"))
            }
            TokenKind::Close => wrong("this closes nothing", "remove it, or put something before it"),
            TokenKind::Colon | TokenKind::Compare(_) | TokenKind::MatchesRegex { .. } => {
                wrong("a field's name is missing before this", "write field:value, or quote it")
            }
            TokenKind::And | TokenKind::Or => {
                wrong("something is missing before this", "put a clause on both sides, or quote the word")
            }
            TokenKind::Not | TokenKind::Minus | TokenKind::Bang => {
                wrong("something is missing after this", "add a clause")
            }
            _ => wrong("this does not belong here", "quote it to search for it as text"),
        }
    }

    fn word(&mut self, token: &Token, text: &str, plain: &[bool]) -> Parsed<Filter> {
        if self.operator_follows()? {
            if token.is_word("_exists_") && self.take_if(Mode::Clause, &TokenKind::Colon) {
                return self.named_by_value();
            }
            return self.field(token, text);
        }
        if is_field_name(text)
            && let Some(filter) = self.field_in_list(token, text)?
        {
            return Ok(filter);
        }
        let first = bare(text, plain, token.span)?.map_or(Filter::Everything, Filter::Text);
        if self.reading == Reading::Kql {
            let mut words = vec![first];
            while let Some((text, plain, span)) = self.bare_word_follows() {
                words.push(bare(&text, &plain, span)?.map_or(Filter::Everything, Filter::Text));
            }
            return Ok(joined(words, Filter::Or));
        }
        Ok(first)
    }

    fn operator_follows(&self) -> Parsed<bool> {
        let next = self.peek(Mode::Clause)?;
        Ok(matches!(next.kind, TokenKind::Colon | TokenKind::Compare(_) | TokenKind::MatchesRegex { .. }))
    }

    /// Takes a bare word that no operator follows.
    fn bare_word_follows(&mut self) -> Option<(String, Vec<bool>, Span)> {
        let before = self.at;
        let token = self.take(Mode::Clause).ok()?;
        match token.kind {
            TokenKind::Word { text, plain } if !self.operator_follows().unwrap_or(true) => {
                Some((text, plain, token.span))
            }
            _ => {
                self.at = before;
                None
            }
        }
    }

    /// `_exists_:field`.
    fn named_by_value(&mut self) -> Parsed<Filter> {
        let token = self.take(Mode::Value)?;
        match token.kind {
            TokenKind::Word { text, .. } | TokenKind::Phrase(text) | TokenKind::Name(text) => {
                Ok(Filter::Field { field: text, test: Test::Exists, span: token.span })
            }
            _ => Err(Diagnostic::error(token.span, "a field's name is missing here", "write field:*")),
        }
    }

    /// `status IN (404, 500)` and `status NOT IN (…)`.
    fn field_in_list(&mut self, name: &Token, field: &str) -> Parsed<Option<Filter>> {
        let before = self.at;
        let negated = self.take_if(Mode::Clause, &TokenKind::Not);
        if self.take_word(Mode::Clause, "in") && self.next_is(Mode::Clause, &TokenKind::Open) {
            let list = self.value_list(field, name.span)?;
            return Ok(Some(if negated { Filter::Not(Box::new(list)) } else { list }));
        }
        self.at = before;
        Ok(None)
    }

    /// The rest of a clause after a field's name, from its operator on.
    pub(super) fn field(&mut self, name: &Token, field: &str) -> Parsed<Filter> {
        let operator = self.take(Mode::Clause)?;
        let is_quoted = matches!(name.kind, TokenKind::Phrase(_) | TokenKind::Name(_));
        if !is_quoted && !is_field_name(field) {
            return Err(Diagnostic::error(
                name.span,
                "this cannot be a field's name",
                "quote the whole to search for it as text",
            ));
        }
        match operator.kind {
            TokenKind::Compare(op) => self.compared(field, name.span, op, operator.span),
            TokenKind::MatchesRegex { negated } => {
                let test = self.regex_value(operator.span)?;
                let found = Filter::Field { field: field.to_owned(), test, span: name.span };
                Ok(if negated { Filter::Not(Box::new(found)) } else { found })
            }
            _ => self.matched(field, name.span, operator.span),
        }
    }

    /// `field=value` and similar. As in Splunk, `=` takes wildcards that are not escaped.
    fn compared(&mut self, field: &str, span: Span, op: Op, operator: Span) -> Parsed<Filter> {
        if op == Op::Equal && self.next_is(Mode::Literal, &TokenKind::Open) {
            return self.value_list(field, span);
        }
        let token = self.peek(Mode::Literal)?;
        let of = |test| Filter::Field { field: field.to_owned(), test, span };
        match &token.kind {
            TokenKind::Word { text, plain } => {
                self.at = token.span.end;
                let test = match (op, pattern(text, plain)) {
                    (Op::Equal | Op::NotEqual, None) if !text.is_empty() => Test::Exists,
                    (Op::Equal | Op::NotEqual, Some(wild @ (Pattern::Glob(_) | Pattern::Substring(_)))) => {
                        Test::Matches(vec![wild])
                    }
                    _ => return Ok(of(Test::Compare(op, text.clone()))),
                };
                if op == Op::Equal {
                    return Ok(of(test));
                }
                // Like any `!=`, this holds only for events that have the field.
                Ok(Filter::And(vec![of(Test::Exists), Filter::Not(Box::new(of(test)))]))
            }
            TokenKind::Phrase(text) | TokenKind::Name(text) => {
                self.at = token.span.end;
                Ok(of(Test::Compare(op, text.clone())))
            }
            _ => Err(Diagnostic::error(
                operator,
                "a value is missing after this",
                "add a number, a word or a quoted phrase",
            )),
        }
    }

    fn regex_value(&mut self, operator: Span) -> Parsed<Test> {
        let token = self.peek(Mode::Value)?;
        let found = match &token.kind {
            TokenKind::Regex { source, ignore_case } => regex(source, *ignore_case, token.span)?,
            TokenKind::Phrase(text) => regex(text, false, token.span)?,
            _ => {
                return Err(Diagnostic::error(
                    operator,
                    "an expression is missing after this",
                    "write it between slashes: /time(d )?out/i",
                ));
            }
        };
        self.at = token.span.end;
        Ok(Test::Matches(vec![found]))
    }

    /// The test after `field:`.
    fn matched(&mut self, field: &str, span: Span, operator: Span) -> Parsed<Filter> {
        let of = |test| Filter::Field { field: field.to_owned(), test, span };
        let token = self.peek(Mode::Value)?;
        match token.kind {
            TokenKind::Open => self.value_list(field, span),
            // `status: >= 500` is what some type.
            TokenKind::Compare(op) => {
                self.at = token.span.end;
                self.compared(field, span, op, token.span)
            }
            TokenKind::MatchesRegex { .. } => {
                self.at = token.span.end;
                self.regex_value(token.span).map(of)
            }
            TokenKind::Bang | TokenKind::Not => {
                self.at = token.span.end;
                let inner = self.deeper(|parser| parser.matched(field, span, operator))?;
                Ok(Filter::Not(Box::new(inner)))
            }
            TokenKind::OpenRange(_) => {
                self.at = token.span.end;
                self.range(&token).map(|range| of(Test::Range(range)))
            }
            _ => {
                if let Some(found) = self.function_value(field, span)? {
                    return Ok(found);
                }
                let Some(first) = self.value(operator, Mode::Value)? else { return Ok(of(Test::Exists)) };
                let mut patterns = vec![first];
                if self.reading == Reading::Kql && matches!(token.kind, TokenKind::Word { .. }) {
                    while let Some((text, plain, span)) = self.bare_word_follows() {
                        patterns.extend(bare(&text, &plain, span)?.map(as_value));
                    }
                }
                Ok(of(Test::Matches(patterns)))
            }
        }
    }

    /// The spellings of VictoriaLogs: `in(a, b)`, `range(1, 5]`, `re("…")`, `exact("…")`, `i(word)`, `~"…"`.
    fn function_value(&mut self, field: &str, span: Span) -> Parsed<Option<Filter>> {
        let token = self.peek(Mode::Value)?;
        let Some(word) = token.word().map(str::to_ascii_lowercase) else { return Ok(None) };
        let next = self.query[token.span.end..].chars().next();
        let of = |test| Ok(Some(Filter::Field { field: field.to_owned(), test, span }));
        let before = self.at;
        self.at = token.span.end;
        match (word.as_str(), next) {
            ("~", Some('"')) => return of(self.regex_value(token.span)?),
            ("in" | "contains_any", Some('(')) => return self.value_list(field, span).map(Some),
            ("range", Some('(' | '[')) => {
                let open = if next == Some('(') {
                    self.take(Mode::Value)?
                } else {
                    Token { kind: TokenKind::OpenRange('['), span: self.take(Mode::Value)?.span }
                };
                return of(Test::Range(self.range(&open)?));
            }
            ("re" | "exact" | "i" | "ipv4_range" | "cidr", Some('(')) => {
                let open = self.take(Mode::Value)?.span;
                let value = self.literal(open)?;
                let value_span = Span::new(open.end, self.at);
                self.expect_close(open, Mode::List)?;
                return of(match word.as_str() {
                    "re" => Test::Matches(vec![regex(&value, false, value_span)?]),
                    "exact" => Test::Compare(Op::Equal, value),
                    "i" => Test::Matches(vec![Pattern::Tokens(value)]),
                    _ => Test::Matches(vec![as_value(Pattern::Tokens(value))]),
                });
            }
            _ => {}
        }
        self.at = before;
        Ok(None)
    }

    /// `field:(a OR b)`, `field:(a b)` and `field:(a, b)`: any of them. AND and NOT are understood as well.
    fn value_list(&mut self, field: &str, span: Span) -> Parsed<Filter> {
        let open = self.take(Mode::Value)?.span;
        let found = self.deeper(|parser| parser.values_or(field, span, open))?;
        self.expect_close(open, Mode::List)?;
        Ok(found)
    }

    fn values_or(&mut self, field: &str, span: Span, open: Span) -> Parsed<Filter> {
        let mut parts = Vec::new();
        loop {
            let next = self.peek(Mode::List)?;
            match next.kind {
                TokenKind::Close | TokenKind::End | TokenKind::Pipe if parts.is_empty() => {
                    let message = if next.kind == TokenKind::Close {
                        "this list is empty"
                    } else {
                        "this parenthesis is not closed"
                    };
                    return Err(Diagnostic::error(open, message, "write the values between the parentheses"));
                }
                TokenKind::Close | TokenKind::End | TokenKind::Pipe => break,
                TokenKind::Or | TokenKind::Comma if !parts.is_empty() => self.at = next.span.end,
                _ => parts.push(self.values_and(field, span, open)?),
            }
        }
        Ok(joined(together(parts), Filter::Or))
    }

    fn values_and(&mut self, field: &str, span: Span, open: Span) -> Parsed<Filter> {
        let mut parts = vec![self.values_not(field, span, open)?];
        while self.take_if(Mode::List, &TokenKind::And) {
            parts.push(self.values_not(field, span, open)?);
        }
        Ok(joined(parts, Filter::And))
    }

    fn values_not(&mut self, field: &str, span: Span, open: Span) -> Parsed<Filter> {
        let of = |test| Filter::Field { field: field.to_owned(), test, span };
        let next = self.peek(Mode::List)?;
        match next.kind {
            TokenKind::Not | TokenKind::Bang => {
                self.at = next.span.end;
                let inner = self.deeper(|parser| parser.values_not(field, span, open))?;
                Ok(Filter::Not(Box::new(inner)))
            }
            TokenKind::Open => self.value_list(field, span),
            TokenKind::Compare(op) => {
                self.at = next.span.end;
                self.literal(next.span).map(|value| of(Test::Compare(op, value)))
            }
            _ => Ok(of(match self.value(open, Mode::List)? {
                None => Test::Exists,
                Some(pattern) => Test::Matches(vec![pattern]),
            })),
        }
    }

    /// `[a TO b]`, `{a TO b}` without the ends, and VictoriaLogs' `(a, b]`.
    fn range(&mut self, open: &Token) -> Parsed<Range> {
        let from = self.range_value(open.span)?;
        if !self.take_word(Mode::List, "to") {
            self.take_if(Mode::List, &TokenKind::Comma);
        }
        let to = self.range_value(open.span)?;
        let close = self.take(Mode::List)?;
        let to_inclusive = match close.kind {
            TokenKind::CloseRange(']') => true,
            TokenKind::CloseRange(_) | TokenKind::Close => false,
            _ => {
                return Err(Diagnostic::error(
                    open.span,
                    "this range is not closed",
                    "write [a TO b], or {a TO b} without its ends",
                ));
            }
        };
        let bound = |value: Option<String>, inclusive| value.map(|value| Bound { value, inclusive });
        Ok(Range { from: bound(from, open.kind == TokenKind::OpenRange('[')), to: bound(to, to_inclusive) })
    }

    /// One end of a range; `None` if it is open.
    fn range_value(&mut self, open: Span) -> Parsed<Option<String>> {
        let token = self.peek(Mode::List)?;
        let is_open = ["*", "inf", "+inf", "-inf"].iter().any(|word| token.is_word(word));
        let value = self.literal(open)?;
        Ok((!is_open).then_some(value))
    }

    /// A value on the right of a colon; `None` for `*`, which only tests that a value exists.
    fn value(&mut self, operator: Span, mode: Mode) -> Parsed<Option<Pattern>> {
        let token = self.peek(mode)?;
        let found = match &token.kind {
            TokenKind::Phrase(text) | TokenKind::Name(text) => {
                self.at = token.span.end;
                return Ok(Some(self.phrase(text.clone())));
            }
            TokenKind::Word { text, plain } => bare(text, plain, token.span)?.map(as_value),
            TokenKind::Regex { source, ignore_case } => Some(regex(source, *ignore_case, token.span)?),
            _ => {
                return Err(Diagnostic::error(
                    operator,
                    "a value is missing after this",
                    "add a word or a quoted phrase",
                ));
            }
        };
        self.at = token.span.end;
        Ok(found)
    }

    /// A value that is taken as it is written, in a list or range.
    fn literal(&mut self, operator: Span) -> Parsed<String> {
        let token = self.peek(Mode::List)?;
        let text = match &token.kind {
            TokenKind::Phrase(text) | TokenKind::Name(text) | TokenKind::Word { text, .. } => text.clone(),
            // Between brackets a slash begins a path.
            TokenKind::Regex { .. } => self.query[token.span.start..token.span.end].to_owned(),
            _ => {
                return Err(Diagnostic::error(
                    operator,
                    "a value is missing after this",
                    "add a number, a word or a quoted phrase",
                ));
            }
        };
        self.at = token.span.end;
        Ok(text)
    }

    /// A phrase, with the distance that may directly follow it.
    fn phrase(&mut self, words: String) -> Pattern {
        let is_next = self.query[self.at..].starts_with('~');
        if is_next && let Ok(Token { kind: TokenKind::Slop(slop), span }) = self.peek(Mode::Value) {
            self.at = span.end;
            if slop > 0 {
                return Pattern::Near(words, slop);
            }
        }
        Pattern::Tokens(words)
    }
}

fn regex(source: &str, ignore_case: bool, span: Span) -> Parsed<Pattern> {
    regex_text(source, ignore_case, span).map(Pattern::Regex)
}

/// Values of one field that are alternatives become one list.
fn together(parts: Vec<Filter>) -> Vec<Filter> {
    let mut merged: Vec<Filter> = Vec::new();
    for part in parts {
        match (merged.last_mut(), part) {
            (
                Some(Filter::Field { test: Test::Matches(list), .. }),
                Filter::Field { test: Test::Matches(more), .. },
            ) => list.extend(more),
            (_, part) => merged.push(part),
        }
    }
    merged
}

/// A bare word as the value of a field: an address with a length is a network.
fn as_value(pattern: Pattern) -> Pattern {
    match pattern {
        Pattern::Tokens(text) if network::Network::parse(&text).is_some() => Pattern::Network(text),
        other => other,
    }
}

/// A bare word as a pattern, which is fuzzy if it is followed by `~`, `~1` or `~2`; nothing for a lone star.
fn bare(text: &str, plain: &[bool], span: Span) -> Parsed<Option<Pattern>> {
    let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let Some(word) = text[..text.len() - digits].strip_suffix('~') else { return Ok(pattern(text, plain)) };
    let letters = word.chars().count();
    let is_plain = plain.get(letters) == Some(&true);
    if !is_plain || !word.bytes().next_back().is_some_and(|last| tokens::is_token_byte(last) || last == b'*')
    {
        return Ok(pattern(text, plain));
    }
    let wrong = |message: &str, hint: String| Err(Diagnostic::error(span, message, &hint));
    let quoted = || format!("quote it to search for it as text: \"{text}\"");
    if let Some(Pattern::Glob(_) | Pattern::Substring(_)) | None = pattern(word, &plain[..letters]) {
        return wrong("a fuzzy word has no `*` or `?`", quoted());
    }
    let folded = tokens::fold(word.as_bytes());
    if folded.bytes().any(|byte| !tokens::is_token_byte(byte)) {
        return wrong("`~` makes one word fuzzy, and these are several", quoted());
    }
    if !tokens::is_word(folded.as_bytes()) {
        return wrong(
            "only words without digits can be fuzzy, of at most 40 bytes",
            format!("leave out the `~`, or {}", quoted()),
        );
    }
    let edits = if digits == 0 { Some(1) } else { text[text.len() - digits..].parse().ok() };
    match edits {
        Some(0) => Ok(Some(Pattern::Tokens(word.to_owned()))),
        Some(edits @ 1..=2) => Ok(Some(Pattern::Fuzzy(word.to_owned(), edits))),
        _ => wrong(
            "a fuzzy word differs in at most two letters",
            format!("write {word}~ for one, {word}~2 for two"),
        ),
    }
}

/// A bare word as a pattern; nothing for a lone star.
fn pattern(text: &str, plain: &[bool]) -> Option<Pattern> {
    let is_wild = |(c, plain): (char, &bool)| *plain && matches!(c, '*' | '?');
    let wild: Vec<bool> = text.chars().zip(plain).map(is_wild).collect();
    let stars_only = text.chars().zip(&wild).all(|(c, &wild)| wild && c == '*');
    if stars_only {
        return None;
    }
    if !wild.contains(&true) {
        return Some(Pattern::Tokens(text.to_owned()));
    }
    let inner = wild.len() > 2 && wild[0] && wild[wild.len() - 1] && !wild[1..wild.len() - 1].contains(&true);
    if inner && text.starts_with('*') && text.ends_with('*') {
        return Some(Pattern::Substring(text[1..text.len() - 1].to_owned()));
    }
    let mut glob = String::new();
    for (character, wild) in text.chars().zip(wild) {
        if !wild && matches!(character, '*' | '?' | '\\') {
            glob.push('\\');
        }
        glob.push(character);
    }
    Some(Pattern::Glob(glob))
}
