//! Levels that are no words of their own: letters, digits in the tags of devices, words joined to a name.

use memchr::{memchr, memmem, memrchr};

use crate::batch::Level;
use crate::level::{self, LONGEST_WORD};
use crate::limits;

/// How most lines mark a level that is no word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LevelMark {
    /// A letter in brackets, somewhere before the message.
    BracketedLetter,
    /// A digit between slashes.
    SlashedDigit,
    /// A letter that begins a code, directly after the bracket of the time: `]e000: `.
    CodeAfterBracket,
    /// A word between the name of a component and a number: `system-warning-00518`.
    WordBeforeNumber,
    /// A letter between colons, directly after the time: `03:04:05:I1:`.
    LetterAfterTime,
    /// A letter with its verbosity, in brackets: `[e(0)]`.
    LetterWithVerbosity,
    /// Three letters between marks, before or after the time: `[NTC]`, `[IFO,App]`, `.INF-`.
    Abbreviation,
    /// The first of several words in a bracket: `[ info shop.cart ]`, `[Warning-Shop.Cart]`.
    FirstInBracket,
    /// A word after the name of a module and a point: `network.Error: `.
    AfterPoint,
    /// A word in capitals between slashes: `node-1/INFO/shop.cart`.
    BetweenSlashes,
    /// A word in capitals after a prefix: `ZOO_INFO@main`, `LOG_WARN: `.
    AfterUnderscore,
}

/// The level of a mark, and the code that has it.
pub(super) struct MarkedLevel {
    pub level: Level,
    pub code: Option<(usize, usize)>,
}

impl LevelMark {
    /// Learns the mark from lines, each with the position after its time.
    pub(super) fn learn(lines: &[(&[u8], usize)]) -> Option<LevelMark> {
        let count =
            |mark: LevelMark| lines.iter().filter(|(line, from)| mark.read(line, *from).is_some()).count();
        let nearly_all = |count: usize| count * 10 >= lines.len() * 9;
        let marks = [
            LevelMark::SlashedDigit,
            LevelMark::CodeAfterBracket,
            LevelMark::WordBeforeNumber,
            LevelMark::LetterAfterTime,
            LevelMark::LetterWithVerbosity,
            LevelMark::Abbreviation,
            LevelMark::FirstInBracket,
            LevelMark::AfterPoint,
            LevelMark::BetweenSlashes,
            LevelMark::AfterUnderscore,
        ];
        let certain = marks.into_iter().find(|mark| {
            let count = count(*mark);
            count > 0 && nearly_all(count)
        });
        certain.or_else(|| {
            let lettered =
                lines.iter().filter(|(line, from)| letter_in_brackets(line, *from).is_some()).count();
            (lettered > 1 && nearly_all(lettered)).then_some(LevelMark::BracketedLetter)
        })
    }

    /// The level by a mark that precedes any word; a letter in brackets may belong to the message.
    #[inline]
    pub(super) fn read(self, line: &[u8], from: usize) -> Option<MarkedLevel> {
        let plain = |level: Option<Level>| level.map(|level| MarkedLevel { level, code: None });
        match self {
            LevelMark::BracketedLetter => None,
            LevelMark::SlashedDigit => plain(level_between_slashes(line, from)),
            LevelMark::CodeAfterBracket => code_after_bracket(line, from),
            LevelMark::WordBeforeNumber => plain(word_before_number(line, from)),
            LevelMark::LetterAfterTime => plain(letter_after_time(line, from)),
            LevelMark::LetterWithVerbosity => plain(letter_with_verbosity(line, from)),
            LevelMark::Abbreviation => plain(abbreviation(line, from)),
            LevelMark::FirstInBracket => plain(first_in_bracket(line, from)),
            LevelMark::AfterPoint => plain(word_after_point(line, from)),
            LevelMark::BetweenSlashes => plain(word_between_slashes(line, from)),
            LevelMark::AfterUnderscore => plain(word_after_underscore(line, from)),
        }
    }
}

