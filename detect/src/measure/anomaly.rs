//! What is unusual next to a robust baseline: the median of the same time of other days or weeks, or of the time before,
//! and the median distance from it. Faults are few, so medians hardly move by them.

use std::collections::BTreeMap;

use indexer::median;
use serde::Deserialize;
use toml::Spanned;

use super::Interval;
use super::read::Lines;
use super::series::{Bin, is_whole};
use crate::alert::{Baseline, Basis, HistoryAmount};
use crate::clock::DAY;
use crate::problem::Fault;
use crate::verdict::{Coverage, Lack};

/// From a median distance to a standard deviation, for normal noise.
const TO_DEVIATION: f64 = 1.4826;

/// A season needs so many values of the same time to be shown from chance.
const LEAST_SAMPLES: usize = 4;

/// Without a season, so many values before a bin are needed to know the usual one.
const LEAST_BEFORE: usize = 3 * LEAST_SAMPLES;

/// With so many weeks or days, or bins before, what is expected hardly moves any more when another comes: the error of a
/// median of eight values is less than half of their deviation, and the least `sensitivity` is one.
const ENOUGH_SEASONS: u32 = 8;
const ENOUGH_BEFORE: u32 = 30;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenAnomaly {
    measure: Option<Spanned<String>>,
    every: Option<Spanned<String>>,
    direction: Option<Spanned<String>>,
    season: Option<Spanned<String>>,
    sensitivity: Option<Spanned<f64>>,
    window: Option<Spanned<String>>,
    #[serde(default = "one")]
    bins: usize,
    #[serde(default)]
    least: u64,
}

fn one() -> usize {
    1
}

/// What repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Season {
    /// The longest that the history has enough of.
    Auto,
    Week,
    Day,
    /// Nothing: the bins before count.
    None,
}

#[derive(Clone, Debug)]
pub struct Anomaly {
    pub measure: String,
    pub width: i64,
    pub up: bool,
    pub down: bool,
    pub season: Season,
    /// So many deviations from the expected value are unusual.
    pub sensitivity: f64,
    pub window: i64,
    /// So many bins at least.
    pub bins: usize,
    /// Bins with fewer events say nothing.
    pub least: u64,
}

impl WrittenAnomaly {
    pub fn read(self, lines: &Lines<'_>) -> std::result::Result<Anomaly, Fault> {
        let measure = self.measure.as_ref().map_or(Ok("count".to_owned()), |text| lines.measure(text))?;
        let width = self.every.as_ref().map_or(Ok(300_000_000_000), |text| lines.duration(text))?;
        let word = |text: &Option<Spanned<String>>, words: &[&str]| match text {
            None => Ok(0),
            Some(text) => words.iter().position(|word| word == text.get_ref()).ok_or_else(|| {
                lines.fault(
                    text.span(),
                    format!("`{}` is not known here", text.get_ref()),
                    format!("write {}", words.join(", ")),
                )
            }),
        };
        let direction = word(&self.direction, &["both", "up", "down"])?;
        let season = word(&self.season, &["auto", "week", "day", "none"])?;
        let sensitivity = self.sensitivity.as_ref();
        let sensitivity = sensitivity.map_or(Ok(6.0), |value| lines.finite("sensitivity", value))?;
        if let Some(written) = &self.sensitivity
            && sensitivity < 1.0
        {
            return Err(lines.fault(
                written.span(),
                "`sensitivity` is below 1",
                "so many deviations are unusual: 4 to 10",
            ));
        }
        let window = self.window.as_ref().map_or(Ok(width * 60), |text| lines.duration(text))?;
        Ok(Anomaly {
            measure,
            width,
            up: direction != 2,
            down: direction != 1,
            season: [Season::Auto, Season::Week, Season::Day, Season::None][season],
            sensitivity,
            window,
            bins: self.bins,
            least: self.least,
        })
    }
}

impl Anomaly {
    /// The bins, without the values of those with too few events.
    #[must_use]
    pub fn known(&self, mut bins: Vec<Bin>) -> Vec<Bin> {
        bins.iter_mut().filter(|bin| bin.events < self.least).for_each(|bin| bin.value = None);
        bins
    }

    /// What is expected of each bin.
    #[must_use]
    pub fn expected(&self, bins: &[Bin]) -> Vec<Option<Expected>> {
        let baseline = self.baseline(bins);
        let usual = match baseline {
            Baseline::Window => before(self, bins),
            Baseline::Day => seasonal(self, bins, DAY),
            Baseline::Week => seasonal(self, bins, 7 * DAY),
        };
        // Counts are whole, so no distance is less than half an event. Of a rare event most bins count none.
        let least = if is_whole(&self.measure) { 0.5 } else { f64::MIN_POSITIVE.sqrt() };
        with_deviations(bins, &usual, baseline, least)
    }

