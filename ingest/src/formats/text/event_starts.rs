//! Where the events of a general source begin, learned from a sample.

use std::sync::Arc;

use super::level_words::level_of;
use super::prefix_layout::{self, PrefixFields, PrefixLayout};
use super::{prefix_start, prefix_token};
use crate::batch::Level;
use crate::frame::Begins;
use crate::level::{self, LONGEST_WORD};
use crate::limits;
use crate::time::find::{find, time_near_start};
use crate::time::rules::{TimeRules, is_complete};

/// What begins an event.
pub(super) struct Starts {
    pub begins: Arc<Begins>,
    /// A level begins an event, whether or not there is a time.
    pub by_level: bool,
}

/// Lines begin an event with their time; otherwise with a level; otherwise every line that is not part of a
/// trace begins one.
pub(super) fn learn(
    lines: &[&[u8]],
    times: &[Option<(usize, usize)>],
    rules: &TimeRules,
    before: &PrefixLayout,
) -> Starts {
    let by = |begins| Starts { begins, by_level: false };
    let has_levels_instead = have_levels_instead(lines, times);
    let has_requests = lines.iter().any(|line| begins_request(line));
    let by_time = |begins: Arc<Begins>| {
        if !has_requests && !has_levels_instead {
            return by(begins);
        }
        by(Arc::new(move |line: &[u8]| {
            begins(line)
                || has_requests && begins_request(line)
                || has_levels_instead && begins_with_level(line)
        }))
    };
    let flush = lines.iter().filter(|line| !line[0].is_ascii_whitespace()).count();
    // Below comments all lines of some tables are indented.
    let comments = lines.iter().filter(|line| line[0] == b';').count();
    if comments > 0 && comments == flush && flush < lines.len() {
        return by(Arc::new(|_| true));
    }
    let stamped: Vec<(&[u8], usize)> =
        lines.iter().zip(times).filter_map(|(line, time)| Some((*line, (*time)?.0))).collect();
    let levels = || {
        let unindented: Vec<(&[u8], usize)> = lines
            .iter()
            .map(|line| (*line, level_padding(line)))
            .filter(|(line, pad)| !line[*pad].is_ascii_whitespace() && !is_of_printed_table(line))
            .collect();
        Some(prefix_layout::learn(&unindented)).filter(PrefixLayout::begins_with_level)
    };
    // If half of the lines begin with a level, an occasional time belongs to a message.
    let has_few = stamped.len() * 2 < flush;
    if has_few && let Some(shape) = levels() {
        let rules = rules.clone();
        let begins_with_time = move |line: &[u8]| rules.begins_lines() && find(line, &rules).is_some();
        let begins = move |line: &[u8]| shape.begins(line) || begins_with_time(line);
        return Starts { begins: Arc::new(begins), by_level: true };
    }
    let marked = lines.iter().filter(|line| is_marked_time(line, rules)).count();
    if marked > 1 && marked * 2 > stamped.len() {
        let rules = rules.clone();
        return by(Arc::new(move |line| is_marked_time(line, &rules)));
    }
    // A single date above a long report does not make it one event, but one with a level does.
    let has_level = |(line, time): (&&[u8], &Option<(usize, usize)>)| {
        time.is_none_or(|(start, end)| {
            start <= limits::STAMP_ANCHORED_BYTES
                && level::find(line, end, end + limits::LEVEL_WITHIN_BYTES).is_some()
        })
    };
    let have_levels = lines.iter().zip(times).all(has_level);
    let lines_per_stamp = if have_levels { limits::LINES_PER_LEVEL } else { limits::LINES_PER_STAMP };
    if stamped.len() * lines_per_stamp >= flush && !stamped.is_empty() {
        // The comments above the events say when the log was begun.
        let comments = stamped.iter().filter(|(line, _)| line.starts_with(COMMENT)).count();
        let has_comments = comments * 2 < stamped.len();
        let is_event = move |line: &[u8]| !(has_comments && line.starts_with(COMMENT));
        if rules.within <= limits::STAMP_ANCHORED_BYTES {
            let rules = rules.clone();
            return by_time(Arc::new(move |line| is_event(line) && find(line, &rules).is_some()));
        }
        // A time after its name is a value of an event whose own time comes earlier.
        let labelled = stamped.iter().filter(|(line, start)| is_label(&line[..*start])).count();
        let has_labels = labelled * 2 < stamped.len();
        let has_own_time = move |line: &[u8], rules: &TimeRules| {
            is_event(line)
                && find(line, rules).is_some_and(|time| !(has_labels && is_label(&line[..time.start])))
        };
        let last = stamped.iter().map(|(_, start)| *start).max().unwrap_or(rules.within);
        let alike = stamped.iter().filter(|(line, start)| {
            let mut header = PrefixFields::default();
            before.read(&line[..*start], prefix_start(&line[..*start]), &mut header);
            header.found == before.len()
        });
        if !before.is_empty() && alike.count() * 10 >= stamped.len() * 9 {
            let mut rules = rules.clone();
            rules.within = last;
            return by_time(Arc::new(move |line| has_own_time(line, &rules)));
        }
    }
    if !rules.layouts.is_empty() && stamped.len() * limits::LINES_PER_STAMP >= flush {
        let rules = rules.clone();
        let labelled = stamped.iter().filter(|(line, start)| is_label(&line[..*start])).count();
        let has_labels = labelled * 2 < stamped.len();
        let is_own = move |line: &[u8], start: usize| !(has_labels && is_label(&line[..start]));
        let begins = move |line: &[u8]| {
            rules.layouts.find(line, rules.order).is_some_and(|time| is_own(line, time.start))
        };
        // The times may be values of lists.
        if stamped.iter().any(|(line, _)| begins(line)) {
            return by_time(Arc::new(begins));
        }
    }
    // The time may be the last value of the first line of an event.
    let ends_with_time = |line: &[u8]| find(line, rules).is_some_and(|time| ends_line(line, time.end));
    let ending = stamped.iter().filter(|(line, _)| ends_with_time(line)).count();
    if ending > 1 && ending == stamped.len() && stamped.len() * limits::LINES_PER_STAMP >= flush {
        let rules = rules.clone();
        let ends = move |line: &[u8]| find(line, &rules).is_some_and(|time| ends_line(line, time.end));
        return by(Arc::new(ends));
    }
    let has_traceback = lines.iter().any(|line| line.starts_with(TRACEBACK));
    // The comments above a log are one text.
    let comments = lines.iter().take_while(|line| is_comment(line)).count();
    let has_comments =
        (2..lines.len()).contains(&comments) && !lines[comments..].iter().any(|line| is_comment(line));
    by(Arc::new(move |line| !(continues_trace(line, has_traceback) || has_comments && is_comment(line))))
}

