//! Tracks where the times of a source jump back, and where nothing was logged for long.

use serde::{Deserialize, Serialize};

use super::civil::SECOND_NS;

/// Events of several threads are written some milliseconds out of order; a larger fall is a jump.
const JUMP_BACK_NS: i64 = SECOND_NS;
/// This many gaps are kept; a person looks at the largest.
const MOST_GAPS: usize = 5;
/// A gap is reported if it is this many times as long as a usual step, and at least a minute.
const GAP_FACTOR: i64 = 100;
const SHORTEST_GAP_NS: i64 = 60 * SECOND_NS;
/// With fewer events the usual step is unknown.
const FEWEST_STEPS: u64 = 50;

/// A remarkable step from one event's time to the next one's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeStep {
    /// Nanoseconds since 1970 UTC.
    pub from_ns: i64,
    pub to_ns: i64,
    /// Line of the event after the step.
    pub line: u64,
}

impl TimeStep {
    #[must_use]
    pub fn length_ns(&self) -> u64 {
        self.from_ns.abs_diff(self.to_ns)
    }
}

/// The observations so far. Constant size, however long the source is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct GapTracker {
    last_ns: i64,
    latest_ns: i64,
    steps: u64,
    /// Events slightly earlier than the one before.
    pub late: u64,
    pub jumps: u64,
    pub first_jump: Option<TimeStep>,
    pub largest_jump: Option<TimeStep>,
    /// The longest first; unused ones have no length.
    gaps: [TimeStep; MOST_GAPS],
    shortest_kept_ns: i64,
    first_ns: i64,
}

impl GapTracker {
    #[inline]
    pub(crate) fn step(&mut self, time_ns: i64, line: u64) {
        if self.steps == 0 {
            (self.last_ns, self.latest_ns, self.first_ns) = (time_ns, time_ns, time_ns);
        }
        self.steps += 1;
        if time_ns < self.last_ns {
            self.back(time_ns, line);
        } else if time_ns > self.latest_ns {
            if time_ns.saturating_sub(self.latest_ns) > self.shortest_kept_ns {
                self.gap(TimeStep { from_ns: self.latest_ns, to_ns: time_ns, line });
            }
            self.latest_ns = time_ns;
        }
        self.last_ns = time_ns;
    }

    /// Continues after another source: a jump or a gap between the two counts.
    pub(crate) fn continue_after(&mut self, before: &GapTracker) {
        if before.steps > 0 {
            (self.last_ns, self.latest_ns, self.first_ns) =
                (before.last_ns, before.latest_ns, before.latest_ns);
            self.steps = 1;
        }
    }

    #[cold]
    fn back(&mut self, time_ns: i64, line: u64) {
        let jump = TimeStep { from_ns: self.last_ns, to_ns: time_ns, line };
        if self.last_ns.saturating_sub(time_ns) <= JUMP_BACK_NS {
            self.late += 1;
            return;
        }
        self.jumps += 1;
        self.first_jump.get_or_insert(jump);
        if self.largest_jump.is_none_or(|largest| jump.length_ns() > largest.length_ns()) {
            self.largest_jump = Some(jump);
        }
    }

    #[cold]
    fn gap(&mut self, gap: TimeStep) {
        let place = self.gaps.iter().position(|kept| kept.length_ns() < gap.length_ns());
        let Some(place) = place else { return };
        self.gaps[place..].rotate_right(1);
        self.gaps[place] = gap;
        self.shortest_kept_ns = self.gaps[MOST_GAPS - 1].length_ns().try_into().unwrap_or(i64::MAX);
    }

    /// The longest gaps that are much longer than the usual step, in source order.
    pub(crate) fn gaps(&self) -> Vec<TimeStep> {
        if self.steps < FEWEST_STEPS {
            return Vec::new();
        }
        let kept: u64 = self.gaps.iter().map(TimeStep::length_ns).fold(0, u64::saturating_add);
        let covered = self.first_ns.abs_diff(self.latest_ns).saturating_sub(kept);
        let usual = covered / self.steps.saturating_sub(MOST_GAPS as u64).max(1);
        let worth = usual.saturating_mul(GAP_FACTOR as u64).max(SHORTEST_GAP_NS as u64);
        let mut gaps: Vec<_> = self.gaps.iter().filter(|gap| gap.length_ns() >= worth).copied().collect();
        gaps.sort_by_key(|gap| gap.line);
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_and_gaps_are_reported_with_their_line() {
        let mut course = GapTracker::default();
        let mut now = 1_000 * SECOND_NS;
        for line in 1..=1_000_u64 {
            now += match line {
                300 => 7_200 * SECOND_NS,
                500 => -400 * SECOND_NS,
                600 => -SECOND_NS / 2,
                700 => -20 * SECOND_NS,
                800 => 3_600 * SECOND_NS,
                _ => SECOND_NS,
            };
            course.step(now, line);
        }
        assert_eq!((course.jumps, course.late), (2, 1));
        assert_eq!(course.first_jump.map(|jump| jump.line), Some(500));
        assert_eq!(course.largest_jump.map(|jump| jump.length_ns()), Some(400 * SECOND_NS as u64));
        let lines: Vec<_> = course.gaps().iter().map(|gap| gap.line).collect();
        assert_eq!(lines, [300, 800]);
    }

    #[test]
    fn a_slow_log_has_no_gaps() {
        let mut course = GapTracker::default();
        for line in 0..100_u64 {
            course.step(line as i64 * 3_600 * SECOND_NS, line);
        }
        assert!(course.gaps().is_empty());
        assert!(GapTracker::default().gaps().is_empty());
    }
}
