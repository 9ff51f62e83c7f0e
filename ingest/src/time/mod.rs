//! Times: how they are written, what instant they mean, and what is still open about them.

pub(crate) mod civil;
pub(crate) mod clock;
pub(crate) mod digits;
pub(crate) mod epoch;
pub(crate) mod find;
pub(crate) mod stamp;
pub(crate) mod year;
pub(crate) mod zone;

use civil::{DAY_NS, SECOND_NS, days_from_civil};
use stamp::Stamp;
use year::PROVISIONAL_YEAR;
use zone::{Zone, ZoneClock};

/// A time as found: written as a date, or already an instant in nanoseconds since 1970 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Stamp(Stamp),
    Instant(i64),
}

/// How many times said their zone themselves, and how many did not say it or their year.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeTally {
    pub zoned: u32,
    pub zoneless: u32,
    pub yearless: u32,
}

/// Turns times into nanoseconds since 1970 UTC. Logs stay in one day for long, so the last day's start is
/// kept. A time without a year comes out as wall-clock time in the provisional year (`year`).
pub(crate) struct Clock {
    zone: ZoneClock,
    day: u32,
    day_ns: i64,
    pub tally: TimeTally,
}

impl Clock {
    pub(crate) fn new(zone: Zone) -> Clock {
        Clock { zone: ZoneClock::new(zone), day: 0, day_ns: 0, tally: TimeTally::default() }
    }

    #[inline]
    pub(crate) fn ns(&mut self, when: &When) -> i64 {
        match when {
            When::Stamp(stamp) => self.stamp_ns(stamp),
            When::Instant(ns) => {
                self.tally.zoned += 1;
                *ns
            }
        }
    }

    #[inline]
    pub(crate) fn stamp_ns(&mut self, stamp: &Stamp) -> i64 {
        let year = stamp.year.map_or(PROVISIONAL_YEAR, i32::from);
        let day = (year as u32) << 16 | u32::from(stamp.month) << 8 | u32::from(stamp.day);
        if day != self.day {
            self.day = day;
            self.day_ns = days_from_civil(year, stamp.month, stamp.day) * DAY_NS;
        }
        let minutes = i64::from(stamp.hour) * 60 + i64::from(stamp.minute);
        let seconds = minutes * 60 + i64::from(stamp.second);
        let wall_ns = self.day_ns + seconds * SECOND_NS + i64::from(stamp.nanos);
        match stamp {
            Stamp { year: None, .. } => {
                self.tally.yearless += 1;
                wall_ns
            }
            Stamp { zone: Some(offset), .. } => {
                self.tally.zoned += 1;
                wall_ns - i64::from(*offset) * SECOND_NS
            }
            _ => {
                self.tally.zoneless += 1;
                self.zone.utc_ns(wall_ns)
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::find::{find, whole};
    use super::*;

    fn rfc3339(ns: i64) -> String {
        jiff::Timestamp::from_nanosecond(i128::from(ns)).unwrap().to_string()
    }

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let found = find(line.as_bytes(), 64).map(|found| rfc3339(Clock::new(Zone::UTC).ns(&found.when)));
        assert_eq!(found.as_deref().unwrap_or("none"), expected, "{line}");
    }

    #[test]
    fn spellings() {
        check("2026-11-21T03:04:05Z x", "2026-11-21T03:04:05Z");
        check("2026-11-21 03:04:05,123 x", "2026-11-21T03:04:05.123Z");
        check("2026-11-21T03:04:05.123456789+02:00", "2026-11-21T01:04:05.123456789Z");
        check("2026-11-21T03:04:05-0730", "2026-11-21T10:34:05Z");
        check("2026-11-21 03:04:05 +0100 x", "2026-11-21T02:04:05Z");
        check("2026-11-21 03:04:05 - INFO", "2026-11-21T03:04:05Z");
        check("2026/11/21 03:04:05 [error] x", "2026-11-21T03:04:05Z");
        check("[21/Nov/2026:03:04:05 -0500] x", "2026-11-21T08:04:05Z");
        check("21-Nov-2026 03:04:05.5 x", "2026-11-21T03:04:05.5Z");
        check("logger=a t=2026-11-21T03:04:05Z", "2026-11-21T03:04:05Z");
        check("[Sat Nov 21 03:04:05 2026] [error]", "2026-11-21T03:04:05Z");
        check("Sat Nov 21 03:04:05 UTC 2026", "2026-11-21T03:04:05Z");
        check("Nov 21, 2026 3:04:05 PM java", "2026-11-21T15:04:05Z");
        check("Feb 29 03:04:05 x", "1680-02-29T03:04:05Z");
        check("1428634687123 Hello", "2015-04-10T02:58:07.123Z");
        check("1428634687.5 Hello", "2015-04-10T02:58:07.5Z");
        check("app.log.1.2017-05-16_13:53:08 2017-05-16 00:00:00.008 x", "2017-05-16T00:00:00.008Z");
        check("2026-02-29 03:04:05", "none");
        check("2026-11-21 25:04:05", "none");
        check("pid 1428634687 x", "none");
        check("12345 items", "none");
        check("", "none");
    }

    #[test]
    fn whole_values() {
        let ns = |text: &str| whole(text.as_bytes()).map(|when| rfc3339(Clock::new(Zone::UTC).ns(&when)));
        assert_eq!(ns("Sat, 21 Nov 2026 03:04:05 +0100").unwrap(), "2026-11-21T02:04:05Z");
        assert_eq!(ns("1716723772.6014802").unwrap(), "2024-05-26T11:42:52.6014802Z");
        assert_eq!(ns("1615650027387860").unwrap(), "2021-03-13T15:40:27.38786Z");
        assert_eq!(ns("2026-11-21T03:04:05Z and more"), None);
        assert_eq!(ns("12.5"), None);
    }

    #[test]
    fn named_zones_follow_their_clock_changes() {
        let zone = Zone::named("Europe/Berlin").unwrap();
        let mut clock = Clock::new(zone);
        let mut ns = |line: &str| rfc3339(clock.ns(&find(line.as_bytes(), 0).unwrap().when));
        assert_eq!(ns("2026-01-01 12:00:00"), "2026-01-01T11:00:00Z");
        assert_eq!(ns("2026-07-01 12:00:00"), "2026-07-01T10:00:00Z");
        assert_eq!(ns("2026-10-25 02:30:00"), "2026-10-25T00:30:00Z");
        assert_eq!(ns("2026-03-29 02:30:00"), "2026-03-29T01:30:00Z");
        assert!(Zone::named("Mars/Olympus").is_none());
        assert!(matches!(Zone::named("+02:00"), Some(Zone::Fixed(7_200))));
    }
}
