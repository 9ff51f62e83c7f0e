//! Wall clocks in source order: which of its two meanings a time has that a clock change repeats.

use serde::{Deserialize, Serialize};

use super::civil::{DAY_NS, SECOND_NS};
use super::zone::{WallOffset, Zone, ZoneClock};

/// A repeated hour is over for good when the wall clock is this far from it.
const SAME_CHANGE_NS: i64 = DAY_NS / 4;

/// Settles wall clocks. In a repeated hour a time is the first one, until the wall clock falls back by at
/// least half of the clock change: then, and as long as the hour lasts, it is the second one. A skipped time
/// is read with the offset before the change.
#[derive(Clone, Debug)]
pub(crate) struct Walls {
    clock: ZoneClock,
    pub passed: Passed,
}

/// The clock changes seen so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Passed {
    /// The latest wall clock of the first pass, and whether the second has begun.
    change: Option<Change>,
    pub repeated: u64,
    pub repeated_second: u64,
    pub skipped: u64,
}

impl Passed {
    pub(crate) fn forget_counts(&mut self) {
        (self.repeated, self.repeated_second, self.skipped) = (0, 0, 0);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Change {
    latest_ns: i64,
    second: bool,
}

impl Walls {
    pub(crate) fn new(zone: Zone) -> Walls {
        Walls { clock: ZoneClock::new(zone), passed: Passed::default() }
    }

    pub(crate) fn utc_ns(&mut self, wall_ns: i64) -> i64 {
        let offset_ns = match self.clock.offset_of(wall_ns) {
            WallOffset::Certain(offset_ns) => offset_ns,
            WallOffset::Skipped { before_ns } => {
                self.passed.skipped += 1;
                before_ns
            }
            WallOffset::Repeated { before_ns, after_ns } => {
                self.passed.repeated += 1;
                let second = self.is_second(wall_ns, before_ns - after_ns);
                self.passed.repeated_second += u64::from(second);
                if second { after_ns } else { before_ns }
            }
        };
        wall_ns.saturating_sub(offset_ns)
    }

    /// The wall clock of an instant, exact enough to find its day.
    pub(crate) fn wall_ns(&mut self, utc_ns: i64) -> i64 {
        match self.clock.offset_of(utc_ns) {
            WallOffset::Certain(offset_ns) => utc_ns.saturating_add(offset_ns),
            WallOffset::Skipped { before_ns } | WallOffset::Repeated { before_ns, .. } => {
                utc_ns.saturating_add(before_ns)
            }
        }
    }

    fn is_second(&mut self, wall_ns: i64, set_back_ns: i64) -> bool {
        let change = match self.passed.change {
            Some(change) if (change.latest_ns - wall_ns).abs() < SAME_CHANGE_NS => change,
            _ => Change { latest_ns: wall_ns, second: false },
        };
        // A source with one event per minute falls back by an hour less a minute.
        let fell_back = change.latest_ns - wall_ns >= (set_back_ns / 2).max(SECOND_NS);
        let change = Change { latest_ns: change.latest_ns.max(wall_ns), second: change.second || fell_back };
        self.passed.change = Some(change);
        change.second
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::civil::days_from_civil;
    use super::*;

    const MINUTE_NS: i64 = 60 * SECOND_NS;

    #[test]
    fn in_a_repeated_hour_the_order_decides() {
        let mut walls = Walls::new(Zone::named("Europe/Berlin").unwrap());
        let midnight = days_from_civil(2026, 10, 25) * DAY_NS;
        let mut utc = |hour: i64, minute: i64| {
            let ns = walls.utc_ns(midnight + (hour * 60 + minute) * MINUTE_NS) - midnight;
            (ns.div_euclid(60 * MINUTE_NS), ns.rem_euclid(60 * MINUTE_NS) / MINUTE_NS)
        };
        assert_eq!(utc(1, 59), (-1, 59));
        assert_eq!(utc(2, 10), (0, 10));
        assert_eq!(utc(2, 50), (0, 50));
        assert_eq!(utc(2, 45), (0, 45), "a late line is not the second pass");
        assert_eq!(utc(2, 5), (1, 5));
        assert_eq!(utc(2, 59), (1, 59));
        assert_eq!(utc(3, 0), (2, 0));
        let passed = &walls.passed;
        assert_eq!((passed.repeated, passed.repeated_second, passed.skipped), (5, 2, 0));
        let spring = days_from_civil(2026, 3, 29) * DAY_NS + 150 * MINUTE_NS;
        assert_eq!(walls.utc_ns(spring), spring - 60 * MINUTE_NS);
        assert_eq!(walls.passed.skipped, 1);
    }
}
