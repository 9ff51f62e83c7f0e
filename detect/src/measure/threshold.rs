//! A measure above or below a value, for a duration, until it is back by a margin.

use std::collections::BTreeMap;

use indexer::Result;
use indexer::query::Filter;
use serde::Deserialize;
use toml::Spanned;

use super::read::Lines;
use super::series::{Bin, Keys, filled, is_count, series};
use super::{Detector, Found, Interval, Place};
use crate::problem::Fault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    measure: Option<Spanned<String>>,
    of: Option<Spanned<String>>,
    every: Option<Spanned<String>>,
    above: Option<f64>,
    below: Option<f64>,
    clear: Option<Spanned<f64>>,
    #[serde(rename = "for")]
    duration: Option<Spanned<String>>,
    #[serde(default)]
    least: u64,
}

#[derive(Clone, Debug)]
pub struct Threshold {
    pub measure: String,
    /// The share of the events that pass this filter, too.
    pub of: Option<Filter>,
    pub width: i64,
    pub limit: f64,
    pub is_above: bool,
    /// It ends when the value is back at this.
    pub clear: f64,
    pub duration: i64,
    /// Bins with fewer events say nothing.
    pub least: u64,
}

impl Written {
    pub fn read(self, lines: &Lines<'_>) -> std::result::Result<Threshold, Fault> {
        let measure = self.measure.as_ref().map_or(Ok("count".to_owned()), |text| lines.measure(text))?;
        let width = self.every.as_ref().map_or(Ok(60_000_000_000), |text| lines.duration(text))?;
        let place = self.measure.as_ref().map_or(0..0, Spanned::span);
        let (limit, is_above) = match (self.above, self.below) {
            (Some(limit), None) => (limit, true),
            (None, Some(limit)) => (limit, false),
            _ => {
                return Err(lines.fault(
                    place,
                    "the threshold has not one limit",
                    "write either above = 100 or below = 1",
                ));
            }
        };
        let clear = self.clear.as_ref().map_or(limit, |clear| *clear.get_ref());
        if let Some(written) = &self.clear
            && (is_above && clear > limit || !is_above && clear < limit)
        {
            let message = format!("`clear` is {clear}, on the far side of {limit}");
            return Err(lines.fault(
                written.span(),
                message,
                "it is where the alert ends: at the limit or before it",
            ));
        }
        let of = self.of.as_ref().map(|of| lines.filter(of)).transpose()?;
        if of.is_some() && !is_count(&measure) {
            return Err(lines.fault(
                place,
                "`of` is the share of two counts or sums",
                "use count or sum(…), or leave out `of`",
            ));
        }
        let duration = self.duration.as_ref().map_or(Ok(0), |text| lines.duration(text))?;
        Ok(Threshold { measure, of, width, limit, is_above, clear, duration, least: self.least })
    }
}

impl Threshold {
    pub fn evaluate(&self, detector: &Detector, place: &Place<'_>) -> Result<Found> {
        let Some(ends) = place.ends() else { return Ok(Found::default()) };
        let whole = series(place, &detector.filter, &self.measure, self.width, &detector.by)?;
        let filter = self.of.as_ref().map_or_else(
            || detector.filter.clone(),
            |of| crate::evidence::all(vec![detector.filter.clone(), of.clone()]),
        );
        let mut found = Found::default();
        let (mut events, mut numbers) = (0, 0);
        let parts = match &self.of {
            Some(_) => Some(series(place, &filter, &self.measure, self.width, &detector.by)?),
            None => None,
        };
        let mut groups = whole;
        if groups.is_empty() && detector.by.is_empty() && is_count(&self.measure) && self.of.is_none() {
            let start = ends.0 - ends.0.rem_euclid(self.width);
            let none = Bin { start, value: Some(0.0), events: 0, ends: (start, start) };
            groups.insert(Vec::new(), vec![none]);
        }
        for (keys, bins) in &groups {
            let bins = match &parts {
                Some(parts) => shares(bins, parts.get(keys)),
                None => bins.clone(),
            };
            events += bins.iter().map(|bin| bin.events).sum::<u64>();
            numbers += bins.iter().filter(|bin| bin.value.is_some()).count();
            let zeros = self.of.is_none() && is_count(&self.measure);
            let bins = filled(&bins, self.width, ends, zeros);
            let intervals = self.intervals(&bins);
            let alert = |interval: &Interval| {
                let mut interval = interval.clone();
                if let Some(parts) = &parts {
                    interval.events = counted(parts, keys, &interval);
                }
                detector.alert(keys, &interval, &filter)
            };
            found.alerts.extend(intervals.iter().map(alert));
        }
        if events > 0 && numbers == 0 {
            let message = format!("`{}` gives no number for any of {events} events", self.measure);
            found.remark = Some((message, "measure a field that has numbers".to_owned()));
        }
        Ok(found)
    }

    fn breaks(&self, value: f64) -> bool {
        if self.is_above { value > self.limit } else { value < self.limit }
    }

    fn clears(&self, value: f64) -> bool {
        if self.is_above { value <= self.clear } else { value >= self.clear }
    }

    /// The intervals in which the limit is broken, in bins of all times.
    pub fn intervals(&self, bins: &[Bin]) -> Vec<Interval> {
        let mut found = Vec::new();
        let mut open: Option<Interval> = None;
        let mut close = |open: &mut Option<Interval>| {
            let lasted = |interval: &Interval| interval.end + 1 - interval.start >= self.duration;
            found.extend(open.take().filter(lasted));
        };
        for bin in bins {
            let value = bin.value.filter(|_| bin.events >= self.least);
            let end = bin.start + self.width - 1;
            match (&mut open, value) {
                (None, Some(value)) if self.breaks(value) => {
                    let (start, peak) = (bin.start, bin.start);
                    open =
                        Some(Interval { start, end, peak, value, expected: self.limit, events: bin.events });
                }
                // What is not known neither breaks the limit nor is it back.
                (None, _) | (Some(_), None) => {}
                (Some(_), Some(value)) if self.clears(value) => close(&mut open),
                (Some(interval), Some(value)) => {
                    interval.end = end;
                    interval.events += bin.events;
                    if if self.is_above { value > interval.value } else { value < interval.value } {
                        (interval.value, interval.peak) = (value, bin.start);
                    }
                }
            }
        }
        close(&mut open);
        found
    }
}

fn shares(bins: &[Bin], parts: Option<&Vec<Bin>>) -> Vec<Bin> {
    let known: BTreeMap<i64, f64> =
        parts.into_iter().flatten().filter_map(|bin| Some((bin.start, bin.value?))).collect();
    let share = |bin: &Bin| {
        let part = known.get(&bin.start).copied().unwrap_or(0.0);
        Bin { value: bin.value.filter(|whole| *whole > 0.0).map(|whole| part / whole), ..*bin }
    };
    bins.iter().map(share).collect()
}

fn counted(parts: &super::series::Series, keys: &Keys, interval: &Interval) -> u64 {
    let bins = parts.get(keys).into_iter().flatten();
    bins.filter(|bin| (interval.start..=interval.end).contains(&bin.start)).map(|bin| bin.events).sum()
}