/// `]w120: ` of an installer, whose messages have a letter and three digits.
fn code_after_bracket(line: &[u8], from: usize) -> Option<MarkedLevel> {
    let [b']', letter, digits @ .., b':'] = line.get(from..from + 6)? else { return None };
    let level = match letter {
        b'i' => Level::Info,
        b'w' => Level::Warn,
        b'e' => Level::Error,
        _ => return None,
    };
    let is_code = digits.iter().all(u8::is_ascii_digit) && matches!(line.get(from + 6), None | Some(b' '));
    is_code.then_some(MarkedLevel { level, code: Some((from + 1, from + 5)) })
}

/// `:I1:` and `:W :`, in which the digit is a verbosity.
fn letter_after_time(line: &[u8], from: usize) -> Option<Level> {
    match line.get(from..from + 4)? {
        [b':', letter, b' ' | b'0'..=b'9', b':'] => level::from_letter(*letter),
        _ => None,
    }
}

/// `[e(0)]`, at most a bracket and a space after the time.
fn letter_with_verbosity(line: &[u8], from: usize) -> Option<Level> {
    let at = from + memchr(b'[', line.get(from..line.len().min(from + 4))?)?;
    match line.get(at..at + 6)? {
        [b'[', letter, b'(', b'0'..=b'9', b')', b']'] => level::from_letter(letter.to_ascii_uppercase()),
        _ => None,
    }
}

/// The level of three letters between marks.
fn abbreviation(line: &[u8], from: usize) -> Option<Level> {
    let head = &line[..line.len().min(from + limits::LEVEL_WITHIN_BYTES)];
    head.windows(5).find_map(|window| match window {
        [b'[' | b'(' | b'.' | b'|', letters @ .., b']' | b')' | b',' | b'-' | b'|' | b' '] => {
            abbreviated(letters)
        }
        _ => None,
    })
}

fn abbreviated(letters: &[u8]) -> Option<Level> {
    let upper: [u8; 3] = letters.to_ascii_uppercase().try_into().ok()?;
    Some(match &upper {
        b"TRC" => Level::Trace,
        b"DBG" | b"DEB" | b"DB1" | b"DB2" | b"DB3" => Level::Debug,
        b"INF" | b"IFO" => Level::Info,
        b"NTC" | b"NOT" => Level::Notice,
        b"WRN" | b"WAR" => Level::Warn,
        b"ERR" => Level::Error,
        b"CRT" | b"CRI" | b"ALR" | b"EMG" | b"FAT" | b"FTL" | b"PNC" => Level::Fatal,
        _ => return None,
    })
}

/// The level that begins a bracket, directly after the time.
fn first_in_bracket(line: &[u8], from: usize) -> Option<Level> {
    let rest = line.get(from..)?.trim_ascii_start();
    let rest = rest.strip_prefix(b"- ").unwrap_or(rest).strip_prefix(b"[")?;
    let (rest, mark) = rest.strip_prefix(b" ").map_or((rest, b'-'), |rest| (rest, b' '));
    level::from_word(&rest[..memchr(mark, &rest[..rest.len().min(LONGEST_WORD + 1)])?])
}

/// The level after the name of a module: `network.Error: `.
fn word_after_point(line: &[u8], from: usize) -> Option<Level> {
    let head = line.get(from..line.len().min(from + limits::LEVEL_WITHIN_BYTES))?;
    let word = &head[..memmem::find(head, b": ")?];
    let name = &word[word.iter().rposition(|byte| *byte == b' ')? + 1..];
    let point = memrchr(b'.', name).filter(|&point| point > 0)?;
    level::from_word(&name[point + 1..])
}

/// The level in capitals between slashes: `node-1/INFO/shop.cart`.
fn word_between_slashes(line: &[u8], from: usize) -> Option<Level> {
    let head = line.get(from..line.len().min(from + limits::LEVEL_WITHIN_BYTES))?;
    memchr::memchr_iter(b'/', head).find_map(|at| {
        let word = head[at + 1..].iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let is_between = at > 0 && word > 2 && head.get(at + 1 + word) == Some(&b'/');
        level::from_word(&head[at + 1..at + 1 + word]).filter(|_| is_between)
    })
}

