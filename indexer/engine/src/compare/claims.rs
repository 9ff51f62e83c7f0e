//! Calculates every claim of a comparison again, slowly, from a plain list of events.

use std::collections::{BTreeMap, BTreeSet};

use super::rhythm::BUCKETS;
use super::score::{self, FEWEST, LEAST_RATIO};
use super::tests::SECOND;
use super::*;
use crate::test_case::TestCase;
use patterns::Granularity;
use store::Scalar;

/// An event as it was written.
#[derive(Clone, Debug, Default)]
pub(super) struct Raw {
    /// Another one for each event.
    pub time: i64,
    pub file: &'static str,
    pub level: &'static str,
    pub message: String,
    pub fields: Vec<(&'static str, String)>,
    pub took: Option<f64>,
}

/// A side: its view, which events it has, and the time it covers.
pub(super) struct RawSide {
    pub view: View,
    pub has: Box<dyn Fn(&Raw) -> bool>,
    pub times: Vec<(i64, i64)>,
}

pub(super) struct Claims<'a> {
    pub case: &'a TestCase,
    pub found: &'a Comparison,
    pub events: &'a [Raw],
    pub sides: &'a [RawSide; 2],
    /// Of each event.
    templates: Vec<String>,
    false_ones: Vec<String>,
}

type ClaimedCounts = [u64; 2];

fn rate(counts: ClaimedCounts, totals: ClaimedCounts, side: usize) -> f64 {
    counts[side] as f64 / totals[side].max(1) as f64
}

/// How many times the rate of the higher side is that of the other one; infinite if that has none.
fn ratio(counts: ClaimedCounts, totals: ClaimedCounts) -> f64 {
    let (a, b) = (rate(counts, totals, 0), rate(counts, totals, 1));
    a.max(b) / a.min(b)
}

/// The logarithm of the ratio of the rates, half an event added to each.
fn log_ratio(counts: ClaimedCounts, totals: ClaimedCounts) -> f64 {
    let rate = |side: usize| (counts[side] as f64 + 0.5) / (totals[side] as f64 + 1.0);
    (rate(1) / rate(0)).ln()
}

fn quantile(numbers: &[f64], share: f64) -> f64 {
    let rank = share * (numbers.len() - 1) as f64;
    let (low, high) = (numbers[rank.floor() as usize], numbers[rank.ceil() as usize]);
    low + (high - low) * rank.fract()
}

fn distance(sides: &[Vec<f64>; 2]) -> f64 {
    let below = |side: usize, at: f64| {
        sides[side].partition_point(|&number| number <= at) as f64 / sides[side].len() as f64
    };
    sides.iter().flatten().map(|&at| (below(0, at) - below(1, at)).abs()).fold(0.0, f64::max)
}

