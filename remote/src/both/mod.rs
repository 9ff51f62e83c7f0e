//! A case and clusters that are asked together, as if their events were in one place.
//!
//! Each of them answers for its own events, a [`Lane`] of the whole, and what they answer is merged here: rows in the order
//! of time, counts in the same bins, groups with their partial aggregates. Of rows with the same time those of the case come first,
//! then those of the clusters in their order; newest first it is the other way round.
//!
//! What a cluster lacks or estimates is part of every answer, with the cluster's name. A cluster that does not answer at all is
//! missing from the answer, which says so; a clause that it cannot answer is an error, as when it is asked alone.

mod aggregates;
mod charts;
mod facets;
mod groups;
mod language;
mod listing;
mod ranked;
mod stages;
mod timechart;
mod timeline;

use indexer::query::{Filter, NoteField, QueryContext, Severity, resolve};
use indexer::{Cancel, Case, Engine, Error, ErrorKind, Result, RunOptions, Snapshot, View};
use jiff::tz::TimeZone;

pub use self::listing::{MergedEvent, MergedListing, OpenListing, Splits, new_listing, only_by_time};
pub use self::timeline::{LaneCounts, MergedTimeline};
use crate::cluster::{Asked, Cluster, Missing};
use crate::dsl::Inexact;
use crate::questions::Answer;

/// A case and the clusters that it is shown with, for one question.
pub struct Both<'a> {
    pub case: &'a Case,
    pub snapshot: &'a Snapshot,
    pub lanes: Vec<Lane>,
    /// The zone of days, and of times that name none.
    pub zone: &'a str,
    pub cancel: &'a Cancel,
}

/// A cluster with what is known of its events.
#[derive(Debug)]
pub struct Lane {
    pub cluster: Cluster,
    /// The first and the last time of all its events.
    pub times: Option<(i64, i64)>,
}

/// A filter in a range of times, as each of them is asked.
pub(crate) struct EachAsked {
    /// The one of the case.
    pub view: View,
    /// Those of the clusters, in their order.
    pub lanes: Vec<Asked>,
}

/// What keeps a merged answer from being exact and complete.
#[derive(Debug, Default)]
pub(crate) struct Reservations {
    inexact: Vec<Inexact>,
    missing: Missing,
    notes: Vec<String>,
}

impl Reservations {
    /// The value of a cluster's answer; the rest of it is kept with the cluster's name.
    pub fn take<T>(&mut self, name: &str, answer: Answer<T>) -> T {
        for inexact in answer.inexact {
            let inexact = Inexact { reason: format!("{} ({name})", inexact.reason), ..inexact };
            if !self.inexact.contains(&inexact) {
                self.inexact.push(inexact);
            }
        }
        self.missing.add(Missing(answer.missing.0.iter().map(|what| format!("{name}: {what}")).collect()));
        answer.notes.iter().for_each(|note| self.note(format!("{name}: {note}")));
        answer.value
    }

