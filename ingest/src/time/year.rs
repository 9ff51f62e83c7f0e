//! Stamps without a year: determines their year, by file order and other evidence.

use serde::{Deserialize, Serialize};

use super::NO_TIME;
use super::civil::{DAY_NS, civil_from_days, days_from_civil, is_leap};
use super::provisional::{ProvisionalTime, YEARLESS, YEARLESS_UTC, decode_provisional};

/// A larger jump back is a New Year; a smaller one is a line out of order.
const NEW_YEAR_JUMP_NS: i64 = 183 * DAY_NS;
/// A larger jump forward is a late line of last December, written in January.
const LATE_DECEMBER_JUMP_NS: i64 = 360 * DAY_NS;
/// How far a file's clock may be ahead of the file system's, whose zone is not known.
pub(crate) const SLACK_NS: i64 = DAY_NS;
/// How far back the search for a starting year goes.
const YEARS_BACK: i32 = 60;
/// The default year; a leap year, so that every day of a year-less log exists.
const UNKNOWN_YEAR: i32 = 2000;
/// A file whose sample ends so shortly before the file was last changed was not copied since, so its own
/// modification time outweighs its neighbours' years.
const FRESH_NS: i64 = 40 * DAY_NS;
/// A stamp with a year so close to a year-less one determines its year.
const NEAR_NS: i64 = 2 * DAY_NS;

/// Assigns years to year-less times, in file order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Years {
    pub year: i32,
    last: Option<i64>,
    pub passed: u32,
}

/// A year-less time as month, day and the rest, in the provisional year `YEARLESS`.
#[inline]
fn in_one_year(yearless: ProvisionalTime) -> Option<i64> {
    match yearless {
        ProvisionalTime::Yearless(time) => Some(time),
        ProvisionalTime::YearlessUtc(time) => {
            Some(time + (days_from_civil(YEARLESS, 1, 1) - days_from_civil(YEARLESS_UTC, 1, 1)) * DAY_NS)
        }
        _ => None,
    }
}

impl Years {
    pub(crate) fn starting(year: i32) -> Years {
        Years { year, last: None, passed: 0 }
    }

    /// The wall clock (or the instant, if the zone was written) of a year-less time.
    pub(crate) fn resolve(&mut self, yearless: ProvisionalTime) -> Option<i64> {
        let provisional = in_one_year(yearless)?;
        let year = self.year_of(provisional);
        Some(in_year(provisional, year))
    }

    /// Processes a stamp with its year: it determines the year of the following times, if the two are close
    /// or if no time without a year came before it. Returns whether it did.
    pub(crate) fn follow(&mut self, full: i64, yearless: ProvisionalTime) -> bool {
        let Some(provisional) = in_one_year(yearless) else { return false };
        let near = year_near(provisional, full, NEAR_NS);
        // Lines after a heading are younger than it, however long nothing was logged.
        let year = civil_from_days(full.div_euclid(DAY_NS)).0;
        let later = || [year, year + 1].into_iter().find(|&year| in_year(provisional, year) >= full);
        let near = near.or_else(|| if self.last.is_none() { later() } else { None });
        if let Some(near) = near {
            self.year = near;
            self.last = Some(provisional);
        }
        near.is_some()
    }

    fn year_of(&mut self, provisional: i64) -> i32 {
        if let Some(last) = self.last {
            if provisional > last + LATE_DECEMBER_JUMP_NS {
                return self.year - 1;
            }
            if provisional < last - NEW_YEAR_JUMP_NS {
                self.year += 1;
                self.passed += 1;
            }
        }
        self.last = Some(provisional);
        self.year
    }
}

/// The year in which a year-less time is this close to a complete one.
pub(super) fn year_near(provisional: i64, full: i64, most_ns: i64) -> Option<i32> {
    let year = civil_from_days(full.div_euclid(DAY_NS)).0;
    let is_near = |year: &i32| in_year(provisional, *year).abs_diff(full) <= most_ns.unsigned_abs();
    [year - 1, year, year + 1].into_iter().find(is_near)
}

/// A date that a zone moved over New Year stays on its side of it. Years beyond the range of nanoseconds give
/// the last instant of the range.
pub(super) fn in_year(provisional: i64, year: i32) -> i64 {
    // From a March to the next February, leap day or not, all dates move by the same number of days.
    let march = |year: i32| days_from_civil(year, 3, 1);
    let from = YEARLESS - i32::from(provisional < march(YEARLESS) * DAY_NS);
    let moved = march(year + from - YEARLESS) - march(from);
    (provisional.div_euclid(DAY_NS) + moved)
        .saturating_mul(DAY_NS)
        .saturating_add(provisional.rem_euclid(DAY_NS))
        .max(NO_TIME + 1)
}

/// The years a file may begin in: those for which nothing in the sample is later than the file's last change,
/// and every 29 February exists.
#[derive(Clone, Debug)]
pub(crate) struct PossibleYears {
    /// One bit per year, the first one for `first`.
    bits: u64,
    first: i32,
    /// Whether the sample, in the latest possible year, ends long before the file's last change.
    old: bool,
    modified: bool,
}

impl PossibleYears {
    pub(crate) fn from_sample(sample: &[i64], modified_ns: Option<i64>) -> PossibleYears {
        let Some(modified_ns) = modified_ns else {
            return PossibleYears { bits: 0, first: 0, old: true, modified: false };
        };
        let written = civil_from_days(modified_ns.div_euclid(DAY_NS)).0;
        let first = written - YEARS_BACK;
        let mut possible = PossibleYears { bits: 0, first, old: false, modified: true };
        for year in first..=written + 1 {
            if let Some(last) = last_of(sample, year, modified_ns) {
                possible.bits |= 1 << (year - first);
                possible.old = modified_ns.saturating_sub(last) > FRESH_NS;
            }
        }
        if possible.bits == 0 {
            possible.bits = 1 << YEARS_BACK;
        }
        possible
    }

