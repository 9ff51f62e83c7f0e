//! Differences only of share: more events in some rows leave a smaller share for all others.

use serde::Serialize;

use super::cells::{Cells, MOST, RestEvents};
use super::counts::{Candidate, Counts};
use super::score::{LEAST_RATIO, Rates};
use super::sides::Sides;
use super::subject::Subject;
use super::{Change, Difference, explain};
use base::error::Result;

/// A difference is explained by another one if this much of its ratio is left without that one's events. That it is no longer
/// clear is not enough: without many of the events, nothing is.
pub const LEFT: f64 = 0.67;

/// A difference that is gone without the events of the rows, and has hardly any event of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ShareChange {
    pub subject: Subject,
    pub change: Change,
    pub counts: [u64; 2],
    pub shares: [f64; 2],
    /// The rows whose events are left out in the following.
    pub without: Vec<Subject>,
    /// Its events without theirs, and all events without theirs.
    pub left: [u64; 2],
    pub left_events: [u64; 2],
}

/// A candidate without some events.
pub struct Left {
    pub score: f64,
    pub is_above: bool,
    /// The logarithm of its ratio.
    pub ratio: f64,
    pub counts: [u64; 2],
}

impl Left {
    pub fn of_candidate(candidate: &Candidate, counts: &Counts, limit: f64, rest: RestEvents) -> Left {
        let rates = Rates::new(rest.own, rest.all);
        let found =
            |score: f64, is_above: bool| Left { score, is_above, ratio: rates.log_ratio(), counts: rest.own };
        let is_most = 2 * rest.own[1] >= candidate.counts[1];
        if let Some(score) = candidate.rhythm_score().filter(|_| is_most) {
            return found(candidate.score.max(score), true);
        }
        let is_as_before = rates.higher() == Rates::new(candidate.counts, counts.events).higher();
        let limit = limit * candidate.dispersion;
        let is_above = is_as_before && rates.at_least(limit) >= LEAST_RATIO;
        found(if is_as_before { rates.score(limit) } else { 0.0 }, is_above)
    }

    /// Whether a difference that was `whole` before is gone.
    pub fn is_share_of(&self, whole: &Left) -> bool {
        !whole.is_above || (!self.is_above && self.ratio.abs() <= LEFT * whole.ratio.abs())
    }
}

/// A row whose events can be left out.
#[derive(Clone)]
pub struct RemovedRow {
    pub subject: Subject,
    /// The candidates that each of its events has.
    pub parts: Vec<Candidate>,
}

impl RemovedRow {
    pub fn of_candidate(candidate: &Candidate) -> RemovedRow {
        RemovedRow { subject: candidate.subject.clone(), parts: vec![candidate.clone()] }
    }
}

/// Differences, counted again without the events of rows.
#[derive(Default)]
pub struct Shares {
    pub only: Vec<ShareChange>,
    /// Those that are there without these events as well.
    pub rows: Vec<Difference>,
}

/// Counts some differences again without the events of rows.
pub fn without(
    sides: &Sides<'_>,
    counts: &Counts,
    differences: &[Candidate],
    rows: &[RemovedRow],
    limit: f64,
) -> Result<Shares> {
    let mut found = Shares::default();
    let mut together: Vec<Candidate> = Vec::new();
    // Each row as the bits of its parts. Few rows are pairs, so that there is space for differences.
    let mut masks: Vec<u64> = Vec::new();
    for row in rows.iter().take(MOST / 2) {
        let mut mask = 0;
        for part in &row.parts {
            let known = together.iter().position(|known| known.key == part.key);
            mask |= 1_u64 << known.unwrap_or(together.len());
            if known.is_none() {
                together.push(part.clone());
            }
        }
        masks.push(mask);
    }
    let (rows, parts) = (&rows[..masks.len()], together.len());
    for some in differences.chunks(MOST - parts) {
        together.truncate(parts);
        together.extend_from_slice(some);
        let cells = Cells::count(sides, counts, &together)?;
        for (place, candidate) in together.iter().enumerate().skip(parts) {
            let rest = cells.rest_without_rows(place, &masks);
            let every = RestEvents { own: candidate.counts, all: counts.events };
            let whole = Left::of_candidate(candidate, counts, limit, every);
            if !Left::of_candidate(candidate, counts, limit, rest).is_share_of(&whole) {
                found.rows.push(explain::row(candidate, whole.score, &cells.buckets[place], counts, limit));
                continue;
            }
            let rates = Rates::new(candidate.counts, counts.events);
            found.only.push(ShareChange {
                subject: candidate.subject.clone(),
                change: candidate.change(counts.events),
                counts: candidate.counts,
                shares: [rates.share(0), rates.share(1)],
                without: rows.iter().map(|row| row.subject.clone()).collect(),
                left: rest.own,
                left_events: rest.all,
            });
        }
    }
    Ok(found)
}
