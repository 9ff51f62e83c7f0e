//! The two sides of a comparison.

use std::collections::HashSet;

use crate::Engine;
use crate::aggregate::AggregateScope;
use crate::exec::{Bitmap, SegmentRows, in_order};
use crate::view::View;
use base::Cancel;
use base::error::Result;
use query::Filter;
use store::Snapshot;

pub struct Sides<'a> {
    pub case: &'a Engine,
    pub snapshot: &'a Snapshot,
    /// A and B, resolved.
    pub views: &'a [View; 2],
    pub cancel: &'a Cancel,
    /// Fields by which the sides were chosen.
    chosen_by: HashSet<String>,
}

impl<'a> Sides<'a> {
    pub fn new(
        case: &'a Engine,
        snapshot: &'a Snapshot,
        views: &'a [View; 2],
        cancel: &'a Cancel,
    ) -> Sides<'a> {
        let mut chosen_by = HashSet::new();
        let texts = |view: &View| -> HashSet<String> {
            conditions(&view.filter).into_iter().map(ToString::to_string).collect()
        };
        for (view, other) in [(&views[0], &views[1]), (&views[1], &views[0])] {
            // What both sides have to be is no choice between them.
            let others = texts(other);
            let own = conditions(&view.filter).into_iter();
            own.filter(|condition| !others.contains(&condition.to_string()))
                .for_each(|condition| add_fields(condition, &mut chosen_by));
        }
        Sides { case, snapshot, views, cancel, chosen_by }
    }

    pub fn is_chosen_by(&self, field: &str) -> bool {
        self.chosen_by.contains(field)
    }

    pub fn scope(&self, side: usize) -> AggregateScope<'_> {
        let view = &self.views[side];
        AggregateScope { case: self.case, snapshot: self.snapshot, view, cancel: self.cancel }
    }

    /// A side's events that also pass a filter.
    pub fn view_with(&self, side: usize, filter: &Filter) -> View {
        let view = &self.views[side];
        let filter = match &view.filter {
            Filter::Everything => filter.clone(),
            own => Filter::And(vec![own.clone(), filter.clone()]),
        };
        View { filter, from: view.from, to: view.to }
    }

    /// Does `work` for the rows of both sides in every segment that has some, on all cores; `done` gets each result on
    /// this thread, in order.
    pub fn each_segment<R: Send>(
        &self,
        work: impl Fn(usize, &[Option<SegmentRows>; 2]) -> Result<R> + Sync,
        done: impl FnMut(R),
    ) -> Result<()> {
        self.each_segment_of(self.views, work, done)
    }

    /// The same for other views, each a part of one side.
    pub fn each_segment_of<R: Send>(
        &self,
        views: &[View; 2],
        work: impl Fn(usize, &[Option<SegmentRows>; 2]) -> Result<R> + Sync,
        mut done: impl FnMut(R),
    ) -> Result<()> {
        let work = |index: usize| -> Result<Option<R>> {
            let part = |side: usize| self.case.part(self.snapshot, index, &views[side], self.cancel);
            let parts = [part(0)?, part(1)?];
            let has_rows = parts.iter().flatten().any(|part| part.len() > 0);
            has_rows.then(|| work(index, &parts)).transpose()
        };
        in_order(self.snapshot.segments.len(), self.cancel, work, |_, result| {
            if let Some(result) = result {
                done(result);
            }
            Ok(())
        })
    }

    /// How many events are on both sides.
    pub fn shared(&self) -> Result<u64> {
        let [a, b] = self.views;
        let is_before =
            |one: &View, other: &View| one.to.zip(other.from).is_some_and(|(to, from)| to <= from);
        if is_before(a, b) || is_before(b, a) {
            return Ok(0);
        }
        let mut shared = 0;
        let count = |_: usize, parts: &[Option<SegmentRows>; 2]| {
            let [Some(a), Some(b)] = parts else { return Ok(0) };
            if a.is_whole() && b.is_whole() {
                let (one, other) = (a.rows(), b.rows());
                return Ok(one.end.min(other.end).saturating_sub(one.start.max(other.start)));
            }
            let mut rows = Bitmap::none(a.segment.meta.events as usize);
            a.for_each(|row| rows.insert(row as u32));
            let mut both = 0;
            b.for_each(|row| both += usize::from(rows.has(row as u32)));
            Ok(both)
        };
        self.each_segment(count, |both| shared += both as u64)?;
        Ok(shared)
    }
}

/// The parts of a filter that all have to be true.
fn conditions(filter: &Filter) -> Vec<&Filter> {
    match filter {
        Filter::And(parts) => parts.iter().flat_map(conditions).collect(),
        other => vec![other],
    }
}

fn add_fields(filter: &Filter, fields: &mut HashSet<String>) {
    match filter {
        Filter::Everything | Filter::Text(_) | Filter::Annotated(_) => {}
        Filter::Not(inner) => add_fields(inner, fields),
        Filter::And(parts) | Filter::Or(parts) => parts.iter().for_each(|part| add_fields(part, fields)),
        Filter::Field { field, .. } => {
            fields.insert(field.clone());
        }
    }
}