/// The level at the end of a name in capitals: `ZOO_INFO@`, `LOG_WARN: `.
fn word_after_underscore(line: &[u8], from: usize) -> Option<Level> {
    let head = line.get(from..line.len().min(from + limits::LEVEL_WITHIN_BYTES))?;
    memchr::memchr_iter(b'_', head).find_map(|at| {
        let word = head[at + 1..].iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let follows_name = at > 0 && head[at - 1].is_ascii_uppercase();
        let ends = matches!(head.get(at + 1 + word), Some(b'@' | b':' | b']' | b'|'));
        level::from_word(&head[at + 1..at + 1 + word]).filter(|_| follows_name && ends)
    })
}

/// The digits of a number after a level word: `-00518`.
const NUMBER_DIGITS: usize = 5;

/// The word between a name and a number of five digits.
fn word_before_number(line: &[u8], from: usize) -> Option<Level> {
    // A time far in a line is a value of its message.
    let from = if from > limits::STAMP_WITHIN_BYTES { 0 } else { from };
    let end = line.len().min(from + limits::LEVEL_WITHIN_BYTES);
    memmem::find_iter(line.get(from..end)?, b"-").find_map(|at| {
        let word_end = from + at;
        let digits = line[word_end + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits != NUMBER_DIGITS {
            return None;
        }
        let length = line[from..word_end]
            .iter()
            .rev()
            .take(LONGEST_WORD + 1)
            .take_while(|byte| byte.is_ascii_lowercase());
        let start = word_end - length.count();
        let is_joined = start > from + 1 && line[start - 1] == b'-' && line[start - 2].is_ascii_alphabetic();
        match &line[start..word_end] {
            _ if !is_joined => None,
            b"notification" => Some(Level::Notice),
            word => level::from_word(word),
        }
    })
}

/// The level joined to the name that begins a line, and the end of the name: `shop:info  `, before the time.
#[inline]
pub(super) fn level_joined_to_name(before: &[u8]) -> Option<(Level, usize)> {
    let text = before.trim_ascii_end();
    let colon = memrchr(b':', text)?;
    let level = level::from_word(&text[colon + 1..])?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (colon > 0 && text.len() < before.len() && text[..colon].iter().all(is_name)).then_some((level, colon))
}

/// `[W]` near the start of a line, and the position after it.
pub(super) fn letter_in_brackets(line: &[u8], from: usize) -> Option<(Level, usize)> {
    let end = line.len().min(from + limits::LEVEL_WITHIN_BYTES);
    let at = memmem::find_iter(line.get(from..end)?, b"[")
        .map(|at| from + at)
        .find(|&at| line.get(at + 2) == Some(&b']') && level::from_letter(line[at + 1]).is_some())?;
    level::from_letter(line[at + 1]).map(|level| (level, at + 3))
}

/// The letter that is joined to a stamp, as in `W20261121-03:04:05.678`, or to its bracket, as in `W[2026-11-21`.
pub(crate) fn letter_of_stamp(line: &[u8], start: usize) -> Option<Level> {
    if let (2, [letter, b'[', ..]) = (start, line) {
        return level::from_letter(*letter);
    }
    let [letter, digit, ..] = line.get(start..)? else { return None };
    digit.is_ascii_digit().then(|| level::from_letter(*letter))?
}

/// The letter that is joined to the zone of a stamp: `134ZI [`.
pub(super) fn letter_after_zone(line: &[u8], end: usize) -> Option<Level> {
    match line.get(end..end + 3)? {
        [b'Z', letter, b' '] => level::from_letter(*letter),
        _ => None,
    }
}

/// The severity in a device's tag between slashes: `IFNET/3/PHY_UPDOWN`.
fn level_between_slashes(line: &[u8], from: usize) -> Option<Level> {
    let end = line.len().min(from + limits::LEVEL_WITHIN_BYTES);
    let is_of_name = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    let level = line.get(from..end)?.windows(5).find_map(|window| match window {
        [before, b'/', digit @ b'0'..=b'7', b'/', after] if is_of_name(*before) && is_of_name(*after) => {
            Some(i64::from(digit - b'0'))
        }
        _ => None,
    })?;
    level::from_severity(level)
}

/// The severity in a device's tag: `%PKT_INFRA-LINK-3-UPDOWN`.
pub(super) fn level_of_device(line: &[u8], from: usize) -> Option<Level> {
    let end = line.len().min(from + limits::LEVEL_WITHIN_BYTES);
    let tag = from + memchr(b'%', line.get(from..end)?)? + 1;
    let is_of_tag =
        |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    // A pattern of a logger begins otherwise: `%-5level`.
    if !line.get(tag)?.is_ascii_uppercase() {
        return None;
    }
    let length = line[tag..].iter().take_while(|byte| is_of_tag(byte)).count();
    let mut parts = line[tag..tag + length].split(|byte| *byte == b'-').skip(1);
    parts.find_map(|part| match part {
        [digit @ b'0'..=b'7'] => level::from_severity(i64::from(digit - b'0')),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_before_the_message() {
        let code = |line: &str| code_after_bracket(line.as_bytes(), 0).map(|mark| mark.level);
        assert_eq!(code("]i001: Burn"), Some(Level::Info));
        assert_eq!(code("]e000: Error"), Some(Level::Error));
        assert_eq!(code("]x000: y"), None);
        assert_eq!(code("]i01: y"), None);
        assert_eq!(code("]i001:y"), None);
        assert_eq!(letter_after_time(b":I1:x", 0), Some(Level::Info));
        assert_eq!(letter_after_time(b":W :x", 0), Some(Level::Warn));
        assert_eq!(letter_after_time(b": I :", 0), None);
        assert_eq!(letter_with_verbosity(b"] [e(0)] core: x", 0), Some(Level::Error));
        assert_eq!(letter_with_verbosity(b"] [core] [e(0)]", 0), None);
        assert_eq!(abbreviation(b"[1:ml1] [NTC] [ALL] x", 0), Some(Level::Notice));
        assert_eq!(abbreviation(b" t14 [dbg,App] x", 0), Some(Level::Debug));
        assert_eq!(abbreviation(b" zmc[11].WAR-a.cpp/7 [x]", 0), Some(Level::Warn));
        assert_eq!(abbreviation(b" an ERR x", 0), None);
        assert_eq!(first_in_bracket(b" [ info shop.cart ]:\tx", 0), Some(Level::Info));
        assert_eq!(first_in_bracket(b" x [ info ]", 0), None);
        assert_eq!(first_in_bracket(b" - [Warning-Shop.Cart]: x", 0), Some(Level::Warn));
        assert_eq!(word_between_slashes(b" node-1/INFO/shop: x", 0), Some(Level::Info));
        assert_eq!(word_between_slashes(b" /INFO x/", 0), None);
        assert_eq!(word_after_underscore(b":24(0x7f):ZOO_INFO@log_env@753: x", 0), Some(Level::Info));
        assert_eq!(word_after_underscore(b" LOGIN_ERROR, ERROR_CODE: _INFO: x", 0), None);
        assert_eq!(letter_of_stamp(b"E[2026-11-21", 2), Some(Level::Error));
        let number = |line: &str| word_before_number(line.as_bytes(), 0);
        assert_eq!(number("[Root]system-notification-00257(traffic): x"), Some(Level::Notice));
        assert_eq!(number("system-emergency-00005: x"), Some(Level::Fatal));
        assert_eq!(number("disk-error-7"), None);
        assert_eq!(number("error-00001"), None);
    }

    #[test]
    fn level_joined_to_the_name_before_a_time() {
        let level = |before: &str| level_joined_to_name(before.as_bytes());
        assert_eq!(level("shop:info  "), Some((Level::Info, 4)));
        assert_eq!(level("shop: info "), None);
        assert_eq!(level("the last:error "), None);
        assert_eq!(level("shop:info"), None);
        assert_eq!(level("shop:lamp "), None);
        assert_eq!(level(""), None);
    }
}
