//! The time rules of a source, learned from its sample: position and spelling of the times, and which number
//! of a date is the day. Learned once, and the same for every chunk, so that a chunk reads the same wherever
//! it was cut.

use super::When;
use super::civil::{DAY_NS, SECOND_NS, civil_from_days, days_from_civil};
use super::date_order::date_order;
use super::digits::{byte, digit_run};
use super::epoch;
use super::find::{FoundTime, Spelling, is_delimited, scan};
use super::head_date::{self, HeadDate};
use super::layouts::{TimeLayouts, may_begin_line};
use super::numeric_date::DateOrder;
use super::rare_formats::HEX_DIGITS;
use super::undated::day_time;
use crate::level;
use crate::limits;

/// How `find` searches the time of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TimeRules {
    /// A line's own time begins within this many bytes.
    pub within: usize,
    /// Which number of a date is the day.
    pub order: DateOrder,
    /// How the order was decided, for a person; `None` if no date left it open.
    pub order_reason: Option<&'static str>,
    /// A complete stamp that ends its line counts anywhere near the start, because the lines themselves lack
    /// their date or year and such a line is the heading that has it ("Log opened Sat Nov 21 …").
    pub headings: bool,
    /// Most lines have a time with its date.
    pub has_dates: bool,
    /// The layouts of lines whose time is not at the usual position; or of all lines, if there is no usual
    /// position.
    pub layouts: TimeLayouts,
    /// The date that the first lines have, if the others have none.
    pub head: Option<HeadDate>,
    usual: Option<(Spelling, TimePosition)>,
}

/// The usual position of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimePosition {
    Column(usize),
    /// After this many words, whose lengths differ.
    Word(usize),
    /// At the first number that could be one: for epochs, which are long, and times of day in most lines.
    Anywhere,
    /// The same for epochs further in: after hashes, a name and an address.
    FarIn,
}

impl Default for TimeRules {
    /// The rules for lines without a sample: any certain spelling near the start, and an epoch number at the
    /// very start.
    fn default() -> TimeRules {
        TimeRules {
            within: limits::STAMP_WITHIN_BYTES,
            order: DateOrder::Customary,
            order_reason: None,
            headings: false,
            has_dates: false,
            layouts: TimeLayouts::default(),
            head: None,
            usual: Some((Spelling::Epoch, TimePosition::Column(0))),
        }
    }
}

impl TimeRules {
    /// Whether most lines begin with their time.
    #[inline]
    pub(crate) fn begins_lines(&self) -> bool {
        self.within <= limits::STAMP_ANCHORED_BYTES
    }

    /// The spelling of this line's time and its position, if it is at the usual one.
    #[inline]
    pub(crate) fn usual_position(&self, line: &[u8]) -> Option<(Spelling, usize)> {
        let (spelling, place) = self.usual?;
        match place {
            // Times of day may be padded to the width of the longest.
            TimePosition::Column(0) if spelling == Spelling::DayTime && line.first() == Some(&b' ') => {
                Some((spelling, 1))
            }
            TimePosition::Column(column) => Some((spelling, column)),
            TimePosition::Word(words) => word_start(line, words).map(|start| (spelling, start)),
            TimePosition::Anywhere if spelling == Spelling::DayTime && has_date(line) => None,
            TimePosition::Anywhere => first_bare(line, spelling).map(|(column, _)| (spelling, column)),
            TimePosition::FarIn => first_bare_within(line, spelling, limits::FAR_STAMP_WITHIN_BYTES)
                .map(|(column, _)| (spelling, column)),
        }
    }
}

/// Whether a line has a time with its date, so that its time of day is a part of this.
fn has_date(line: &[u8]) -> bool {
    scan(line, limits::STAMP_WITHIN_BYTES, DateOrder::Customary)
        .is_some_and(|(time, _)| is_complete(&time.when))
}

fn word_start(line: &[u8], words: usize) -> Option<usize> {
    let mut at = 0;
    for _ in 0..words {
        at += line.get(at..)?.iter().take(limits::STAMP_WITHIN_BYTES).position(|&byte| byte == b' ')?;
        at += line[at..].iter().take_while(|&&byte| byte == b' ').count();
    }
    at += usize::from(line.get(at) == Some(&b'@'));
    Some(at)
}

