//! What a source's sample tells about its times: where they stand, how they are written, which number of a
//! date is the day. Learned once, and the same for every chunk, so that a chunk reads the same wherever it
//! was cut.

use super::When;
use super::civil::DAY_NS;
use super::find::{FoundTime, Spelling, is_set_apart, scan};
use super::numeric::{DateOrder, NumericDate, numbers};
use crate::limits;

/// How `find` looks for the time of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TimeRules {
    /// A line's own time begins within this many bytes.
    pub within: usize,
    /// Which number of a date is the day.
    pub order: DateOrder,
    /// How the order was found, for a person; `None` where no date left it open.
    pub order_reason: Option<&'static str>,
    usual: Option<(Spelling, Place)>,
}

/// Where most lines have their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Column(usize),
    /// Behind so many words, whose lengths differ.
    Word(usize),
}

impl Default for TimeRules {
    /// The rules for lines of which no sample was seen: any certain spelling near the start, and an epoch
    /// number at the very start.
    fn default() -> TimeRules {
        TimeRules {
            within: limits::STAMP_WITHIN_BYTES,
            order: DateOrder::Customary,
            order_reason: None,
            usual: Some((Spelling::Epoch, Place::Column(0))),
        }
    }
}

impl TimeRules {
    /// How this line's time is written if it is like most, and where it begins.
    #[inline]
    pub(crate) fn usual_place(&self, line: &[u8]) -> Option<(Spelling, usize)> {
        let (spelling, place) = self.usual?;
        match place {
            Place::Column(column) => Some((spelling, column)),
            Place::Word(words) => word_start(line, words).map(|start| (spelling, start)),
        }
    }
}

fn word_start(line: &[u8], words: usize) -> Option<usize> {
    let mut at = 0;
    for _ in 0..words {
        at += line.get(at..)?.iter().take(limits::STAMP_WITHIN_BYTES).position(|&byte| byte == b' ')?;
        at += line[at..].iter().take_while(|&&byte| byte == b' ').count();
    }
    Some(at)
}

/// So many lines of a sample are looked at: far more than it takes to see how times are written.
const MOST_LINES: usize = 1_000;

/// Learns the rules of a source from the lines (or events) of its sample.
pub(crate) fn learn<'a>(lines: impl Iterator<Item = &'a [u8]>) -> TimeRules {
    // Indented lines continue others and have no time of their own.
    let lines: Vec<&[u8]> =
        lines.filter(|line| !line.first().is_none_or(u8::is_ascii_whitespace)).take(MOST_LINES).collect();
    let found: Vec<Option<(FoundTime, Spelling)>> =
        lines.iter().map(|line| scan(line, limits::STAMP_WITHIN_BYTES, DateOrder::Customary)).collect();
    let certain = found.iter().flatten().count();
    if certain * 4 <= lines.len()
        && let Some(usual) = bare(&lines)
    {
        return TimeRules { usual: Some(usual), ..TimeRules::default() };
    }
    let (order, order_reason) = date_order(&lines, &found);
    let anchored = found.iter().flatten().filter(|(time, _)| time.start <= limits::STAMP_ANCHORED_BYTES);
    let within = match anchored.count() * 2 > certain {
        true => limits::STAMP_ANCHORED_BYTES,
        false => limits::STAMP_WITHIN_BYTES,
    };
    let places = found.iter().flatten().map(|(time, spelling)| (*spelling, Place::Column(time.start)));
    TimeRules { within, order, order_reason, usual: most_frequent(places).map(|(usual, _)| usual) }
}

fn most_frequent(places: impl Iterator<Item = (Spelling, Place)>) -> Option<((Spelling, Place), usize)> {
    let mut counts: Vec<((Spelling, Place), usize)> = Vec::new();
    for place in places {
        match counts.iter_mut().find(|(counted, _)| *counted == place) {
            Some((_, count)) => *count += 1,
            None => counts.push((place, 1)),
        }
    }
    // Of equal counts the first one wins, whatever the order of a later change.
    counts.into_iter().rev().max_by_key(|&(_, count)| count)
}

