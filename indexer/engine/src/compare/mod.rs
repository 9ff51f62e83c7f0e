//! Compares side A of a case with side B: what is new, gone, more or less frequent, what moved and what stopped.
//!
//! Counts come from the codes of columns and the shapes of messages, one pass a field (`counts`, `rhythm`, `beat`,
//! `numbers`); offsets of clocks from a sample (`clock`). What differs is then counted together, so that a difference that follows from another one is
//! listed with it instead of a second time (`cells`, `explain`).

mod beat;
mod cells;
#[cfg(test)]
mod claims;
#[cfg(test)]
mod claims_tests;
mod clock;
mod counts;
mod explain;
#[cfg(test)]
mod explain_tests;
mod gaps;
mod numbers;
mod onset;
#[cfg(test)]
mod over_time_tests;
mod pairs;
mod pattern_places;
mod relation;
mod rhythm;
mod score;
mod shares;
mod sides;
mod significant_words;
mod subject;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod two_cases_tests;
mod verdict;
mod volume;

use std::collections::HashMap;
use std::time::Instant;

pub use beat::{Beat, BeatChange};
pub use clock::{ClockChange, ClockOffset};
pub use numbers::{CurvePoint, Mix, Moved, PERCENTILES};
pub use onset::{FirstDivergence, Onset};
pub use relation::Relation;
pub use rhythm::{Stop, stopped};
pub use score::{FEWEST, LEAST_DISTANCE, LEAST_RATIO, Rates, SIGNIFICANCE, threshold};
pub use shares::ShareChange;
pub use significant_words::{SignificantWord, SignificantWords};
pub use subject::Subject;
pub use verdict::{FieldChange, Unchanged};
pub use volume::Volume;

use crate::Engine;
use crate::view::View;
use base::Cancel;
use base::error::Result;
use base::limits::PARTIAL_EVERY;
use counts::Counts;
use query::Filter;
use serde::Serialize;
use sides::{Origin, Sides};
use store::Snapshot;

/// Rows that a comparison lists, unless another number is asked for.
pub const ROWS: usize = 50;

/// A side in a case of its own.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub case: &'a Engine,
    pub snapshot: &'a Snapshot,
    pub view: &'a View,
}

/// What differs in one respect.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Difference {
    pub subject: Subject,
    pub change: Change,
    /// Events of A and of B; of a number those that have it.
    pub counts: [u64; 2],
    /// Their share of each side.
    pub shares: [f64; 2],
    /// The higher rate is at least so many times the lower one, after the margin of error. Of numbers: the odds.
    pub at_least: f64,
    /// The log-likelihood ratio, and the probability of one as large where nothing differs, times the number of tests.
    pub g2: f64,
    pub p_value: f64,
    /// The order of the rows.
    pub score: f64,
    pub moved: Option<Moved>,
    pub stop: Option<Stop>,
    pub beat: Option<BeatChange>,
    pub clock: Option<ClockChange>,
    /// When it begins within a side; nothing if it is there all the time, or begins slowly.
    pub since: Option<Onset>,
    /// Finds its events, on either side.
    #[serde(with = "filter_text")]
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub filter: Filter,
    /// Of two cases: finds them on each side, where the same pattern is another template.
    #[serde(with = "side_filter_texts")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<[String; 2]>"))]
    pub side_filters: Option<[Filter; 2]>,
    /// What differs because of this, or with it.
    pub also: Vec<Also>,
}

impl Difference {
    /// The kind of row, as tables and JSON name it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        let is_rhythm = self.stop.is_some() || self.beat.is_some() || self.clock.is_some();
        if is_rhythm { "rhythm" } else { self.subject.kind() }
    }
}

/// A filter as it is written in a query.
mod filter_text {
    use query::Filter;
    use serde::Serializer;

    pub fn serialize<S: Serializer>(filter: &Filter, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(filter)
    }
}

/// The same for those of two cases.
mod side_filter_texts {
    use query::Filter;
    use serde::{Serialize, Serializer};

    // Serde hands the field over by reference.
    #[allow(clippy::ref_option)]
    pub fn serialize<S: Serializer>(filters: &Option<[Filter; 2]>, serializer: S) -> Result<S::Ok, S::Error> {
        filters.as_ref().map(|filters| filters.each_ref().map(ToString::to_string)).serialize(serializer)
    }
}