/// This many lines of a sample are examined: far more than needed to learn how times are written.
const MOST_LINES: usize = 1_000;

/// Learns the rules of a source from the lines (or events) of its sample.
pub(crate) fn learn<'a>(lines: impl Iterator<Item = &'a [u8]>) -> TimeRules {
    let lines = independent_lines(lines);
    let found = scan_all(&lines, limits::STAMP_WITHIN_BYTES);
    let certain = found.iter().flatten().count();
    if (certain * 4 <= lines.len() || certain * 2 <= count_bare_starts(&lines))
        && let Some((spelling, place)) = learn_bare(&lines, &found)
    {
        // If bare numbers count, any other time further on is part of a message.
        let headings = matches!(spelling, Spelling::DayTime | Spelling::Uptime);
        let begins_lines = matches!(place, TimePosition::Column(0..=limits::STAMP_ANCHORED_BYTES));
        let within = if headings || begins_lines || spelling == Spelling::DayNumber {
            limits::STAMP_ANCHORED_BYTES
        } else {
            limits::STAMP_WITHIN_BYTES
        };
        let rules = TimeRules { within, headings, usual: Some((spelling, place)), ..TimeRules::default() };
        let head = if headings { head_date(&lines, spelling, &rules) } else { None };
        return TimeRules { head, ..rules };
    }
    let anchored = found.iter().flatten().filter(|(time, _)| time.start <= limits::STAMP_ANCHORED_BYTES);
    let anchored = anchored.count();
    let is_anchored =
        anchored * 2 > certain || anchored > 0 && anchored * 2 > count_line_times(&lines, &found);
    if !is_anchored
        && certain * 10 < lines.len() * 9
        && let Some(rules) = learn_far(&lines)
    {
        return rules;
    }
    let (order, order_reason) = date_order(&lines, &found);
    let within = if is_anchored { limits::STAMP_ANCHORED_BYTES } else { limits::STAMP_WITHIN_BYTES };
    let yearless = found.iter().flatten().filter(|(time, _)| !is_complete(&time.when)).count();
    let places = found.iter().flatten().map(|(time, spelling)| (*spelling, TimePosition::Column(time.start)));
    let usual = epochs_of_stamps(&lines, &found).or_else(|| most_frequent(places).map(|(usual, _)| usual));
    let layouts = if is_anchored {
        TimeLayouts::additional(&lines, &found)
    } else {
        TimeLayouts::combined(&lines, &found)
    };
    let headings = yearless * 2 > certain;
    let has_dates = (certain - yearless) * 5 >= lines.len() * 4;
    TimeRules { within, order, order_reason, headings, has_dates, layouts, head: None, usual }
}

/// How many lines begin with a time that is not certain, perhaps after a bracket.
fn count_bare_starts(lines: &[&[u8]]) -> usize {
    let begins = |line: &&&[u8]| {
        let at = usize::from(matches!(line.first(), Some(b'[' | b'(')));
        [Spelling::DayTime, Spelling::Epoch]
            .iter()
            .any(|spelling| spelling.read(line, at, DateOrder::Customary).is_some())
    };
    lines.iter().filter(begins).count()
}

fn head_date(lines: &[&[u8]], spelling: Spelling, rules: &TimeRules) -> Option<HeadDate> {
    head_date::learn(lines, spelling, |line| {
        let (spelling, at) = rules.usual_position(line).filter(|&(_, at)| is_delimited(line, at))?;
        match spelling.read(line, at, DateOrder::Customary)? {
            (When::TimeOfDay(ns) | When::Uptime(ns), end) => Some((ns, end)),
            _ => None,
        }
    })
}

