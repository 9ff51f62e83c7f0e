//! Words and letters that name a level where one is expected: including words that are ambiguous in a
//! sentence, and those of other languages, as the JDK and others write them.

use crate::batch::Level;
use crate::level::{self, LONGEST_WORD};

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
    let mut lower = [0; 40];
    let lower = &mut lower[..word.len()];
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    FURTHER.iter().find(|(name, _)| name.as_bytes() == lower).map(|&(_, level)| level)
}

/// More words. ASCII letters are in lower case here; others are as written.
const FURTHER: &[(&str, Level)] = &[
    ("note", Level::Notice),
    ("noti", Level::Notice),
    ("warni", Level::Warn),
    ("minor", Level::Warn),
    ("major", Level::Error),
    ("indeterminate", Level::Info),
    ("success", Level::Info),
    ("exception", Level::Error),
    ("failure", Level::Error),
    ("fail", Level::Error),
    ("severity", Level::Error),
    ("verb", Level::Trace),
    ("schwerwiegend", Level::Error),
    ("fehler", Level::Error),
    ("warnung", Level::Warn),
    ("hinweis", Level::Notice),
    ("information", Level::Info),
    ("informationen", Level::Info),
    ("grave", Level::Error),
    ("erreur", Level::Error),
    ("avertissement", Level::Warn),
    ("infos", Level::Info),
    ("advertencia", Level::Warn),
    ("aviso", Level::Warn),
    ("informaci\u{f3}n", Level::Info),
    ("informaci\u{d3}n", Level::Info),
    ("errore", Level::Error),
    ("avvertenza", Level::Warn),
    ("avviso", Level::Warn),
    ("informazioni", Level::Info),
    ("erro", Level::Error),
    ("fout", Level::Error),
    ("waarschuwing", Level::Warn),
    ("b\u{142}\u{105}d", Level::Error),
    ("ostrze\u{17c}enie", Level::Warn),
    ("\u{41e}\u{428}\u{418}\u{411}\u{41a}\u{410}", Level::Error),
    (
        "\u{41f}\u{420}\u{415}\u{414}\u{423}\u{41f}\u{420}\u{415}\u{416}\u{414}\u{415}\u{41d}\u{418}\u{415}",
        Level::Warn,
    ),
    ("\u{418}\u{41d}\u{424}\u{41e}\u{420}\u{41c}\u{410}\u{426}\u{418}\u{42f}", Level::Info),
    ("\u{91cd}\u{5927}", Level::Error),
    ("\u{8b66}\u{544a}", Level::Warn),
    ("\u{60c5}\u{5831}", Level::Info),
    ("\u{30a8}\u{30e9}\u{30fc}", Level::Error),
    ("\u{4e25}\u{91cd}", Level::Error),
    ("\u{9519}\u{8bef}", Level::Error),
    ("\u{4fe1}\u{606f}", Level::Info),
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
        ] {
            assert_eq!(level_of(word.as_bytes()), Some(level), "{word}");
        }
        assert_eq!(level_of(b"warm"), None);
        assert_eq!(level_of(b""), None);
    }
}
