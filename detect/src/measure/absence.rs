//! Silence: no event for a fixed time, or for longer than a group's own rhythm.

use indexer::Result;
use serde::Deserialize;
use toml::Spanned;

use super::read::Lines;
use super::series::{Bin, series};
use super::{Detector, Found, Interval, Place};
use crate::problem::Fault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
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

/// With fewer pauses nobody knows a rhythm.
const LEAST_PAUSES: usize = 10;

impl Written {
    pub fn read(self, lines: &Lines<'_>) -> std::result::Result<Absence, Fault> {
        match (self.longer, self.times) {
            (Some(longer), None) => lines.duration(&longer).map(Absence::Longer),
            (None, Some(times)) if *times.get_ref() > 1.0 => Ok(Absence::Times(*times.get_ref())),
            (None, Some(times)) => {
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
    pub fn evaluate(&self, detector: &Detector, place: &Place<'_>) -> Result<Found> {
        let Some((_, last)) = place.ends() else { return Ok(Found::default()) };
        // A pause that is long enough has a whole bin in it, so bins tell where each begins and ends.
        let width = match self {
            Absence::Longer(limit) => (limit / 2).max(1_000_000),
            Absence::Times(_) => RHYTHM_NS,
        };
        let mut found = Found::default();
        let groups = series(place, &detector.filter, "count", width, &detector.by)?;
        for (keys, bins) in &groups {
            for interval in self.intervals(bins, last) {
                found.alerts.push(detector.alert(keys, &interval, &detector.filter));
            }
        }
        Ok(found)
    }

    /// The pauses that are too long, up to the end of the data.
    pub fn intervals(&self, bins: &[Bin], last: i64) -> Vec<Interval> {
        let mut pauses: Vec<(i64, i64)> =
            bins.windows(2).map(|pair| (pair[0].ends.1, pair[1].ends.0)).collect();
        let limit = match self {
            Absence::Longer(limit) => *limit,
            Absence::Times(times) => {
                let mut lengths: Vec<i64> = pauses.iter().map(|(from, to)| to - from).collect();
                lengths.sort_unstable();
                if lengths.len() < LEAST_PAUSES {
                    return Vec::new();
                }
                let usual = lengths[(lengths.len() - 1) * 9 / 10].max(RHYTHM_NS);
                (usual as f64 * times) as i64
            }
        };
        pauses.extend(bins.last().map(|bin| (bin.ends.1, last)));
        let too_long = pauses.into_iter().filter(|(from, to)| to - from > limit);
        too_long
            .map(|(from, to)| Interval {
                start: from + 1,
                end: to - 1,
                peak: from + limit,
                value: (to - from) as f64 / 1e9,
                expected: limit as f64 / 1e9,
                events: 0,
            })
            .collect()
    }
}
