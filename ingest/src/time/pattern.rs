//! Time formats that users write: `%Y-%m-%d %H:%M:%S` of strptime, `yyyy-MM-dd HH:mm:ss` of Java, Joda and
//! Logstash. Both compile to the same short list of steps, which is matched without backtracking.

mod joda;
mod strptime;

use super::When;
use super::civil::{SECOND_NS, civil_from_days, days_from_civil, is_leap};
use super::digits::{byte, digit_run, fraction_ns, number};
use super::epoch;
use super::month_names::{after_weekday, is_letter, month};
use super::offset::offset;
use super::provisional::FIRST_REAL_NS;
use super::rare_formats::{compact, digits_alone, tai64, week_day};
use super::stamp::{Stamp, full_year, iso};
use super::time_of_day::{HALVES, TimeOfDay};
use super::undated::uptime;

/// One element of a time.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternStep {
    /// These bytes.
    Literal(Box<[u8]>),
    /// One or more white spaces.
    Spaces,
    /// A number with a least and a greatest count of digits; it may be padded with spaces.
    Number(TimePart, u8, u8),
    MonthName,
    WeekdayName,
    /// Digits of a fraction of a second.
    Fraction,
    /// AM or PM.
    Half,
    /// An offset or an abbreviation of a zone.
    Zone,
    /// Whole seconds, milli-, micro- or nanoseconds since 1970, by the nanoseconds of the unit.
    Epoch(i64),
    /// Seconds since 1970 with an optional fraction, or a finer unit, distinguished by size.
    AnyEpoch,
    /// A whole ISO 8601 stamp.
    Iso8601,
    Tai64,
    Uptime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimePart {
    Year,
    YearOfCentury,
    Month,
    Day,
    DayOfYear,
    WeekYear,
    Week,
    Weekday,
    Hour,
    /// 1 to 24.
    HourFromOne,
    HourOfHalf,
    Minute,
    Second,
}

/// A compiled time format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TimePattern {
    steps: Vec<PatternStep>,
}

/// The values read so far.
#[derive(Clone, Copy, Default)]
struct Parts {
    year: Option<i16>,
    month: Option<u8>,
    day: Option<u8>,
    day_of_year: Option<i64>,
    week_year: Option<i16>,
    week: Option<u8>,
    weekday: Option<u8>,
    hour: Option<u8>,
    hour_of_half: Option<u8>,
    afternoon: Option<bool>,
    minute: u8,
    second: u8,
    nanos: u32,
    zone: Option<i32>,
    instant: Option<i64>,
    uptime: Option<i64>,
    stamp: Option<Stamp>,
}

impl TimePattern {
    /// From a format of `strptime`, with lnav's additional letters. The error says what is wrong.
    pub(crate) fn strptime(format: &str) -> Result<TimePattern, String> {
        TimePattern::from_steps(strptime::steps(format)?)
    }

    /// From a pattern of Java and Joda, or one of Logstash's names (`ISO8601`, `UNIX`, …).
    pub(crate) fn joda(pattern: &str) -> Result<TimePattern, String> {
        TimePattern::from_steps(joda::steps(pattern)?)
    }

    fn from_steps(steps: Vec<PatternStep>) -> Result<TimePattern, String> {
        let is_time = |step: &PatternStep| {
            !matches!(
                step,
                PatternStep::Literal(_)
                    | PatternStep::Spaces
                    | PatternStep::WeekdayName
                    | PatternStep::Half
                    | PatternStep::Zone
            )
        };
        if steps.iter().any(is_time) {
            Ok(TimePattern { steps })
        } else {
            Err("the time format has neither a date nor a time in it".to_string())
        }
    }

    /// The time at a position, and the position after it.
    pub(crate) fn read(&self, bytes: &[u8], at: usize) -> Option<(When, usize)> {
        let mut parts = Parts::default();
        let mut at = at;
        for step in &self.steps {
            at = step.read(bytes, at, &mut parts)?;
        }
        parts.when().map(|when| (when, at))
    }

