//! Stamps without a year: kept in a provisional year until the order of the file settles the real one.

use super::civil::{DAY_NS, civil_from_days, days_from_civil, is_leap};
use super::zone::{Zone, ZoneClock};

/// A leap year, so that 29 February has its place, and one in which no log was written. A time in it is a
/// wall-clock time whose year is still open.
pub(crate) const PROVISIONAL_YEAR: i32 = 1680;
const PROVISIONAL_START_DAY: i64 = -105_920;
const PROVISIONAL_START_NS: i64 = PROVISIONAL_START_DAY * DAY_NS;
const PROVISIONAL_END_NS: i64 = PROVISIONAL_START_NS + 367 * DAY_NS;

/// A jump back by more than this is a New Year; a smaller one is a line out of order.
const NEW_YEAR_JUMP_NS: i64 = 183 * DAY_NS;
/// A jump forward by more than this is a line of last December that came late in January.
const LATE_DECEMBER_JUMP_NS: i64 = 360 * DAY_NS;
/// How far a file's clock may be ahead of the file system's, whose zone is not known.
const SLACK_NS: i64 = DAY_NS;
/// How far back a starting year is looked for.
const YEARS_BACK: i32 = 60;
/// Where nothing at all tells the year; a leap year, so that every day of a year-less log exists.
const UNKNOWN_YEAR: i32 = 2000;

#[inline]
pub(crate) fn is_yearless(time: i64) -> bool {
    (PROVISIONAL_START_NS..PROVISIONAL_END_NS).contains(&time)
}

/// Gives year-less times their year, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Years {
    year: i32,
    last: Option<i64>,
    clock: ZoneClock,
}

impl Years {
    pub(crate) fn starting(year: i32, zone: Zone) -> Years {
        Years { year, last: None, clock: ZoneClock::new(zone) }
    }

    /// The real time of a provisional one.
    pub(crate) fn resolve(&mut self, provisional: i64) -> i64 {
        let year = self.year_of(provisional);
        let (_, month, day) = civil_from_days(provisional.div_euclid(DAY_NS));
        let wall = days_from_civil(year, month, day) * DAY_NS + provisional.rem_euclid(DAY_NS);
        self.clock.utc_ns(wall)
    }

    fn year_of(&mut self, provisional: i64) -> i32 {
        if let Some(last) = self.last {
            if provisional > last + LATE_DECEMBER_JUMP_NS {
                return self.year - 1;
            }
            if provisional < last - NEW_YEAR_JUMP_NS {
                self.year += 1;
            }
        }
        self.last = Some(provisional);
        self.year
    }
}

/// The year a file begins in: the latest for which nothing in the sample lies after the file was last
/// written, and every 29 February exists.
pub(crate) fn starting_year(sample: &[i64], modified_ns: Option<i64>, zone: &Zone) -> i32 {
    let Some(modified_ns) = modified_ns else { return UNKNOWN_YEAR };
    let written = civil_from_days(modified_ns.div_euclid(DAY_NS)).0;
    let possible = |year: i32| {
        let mut years = Years::starting(year, zone.clone());
        sample.iter().filter(|&&time| is_yearless(time)).all(|&time| {
            let resolved = years.resolve(time);
            let leap_day = time.div_euclid(DAY_NS) == PROVISIONAL_START_DAY + 31 + 28;
            resolved <= modified_ns.saturating_add(SLACK_NS) && (!leap_day || is_leap(years.year))
        })
    };
    (written - YEARS_BACK..=written + 1).rev().find(|&year| possible(year)).unwrap_or(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provisional(month: u8, day: u8) -> i64 {
        days_from_civil(PROVISIONAL_YEAR, month, day) * DAY_NS
    }

    fn real(year: i32, month: u8, day: u8) -> i64 {
        days_from_civil(year, month, day) * DAY_NS
    }

    #[test]
    fn the_provisional_year_starts_where_the_constant_says() {
        assert_eq!(days_from_civil(PROVISIONAL_YEAR, 1, 1), PROVISIONAL_START_DAY);
    }

    #[test]
    fn december_to_january_is_a_new_year_and_a_late_december_line_is_not() {
        let mut years = Years::starting(2024, Zone::UTC);
        let order =
            [(12, 31, 2024), (1, 1, 2025), (12, 31, 2024), (1, 2, 2025), (2, 28, 2025), (12, 1, 2025)];
        for (month, day, year) in order {
            assert_eq!(years.resolve(provisional(month, day)), real(year, month, day), "{month}-{day}");
        }
    }

    #[test]
    fn the_starting_year_follows_the_file_s_last_change() {
        let start = |sample: &[(u8, u8)], modified| {
            let sample: Vec<_> = sample.iter().map(|&(month, day)| provisional(month, day)).collect();
            starting_year(&sample, modified, &Zone::UTC)
        };
        assert_eq!(start(&[(11, 20)], Some(real(2026, 11, 21))), 2026);
        assert_eq!(start(&[(11, 22)], Some(real(2026, 11, 21))), 2026);
        assert_eq!(start(&[(11, 23)], Some(real(2026, 11, 21))), 2025);
        assert_eq!(start(&[(1, 1)], Some(real(2026, 12, 30))), 2026);
        assert_eq!(start(&[(12, 30), (1, 2)], Some(real(2026, 1, 2))), 2025);
        assert_eq!(start(&[(2, 28), (2, 29)], Some(real(2026, 11, 21))), 2024);
        assert_eq!(start(&[(2, 28)], None), UNKNOWN_YEAR);
    }
}
