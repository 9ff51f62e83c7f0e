//! The two sides of a comparison.

use std::collections::HashSet;
use std::sync::Arc;

use crate::Engine;
use crate::aggregate::{AggregateScope, GlobalValues};
use crate::exec::{Bitmap, Instants, SegmentRows, in_order};
use crate::view::View;
use base::Cancel;
use base::error::Result;
use patterns::Tree;
use query::Filter;
use store::{Mined, Segment, Snapshot, SourceEntry};

/// A case as it was when the comparison began.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    pub case: &'a Engine,
    pub snapshot: &'a Snapshot,
    /// Of a sample: the filter that chose its events, in place of that of the view.
    pub sampled_by: Option<&'a Filter>,
}

pub struct Sides<'a> {
    /// Where A and B are: in one case, or in two.
    origins: [Origin<'a>; 2],
    /// A and B, resolved.
    pub views: &'a [View; 2],
    pub cancel: &'a Cancel,
    /// Fields by which the sides were chosen.
    chosen_by: HashSet<String>,
}

impl<'a> Sides<'a> {
    pub fn new(origins: [Origin<'a>; 2], views: &'a [View; 2], cancel: &'a Cancel) -> Sides<'a> {
        let mut chosen_by = HashSet::new();
        let texts = |filter: &Filter| -> HashSet<String> {
            conditions(filter).into_iter().map(ToString::to_string).collect()
        };
        let [a, b] = [0, 1].map(|side: usize| origins[side].sampled_by.unwrap_or(&views[side].filter));
        for (filter, other) in [(a, b), (b, a)] {
            // What both sides have to be is no choice between them.
            let others = texts(other);
            let own = conditions(filter).into_iter();
            own.filter(|condition| !others.contains(&condition.to_string()))
                .for_each(|condition| add_fields(condition, &mut chosen_by));
        }
        let sides = Sides { origins, views, cancel, chosen_by };
        if !sides.is_one_case() {
            // Two cases have no source in common.
            return Sides {
                chosen_by: sides.chosen_by.into_iter().chain(["source".to_owned()]).collect(),
                ..sides
            };
        }
        sides
    }

    pub fn is_one_case(&self) -> bool {
        std::ptr::eq(self.origins[0].snapshot, self.origins[1].snapshot)
    }

    /// The cases, each once.
    pub fn origins(&self) -> &[Origin<'a>] {
        if self.is_one_case() { &self.origins[..1] } else { &self.origins }
    }

    /// The segments of A's case; those of B's follow if it is another one.
    pub fn segments(&self) -> usize {
        self.origins().iter().map(|origin| origin.snapshot.segments.len()).sum()
    }

    /// The place of a segment in the case of a side, if it belongs to it.
    fn own_place(&self, side: usize, index: usize) -> Option<usize> {
        let of_a = self.origins[0].snapshot.segments.len();
        match side {
            _ if self.is_one_case() => Some(index),
            0 => (index < of_a).then_some(index),
            _ => index.checked_sub(of_a),
        }
    }

    /// The case of a segment, and its place there.
    fn origin_of(&self, index: usize) -> (&Origin<'a>, usize) {
        match self.own_place(0, index) {
            Some(place) => (&self.origins[0], place),
            None => (&self.origins[1], index - self.origins[0].snapshot.segments.len()),
        }
    }

    pub fn segment(&self, index: usize) -> &Segment {
        let (origin, place) = self.origin_of(index);
        &origin.snapshot.segments[place]
    }

    /// The sources of a segment's case.
    pub fn sources(&self, index: usize) -> &[SourceEntry] {
        self.origin_of(index).0.snapshot.sources()
    }

    pub fn mined(&self, index: usize) -> Result<Arc<Mined>> {
        self.origin_of(index).0.case.mined(self.segment(index), self.cancel)
    }

    /// The templates of the case, or of both together.
    pub fn tree(&self) -> Result<Arc<Tree>> {
        let [a, b] = &self.origins;
        if self.is_one_case() {
            return a.case.tree(a.snapshot, self.cancel, &mut |_, _| Ok(()));
        }
        Engine::joint_tree([(a.case, a.snapshot), (b.case, b.snapshot)], self.cancel).map(Arc::new)
    }

    /// The templates of A's case and of B's.
    pub fn own_trees(&self) -> Result<[Arc<Tree>; 2]> {
        let tree = |side: usize| {
            let Origin { case, snapshot, .. } = self.origins[side];
            case.tree(snapshot, self.cancel, &mut |_, _| Ok(()))
        };
        Ok([tree(0)?, tree(1)?])
    }

    /// The side whose case a segment belongs to, where they are two.
    pub fn side_of(&self, index: usize) -> usize {
        usize::from(self.own_place(0, index).is_none())
    }

    /// The values of a field in both cases, where they are two.
    pub fn joint_values(&self, field: &str) -> Result<GlobalValues> {
        GlobalValues::joint(self.origins.map(|origin| origin.snapshot), field, self.cancel)
    }

    pub fn is_chosen_by(&self, field: &str) -> bool {
        self.chosen_by.contains(field)
    }

    /// Whether the sides ask for other sources, whose times are not those of the case.
    pub fn are_of_other_sources(&self) -> bool {
        let [a, b] = self.views.each_ref().map(|view| {
            let all = conditions(&view.filter);
            all.into_iter().filter(|condition| names_field(condition, "source")).collect::<Vec<_>>()
        });
        a != b
    }

    /// The times of a side within those of its case, from (inclusive) to (exclusive): two if its filter leaves out a range
    /// between them. Nothing if the side is a sample, if its case has no times, or if its filter asks for times in a way
    /// that no range says.
    pub fn times(&self, side: usize) -> Option<Vec<(i64, i64)>> {
        let (Origin { snapshot, sampled_by: None, .. }, view) = (self.origins[side], &self.views[side])
        else {
            return None;
        };
        let (first, last) = snapshot.time_range()?;
        let from = view.from.map_or(first, |from| from.max(first));
        let to = view.to.map_or(last.saturating_add(1), |to| to.min(last.saturating_add(1)));
        let mut times = vec![(from, to)];
        for condition in conditions(&view.filter) {
            if !names_field(condition, "time") || only_times(condition).is_some() {
                continue;
            }
            let Filter::Not(inner) = condition else { return None };
            let (begin, end) = only_times(inner)?;
            let parts = times.iter().flat_map(|&(from, to)| [(from, to.min(begin)), (from.max(end), to)]);
            times = parts.filter(|(from, to)| from < to).collect();
        }
        (!times.is_empty()).then_some(times)
    }

    pub fn scope(&self, side: usize) -> AggregateScope<'_> {
        self.scope_of(side, &self.views[side])
    }

    /// Another view of a side's case.
    pub fn scope_of<'s>(&'s self, side: usize, view: &'s View) -> AggregateScope<'s> {
        let Origin { case, snapshot, .. } = self.origins[side];
        AggregateScope { case, snapshot, view, cancel: self.cancel }
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
            let part = |side: usize| match self.own_place(side, index) {
                Some(place) => self.scope_of(side, &views[side]).part(place),
                None => Ok(None),
            };
            let parts = [part(0)?, part(1)?];
            let has_rows = parts.iter().flatten().any(|part| part.len() > 0);
            has_rows.then(|| work(index, &parts)).transpose()
        };
        in_order(self.segments(), self.cancel, work, |_, result| {
            if let Some(result) = result {
                done(result);
            }
            Ok(())
        })
    }

