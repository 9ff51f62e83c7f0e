//! The seismograph: how often each message pattern occurs over time, measured by what is normal for it.
//!
//! Counts come from [`Engine::patterns`]. This module owns what is read from them: the normal rate of each row
//! (`normal`), which rows start, stop or beat (`normal`, `beat`), and an order in which rows that move together are
//! neighbours (`order`). All of it depends on the counts alone, so the same view gives the same picture.

mod beat;
mod normal;
mod order;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::Engine;
use crate::templates::{Pattern, PatternOptions, Patterns};
use crate::view::View;
use base::Cancel;
use base::error::Result;
use base::limits::{MOST_PATTERNS, PATTERN_BUCKETS, SEISMOGRAPH_ROWS};
use normal::Changes;
use patterns::{Granularity, TemplateId};
use store::Snapshot;

pub use normal::Normal;

/// A request for the seismograph of a view.
#[derive(Clone, Copy, Debug)]
pub struct SeismographOptions {
    pub granularity: Granularity,
    /// Rows listed at most.
    pub rows: usize,
    /// The most bins that the time is cut into.
    pub bins: usize,
}

impl Default for SeismographOptions {
    fn default() -> SeismographOptions {
        SeismographOptions {
            granularity: Granularity::Template,
            rows: SEISMOGRAPH_ROWS,
            bins: PATTERN_BUCKETS,
        }
    }
}

/// Patterns over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Seismograph {
    /// Rows that move together are neighbours.
    pub rows: Vec<SeismographRow>,
    /// Patterns that occur, listed or not.
    pub distinct: usize,
    /// Matching events, and those of them without a message.
    pub total: u64,
    pub without: u64,
    /// The start of the first bin, and the width of all.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub start: i64,
    #[serde(rename = "binNs", with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub width_ns: i64,
    /// Events of all patterns in each bin. A bin without any is not part of what is normal.
    pub all: Vec<u32>,
}

/// A pattern over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SeismographRow {
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub id: TemplateId,
    pub text: String,
    pub count: u64,
    #[serde(with = "base::json::level_counts")]
    #[cfg_attr(feature = "typescript", ts(as = "Vec<base::json::LevelCount>"))]
    pub levels: [u64; 8],
    /// Events in each bin.
    pub counts: Vec<u32>,
    pub normal: Normal,
    /// Its first event, if it begins later than can be chance, and its last one, if it ends earlier.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<base::json::Nanos>"))]
    pub started: Option<i64>,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<base::json::Nanos>"))]
    pub stopped: Option<i64>,
    /// The time after which it repeats, if it does.
    #[serde(rename = "periodNs", with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<base::json::Nanos>"))]
    pub period_ns: Option<i64>,
}

impl Engine {
    /// The patterns of the matching events over time. `progress` is called with the share of the work that is done.
    pub fn seismograph(
        &self,
        snapshot: &Snapshot,
        view: &View,
        options: SeismographOptions,
        progress: &mut dyn FnMut(f64),
        cancel: &Cancel,
    ) -> Result<Seismograph> {
        let request = PatternOptions {
            granularity: options.granularity,
            limit: MOST_PATTERNS,
            buckets: options.bins.clamp(1, PATTERN_BUCKETS),
            examples: 0,
            ..PatternOptions::default()
        };
        let mut partial = |_: &Patterns, share: f64| progress(share);
        let found = self.patterns(snapshot, view, &request, &mut partial, cancel)?;
        Ok(seismograph_of(found, options.rows.min(SEISMOGRAPH_ROWS)))
    }
}

fn seismograph_of(found: Patterns, most: usize) -> Seismograph {
    let bins = found.patterns.first().map_or(0, |pattern| pattern.counts.len());
    let mut all = vec![0_u32; bins];
    for pattern in &found.patterns {
        all.iter_mut().zip(&pattern.counts).for_each(|(sum, &count)| *sum = sum.saturating_add(count));
    }
    let changes = Changes::new(&all, found.patterns.len());
    let mut chosen: Vec<(Pattern, [bool; 2])> = found
        .patterns
        .into_iter()
        .map(|pattern| {
            let change = changes.starts_and_stops(&pattern.counts);
            (pattern, change)
        })
        .collect();
    // The most frequent come first. If there are too many, rare ones that start or stop are more worth a row than others.
    if chosen.len() > most {
        chosen.sort_by_key(|(_, change)| !change.contains(&true));
        chosen.truncate(most);
    }
    chosen.sort_by_key(|(pattern, _)| pattern.id);
    let normals: Vec<Normal> =
        chosen.iter().map(|(pattern, _)| Normal::from_counts(&pattern.counts, &all)).collect();
    let counts: Vec<&[u32]> = chosen.iter().map(|(pattern, _)| &*pattern.counts).collect();
    let order = order::order(&counts, &normals, &all);
    let row = |at: usize| {
        let ((pattern, [starts, stops]), normal) = (&chosen[at], normals[at]);
        SeismographRow {
            id: pattern.id,
            text: pattern.text.clone(),
            count: pattern.count,
            levels: pattern.levels,
            counts: pattern.counts.clone(),
            normal,
            started: pattern.first.filter(|_| *starts),
            stopped: pattern.last.filter(|_| *stops),
            period_ns: beat::period(&pattern.counts).map(|bins| (bins * found.width_ns as f64) as i64),
        }
    };
    Seismograph {
        rows: order.into_iter().map(row).collect(),
        distinct: found.distinct,
        total: found.total,
        without: found.without,
        start: found.start,
        width_ns: found.width_ns,
        all,
    }
}
