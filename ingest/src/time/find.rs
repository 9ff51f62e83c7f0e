//! Finds a time in text: anywhere near the start of a line, or as the whole of a value.

use super::When;
use super::day_number::day_number;
use super::digits::{byte, digit_run};
use super::epoch;
use super::head_date::dated;
use super::month_names::{after_weekday, is_letter, word_end};
use super::numeric_date::{DateOrder, numeric, short_date};
use super::rare_formats::{
    HEX_DIGITS, compact, digits_alone, glog, hex_epoch, hex_seconds, spaced_year_last, tai64, task_id,
    twelve_digits, year_first,
};
use super::rules::{TimeRules, is_complete};
use super::stamp::{Stamp, day_month_year, iso, month_day, month_day_joined};
use super::time_first::time_first;
use super::undated::{day_time, uptime};
use crate::limits;

/// A time and its range in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FoundTime {
    pub when: When,
    pub start: usize,
    pub end: usize,
}

/// How a time is written. The first spellings are so specific that they count anywhere; the others look like
/// any number, and count only where the rules of a source expect them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    Iso,
    YearFirst,
    DayMonthYear,
    MonthDay,
    MonthDayJoined,
    Weekday,
    Numeric,
    Compact,
    Glog,
    Tai64,
    TimeFirst,
    HexEpoch,
    HexSeconds,
    TaskId,
    Exponent,
    DigitsAlone,
    Epoch,
    DayNumber,
    TwelveDigits,
    ShortDate,
    DayTime,
    Uptime,
}

impl Spelling {
    /// The spellings that count only by the rules of a source, in order of priority.
    pub(crate) const BARE: [Spelling; 7] = [
        Spelling::DigitsAlone,
        Spelling::Epoch,
        Spelling::DayNumber,
        Spelling::TwelveDigits,
        Spelling::ShortDate,
        Spelling::DayTime,
        Spelling::Uptime,
    ];

    #[inline]
    pub(crate) fn read(self, line: &[u8], at: usize, order: DateOrder) -> Option<(When, usize)> {
        let stamp = |found: Option<(Stamp, usize)>| found.map(|(stamp, end)| (When::Stamp(stamp), end));
        match self {
            Spelling::Iso => stamp(iso(line, at)),
            Spelling::YearFirst => stamp(year_first(line, at)),
            Spelling::DayMonthYear => stamp(day_month_year(line, at)),
            Spelling::MonthDay => stamp(month_day(line, at)),
            Spelling::MonthDayJoined => stamp(month_day_joined(line, at)),
            Spelling::Weekday => stamp_after_weekday(line, at, order),
            Spelling::Numeric => stamp(numeric(line, at, order).or_else(|| spaced_year_last(line, at))),
            Spelling::Compact => stamp(compact(line, at)),
            Spelling::Glog => stamp(glog(line, at)),
            Spelling::Tai64 => tai64(line, at).map(|(ns, end)| (When::Instant(ns), end)),
            Spelling::TimeFirst => stamp(time_first(line, at, order)),
            Spelling::HexEpoch => hex_epoch(line, at).map(|(ns, end)| (When::Instant(ns), end)),
            Spelling::HexSeconds => hex_seconds(line, at).map(|(ns, end)| (When::Instant(ns), end)),
            Spelling::TaskId => task_id(line, at).map(|(ns, end)| (When::Instant(ns), end)),
            // Further on it is any large number.
            Spelling::Exponent if at > 0 => None,
            Spelling::Exponent => epoch::with_exponent(line, at).map(|(ns, end)| (When::Instant(ns), end)),
            Spelling::DigitsAlone => stamp(digits_alone(line, at)),
            Spelling::Epoch => epoch::delimited(line, at).map(|(ns, end)| (When::Instant(ns), end)),
            Spelling::DayNumber => stamp(day_number(line, at)),
            Spelling::TwelveDigits => stamp(twelve_digits(line, at)),
            Spelling::ShortDate => stamp(short_date(line, at, order)),
            Spelling::DayTime if follows_date(line, at) => None,
            Spelling::DayTime => day_time(line, at).map(|(ns, end)| (When::TimeOfDay(ns), end)),
            Spelling::Uptime => uptime(line, at).map(|(ns, end)| (When::Uptime(ns), end)),
        }
    }
}

/// The first certain time that begins within this many bytes: for formats that roughly know its position.
#[inline]
pub(crate) fn time_near_start(line: &[u8], within: usize) -> Option<FoundTime> {
    scan(line, within, DateOrder::Customary).map(|(found, _)| found)
}