/// The lines that may have a time of their own: indented ones continue others, unless nearly all are
/// indented, or many begin with a number, which the spaces pad, or with a time of day after the mark of a printer.
fn independent_lines<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<&'a [u8]> {
    let lines: Vec<&[u8]> = lines.filter(|line| !line.trim_ascii().is_empty()).take(MOST_LINES).collect();
    let is_indented = |line: &&&[u8]| line.first().is_some_and(u8::is_ascii_whitespace);
    let indented = lines.iter().filter(is_indented).count();
    let padded = lines.iter().filter(|line| is_padded_number(line)).count();
    let clocks = lines.iter().filter(|line| line[0] == b' ' && day_time(line, 1).is_some()).count();
    if indented * 10 >= lines.len() * 9 || padded * 2 >= lines.len() || clocks * 5 >= lines.len() * 2 {
        return lines;
    }
    lines.into_iter().filter(|line| !is_indented(&line)).collect()
}

/// Whether a line is indented and begins with two numbers, as rows of a table do, or with one and its fraction, as
/// uptimes of a fixed width.
fn is_padded_number(line: &[u8]) -> bool {
    let number = line.trim_ascii_start();
    let digits = digit_run(number, 0);
    if number.len() == line.len() || digits == 0 {
        return false;
    }
    match byte(number, digits) {
        b'.' => digit_run(number, digits + 1) > 2,
        b' ' => number[digits..].trim_ascii_start().first().is_some_and(u8::is_ascii_digit),
        _ => false,
    }
}

/// How many times may be those of their lines: those in data are quoted or follow a name.
fn count_line_times(lines: &[&[u8]], found: &[Option<(FoundTime, Spelling)>]) -> usize {
    let stamped = lines.iter().zip(found).filter_map(|(line, found)| Some(&line[..found.as_ref()?.0.start]));
    stamped.filter(|before| may_begin_line(before)).count()
}

fn scan_all(lines: &[&[u8]], within: usize) -> Vec<Option<(FoundTime, Spelling)>> {
    lines.iter().map(|line| scan(line, within, DateOrder::Customary)).collect()
}

/// If not all lines have their time near the start, nearly all may have one further on: after the addresses
/// and counts of a request.
fn learn_far(lines: &[&[u8]]) -> Option<TimeRules> {
    let found = scan_all(lines, limits::FAR_STAMP_WITHIN_BYTES);
    if found.iter().all(Option::is_none) {
        return learn_far_epoch(lines);
    }
    let times = || lines.iter().zip(&found).filter_map(|(line, found)| Some((line, &found.as_ref()?.0)));
    let certain = times().filter(|(_, time)| is_complete(&time.when)).count();
    // The last value of a row is its time, whatever is printed above the rows.
    let ending = times().filter(|(line, time)| line[time.end..].trim_ascii().is_empty()).count();
    let most = certain * 10 >= lines.len() * 9 || certain * 2 > lines.len() && ending == certain;
    if certain == 0 || !most {
        return None;
    }
    let (order, order_reason) = date_order(lines, &found);
    let within = limits::FAR_STAMP_WITHIN_BYTES;
    Some(TimeRules { within, order, order_reason, usual: None, ..TimeRules::default() })
}

/// Nearly all lines may have a number since 1970 further on, if these rise or fall.
fn learn_far_epoch(lines: &[&[u8]]) -> Option<TimeRules> {
    let usual = Some((Spelling::Epoch, TimePosition::FarIn));
    let rules = TimeRules { within: limits::FAR_STAMP_WITHIN_BYTES, usual, ..TimeRules::default() };
    let epochs: Vec<i64> = lines
        .iter()
        .filter_map(|line| {
            let (_, at) = rules.usual_position(line)?;
            // After its name it may be any number.
            let is_named = line[..at].ends_with(b"': ") || line[..at].ends_with(b"\": ");
            epoch::delimited(line, at).filter(|_| !is_named).map(|(ns, _)| ns)
        })
        .collect();
    let (first, last) = (epochs.iter().min()?, epochs.iter().max()?);
    let is_in_order = epochs.is_sorted() || epochs.is_sorted_by(|a, b| a >= b);
    let are_times = is_in_order && first < last && last - first <= LONGEST_AGE_NS;
    (epochs.len() * 10 >= lines.len() * 9 && are_times).then_some(rules)
}