/// Whether AWS Lambda wrote the line, which has no time, around a request of a function.
pub(super) fn begins_request(line: &[u8]) -> bool {
    let words = [&b"START"[..], b"END", b"REPORT", b"INIT_START", b"INIT_REPORT"];
    let rest = words.iter().find_map(|word| line.strip_prefix(*word));
    rest.is_some_and(|rest| rest.starts_with(b" RequestId: ") || rest.starts_with(b" Runtime Version: "))
}

/// Whether lines without a time begin with a level instead and follow one another: of the program that printed the
/// others. The level below a header is alone.
fn have_levels_instead(lines: &[&[u8]], times: &[Option<(usize, usize)>]) -> bool {
    let has_level: Vec<bool> =
        lines.iter().zip(times).map(|(line, time)| time.is_none() && begins_with_level(line)).collect();
    let flush =
        lines.iter().zip(times).filter(|(line, time)| time.is_none() && !line[0].is_ascii_whitespace());
    let (levels, pairs) = (
        has_level.iter().filter(|has| **has).count(),
        has_level.windows(2).filter(|pair| pair == &[true, true]).count(),
    );
    pairs >= FEWEST_LEVEL_PAIRS && levels * 5 >= flush.count() * 4
}

const FEWEST_LEVEL_PAIRS: usize = 2;

/// The spaces before a level in capitals that is aligned to the right: ` INFO global: `.
fn level_padding(line: &[u8]) -> usize {
    let pad = line.iter().take(LONGEST_PADDING).take_while(|byte| **byte == b' ').count();
    let has_level = || {
        level_in_capitals(&line[pad..]).is_some_and(|(_, end)| end > 3 && line.get(pad + end) == Some(&b' '))
    };
    if pad > 0 && has_level() { pad } else { 0 }
}

/// `CRITICAL` is four letters longer than `INFO`.
const LONGEST_PADDING: usize = 4;

/// A level in capitals and a space or a colon, or a level in brackets.
fn begins_with_level(line: &[u8]) -> bool {
    let is_own = |end: usize| end > 3 && matches!(line.get(end), Some(b' ' | b':'));
    level_in_capitals(line).is_some_and(|(_, end)| is_own(end)) || begins_with_level_in_brackets(line)
}

/// `[INFO] `, `[warning]`, `<inf> `, `[Info   : Console] `.
pub(crate) fn begins_with_level_in_brackets(line: &[u8]) -> bool {
    let close = match line.first() {
        Some(b'[') => b']',
        Some(b'<') => b'>',
        _ => return false,
    };
    let end = line.iter().take(LONGEST_BRACKET_BYTES).position(|byte| *byte == close);
    end.is_some_and(|end| prefix_token::level_and_name(line[1..end].trim_ascii()).is_some())
}

/// The longest level in brackets with the name after it.
const LONGEST_BRACKET_BYTES: usize = 50;

/// The level in capitals that begins a line, and where it ends.
fn level_in_capitals(line: &[u8]) -> Option<(Level, usize)> {
    let end = line.iter().take(LONGEST_WORD + 1).take_while(|byte| byte.is_ascii_uppercase()).count();
    level::from_word(&line[..end]).map(|level| (level, end))
}

