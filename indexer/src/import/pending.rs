//! Batches that have landed but are not committed yet, and their conversion to a segment.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use ingest::{Batch, Encoding, NO_INT, NO_TIME, Span, TextDecoder, Values};

use super::order::Order;
use super::shapes::{EventPosition, Spoken};
use crate::tune::{Plan, give_way};
use base::error::{AtPath, Result};
use base::{Cancel, FieldKind, tokens};
use engine::exec::in_order;
use store::{
    self, ByteRanges, Columns, Frame, Mined, Names, Rollup, Segment, SegmentField, SegmentMeta,
    SegmentSource, Shaper, SourceEntry, TableBuilder, TextColumn, WrittenSegment, field_name,
};

/// Whole numbers up to here are exact as floats too.
const EXACT_FLOAT: u64 = 1 << 53;

/// Texts that are gathered before they are added to their column.
const TEXTS_AT_ONCE: usize = 1_024;

/// Columns that are gathered before the next ones: what is gathered and not yet written takes memory.
const GATHERED: usize = 4;

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
    pub fn add(&mut self, source: u32, entry: &SourceEntry, frame: Frame, batch: Batch) {
        self.add_to(source, || SegmentSource::new(source, entry), frame, batch);
    }

    fn add_to(&mut self, source: u32, new: impl FnOnce() -> SegmentSource, frame: Frame, batch: Batch) {
        self.rows += batch.rows();
        self.raw_bytes += batch.chunk.bytes.len();
        self.cells += batch.rows() * batch.columns.len();
        let known = self.sources.iter().position(|entry| entry.source == source);
        let index = known.unwrap_or_else(|| {
            self.sources.push(new());
            self.sources.len() - 1
        });
        self.sources[index].add(frame, batch.chunk.heading());
        self.batches.push((source, batch));
    }

    pub fn has_source(&self, source: u32) -> bool {
        self.sources.iter().any(|entry| entry.source == source)
    }

    /// True if events of any other source are pending.
    pub fn has_other_than(&self, source: Option<u32>) -> bool {
        self.sources.iter().any(|entry| Some(entry.source) != source)
    }

    /// Removes the pending events of one source.
    pub fn take_source(&mut self, source: u32) -> Pending {
        let mut taken = Pending::default();
        if !self.has_source(source) {
            return taken;
        }
        let mut kept = Pending::default();
        let all = std::mem::take(self);
        let mut frames = frames_of_sources(all.sources);
        for (of, batch) in all.batches {
            let Some((entry, frames)) = frames.get_mut(&of) else { continue };
            let Some(frame) = frames.pop_front() else { continue };
            let part = if of == source { &mut taken } else { &mut kept };
            part.add_to(of, || entry.clone(), frame, batch);
        }
        *self = kept;
        taken
    }

    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// The frames and their bytes; nothing where they are more than `most_bytes`.
    pub fn frames(&self, most_bytes: usize) -> Vec<(u32, Frame, Arc<Vec<u8>>)> {
        if self.raw_bytes > most_bytes {
            return Vec::new();
        }
        let mut frames: HashMap<u32, _> =
            self.sources.iter().map(|entry| (entry.source, entry.frames.iter())).collect();
        let frame = |(source, batch): &(u32, Batch)| {
            let frame = frames.get_mut(source)?.next()?;
            Some((*source, *frame, Arc::new(batch.chunk.bytes.to_vec())))
        };
        self.batches.iter().filter_map(frame).collect()
    }

    /// True if it must be committed regardless of the time.
    pub fn is_full(&self, plan: &Plan) -> bool {
        self.rows >= plan.segment_rows
            || self.raw_bytes >= plan.segment_bytes
            || self.cells >= plan.segment_cells
    }

    /// Groups that become a segment each. Usually one; more if events with few fields would share a table
    /// with events with thousands of fields, whose columns would be nearly empty. A source with too many fields has
    /// segments of its own, because a name that is no field of it may be one of another.
    pub fn into_segments(self, plan: &Plan) -> Vec<Pending> {
        let mut frames = frames_of_sources(self.sources);
        let mut parts: Vec<Pending> = Vec::new();
        let mut names: HashSet<Arc<str>> = HashSet::new();
        let mut part_lacks_fields = false;
        for (source, batch) in self.batches {
            let Some((entry, frames)) = frames.get_mut(&source) else { continue };
            let Some(frame) = frames.pop_front() else { continue };
            let more = batch.columns.iter().filter(|column| !names.contains(&column.name)).count();
            let rows = parts.last().map_or(0, |part| part.rows);
            let columns = names.len() + more;
            let is_wide =
                columns > plan.segment_columns || (rows + batch.rows()) * columns > plan.segment_cells;
            let lacks_fields = !batch.left_out.is_empty();
            let is_separate = (lacks_fields || part_lacks_fields)
                && parts.last().is_some_and(|part| part.has_other_than(Some(source)));
            if parts.is_empty() || is_wide || is_separate {
                names.clear();
                part_lacks_fields = false;
                parts.push(Pending::default());
            }
            part_lacks_fields |= lacks_fields;
            names.extend(batch.columns.iter().map(|column| Arc::clone(&column.name)));
            if let Some(part) = parts.last_mut() {
                part.add_to(source, || entry.clone(), frame, batch);
            }
        }
        parts
    }

    /// Sorts the events by time and writes them as a segment.
    /// Without columns, only the names of the fields are recorded.
    pub fn write(self, case: &Path, id: u64, has_columns: bool, names: &Names) -> Result<WrittenSegment> {
        let order = Order::by_time(&self.batches);
        let columns = self.columns(&order);
        let mut table = TableBuilder::new(&columns).at_path(case)?;
        let (fields, spoken) = self.fields(&order, has_columns.then_some(&mut table), names, case)?;
        let first_timed = columns.time.partition_point(|&time| time == NO_TIME);
        let meta = SegmentMeta {
            id,
            events: columns.rows() as u64,
            untimed: first_timed as u64,
            first: columns.time.get(first_timed).copied(),
            last: columns.time[first_timed..].last().copied(),
            sources: self.sources.clone(),
            has_columns,
            is_compact: false,
            fields,
            rollup: Rollup::from_columns(&columns),
            sha256: String::new(),
            places_sha256: None,
        };
        thread::scope(|scope| {
            // The shapes are found while the table goes to the disk.
            let mined = has_columns.then(|| scope.spawn(|| self.mine(&order, &spoken)));
            let written = Segment::write(case, meta, table)?;
            if let Some(mined) = mined {
                mined.join().unwrap_or_else(|panic| resume_unwind(panic)).store_with(case, id)?;
            }
            Ok(written)
        })
    }

    /// The shapes of the messages.
    fn mine(&self, order: &Order, spoken: &Spoken<'_>) -> Mined {
        let of = |entry: &SegmentSource| (entry.source, TextDecoder::new(entry.as_encoding()));
        let mut texts: HashMap<u32, TextDecoder> = self.sources.iter().map(of).collect();
        let mut shaper = Shaper::new(&self.sources);
        let mut codes = Vec::with_capacity(self.rows);
        order.for_each(|index, batch_row| {
            let (source, batch) = &self.batches[index];
            shaper.set_source(*source);
            let place = EventPosition { row: codes.len(), index, batch, batch_row };
            codes.push(spoken.shape(place, &mut shaper).unwrap_or_else(|| {
                let texts = texts.entry(*source).or_insert_with(|| TextDecoder::new(Encoding::UTF_8));
                shaper.event(&texts.text(&batch.chunk.bytes, batch.chunk.offset, batch.event(batch_row)))
            }));
        });
        shaper.finish(codes)
    }

    fn columns(&self, order: &Order) -> Columns {
        let mut columns = Columns::with_capacity(self.rows);
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

    /// Writes and describes the columns of every field. Keeps the gathered values of the columns with
    /// messages.
    fn fields(
        &self,
        order: &Order,
        table: Option<&mut TableBuilder>,
        names: &Names,
        case: &Path,
    ) -> Result<(Vec<SegmentField>, Spoken<'_>)> {
        let (mut fields, values) = self.named(names);
        let mut spoken = Spoken::default();
        let Some(table) = table else { return Ok((fields, spoken)) };
        for (fields, values) in fields.chunks_mut(GATHERED).zip(values.chunks(GATHERED)) {
            let kinds: Vec<_> = fields.iter().map(|field| field.kind).collect();
            let gather = |column: usize| {
                give_way();
                Ok(self.gather(kinds[column], &values[column], order))
            };
            // A column is written while others are gathered.
            in_order(values.len(), &Cancel::default(), gather, |column, gathered| {
                let field = &mut fields[column];
                let kept = match gathered {
                    Gathered::Values(values) => {
                        field.rows = values.present();
                        table.field(&field.column, field.kind, &values).at_path(case)?;
                        Some(values)
                    }
                    Gathered::ByteRanges(found) => {
                        field.delimited = found.delimited;
                        field.rows = found.present();
                        table.placed(&field.column, &found).at_path(case)?;
                        None
                    }
                };
                field.placed = kept.is_none();
                if field.kind == FieldKind::Text {
                    spoken.take(&field.name, kept, &values[column]);
                }
                Ok(())
            })?;
        }
        for (column, kind) in names.lacking(&fields) {
            table.missing(&column, kind).at_path(case)?;
        }
        Ok((fields, spoken))
    }

    /// All fields, each with a column of its own for each kind, and the values of each in each batch.
    fn named(&self, names: &Names) -> (Vec<SegmentField>, Vec<Vec<Vec<&Values>>>) {
        let (mut fields, mut all) = (Vec::new(), Vec::new());
        for (name, groups) in self.groups(names) {
            for (kind, values) in groups {
                fields.push((field_name(name).into_owned(), kind));
                all.push(values);
            }
        }
        (names.fields(fields), all)
    }

    /// One column's values in the segment's row order. `columns` holds, for each batch, the values of this
    /// field there, if it has any.
    fn gather(&self, kind: FieldKind, columns: &[Vec<&Values>], order: &Order) -> Gathered {
        Gathered::Values(match kind {
            FieldKind::Text => {
                let texts = self.texts(columns, order, TextColumn::surely_prefers_byte_ranges);
                if !texts.prefers_byte_ranges() {
                    texts.finish()
                } else if let Some(places) = self.places(columns, order) {
                    return Gathered::ByteRanges(places);
                } else {
                    self.texts(columns, order, |_| false).finish()
                }
            }
            FieldKind::Int => {
                store::Values::Int(order.collect(columns, NO_INT, |values, row| match values {
                    Values::Int(ints) if ints[row] != NO_INT => Some(ints[row]),
                    _ => None,
                }))
            }
            FieldKind::Float => {
                store::Values::Float(order.collect(columns, f64::NAN, |values, row| match values {
                    Values::Float(floats) if !floats[row].is_nan() => Some(floats[row]),
                    Values::Int(ints) if ints[row] != NO_INT => Some(ints[row] as f64),
                    _ => None,
                }))
            }
            FieldKind::Bool => {
                store::Values::Bool(order.collect(columns, None, |values, row| match values {
                    Values::Bool(truths) => truths[row].map(Some),
                    _ => None,
                }))
            }
        })
    }

    /// The dictionary of the texts, of all of them or up to the point where byte ranges are better.
    fn texts(
        &self,
        columns: &[Vec<&Values>],
        order: &Order,
        is_enough: impl Fn(&TextColumn) -> bool,
    ) -> TextColumn {
        let mut texts = TextColumn::with_capacity(self.rows);
        let mut waiting = Vec::with_capacity(TEXTS_AT_ONCE);
        let mut enough = false;
        order.for_each(|batch, row| {
            if enough {
                return;
            }
            let span = columns[batch].iter().find_map(|values| span(values, row));
            waiting.push(span.map(|span| self.batches[batch].1.text(span)));
            if waiting.len() == TEXTS_AT_ONCE {
                texts.push_all(&waiting);
                waiting.clear();
                enough = is_enough(&texts);
            }
        });
        texts.push_all(&waiting);
        texts
    }

    /// The texts as byte ranges into their events; `None` if hardly any occurs verbatim.
    fn places(&self, columns: &[Vec<&Values>], order: &Order) -> Option<ByteRanges> {
        let mut places = ByteRanges::with_capacity(self.rows);
        let mut rest = TextColumn::with_capacity(0);
        let (mut standing, mut others) = (0, 0);
        order.for_each(|batch, row| {
            let span = columns[batch].iter().find_map(|values| span(values, row));
            let batch = &self.batches[batch].1;
            let place = span.and_then(|span| batch.span_in_event(row, span));
            places.delimited &= place.is_none_or(|(start, length)| {
                tokens::is_delimited(&batch.chunk.bytes[batch.event(row)], start, start + length)
            });
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
    fn groups(&self, names: &Names) -> BTreeMap<&str, BTreeMap<FieldKind, Vec<Vec<&Values>>>> {
        let mut found: BTreeMap<&str, BTreeMap<FieldKind, Vec<Vec<&Values>>>> = BTreeMap::new();
        for (index, (_, batch)) in self.batches.iter().enumerate() {
            for column in &batch.columns {
                let kinds = found.entry(&column.name).or_default();
                let values =
                    kinds.entry(kind_of(&column.values)).or_insert_with(|| vec![vec![]; self.batches.len()]);
                values[index].push(&column.values);
            }
        }
        for (name, kinds) in &mut found {
            let exact = (kinds.contains_key(&FieldKind::Float) || names.joins_floats(&field_name(name)))
                && kinds
                    .get(&FieldKind::Int)
                    .is_some_and(|ints| ints.iter().flatten().all(|ints| is_exact(ints)));
            if exact && let Some(ints) = kinds.remove(&FieldKind::Int) {
                let floats = kinds.entry(FieldKind::Float).or_insert_with(|| vec![vec![]; ints.len()]);
                floats.iter_mut().zip(ints).for_each(|(floats, ints)| floats.extend(ints));
            }
        }
        found
    }
}

/// A column of a segment, as the table takes it.
enum Gathered {
    Values(store::Values),
    ByteRanges(ByteRanges),
}

pub fn span(values: &Values, row: usize) -> Option<Span> {
    match values {
        Values::Text(spans) if !spans[row].is_missing() => Some(spans[row]),
        _ => None,
    }
}

/// What waits of each source, without its frames, and the frames.
fn frames_of_sources(sources: Vec<SegmentSource>) -> HashMap<u32, (SegmentSource, VecDeque<Frame>)> {
    sources.into_iter().map(|entry| (entry.source, (entry.without_frames(), entry.frames.into()))).collect()
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