/// Whether a time has its year and day.
pub(crate) fn is_complete(when: &When) -> bool {
    match when {
        When::Stamp(stamp) => stamp.year.is_some(),
        When::Instant(_) => true,
        When::TimeOfDay(_) | When::Uptime(_) => false,
    }
}

/// No zone is further from UTC than this.
pub(super) const FURTHEST_ZONE_NS: i64 = 15 * 3_600 * SECOND_NS;

/// Lines with a stamp without a zone may also have the same time as an epoch, which needs no zone. The
/// numbers are such epochs if their difference to the stamps is no more than a zone.
fn epochs_of_stamps(
    lines: &[&[u8]],
    found: &[Option<(FoundTime, Spelling)>],
) -> Option<(Spelling, TimePosition)> {
    let agreeing: Vec<(usize, usize)> = lines
        .iter()
        .zip(found)
        .filter_map(|(line, found)| {
            let When::Stamp(stamp) = found.as_ref()?.0.when else { return None };
            let (column, word) = first_bare(line, Spelling::Epoch).filter(|_| stamp.zone.is_none())?;
            let (epoch, _) = epoch::delimited(line, column)?;
            let year = stamp.year.map_or_else(|| civil_from_days(epoch.div_euclid(DAY_NS)).0, i32::from);
            let hours = i64::from(stamp.hour) * 3_600 * SECOND_NS;
            let wall = days_from_civil(year, stamp.month, stamp.day) * DAY_NS + hours;
            ((wall - epoch).abs() <= FURTHEST_ZONE_NS).then_some((column, word))
        })
        .collect();
    (agreeing.len() * 10 >= lines.len() * 9).then(|| common_position(&agreeing, Spelling::Epoch))?
}

/// How many of ten lines must have their time in a place. Other lines may have one too, further on.
fn fewest_of_ten(place: TimePosition) -> usize {
    match place {
        TimePosition::Column(0..=limits::STAMP_ANCHORED_BYTES) => 8,
        _ => 9,
    }
}

/// The column or the word that nearly all of these have.
fn common_position(hits: &[(usize, usize)], spelling: Spelling) -> Option<(Spelling, TimePosition)> {
    let columns = hits.iter().map(|&(column, _)| (spelling, TimePosition::Column(column)));
    let words = hits.iter().map(|&(_, word)| (spelling, TimePosition::Word(word)));
    let (column, word) = (most_frequent(columns)?, most_frequent(words)?);
    // What precedes the time may grow, as a number does.
    let is_at_start = matches!(column.0.1, TimePosition::Column(0..=limits::STAMP_ANCHORED_BYTES));
    let places = if word.1 > column.1 && !is_at_start { [word, column] } else { [column, word] };
    let is_usual =
        |&((_, place), count): &((_, TimePosition), usize)| count * 10 >= hits.len() * fewest_of_ten(place);
    places.into_iter().find(is_usual).map(|(place, _)| place)
}

fn most_frequent(
    places: impl Iterator<Item = (Spelling, TimePosition)>,
) -> Option<((Spelling, TimePosition), usize)> {
    let mut counts: Vec<((Spelling, TimePosition), usize)> = Vec::new();
    for place in places {
        match counts.iter_mut().find(|(counted, _)| *counted == place) {
            Some((_, count)) => *count += 1,
            None => counts.push((place, 1)),
        }
    }
    // `max_by_key` returns the last maximum: of equal counts the place that occurs first wins.
    counts.into_iter().rev().max_by_key(|&(_, count)| count)
}

