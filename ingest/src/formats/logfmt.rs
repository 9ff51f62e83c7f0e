//! logfmt: `key=value` pairs and nothing else, as Go programs, Heroku and many firewalls write them.

use std::sync::Arc;

use memchr::memchr;

use super::syslog::priority;
use super::{Fit, Format, Learned, Reader, Setup};
use crate::batch::Level;
use crate::level;
use crate::named_columns::NamedColumns;
use crate::pairs::{PairItem, Style, is_key};
use crate::rows::Rows;
use crate::time::field::{FieldTimes, KNOWN, MOST_EVENTS, TimeField, TimeFieldOption, mark_chosen};
use crate::time::find::whole_time;
use crate::time::joined::{in_zone, joined_time};

/// Slightly less than the formats that are lists of pairs with a shape of their own.
pub(crate) static FORMAT: Format =
    Format { name: "logfmt", title: "lines of key=value", weight: 0.9, learn, reader, ..Format::LINES };

pub(crate) const STYLE: Style = Style { escapes: true, single_quotes: false };

/// Signs that separate pairs whose values contain spaces.
const DELIMITERS: [u8; 4] = *b";|,\t";

/// The item at a position; the delimiter is 0 if spaces separate the items.
#[inline]
fn next(line: &[u8], at: usize, delimiter: u8) -> Option<PairItem> {
    if delimiter == 0 { STYLE.next(line, at) } else { STYLE.next_delimited(line, at, delimiter) }
}

/// What separates the items of most lines, 0 for spaces.
fn delimiter(sample: &[u8]) -> u8 {
    let lines = || sample.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).take(MOST_EVENTS);
    let by_spaces: usize = lines().filter_map(|line| count_pairs(line, 0)).sum();
    let fits = |delimiter: &u8| {
        let pairs: Vec<usize> = lines().filter_map(|line| count_pairs(line, *delimiter)).collect();
        pairs.len() * 5 >= lines().count() * 4 && pairs.iter().sum::<usize>() >= by_spaces
    };
    DELIMITERS.into_iter().find(fits).unwrap_or(0)
}

/// How many pairs a line has, if it is a list of three or more of them.
fn count_pairs(line: &[u8], delimiter: u8) -> Option<usize> {
    let (mut at, mut pairs, mut others) = (pairs_begin(line), 0, 0);
    while let Some(item) = next(line, at, delimiter) {
        at = item.end;
        // A value with a further pair in it is two items of a list with another delimiter.
        let has_pair = |value: &[u8]| {
            let mut words = value.split(u8::is_ascii_whitespace).skip(1);
            words.any(|word| memchr(b'=', word).is_some_and(|end| is_key(&word[..end])))
        };
        let is_pair = item.value(line).is_some_and(|value| item.is_quoted || !has_pair(value));
        if is_pair && is_key(item.key(line)) { pairs += 1 } else { others += 1 }
    }
    (pairs >= 3 && pairs > others * 4).then_some(pairs)
}

/// Finds the key that contains the time, if fewer than half of the lines have a known one.
fn learn(sample: &[u8], setup: &Setup) -> Learned {
    let delimiter = delimiter(sample);
    let mut times = FieldTimes::default();
    let (mut lines, mut known) = (0, 0);
    for line in sample.split(|&byte| byte == b'\n').take(MOST_EVENTS) {
        let mut at = pairs_begin(line);
        let mut has_known = false;
        let mut pairs = 0;
        while let Some(item) = next(line, at, delimiter) {
            at = item.end;
            let key = item.key(line);
            let Some(value) = item.value(line) else { continue };
            if pairs == 0 {
                if !is_key(key) {
                    break;
                }
                times.event();
            }
            pairs += 1;
            let is_known = matches!(role(key), PairRole::Time);
            has_known = has_known || is_known && (whole_time(value).is_some() || key != b"time");
            times.value(key, value);
        }
        lines += usize::from(pairs > 0);
        known += usize::from(has_known);
    }
    let weight = |key: &[u8]| if matches!(role(key), PairRole::Time) { KNOWN } else { 0.0 };
    let mut options = times.options(weight);
    let chosen = setup.time_field.as_deref().and_then(|name| times.named(name));
    let best = || if known * 2 < lines { times.best(weight) } else { None };
    let time_field = chosen.or_else(best);
    let used = time_field.as_ref().map(|field| field.name.to_vec()).or_else(|| {
        let is_known = |option: &&TimeFieldOption| matches!(role(option.name.as_bytes()), PairRole::Time);
        options.iter().find(is_known).map(|option| option.name.clone().into_bytes())
    });
    mark_chosen(&mut options, &used.unwrap_or_default());
    let time_field = time_field.map(Arc::new);
    Learned { delimiter, time_field, time_options: options.into(), ..Learned::default() }
}

fn reader(setup: &Setup) -> Box<dyn Reader> {
    let Learned { delimiter, time_field, .. } = setup.learned.clone();
    Box::new(LogfmtReader { named: NamedColumns::default(), delimiter, time_field })
}

struct LogfmtReader {
    named: NamedColumns,
    /// What separates the items, 0 for spaces.
    delimiter: u8,
    time_field: Option<Arc<TimeField>>,
}

/// Date, time of day and zone if they are separate values.
#[derive(Default)]
struct SplitTime {
    date: Option<PairItem>,
    time: Option<PairItem>,
}

