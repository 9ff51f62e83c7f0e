//! The severity of a line: level words, numbers, and where to search for them.

use std::ops::Range;

use serde::Serialize;

use crate::byte_table::ByteTable;

/// The severity of an event, by its own word. Ordinal: `Warn < Error`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[repr(u8)]
pub enum Level {
    #[default]
    None,
    Trace,
    Debug,
    Info,
    Notice,
    Warn,
    Error,
    Fatal,
}

impl Level {
    pub const ALL: [Level; 8] = [
        Level::None,
        Level::Trace,
        Level::Debug,
        Level::Info,
        Level::Notice,
        Level::Warn,
        Level::Error,
        Level::Fatal,
    ];

    /// The name used in queries, files and on the screen; empty where there is no level.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Level::None => "",
            Level::Trace => "trace",
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Notice => "notice",
            Level::Warn => "warn",
            Level::Error => "error",
            Level::Fatal => "fatal",
        }
    }
}

/// Length of the longest level word.
pub(crate) const LONGEST_WORD: usize = 13;

/// Level words in lower case, by their first letter. Java's own logging uses the language of its machine, so
/// a few are German, French, Spanish or Italian.
const WORDS: [(&[u8], Level); 51] = [
    (b"advertencia", Level::Warn),
    (b"alert", Level::Fatal),
    (b"avertissement", Level::Warn),
    (b"avvertenza", Level::Warn),
    (b"config", Level::Info),
    (b"crit", Level::Fatal),
    (b"critical", Level::Fatal),
    (b"dbg", Level::Debug),
    (b"dbug", Level::Debug),
    (b"ddebug", Level::Debug),
    (b"debu", Level::Debug),
    (b"debug", Level::Debug),
    (b"emerg", Level::Fatal),
    (b"emergency", Level::Fatal),
    (b"eror", Level::Error),
    (b"err", Level::Error),
    (b"erreur", Level::Error),
    (b"erro", Level::Error),
    (b"error", Level::Error),
    (b"errs", Level::Error),
    (b"fata", Level::Fatal),
    (b"fatal", Level::Fatal),
    (b"fehler", Level::Error),
    (b"fine", Level::Debug),
    (b"finer", Level::Trace),
    (b"finest", Level::Trace),
    (b"ftl", Level::Fatal),
    (b"grave", Level::Error),
    (b"inf", Level::Info),
    (b"info", Level::Info),
    (b"information", Level::Info),
    (b"informational", Level::Info),
    (b"infos", Level::Info),
    (b"note", Level::Notice),
    (b"noti", Level::Notice),
    (b"notice", Level::Notice),
    (b"pani", Level::Fatal),
    (b"panic", Level::Fatal),
    (b"schwerwiegend", Level::Error),
    (b"severe", Level::Error),
    (b"silly", Level::Trace),
    (b"subdebug", Level::Debug),
    (b"trac", Level::Trace),
    (b"trace", Level::Trace),
    (b"trc", Level::Trace),
    (b"verbose", Level::Trace),
    (b"vrb", Level::Trace),
    (b"warn", Level::Warn),
    (b"warning", Level::Warn),
    (b"warnung", Level::Warn),
    (b"wrn", Level::Warn),
];

/// For each letter a bit set with the lengths of the level words that begin with it: for most words the test
/// ends here.
const LENGTHS: [u16; 26] = {
    let mut lengths = [0; 26];
    let mut at = 0;
    while at < WORDS.len() {
        let word = WORDS[at].0;
        lengths[(word[0] - b'a') as usize] |= 1 << word.len();
        at += 1;
    }
    lengths
};

/// For each letter where the level words that begin with it begin in [`WORDS`], and the end of all.
const FROM: [usize; 27] = {
    let mut from = [0; 27];
    let mut at = 0;
    while at < WORDS.len() {
        let mut letter = (WORDS[at].0[0] - b'a') as usize + 1;
        at += 1;
        while letter < from.len() {
            from[letter] = at;
            letter += 1;
        }
    }
    from
};

/// The level of a word, case-insensitively.
#[inline]
pub(crate) fn from_word(word: &[u8]) -> Option<Level> {
    let letter = usize::from((word.first()? | 0x20).wrapping_sub(b'a'));
    let lengths = LENGTHS.get(letter)?;
    if word.len() > LONGEST_WORD || lengths & (1_u16 << word.len()) == 0 {
        return None;
    }
    let mut known = WORDS[FROM[letter]..FROM[letter + 1]].iter();
    let found = known.find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|&(_, level)| level);
    // Otherwise it is the name of a program.
    found.filter(|_| !word.eq_ignore_ascii_case(b"trac") || word == b"TRAC")
}