    /// Does `work` for the rows of one view of a side's case in every segment that has some, as [`Sides::each_segment`] does.
    pub fn each_part<R: Send>(
        &self,
        side: usize,
        view: &View,
        work: impl Fn(&SegmentRows) -> Result<R> + Sync,
        mut done: impl FnMut(R),
    ) -> Result<()> {
        let work = |index: usize| -> Result<Option<R>> {
            let part = self.scope_of(side, view).part(index)?;
            part.filter(|part| part.len() > 0).map(|part| work(&part)).transpose()
        };
        in_order(self.origins[side].snapshot.segments.len(), self.cancel, work, |_, result| {
            if let Some(result) = result {
                done(result);
            }
            Ok(())
        })
    }

    /// How many events are on both sides.
    pub fn shared(&self) -> Result<u64> {
        if !self.is_one_case() {
            return Ok(0);
        }
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

/// The range of a filter that asks for times only.
fn only_times(filter: &Filter) -> Option<(i64, i64)> {
    let (mut begin, mut end) = (i64::MIN, i64::MAX);
    for condition in conditions(filter) {
        let Filter::Field { field, test, .. } = condition else { return None };
        let instants = Instants::from_test(test).filter(|_| field == "time")?;
        begin = instants.from.map_or(begin, |from| from.max(begin));
        end = instants.to.map_or(end, |to| to.min(end));
    }
    Some((begin, end))
}

fn names_field(filter: &Filter, field: &str) -> bool {
    let mut fields = HashSet::new();
    add_fields(filter, &mut fields);
    fields.contains(field)
}

fn add_fields(filter: &Filter, fields: &mut HashSet<String>) {
    match filter {
        Filter::Everything | Filter::Text(_) | Filter::Noted(_) => {}
        Filter::Not(inner) => add_fields(inner, fields),
        Filter::And(parts) | Filter::Or(parts) => parts.iter().for_each(|part| add_fields(part, fields)),
        Filter::Field { field, .. } => {
            fields.insert(field.clone());
        }
    }
}
