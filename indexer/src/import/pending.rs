//! Batches that have landed and are not yet published, and how they become a segment.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use ingest::{Batch, NO_INT, NO_TIME, Span, Values};

use crate::FieldKind;
use crate::error::{AtPath, Result};
use crate::storage::{
    self, Columns, Frame, Places, Rollup, Segment, SegmentField, SegmentMeta, SegmentSource, TableBuilder,
    TextColumn, WrittenSegment, field_name,
};
use crate::tune::Plan;

/// Whole numbers up to here are exact as floats too.
const EXACT_FLOAT: u64 = 1 << 53;

#[derive(Default)]
pub struct Pending {
    batches: Vec<(u32, Batch)>,
    sources: Vec<SegmentSource>,
    rows: usize,
    raw_bytes: usize,
    /// Values of all columns, missing ones included.
    cells: usize,
}

impl Pending {
    pub fn add(&mut self, source: u32, encoding: &str, frame: Frame, batch: Batch) {
        self.rows += batch.rows();
        self.raw_bytes += batch.chunk.bytes.len();
        self.cells += batch.rows() * batch.columns.len();
        let known = self.sources.iter().position(|entry| entry.source == source);
        let index = known.unwrap_or_else(|| {
            self.sources.push(SegmentSource::new(source, encoding));
            self.sources.len() - 1
        });
        self.sources[index].add(frame, batch.chunk.heading());
        self.batches.push((source, batch));
    }

    pub fn has_source(&self, source: u32) -> bool {
        self.sources.iter().any(|entry| entry.source == source)
    }

    /// Whether events of any other source wait.
    pub fn has_other_than(&self, source: Option<u32>) -> bool {
        self.sources.iter().any(|entry| Some(entry.source) != source)
    }

    /// Takes out what waits of one source.
    pub fn take_source(&mut self, source: u32) -> Pending {
        let mut taken = Pending::default();
        if !self.has_source(source) {
            return taken;
        }
        let mut kept = Pending::default();
        let all = std::mem::take(self);
        let mut frames: HashMap<u32, (String, VecDeque<Frame>)> = all
            .sources
            .into_iter()
            .map(|entry| (entry.source, (entry.encoding, entry.frames.into())))
            .collect();
        for (of, batch) in all.batches {
            let Some((encoding, frames)) = frames.get_mut(&of) else { continue };
            let Some(frame) = frames.pop_front() else { continue };
            let part = if of == source { &mut taken } else { &mut kept };
            part.add(of, encoding, frame, batch);
        }
        *self = kept;
        taken
    }

    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Whether it must be published whatever the time.
    pub fn is_full(&self, plan: &Plan) -> bool {
        self.rows >= plan.segment_rows
            || self.raw_bytes >= plan.segment_bytes
            || self.cells >= plan.segment_cells
    }

    /// Parts that are a segment each. Usually one; more where events of few fields would share a table with
    /// events of thousands, whose columns would be empty for nearly all of it.
    pub fn into_segments(self, plan: &Plan) -> Vec<Pending> {
        let mut frames: HashMap<u32, (String, VecDeque<Frame>)> = self
            .sources
            .into_iter()
            .map(|entry| (entry.source, (entry.encoding, entry.frames.into())))
            .collect();
        let mut parts: Vec<Pending> = Vec::new();
        let mut names: HashSet<Arc<str>> = HashSet::new();
        for (source, batch) in self.batches {
            let Some((encoding, frames)) = frames.get_mut(&source) else { continue };
            let Some(frame) = frames.pop_front() else { continue };
            let more = batch.columns.iter().filter(|column| !names.contains(&column.name)).count();
            let rows = parts.last().map_or(0, |part| part.rows);
            if parts.is_empty() || (rows + batch.rows()) * (names.len() + more) > plan.segment_cells {
                names.clear();
                parts.push(Pending::default());
            }
            names.extend(batch.columns.iter().map(|column| Arc::clone(&column.name)));
            if let Some(part) = parts.last_mut() {
                part.add(source, encoding, frame, batch);
            }
        }
        parts
    }

