//! Times: how they are written, what instant they mean, and what is still open about them.
//!
//! [`find`] and its spellings read a time as written ([`When`]); [`rules`] are what a source's sample shows
//! about them; [`Clock`] converts them to numbers, some of them [`provisional`]; the settler resolves those
//! with [`year`], [`day`] and [`wall_clock`], from the order of a source.

pub(crate) mod civil;
pub(crate) mod date_order;
pub(crate) mod day;
pub(crate) mod day_number;
pub(crate) mod digits;
pub(crate) mod epoch;
pub(crate) mod field;
pub(crate) mod find;
pub(crate) mod gap_tracker;
pub(crate) mod head_date;
pub(crate) mod joined;
pub(crate) mod layouts;
pub(crate) mod month_names;
pub(crate) mod numeric_date;
pub(crate) mod offset;
#[allow(dead_code)]
// For formats that people write themselves.
pub(crate) mod pattern;
pub(crate) mod provisional;
pub(crate) mod rare_formats;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod stamp;
pub(crate) mod time_first;
pub(crate) mod time_of_day;
pub(crate) mod undated;
pub(crate) mod wall_clock;
pub(crate) mod year;
pub(crate) mod year_in_text;
pub(crate) mod zone;

#[cfg(test)]
mod find_tests;

use civil::{DAY_NS, SECOND_NS, days_from_civil};
use provisional::{YEARLESS, YEARLESS_UTC};
use stamp::Stamp;
use zone::{Zone, ZoneClock};

/// The time of an event that has none, in nanoseconds since 1970 UTC. Sorts before every real time.
pub const NO_TIME: i64 = i64::MIN;

/// A time as found: written as a date, already an instant in nanoseconds since 1970 UTC, or so incomplete
/// that only its source determines the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Stamp(Stamp),
    Instant(i64),
    /// Nanoseconds since some midnight.
    TimeOfDay(i64),
    /// Nanoseconds since an unknown start.
    Uptime(i64),
}

/// Counts of what the times of a batch contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeTally {
    /// Times with a zone, or numbers since 1970.
    pub zoned: u32,
    pub zoneless: u32,
    pub yearless: u32,
    /// A time of day without a date.
    pub dayless: u32,
    pub uptimes: u32,
}

impl TimeTally {
    /// The number of times of any kind.
    #[must_use]
    pub fn timed(&self) -> u32 {
        self.zoned + self.zoneless + self.yearless + self.dayless + self.uptimes
    }
}

#[derive(Clone, Copy, Debug)]
enum TimeClass {
    Zoned,
    Zoneless,
    Yearless,
    Dayless,
    Uptime,
}

/// Converts times to nanoseconds since 1970 UTC, or to provisional ones if something is still open. Logs stay
/// on one day for long, so the last day's start is cached.
pub(crate) struct Clock {
    zone: ZoneClock,
    day: u32,
    day_ns: i64,
    /// The last counted time, in case the row is removed.
    last: TimeClass,
    pub tally: TimeTally,
}

impl Clock {
    pub(crate) fn new(zone: Zone) -> Clock {
        let tally = TimeTally::default();
        Clock { zone: ZoneClock::new(zone), day: 0, day_ns: 0, last: TimeClass::Zoned, tally }
    }

    #[inline]
    pub(crate) fn ns(&mut self, when: &When) -> i64 {
        match when {
            When::Stamp(stamp) => self.stamp_ns(stamp),
            When::Instant(ns) => {
                self.count(TimeClass::Zoned);
                *ns
            }
            When::TimeOfDay(ns) => {
                self.count(TimeClass::Dayless);
                provisional::time_of_day(*ns)
            }
            When::Uptime(ns) => {
                self.count(TimeClass::Uptime);
                provisional::uptime(*ns)
            }
        }
    }

    #[inline]
    pub(crate) fn stamp_ns(&mut self, stamp: &Stamp) -> i64 {
        let year = match stamp {
            Stamp { year: Some(year), .. } => i32::from(*year),
            Stamp { zone: None, .. } => YEARLESS,
            Stamp { zone: Some(_), .. } => YEARLESS_UTC,
        };
        let day = (year as u32) << 16 | u32::from(stamp.month) << 8 | u32::from(stamp.day);
        if day != self.day {
            self.day = day;
            self.day_ns = days_from_civil(year, stamp.month, stamp.day) * DAY_NS;
        }
        let minutes = i64::from(stamp.hour) * 60 + i64::from(stamp.minute);
        let seconds = minutes * 60 + i64::from(stamp.second);
        let wall_ns = self.day_ns + seconds * SECOND_NS + i64::from(stamp.nanos);
        let offset_ns = i64::from(stamp.zone.unwrap_or(0)) * SECOND_NS;
        match stamp {
            Stamp { year: None, .. } => {
                self.count(TimeClass::Yearless);
                wall_ns - offset_ns
            }
            Stamp { zone: Some(_), .. } => {
                self.count(TimeClass::Zoned);
                wall_ns - offset_ns
            }
            _ => {
                self.count(TimeClass::Zoneless);
                self.zone.utc_ns(wall_ns)
            }
        }
    }

    #[inline]
    fn count(&mut self, class: TimeClass) {
        self.last = class;
        *self.counted() += 1;
    }

    /// Counts a time of the same class as another clock's last.
    pub(crate) fn count_as(&mut self, other: &Clock) {
        self.count(other.last);
    }

    /// Undoes the count of the last time, because its row is none after all.
    pub(crate) fn uncount_last(&mut self) {
        let counted = self.counted();
        *counted = counted.saturating_sub(1);
    }

    #[inline]
    fn counted(&mut self) -> &mut u32 {
        match self.last {
            TimeClass::Zoned => &mut self.tally.zoned,
            TimeClass::Zoneless => &mut self.tally.zoneless,
            TimeClass::Yearless => &mut self.tally.yearless,
            TimeClass::Dayless => &mut self.tally.dayless,
            TimeClass::Uptime => &mut self.tally.uptimes,
        }
    }
}