/// A spelling that any number could look like, if the lines have it in one place and in order.
fn bare(lines: &[&[u8]]) -> Option<(Spelling, Place)> {
    Spelling::BARE.into_iter().find_map(|spelling| {
        let hits: Vec<(usize, usize, usize)> = lines
            .iter()
            .enumerate()
            .filter_map(|(index, line)| {
                first_bare(line, spelling).map(|(column, word)| (index, column, word))
            })
            .collect();
        let columns = hits.iter().map(|&(_, column, _)| (spelling, Place::Column(column)));
        let words = hits.iter().map(|&(_, _, word)| (spelling, Place::Word(word)));
        let usual = [most_frequent(columns), most_frequent(words)]
            .into_iter()
            .flatten()
            .find(|&(_, count)| count * 10 >= hits.len() * 9 && count * 5 >= lines.len() * 2);
        let rules = TimeRules { usual: usual.map(|(usual, _)| usual), ..TimeRules::default() };
        usual.map(|(usual, _)| usual).filter(|_| in_order(lines, spelling, &rules))
    })
}

fn first_bare(line: &[u8], spelling: Spelling) -> Option<(usize, usize)> {
    let end = line.len().min(limits::STAMP_WITHIN_BYTES);
    let mut words = 0;
    let mut before = b'x';
    for at in 0..end {
        words += usize::from(before == b' ' && line[at] != b' ');
        before = line[at];
        let starts = matches!(line[at], b'0'..=b'9' | b'[' | b'(');
        if starts && is_set_apart(line, at) && spelling.read(line, at, DateOrder::Customary).is_some() {
            return Some((at, words));
        }
    }
    None
}

/// Whether the values mostly rise, as times do and other numbers do not. Many events share a time of day
/// or a second; a value that never changes is no time.
fn in_order(lines: &[&[u8]], spelling: Spelling, rules: &TimeRules) -> bool {
    let mut steps = 0;
    let mut rising = 0;
    let mut last: Option<i64> = None;
    for line in lines {
        let Some((_, at)) = rules.usual_place(line).filter(|&(_, at)| is_set_apart(line, at)) else {
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
        }
        last = Some(value);
    }
    rising * 5 >= steps * 4
}

/// Finds out which number is the day: an order in which a date does not exist is none, and of two orders the
/// one in which times rise is meant.
fn date_order(lines: &[&[u8]], found: &[Option<(FoundTime, Spelling)>]) -> (DateOrder, Option<&'static str>) {
    let dates: Vec<NumericDate> = lines
        .iter()
        .zip(found)
        .filter_map(|(line, found)| match found {
            Some((time, Spelling::Numeric)) => numbers(line, time.start),
            _ => None,
        })
        .collect();
    let Some(sample) = dates.first() else { return (DateOrder::Customary, None) };
    let orders = [DateOrder::MonthFirst, DateOrder::DayFirst, DateOrder::YearFirst];
    let exist = |order: DateOrder| dates.iter().filter(|date| date.in_order(order).is_some()).count();
    let most = orders.into_iter().map(exist).max().unwrap_or(0);
    let mut possible: Vec<DateOrder> = orders.into_iter().filter(|&order| exist(order) == most).collect();
    if let [only] = possible[..] {
        return (only, Some("a number over 12 shows which one is the day"));
    }
    let falls: Vec<usize> = possible.iter().map(|&order| falls(&dates, order)).collect();
    let fewest = falls.iter().copied().min().unwrap_or(0);
    // Lines out of order are few; an order that is wrong falls back at the end of every month.
    let clear = falls.iter().filter(|&&falls| falls > fewest).count() > 0;
    let mut kept = falls.iter().map(|&falls| falls == fewest);
    possible.retain(|_| kept.next().unwrap_or(false));
    if let ([only], true) = (&possible[..], clear) {
        return (*only, Some("only in this order do the times rise"));
    }
    let custom = sample.custom();
    let order = if possible.contains(&custom) { custom } else { possible[0] };
    (order, Some("the dates leave it open, so it is assumed"))
}

fn falls(dates: &[NumericDate], order: DateOrder) -> usize {
    let key = |date: &NumericDate| date.in_order(order).map(|date_in_order| (date_in_order, date.time.ns()));
    let keys: Vec<_> = dates.iter().filter_map(key).collect();
    keys.windows(2).filter(|pair| pair[1] < pair[0]).count()
}
