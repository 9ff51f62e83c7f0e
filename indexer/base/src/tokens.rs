//! What a token is. The text index and the scan both ask here, so that they cannot disagree.
//!
//! A token is a longest run of ASCII letters, digits, `_` and bytes beyond ASCII. Two tokens are the same
//! when they are the same in lower case.

use std::borrow::Cow;

#[inline]
#[must_use]
pub fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a piece of a text has the tokens there that it has by itself: none goes on beyond its ends.
#[inline]
#[must_use]
pub fn is_delimited(text: &[u8], start: usize, end: usize) -> bool {
    let is_inside = |at: usize| {
        let neighbours = at.checked_sub(1).and_then(|before| Some((*text.get(before)?, *text.get(at)?)));
        neighbours.is_some_and(|(before, after)| is_token_byte(before) && is_token_byte(after))
    };
    start == end || !is_inside(start) && !is_inside(end)
}

/// Longer tokens are no words. They are keys and encoded bytes.
pub const LONGEST_WORD_BYTES: usize = 40;

/// Whether a folded token is a word that people type: none with digits, because most of those are ids. The text index has a term
/// for each word, and a fuzzy word means only words.
#[inline]
#[must_use]
pub fn is_word(token: &[u8]) -> bool {
    token.len() <= LONGEST_WORD_BYTES && !token.iter().any(u8::is_ascii_digit)
}

/// The tokens of a text, as ranges of its bytes.
pub fn ranges(text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].iter().position(|&byte| is_token_byte(byte))?;
        let end =
            text[start..].iter().position(|&byte| !is_token_byte(byte)).map_or(text.len(), |n| start + n);
        at = end;
        Some((start, end))
    })
}

/// The last of them.
#[must_use]
pub fn last_range(text: &[u8]) -> Option<(usize, usize)> {
    let end = text.iter().rposition(|&byte| is_token_byte(byte))? + 1;
    let start = text[..end].iter().rposition(|&byte| !is_token_byte(byte)).map_or(0, |before| before + 1);
    Some((start, end))
}

/// Text in lower case; bytes that are no UTF-8 become U+FFFD. A character beyond ASCII never becomes an
/// ASCII one (the Kelvin sign stays), so that plain words can be looked for byte by byte.
#[must_use]
pub fn fold(text: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(text);
    if text.is_ascii() {
        return if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            text
        };
    }
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        let lower = character.to_lowercase();
        if character.is_ascii() || lower.clone().all(|c| !c.is_ascii()) {
            folded.extend(lower);
        } else {
            folded.push(character);
        }
    }
    Cow::Owned(folded)
}

/// The folded tokens of a text, in order.
#[must_use]
pub fn folded(text: &[u8]) -> Vec<String> {
    ranges(text).map(|(start, end)| fold(&text[start..end]).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_end_at_punctuation_and_keep_letters_of_every_script() {
        let tokens = folded("GET /api/Cart_2?id=42 Größe=ÄÖ".as_bytes());
        assert_eq!(tokens, ["get", "api", "cart_2", "id", "42", "größe", "äö"]);
    }

    #[test]
    fn nothing_beyond_ascii_folds_into_ascii() {
        assert_eq!(fold("300\u{212a} ÄK".as_bytes()), "300\u{212a} äk");
        assert_eq!(fold("\u{130}X".as_bytes()), "\u{130}x");
    }

    #[test]
    fn bytes_that_are_no_text_still_make_tokens() {
        assert_eq!(folded(b"a\xff\xfeB c"), ["a\u{fffd}\u{fffd}b", "c"]);
    }
}