impl Reader for LogfmtReader {
    #[inline]
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let mut at = pairs_begin(event);
        let (mut pairs, mut words) = (0, 0);
        let (mut time, mut zone) = (None, None);
        let mut split_time = SplitTime::default();
        self.named.begin();
        while let Some(item) = next(event, at, self.delimiter) {
            at = item.end;
            let key = item.key(event);
            let Some(value) = item.value(event) else {
                // Some write the time before the pairs.
                if pairs == 0
                    && self.delimiter != 0
                    && let Some(when) = whole_time(key)
                {
                    time = Some(when);
                    continue;
                }
                words += 1;
                if pairs == 0 || !is_key(key) {
                    return Err("not a list of key=value");
                }
                if let Some(column) = self.named.column(key, crate::rows::ColumnKind::Bool, rows) {
                    rows.boolean(column, true);
                }
                continue;
            };
            if pairs == 0 && !is_key(key) {
                return Err("not a list of key=value");
            }
            pairs += 1;
            if let Some(field) = &self.time_field
                && *field.name == *key
                && let Some(when) = field.read(value)
            {
                time = Some(when);
            }
            match role(key) {
                PairRole::Time if time.is_none() => match whole_time(value) {
                    Some(when) => {
                        time = Some(when);
                        continue;
                    }
                    None if key == b"time" => split_time.time = Some(item),
                    None => split_time.date = Some(item),
                },
                PairRole::Zone => zone = Some(value),
                PairRole::Level if rows.level() == Level::None => {
                    if let Some(level) = level_of(value) {
                        rows.set_level(level);
                        continue;
                    }
                }
                _ => {}
            }
            item.put(key, event, &mut self.named, rows);
        }
        if pairs < 2 || words > pairs {
            return Err("not a list of key=value");
        }
        // A device's own level counts more than that of its transport.
        if let Some((priority, _)) = priority(event)
            && rows.level() == Level::None
        {
            rows.set_level(level::from_severity(i64::from(priority % 8)).unwrap_or(Level::None));
        }
        if time.is_none()
            && let (Some(date), Some(clock)) = (split_time.date, split_time.time)
            && let (Some(date), Some(clock)) = (date.value(event), clock.value(event))
        {
            time = joined_time(&[date, clock]);
        }
        if let Some(when) = time {
            rows.when(&zone.map_or(when, |zone| in_zone(when, zone)));
        }
        Ok(Fit::Whole)
    }
}

/// Where the pairs begin: devices that send syslog without a header write its priority directly before the first
/// key.
fn pairs_begin(event: &[u8]) -> usize {
    priority(event).map_or(0, |(_, length)| length)
}

enum PairRole {
    Field,
    Time,
    Zone,
    Level,
}

#[inline]
fn role(key: &[u8]) -> PairRole {
    match key {
        b"t" | b"ts" | b"time" | b"timestamp" | b"@timestamp" | b"date" | b"datetime" | b"at"
        | b"eventtime" | b"created" | b"start" | b"_time" | b"Time" | b"Date" => PairRole::Time,
        b"level" | b"lvl" | b"severity" | b"loglevel" | b"log_level" | b"log.level" | b"levelname"
        | b"Level" | b"pri" | b"priority" | b"l" => PairRole::Level,
        b"tz" | b"timezone" => PairRole::Zone,
        _ => PairRole::Field,
    }
}

fn level_of(value: &[u8]) -> Option<Level> {
    match value {
        [digit @ b'0'..=b'9'] => level::from_severity(i64::from(digit - b'0')),
        [tens @ b'1'..=b'6', b'0'] => level::from_number(i64::from(tens - b'0') * 10),
        word => level::from_word(word),
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(render(&FORMAT, line), expected, "{line}");
    }

    #[test]
    fn sample_lines() {
        check(
            r#"ts=2026-11-21T03:04:05.5Z caller=cart.go:7 level=warn msg="slow \"cart\"\nend" n=3 took=1.5 id=007 empty= ok"#,
            r#"2026-11-21T03:04:05.5Z warn caller="cart.go:7" msg="slow \"cart\"\nend" n=3 took=1.5 id="007" ok=true"#,
        );
        check(
            r#"time="2026-11-21T03:04:05+01:00" level=info msg=up code="200""#,
            r#"2026-11-21T02:04:05Z info msg="up" code="200""#,
        );
        check("level=audit t=x a=1", r#"- - level="audit" t="x" a=1"#);
        check(
            r"t=2026-11-21T03:04:05Z lvl=errror lvl=error a=1",
            r#"2026-11-21T03:04:05Z error lvl="errror" a=1"#,
        );
        check(
            r#"id=firewall time="2026-11-21 03:04:05 UTC" pri=4 src=10.1.2.3:80:X1"#,
            r#"2026-11-21T03:04:05Z warn id="firewall" src="10.1.2.3:80:X1""#,
        );
        check(
            "device=fw date=2026-11-21 time=03:04:05 a=1",
            r#"2026-11-21T03:04:05Z - device="fw" date="2026-11-21" time="03:04:05" a=1"#,
        );
    }

    #[test]
    fn lines_that_are_not_key_value_lists() {
        for line in [
            "plain words",
            "a=1",
            "a=1 b c d",
            "2026-11-21 03:04:05 a=1 b=2",
            "GET /a?b=c HTTP/1.1",
            "{a=1} b=2",
        ] {
            assert!(render(&FORMAT, line).starts_with("unparsed"), "{line}");
        }
        check(r#"a=1 b="open c=2"#, r#"- - a=1 b="\"open" c=2"#);
    }
}
