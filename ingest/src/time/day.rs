//! Times of day without a date, and uptimes: which day or boot they belong to.

use serde::{Deserialize, Serialize};

use super::civil::{DAY_NS, SECOND_NS, civil_from_days, days_from_civil, last_day};
use super::digits::{byte, digit_run, four, two};
use super::year::SLACK_NS;

/// A fall of more than an hour and a half is midnight: lines are not that late, and clocks are set back by an
/// hour. A rise that is as close to a whole day is a late line of the day before.
const MIDNIGHT_JUMP_NS: i64 = DAY_NS / 16;
/// An uptime that falls by more than this, to less than half, is a restart; a smaller fall is a line out of
/// order.
const RESTART_JUMP_NS: i64 = 10 * SECOND_NS;
/// A stamp with its date so close to a time of day determines its day.
const NEAR_NS: i64 = DAY_NS / 24;

/// Assigns days to times of day, in file order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Days {
    /// Midnight of the current day, on the wall clock.
    midnight_ns: i64,
    last: Option<i64>,
    pub midnights: u32,
}

impl Days {
    pub(crate) fn starting(midnight_ns: i64) -> Days {
        Days { midnight_ns, last: None, midnights: 0 }
    }

    pub(crate) fn midnight_ns(&self) -> i64 {
        self.midnight_ns
    }

    /// The wall clock of a time of day.
    pub(crate) fn resolve(&mut self, time_of_day: i64) -> i64 {
        if let Some(last) = self.last {
            if time_of_day > last + DAY_NS - MIDNIGHT_JUMP_NS && self.midnights > 0 {
                // A late line of the day before.
                return self.midnight_ns - DAY_NS + time_of_day;
            }
            if time_of_day < last - MIDNIGHT_JUMP_NS {
                self.midnight_ns = self.midnight_ns.saturating_add(DAY_NS);
                self.midnights += 1;
            }
        }
        self.last = Some(time_of_day);
        self.midnight_ns.saturating_add(time_of_day)
    }

    /// Processes a stamp with its date: it determines the day of the following times, if the two are close.
    /// Returns whether it did.
    pub(crate) fn follow(&mut self, full_wall: i64, time_of_day: i64) -> bool {
        let midnight = full_wall.div_euclid(DAY_NS) * DAY_NS;
        // The very start of a day is the time of a line that names only the day, and the lines after it are
        // on that day.
        let named = (full_wall == midnight).then_some(midnight);
        let near = named
            .into_iter()
            .chain([midnight - DAY_NS, midnight, midnight + DAY_NS])
            .find(|midnight| named.is_some() || (midnight + time_of_day - full_wall).abs() <= NEAR_NS);
        if let Some(near) = near {
            self.midnight_ns = near;
            self.last = Some(time_of_day);
        }
        near.is_some()
    }
}

/// Midnight of the first day of a file and how it was decided. A date in its name is that of its first time.
/// Otherwise the last time of the sample is at or before the file's last change, and the midnights in the
/// sample are counted back.
pub(crate) fn starting_day(times: &[i64], name: &str, modified_wall: Option<i64>) -> (i64, &'static str) {
    if let Some(day) = date_in_name(name) {
        return (day * DAY_NS, "from the date in the file's name");
    }
    let Some(modified_wall) = modified_wall else { return (0, "because nothing determines the day") };
    let mut days = Days::starting(0);
    let last = times.iter().fold(0, |_, &time| days.resolve(time));
    let latest = modified_wall.saturating_add(SLACK_NS / 24);
    ((latest - last).div_euclid(DAY_NS) * DAY_NS, "from the file's last change")
}