/// The time at exactly this position, in any spelling: for formats that know its position.
#[inline]
pub(crate) fn time_at_exactly(line: &[u8], at: usize, order: DateOrder) -> Option<(When, usize)> {
    let certain = certain(line, at, byte(line, at), order).map(|(_, when, end)| (when, end));
    certain.or_else(|| Spelling::BARE.iter().find_map(|spelling| spelling.read(line, at, order)))
}

/// The line's own time, by the rules of its source: at the usual position of its lines, otherwise the first
/// one that begins close enough to the start.
#[inline]
pub(crate) fn find(line: &[u8], rules: &TimeRules) -> Option<FoundTime> {
    if let Some((spelling, start)) = rules.usual_position(line)
        && is_delimited(line, start)
        && let Some((when, end)) = spelling.read(line, start, rules.order)
    {
        let dated = match when {
            When::TimeOfDay(ns) => dated(line, ns),
            _ => None,
        };
        return Some(FoundTime { when: dated.unwrap_or(when), start, end });
    }
    let found = scan(line, rules.within, rules.order).map(|(found, _)| found);
    if let Some(found) = found {
        // A digit before the time is a value of a row, unless lines usually have their time after one.
        let is_value = found.start > 0 && rules.begins_lines() && line[0].is_ascii_digit();
        return (!is_value).then_some(found);
    }
    if line.first() == Some(&0) {
        return time_after_nul(line, rules);
    }
    if rules.headings {
        return heading(line, rules).or_else(|| rules.layouts.find(line, rules.order));
    }
    if line.first() == Some(&b'<')
        && let Some(found) = time_after_priority(line, rules)
    {
        return Some(found);
    }
    if rules.begins_lines() { rules.layouts.find(line, rules.order) } else { rules.layouts.day_time(line) }
}

/// The time after a run of NUL, which a machine that lost power leaves before the next line.
#[cold]
fn time_after_nul(line: &[u8], rules: &TimeRules) -> Option<FoundTime> {
    let length = line.iter().position(|byte| *byte != 0)?;
    let found = find(&line[length..], rules)?;
    Some(FoundTime { start: length + found.start, end: length + found.end, ..found })
}

/// The complete time directly after the priority that a collector adds: `<166>2026-11-21T03:04:05Z `.
#[cold]
fn time_after_priority(line: &[u8], rules: &TimeRules) -> Option<FoundTime> {
    let start = digit_run(line, 1) + 2;
    if !(3..=5).contains(&start) || byte(line, start - 1) != b'>' {
        return None;
    }
    let (_, when, end) = certain(line, start, byte(line, start), rules.order)?;
    is_complete(&when).then_some(FoundTime { when, start, end })
}

/// A complete stamp that ends its line.
#[cold]
fn heading(line: &[u8], rules: &TimeRules) -> Option<FoundTime> {
    let Some((found, _)) = scan(line, limits::STAMP_WITHIN_BYTES, rules.order) else { return new_day(line) };
    // An indented line with a name before its time is part of an event.
    let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if indent > 0 && found.start > indent {
        return None;
    }
    let is_mark = |byte: &u8| matches!(byte, b' ' | b'-' | b'*' | b'=' | b'.' | b']');
    let ends = line[found.end..].iter().all(is_mark);
    // A line between marks is a heading, whatever else it contains.
    let is_marked = line.len() > 6 && line[..3].iter().chain(&line[line.len() - 3..]).all(is_mark);
    ((ends || is_marked || is_announced(&line[..found.start])) && is_complete(&found.when)).then_some(found)
}

/// Words before the date at which a log was begun or ended, alone before it: `Started 2026-02-28 12:29:59 on`.
const ANNOUNCING: [&[u8]; 8] =
    [b"started", b"opened", b"created", b"began", b"begin", b"finished", b"ended", b"closed"];

pub(super) fn is_announced(before: &[u8]) -> bool {
    let word = before.trim_ascii().strip_suffix(b":").unwrap_or(before.trim_ascii());
    let Some(word) = word.strip_suffix(b" at") else { return is_announcing(word) };
    // `Start printer at`: what was started is between.
    is_announcing(word)
        || word.len() < LONGEST_ANNOUNCEMENT
            && word.get(..6).is_some_and(|start| start.eq_ignore_ascii_case(b"start "))
}

const LONGEST_ANNOUNCEMENT: usize = 24;

/// Whether one of the words says that something was begun or ended.
pub(super) fn announces(text: &[u8]) -> bool {
    text.split(|byte| !byte.is_ascii_alphabetic()).any(is_announcing)
}