    /// Reads a whole value as a time of this format.
    pub(crate) fn whole_time(&self, value: &[u8]) -> Option<When> {
        let value = value.trim_ascii();
        self.read(value, 0).filter(|&(_, end)| end == value.len()).map(|(when, _)| when)
    }
}

impl PatternStep {
    #[inline]
    fn read(&self, bytes: &[u8], at: usize, parts: &mut Parts) -> Option<usize> {
        match self {
            PatternStep::Literal(text) => bytes.get(at..)?.starts_with(text).then_some(at + text.len()),
            PatternStep::Spaces => {
                let spaces = bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                (spaces > 0).then_some(at + spaces)
            }
            PatternStep::Number(part, least, most) => {
                let from = at + usize::from(*most == 2 && byte(bytes, at) == b' ');
                let digits = digit_run(bytes, from).min(usize::from(*most));
                let least = if from > at { 1 } else { usize::from(*least) };
                let value = number(bytes.get(from..from + digits)?).filter(|_| digits >= least)?;
                parts.put(*part, value)?;
                Some(from + digits)
            }
            PatternStep::MonthName => {
                let (month, mut end) = month(bytes, at)?;
                // The point of an abbreviation belongs to the next step if that step needs it.
                end -= usize::from(byte(bytes, end - 1) == b'.');
                parts.month = Some(month);
                Some(end)
            }
            PatternStep::WeekdayName => {
                let end = after_weekday(bytes, at)?;
                let name = bytes[at..end].iter().take_while(|&&byte| is_letter(byte)).count();
                Some(at + name)
            }
            PatternStep::Fraction => {
                let (nanos, end) = fraction_ns(bytes, at)?;
                parts.nanos = nanos;
                Some(end)
            }
            PatternStep::Half => {
                let (length, afternoon) = half(bytes.get(at..)?)?;
                parts.afternoon = Some(afternoon);
                Some(at + length)
            }
            PatternStep::Zone => {
                let (zone, end) = offset(bytes, at)?;
                parts.zone = Some(zone);
                Some(end)
            }
            PatternStep::Epoch(units_per_second) => {
                let sign = usize::from(byte(bytes, at) == b'-');
                let digits = digit_run(bytes, at + sign);
                let whole = number(bytes.get(at + sign..at + sign + digits)?).or_else(|| {
                    std::str::from_utf8(&bytes[at + sign..at + sign + digits]).ok()?.parse().ok()
                })?;
                let ns = whole.checked_mul(SECOND_NS / units_per_second)?;
                // Earlier instants are reserved for provisional times.
                parts.instant = Some(if sign == 1 { -ns } else { ns }).filter(|&ns| ns >= FIRST_REAL_NS);
                parts.instant?;
                Some(at + sign + digits)
            }
            PatternStep::AnyEpoch => epoch::delimited(bytes, at).map(|(ns, end)| {
                parts.instant = Some(ns);
                end
            }),
            PatternStep::Iso8601 => {
                let (stamp, end) =
                    iso(bytes, at).or_else(|| compact(bytes, at)).or_else(|| digits_alone(bytes, at))?;
                parts.stamp = Some(stamp);
                Some(end)
            }
            PatternStep::Tai64 => tai64(bytes, at).map(|(ns, end)| {
                parts.instant = Some(ns);
                end
            }),
            PatternStep::Uptime => uptime(bytes, at).map(|(ns, end)| {
                parts.uptime = Some(ns);
                end
            }),
        }
    }
}