/// The level of a risk, as security tools rate their findings.
pub(crate) fn from_risk(word: &[u8]) -> Option<Level> {
    const RISKS: [(&[u8], Level); 6] = [
        (b"low", Level::Notice),
        (b"med", Level::Warn),
        (b"medium", Level::Warn),
        (b"moderate", Level::Warn),
        (b"high", Level::Error),
        (b"very-high", Level::Fatal),
    ];
    RISKS.iter().find(|(risk, _)| risk.eq_ignore_ascii_case(word)).map(|&(_, level)| level)
}

/// The level of a single letter.
#[inline]
pub(crate) fn from_letter(letter: u8) -> Option<Level> {
    Some(match letter {
        b'T' | b'V' => Level::Trace,
        b'D' => Level::Debug,
        b'I' => Level::Info,
        b'N' => Level::Notice,
        b'W' => Level::Warn,
        b'E' => Level::Error,
        b'F' | b'C' => Level::Fatal,
        _ => return None,
    })
}

/// The level of an HTTP status; `None` if the text is not a status.
pub(crate) fn from_status(status: &[u8]) -> Option<Level> {
    Some(match status {
        [b'5', b'0'..=b'9', b'0'..=b'9'] => Level::Error,
        [b'4', b'0'..=b'9', b'0'..=b'9'] => Level::Warn,
        [b'1'..=b'3', b'0'..=b'9', b'0'..=b'9'] => Level::Info,
        _ => return None,
    })
}

/// The severity numbers of syslog, 0 (emergency) to 7 (debug).
pub(crate) fn from_severity(number: i64) -> Option<Level> {
    Some(match number {
        0..=2 => Level::Fatal,
        3 => Level::Error,
        4 => Level::Warn,
        5 => Level::Notice,
        6 => Level::Info,
        7 => Level::Debug,
        _ => return None,
    })
}

/// The level of an HTTP response by its status.
pub(crate) fn from_http_status(status: i64) -> Level {
    match status {
        500.. => Level::Error,
        400.. => Level::Warn,
        _ => Level::Info,
    }
}

/// The numbers of pino and bunyan, 10 (trace) to 60 (fatal); smaller ones are those of syslog.
pub(crate) fn from_number(number: i64) -> Option<Level> {
    Some(match number {
        10..=19 => Level::Trace,
        20..=29 => Level::Debug,
        30..=39 => Level::Info,
        40..=49 => Level::Warn,
        50..=59 => Level::Error,
        60..=69 => Level::Fatal,
        _ => return from_severity(number),
    })
}

/// A level word and its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LevelWord {
    pub level: Level,
    pub start: usize,
    pub end: usize,
}

/// The number of bytes scanned at once.
const BLOCK: usize = 32;

/// The first level word in a range of a line that is used as a level: in capitals, in brackets, before a
/// colon, or after `level=`. A plain "error" within a sentence is not.
///
/// Few words satisfy any of these, so first only their positions are found, for a whole block at once.
pub(crate) fn find(line: &[u8], from: usize, to: usize) -> Option<LevelWord> {
    let to = to.min(line.len());
    let mut at = from;
    while at < line.len().min(to + LONGEST_WORD + 1) {
        for (index, eight) in candidate_positions(line, at).as_chunks::<8>().0.iter().enumerate() {
            let mut marks = u64::from_le_bytes(*eight);
            while marks != 0 {
                let place = at + index * 8 + marks.trailing_zeros() as usize / 8;
                marks &= marks - 1;
                let word = without_colour(line, word_around(line, place));
                if (from..to).contains(&word.start)
                    && let Some(level) = from_word(&line[word.clone()])
                    && is_emphasised(line, from, word.clone())
                {
                    let level = if is_fatal_error(line, &word) { Level::Fatal } else { level };
                    return Some(LevelWord { level, start: word.start, end: word.end });
                }
            }
        }
        at += BLOCK;
    }
    None
}

