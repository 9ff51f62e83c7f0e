//! Resolves wall clocks without a zone.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

use super::civil::{SECOND_NS, civil_from_days};
use super::offset::offset;
use super::provisional;

/// The zone of stamps without one.
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
            && (name.starts_with(['+', '-']) || matches!(name, "Z" | "UTC" | "GMT"))
        {
            return Some(Zone::Fixed(seconds));
        }
        TimeZone::get(name).ok().map(Zone::Named)
    }
}

/// Whether a zone has this name: an IANA name or a fixed offset such as `+02:00`.
#[must_use]
pub fn is_zone(name: &str) -> bool {
    Zone::named(name).is_some()
}

/// The result of resolving a wall clock in a zone, in nanoseconds east of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WallOffset {
    Certain(i64),
    /// The clock was set forward over this time.
    Skipped {
        before_ns: i64,
    },
    /// The clock was set back, and this time occurred twice.
    Repeated {
        before_ns: i64,
        after_ns: i64,
    },
}

/// Converts wall-clock times to UTC. The offset of a named zone is looked up once per quarter of an hour,
/// because no zone in use changes its offset at any other minute.
#[derive(Clone, Debug)]
pub(crate) struct ZoneClock {
    zone: Zone,
    quarter: i64,
    offset: WallOffset,
}

const QUARTER_NS: i64 = 900 * SECOND_NS;

impl ZoneClock {
    pub(crate) fn new(zone: Zone) -> ZoneClock {
        ZoneClock { zone, quarter: i64::MIN, offset: WallOffset::Certain(0) }
    }

    /// Converts nanoseconds since 1970 on the wall clock to nanoseconds since 1970 UTC. Within a clock change
    /// the time stays provisional, because the order of the source determines its meaning.
    #[inline]
    pub(crate) fn utc_ns(&mut self, wall_ns: i64) -> i64 {
        match self.offset_of(wall_ns) {
            WallOffset::Certain(offset_ns) => wall_ns.saturating_sub(offset_ns),
            WallOffset::Skipped { before_ns } | WallOffset::Repeated { before_ns, .. } => {
                provisional::uncertain(wall_ns).unwrap_or(wall_ns.saturating_sub(before_ns))
            }
        }
    }

    #[inline]
    pub(crate) fn offset_of(&mut self, wall_ns: i64) -> WallOffset {
        match &self.zone {
            Zone::Fixed(seconds) => WallOffset::Certain(i64::from(*seconds) * SECOND_NS),
            Zone::Named(zone) => {
                let quarter = wall_ns.div_euclid(QUARTER_NS);
                if quarter != self.quarter {
                    self.quarter = quarter;
                    self.offset = wall_offset(zone, quarter * 900);
                }
                self.offset
            }
        }
    }
}

fn wall_offset(zone: &TimeZone, wall_seconds: i64) -> WallOffset {
    let (year, month, day) = civil_from_days(wall_seconds.div_euclid(86_400));
    let second_of_day = wall_seconds.rem_euclid(86_400);
    let (hour, minute) = ((second_of_day / 3_600) as i8, (second_of_day / 60 % 60) as i8);
    let Ok(wall) = DateTime::new(year as i16, month as i8, day as i8, hour, minute, 0, 0) else {
        return WallOffset::Certain(0);
    };
    let ns = |offset: jiff::tz::Offset| i64::from(offset.seconds()) * SECOND_NS;
    match zone.to_ambiguous_timestamp(wall).offset() {
        AmbiguousOffset::Unambiguous { offset } => WallOffset::Certain(ns(offset)),
        AmbiguousOffset::Gap { before, .. } => WallOffset::Skipped { before_ns: ns(before) },
        AmbiguousOffset::Fold { before, after } => {
            WallOffset::Repeated { before_ns: ns(before), after_ns: ns(after) }
        }
    }
}
