//! Numeric dates whose order is ambiguous: `11/21/2026`, `21.11.26`, `26/11/21`, `11-21`.

use super::civil::{days_from_civil, last_day};
use super::digits::{byte, digit_run, four, one_or_two, two};
use super::month_names::{is_letter, month};
use super::stamp::{Stamp, full_year, optional_zone, time_after_date, yearless};
use super::time_of_day::{TimeOfDay, time_of_day};

/// The order of the numbers of a date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DateOrder {
    /// Nothing in the source determines it: the custom of each spelling decides.
    #[default]
    Customary,
    DayFirst,
    MonthFirst,
    /// Only for years of two digits.
    YearFirst,
}

impl DateOrder {
    /// The order for a person; empty if each spelling decides.
    pub(crate) fn words(self) -> &'static str {
        match self {
            DateOrder::Customary => "",
            DateOrder::DayFirst => "day before month",
            DateOrder::MonthFirst => "month before day",
            DateOrder::YearFirst => "year, month, day",
        }
    }
}

/// A numeric date with its time, before its order is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NumericDate {
    pub first: u8,
    pub second: u8,
    pub third: Third,
    pub separator: u8,
    pub time: TimeOfDay,
    /// The position after the time of day.
    pub end: usize,
    /// The time was written with AM or PM.
    pub halved: bool,
    /// A level word in capitals follows directly, or an `@` is between the date and the time: the year of two
    /// digits comes first.
    pub is_year_first: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Third {
    Missing,
    /// One digit, which is no year: `26-2-8`.
    One(u8),
    Two(u8),
    Four(i16),
}

/// Reads the numbers; `None` if no time of day follows them.
#[inline]
pub(crate) fn numbers(bytes: &[u8], at: usize) -> Option<NumericDate> {
    if !byte(bytes, at).is_ascii_digit() {
        return None;
    }
    let (first, middle) = one_or_two(bytes, at)?;
    let separator = byte(bytes, middle);
    if !matches!(separator, b'/' | b'.' | b'-') || !byte(bytes, middle + 1).is_ascii_digit() {
        return None;
    }
    let (second, mut date_end) = one_or_two(bytes, middle + 1)?;
    let mut third = Third::Missing;
    if byte(bytes, date_end) == separator {
        (third, date_end) = match digit_run(bytes, date_end + 1) {
            1 if middle == at + 2 && separator != b'.' => {
                (Third::One(bytes[date_end + 1] - b'0'), date_end + 2)
            }
            4 => (Third::Four(four(bytes, date_end + 1)?), date_end + 5),
            2 => (Third::Two(two(bytes, date_end + 1)?), date_end + 3),
            0 if separator == b'.' => (Third::Missing, date_end + 1),
            _ => return None,
        };
    } else if separator != b'/' && date_end - at != 5 {
        // Without a year and without leading zeros, `1.5` is a number and `3-4` a range.
        return None;
    }
    let (time, end) = time_after_date(bytes, date_end)?;
    // Two numbers and `3:04` are not enough for a date and a time.
    if third == Third::Missing && end < date_end + 9 {
        return None;
    }
    let halved = byte(bytes, end - 1) | 0x20 == b'm' || byte(bytes, end - 1) == b'.';
    let before_level = || {
        byte(bytes, end) == b' '
            && [&b"INFO"[..], b"WARN", b"ERROR", b"DEBUG", b"TRACE", b"FATAL"]
                .iter()
                .any(|level| bytes[end + 1..].starts_with(level))
    };
    let is_year_first = byte(bytes, date_end) == b'@' || before_level();
    Some(NumericDate { first, second, third, separator, time, end, halved, is_year_first })
}

/// `02/28 12:30`: month and day with a time without seconds, as two numbers of a text could be.
pub(crate) fn short_date(bytes: &[u8], at: usize, order: DateOrder) -> Option<(Stamp, usize)> {
    let (first, second) = (two(bytes, at)?, two(bytes, at + 3)?);
    let separator = byte(bytes, at + 2);
    let is_one = matches!(separator, b'/' | b'.' | b'-') && byte(bytes, at + 5) == b' ';
    let (time, end) = is_one.then(|| time_of_day(bytes, at + 6))??;
    let date = NumericDate {
        first,
        second,
        third: Third::Missing,
        separator,
        time,
        end,
        halved: false,
        is_year_first: false,
    };
    let (_, month, day) = date.settle(order)?;
    let ends = end == at + "02/28 12:30".len() && matches!(byte(bytes, end), b' ' | b'\t' | 0);
    ends.then(|| Some((Stamp::new(None, month, day, time, None)?, end)))?
}

