//! A measure above or below a value, for a duration, until it is back by a margin.

use std::collections::BTreeMap;

use indexer::Result;
use indexer::query::Filter;
use serde::Deserialize;
use toml::Spanned;

use super::history::Group;
use super::read::Lines;
use super::reads::Grouping;
use super::series::{Bin, Series, is_count, series};
use super::{CheckScope, Detector, Interval};
use crate::problem::Fault;
use crate::verdict::{Coverage, Lack};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenThreshold {
    measure: Option<Spanned<String>>,
    of: Option<Spanned<String>>,
    every: Option<Spanned<String>>,
    above: Option<Spanned<f64>>,
    below: Option<Spanned<f64>>,
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

impl WrittenThreshold {
    pub fn read(self, lines: &Lines<'_>) -> std::result::Result<Threshold, Fault> {
        let measure = self.measure.as_ref().map_or(Ok("count".to_owned()), |text| lines.measure(text))?;
        let width = self.every.as_ref().map_or(Ok(60_000_000_000), |text| lines.duration(text))?;
        let place = self.measure.as_ref().map_or(0..0, Spanned::span);
        let (limit, is_above) = match (&self.above, &self.below) {
            (Some(limit), None) => (lines.finite("above", limit)?, true),
            (None, Some(limit)) => (lines.finite("below", limit)?, false),
            _ => {
                return Err(lines.fault(
                    place,
                    "the threshold has not one limit",
                    "write either above = 100 or below = 1",
                ));
            }
        };
        let clear = self.clear.as_ref().map_or(Ok(limit), |clear| lines.finite("clear", clear))?;
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
    /// What is read of the events: the measure by group, with the part of it of a share.
    pub fn read_groups(
        &self,
        detector: &Detector,
        scope: &CheckScope<'_>,
        ends: (i64, i64),
    ) -> Result<Vec<Group>> {
        let read =
            |filter: &Filter| series(scope, &Grouping::new(filter, self.width, &detector.by), &self.measure);
        let whole = read(&detector.filter)?;
        let mut parts = match &self.of {
            Some(_) => read(&self.evidence(detector))?,
            None => Series::new(),
        };
        let mut groups: Vec<Group> = whole
            .into_iter()
            .map(|(keys, bins)| {
                let parts = parts.remove(&keys).unwrap_or_default();
                let bins = if self.of.is_some() { shares(&bins, &parts) } else { bins };
                Group { keys, bins, parts }
            })
            .collect();
        if groups.is_empty() && detector.by.is_empty() && is_count(&self.measure) && self.of.is_none() {
            let start = ends.0 - ends.0.rem_euclid(self.width);
            let none = Bin { start, value: Some(0.0), events: 0, ends: (start, start) };
            groups.push(Group { keys: Vec::new(), bins: vec![none], parts: Vec::new() });
        }
        Ok(groups)
    }

    /// The events that alerts are about.
    pub fn evidence(&self, detector: &Detector) -> Filter {
        match &self.of {
            None => detector.filter.clone(),
            Some(of) => crate::evidence::all(vec![detector.filter.clone(), of.clone()]),
        }
    }

    /// Whether bins without events are zero.
    pub fn has_zeros(&self) -> bool {
        self.of.is_none() && is_count(&self.measure)
    }

    /// The events of an interval: of a share those of its part.
    pub fn events(&self, group: &Group, interval: &Interval) -> u64 {
        if self.of.is_none() {
            return interval.events;
        }
        let within = |bin: &&Bin| (interval.start..=interval.end).contains(&bin.start);
        group.parts.iter().filter(within).map(|bin| bin.events).sum()
    }

    pub fn breaks(&self, value: f64) -> bool {
        if self.is_above { value > self.limit } else { value < self.limit }
    }

    fn clears(&self, value: f64) -> bool {
        if self.is_above { value <= self.clear } else { value >= self.clear }
    }

    /// The intervals in which the limit is broken, in bins of all times, and how much was judged.
    pub(crate) fn judge(&self, bins: &[Bin]) -> (Vec<Interval>, Coverage) {
        let mut open = None;
        let mut found: Vec<Interval> = bins.iter().filter_map(|bin| self.step(&mut open, bin)).collect();
        let rest = open.as_ref().filter(|interval| !self.lasts(interval));
        let rest = rest.map(|interval| interval.end + 1 - interval.start);
        found.extend(open);
        let all = found.len();
        found.retain(|interval| self.lasts(interval));
        let mut known = bins.iter().filter(|bin| self.is_known(bin)).peekable();
        let first = known.peek().map(|bin| bin.start);
        let (count, last) = known.fold((0, None), |(count, _), bin| (count + 1, Some(bin.start)));
        let reach = first.zip(last).map_or(0, |(first, last)| last + self.width - first);
        let needed = self.duration;
        let lack = if bins.iter().all(|bin| bin.value.is_none()) {
            Some(Lack::Number)
        } else if count == 0 {
            Some(Lack::Least(self.least))
        } else if reach < needed {
            Some(Lack::Span { has: reach, needed, what: "needs the level to be crossed for" })
        } else {
            rest.map(|has| Lack::Rest { has, needed })
        };
        let short = (all - found.len()) as u64;
        (found, Coverage { count, of: bins.len() as u64, short, lack })
    }

    /// Whether a bin says something.
    fn is_known(&self, bin: &Bin) -> bool {
        bin.value.is_some() && bin.events >= self.least
    }

    /// Whether an interval is as long as it has to be.
    pub fn lasts(&self, interval: &Interval) -> bool {
        interval.end + 1 - interval.start >= self.duration
    }

    /// Goes on to the next bin, and gives the interval that it ends.
    pub fn step(&self, open: &mut Option<Interval>, bin: &Bin) -> Option<Interval> {
        // What is not known neither breaks the limit nor is it back.
        let value = bin.value.filter(|_| bin.events >= self.least)?;
        let end = bin.start + self.width - 1;
        match open {
            None if self.breaks(value) => {
                let (start, peak) = (bin.start, bin.start);
                let (expected, events) = (self.limit, bin.events);
                *open = Some(Interval { start, end, peak, value, expected, events, basis: None });
            }
            None => {}
            Some(_) if self.clears(value) => return open.take(),
            Some(interval) => {
                interval.end = end;
                interval.events += bin.events;
                if if self.is_above { value > interval.value } else { value < interval.value } {
                    (interval.value, interval.peak) = (value, bin.start);
                }
            }
        }
        None
    }
}

pub fn shares(bins: &[Bin], parts: &[Bin]) -> Vec<Bin> {
    let known: BTreeMap<i64, f64> = parts.iter().filter_map(|bin| Some((bin.start, bin.value?))).collect();
    let share = |bin: &Bin| {
        let part = known.get(&bin.start).copied().unwrap_or(0.0);
        Bin { value: bin.value.filter(|whole| *whole > 0.0).map(|whole| part / whole), ..*bin }
    };
    bins.iter().map(share).collect()
}