impl<'a> Claims<'a> {
    pub fn new(
        case: &'a TestCase,
        found: &'a Comparison,
        events: &'a [Raw],
        sides: &'a [RawSide; 2],
    ) -> Claims<'a> {
        let mut by_time: BTreeMap<i64, String> = BTreeMap::new();
        let mut each = |event: crate::Event, template: Option<&patterns::Template>| {
            by_time.insert(event.time, template.map(|template| template.id.to_string()).unwrap_or_default());
            Ok(())
        };
        let all = View::parse("*", None, None).expect("a query");
        case.for_each_template(&case.snapshot(), &all, Granularity::Template, &Cancel::default(), &mut each)
            .expect("templates");
        let templates = events.iter().map(|event| by_time[&event.time].clone()).collect();
        Claims { case, found, events, sides, templates, false_ones: Vec::new() }
    }

    /// The claims of the comparison that are false.
    pub fn check(mut self) -> Vec<String> {
        let found = self.found;
        let totals = self.count(&|_| true);
        self.claim("events", found.events == totals);
        self.check_volume();
        for row in &found.differences {
            self.check_row(row);
            let is_rate = row.change != Change::Moved && row.stop.is_none() && row.beat.is_none();
            self.claim(
                &format!("{} is above the line", row.subject),
                !is_rate || row.at_least >= LEAST_RATIO,
            );
            row.also.iter().for_each(|also| self.check_also(row, also));
        }
        found.others.iter().for_each(|row| self.check_row(row));
        found.only_shares.iter().for_each(|share| self.check_share(share));
        found.unchanged.fields.iter().for_each(|field| self.check_field(field, true));
        found.unchanged.unclear.iter().for_each(|field| self.check_field(field, false));
        self.check_largest();
        self.check_first();
        self.check_words();
        self.false_ones
    }

    fn claim(&mut self, what: &str, is_true: bool) {
        if !is_true {
            self.false_ones.push(what.to_owned());
        }
    }

    fn rows_of(&self, side: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.events.len()).filter(move |&row| (self.sides[side].has)(&self.events[row]))
    }

    fn count(&self, is_it: &dyn Fn(usize) -> bool) -> ClaimedCounts {
        [0, 1].map(|side| self.rows_of(side).filter(|&row| is_it(row)).count() as u64)
    }

    fn value(&self, row: usize, field: &str) -> Option<String> {
        let event = &self.events[row];
        match field {
            "level" => Some(event.level.to_owned()),
            "source" => Some(event.file.to_owned()),
            _ => event.fields.iter().find(|(name, _)| *name == field).map(|(_, value)| value.clone()),
        }
    }

    fn has(&self, row: usize, subject: &Subject) -> bool {
        match subject {
            Subject::Pattern { id, .. } => self.templates[row] == id.to_string(),
            Subject::Value { field, value } => self.value(row, field) == Some(value.to_string()),
            Subject::Pair { one, other } => self.has(row, one) && self.has(row, other),
            Subject::Number { group, .. } => {
                self.events[row].took.is_some() && group.as_ref().is_none_or(|group| self.has(row, group))
            }
            Subject::Clock { .. } => true,
        }
    }

    fn numbers(&self, is_it: &dyn Fn(usize) -> bool) -> [Vec<f64>; 2] {
        [0, 1].map(|side| {
            let rows = self.rows_of(side).filter(|&row| is_it(row));
            let mut numbers: Vec<f64> = rows.filter_map(|row| self.events[row].took).collect();
            numbers.sort_by(f64::total_cmp);
            numbers
        })
    }

    fn check_volume(&mut self) {
        let Some(volume) = &self.found.volume else { return };
        let totals = self.found.events;
        let spans = [0, 1].map(|side: usize| {
            let times = self.sides[side].times.iter();
            times.map(|(from, to)| (to - from) as f64 / SECOND as f64).sum::<f64>()
        });
        let near = |one: f64, other: f64| (one - other).abs() <= 1e-6 * other.abs();
        let rates = [0, 1].map(|side: usize| totals[side] as f64 / spans[side]);
        let is_it = (0..2).all(|side| {
            near(volume.spans_s[side], spans[side]) && near(volume.per_second[side], rates[side])
        });
        self.claim(&format!("volume {volume:?}, and not {rates:?} over {spans:?}"), is_it);
        let times = f64::max(rates[0] / rates[1], rates[1] / rates[0]);
        let is_change = match volume.change {
            Some(Change::More) => rates[1] > rates[0],
            Some(Change::Fewer) => rates[1] < rates[0],
            other => other.is_none(),
        };
        let is_large = volume.change.is_none()
            || (volume.at_least >= LEAST_RATIO && volume.at_least <= times * 1.000_001);
        self.claim(&format!("change of the volume {volume:?}, and not {times} times"), is_change && is_large);
    }

    fn check_row(&mut self, row: &Difference) {
        let (name, totals) = (row.subject.to_string(), self.found.events);
        if row.clock.is_some() {
            self.claim(&format!("clock: {name}"), false);
            return;
        }
        let counts = self.count(&|event| self.has(event, &row.subject));
        self.claim(&format!("counts of {name}: {:?}, and not {counts:?}", row.counts), row.counts == counts);
        let shares = [0, 1].map(|side| rate(counts, totals, side));
        self.claim(
            &format!("shares of {name}"),
            (0..2).all(|side| (row.shares[side] - shares[side]).abs() < 1e-9),
        );
        for (side, counted) in self.sides.iter().zip(counts) {
            let view = &side.view;
            let filter = query::Filter::And(vec![view.filter.clone(), row.filter.clone()]);
            let view = View { filter, ..view.clone() };
            let found =
                self.case.count(&self.case.snapshot(), &view, &Cancel::default()).expect("a count") as u64;
            self.claim(&format!("the filter of {name} finds {found}, and not {counted}"), found == counted);
        }
        match row.change {
            Change::New => self.claim(&format!("only in B: {name}"), counts[0] == 0 && counts[1] > 0),
            Change::Gone => self.claim(&format!("only in A: {name}"), counts[1] == 0 && counts[0] > 0),
            Change::More => self.claim(&format!("more in B: {name}"), shares[1] >= shares[0]),
            Change::Fewer => self.claim(&format!("fewer in B: {name}"), shares[1] < shares[0]),
            Change::Moved => self.check_moved(row),
            Change::Stopped => self.check_stop(row),
            // Their gaps have a reference of their own (`beat`).
            _ => {}
        }
        let is_rate = matches!(row.change, Change::New | Change::Gone | Change::More | Change::Fewer);
        let times = ratio(counts, totals);
        self.claim(
            &format!("{name} is at least {} times, and not {times}", row.at_least),
            !is_rate || row.at_least <= times,
        );
        if is_rate && row.beat.is_none() {
            let naive = naive_g2(counts, totals);
            self.claim(
                &format!("G² of {name}: {}, and not {naive}", row.g2),
                (row.g2 - naive).abs() < 1e-6 * (1.0 + naive),
            );
        }
        self.check_since(row);
    }

    fn check_moved(&mut self, row: &Difference) {
        let name = row.subject.to_string();
        let Some(moved) = &row.moved else { return self.claim(&format!("{name} has numbers"), false) };
        let numbers = self.numbers(&|event| self.has(event, &row.subject));
        for (percentiles, share) in moved.percentiles.iter().zip([0.5, 0.95, 0.99]) {
            for (found, numbers) in percentiles.iter().zip(&numbers) {
                let found = found.as_ref().and_then(Scalar::number);
                let is_it = found.is_some_and(|found| (found - quantile(numbers, share)).abs() < 1e-6);
                self.claim(&format!("p{} of {name}: {found:?}", 100.0 * share), is_it);
            }
        }
        let exact = distance(&numbers);
        self.claim(
            &format!("distance of {name}: {}, and not {exact}", moved.distance),
            moved.distance <= exact + 1e-9,
        );
        let above = |side: usize| {
            let above = numbers[side].iter().filter(|&&number| number >= moved.threshold).count();
            above as f64 / numbers[side].len() as f64
        };
        let is_it = ((above(1) - above(0)).abs() - moved.distance).abs() < 1e-9;
        self.claim(&format!("{name} differs from {} on", moved.threshold), is_it);
        let Some(mix) = &moved.mix else { return };
        let values: BTreeSet<String> =
            (0..self.events.len()).filter_map(|row| self.value(row, &mix.field)).collect();
        let (mut sum, mut weights) = (0.0, 0.0);
        for value in values {
            let numbers = self.numbers(&|row| self.value(row, &mix.field).as_ref() == Some(&value));
            if numbers.iter().all(|numbers| !numbers.is_empty()) {
                let weight = (numbers[0].len() + numbers[1].len()) as f64;
                sum += weight * distance(&numbers);
                weights += weight;
            }
        }
        let within = sum / f64::max(weights, 1.0);
        // Distances in bins are a little smaller.
        let is_it = mix.within <= within + 1e-9 && within < mix.within + 0.05 && within < exact;
        self.claim(
            &format!("{name} within {}: {}, and not {within} of {exact}", mix.field, mix.within),
            is_it,
        );
    }

    fn check_stop(&mut self, row: &Difference) {
        let name = row.subject.to_string();
        let Some(stop) = row.stop else { return self.claim(&format!("{name} has a last event"), false) };
        let times: Vec<i64> = self
            .rows_of(1)
            .filter(|&event| self.has(event, &row.subject))
            .map(|event| self.events[event].time)
            .collect();
        let (first, last) = (times.iter().min().copied(), times.iter().max().copied());
        self.claim(&format!("the last {name}: {}, and not {last:?}", stop.last), Some(stop.last) == last);
        let all = |from: i64, to: i64| {
            self.rows_of(1).filter(|&event| (from..=to).contains(&self.events[event].time)).count() as f64
        };
        let (Some(first), Some(last)) = (first, last) else { return };
        let expected = times.len() as f64 * all(last + 1, i64::MAX) / all(first, last);
        // A bucket is a 120th of the time.
        let is_near = (stop.expected - expected).abs() <= 0.15 * expected + 1.0;
        self.claim(&format!("{name}: {} more expected, and not {expected}", stop.expected), is_near);
    }

    /// Before a difference begins, the rate is closer to that of the other side.
    fn check_since(&mut self, row: &Difference) {
        let Some(Onset { at, side }) = row.since.filter(|_| row.stop.is_none()) else { return };
        let threshold = row.moved.as_ref().map(|moved| moved.threshold);
        let is_it = |event: usize| {
            let is_above =
                threshold.is_none_or(|least| self.events[event].took.is_some_and(|took| took >= least));
            self.has(event, &row.subject) && is_above
        };
        let is_of = |event: usize| threshold.is_none() || self.has(event, &row.subject);
        let part = |side: usize, is_then: &dyn Fn(i64) -> bool| -> [u64; 2] {
            let rows =
                || self.rows_of(side).filter(|&event| is_of(event) && is_then(self.events[event].time));
            [rows().filter(|&event| is_it(event)).count() as u64, rows().count() as u64]
        };
        let (before, after) = (part(side, &|time| time < at), part(side, &|time| time >= at));
        let other = part(1 - side, &|_| true);
        let from_other = |own: [u64; 2]| log_ratio([other[0], own[0]], [other[1], own[1]]).abs();
        let (before, after) = (from_other(before), from_other(after));
        self.claim(&format!("{} differs since {at}: {before} {after}", row.subject), before < after);
    }

    fn check_also(&mut self, row: &Difference, also: &Also) {
        let name = format!("{} with {}", also.subject, row.subject);
        let counts = self.count(&|event| self.has(event, &also.subject));
        let both = self.count(&|event| self.has(event, &also.subject) && self.has(event, &row.subject));
        self.claim(
            &format!("counts of {name}: {also:?}, and not {counts:?} {both:?}"),
            (also.counts, also.both) == (counts, both),
        );
        let sum = |counts: ClaimedCounts| counts[0] + counts[1];
        let totals = self.found.events;
        let side = usize::from(rate(counts, totals, 1) >= rate(counts, totals, 0));
        let is_it = match also.relation {
            Relation::Same => sum(both) as f64 >= 0.9 * (sum(counts) + sum(row.counts) - sum(both)) as f64,
            Relation::Together => {
                let excess = counts[side] as f64 - rate(counts, totals, 1 - side) * totals[side] as f64;
                both[side] > 0 && both[side] as f64 >= 0.5 * excess - 1e-6
            }
            Relation::Time { side, bins, shared } => {
                let bins_of = |subject: &Subject| -> BTreeSet<usize> {
                    let rows = self.rows_of(side).filter(|&event| self.has(event, subject));
                    rows.map(|event| self.bin(side, self.events[event].time)).collect()
                };
                let (own, of_row) = (bins_of(&also.subject), bins_of(&row.subject));
                let together = own.intersection(&of_row).count();
                both == [0, 0]
                    && (own.len(), together) == (bins as usize, shared as usize)
                    && 2 * together >= own.len()
            }
            Relation::Clock => false,
        };
        self.claim(&format!("{name}: {:?}", also.relation), is_it);
    }

    /// The place of a time among the equal parts of a side's time.
    fn bin(&self, side: usize, time: i64) -> usize {
        let all = self.events.iter().map(|event| event.time);
        let View { from, to, .. } = self.sides[side].view.clone().with_times_of_filter();
        let first = from.or(all.clone().min()).expect("a time");
        let end = to.unwrap_or_else(|| all.max().expect("a time") + 1);
        let edge = |bin: usize| first + (i128::from(end - first) * bin as i128 / BUCKETS as i128) as i64;
        (0..BUCKETS).rfind(|&bin| edge(bin) <= time).expect("it is in one")
    }

    fn check_share(&mut self, share: &ShareChange) {
        let totals = self.found.events;
        let is_left = |event: usize| !share.without.iter().any(|row| self.has(event, row));
        let counts = self.count(&|event| self.has(event, &share.subject));
        let left = self.count(&|event| self.has(event, &share.subject) && is_left(event));
        let left_events = self.count(&is_left);
        let is_it = (share.counts, share.left, share.left_events) == (counts, left, left_events);
        self.claim(&format!("{share:?}, and not {counts:?} {left:?} of {left_events:?}"), is_it);
        let (before, now) = (log_ratio(counts, totals).abs(), log_ratio(left, left_events).abs());
        self.claim(
            &format!("{} differs less without the rows: {now} after {before}", share.subject),
            now < before,
        );
    }

    fn check_field(&mut self, field: &FieldChange, is_unchanged: bool) {
        let (name, totals) = (&field.field, self.found.events);
        if let Some([a, b]) = field.p50 {
            let numbers = self.numbers(&|_| true);
            let half = numbers.each_ref().map(|numbers| quantile(numbers, 0.5));
            let is_it = (a - half[0]).abs() < 1e-6 && (b - half[1]).abs() < 1e-6;
            self.claim(&format!("p50 of {name}: {a} {b}, and not {half:?}"), is_it);
            let moved = (half[1] / half[0] - 1.0).abs();
            let is_bound =
                field.within.is_none_or(|within| moved <= within + 1e-9 && (!is_unchanged || within <= 0.1));
            self.claim(&format!("p50 of {name} within {:?}, and not {moved}", field.within), is_bound);
        }
        let Some((value, shares)) = &field.value else { return };
        let values: BTreeSet<String> =
            (0..self.events.len()).filter_map(|row| self.value(row, name)).collect();
        let counts = |value: &String| self.count(&|row| self.value(row, name).as_ref() == Some(value));
        let moved = |counts: ClaimedCounts| (rate(counts, totals, 1) - rate(counts, totals, 0)).abs();
        let most = values.iter().map(|value| moved(counts(value))).fold(0.0, f64::max);
        let own = counts(&value.to_string());
        let is_it = (0..2).all(|side| (shares[side] - rate(own, totals, side)).abs() < 1e-9);
        self.claim(&format!("shares of {name}={value}: {shares:?}"), is_it);
        let is_most = (moved(own) - most).abs() < 1e-9;
        let is_bound = field.within.is_none_or(|within| most <= within && (!is_unchanged || within <= 0.05));
        let text = format!("{name} within {:?}, and not {most} ({is_unchanged})", field.within);
        self.claim(&text, is_most && is_bound);
    }

    /// The largest change of each kind is listed, and nothing that is clearer than what is listed besides the rows.
    fn check_largest(&mut self) {
        let totals = self.found.events;
        if totals.iter().any(|&events| events < FEWEST) {
            return;
        }
        let found = self.found;
        let rows = || found.differences.iter().chain(&found.others);
        let mut changes: Vec<(&'static str, String, ClaimedCounts)> = Vec::new();
        let patterns: BTreeSet<&String> = self.templates.iter().collect();
        for pattern in patterns {
            changes.push(("pattern", pattern.clone(), self.count(&|row| self.templates[row] == *pattern)));
        }
        for field in ["level", "service", "host", "status", "region"] {
            if self.found.left_out.iter().any(|(name, _)| name == field) {
                continue;
            }
            let values: BTreeSet<String> =
                (0..self.events.len()).filter_map(|row| self.value(row, field)).collect();
            for value in values {
                let counts = self.count(&|row| self.value(row, field).as_ref() == Some(&value));
                changes.push(("value", format!("{field}={value}"), counts));
            }
        }
        for kind in ["pattern", "value"] {
            let largest = changes
                .iter()
                .filter(|(own, _, counts)| *own == kind && counts.iter().any(|&count| count >= FEWEST));
            let largest = largest.map(|(.., counts)| naive_g2(*counts, totals)).fold(0.0, f64::max);
            let also = rows().flat_map(|row| &row.also).map(|also| &also.subject);
            let shares = found.only_shares.iter().map(|share| &share.subject);
            let parts = |subject: &Subject| match subject {
                Subject::Pair { one, other } => vec![one.kind(), other.kind()],
                subject => vec![subject.kind()],
            };
            let mut listed = rows().map(|row| &row.subject).chain(also).chain(shares);
            let is_listed = listed.any(|subject| parts(subject).contains(&kind));
            self.claim(&format!("the largest {kind} is listed"), is_listed || largest < 1e-6);
        }
        let has_numbers = self.numbers(&|_| true).iter().all(|numbers| !numbers.is_empty());
        let is_compared = has_numbers && !self.found.left_out.iter().any(|(name, _)| name == "took");
        let is_listed = rows().any(|row| row.moved.is_some());
        self.claim("the largest change of numbers is listed", !is_compared || is_listed);
    }

    fn check_first(&mut self) {
        let Some(first) = &self.found.first else { return };
        let Some(row) = self.found.differences.get(first.row) else {
            return self.claim("the first row is listed", false);
        };
        if first.event.is_some() {
            let is_first =
                |event: usize| self.events[event].time == first.at && self.has(event, &row.subject);
            let is_it = self.rows_of(first.side).any(is_first);
            self.claim(&format!("the first event of {} is at {}", row.subject, first.at), is_it);
        }
        let earlier = self.found.differences.iter().filter_map(|row| row.since);
        let is_first = earlier
            .map(|since| since.at)
            .min()
            .is_none_or(|at| first.onset.is_none_or(|onset| onset.at <= at));
        self.claim("the first row is the first", is_first);
    }

    /// Each word is more frequent in B, by more than chance explains of a single word.
    fn check_words(&mut self) {
        let snapshot = self.case.snapshot();
        let sides = [0, 1].map(|side: usize| Side {
            case: self.case,
            snapshot: &snapshot,
            view: &self.sides[side].view,
        });
        let words = Engine::significant_words(sides, 24, &Cancel::default()).expect("words");
        let totals = self.found.events;
        for word in words.words {
            let counts = [word.others, word.selected];
            let is_more = rate(counts, totals, 1) >= LEAST_RATIO * rate(counts, totals, 0);
            let by_chance = score::p_value(naive_g2(counts, totals));
            self.claim(
                &format!("{} distinguishes B: {counts:?} of {totals:?}", word.word),
                is_more && by_chance < 0.003,
            );
        }
    }
}

/// From the four cells.
pub(super) fn naive_g2(counts: ClaimedCounts, totals: ClaimedCounts) -> f64 {
    let all = (totals[0] + totals[1]) as f64;
    let with = (counts[0] + counts[1]) as f64;
    let mut sum = 0.0;
    for side in 0..2 {
        for (seen, of) in [(counts[side], with), (totals[side] - counts[side], all - with)] {
            if seen > 0 {
                sum += 2.0 * seen as f64 * (seen as f64 * all / of / totals[side] as f64).ln();
            }
        }
    }
    sum.max(0.0)
}
