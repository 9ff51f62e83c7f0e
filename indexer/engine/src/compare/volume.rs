//! How much each side logs over time: the first row of a comparison. All other rows are about shares, which stay the same
//! if nine tenths of the traffic are missing.

use serde::Serialize;

use super::Change;
use super::counts::Counts;
use super::rhythm::{self, BUCKETS};
use super::score::{self, LEAST_RATIO, Rates};
use super::sides::Sides;

/// In a shorter time no rate is known.
const LEAST_S: f64 = 1.0;

/// A bucket that is completely in the time of its side.
const WHOLE_BUCKET: f64 = 1_000.0;

/// Events over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Volume {
    /// Events of A and of B that have a time.
    pub events: [u64; 2],
    /// The time of each side within that of its case.
    pub spans_s: [f64; 2],
    pub per_second: [f64; 2],
    /// More or fewer in B; nothing if chance explains the difference, or if it is smaller than the line.
    pub change: Option<Change>,
    /// The higher rate is at least so many times the lower one.
    pub at_least: f64,
    pub p_value: f64,
}

/// Units of time for rates, the longest last.
const UNITS: [(f64, &str); 4] = [(1.0, "second"), (60.0, "minute"), (3_600.0, "hour"), (86_400.0, "day")];

impl Volume {
    /// In words, without a full stop.
    #[must_use]
    pub fn text(&self) -> String {
        let most = self.per_second[0].max(self.per_second[1]);
        let (seconds, unit) =
            UNITS.into_iter().find(|(seconds, _)| most * seconds >= 1.0).unwrap_or(UNITS[3]);
        let [a, b] = self.per_second.map(|rate| rate * seconds);
        let percent = 100.0 * (b / a - 1.0);
        let how = match self.change {
            Some(Change::More) => format!("{percent:.0} % more"),
            Some(_) => format!("{:.0} % fewer", -percent),
            None => "no clear difference".to_owned(),
        };
        format!("volume: {a:.1} events a {unit} in A, {b:.1} in B: {how}")
    }
}

/// Nothing if a side is a sample, if the sides are other sources, or if the time of one is not known.
pub fn of_sides(sides: &Sides<'_>, counts: &Counts) -> Option<Volume> {
    if sides.is_one_case() && sides.are_of_other_sources() {
        return None;
    }
    let (mut events, mut spans_s, mut dispersion) = ([0; 2], [0.0; 2], 1.0_f64);
    for side in 0..2 {
        let rhythm = &counts.rhythms[side];
        let times = sides.times(side)?;
        spans_s[side] = times.iter().map(|(from, to)| seconds(*from, *to)).sum();
        events[side] = rhythm.all.iter().map(|&count| u64::from(count)).sum();
        let weight = |bucket: usize| {
            let (from, to) = (rhythm.edges[bucket], rhythm.edges[bucket + 1]);
            let inside = times.iter().map(|&(begin, end)| seconds(from.max(begin), to.min(end))).sum::<f64>();
            (WHOLE_BUCKET * inside / seconds(from, to).max(1e-9)) as u32
        };
        if rhythm.edges.len() > BUCKETS {
            let weights: Vec<u32> = (0..BUCKETS).map(weight).collect();
            dispersion = dispersion.max(rhythm::dispersion(&rhythm.all, &weights));
        }
    }
    if spans_s.iter().any(|&span| span < LEAST_S) || events.contains(&0) {
        return None;
    }
    let rates = Rates { counts: events.map(|count| count as f64), totals: spans_s };
    let at_least = rates.at_least(score::threshold(1) * dispersion);
    let change = if rates.higher() == 1 { Change::More } else { Change::Fewer };
    let (all, time) = (rates.counts[0] + rates.counts[1], spans_s[0] + spans_s[1]);
    let term = |side: usize| {
        let seen = rates.counts[side];
        seen * (seen / (all * spans_s[side] / time)).ln()
    };
    Some(Volume {
        events,
        spans_s,
        per_second: [rates.share(0), rates.share(1)],
        change: (at_least >= LEAST_RATIO).then_some(change),
        at_least,
        p_value: score::p_value(2.0 * (term(0) + term(1)) / dispersion),
    })
}

/// None if they are the other way round.
fn seconds(from: i64, to: i64) -> f64 {
    (i128::from(to) - i128::from(from)).max(0) as f64 / 1e9
}
