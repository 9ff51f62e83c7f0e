//! How the events of a row and those of a difference that it explains belong together.

use serde::Serialize;

use super::Also;
use super::cells::{self, Cells};
use super::counts::{Candidate, Counts};
use super::score::{LEAST_RATIO, Rates};

/// Two that share so much of their events are the same.
pub const SAME: f64 = 0.9;

/// So much of a difference has to be in the events of a row to occur with it.
const LEAST_SHARED: f64 = 0.5;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Relation {
    /// Nine tenths of the events of either are events of both.
    Same,
    /// At least half of what differs is in events of the row.
    Together,
    /// No event has both, but they occur in the same parts of a side's time.
    Time {
        /// 0 in A, 1 in B.
        side: usize,
        /// The 120ths of its time in which it occurs, and those of them in which the row occurs as well.
        bins: u32,
        shared: u32,
    },
    /// The same clock differs from that of another source as well.
    Clock,
}

/// A row as the cells count it: the candidates that each of its events has.
#[derive(Clone, Copy)]
pub struct RowEvents {
    pub candidates: u64,
}

impl RowEvents {
    /// The difference as a consequence of the row, if its events or its times are those of the row.
    pub fn also(
        self,
        cells: &Cells,
        counts: &Counts,
        place: usize,
        other: &Candidate,
        limit: f64,
    ) -> Option<Also> {
        let both = cells.both(self.candidates | 1 << place);
        let own = cells.both(self.candidates);
        let relation = if cells::overlap(both, [own, other.counts]) >= SAME {
            Relation::Same
        } else if is_shared(both, other.counts, counts.events) {
            Relation::Together
        } else if both == [0; 2] {
            self.same_times(cells, counts, place, other, limit)?
        } else {
            return None;
        };
        Some(Also {
            subject: other.subject.clone(),
            change: other.change(counts.events),
            counts: other.counts,
            both,
            relation,
        })
    }

    /// Whether the events of the other one lie in those buckets that have events of the row, more than all events do.
    fn same_times(
        self,
        cells: &Cells,
        counts: &Counts,
        place: usize,
        other: &Candidate,
        limit: f64,
    ) -> Option<Relation> {
        // The times of a pair are not counted.
        let row = self.candidates.is_power_of_two().then(|| self.candidates.trailing_zeros() as usize)?;
        let side = Rates::new(other.counts, counts.events).higher();
        let (mut inside, mut outside, mut bins, mut shared) = ([0_u64; 2], [0_u64; 2], 0, 0);
        let buckets = cells.buckets[place][side].iter().zip(&cells.buckets[row][side]);
        for ((&own, &of_row), &all) in buckets.zip(&counts.rhythms[side].all) {
            let sum = if of_row > 0 { &mut inside } else { &mut outside };
            *sum = [sum[0] + u64::from(own), sum[1] + u64::from(all)];
            bins += u32::from(own > 0);
            shared += u32::from(own > 0 && of_row > 0);
        }
        let rates = Rates::new([outside[0], inside[0]], [outside[1], inside[1]]);
        let is_then = rates.higher() == 1 && rates.at_least(limit * other.dispersion) >= LEAST_RATIO;
        (is_then && 2 * shared >= bins).then_some(Relation::Time { side, bins, shared })
    }
}

/// Whether enough of a difference lies in the events that it shares with a row.
fn is_shared(both: [u64; 2], own: [u64; 2], events: [u64; 2]) -> bool {
    let rates = Rates::new(own, events);
    let shared = both[rates.higher()];
    shared > 0 && shared as f64 >= LEAST_SHARED * rates.excess()
}