/// `AM`, `pm`, `a.m.`, and in Chinese, Japanese and Korean; its length, and whether it is the afternoon.
fn half(bytes: &[u8]) -> Option<(usize, bool)> {
    for (text, afternoon) in HALVES {
        if bytes.starts_with(text.as_bytes()) {
            return Some((text.len(), afternoon));
        }
    }
    let afternoon = match bytes.first()? | 0x20 {
        b'a' => false,
        b'p' => true,
        _ => return None,
    };
    let dotted = usize::from(byte(bytes, 1) == b'.');
    let m = 1 + dotted + usize::from(dotted == 1 && byte(bytes, 2) == b' ');
    let end = m + 1 + usize::from(dotted == 1 && byte(bytes, m + 1) == b'.');
    (byte(bytes, m) | 0x20 == b'm').then_some((end, afternoon))
}

impl Parts {
    #[inline]
    fn put(&mut self, part: TimePart, value: i64) -> Option<()> {
        let small = u8::try_from(value);
        match part {
            TimePart::Year => self.year = Some(i16::try_from(value).ok()?),
            TimePart::YearOfCentury => self.year = Some(full_year(small.ok()?)),
            TimePart::Month => self.month = Some(small.ok()?),
            TimePart::Day => self.day = Some(small.ok()?),
            TimePart::DayOfYear => self.day_of_year = Some(value),
            TimePart::WeekYear => self.week_year = Some(i16::try_from(value).ok()?),
            TimePart::Week => self.week = Some(small.ok()?),
            TimePart::Weekday => self.weekday = Some(small.ok()?),
            TimePart::Hour => self.hour = Some(small.ok()?),
            TimePart::HourFromOne => self.hour = Some(small.ok()? % 24),
            TimePart::HourOfHalf => self.hour_of_half = Some(small.ok().filter(|hour| *hour <= 12)?),
            TimePart::Minute => self.minute = small.ok()?,
            TimePart::Second => self.second = small.ok()?,
        }
        Some(())
    }

    fn when(&self) -> Option<When> {
        if let Some(ns) = self.instant {
            return Some(When::Instant(ns.checked_add(i64::from(self.nanos))?));
        }
        if let Some(ns) = self.uptime {
            return Some(When::Uptime(ns));
        }
        if let Some(stamp) = self.stamp {
            return Some(When::Stamp(Stamp { zone: self.zone.or(stamp.zone), ..stamp }));
        }
        let hour = match (self.hour, self.hour_of_half) {
            (Some(hour), _) => hour,
            (None, Some(hour)) => hour % 12 + if self.afternoon.unwrap_or(false) { 12 } else { 0 },
            (None, None) => 0,
        };
        let time = TimeOfDay { hour, minute: self.minute, second: self.second, nanos: self.nanos };
        if hour > 23 || self.minute > 59 || self.second > 60 {
            return None;
        }
        let Some((year, month, day)) = self.date()? else { return Some(When::TimeOfDay(time.ns())) };
        Stamp::new(year, month, day, time, self.zone).map(When::Stamp)
    }

    /// Year, month and day; `Some(None)` if there is no date at all.
    #[allow(clippy::option_option)]
    fn date(&self) -> Option<Option<(Option<i16>, u8, u8)>> {
        let civil = |days: i64| {
            let (year, month, day) = civil_from_days(days);
            Some(Some((Some(i16::try_from(year).ok()?), month, day)))
        };
        if let (Some(year), Some(day)) = (self.year, self.day_of_year) {
            let exists = (1..=365 + i64::from(is_leap(i32::from(year)))).contains(&day);
            return if exists { civil(days_from_civil(i32::from(year), 1, 1) + day - 1) } else { None };
        }
        if let (Some(year), Some(week)) = (self.week_year.or(self.year), self.week)
            && self.month.is_none()
        {
            return civil(week_day(year, week, self.weekday.unwrap_or(1))?);
        }
        match (self.month, self.day) {
            (None, None) if self.year.is_none() => Some(None),
            (month, day) => Some(Some((self.year, month.unwrap_or(1), day.unwrap_or(1)))),
        }
    }
}

#[cfg(test)]
mod tests;