/// The day number of a date in a file's name: `2016-12-19`, `2016_12_19`, `2016.12.19` or `20160323`.
pub(crate) fn date_in_name(name: &str) -> Option<i64> {
    let name = name.as_bytes();
    (0..name.len()).rev().find_map(|at| {
        if at > 0 && name[at - 1].is_ascii_digit() {
            return None;
        }
        let separator = byte(name, at + 4);
        let (month_at, day_at) = match digit_run(name, at) {
            4 if matches!(separator, b'-' | b'_' | b'.') && byte(name, at + 7) == separator => (5, 8),
            8 | 10 | 12 | 14 => (4, 6),
            _ => return None,
        };
        let (year, month, day) = (four(name, at)?, two(name, at + month_at)?, two(name, at + day_at)?);
        let is_date = (1970..=2200).contains(&year)
            && (1..=12).contains(&month)
            && (1..=last_day(Some(year), month)).contains(&day);
        is_date.then(|| days_from_civil(i32::from(year), month, day))
    })
}

/// Converts uptimes to instants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Uptimes {
    pub start_ns: i64,
    last: Option<i64>,
    pub restarts: u32,
}

impl Uptimes {
    pub(crate) fn starting(start_ns: i64) -> Uptimes {
        Uptimes { start_ns, last: None, restarts: 0 }
    }

    pub(crate) fn resolve(&mut self, uptime: i64) -> i64 {
        if let Some(last) = self.last
            && uptime < last - RESTART_JUMP_NS
            && uptime < last / 2
        {
            // The length of the downtime is unknown, so time continues where it ended.
            self.start_ns = self.start_ns.saturating_add(last - uptime);
            self.restarts += 1;
        }
        self.last = Some(uptime);
        self.start_ns.saturating_add(uptime)
    }
}

/// The day of a wall clock time, for a person.
pub(crate) fn day_words(wall_ns: i64) -> String {
    let (year, month, day) = civil_from_days(wall_ns.div_euclid(DAY_NS));
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_NS: i64 = DAY_NS / 24;

    #[test]
    fn times_of_day_roll_over_at_midnight() {
        let mut days = Days::starting(0);
        let hours = [(20, 20), (23, 23), (0, 24), (23, 23), (1, 25), (12, 36), (11, 35), (0, 48)];
        for (hour, since) in hours {
            assert_eq!(days.resolve(hour * HOUR_NS), since * HOUR_NS, "{hour}");
        }
        assert_eq!(days.midnights, 2);
    }

    #[test]
    fn the_first_day_is_named_or_counted_back() {
        let day = days_from_civil(2016, 12, 19) * DAY_NS;
        let hours = |hours: &[i64]| hours.iter().map(|hour| hour * HOUR_NS).collect::<Vec<_>>();
        assert_eq!(starting_day(&hours(&[1]), "server.2016-12-19.log", None).0, day);
        assert_eq!(starting_day(&[], "x", None).0, 0);
        let modified = Some(day + 10 * HOUR_NS);
        assert_eq!(starting_day(&hours(&[8, 9]), "latest.log", modified).0, day);
        assert_eq!(starting_day(&hours(&[8, 12]), "latest.log", modified).0, day - DAY_NS);
        assert_eq!(starting_day(&hours(&[23, 1, 23, 9]), "latest.log", modified).0, day - 2 * DAY_NS);
    }

    #[test]
    fn dates_in_names() {
        let day = |name: &str| date_in_name(name).map(|day| day_words(day * DAY_NS));
        assert_eq!(day("log_2016_12_19-1.txt").as_deref(), Some("2016-12-19"));
        assert_eq!(day("access-20160323.log").as_deref(), Some("2016-03-23"));
        assert_eq!(day("run-20160323120000").as_deref(), Some("2016-03-23"));
        assert_eq!(day("build-20161323.log"), None);
        assert_eq!(day("v1.2016.log"), None);
        assert_eq!(day("123420160323"), None);
    }

    #[test]
    fn time_continues_after_an_uptime_restarts() {
        let mut uptimes = Uptimes::starting(1_000);
        assert_eq!(uptimes.resolve(100 * SECOND_NS), 100 * SECOND_NS + 1_000);
        assert_eq!(uptimes.resolve(95 * SECOND_NS), 95 * SECOND_NS + 1_000);
        assert_eq!(uptimes.resolve(SECOND_NS), 95 * SECOND_NS + 1_000);
        assert_eq!(uptimes.resolve(3 * SECOND_NS), 97 * SECOND_NS + 1_000);
        assert_eq!(uptimes.restarts, 1);
    }
}
