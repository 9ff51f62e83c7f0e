//! The spans of the values of an event in its text.

use std::collections::BTreeMap;

use serde::Serialize;

use base::limits::{PIECE_PLACES, PIECES_BYTES};

/// A piece of an event's text; with the field whose value it is, where it is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Piece"))]
pub struct TextPiece {
    pub text: String,
    pub field: Option<String>,
}

/// Cuts a text at its values, given with the names of their fields. Longer values are searched first,
/// so that a number is not found within a path, and a place that follows the field's name is taken before
/// others; a value that is not written so in the text has no piece. The pieces together are the text.
#[must_use]
pub fn text_pieces(text: &str, values: &[(String, String)]) -> Vec<TextPiece> {
    let looked_at = &text[..text.floor_char_boundary(PIECES_BYTES)];
    let mut longest_first: Vec<_> = values.iter().filter(|(_, value)| !value.is_empty()).collect();
    longest_first.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
    let mut taken: BTreeMap<usize, (usize, &str)> = BTreeMap::new();
    for (field, value) in longest_first {
        let is_free = |start: usize| {
            let end = start + value.len();
            let touches = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
            let is_word =
                !touches(looked_at[..start].chars().next_back()) && !touches(looked_at[end..].chars().next());
            let before = taken.range(..end).next_back();
            is_word && before.is_none_or(|(_, &(taken_to, _))| taken_to <= start)
        };
        let places = || looked_at.match_indices(value.as_str()).map(|(at, _)| at).take(PIECE_PLACES);
        let free = || places().filter(|&at| is_free(at));
        let start = free().find(|&at| is_named(&looked_at[..at], field)).or_else(|| free().next());
        if let Some(start) = start {
            taken.insert(start, (start + value.len(), field));
        }
    }
    let mut text_pieces = Vec::with_capacity(taken.len() * 2 + 1);
    let mut at = 0;
    for (start, (end, field)) in taken {
        if at < start {
            text_pieces.push(TextPiece { text: text[at..start].to_owned(), field: None });
        }
        text_pieces.push(TextPiece { text: text[start..end].to_owned(), field: Some(field.to_owned()) });
        at = end;
    }
    if at < text.len() {
        text_pieces.push(TextPiece { text: text[at..].to_owned(), field: None });
    }
    text_pieces
}

/// True if a field's name directly precedes a position, as in `name=` and `"name": "`.
fn is_named(before: &str, field: &str) -> bool {
    /// More than the distance between any name and its value; a run of spaces is not scanned for each value.
    const BETWEEN_BYTES: usize = 8;
    let name = field.rsplit('.').next().unwrap_or(field);
    let between = |letter: char| matches!(letter, '"' | '\'' | ' ' | ':' | '=' | '[');
    let from = before.len().saturating_sub(name.len() + BETWEEN_BYTES);
    let before = &before[before.ceil_char_boundary(from)..];
    let named = before.trim_end_matches(between);
    named.len() < before.len()
        && named.strip_suffix(name).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, values: &[(&str, &str)]) -> Vec<String> {
        let values: Vec<_> =
            values.iter().map(|(field, value)| ((*field).to_owned(), (*value).to_owned())).collect();
        let pieces = text_pieces(text, &values);
        assert_eq!(pieces.iter().map(|piece| piece.text.as_str()).collect::<String>(), text);
        pieces
            .into_iter()
            .map(|piece| format!("{}={}", piece.field.unwrap_or_default(), piece.text))
            .collect()
    }

    #[test]
    fn line_is_cut_at_its_values() {
        let values = [("status", "200"), ("path", "/a/200"), ("bytes", "5")];
        let expected = ["=GET ", "path=/a/200", "= ", "status=200", "= ", "bytes=5"];
        assert_eq!(cut("GET /a/200 200 5", &values), expected);
        assert_eq!(cut("é 1", &[("empty", "")]), ["=é 1"]);
        assert!(cut("", &values).is_empty());
    }

    #[test]
    fn value_is_found_after_its_name() {
        let values = [("http.status", "200"), ("size", "200")];
        let text = r#"{"size": 200, "http": {"status":200}}"#;
        let text_pieces = cut(text, &values);
        assert_eq!(
            text_pieces,
            ["={\"size\": ", "size=200", "=, \"http\": {\"status\":", "http.status=200", "=}}"]
        );
    }

    #[test]
    fn text_of_one_repeated_value_is_fast() {
        let text = "1 ".repeat(1 << 20);
        let values: Vec<_> = (0..2_000).map(|n| (format!("f{n}"), "1".to_owned())).collect();
        assert_eq!(
            text_pieces(&text, &values).iter().filter(|piece| piece.field.is_some()).count(),
            PIECE_PLACES
        );
    }
}