/// Whether a line is a row or a rule of a table that is printed in a message.
fn is_of_printed_table(line: &[u8]) -> bool {
    matches!(line, [b'|', b' ', ..] | [b'.' | b'+' | b'\'', b'-', b'-', ..])
}

fn ends_line(line: &[u8], end: usize) -> bool {
    line[end..].iter().all(u8::is_ascii_whitespace)
}

/// Whether a line is a time between marks, as programs write them above what follows: `==> 2026-11-21 03:04:05
/// <==`, `=~=~= log 2026.11.21 03:04:05 =~=~=`.
fn is_marked_time(line: &[u8], rules: &TimeRules) -> bool {
    let are_marks = |marks: &[u8]| marks.iter().all(|byte| b"=-*#~<>+_".contains(byte));
    let line = line.trim_ascii_end();
    line.len() > 2 * MARKS
        && are_marks(&line[..MARKS])
        && are_marks(&line[line.len() - MARKS..])
        && find(line, rules).is_some_and(|time| is_complete(&time.when))
}

/// This many marks surround a time on each side.
const MARKS: usize = 3;

/// The start of a comment.
const COMMENT: &[u8] = b"# ";

/// Whether a text above the first event is several comments without a time.
pub(super) fn are_comments(text: &[u8]) -> bool {
    let is_plain =
        |line: &[u8]| is_comment(line) && time_near_start(line, limits::STAMP_WITHIN_BYTES).is_none();
    text.contains(&b'\n') && text.split(|&byte| byte == b'\n').all(is_plain)
}

fn is_comment(line: &[u8]) -> bool {
    line.starts_with(COMMENT) || matches!(line.trim_ascii_end(), b"#" | b"")
}

/// Whether a text is the name of the value after it: `Event time:      `.
fn is_label(before: &[u8]) -> bool {
    let name = before.trim_ascii_end();
    let is_of_name = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'_' | b'-' | b'/');
    name.len() + 1 < before.len() && name.strip_suffix(b":").is_some_and(|name| name.iter().all(is_of_name))
}

pub(crate) const TRACEBACK: &[u8] = b"Traceback (most recent call last)";

/// Whether a line is part of a stack trace, whatever its prefix.
pub(crate) fn continues_trace(line: &[u8], has_traceback: bool) -> bool {
    let text = line.trim_ascii_start();
    let indent = line.len() - text.len();
    let starts = |starts: &[&[u8]]| starts.iter().any(|start| text.starts_with(start));
    if indent == 0 {
        let error = || {
            let name = text
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'))
                .count();
            let ends = matches!(text.get(name), None | Some(b':'));
            ends && [&b"Error"[..], b"Exception"].iter().any(|end| text[..name].ends_with(end))
        };
        return starts(&[b"Caused by: ", TRACEBACK]) || (has_traceback && error());
    }
    starts(&[b"at ", b"File \"", b"Caused by: ", b"Suppressed: "])
        || (text.starts_with(b"... ") && text.ends_with(b" more"))
        || (has_traceback && indent >= 4)
}

impl PrefixLayout {
    /// Whether a line begins with the layout's first token, a level.
    fn begins(&self, line: &[u8]) -> bool {
        let pad = level_padding(line);
        if line.get(pad).is_none_or(u8::is_ascii_whitespace) {
            return false;
        }
        let mut header = PrefixFields::default();
        self.read(line, pad, &mut header);
        header.found > 0
    }
}

/// Whether the second line of an event has its level.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SecondLine {
    /// It begins with the level, as in `java.util.logging`.
    HasLevel,
    /// The first line is a header, so that a level in capitals may begin the message below it.
    MayHaveLevel,
}

impl SecondLine {
    pub(super) fn learn(lines: &[&[u8]], begins: &Begins) -> Option<SecondLine> {
        let mut single = 0;
        let mut several = 0;
        let mut with_level = 0;
        for pair in lines.windows(2).filter(|pair| begins(pair[0])) {
            if begins(pair[1]) {
                single += 1;
            } else {
                several += 1;
                with_level += usize::from(level_before_colon(pair[1]).is_some());
            }
        }
        if with_level > 0 && with_level * 2 > several {
            return Some(SecondLine::HasLevel);
        }
        (several > 1 && single * 10 <= several).then_some(SecondLine::MayHaveLevel)
    }
}

/// `WARNING: ` at the start of a line.
pub(crate) fn level_in_capitals_before_colon(line: &[u8]) -> Option<Level> {
    level_in_capitals(line).filter(|(_, end)| line[*end..].starts_with(b": ")).map(|(level, _)| level)
}

/// The level at the very start before a colon, and the position after it.
pub(super) fn level_before_colon(line: &[u8]) -> Option<(Level, usize)> {
    let colon = line.iter().take(40).position(|byte| *byte == b':')?;
    level_of(line[..colon].trim_ascii_end()).map(|level| (level, colon + 1))
}
