//! Bins of times and of numbers: widths that are fixed, and those of the calendar, which are as long as the
//! zone makes them.

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use ingest::NO_TIME;

use super::cell::Cell;
use super::column::{Column, Data};
use super::expr::number_of;
use query::{BinaryOp, Dimension, Quantity, Unit};

const DAY_NS: i64 = 86_400_000_000_000;
const HOUR_NS: i64 = 3_600_000_000_000;

/// How wide a bin is.
#[derive(Clone, Debug, PartialEq)]
pub enum Width {
    /// Nanoseconds. Widths that divide a day begin with the days of the zone.
    Fixed(i64),
    Days(i64),
    /// From Monday on.
    Weeks(i64),
    Months(i64),
    /// Of numbers.
    Number(f64),
}

impl Width {
    #[must_use]
    pub fn from_quantity(quantity: Quantity) -> Width {
        let whole = quantity.number.fract() == 0.0 && quantity.number.abs() < 1e6;
        let count = quantity.number as i64;
        match quantity.unit {
            unit if unit.dimension() == Dimension::Size => Width::Number(quantity.amount()),
            Unit::Day if whole => Width::Days(count),
            Unit::Week if whole => Width::Weeks(count),
            Unit::Month if whole => Width::Months(count),
            Unit::Quarter if whole => Width::Months(count * 3),
            Unit::Year if whole => Width::Months(count * 12),
            _ => Width::Fixed(quantity.amount().clamp(-9e18, 9e18) as i64),
        }
    }

    /// As an automatic timeline is binned: whole days and more are those of the calendar.
    #[must_use]
    pub fn automatic(width_ns: i64) -> Width {
        match width_ns / DAY_NS {
            0 => Width::Fixed(width_ns),
            days @ 1..7 => Width::Days(days),
            days @ 7..28 => Width::Weeks(days / 7),
            28..91 => Width::Months(1),
            91..365 => Width::Months(3),
            days => Width::Months(days / 365 * 12),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Width::Fixed(width) | Width::Days(width) | Width::Weeks(width) | Width::Months(width) => {
                *width <= 0
            }
            Width::Number(width) => !width.is_finite() || *width <= 0.0,
        }
    }

    /// Its length in nanoseconds, with months of 30 days.
    #[must_use]
    pub fn length_ns(&self) -> f64 {
        match self {
            Width::Fixed(width) => *width as f64,
            Width::Days(days) => (*days * DAY_NS) as f64,
            Width::Weeks(weeks) => (*weeks * 7 * DAY_NS) as f64,
            Width::Months(months) => (*months * 30) as f64 * DAY_NS as f64,
            Width::Number(width) => *width,
        }
    }

    /// Where the bin of a time begins; nothing beyond the years that 64 bits hold.
    #[must_use]
    pub fn start(&self, time: i64, zone: &TimeZone) -> Option<i64> {
        self.around(time, zone).map(|(start, _)| start)
    }

    /// Where the bin of a time begins and ends.
    #[must_use]
    pub fn around(&self, time: i64, zone: &TimeZone) -> Option<(i64, i64)> {
        match self {
            Width::Fixed(width) if DAY_NS % width != 0 || *zone == TimeZone::UTC => {
                let start = time.div_euclid(*width).checked_mul(*width)?;
                Some((start, start.checked_add(*width)?))
            }
            Width::Fixed(width) => within_day(time, *width, zone),
            Width::Days(count) => {
                let day = day_of(time, zone)?;
                let since = i64::from(date(1970, 1, 1).until(day).ok()?.get_days());
                days_around(date(1970, 1, 1), since, *count, zone)
            }
            Width::Weeks(count) => {
                let monday = date(1970, 1, 5);
                let since = i64::from(monday.until(day_of(time, zone)?).ok()?.get_days());
                days_around(monday, since, count.checked_mul(7)?, zone)
            }
            Width::Months(count) => {
                let day = day_of(time, zone)?;
                let months = i64::from(day.year()) * 12 + i64::from(day.month()) - 1;
                let start = months.div_euclid(*count) * count;
                Some((begin(month(start)?, zone)?, begin(month(start.checked_add(*count)?)?, zone)?))
            }
            Width::Number(_) => None,
        }
    }