fn is_announcing(word: &[u8]) -> bool {
    ANNOUNCING.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// A date at the end of a line of its own, as chats write it between two days: `--- Day changed Thu Jul 02
/// 2026`. It is the day's first instant.
fn new_day(line: &[u8]) -> Option<FoundTime> {
    let is_mark = |byte: &u8| matches!(byte, b' ' | b'-' | b'*' | b'=' | b'#' | b'.' | b'[' | b']');
    if line.first().is_none_or(|byte| *byte == b' ' || !is_mark(byte)) {
        return None;
    }
    let end = line.iter().rposition(|byte| !is_mark(byte))? + 1;
    let from = end.saturating_sub(LONGEST_DATE_BYTES);
    (from..end).filter(|&at| is_delimited(line, at) && !is_mark(&line[at])).find_map(|start| {
        let text = [&line[start..end], b" 00:00:00"].concat();
        let (_, when, read) = certain(&text, 0, byte(&text, 0), DateOrder::Customary)?;
        (read == text.len() && is_complete(&when)).then_some(FoundTime { when, start, end })
    })
}

/// `Wednesday, 30 September 2026`.
const LONGEST_DATE_BYTES: usize = 32;

/// Whether a time may begin here: within a word, a number or a file name it is not the line's own stamp.
#[inline]
pub(crate) fn is_delimited(line: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| byte(line, before)) else { return true };
    match before {
        // A date without separators is not part of a number or an address with the same separators.
        b':' => {
            // A month is not part of a number, so it may also follow one: `CPU0:Nov 21`.
            let named = at >= 2
                && (line[at - 2].is_ascii_alphabetic()
                    || matches!(line[at - 2], b'"' | b':')
                    || is_letter(byte(line, at)) && line[at - 2].is_ascii_digit());
            named || digit_run(line, at) == 8 || begins_with_year(line, at)
        }
        // Wget writes its time between dashes.
        b'-' => line.starts_with(b"--") && at == 2 && begins_with_year(line, at),
        b'.' | b'_' | b'/' | 0x80.. => false,
        _ => !before.is_ascii_alphanumeric(),
    }
}

/// Whether a date with its year is directly before. Where it cannot be read with the date (`2999-01-01`, `0000-00-00`), a time
/// of day is not one of the day on which the file was written.
fn follows_date(line: &[u8], at: usize) -> bool {
    at.checked_sub("2999-01-01 ".len()).is_some_and(|start| {
        begins_with_year(line, start)
            && byte(line, start + 7) == byte(line, start + 4)
            && digit_run(line, start + 8) == 2
            && matches!(byte(line, at - 1), b' ' | b'T')
    })
}

/// A year of four digits and the mark of a date.
fn begins_with_year(line: &[u8], at: usize) -> bool {
    digit_run(line, at) == 4 && matches!(byte(line, at + 4), b'-' | b'/') && digit_run(line, at + 5) == 2
}

/// Whether a part of an id may begin here: any mark separates parts.
pub(crate) fn may_begin_id_part(id: &[u8], at: usize) -> bool {
    at == 0 || !id[at - 1].is_ascii_alphanumeric() && id[at - 1] != b'.'
}

/// The first unambiguous time that begins within this many bytes, and how it is written.
pub(crate) fn scan(line: &[u8], within: usize, order: DateOrder) -> Option<(FoundTime, Spelling)> {
    let mut at = 0;
    let is_hex = byte(line, HEX_DIGITS) == b'.' || byte(line, HEX_DIGITS + 1) == b'.' && line[0] == b'(';
    if is_hex && let Some((when, end)) = Spelling::HexEpoch.read(line, 0, order) {
        return Some((FoundTime { when, start: 0, end }, Spelling::HexEpoch));
    }
    let end = line.len().min(within + 1);
    while at < end {
        let first = line[at];
        let starts_word = first.is_ascii_digit() || is_letter(first);
        if !starts_word && first != b'@' {
            at += 1;
            continue;
        }
        if is_delimited(line, at)
            && let Some((spelling, when, end)) = certain(line, at, first, order)
        {
            return Some((FoundTime { when, start: at, end }, spelling));
        }
        at += 1;
        // Text within a word or a number is not delimited.
        while at < end && (line[at].is_ascii_alphanumeric() || line[at] >= 0x80) {
            at += 1;
        }
    }
    None
}