    /// Why nothing can be said, with so many bins judged, and so many of them in a row.
    fn lack(&self, bins: &[Bin], judged: u64, longest: usize) -> Option<Lack> {
        let values = bins.iter().filter(|bin| bin.value.is_some()).count();
        let needed = LEAST_BEFORE + self.bins;
        if values == 0 {
            let is_counted = bins.iter().any(|bin| bin.events > 0 && bin.events >= self.least);
            return Some(if is_counted { Lack::Number } else { Lack::Least(self.least) });
        }
        if judged == 0 && values < needed && self.baseline(bins) == Baseline::Window {
            let what = "bins with values, twelve of them to know what is usual";
            return Some(Lack::Count { has: values as u64, needed: needed as u64, what });
        }
        if judged == 0 {
            return Some(Lack::Near);
        }
        let (has, needed) = (longest as u64, self.bins as u64);
        (longest < self.bins).then_some(Lack::Count { has, needed, what: "bins in a row that can be judged" })
    }

    /// The season that the history has enough of.
    fn baseline(&self, bins: &[Bin]) -> Baseline {
        let span = bins.len() as i64 * self.width;
        let fits = |days: i64| span >= days * DAY * LEAST_SAMPLES as i64 && (days * DAY) % self.width == 0;
        match self.season {
            Season::Auto | Season::Week if fits(7) => Baseline::Week,
            Season::None => Baseline::Window,
            _ if fits(1) => Baseline::Day,
            _ => Baseline::Window,
        }
    }
}

/// What is expected of a bin, and how far values usually lie from it.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub value: f64,
    pub deviation: f64,
    pub basis: Basis,
}

/// A median, and of how many values of the time it is about.
type Usual = (f64, usize);

/// The intervals of bins that are unusual.
#[must_use]
pub fn anomalies(anomaly: &Anomaly, bins: &[Bin]) -> Vec<Interval> {
    let bins = anomaly.known(bins.to_vec());
    unusual(anomaly, &bins, &anomaly.expected(&bins)).0
}

/// The same of bins with their expected values, and how much was judged.
pub(crate) fn unusual(
    anomaly: &Anomaly,
    bins: &[Bin],
    expected: &[Option<Expected>],
) -> (Vec<Interval>, Coverage) {
    let mut runs: Vec<(Interval, usize)> = Vec::new();
    let (mut judged, mut in_row, mut longest, mut last_judged) = (0, 0, 0, None);
    // One bin between two is chance, too.
    let next_to = |start: i64, before: i64| start <= before + 2 * anomaly.width;
    for (bin, expected) in bins.iter().zip(expected) {
        let (Some(value), Some(expected)) = (bin.value, expected) else { continue };
        judged += 1;
        in_row = if last_judged.is_some_and(|before| next_to(bin.start, before)) { in_row + 1 } else { 1 };
        (longest, last_judged) = (in_row.max(longest), Some(bin.start));
        let distance = (value - expected.value) / expected.deviation;
        let is_unusual =
            anomaly.up && distance > anomaly.sensitivity || anomaly.down && -distance > anomaly.sensitivity;
        if !is_unusual {
            continue;
        }
        let end = bin.start + anomaly.width - 1;
        match runs.last_mut() {
            Some((last, length))
                if next_to(bin.start, last.end + 1 - anomaly.width)
                    && (last.value > last.expected) == (distance > 0.0) =>
            {
                last.end = end;
                last.events += bin.events;
                *length += 1;
                if (value - expected.value).abs() > (last.value - last.expected).abs() {
                    (last.value, last.expected, last.peak) = (value, expected.value, bin.start);
                    last.basis = Some(expected.basis);
                }
            }
            _ => {
                let (start, peak, events) = (bin.start, bin.start, bin.events);
                let (expected, basis) = (expected.value, Some(expected.basis));
                runs.push((Interval { start, end, peak, value, expected, events, basis }, 1));
            }
        }
    }
    // The bin after the last one would belong to this run.
    let is_going_on = |last: &Interval| {
        bins.last().is_some_and(|bin| next_to(bin.start + anomaly.width, last.end + 1 - anomaly.width))
    };
    let rest = runs.last().filter(|(last, length)| *length < anomaly.bins && is_going_on(last));
    let lack = anomaly.lack(bins, judged, longest).or_else(|| {
        let bins = |count: usize| count as i64 * anomaly.width;
        rest.map(|(_, length)| Lack::Rest { has: bins(*length), needed: bins(anomaly.bins) })
    });
    let short = runs.iter().filter(|(_, length)| *length < anomaly.bins).count() as u64;
    let found = runs.into_iter().filter(|(_, length)| *length >= anomaly.bins).map(|(run, _)| run);
    (found.collect(), Coverage { count: judged, of: bins.len() as u64, short, lack })
}