    /// Each value's bin. Numbers with a unit are binned by durations too.
    pub fn bin(&self, column: &Column, unit_ns: Option<f64>, zone: &TimeZone) -> Column {
        if let Data::Time(times) = &column.data {
            if matches!(self, Width::Number(_)) {
                return Column::missing(times.len());
            }
            // Times come in order mostly, so that the bin of the last one is that of the next.
            let mut last = (0, 0);
            let starts = times.iter().map(|time| {
                let Some(time) = time else { return NO_TIME };
                if !(last.0..last.1).contains(&time) {
                    match self.around(time, zone) {
                        Some(found) => last = found,
                        None => return NO_TIME,
                    }
                }
                last.0
            });
            return Column::times(starts.collect());
        }
        let width = match self {
            Width::Number(width) => *width,
            other => other.length_ns() / unit_ns.unwrap_or(1e6),
        };
        let bin = |cell: Cell| match number_of(&cell) {
            Some(Cell::Int(value)) if width.fract() == 0.0 && width >= 1.0 => {
                let width = width as i64;
                value.div_euclid(width).checked_mul(width).map_or(Cell::Missing, Cell::Int)
            }
            Some(number) => number.number().map_or(Cell::Missing, |number| {
                let place = super::expr::floats(BinaryOp::Divide, number, width).number().map(f64::floor);
                place.map_or(Cell::Missing, |place| super::expr::floats(BinaryOp::Multiply, place, width))
            }),
            None => Cell::Missing,
        };
        Column::of_cells((0..column.len()).map(|row| bin(column.cell(row))).collect())
    }
}

/// Parts of a day. Hours keep their length when clocks change; wider parts keep to the clock.
fn within_day(time: i64, width: i64, zone: &TimeZone) -> Option<(i64, i64)> {
    let day = day_of(time, zone)?;
    let (start, end) = (begin(day, zone)?, begin(day.tomorrow().ok()?, zone)?);
    if width <= HOUR_NS {
        let from = start + (time - start).div_euclid(width) * width;
        return Some((from, (from + width).min(end)));
    }
    let mut around = (start, end);
    for part in 1..DAY_NS / width {
        let clock = day.at(0, 0, 0, 0).checked_add((part * width / 1_000_000_000).seconds()).ok()?;
        let edge = whole(clock.to_zoned(zone.clone()).ok()?.timestamp())?.clamp(start, end);
        if edge <= time {
            around.0 = edge;
        } else {
            around.1 = edge;
            break;
        }
    }
    Some(around)
}

fn days_around(origin: Date, since: i64, count: i64, zone: &TimeZone) -> Option<(i64, i64)> {
    let start = since.div_euclid(count).checked_mul(count)?;
    let day = |days: i64| origin.checked_add(jiff::Span::new().try_days(days).ok()?).ok();
    Some((begin(day(start)?, zone)?, begin(day(start.checked_add(count)?)?, zone)?))
}

fn month(months: i64) -> Option<Date> {
    Date::new(i16::try_from(months.div_euclid(12)).ok()?, months.rem_euclid(12) as i8 + 1, 1).ok()
}

fn day_of(time: i64, zone: &TimeZone) -> Option<Date> {
    Timestamp::from_nanosecond(i128::from(time)).ok().map(|stamp| stamp.to_zoned(zone.clone()).date())
}

/// The first instant of a day, which is not midnight where clocks change at midnight.
fn begin(day: Date, zone: &TimeZone) -> Option<i64> {
    whole(day.to_zoned(zone.clone()).ok()?.start_of_day().ok()?.timestamp())
}

fn whole(stamp: Timestamp) -> Option<i64> {
    i64::try_from(stamp.as_nanosecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(width: &str, time: &str, zone: &str) -> (String, String) {
        let width = Width::from_quantity(Quantity::parse(width).expect("a width"));
        let zone = TimeZone::get(zone).expect("a zone");
        let time = base::stamp::parse(time).expect("a time");
        let (start, end) = width.around(time, &zone).expect("a bin");
        assert!(start <= time && time < end);
        (base::stamp::to_rfc3339(start), base::stamp::to_rfc3339(end))
    }

    #[test]
    fn bins_of_the_calendar_are_as_long_as_the_zone_makes_them() {
        let pair = |start: &str, end: &str| (start.to_owned(), end.to_owned());
        let spring = around("1d", "2026-03-29T12:00:00Z", "Europe/Berlin");
        assert_eq!(spring, pair("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"));
        let week = around("1w", "2026-03-01T12:00:00Z", "UTC");
        assert_eq!(week, pair("2026-02-23T00:00:00Z", "2026-03-02T00:00:00Z"));
        let quarter = around("1q", "2026-05-01T12:00:00Z", "UTC");
        assert_eq!(quarter, pair("2026-04-01T00:00:00Z", "2026-07-01T00:00:00Z"));
        let half_hours = around("30m", "2026-10-25T00:45:00Z", "Europe/Berlin");
        assert_eq!(half_hours, pair("2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z"));
        let quarters = around("6h", "2026-10-25T10:00:00Z", "Europe/Berlin");
        assert_eq!(quarters, pair("2026-10-25T05:00:00Z", "2026-10-25T11:00:00Z"));
        assert_eq!(around("7s", "1970-01-01T00:00:08Z", "UTC").0, "1970-01-01T00:00:07Z");
    }
}