    /// The value of an answer, or nothing where the cluster could not be asked, which is then missing.
    pub fn attempt<T>(&mut self, name: &str, answer: Result<Answer<T>>) -> Result<Option<T>> {
        match answer {
            Ok(answer) => Ok(Some(self.take(name, answer))),
            Err(error) if is_failure(&error) => {
                self.miss(name, &error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    pub fn miss(&mut self, name: &str, error: &Error) {
        self.missing.add(Missing(vec![format!("nothing from {name}: {error}")]));
    }

    pub fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub fn answer<T>(self, value: T) -> Answer<T> {
        Answer { value, inexact: self.inexact, missing: self.missing, notes: self.notes }
    }
}

/// Whether the cluster failed, and not the question.
fn is_failure(error: &Error) -> bool {
    use ErrorKind::{BadRequest, Corrupt, Internal, NotFound, NotReadable};
    matches!(error.kind(), BadRequest | Corrupt | Internal | NotFound | NotReadable)
}

impl Both<'_> {
    /// The first and the last time of all events.
    #[must_use]
    pub fn times(&self) -> Option<(i64, i64)> {
        let lanes = self.lanes.iter().filter_map(|lane| lane.times);
        let all = self.snapshot.time_range().into_iter().chain(lanes);
        all.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }

    /// The times that an answer in this range spans.
    fn times_within(&self, range: (Option<i64>, Option<i64>)) -> Option<(i64, i64)> {
        let (first, last) = self.times()?;
        let first = range.0.map_or(first, |from| from.max(first));
        let last = range.1.map_or(last, |to| to.saturating_sub(1).min(last));
        (first <= last).then_some((first, last))
    }

    /// What each of them knows, the case first.
    fn contexts(&self) -> Vec<QueryContext> {
        let now = self.times().map_or(0, |(_, last)| last);
        let of_case = QueryContext { now, ..Engine::context(self.snapshot) };
        let of_lane = |lane: &Lane| QueryContext {
            fields: lane.cluster.schema.known_fields(),
            now,
            zone: TimeZone::UTC,
        };
        std::iter::once(of_case).chain(self.lanes.iter().map(of_lane)).collect()
    }

    /// A filter for each of them. A field that only others have is one that no event has.
    pub(crate) fn asked(&self, filter: &Filter, range: (Option<i64>, Option<i64>)) -> Result<EachAsked> {
        let zone = RunOptions::in_zone(self.zone)?.zone;
        let contexts = self.contexts();
        let mut filters = Vec::new();
        for (place, context) in contexts.iter().enumerate() {
            let others: Vec<&QueryContext> = contexts
                .iter()
                .enumerate()
                .filter(|(at, _)| *at != place)
                .map(|(_, context)| context)
                .collect();
            let known = with_fields_of(filter, context, &others, place > 0);
            let context = QueryContext { zone: zone.clone(), ..context.clone() };
            // Times such as `now` are those of all events together, and so are resolved once.
            let resolved = resolve(&known, &context);
            let mistake = resolved.diagnostics.into_iter().find(|found| found.severity == Severity::Error);
            match mistake {
                Some(_) if place == 0 && self.snapshot.events() == 0 => filters.push(known),
                Some(mistake) => return Err(mistake.into()),
                None => filters.push(if names_time(&known) { resolved.filter } else { known }),
            }
        }
        let mut filters = filters.into_iter();
        let filter = filters.next().unwrap_or(Filter::Everything);
        let of_lane = |filter| Asked { filter, from: range.0, to: range.1, zone: self.zone.to_owned() };
        Ok(EachAsked {
            view: View { filter, from: range.0, to: range.1 },
            lanes: filters.map(of_lane).collect(),
        })
    }

    /// The number of matching events.
    pub fn count(&self, filter: &Filter, range: (Option<i64>, Option<i64>)) -> Result<Answer<u64>> {
        let asked = self.asked(filter, range)?;
        let mut count = self.case.count(self.snapshot, &asked.view, self.cancel)? as u64;
        let mut reservations = Reservations::default();
        for (counted, lane) in
            self.of_lanes(&asked, |lane, asked| lane.cluster.count(asked)).into_iter().zip(&self.lanes)
        {
            count += reservations.attempt(&lane.cluster.name, counted)?.unwrap_or(0);
        }
        Ok(reservations.answer(count))
    }

    /// Asks all clusters at once.
    fn of_lanes<T: Send>(&self, asked: &EachAsked, ask: impl Fn(&Lane, &Asked) -> T + Sync) -> Vec<T> {
        let each: Vec<(&Lane, &Asked)> = self.lanes.iter().zip(&asked.lanes).collect();
        at_once(each, |(lane, asked)| ask(lane, asked))
    }
}

/// Does the same for each of some things, all at once, because clusters make one wait.
fn at_once<I: Send, T: Send>(items: Vec<I>, work: impl Fn(I) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = items.into_iter().map(|item| scope.spawn(|| work(item))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// The filter that no event passes.
fn nothing() -> Filter {
    Filter::Not(Box::new(Filter::Everything))
}

/// The filter for one of them. An event without a field fails every test, and events of clusters have no notes.
fn with_fields_of(filter: &Filter, own: &QueryContext, others: &[&QueryContext], is_cluster: bool) -> Filter {
    let of = |part: &Filter| with_fields_of(part, own, others, is_cluster);
    match filter {
        Filter::And(parts) => Filter::And(parts.iter().map(of).collect()),
        Filter::Or(parts) => Filter::Or(parts.iter().map(of).collect()),
        Filter::Not(inner) => Filter::Not(Box::new(of(inner))),
        Filter::Field { field, .. } if own.fields_of(field).is_empty() => {
            let is_note =
                NoteField::ALL.iter().any(|note| [note.name(), note.short_name()].contains(&field.as_str()));
            let is_known = others.iter().any(|other| !other.fields_of(field).is_empty());
            if is_known || is_note && is_cluster { nothing() } else { filter.clone() }
        }
        Filter::Noted(_) if is_cluster => nothing(),
        Filter::Everything | Filter::Text(_) | Filter::Field { .. } | Filter::Noted(_) => filter.clone(),
    }
}

fn names_time(filter: &Filter) -> bool {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().any(names_time),
        Filter::Not(inner) => names_time(inner),
        Filter::Field { field, .. } => {
            field == "time" || indexer::query::ecs::fields_of(field).any(|field| field == "time")
        }
        Filter::Everything | Filter::Text(_) | Filter::Noted(_) => false,
    }
}
