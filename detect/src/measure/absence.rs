//! Silence: no event for a fixed time, or for longer than a group's own rhythm.

use serde::Deserialize;
use toml::Spanned;

use super::Interval;
use super::read::Lines;
use super::series::Bin;
use crate::problem::Fault;
use crate::verdict::{Coverage, Lack};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenAbsence {
    longer: Option<Spanned<String>>,
    times: Option<Spanned<f64>>,
}

#[derive(Clone, Debug)]
pub enum Absence {
    Longer(i64),
    /// So many times the pause that nine of ten pauses of the group are no longer than.
    Times(f64),
}

/// Rhythms are measured in bins of this width.
const RHYTHM_NS: i64 = 60_000_000_000;

/// Bins are this wide, or a power of four wider.
const LEAST_WIDTH_NS: i64 = 1_000_000;

/// With fewer pauses nobody knows a rhythm.
const LEAST_PAUSES: usize = 10;

impl WrittenAbsence {
    pub fn read(self, lines: &Lines<'_>) -> std::result::Result<Absence, Fault> {
        match (self.longer, self.times) {
            (Some(longer), None) => lines.duration(&longer).map(Absence::Longer),
            (None, Some(times)) => {
                let factor = lines.finite("times", &times)?;
                if factor > 1.0 {
                    return Ok(Absence::Times(factor));
                }
                Err(lines.fault(times.span(), "`times` is not above 1", "write 3 or more"))
            }
            _ => Err(lines.fault(
                0..0,
                "the absence has not one limit",
                "write either longer = \"10m\" or times = 5",
            )),
        }
    }
}

impl Absence {
    /// The width of bins that shows each pause that is too long: it has a whole bin in it. Of limits that are near each
    /// other it is the same, so that their detectors read the same bins.
    pub fn width(&self) -> i64 {
        match self {
            Absence::Longer(limit) => {
                let half = (limit / 2).max(LEAST_WIDTH_NS);
                LEAST_WIDTH_NS << ((half / LEAST_WIDTH_NS).ilog2() / 2 * 2)
            }
            Absence::Times(_) => RHYTHM_NS,
        }
    }

    /// The pauses between the events of a group, with the one up to the end of the data.
    pub fn pauses(bins: &[Bin], last: i64) -> Vec<(i64, i64)> {
        let between = bins.windows(2).map(|pair| (pair[0].ends.1, pair[1].ends.0));
        between.chain(bins.last().map(|bin| (bin.ends.1, last))).collect()
    }

    /// The pause that a group's limit is a multiple of; one nanosecond where the limit is fixed.
    pub fn rhythm(&self, bins: &[Bin]) -> Option<i64> {
        if matches!(self, Absence::Longer(_)) {
            return Some(1);
        }
        let mut lengths: Vec<i64> = bins.windows(2).map(|pair| pair[1].ends.0 - pair[0].ends.1).collect();
        lengths.sort_unstable();
        let usual = (lengths.len() >= LEAST_PAUSES).then(|| lengths[(lengths.len() - 1) * 9 / 10]);
        usual.map(|usual| usual.max(RHYTHM_NS))
    }

    /// The longest pause that is none yet, where it is known.
    pub fn limit(&self, bins: &[Bin]) -> Option<i64> {
        let rhythm = self.rhythm(bins)?;
        Some(match self {
            Absence::Longer(limit) => *limit,
            Absence::Times(times) => (rhythm as f64 * times) as i64,
        })
    }

    /// How much can be judged of a group up to the end of the data.
    pub(crate) fn coverage(&self, bins: &[Bin], last: i64) -> Coverage {
        let pauses = bins.len() as u64;
        let has = bins.first().map_or(0, |bin| last - bin.ends.0);
        let lack = match self.limit(bins) {
            None => Some(Lack::Count {
                has: pauses.saturating_sub(1),
                needed: LEAST_PAUSES as u64,
                what: "pauses to know a rhythm",
            }),
            Some(needed) if has <= needed => Some(Lack::Span { has, needed, what: "waits for a silence of" }),
            Some(_) => None,
        };
        Coverage { count: pauses, of: pauses, short: 0, lack }
    }

    /// The pauses that are too long, up to the end of the data.
    pub fn intervals(&self, bins: &[Bin], last: i64) -> Vec<Interval> {
        let Some(limit) = self.limit(bins) else { return Vec::new() };
        let too_long = Absence::pauses(bins, last).into_iter().filter(|(from, to)| to - from > limit);
        too_long
            .map(|(from, to)| Interval {
                start: from + 1,
                end: to - 1,
                // The silence is longest where it ends.
                peak: to - 1,
                value: (to - from) as f64 / 1e9,
                expected: limit as f64 / 1e9,
                events: 0,
                basis: None,
            })
            .collect()
    }
}