/// A complete date without a time: `2/28/2026`, `28.02.2026`, `2026-02-28`, `28 FEB 2026`, as the number of its
/// day, and the position after it. The custom of its spelling decides the order, if the numbers do not.
pub(super) fn date_alone(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    if digit_run(bytes, at) == 4 {
        let separator = byte(bytes, at + 4);
        let (year, month, day) = (four(bytes, at)?, two(bytes, at + 5)?, two(bytes, at + 8)?);
        let is_one = matches!(separator, b'-' | b'/' | b'.') && byte(bytes, at + 7) == separator;
        return day_number(year, month, day).filter(|_| is_one).map(|number| (number, at + 10));
    }
    if is_letter(byte(bytes, at)) {
        let (month, end) = month(bytes, at)?;
        let (day, end) = one_or_two(bytes, end + 1).filter(|_| byte(bytes, end) == b' ')?;
        let end = end + usize::from(byte(bytes, end) == b',');
        let year = four(bytes, end + 1).filter(|_| byte(bytes, end) == b' ')?;
        return day_number(year, month, day).map(|number| (number, end + 5));
    }
    let (first, middle) = one_or_two(bytes, at)?;
    let separator = byte(bytes, middle);
    if separator == b' ' && is_letter(byte(bytes, middle + 1)) {
        let (month, end) = month(bytes, middle + 1)?;
        let year = four(bytes, end + 1).filter(|_| byte(bytes, end) == b' ')?;
        return day_number(year, month, first).map(|number| (number, end + 5));
    }
    let (second, end) = one_or_two(bytes, middle + 1)?;
    let is_one = matches!(separator, b'/' | b'.' | b'-')
        && byte(bytes, end) == separator
        && digit_run(bytes, end + 1) == 4;
    let year = four(bytes, end + 1).filter(|_| is_one)?;
    let (month_first, day_first) = (day_number(year, first, second), day_number(year, second, first));
    let number = if separator == b'.' { day_first.or(month_first) } else { month_first.or(day_first) };
    number.map(|number| (number, end + 5))
}

fn day_number(year: i16, month: u8, day: u8) -> Option<i64> {
    let exists = (1990..=2100).contains(&year)
        && (1..=12).contains(&month)
        && (1..=last_day(Some(year), month)).contains(&day);
    exists.then(|| days_from_civil(i32::from(year), month, day))
}

impl NumericDate {
    /// Year, month and day in a given order; `None` if there is no such date.
    pub(crate) fn in_order(&self, order: DateOrder) -> Option<(Option<i16>, u8, u8)> {
        let year = match self.third {
            Third::Missing | Third::One(_) => None,
            Third::Two(year) => Some(full_year(year)),
            Third::Four(year) => Some(year),
        };
        let (year, month, day) = match (order, self.third) {
            (DateOrder::YearFirst, Third::One(day) | Third::Two(day)) => {
                (Some(full_year(self.first)), self.second, day)
            }
            (_, Third::One(_)) => return None,
            (DateOrder::DayFirst, _) => (year, self.second, self.first),
            (DateOrder::MonthFirst, _) => (year, self.first, self.second),
            _ => return None,
        };
        let exists = (1..=12).contains(&month) && (1..=last_day(year, month)).contains(&day);
        exists.then_some((year, month, day))
    }

    /// The usual meaning of this spelling, if the source does not determine it: with slashes or without a
    /// year the month comes first, with points or dashes the day. Two digits each directly before a level are
    /// the default layout of Hadoop and Spark, which begins with the year, as OpenEdge does before an `@`.
    pub(crate) fn customary_order(&self) -> DateOrder {
        match (self.third, self.separator) {
            (Third::One(_), _) => DateOrder::YearFirst,
            (Third::Two(_), b'/') if self.is_year_first && !self.halved => DateOrder::YearFirst,
            (Third::Missing, _) | (_, b'/') => DateOrder::MonthFirst,
            _ if self.halved => DateOrder::MonthFirst,
            _ => DateOrder::DayFirst,
        }
    }

    /// The date in the order of the source, otherwise in the customary one, otherwise in the only order in
    /// which it exists.
    pub(crate) fn settle(&self, order: DateOrder) -> Option<(Option<i16>, u8, u8)> {
        let first = if order == DateOrder::Customary { self.customary_order() } else { order };
        [first, DateOrder::MonthFirst, DateOrder::DayFirst, DateOrder::YearFirst]
            .into_iter()
            .find_map(|order| self.in_order(order))
    }
}

/// A numeric date and its time, in the order of the source.
#[inline]
pub(crate) fn numeric(bytes: &[u8], at: usize, order: DateOrder) -> Option<(Stamp, usize)> {
    let date = numbers(bytes, at)?;
    let (year, month, day) = date.settle(order)?;
    if year.is_none() {
        return yearless(bytes, month, day, date.time, date.end);
    }
    let (zone, end) = optional_zone(bytes, date.end);
    Some((Stamp::new(year, month, day, date.time, zone)?, end))
}