/// For each byte of the block at this position: whether capitals begin there or the value of a key such as
/// `level`, or whether it is a sign that may close a level word.
#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "without branches the bytes of a block are tested together")]
fn candidate_positions(line: &[u8], at: usize) -> [u8; BLOCK] {
    // With two bytes before the block and one after it; spaces beyond the line.
    let mut near = [b' '; BLOCK + 3];
    let (before, end) = (at.saturating_sub(2), line.len().min(at + BLOCK + 1));
    near[before + 2 - at..end + 2 - at].copy_from_slice(&line[before..end]);
    let mut places = [0; BLOCK];
    for (place, near) in places.iter_mut().zip(near.array_windows()) {
        let [key, before, byte, after] = *near;
        let is_capital =
            !before.is_ascii_uppercase() & byte.is_ascii_uppercase() & after.is_ascii_uppercase();
        let is_value =
            ((before == b'=') & ((key == b'l') | (key == b'y'))) | ((before == b'"') & (key == b'='));
        let is_bracket = (byte == b']') | (byte == b')') | (byte == b'>');
        let is_close = is_bracket | (byte == b':') | (byte == b'#') | (byte == ESCAPE);
        *place = u8::from(is_capital | is_value | (is_close & (before >= b'A')));
    }
    places
}

/// The word that contains or ends at a position, up to the length of a level word and one byte more.
fn word_around(line: &[u8], place: usize) -> Range<usize> {
    let is_word = |byte: &&u8| is_word(**byte);
    let before = line[..place].iter().rev().take(LONGEST_WORD + 1).take_while(is_word).count();
    let after = line[place..].iter().take(LONGEST_WORD + 1).take_while(is_word).count();
    place - before..place + after
}

/// Begins the code of a terminal's colour: `\x1b[31m`.
const ESCAPE: u8 = 0x1B;

/// The word without the end of a colour's code before it: in `\x1b[31merror`, the letters and digits of the code are
/// next to those of the word.
fn without_colour(line: &[u8], word: Range<usize>) -> Range<usize> {
    let text = &line[word.clone()];
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if text.get(digits) != Some(&b'm') || word.start < 2 {
        return word;
    }
    let is_of_code = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
    let before = line[..word.start].iter().rev().take(LONGEST_CODE).take_while(is_of_code).count();
    let is_code = line[..word.start - before].ends_with(&[ESCAPE, b'[']);
    if is_code { word.start + digits + 1..word.end } else { word }
}

const LONGEST_CODE: usize = 12;

static WORD: ByteTable = ByteTable::alphanumeric_and(b"_");

#[inline]
fn is_word(byte: u8) -> bool {
    WORD.contains(byte)
}

fn is_emphasised(line: &[u8], from: usize, word: Range<usize>) -> bool {
    let Range { start, end } = word;
    let before = start.checked_sub(1).map_or(b' ', |at| line[at]);
    let after = line.get(end).copied().unwrap_or(b' ');
    if matches!(before, b'[' | b'<' | b'(' | b':' | b'#') && matches!(after, b']' | b'>' | b')' | b'#') {
        return true;
    }
    // In a colour of its own.
    if before == b'm' && after == ESCAPE {
        return true;
    }
    if matches!(before, b'=' | b'"') {
        // Erlang: `=ERROR REPORT====`.
        return line[end..].starts_with(b" REPORT") || follows_level_key(&line[..start]);
    }
    // After the name of a program: `[tunneld.NOTICE]`.
    if before == b'.' && after == b']' && line[start..end].iter().all(u8::is_ascii_uppercase) {
        return true;
    }
    // GLib joins the level to a domain: `Gtk-WARNING **:`.
    if before == b'-' && line[end..].starts_with(b" **") {
        return true;
    }
    let alone_before = !matches!(before, b'.' | b'/' | b'\\' | b'-' | b'@' | b'$');
    let goes_on = matches!(after, b'.' | b'/' | b'\\' | b'-' | b'=' | b'(' | b'$')
        && line.get(end + 1).is_some_and(|&next| is_word(next));
    // The number of the level.
    let goes_on = goes_on && !matches!(line[end..], [b'(', b'0'..=b'7', b')', ..]);
    let capitals = line[start..end].iter().all(u8::is_ascii_uppercase);
    // Further on it is the name of something: a translation layer, a game.
    if &line[start..end] == b"FTL" && line[from..start].iter().any(u8::is_ascii_alphanumeric) {
        return false;
    }
    let before_colon = after == b':' && line.get(end + 1).is_none_or(|&next| next == b' ');
    // In a list it names the next value: `reason: a, info: b`. Only trouble is a level there.
    let is_of_list = line[from..start].ends_with(b", ")
        && line[from..start].iter().any(u8::is_ascii_alphanumeric)
        && from_word(&line[start..end]).is_some_and(|level| level < Level::Warn);
    alone_before
        && !goes_on
        && (capitals || (before_colon && !is_of_list && matches!(before, b' ' | b'[' | b'\t')))
}

