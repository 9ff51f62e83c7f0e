//! Maps the values of level keys to levels.

use super::keys::{REQUEST, Scale, WINDOWS};
use super::scan::JsonValue;
use crate::batch::Level;
use crate::level;
use crate::level_words::from_word_of_any_language;

/// After all top-level keys with words, before those with numbers of their own.
const NUMBER_RANK: u8 = 50;

/// The rank of a level value: if an event has a word too, as Monolog writes it, the number is on a scale that
/// only the program knows.
pub(super) fn rank(rank: u8, scale: Scale, value: JsonValue) -> u8 {
    let is_number =
        matches!(scale, Scale::Usual | Scale::Words | Scale::Lager) && matches!(value, JsonValue::Int(_));
    if is_number && rank < NUMBER_RANK { rank + NUMBER_RANK } else { rank }
}

/// The level of a value, in an event with these program marks.
pub(super) fn level_from_value(line: &[u8], value: JsonValue, scale: Scale, marks: u8) -> Option<Level> {
    match value {
        JsonValue::Int(number) => number_level(number, scale, marks),
        JsonValue::Text { start, end, .. } => match &line[start..end] {
            digits @ ([b'0'..=b'9'] | [b'0'..=b'9', b'0'..=b'9']) => {
                let number = digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
                number_level(number, scale, marks)
            }
            word => level_from_word(word),
        },
        _ => None,
    }
}

/// A word, perhaps with a number: `DEBUG2`, `ERROR+2` of Go's slog. Only zap's word for errors that are fatal
/// in development is specific to one program.
fn level_from_word(word: &[u8]) -> Option<Level> {
    level::from_word(word).or_else(|| level::from_risk(word)).or_else(|| match word {
        b"dpanic" | b"DPANIC" => Some(Level::Fatal),
        // PostgreSQL's word for messages to the server's operator.
        b"LOG" => Some(Level::Info),
        [word @ .., b'+' | b'-', b'0'..=b'9'] | [word @ .., b'0'..=b'9'] => level::from_word(word),
        word => from_word_of_any_language(word),
    })
}

fn number_level(number: i64, scale: Scale, marks: u8) -> Option<Level> {
    match scale {
        Scale::Words => None,
        Scale::Usual if marks & WINDOWS != 0 => windows(number),
        Scale::Usual if marks & REQUEST != 0 && number < 5 => nextcloud(number),
        Scale::Lager if number == 0 => Some(Level::Debug),
        Scale::Lager if number == 1 => Some(Level::Info),
        Scale::Lager if number == 2 => Some(Level::Error),
        Scale::Usual | Scale::Lager => level::from_number(number),
        Scale::Python => Some(match number {
            1..=9 => Level::Trace,
            10..=19 => Level::Debug,
            20..=29 => Level::Info,
            30..=39 => Level::Warn,
            40..=49 => Level::Error,
            50..=59 => Level::Fatal,
            _ => return None,
        }),
        Scale::Telemetry => Some(match number {
            1..=4 => Level::Trace,
            5..=8 => Level::Debug,
            9..=12 => Level::Info,
            13..=16 => Level::Warn,
            17..=20 => Level::Error,
            21..=24 => Level::Fatal,
            _ => return None,
        }),
        Scale::Alert => Some(match number {
            1 => Level::Error,
            2 => Level::Warn,
            3.. => Level::Notice,
            _ => return None,
        }),
    }
}

/// The levels of Windows events: 0 is "always", as audits have it.
fn windows(number: i64) -> Option<Level> {
    Some(match number {
        0 | 4 => Level::Info,
        1 => Level::Fatal,
        2 => Level::Error,
        3 => Level::Warn,
        5 => Level::Trace,
        _ => return None,
    })
}

fn nextcloud(number: i64) -> Option<Level> {
    Some(match number {
        0 => Level::Debug,
        1 => Level::Info,
        2 => Level::Warn,
        3 => Level::Error,
        4 => Level::Fatal,
        _ => return None,
    })
}

/// MongoDB's severities: a letter, for debug messages with a number.
pub(super) fn level_from_letter(text: &[u8]) -> Option<Level> {
    Some(match text {
        b"F" => Level::Fatal,
        b"E" => Level::Error,
        b"W" => Level::Warn,
        b"I" => Level::Info,
        [b'D'] | [b'D', b'1'..=b'5'] => Level::Debug,
        _ => return None,
    })
}
