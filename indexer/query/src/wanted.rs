//! The words that a query looks for, with their positions in it.

use super::ast::Span;
use super::highlight::{Class, SeenToken, Within, walk};
use super::lexer::TokenKind;
use super::notes::NoteField;
use super::resolve::BUILT_IN;
use base::tokens;

/// The places of the plain words in a filter, those of phrases among them, without those that must not be there. Fuzzy
/// words, patterns and what stages look for are none of them.
#[must_use]
pub fn wanted_words(query: &str) -> Vec<Span> {
    let (seen, _) = walk(query);
    let in_filter = seen.iter().take_while(|seen| seen.class != Class::Pipe);
    let mut before: Option<&SeenToken> = None;
    let mut found = Vec::new();
    for seen in in_filter {
        let is_plain = match &seen.token.kind {
            TokenKind::Word { text, .. } => !text.contains(['*', '?', '~']),
            TokenKind::Phrase(_) => true,
            _ => false,
        };
        let is_other = before.is_some_and(|before| {
            matches!(
                before.token.kind,
                TokenKind::Minus | TokenKind::Bang | TokenKind::Not | TokenKind::Compare(_)
            )
        });
        before = Some(seen);
        // Levels, files and notes are not what the text of an event says.
        let is_text = match seen.within {
            Within::Value(field) | Within::List(field) => {
                let name = query.get(field.start..field.end).unwrap_or_default();
                name == "raw" || !BUILT_IN.contains(&name) && NoteField::named(name).is_none()
            }
            _ => true,
        };
        if seen.class != Class::Text || !is_plain || is_other || !is_text {
            continue;
        }
        let Span { start, end } = seen.token.span;
        let words = tokens::ranges(&query.as_bytes()[start..end]);
        found.extend(words.map(|(from, to)| Span::new(start + from, start + to)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searched_words_are_found_with_their_positions() {
        for (query, expected) in [
            ("timout OR (Conection -debug NOT trace)", "timout Conection"),
            ("\"conection re\\\"set\" status:500 a*b c~ /d/", "conection re set"),
            ("message:timout level>=warn tag:done user:(anna bert) level:eror", "timout anna bert"),
            ("gr\u{f6}\u{df}e | where x = \"abc\"", "gr\u{f6}\u{df}e"),
        ] {
            let found: Vec<&str> =
                wanted_words(query).into_iter().map(|span| &query[span.start..span.end]).collect();
            assert_eq!(found.join(" "), expected, "{query}");
        }
    }
}