#[inline]
fn certain(line: &[u8], at: usize, first: u8, order: DateOrder) -> Option<(Spelling, When, usize)> {
    let try_each = |spellings: &[Spelling]| {
        spellings
            .iter()
            .find_map(|&spelling| spelling.read(line, at, order).map(|(when, end)| (spelling, when, end)))
    };
    match first {
        b'0'..=b'9' => match digit_run(line, at) {
            1 | 2 if matches!(byte(line, at + 1), b':') || byte(line, at + 2) == b':' => {
                try_each(&[Spelling::TimeFirst])
            }
            1 if byte(line, at + 1) == b'.' => {
                try_each(&[Spelling::DayMonthYear, Spelling::Numeric, Spelling::Exponent])
            }
            1 | 2 => try_each(&[Spelling::DayMonthYear, Spelling::Numeric]),
            // A day and the number of a month before the word for month.
            digits @ (3 | 4) if byte(line, at + digits) == "月".as_bytes()[0] => {
                try_each(&[Spelling::DayMonthYear])
            }
            4 => try_each(&[Spelling::Iso, Spelling::YearFirst]),
            6 | 8 => try_each(&[Spelling::Compact]),
            _ => None,
        },
        b'@' => try_each(&[Spelling::Tai64]),
        b'U' if byte(line, at + 1) == b'P' => try_each(&[Spelling::TaskId]),
        b'I' | b'W' | b'E' | b'F' | b'D' | b'V' if byte(line, at + 1).is_ascii_digit() => {
            try_each(&[Spelling::Glog])
        }
        _ if matches!(byte(line, at + 3), b'-' | b'/') && byte(line, at + 4).is_ascii_digit()
            || byte(line, at + 3).is_ascii_digit() && matches!(byte(line, at + 5), b' ' | b'0'..=b'9') =>
        {
            try_each(&[Spelling::MonthDayJoined])
        }
        _ if may_name_a_date(line, at) => try_each(&[Spelling::MonthDay, Spelling::Weekday]),
        _ => None,
    }
}

/// Whether a number follows this word, or the next one: for most words of a line the search ends here.
#[inline]
fn may_name_a_date(line: &[u8], at: usize) -> bool {
    let Some((next, byte)) = after_word(line, at) else { return false };
    byte.is_ascii_digit()
        || is_letter(byte) && after_word(line, next).is_some_and(|(_, byte)| byte.is_ascii_digit())
}

/// The position after a word, its abbreviation mark, and one or two spaces, and the byte there.
#[inline]
fn after_word(line: &[u8], at: usize) -> Option<(usize, u8)> {
    let mut end = word_end(line, at);
    while matches!(byte(line, end), b'.' | b',') {
        end += 1;
    }
    if byte(line, end) != b' ' {
        return None;
    }
    end += 1 + usize::from(byte(line, end + 1) == b' ');
    Some((end, byte(line, end)))
}

/// A stamp after the name of its weekday: `Sat Nov 21 …`, `Sat, 21 Nov …`, `Samstag, 21. November …`.
fn stamp_after_weekday(line: &[u8], at: usize, order: DateOrder) -> Option<(When, usize)> {
    let mut end = word_end(line, at);
    while matches!(byte(line, end), b'.' | b',') {
        end += 1;
    }
    if byte(line, end) != b' ' || end < at + 2 {
        return None;
    }
    let date = end + 1;
    let first = byte(line, date);
    let (when, stamp_end) = match first {
        b'0'..=b'9' => certain(line, date, first, order).map(|(_, when, end)| (when, end)),
        _ if is_letter(first) => Spelling::MonthDay.read(line, date, order),
        _ => None,
    }?;
    after_weekday(line, at).filter(|&weekday_end| weekday_end == end).map(|_| (when, stamp_end))
}

/// A value that is a time as a whole: a stamp, perhaps after the name of its weekday, or an epoch number.
pub(crate) fn whole_time(value: &[u8]) -> Option<When> {
    whole_time_in_order(value, DateOrder::Customary)
}

/// The same, with numeric dates in the order of the source.
pub(crate) fn whole_time_in_order(value: &[u8], order: DateOrder) -> Option<When> {
    if let Some(ns) = epoch::number(value) {
        return Some(When::Instant(ns));
    }
    let value = value.trim_ascii();
    let certain = certain(value, 0, byte(value, 0), order).map(|(_, when, end)| (when, end));
    let (when, end) = certain.or_else(|| Spelling::DigitsAlone.read(value, 0, order))?;
    // JavaScript and mail append the name of the zone in parentheses.
    let rest = value[end..].trim_ascii();
    let is_comment = rest.starts_with(b"(") && rest.ends_with(b")");
    (rest.is_empty() || is_comment).then_some(when)
}