/// A difference that another one explains.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Also {
    pub subject: Subject,
    pub change: Change,
    pub counts: [u64; 2],
    /// Its events that are also events of the row.
    pub both: [u64; 2],
    pub relation: Relation,
}

impl Also {
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.relation == Relation::Same
    }

    /// In words, without a full stop: how its events belong to those of a row with these counts.
    #[must_use]
    pub fn how(&self, row: [u64; 2], totals: [u64; 2]) -> String {
        match self.relation {
            Relation::Same if self.both == self.counts && self.both == row => "the same events".to_owned(),
            Relation::Same => "nearly the same events".to_owned(),
            Relation::Together => {
                let side = Rates::new(self.counts, totals).higher();
                let name = ["A", "B"][side];
                format!("in {} of its {} events of {name}", self.both[side], self.counts[side])
            }
            Relation::Time { side, bins, shared } => {
                format!("at the same time, in {shared} of its {bins} bins of {}", ["A", "B"][side.min(1)])
            }
            Relation::Clock => "the same clock".to_owned(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Change {
    /// B has it, A does not.
    New,
    /// A has it, B does not.
    Gone,
    More,
    Fewer,
    /// B has it until some time, and then no more.
    Stopped,
    /// In B it repeats after the same time again and again, in A it does not.
    Repeats,
    /// In A it repeats, in B it comes at any time.
    Irregular,
    /// It repeats after another time.
    Period,
    /// The numbers are others.
    Moved,
    /// The clock of a source is later in B than in A, against that of another source.
    Later,
    Earlier,
}

impl Change {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Change::New => "new",
            Change::Gone => "gone",
            Change::More => "more",
            Change::Fewer => "fewer",
            Change::Stopped => "stopped",
            Change::Repeats => "repeats",
            Change::Irregular => "irregular",
            Change::Period => "period",
            Change::Moved => "moved",
            Change::Later => "later",
            Change::Earlier => "earlier",
        }
    }

    fn from_counts(counts: [u64; 2], is_more: bool) -> Change {
        match counts {
            [0, _] => Change::New,
            [_, 0] => Change::Gone,
            _ if is_more => Change::More,
            _ => Change::Fewer,
        }
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Comparison {
    /// Events of A and of B.
    pub events: [u64; 2],
    /// Events that both sides have. They count on both.
    pub shared: u64,
    /// How much each side logs over time: the first row.
    pub volume: Option<Volume>,
    /// The greatest score first, with at most two rows about values of one field before all others.
    pub differences: Vec<Difference>,
    /// The largest changes of each kind that are not among the differences: chance may explain them, or other values do.
    pub others: Vec<Difference>,
    /// What differs no longer without the events of the differences.
    pub only_shares: Vec<ShareChange>,
    /// Where the sides begin to differ, of the differences that are listed.
    pub first: Option<FirstDivergence>,
    /// Differences above the line that are not listed.
    pub unlisted: usize,
    pub unchanged: Unchanged,
    /// Fields that were not compared, with the reason.
    pub left_out: Vec<(String, LeftOut)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum LeftOut {
    /// The filters of the sides name it, so that it differs by choice.
    ChosenBy,
    ManyValues,
    /// Its numbers count upwards, so that they always differ.
    CountsUp,
    /// On one side it has no numbers: not at all, or texts in their place.
    OneSide,
}

impl LeftOut {
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            LeftOut::ChosenBy => "the sides are chosen by it",
            LeftOut::ManyValues => "it has too many different values",
            LeftOut::CountsUp => "its numbers count upwards",
            LeftOut::OneSide => "only one side has numbers of it",
        }
    }
}

impl Comparison {
    /// What has to be known to read the rows: in sentences, without a full stop.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (side, events) in ["A", "B"].into_iter().zip(self.events) {
            match events {
                0 => notes.push(format!("{side} has no events, so there is nothing to compare")),
                1..FEWEST => notes.push(format!(
                    "{side} has {events} {}, too few to tell how frequent anything is there",
                    if events == 1 { "event" } else { "events" }
                )),
                _ => {}
            }
        }
        if self.shared > 0 {
            let share = 100.0 * self.shared as f64 / self.events[0].min(self.events[1]).max(1) as f64;
            let are = if self.shared == 1 { "event is" } else { "events are" };
            notes.push(format!(
                "{} {are} on both sides ({share:.1} % of the smaller one); each counts on both, which hides differences",
                self.shared
            ));
        }
        notes
    }

    /// The same with the volume, which comes before all rows.
    #[must_use]
    pub fn notes_and_volume(&self) -> Vec<String> {
        let volume = self.volume.iter().map(Volume::text);
        volume.chain(self.notes()).collect()
    }

    /// Where the sides begin to differ, or else their main difference, in a sentence without a full stop.
    #[must_use]
    pub fn begins(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        let Difference { change, subject, .. } = self.differences.get(first.row)?;
        let at = base::stamp::to_rfc3339(first.at);
        let how = if first.onset.is_some() { "the sides begin to differ" } else { "main difference," };
        Some(format!("{how} at {at}: {} {subject}", change.name()))
    }
}

