//! The state of settling within a source, as data: a source that grew, or that continues in another file,
//! resumes from it.

use serde::{Deserialize, Serialize};

use super::Settler;
use crate::batch::NO_TIME;
use crate::field_limit::FieldNames;
use crate::time::day::{Days, Uptimes};
use crate::time::gap_tracker::GapTracker;
use crate::time::report::TimeReport;
use crate::time::wall_clock::Passed;
use crate::time::year::Years;

/// The start values of a source's provisional times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SettlerStart {
    pub year: i32,
    pub midnight_ns: i64,
    pub boot_ns: i64,
}

/// The last values of the previous files of a rotated set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Before {
    pub years: u32,
    pub midnights: u32,
    pub restarts: u32,
}

/// The state of a [`Settler`] after some of the source's batches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SettlerState {
    start: SettlerStart,
    before: Before,
    years: Years,
    days: Days,
    uptimes: Uptimes,
    walls: Passed,
    complete: i64,
    carried: i64,
    begun: bool,
    latest_yearless_ns: i64,
    latest_dayless_ns: i64,
    course: GapTracker,
    report: TimeReport,
    #[serde(default)]
    fields: FieldNames,
}

impl Settler {
    #[must_use]
    pub fn state(&self) -> SettlerState {
        SettlerState {
            start: self.start,
            before: self.before,
            years: self.years.clone(),
            days: self.days.clone(),
            uptimes: self.uptimes.clone(),
            walls: self.walls.passed.clone(),
            complete: self.complete,
            carried: self.carried,
            begun: self.begun,
            latest_yearless_ns: self.latest_yearless_ns,
            latest_dayless_ns: self.latest_dayless_ns,
            course: self.course.clone(),
            report: self.report.clone(),
            fields: self.fields.clone(),
        }
    }

    /// Resumes from the state of an earlier settler of the same source. Returns false if the present evidence
    /// would have given another start, so that its earlier times must be settled again.
    #[must_use]
    pub fn resume_from(&mut self, state: &SettlerState) -> bool {
        let seen = &state.report;
        let same = (seen.yearless == 0 || self.start.year == state.start.year)
            && (seen.dayless == 0 || self.start.midnight_ns == state.start.midnight_ns)
            && (seen.uptimes == 0 || self.start.boot_ns == state.start.boot_ns)
            && seen.clock_offset_ns == self.clock_offset_ns;
        if same {
            self.take_place(state);
            self.take_counts(state);
        }
        same
    }

    /// Continues in the next file of a rotated set, from the end of the previous one.
    pub fn follow(&mut self, before: &SettlerState) {
        let same_offset = before.report.clock_offset_ns == self.clock_offset_ns;
        if before.begun && same_offset {
            self.take_place(before);
            self.before = Before {
                years: before.years.passed,
                midnights: before.days.midnights,
                restarts: before.uptimes.restarts,
            };
            self.course.continue_after(&before.course);
        }
    }

    fn take_place(&mut self, state: &SettlerState) {
        // Kinds of times that did not occur yet start as this source starts.
        if state.report.yearless > 0 {
            self.years = state.years.clone();
            self.report.year.clone_from(&state.report.year);
        }
        if state.report.dayless > 0 {
            self.days = state.days.clone();
            self.report.day.clone_from(&state.report.day);
        }
        if state.report.uptimes > 0 {
            self.uptimes = state.uptimes.clone();
            self.report.start.clone_from(&state.report.start);
        }
        self.walls.passed = state.walls.clone();
        self.walls.passed.forget_counts();
        self.complete = state.complete;
        if state.begun && state.carried != NO_TIME {
            self.carried = state.carried;
        }
        self.begun = state.begun;
    }

    fn take_counts(&mut self, state: &SettlerState) {
        self.before = state.before;
        self.walls.passed = state.walls.clone();
        (self.latest_yearless_ns, self.latest_dayless_ns) =
            (state.latest_yearless_ns, state.latest_dayless_ns);
        self.course = state.course.clone();
        self.fields = state.fields.clone();
        let decided = std::mem::replace(&mut self.report, state.report.clone());
        if state.report.yearless == 0 {
            self.report.year = decided.year;
        }
        if state.report.dayless == 0 {
            self.report.day = decided.day;
        }
        if state.report.uptimes == 0 {
            self.report.start = decided.start;
        }
    }
}