    /// Sorts the events by time and writes them as a segment. Ties keep source and offset order.
    /// Without columns, only what fields there are is noted.
    pub fn write(self, case: &Path, id: u64, has_columns: bool) -> Result<WrittenSegment> {
        let order = self.order();
        let columns = self.columns(&order);
        let mut table = TableBuilder::new(&columns).at_path(case)?;
        let fields = self.fields(&order, has_columns.then_some(&mut table)).at_path(case)?;
        let first_timed = columns.time.partition_point(|&time| time == NO_TIME);
        let meta = SegmentMeta {
            id,
            events: columns.rows() as u64,
            untimed: first_timed as u64,
            first: columns.time.get(first_timed).copied(),
            last: columns.time[first_timed..].last().copied(),
            sources: self.sources,
            has_columns,
            is_compact: false,
            fields,
            rollup: Rollup::of(&columns),
            sha256: String::new(),
        };
        Segment::write(case, meta, table)
    }

    fn order(&self) -> Order {
        let key = |batch: usize, row: usize| {
            let (source, events) = &self.batches[batch];
            (events.time[row], *source, events.chunk.offset + u64::from(events.start[row]))
        };
        // Most logs are in order already, and looking is far cheaper than sorting.
        let mut last = None;
        let sorted = self.batches.iter().enumerate().all(|(index, (_, batch))| {
            (0..batch.rows()).all(|row| {
                let this = Some(key(index, row));
                last.replace(this) < Some(this)
            })
        });
        if sorted {
            return Order::AsRead(self.batches.iter().map(|(_, batch)| batch.rows()).collect());
        }
        let mut order = Vec::with_capacity(self.rows);
        for (index, (_, batch)) in self.batches.iter().enumerate() {
            order.extend((0..batch.rows() as u32).map(|row| (index as u32, row)));
        }
        order.sort_unstable_by_key(|&(batch, row)| key(batch as usize, row as usize));
        Order::ByTime(order)
    }

    fn columns(&self, order: &Order) -> Columns {
        let mut columns = Columns::default();
        order.for_each(|batch, row| {
            let (source, batch) = &self.batches[batch];
            columns.time.push(batch.time[row]);
            columns.level.push(batch.level[row]);
            columns.source.push(*source);
            columns.line.push(batch.line[row]);
            columns.offset.push(batch.chunk.offset + u64::from(batch.start[row]));
            columns.length.push(batch.length[row]);
        });
        columns
    }

    /// Writes every field's columns and describes them.
    fn fields(
        &self,
        order: &Order,
        mut table: Option<&mut TableBuilder>,
    ) -> std::io::Result<Vec<SegmentField>> {
        let mut taken = HashSet::new();
        let mut fields = Vec::new();
        for (name, groups) in self.groups() {
            let several = groups.len() > 1;
            for (kind, values) in groups {
                let name = field_name(name).into_owned();
                let mut column = if several { format!("{name}#{}", kind.name()) } else { name.clone() };
                while !taken.insert(column.clone()) {
                    column.push('#');
                }
                let mut placed = false;
                if let Some(table) = &mut table {
                    placed = match self.gather(kind, &values, order) {
                        Gathered::Values(values) => table.field(&column, kind, &values).map(|()| false)?,
                        Gathered::Places(found) => table.placed(&column, &found).map(|()| true)?,
                    };
                }
                fields.push(SegmentField { name, column, kind, placed });
            }
        }
        Ok(fields)
    }

    /// One column's values in the segment's row order. `columns` holds, for each batch, the values of this
    /// field there, if it has any.
    fn gather(&self, kind: FieldKind, columns: &[Vec<&Values>], order: &Order) -> Gathered {
        Gathered::Values(match kind {
            FieldKind::Text => {
                let texts = self.texts(columns, order);
                if texts.is_worth_placing()
                    && let Some(places) = self.places(columns, order)
                {
                    return Gathered::Places(places);
                }
                texts.finish()
            }
            FieldKind::Int => {
                storage::Values::Int(collect(order, columns, NO_INT, |values, row| match values {
                    Values::Int(ints) if ints[row] != NO_INT => Some(ints[row]),
                    _ => None,
                }))
            }
            FieldKind::Float => {
                storage::Values::Float(collect(order, columns, f64::NAN, |values, row| match values {
                    Values::Float(floats) if !floats[row].is_nan() => Some(floats[row]),
                    Values::Int(ints) if ints[row] != NO_INT => Some(ints[row] as f64),
                    _ => None,
                }))
            }
            FieldKind::Bool => {
                storage::Values::Bool(collect(order, columns, None, |values, row| match values {
                    Values::Bool(truths) => truths[row].map(Some),
                    _ => None,
                }))
            }
        })
    }