/// By bin: the median of the bins at the same time of the season, and of their neighbours.
fn seasonal(anomaly: &Anomaly, bins: &[Bin], period: i64) -> Vec<Option<Usual>> {
    let slots = (period / anomaly.width).max(1);
    let slot = |bin: &Bin| (bin.start.rem_euclid(period) / anomaly.width).rem_euclid(slots);
    let mut by_slot: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
    for bin in bins {
        if let Some(value) = bin.value {
            by_slot.entry(slot(bin)).or_default().push(value);
        }
    }
    let around = |at: i64| {
        // Neighbours make few samples many. Both sides count alike, so that a slope moves nothing.
        let samples = by_slot.get(&at).map_or(0, Vec::len);
        let reach = if samples < 3 * LEAST_SAMPLES { 1.min(slots / 8) } else { 0 };
        let near = (-reach..=reach).filter_map(|away| by_slot.get(&(at + away).rem_euclid(slots)));
        let mut values: Vec<f64> = near.flatten().copied().collect();
        median(&mut values).filter(|_| samples >= LEAST_SAMPLES / 2).map(|median| (median, samples))
    };
    let medians: BTreeMap<i64, Option<Usual>> = by_slot.keys().map(|&at| (at, around(at))).collect();
    bins.iter().map(|bin| medians.get(&slot(bin)).copied().flatten()).collect()
}

/// By bin: the median of the bins before it.
fn before(anomaly: &Anomaly, bins: &[Bin]) -> Vec<Option<Usual>> {
    let reach = (anomaly.window / anomaly.width).max(LEAST_BEFORE as i64) as usize;
    let at = |index: usize| {
        let first = index.saturating_sub(reach);
        let mut values: Vec<f64> = bins[first..index].iter().filter_map(|bin| bin.value).collect();
        let samples = values.len();
        median(&mut values).filter(|_| samples >= LEAST_BEFORE).map(|median| (median, samples))
    };
    (0..bins.len()).map(at).collect()
}

/// Values spread more where they are large: counts by their square root. What is left is spread alike, so that one figure
/// of all bins tells it, and few samples of a slot do not have to.
fn with_deviations(
    bins: &[Bin],
    usual: &[Option<Usual>],
    baseline: Baseline,
    least: f64,
) -> Vec<Option<Expected>> {
    let scale = |median: f64| median.abs().max(1e-9).sqrt();
    // Without a season the first values have nothing before them. How far they lie from each other counts too, else a
    // jump right after them would be its own measure.
    let first: Vec<f64> = bins.iter().filter_map(|bin| bin.value).take(LEAST_BEFORE).collect();
    let early = median(&mut first.clone()).filter(|_| baseline == Baseline::Window);
    let distances = |power: f64| -> Vec<f64> {
        let pairs = bins.iter().zip(usual).filter_map(|(bin, usual)| Some((bin.value?, (*usual)?.0)));
        let pairs = pairs.chain(first.iter().filter_map(|value| Some((*value, early?))));
        pairs.map(|(value, median)| (value - median).abs() / scale(median).powf(power)).collect()
    };
    // Spread by the square root, and in proportion: whichever is wider at a value.
    let by_root = median(&mut distances(1.0)).unwrap_or(0.0) * TO_DEVIATION;
    let by_value = median(&mut distances(2.0)).unwrap_or(0.0) * TO_DEVIATION;
    let flat = median(&mut distances(0.0)).unwrap_or(0.0) * TO_DEVIATION;
    usual
        .iter()
        .map(|usual| {
            usual.map(|(value, samples)| {
                let root = by_root * scale(value);
                let share = (by_value * value.abs()).min(flat.max(root));
                // Values that never change leave a deviation of nothing; a hundredth of them is still the same.
                let deviation = root.max(share).max(value.abs() * 0.01).max(least);
                Expected { value, deviation, basis: basis(baseline, samples as u32) }
            })
        })
        .collect()
}

fn basis(baseline: Baseline, samples: u32) -> Basis {
    let enough = if baseline == Baseline::Window { ENOUGH_BEFORE } else { ENOUGH_SEASONS };
    let history = if samples < enough { HistoryAmount::Little } else { HistoryAmount::Enough };
    Basis { baseline, samples, history }
}
