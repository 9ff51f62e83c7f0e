//! Message templates that were never seen before, and those whose share jumps.

use indexer::{PatternOptions, Patterns, Result, View};
use serde::Deserialize;
use toml::Spanned;

use super::read::Lines;
use super::{CheckScope, Detector, Evaluated, Interval};
use crate::clock::{DAY, SECOND};
use crate::evidence::{all, field_filter};
use crate::problem::Fault;
use crate::verdict::{Account, Coverage, Lack};
use indexer::query::{Pattern as Text, Test};

/// Templates looked at; rarer ones of a case with more are left out.
const TEMPLATES: usize = 10_000;
const BUCKETS: usize = 200;

/// With events in fewer buckets nobody knows a usual share.
const LEAST_BUCKETS: usize = 12;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenPattern {
    new: Option<bool>,
    since: Option<Spanned<String>>,
    learn: Option<Spanned<String>>,
    surge: Option<Spanned<f64>>,
    #[serde(default = "least")]
    least: u64,
}

fn least() -> u64 {
    1
}

#[derive(Clone, Debug)]
pub enum Pattern {
    /// Never seen before a time, or in the first part of the data.
    New { since: Option<i64>, learn: Learn, least: u64 },
    /// So many times its usual share of the events.
    Surge { factor: f64, least: u64 },
}

/// How much of the data is known to be usual.
#[derive(Clone, Copy, Debug)]
pub enum Learn {
    For(i64),
    /// A quarter of the data, and no more than a day.
    Quarter,
}

impl Learn {
    /// How long it learns from data of a length.
    fn length_of(self, span: i64) -> i64 {
        match self {
            Learn::For(length) => length,
            Learn::Quarter => (span / 4).clamp(60 * SECOND, DAY),
        }
    }
}

impl WrittenPattern {
    pub fn read(self, lines: &Lines<'_>) -> std::result::Result<Pattern, Fault> {
        if let Some(factor) = self.surge {
            let times = lines.finite("surge", &factor)?;
            if times > 1.0 && self.new.is_none() {
                return Ok(Pattern::Surge { factor: times, least: self.least });
            }
            return Err(lines.fault(
                factor.span(),
                "`surge` is not above 1, or is next to `new`",
                "write surge = 10 alone",
            ));
        }
        if self.new != Some(true) {
            return Err(lines.fault(0..0, "the pattern has no condition", "write new = true or surge = 10"));
        }
        let since = self.since.as_ref().map(|text| {
            indexer::stamp::parse(text.get_ref()).ok_or_else(|| {
                lines.fault(
                    text.span(),
                    format!("not a valid time: `{}`", text.get_ref()),
                    "write it as 2026-03-01T14:00:00Z",
                )
            })
        });
        let learn = self.learn.as_ref().map(|text| lines.duration(text)).transpose()?;
        let learn = learn.map_or(Learn::Quarter, Learn::For);
        Ok(Pattern::New { since: since.transpose()?, learn, least: self.least })
    }
}

impl Pattern {
    pub fn evaluate(&self, detector: &Detector, scope: &CheckScope<'_>) -> Result<Evaluated> {
        let Some((first, last)) = scope.ends() else { return Ok(Evaluated::lacking(Lack::Time)) };
        let view = View { filter: detector.filter.clone(), from: scope.range.0, to: scope.range.1 };
        let options = PatternOptions {
            limit: TEMPLATES,
            buckets: BUCKETS,
            examples: 0,
            values: 0,
            ..PatternOptions::default()
        };
        let patterns = scope.case.patterns(scope.snapshot, &view, &options, &mut |_, _| {}, scope.cancel)?;
        let mut alerts = Vec::new();
        let mut totals = vec![0_u64; BUCKETS];
        for pattern in &patterns.patterns {
            totals.iter_mut().zip(&pattern.counts).for_each(|(total, count)| *total += u64::from(*count));
        }
        for pattern in &patterns.patterns {
            let (Some(start), Some(end)) = (pattern.first, pattern.last) else { continue };
            let interval = match self {
                Pattern::New { since, learn, least } => {
                    let since = since.unwrap_or_else(|| first.saturating_add(learn.length_of(last - first)));
                    let is_new = start >= since && pattern.count >= *least;
                    let (value, events) = (pattern.count as f64, pattern.count);
                    is_new.then_some(Interval {
                        start,
                        end,
                        peak: start,
                        value,
                        expected: 0.0,
                        events,
                        basis: None,
                    })
                }
                Pattern::Surge { factor, least } => surge(&pattern.counts, &totals, *factor, *least).map(
                    |(from, to, peak, value, expected, events)| {
                        let at = |bucket: usize| patterns.start + patterns.width_ns * bucket as i64;
                        let (from, to) = (at(from).max(start), (at(to + 1) - 1).min(end));
                        Interval {
                            start: from,
                            end: to,
                            peak: at(peak),
                            value,
                            expected,
                            events,
                            basis: None,
                        }
                    },
                ),
            };
            if let Some(interval) = interval {
                let is_template =
                    field_filter("template", Test::Matches(vec![Text::Tokens(pattern.id.to_string())]));
                let filter = all(vec![detector.filter.clone(), is_template]);
                let mut alert = detector.alert(&[], &interval, &filter);
                alert.group = vec![("template".to_owned(), pattern.text.clone())];
                alerts.push(alert);
            }
        }
        let mut account = Account::new((first, last));
        account.add(self.coverage(&patterns, &totals, (first, last)));
        let verdict = account.verdict(alerts.len(), "pattern");
        Ok(Evaluated { alerts, verdict, remark: None })
    }