    /// The texts by value. Ends early where they turn out to be worth placing.
    fn texts(&self, columns: &[Vec<&Values>], order: &Order) -> TextColumn {
        let mut texts = TextColumn::with_capacity(self.rows);
        order.for_each(|batch, row| match columns[batch].iter().find_map(|values| span(values, row)) {
            Some(span) => texts.push(self.batches[batch].1.text(span)),
            None => texts.push_missing(),
        });
        texts
    }

    /// The texts by their places in their events; nothing where hardly any stands there as it is.
    fn places(&self, columns: &[Vec<&Values>], order: &Order) -> Option<Places> {
        let mut places = Places::default();
        let mut rest = TextColumn::with_capacity(0);
        let (mut standing, mut others) = (0, 0);
        order.for_each(|batch, row| {
            let span = columns[batch].iter().find_map(|values| span(values, row));
            let batch = &self.batches[batch].1;
            let place = span.and_then(|span| batch.place(row, span));
            places.start.push(place.map_or(NO_INT, |(start, _)| start as i64));
            places.length.push(place.map_or(NO_INT, |(_, length)| length as i64));
            match span.filter(|_| place.is_none()) {
                Some(span) => rest.push(batch.text(span)),
                None => rest.push_missing(),
            }
            standing += usize::from(place.is_some());
            others += usize::from(span.is_some() && place.is_none());
        });
        places.rest = (others > 0).then(|| rest.finish());
        (standing > others).then_some(places)
    }

    /// Each field's values by kind; for each kind, what every batch holds of it. Whole numbers join floats
    /// where nothing is lost by it.
    fn groups(&self) -> BTreeMap<&str, BTreeMap<FieldKind, Vec<Vec<&Values>>>> {
        let mut found: BTreeMap<&str, BTreeMap<FieldKind, Vec<Vec<&Values>>>> = BTreeMap::new();
        for (index, (_, batch)) in self.batches.iter().enumerate() {
            for column in &batch.columns {
                let kinds = found.entry(&column.name).or_default();
                let values =
                    kinds.entry(kind_of(&column.values)).or_insert_with(|| vec![vec![]; self.batches.len()]);
                values[index].push(&column.values);
            }
        }
        for kinds in found.values_mut() {
            let exact = kinds.contains_key(&FieldKind::Float)
                && kinds
                    .get(&FieldKind::Int)
                    .is_some_and(|ints| ints.iter().flatten().all(|ints| is_exact(ints)));
            if exact && let Some(ints) = kinds.remove(&FieldKind::Int) {
                let floats = kinds.entry(FieldKind::Float).or_default();
                floats.iter_mut().zip(ints).for_each(|(floats, ints)| floats.extend(ints));
            }
        }
        found
    }
}

/// A column of a segment, as the table takes it.
enum Gathered {
    Values(storage::Values),
    Places(Places),
}

/// The rows of a segment as places in its batches.
enum Order {
    /// Batch after batch, so many rows each.
    AsRead(Vec<usize>),
    ByTime(Vec<(u32, u32)>),
}

impl Order {
    fn for_each(&self, mut each: impl FnMut(usize, usize)) {
        match self {
            Order::AsRead(batches) => {
                for (batch, &rows) in batches.iter().enumerate() {
                    (0..rows).for_each(|row| each(batch, row));
                }
            }
            Order::ByTime(places) => {
                for &(batch, row) in places {
                    each(batch as usize, row as usize);
                }
            }
        }
    }
}

fn span(values: &Values, row: usize) -> Option<Span> {
    match values {
        Values::Text(spans) if !spans[row].is_missing() => Some(spans[row]),
        _ => None,
    }
}

fn collect<T: Copy>(
    order: &Order,
    columns: &[Vec<&Values>],
    missing: T,
    value: impl Fn(&Values, usize) -> Option<T>,
) -> Vec<T> {
    let mut found = Vec::new();
    order.for_each(|batch, row| {
        found.push(columns[batch].iter().find_map(|values| value(values, row)).unwrap_or(missing));
    });
    found
}

fn kind_of(values: &Values) -> FieldKind {
    match values {
        Values::Text(_) => FieldKind::Text,
        Values::Int(_) => FieldKind::Int,
        Values::Float(_) => FieldKind::Float,
        Values::Bool(_) => FieldKind::Bool,
    }
}

fn is_exact(values: &Values) -> bool {
    match values {
        Values::Int(ints) => ints.iter().all(|&int| int == NO_INT || int.unsigned_abs() <= EXACT_FLOAT),
        _ => true,
    }
}