    /// The latest possible year; if the file seems to have been copied since, the latest one that its
    /// neighbours also have. With the reason, for a person.
    pub(crate) fn decide(&self, neighbours: &[i16]) -> (i32, String) {
        let is_possible = |year: &i32| {
            let bit = u32::try_from(year - self.first).unwrap_or(u32::MAX);
            !self.modified || self.bits.checked_shr(bit).is_some_and(|bits| bits & 1 == 1)
        };
        let latest = self.first + 63 - self.bits.leading_zeros() as i32;
        let neighbour = neighbours.iter().map(|&year| i32::from(year)).filter(is_possible).max();
        let (year, why) = match neighbour {
            Some(year) if self.old && !(self.modified && year == latest) => {
                (year, "as in the neighbouring files")
            }
            _ if self.modified => (latest, "the latest year that ends before the file's last change"),
            _ => (UNKNOWN_YEAR, "because nothing determines the year"),
        };
        (year, format!("{year}, {why}"))
    }
}

/// The last time of a sample that starts in this year; `None` if it cannot have started in it.
fn last_of(sample: &[i64], year: i32, modified_ns: i64) -> Option<i64> {
    let mut years = Years::starting(year);
    let mut last = modified_ns;
    for time in sample.iter().filter_map(|&time| decode_provisional(time)) {
        let Some(resolved) = years.resolve(time) else { continue };
        let leap_day = matches!(civil_from_days(in_one_year(time)?.div_euclid(DAY_NS)), (_, 2, 29));
        if resolved > modified_ns.saturating_add(SLACK_NS) || (leap_day && !is_leap(years.year)) {
            return None;
        }
        last = resolved;
    }
    Some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provisional(month: u8, day: u8) -> i64 {
        days_from_civil(YEARLESS, month, day) * DAY_NS
    }

    fn real(year: i32, month: u8, day: u8) -> i64 {
        days_from_civil(year, month, day) * DAY_NS
    }

    #[test]
    fn december_to_january_is_a_new_year_and_a_late_december_line_is_not() {
        let mut years = Years::starting(2024);
        let order =
            [(12, 31, 2024), (1, 1, 2025), (12, 31, 2024), (1, 2, 2025), (2, 28, 2025), (12, 1, 2025)];
        for (month, day, year) in order {
            let resolved = years.resolve(ProvisionalTime::Yearless(provisional(month, day)));
            assert_eq!(resolved, Some(real(year, month, day)), "{month}-{day}");
        }
        assert_eq!(years.passed, 1);
    }

    #[test]
    fn the_starting_year_follows_the_file_s_last_change() {
        let start = |sample: &[(u8, u8)], modified, neighbours: &[i16]| {
            let sample: Vec<_> = sample.iter().map(|&(month, day)| provisional(month, day)).collect();
            PossibleYears::from_sample(&sample, modified).decide(neighbours).0
        };
        assert_eq!(start(&[(11, 20)], Some(real(2026, 11, 21)), &[]), 2026);
        assert_eq!(start(&[(11, 22)], Some(real(2026, 11, 21)), &[]), 2026);
        assert_eq!(start(&[(11, 23)], Some(real(2026, 11, 21)), &[]), 2025);
        assert_eq!(start(&[(1, 1)], Some(real(2026, 12, 30)), &[]), 2026);
        assert_eq!(start(&[(12, 30), (1, 2)], Some(real(2026, 1, 2)), &[]), 2025);
        assert_eq!(start(&[(2, 28), (2, 29)], Some(real(2026, 11, 21)), &[]), 2024);
        assert_eq!(start(&[(2, 28)], None, &[]), UNKNOWN_YEAR);
    }

    #[test]
    fn neighbours_determine_the_year_of_a_copied_file() {
        let sample = [provisional(3, 5)];
        let year =
            |modified, neighbours: &[i16]| PossibleYears::from_sample(&sample, modified).decide(neighbours).0;
        assert_eq!(year(Some(real(2026, 11, 21)), &[2016, 2017]), 2017);
        assert_eq!(year(Some(real(2026, 11, 21)), &[2027]), 2026);
        assert_eq!(year(Some(real(2026, 3, 7)), &[2016]), 2026, "it was written just now");
        assert_eq!(year(None, &[2016]), 2016);
    }

    #[test]
    fn a_zone_may_move_a_stamp_over_new_year() {
        let start = days_from_civil(YEARLESS_UTC, 1, 1) * DAY_NS;
        let mut years = Years::starting(2026);
        assert_eq!(years.resolve(ProvisionalTime::YearlessUtc(start - 1)), Some(real(2026, 1, 1) - 1));
        assert_eq!(years.resolve(ProvisionalTime::YearlessUtc(start)), Some(real(2026, 1, 1)));
    }
    #[test]
    fn every_day_stays_the_same_day_of_the_calendar() {
        for year in [-32_768, 1680, 1900, 1999, 2000, 2023, 2024, 2100, 32_767] {
            let days = days_from_civil(YEARLESS, 1, 1) - 1..=days_from_civil(YEARLESS + 1, 1, 1);
            for day in days {
                let (from, month, day_of_month) = civil_from_days(day);
                let expected = days_from_civil(year + from - YEARLESS, month, day_of_month);
                let expected = expected.saturating_mul(DAY_NS).saturating_add(7).max(NO_TIME + 1);
                assert_eq!(in_year(day * DAY_NS + 7, year), expected, "{year} {day}");
            }
        }
    }
}