/// A spelling that any number could look like, if the lines have it in one position and in order.
fn learn_bare(lines: &[&[u8]], found: &[Option<(FoundTime, Spelling)>]) -> Option<(Spelling, TimePosition)> {
    let hexadecimal = |spelling: Spelling| spelling == Spelling::HexSeconds;
    Spelling::BARE.into_iter().chain([Spelling::HexSeconds]).find_map(|spelling| {
        // The time of day within a complete stamp is not a bare one.
        let within = |column: usize, found: &Option<(FoundTime, Spelling)>| {
            found.as_ref().is_some_and(|(time, _)| (time.start..time.end).contains(&column))
        };
        let hits: Vec<_> = lines
            .iter()
            .zip(found)
            .filter_map(|(line, found)| {
                first_bare(line, spelling).filter(|&(column, _)| !within(column, found))
            })
            .collect();
        // Traces and the like may come in between; but if only few lines have one, it is part of their
        // message, unless a level follows each.
        let are_few = hits.len() * 5 < lines.len() * 2;
        let are_certain = || match spelling {
            Spelling::DayTime => begin_with_levels(lines, hits.len()),
            Spelling::Epoch => begin_with_milliseconds(lines, hits.len()),
            _ => false,
        };
        if hits.is_empty() || are_few && !are_certain() {
            return None;
        }
        // Digits without letters are like any other number.
        let has_letter = |line: &&[u8]| line.iter().take(HEX_DIGITS).any(u8::is_ascii_alphabetic);
        if hexadecimal(spelling) && !lines.iter().any(has_letter) {
            return None;
        }
        // Two kinds of lines may have it in different places, as a Windows installer writes it.
        let before_levels = || {
            let hits = lines.iter().filter_map(|line| Some((*line, first_bare(line, spelling)?.0)));
            hits.filter(|&(line, at)| is_before_level(line, at)).count() * 10
        };
        let may_differ = || match spelling {
            Spelling::Epoch => true,
            Spelling::DayTime => hits.len() * 3 >= lines.len() * 2 || before_levels() >= hits.len() * 9,
            _ => false,
        };
        let anywhere = || may_differ().then_some((spelling, TimePosition::Anywhere));
        let usual = common_position(&hits, spelling)
            .filter(|&usual| reads(lines, usual) * 10 >= hits.len() * fewest_of_ten(usual.1))
            .or_else(anywhere)?;
        let rules = TimeRules { usual: Some(usual), ..TimeRules::default() };
        // A number after the time of day that begins most lines is a count.
        if spelling == Spelling::Epoch
            && !matches!(usual.1, TimePosition::Column(0))
            && lines.iter().filter(|line| day_time(line, 0).is_some()).count() * 2 > hits.len()
        {
            return None;
        }
        let is_time = in_order(lines, spelling, &rules)
            || spelling == Spelling::Epoch
                && usual.1 != TimePosition::Anywhere
                && have_one_age(lines, &rules);
        is_time.then_some(usual)
    })
}

/// Whether this many lines, the first among them, begin with a time of day and a level, and traces of a few lines
/// follow them.
fn begin_with_levels(lines: &[&[u8]], count: usize) -> bool {
    let begins = |line: &&&[u8]| {
        let Some((_, end)) = day_time(line, usize::from(line[0] == b'[')) else { return false };
        let text = line[end..].trim_ascii_start();
        let word = text.strip_prefix(b"[").unwrap_or(text);
        let length = word.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let is_marked = text.len() > word.len() && word.get(length) == Some(&b']')
            || length > 3 && word[..length].iter().all(u8::is_ascii_uppercase);
        is_marked && level::from_word(&word[..length]).is_some()
    };
    are_all_and_first(lines, count, &begins)
}

/// Whether this many lines begin so, the first among them, and few others follow each.
fn are_all_and_first(lines: &[&[u8]], count: usize, begins: &dyn Fn(&&&[u8]) -> bool) -> bool {
    lines.iter().filter(begins).count() == count
        && count * limits::LINES_PER_STAMP >= lines.len()
        && lines.first().is_some_and(|line| begins(&line))
}

/// The same for lines that begin with milliseconds since 1970 and have a level near them.
fn begin_with_milliseconds(lines: &[&[u8]], count: usize) -> bool {
    let begins = |line: &&&[u8]| {
        let end = digit_run(line, 0);
        end == MILLISECOND_DIGITS
            && matches!(byte(line, end), b' ' | b'\t')
            && level::find(line, end, end + limits::LEVEL_WITHIN_BYTES).is_some()
    };
    are_all_and_first(lines, count, &begins)
}

