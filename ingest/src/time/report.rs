//! The time report of a source: how its times were decided and what is unusual about them, for a person.

use serde::{Deserialize, Serialize};

use super::TimeTally;
use super::gap_tracker::TimeStep;

/// How the times of a source were read: the decisions with reasons, and the events on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimeReport {
    /// The origin of the zone.
    pub zone: String,
    /// How the year of year-less stamps was decided; empty if there were none.
    pub year: String,
    /// How the day of times of day was decided.
    pub day: String,
    /// How the start of uptimes was decided.
    pub start: String,
    /// How the order of day and month was decided, if the numbers left it open.
    pub date_order: String,
    pub zoned: u64,
    pub zoneless: u64,
    pub yearless: u64,
    pub dayless: u64,
    pub uptimes: u64,
    /// Events without a time that took the time of the event before.
    pub carried: u64,
    /// Events without a time that have no event with a time before them.
    pub untimed: u64,
    pub new_years: u32,
    pub midnights: u32,
    pub restarts: u32,
    /// Times in an hour that a clock change repeats, and how many of them were read as the second one.
    pub repeated: u64,
    pub repeated_second: u64,
    /// Times in an hour that a clock change skips.
    pub skipped: u64,
    pub jumps_back: u64,
    pub first_jump: Option<TimeStep>,
    pub largest_jump: Option<TimeStep>,
    /// Events at most a second earlier than the one before.
    pub late: u64,
    /// The longest gaps, if they are much longer than usual, in source order.
    pub gaps: Vec<TimeStep>,
    /// The offset added to every time.
    pub clock_offset_ns: i64,
    /// The starting year with which the source would end before its last change, if it does not now.
    pub better_year: Option<i16>,
    /// The same for the first day, in days to go back.
    pub days_too_late: u32,
}

impl TimeReport {
    /// The report in sentences, the decisions first.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let decisions = [
            ("zone", &self.zone),
            ("year", &self.year),
            ("day", &self.day),
            ("start", &self.start),
            ("order of dates", &self.date_order),
        ];
        for (what, why) in decisions {
            if !why.is_empty() {
                sentences.push(format!("{what}: {why}"));
            }
        }
        let mut count = |number: u64, one: &str, many: &str| match number {
            0 => {}
            1 => sentences.push(format!("1 {one}")),
            _ => sentences.push(format!("{number} {many}")),
        };
        count(
            self.carried,
            "event without a time uses the previous timestamp",
            "events without a time use the previous timestamp",
        );
        count(self.untimed, "event has no time", "events have no time");
        count(self.new_years.into(), "New Year passed", "New Years passed");
        count(self.midnights.into(), "midnight passed", "midnights passed");
        count(
            self.restarts.into(),
            "restart, after which the clock continues",
            "restarts, after which the clock continues",
        );
        count(
            self.repeated,
            "time lies in an hour that a clock change repeats",
            "times lie in an hour that a clock change repeats",
        );
        count(
            self.repeated_second,
            "of them was taken for the second one",
            "of them were taken for the second one",
        );
        count(
            self.skipped,
            "time lies in an hour that a clock change skips",
            "times lie in an hour that a clock change skips",
        );
        if let (Some(first), Some(largest)) = (self.first_jump, self.largest_jump) {
            let times = if self.jumps_back == 1 { "once" } else { "" };
            let count =
                if times.is_empty() { format!("{} times", self.jumps_back) } else { times.to_string() };
            sentences.push(format!(
                "time jumps back {count}, first in line {}, at most by {}",
                first.line,
                duration_words(largest.length_ns())
            ));
        }
        for gap in &self.gaps {
            sentences.push(format!(
                "nothing for {} before line {}",
                duration_words(gap.length_ns()),
                gap.line
            ));
        }
        if self.clock_offset_ns != 0 {
            let direction = if self.clock_offset_ns < 0 { "earlier" } else { "later" };
            let length = duration_words(self.clock_offset_ns.unsigned_abs());
            sentences.push(format!("all times are {length} {direction} than written, as chosen"));
        }
        if let Some(year) = self.better_year {
            sentences.push(format!("the times run past the file's last change; it may begin in {year}"));
        }
        if self.days_too_late > 0 {
            sentences.push(format!(
                "the times run past the file's last change; it may begin {} earlier",
                if self.days_too_late == 1 {
                    "a day".to_string()
                } else {
                    format!("{} days", self.days_too_late)
                }
            ));
        }
        sentences
    }

    pub(crate) fn add(&mut self, tally: &TimeTally) {
        self.zoned += u64::from(tally.zoned);
        self.zoneless += u64::from(tally.zoneless);
        self.yearless += u64::from(tally.yearless);
        self.dayless += u64::from(tally.dayless);
        self.uptimes += u64::from(tally.uptimes);
    }
}

/// A duration in its two largest units: `2 h 5 min`.
pub(crate) fn duration_words(ns: u64) -> String {
    const UNITS: [(u64, &str); 6] = [
        (86_400_000_000_000, "d"),
        (3_600_000_000_000, "h"),
        (60_000_000_000, "min"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1, "ns"),
    ];
    let largest = UNITS.iter().position(|&(unit, _)| ns >= unit).unwrap_or(UNITS.len() - 1);
    let (unit, name) = UNITS[largest];
    let rest = UNITS.get(largest + 1).map_or(0, |&(next, _)| ns % unit / next);
    match UNITS.get(largest + 1) {
        Some((_, next)) if rest > 0 && *next != "ns" => format!("{} {name} {rest} {next}", ns / unit),
        _ => format!("{} {name}", ns / unit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_worded() {
        let words: Vec<_> = [0, 999, 5_000_000, 61_000_000_000, 7_500_000_000_000, 86_400_000_000_000]
            .map(duration_words)
            .into();
        assert_eq!(words, ["0 ns", "999 ns", "5 ms", "1 min 1 s", "2 h 5 min", "1 d"]);
    }

    #[test]
    fn ordinary_source_reports_only_its_zone() {
        let report = TimeReport { zone: "in the data".to_string(), zoned: 5, ..TimeReport::default() };
        assert_eq!(report.sentences(), ["zone: in the data"]);
    }
}
