//! The time of the data: that of the newest event, and from then on as long as passed since it came. So silence has an
//! end without events, and logs that are late or old are judged by their own times.

use std::time::Instant;

use indexer::Moment;

#[derive(Debug)]
pub struct DataClock {
    newest: Option<i64>,
    /// The time of the data at an instant.
    base: Option<(i64, Instant)>,
}

impl DataClock {
    /// Goes on from what it was before a restart.
    pub fn new(before: Option<i64>, moment: Moment) -> DataClock {
        DataClock { newest: None, base: before.map(|before| (before, moment.instant)) }
    }

    /// The time now, given that of the newest event. Events of the future are waited for.
    pub fn now(&mut self, newest: i64, moment: Moment) -> i64 {
        let newest = newest.min(moment.unix_ns);
        let passed = |from: Instant| {
            i64::try_from(moment.instant.saturating_duration_since(from).as_nanos()).unwrap_or(i64::MAX)
        };
        let so_far = self.base.map(|(time, from)| time.saturating_add(passed(from)).min(moment.unix_ns));
        if self.newest.is_none_or(|known| newest > known) {
            self.newest = Some(newest);
            self.base = Some((so_far.map_or(newest, |so_far| so_far.max(newest)), moment.instant));
        }
        self.base
            .map_or(newest, |(time, from)| time.saturating_add(passed(from)).min(moment.unix_ns.max(time)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn time_goes_on_without_events_and_never_back() {
        let start = Instant::now();
        let at = |seconds: u64| Moment {
            unix_ns: 1_000 + seconds as i64 * 1_000_000_000,
            instant: start + Duration::from_secs(seconds),
        };
        let mut clock = DataClock::new(None, at(0));
        assert_eq!(clock.now(500, at(0)), 500);
        assert_eq!(clock.now(500, at(2)), 500 + 2_000_000_000);
        assert_eq!(clock.now(600, at(2)), 500 + 2_000_000_000, "an event that is late moves nothing");
        assert_eq!(clock.now(i64::MAX, at(3)), at(3).unix_ns, "an event of the future does not either");
        let mut again = DataClock::new(Some(9), at(0));
        assert_eq!(again.now(5, at(1)), 9 + 1_000_000_000, "a restart goes on");
    }
}