/// Digits of milliseconds since 1970.
const MILLISECOND_DIGITS: usize = 13;

/// Whether a level in capitals follows a time of day: after a thread whose name has any number of words.
fn is_before_level(line: &[u8], at: usize) -> bool {
    let Some((_, end)) = day_time(line, at) else { return false };
    let word = line[end..].trim_ascii_start();
    let length = word.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    length > 3 && level::from_word(&word[..length]).is_some()
}

/// How many lines have a time of this spelling at exactly this position: word numbers do not give positions
/// within words.
fn reads(lines: &[&[u8]], usual: (Spelling, TimePosition)) -> usize {
    let rules = TimeRules { usual: Some(usual), ..TimeRules::default() };
    let has = |line: &&&[u8]| {
        rules
            .usual_position(line)
            .is_some_and(|(spelling, at)| spelling.read(line, at, DateOrder::Customary).is_some())
    };
    lines.iter().filter(has).count()
}

fn first_bare(line: &[u8], spelling: Spelling) -> Option<(usize, usize)> {
    first_bare_within(line, spelling, limits::STAMP_WITHIN_BYTES)
}

fn first_bare_within(line: &[u8], spelling: Spelling, within: usize) -> Option<(usize, usize)> {
    let end = line.len().min(within);
    let mut words = 0;
    let mut before = b'x';
    for at in 0..end {
        words += usize::from(before == b' ' && line[at] != b' ');
        before = line[at];
        let starts = matches!(line[at], b'0'..=b'9' | b'[' | b'(');
        if starts && is_delimited(line, at) && spelling.read(line, at, DateOrder::Customary).is_some() {
            return Some((at, words));
        }
    }
    None
}

/// Epochs of one log span few years; ids of the same length may have any value.
const LONGEST_AGE_NS: i64 = 6 * 366 * DAY_NS;

/// This many lines do not have such numbers by chance.
const FEWEST_OF_ONE_AGE: usize = 4;

/// Whether nearly every line has a number in the same position that is an epoch, none far from the others: in
/// a log that was merged from several, or sampled, the times do not rise.
fn have_one_age(lines: &[&[u8]], rules: &TimeRules) -> bool {
    let epochs: Vec<i64> = lines
        .iter()
        .filter_map(|line| {
            rules.usual_position(line).filter(|&(_, at)| is_delimited(line, at)).map(|at| (line, at.1))
        })
        .filter_map(|(line, at)| epoch::delimited(line, at).map(|(ns, _)| ns))
        .collect();
    let (Some(first), Some(last)) = (epochs.iter().min(), epochs.iter().max()) else { return false };
    let differ = epochs.iter().any(|ns| ns != first);
    epochs.len() >= FEWEST_OF_ONE_AGE
        && epochs.len() * 10 >= lines.len() * 9
        && differ
        && last - first <= LONGEST_AGE_NS
}

/// This many lines are not from one instant; a number that is the same on all of them is an id.
const MANY_STEPS: usize = 50;

/// Whether the values mostly rise, as times do and other numbers do not. Many events share a time of day or a
/// second; a value that never changes is not a time.
fn in_order(lines: &[&[u8]], spelling: Spelling, rules: &TimeRules) -> bool {
    let mut steps = 0;
    let mut rising = 0;
    let mut same = 0;
    let mut last: Option<i64> = None;
    for line in lines {
        let Some((_, at)) = rules.usual_position(line).filter(|&(_, at)| is_delimited(line, at)) else {
            continue;
        };
        let value = match spelling.read(line, at, DateOrder::Customary) {
            Some((When::Stamp(_), _)) => return true,
            Some((When::Instant(ns) | When::TimeOfDay(ns) | When::Uptime(ns), _)) => ns,
            None => continue,
        };
        if let Some(last) = last {
            steps += 1;
            let past_midnight = spelling == Spelling::DayTime && last - value > DAY_NS / 2;
            rising += usize::from(value >= last || past_midnight);
            same += usize::from(value == last);
        }
        last = Some(value);
    }
    rising * 5 >= steps * 4 && (same < steps || steps < MANY_STEPS)
}