    /// How many of the patterns can be judged, in data between these ends.
    fn coverage(&self, found: &Patterns, totals: &[u64], ends: (i64, i64)) -> Coverage {
        let (first, last) = ends;
        let listed = found.patterns.len();
        let (count, lack) = match self {
            Pattern::New { since: Some(since), .. } => {
                (listed, (*since > last).then_some(Lack::Since(*since)))
            }
            Pattern::New { learn, .. } => {
                let (has, needed) = (last - first, learn.length_of(last - first));
                let lack = Lack::Span { has, needed, what: "learns for" };
                (listed, (needed > has).then_some(lack))
            }
            Pattern::Surge { factor, least } => {
                let has = totals.iter().filter(|total| **total > 0).count();
                // A pattern with too few events has no surge, whatever its share is.
                let is_judged = |count: u64, counts: &[u32]| {
                    let usual = usual_share(counts, totals);
                    count < *least || usual.is_some_and(|usual| usual * factor < 1.0)
                };
                let judged = found.patterns.iter().filter(|one| is_judged(one.count, &one.counts)).count();
                let (has, needed) = (has as u64, LEAST_BUCKETS as u64);
                let what = "parts of the time (of 200) with events to know a usual share";
                let lack = if has < needed { Lack::Count { has, needed, what } } else { Lack::Rare };
                (judged, (judged == 0 && listed > 0).then_some(lack))
            }
        };
        Coverage { count: count as u64, of: found.distinct as u64, short: 0, lack }
    }

    /// Learns for a day at least, if it would learn a share of the data.
    pub(crate) fn learn_in_full(&mut self) {
        if let Pattern::New { learn, .. } = self {
            *learn = Learn::For(learn.length_of(i64::MAX));
        }
    }
}

/// The buckets in which a template's share is so many times its usual one: first, last, peak, share, usual share, events.
fn surge(
    counts: &[u32],
    totals: &[u64],
    factor: f64,
    least: u64,
) -> Option<(usize, usize, usize, f64, f64, u64)> {
    let shares: Vec<f64> = shares(counts, totals).collect();
    let usual = usual_share(counts, totals)?;
    let is_high = |at: usize| shares[at] > usual * factor && u64::from(counts[at]) >= least.max(1);
    let peak = (0..shares.len())
        .filter(|&at| is_high(at))
        .max_by(|&one, &other| shares[one].total_cmp(&shares[other]))?;
    let from = (0..peak).rev().take_while(|&at| is_high(at)).last().unwrap_or(peak);
    let to = (peak..shares.len()).take_while(|&at| is_high(at)).last().unwrap_or(peak);
    let events = counts[from..=to].iter().map(|count| u64::from(*count)).sum();
    Some((from, to, peak, shares[peak], usual, events))
}

fn shares(counts: &[u32], totals: &[u64]) -> impl Iterator<Item = f64> {
    counts.iter().zip(totals).map(|(count, total)| f64::from(*count) / (*total).max(1) as f64)
}

/// A template's share of the events of most buckets; nothing if too few have events.
fn usual_share(counts: &[u32], totals: &[u64]) -> Option<f64> {
    let of_events = shares(counts, totals).zip(totals).filter(|(_, total)| **total > 0);
    let mut sorted: Vec<f64> = of_events.map(|(share, _)| share).collect();
    if sorted.len() < LEAST_BUCKETS {
        return None;
    }
    sorted.sort_by(f64::total_cmp);
    // A template that comes now and then has no share in most buckets; its mean is its usual one then.
    let middle = sorted.get(sorted.len() / 2).copied()?;
    let events: f64 = counts.iter().map(|count| f64::from(*count)).sum();
    Some(if middle > 0.0 { middle } else { events / totals.iter().sum::<u64>().max(1) as f64 })
}
