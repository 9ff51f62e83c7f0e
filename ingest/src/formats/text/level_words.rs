//! Words that name a level where one is expected: also words that are ambiguous in a sentence, and those of
//! other languages.

use crate::batch::Level;
use crate::level::{self, LONGEST_WORD};
use crate::level_words::from_word_in_text;

/// The level of a word.
#[inline]
pub(super) fn level_of(word: &[u8]) -> Option<Level> {
    // Few words begin like one, so that most are ruled out by their first byte and length.
    if !(3..=40).contains(&word.len()) {
        return None;
    }
    if word.len() <= LONGEST_WORD
        && let Some(level) = level::from_word(word)
    {
        return Some(level);
    }
    let ambiguous = AMBIGUOUS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
    ambiguous.map(|&(_, level)| level).or_else(|| from_word_in_text(word))
}

/// The level of a word that is one only in capitals and as a whole token: in names and sentences it is common.
#[inline]
pub(super) fn level_in_capitals(word: &[u8]) -> Option<Level> {
    match word {
        b"LOG" => Some(Level::Info),
        b"EXC" => Some(Level::Error),
        // Stunnel writes the number of syslog.
        [b'L', b'O', b'G', number @ b'0'..=b'7'] => level::from_severity(i64::from(number - b'0')),
        _ => None,
    }
}

/// Words that say a level only in its place.
const AMBIGUOUS: [(&[u8], Level); 16] = [
    (b"debugging", Level::Debug),
    (b"errors", Level::Error),
    (b"notifications", Level::Notice),
    (b"warnings", Level::Warn),
    (b"note", Level::Notice),
    (b"noti", Level::Notice),
    (b"warni", Level::Warn),
    (b"minor", Level::Warn),
    (b"major", Level::Error),
    (b"indeterminate", Level::Info),
    (b"success", Level::Info),
    (b"exception", Level::Error),
    (b"failure", Level::Error),
    (b"fail", Level::Error),
    (b"severity", Level::Error),
    (b"verb", Level::Trace),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_languages() {
        for (word, level) in [
            ("WARN", Level::Warn),
            ("SCHWERWIEGEND", Level::Error),
            ("Warnung", Level::Warn),
            ("AVERTISSEMENT", Level::Warn),
            ("INFORMACIÓN", Level::Info),
            ("情報", Level::Info),
            ("严重", Level::Error),
            ("ОШИБКА", Level::Error),
            ("FEIN", Level::Debug),
            ("Plus précis", Level::Trace),
        ] {
            assert_eq!(level_of(word.as_bytes()), Some(level), "{word}");
        }
        assert_eq!(level_of(b"warm"), None);
        assert_eq!(level_of(b"fin"), None);
        assert_eq!(level_in_capitals(b"log"), None);
        assert_eq!(level_of(b""), None);
    }
}