/// Whether the word is the second one of `Fatal error: `, as PHP and compilers write it.
fn is_fatal_error(line: &[u8], word: &Range<usize>) -> bool {
    const FATAL: &[u8] = b"fatal ";
    let before = word.start.checked_sub(FATAL.len()).map(|at| &line[at..word.start]);
    before.is_some_and(|before| before.eq_ignore_ascii_case(FATAL))
        && line[word.clone()].eq_ignore_ascii_case(b"error")
}

fn follows_level_key(before: &[u8]) -> bool {
    let key = before.strip_suffix(b"\"").unwrap_or(before);
    let Some(key) = key.strip_suffix(b"=") else { return false };
    [&b"level"[..], b"lvl", b"severity"].iter().any(|name| key.ends_with(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let found = find(line.as_bytes(), 0, 80).map_or("", |word| word.level.name());
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn level_words_that_count() {
        check("INFO [main] started", "info");
        check(" - WARN  [x] y", "warn");
        check(", info: started", "info");
        check("[error] mod_jk child", "error");
        check("INFO(6)     Successful login", "info");
        check("=ERROR REPORT==== x", "error");
        check("TID 0: [tunneld.NOTICE]: x", "notice");
        check("<warn>  wifi is off", "warn");
        check("[core:error] x", "error");
        check("error: PAM: failure", "error");
        check("PHP Fatal error:  Uncaught", "fatal");
        check("t=1 level=warning msg=x", "warn");
        check("level=\"error\" msg=x", "error");
        check("x|FATAL|y", "fatal");
        check("SEVERE: x", "error");
        check("not sent, error: refused", "error");
        check(" FTL cannot start", "fatal");
        check("SCHWERWIEGEND: x", "error");
        check("AVERTISSEMENT [main] x", "warn");
        check("(gedit:1): Gtk-WARNING **: 03:04:05.678: x", "warn");
        check("[Note] ready", "notice");
        check("- \x1b[31merror\x1b[39m: host x", "error");
        check("\x1b[1;33mWARN\x1b[0m x", "warn");
        check("[main] c.e.Shop CRITICAL x", "fatal");
    }

    #[test]
    fn level_words_that_do_not_count() {
        check("Something very INFOrmative", "");
        check("no error was found", "");
        check("reading /var/log/ERROR.log", "");
        check("ERROR_CODE=5 NON-FATAL", "");
        check("see com.example.Error: x", "");
        check("Alert the user", "");
        check("web-1 is DOWN, reason: refused, info: x", "");
        check("## the FTL started", "");
        check("13merror\x1b[0m", "");
        check("", "");
    }
    /// The reference implementation of [`find`], one word after the other.
    fn find_by_words(line: &[u8], from: usize, to: usize) -> Option<LevelWord> {
        let mut end = from;
        while let Some(skipped) = line.get(end..)?.iter().position(|byte| is_word(*byte)) {
            let start = end + skipped;
            end = start + line[start..].iter().take_while(|byte| is_word(**byte)).count();
            if start >= to {
                break;
            }
            let begin = start - line[..start].iter().rev().take_while(|byte| is_word(**byte)).count();
            let word = without_colour(line, begin..end);
            if (from..to).contains(&word.start)
                && let Some(level) = from_word(&line[word.clone()])
                && is_emphasised(line, from, word.clone())
            {
                return Some(LevelWord { level, start: word.start, end });
            }
        }
        None
    }

    proptest! {
        #[test]
        fn blocks_hold_what_words_hold(
            pieces in prop::collection::vec("[ \\[\\](<>:=\"./@x_-]|ERROR|error|Warning|avertissement|lvl=|level=\"|a{1,70}|\u{e9}|\x1b\\[31m|\x1b\\[1;3[0-9]m|\x1b\\[0?m", 0..40),
            from in 0..100_usize,
            length in 0..100_usize,
        ) {
            let line = pieces.concat().into_bytes();
            prop_assert_eq!(find(&line, from, from + length), find_by_words(&line, from, from + length));
        }
    }
}