impl Engine {
    /// Compares A, the first view, with B, the second one. `partial` is called with what is found until now and the
    /// share of the work that is done; the first of them do not fold differences that follow from others.
    pub fn compare(
        &self,
        snapshot: &Snapshot,
        views: [&View; 2],
        rows: usize,
        partial: &mut dyn FnMut(&Comparison, f64),
        cancel: &Cancel,
    ) -> Result<Comparison> {
        Self::without_damaged(snapshot, |snapshot| {
            let origin = Origin { case: self, snapshot, sampled_by: None };
            compare_of([origin, origin], views, rows, partial, cancel)
        })
    }

    /// The same for sides that know their case: one case if they share its snapshot, or two. A case that is a sample of a
    /// cluster comes with the filter that chose its events there.
    pub fn compare_cases(
        sides: [Side<'_>; 2],
        sampled_by: [Option<&Filter>; 2],
        rows: usize,
        partial: &mut dyn FnMut(&Comparison, f64),
        cancel: &Cancel,
    ) -> Result<Comparison> {
        let [a, b] = sides;
        if std::ptr::eq(a.snapshot, b.snapshot) {
            return a.case.compare(a.snapshot, [a.view, b.view], rows, partial, cancel);
        }
        Self::without_damaged(a.snapshot, |in_a| {
            Self::without_damaged(b.snapshot, |in_b| {
                let origins = [
                    Origin { case: a.case, snapshot: in_a, sampled_by: sampled_by[0] },
                    Origin { case: b.case, snapshot: in_b, sampled_by: sampled_by[1] },
                ];
                compare_of(origins, [a.view, b.view], rows, partial, cancel)
            })
        })
    }

    /// How much each quantile of a field's numbers differs between A, the first view, and B, the second one. Empty if a
    /// side has no numbers of it.
    pub fn quantile_curve(
        &self,
        snapshot: &Snapshot,
        views: [&View; 2],
        field: &str,
        cancel: &Cancel,
    ) -> Result<Vec<CurvePoint>> {
        Self::without_damaged(snapshot, |snapshot| {
            let views = [self.resolved(snapshot, views[0])?, self.resolved(snapshot, views[1])?];
            let origin = Origin { case: self, snapshot, sampled_by: None };
            let sides = Sides::new([origin, origin], &views, cancel);
            Ok(numbers::quantiles(&sides, &views, field)?.curve())
        })
    }
}

fn compare_of(
    origins: [Origin<'_>; 2],
    views: [&View; 2],
    rows: usize,
    partial: &mut dyn FnMut(&Comparison, f64),
    cancel: &Cancel,
) -> Result<Comparison> {
    let resolved = |side: usize| origins[side].case.resolved(origins[side].snapshot, views[side]);
    let views = [resolved(0)?.with_times_of_filter(), resolved(1)?.with_times_of_filter()];
    let sides = Sides::new(origins, &views, cancel);
    let mut found = Comparison { shared: sides.shared()?, ..Comparison::default() };
    let mut counts = Counts::of_patterns(&sides)?;
    found.events = counts.events;
    if found.events.contains(&0) {
        return Ok(found);
    }
    found.volume = volume::of_sides(&sides, &counts);
    partial(&draft(&found, &counts, rows), 0.1);
    let fields = counts::fields(&sides, &mut found.left_out);
    // The first field is the level, which often says it all, and the next one can take long.
    let mut last_partial: Option<Instant> = None;
    for (done, field) in fields.iter().enumerate() {
        counts.add_field(&sides, field, &mut found.left_out)?;
        if last_partial.is_none_or(|at| at.elapsed() >= PARTIAL_EVERY) {
            let share = 0.1 + 0.5 * (done + 1) as f64 / fields.len() as f64;
            partial(&draft(&found, &counts, rows), share);
            last_partial = Some(Instant::now());
        }
    }
    // Looking for other rhythms takes longer than all before it.
    partial(&draft(&found, &counts, rows), 0.6);
    counts.beats = beat::changes(&sides, &counts)?;
    let explained = explain::differences(&sides, &counts)?;
    let mut early = |differences: &[&[Difference]], share: f64| {
        let mut early = found.clone();
        list(&mut early, differences.concat(), rows);
        partial(&early, share);
    };
    early(&[&explained.differences], 0.7);
    let mut left_out = Vec::new();
    let moved = numbers::moved(&sides, &counts, &mut left_out)?;
    early(&[&explained.differences, &moved.differences], 0.8);
    found.left_out.extend(left_out);
    let explained = explain::with_pairs(&sides, &counts, explained)?;
    let mut differences = explained.differences;
    differences.extend(moved.differences);
    differences.extend(clock::changes(&sides, &counts)?);
    found.only_shares = explained.only_shares;
    found.others = verdict::largest(&sides, &counts, &explained.known, &differences)?;
    found.others.extend(explained.near_pair);
    let (numbers, still) = verdict::largest_numbers(moved.others, &differences);
    found.others.extend(numbers);
    found.differences = differences;
    found.unchanged = verdict::unchanged(&sides, &counts, &found, &still)?;
    let differences = std::mem::take(&mut found.differences);
    list(&mut found, differences, rows);
    numbers::percentiles(&sides, &mut found.differences)?;
    numbers::percentiles(&sides, &mut found.others)?;
    onset::of_rows(&sides, &counts, &mut found.differences)?;
    found.first = onset::first(&sides, &counts, &found.differences)?;
    if !sides.is_one_case() {
        let rows = found.differences.iter_mut().chain(&mut found.others);
        for difference in rows.filter(|found| found.clock.is_none()) {
            let filter = |side: usize| counts.places.filter_on(side, &difference.subject);
            difference.side_filters = Some([filter(0), filter(1)]);
        }
    }
    Ok(found)
}

/// What is known before anything is explained.
fn draft(found: &Comparison, counts: &Counts, rows: usize) -> Comparison {
    let mut found = found.clone();
    let limit = score::threshold(counts.tests());
    let above =
        counts.candidates(limit).into_iter().filter(|candidate| candidate.is_above(counts.events, limit));
    list(
        &mut found,
        above.map(|candidate| candidate.difference(counts.events, limit, counts.tests())).collect(),
        rows,
    );
    found
}

/// Rows about values of one field that come before all others, so that a field with many new values hides nothing else.
const FIRST_OF_A_FIELD: usize = 2;

fn list(found: &mut Comparison, mut differences: Vec<Difference>, rows: usize) {
    differences.sort_by(|one, other| {
        other
            .score
            .total_cmp(&one.score)
            .then_with(|| one.subject.to_string().cmp(&other.subject.to_string()))
    });
    let mut of_fields: HashMap<String, usize> = HashMap::new();
    let (mut differences, further): (Vec<_>, Vec<_>) = differences.into_iter().partition(|row| {
        let Subject::Value { field, .. } = &row.subject else { return true };
        let of_field = of_fields.entry(field.clone()).or_default();
        *of_field += 1;
        *of_field <= FIRST_OF_A_FIELD
    });
    differences.extend(further);
    found.unlisted = differences.len().saturating_sub(rows);
    differences.truncate(rows);
    found.differences = differences;
}
