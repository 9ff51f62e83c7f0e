//! What a wall clock without a zone meant.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

use super::civil::{SECOND_NS, civil_from_days};
use super::clock::offset;

/// The zone of stamps that carry none.
#[derive(Clone, Debug)]
pub(crate) enum Zone {
    /// Seconds east of UTC.
    Fixed(i32),
    Named(TimeZone),
}

impl Zone {
    pub(crate) const UTC: Zone = Zone::Fixed(0);

    /// An IANA name, `UTC`, or a fixed offset such as `+02:00`.
    pub(crate) fn named(name: &str) -> Option<Zone> {
        if let Some((seconds, end)) = offset(name.as_bytes(), 0)
            && end == name.len()
        {
            return Some(Zone::Fixed(seconds));
        }
        TimeZone::get(name).ok().map(Zone::Named)
    }
}

/// Turns wall-clock times into UTC. The offset of a named zone is looked up once a quarter of an hour,
/// because no zone in use changes its offset at any other minute.
#[derive(Clone, Debug)]
pub(crate) struct ZoneClock {
    zone: Zone,
    quarter: i64,
    offset_ns: i64,
}

const QUARTER_NS: i64 = 900 * SECOND_NS;

impl ZoneClock {
    pub(crate) fn new(zone: Zone) -> ZoneClock {
        ZoneClock { zone, quarter: i64::MIN, offset_ns: 0 }
    }

    /// Nanoseconds since 1970 UTC for nanoseconds since 1970 on the wall. An hour that a clock change
    /// skips or repeats is read with the offset before the change.
    pub(crate) fn utc_ns(&mut self, wall_ns: i64) -> i64 {
        match &self.zone {
            Zone::Fixed(seconds) => wall_ns.saturating_sub(i64::from(*seconds) * SECOND_NS),
            Zone::Named(zone) => {
                let quarter = wall_ns.div_euclid(QUARTER_NS);
                if quarter != self.quarter {
                    self.quarter = quarter;
                    self.offset_ns = i64::from(offset_seconds(zone, quarter * 900)) * SECOND_NS;
                }
                wall_ns.saturating_sub(self.offset_ns)
            }
        }
    }
}

fn offset_seconds(zone: &TimeZone, wall_seconds: i64) -> i32 {
    let (year, month, day) = civil_from_days(wall_seconds.div_euclid(86_400));
    let second_of_day = wall_seconds.rem_euclid(86_400);
    let (hour, minute) = ((second_of_day / 3_600) as i8, (second_of_day / 60 % 60) as i8);
    let Ok(wall) = DateTime::new(year as i16, month as i8, day as i8, hour, minute, 0, 0) else { return 0 };
    match zone.to_ambiguous_timestamp(wall).offset() {
        AmbiguousOffset::Unambiguous { offset: before }
        | AmbiguousOffset::Gap { before, .. }
        | AmbiguousOffset::Fold { before, .. } => before.seconds(),
    }
}
