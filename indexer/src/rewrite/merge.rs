//! New segments of the events of old ones: together, without some events, with or without columns. Segments never
//! change: where a source is deleted or read again, or continues after an event that was incomplete, the others of
//! its segments' events move to new ones.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use ingest::{NO_INT, NO_TIME};

use super::unless_cancelled;
use base::error::{AtPath, Error, Result};
use base::{Cancel, FieldKind};
use engine::Engine;
use store::{
    ByteRanges, ColumnCache, Columns, Frame, Names, Profile, Rollup, Segment, SegmentField, SegmentMeta,
    SegmentSource, Shared, TableBuilder, TextColumn, Values, WrittenSegment,
};

/// A frame, the heading lines before it and what its segment holds of its source.
type RowSource<'a> = (Frame, Vec<u8>, &'a SegmentSource);

/// Events of a source from an offset on. Frames lie on one side of it as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    pub source: u32,
    pub from: u64,
}

impl Gone {
    /// All events of a source.
    pub fn all_of(source: u32) -> Gone {
        Gone { source, from: 0 }
    }

    fn has(self, source: u32, offset: u64) -> bool {
        self.source == source && offset >= self.from
    }

    /// Whether any of its events lie in a segment.
    pub fn is_in(self, segment: &Segment) -> bool {
        let of_source = segment.meta.sources.iter().filter(|entry| entry.source == self.source);
        of_source.flat_map(|entry| &entry.frames).any(|frame| frame.offset >= self.from)
    }
}

/// A segment that is to be written.
pub struct Merge<'a> {
    pub segments: &'a [Arc<Segment>],
    /// Events that are left out.
    pub without: Vec<Gone>,
    pub has_columns: bool,
    /// How hard columns are packed; the landing's level by default.
    pub level: Option<i32>,
    /// The new positions of raw frames that were packed again, by source and offset.
    pub frames: HashMap<(u32, u64), Frame>,
}

impl<'a> Merge<'a> {
    pub fn new(segments: &'a [Arc<Segment>]) -> Merge<'a> {
        Merge {
            segments,
            without: Vec::new(),
            has_columns: segments.iter().all(|segment| segment.meta.has_columns),
            level: None,
            frames: HashMap::new(),
        }
    }

    /// Writes the segment's files. Nothing where nothing is left.
    pub fn write(
        &self,
        (case, names): (&Path, &Names),
        id: u64,
        cancel: &Cancel,
    ) -> Result<Option<WrittenSegment>> {
        let sources = self.sources();
        if sources.is_empty() {
            return Ok(None);
        }
        // A value that was changed on the disk would be written with a new checksum.
        self.segments.iter().try_for_each(|segment| segment.check_table())?;
        let parts = self.segments.iter().map(|segment| segment.stored_columns());
        let parts = parts.collect::<Result<Vec<Columns>>>()?;
        let order = self.order(&parts);
        let events: u64 = self.segments.iter().map(|segment| segment.meta.events).sum();
        if self.without.is_empty() && order.len() as u64 != events {
            let message = format!("its segments list {events} events and have {}", order.len());
            return Err(Error::damaged(case, message));
        }
        let columns = gather(&order, parts);
        let mut table = TableBuilder::packed(&columns, self.level).at_path(case)?;
        let first_timed = columns.time.partition_point(|&time| time == NO_TIME);
        let mut meta = SegmentMeta {
            id,
            events: columns.rows() as u64,
            untimed: first_timed as u64,
            first: columns.time.get(first_timed).copied(),
            last: columns.time[first_timed..].last().copied(),
            sources,
            has_columns: self.has_columns,
            is_compact: self.level.is_some(),
            fields: Vec::new(),
            rollup: Rollup::from_columns(&columns),
            sha256: String::new(),
            places_sha256: None,
        };
        // Rows take as much memory as a column of texts does, and are not needed for those.
        drop(columns);
        meta.fields = self.fields(&order, (case, names), &mut table, cancel)?;
        unless_cancelled(cancel)?;
        let written = Segment::write(case, meta, table)?;
        // What it replaces is removed once it is listed, so it has to be on the disk as it was written.
        Segment::check_written(case, &written)?;
        Ok(Some(written))
    }

    /// Writes the segment's files and what a profile has of tokens. No manifest lists it yet.
    pub fn write_reaching(
        &self,
        (engine, names): (&Engine, &Names),
        (id, profile): (u64, Profile),
        cancel: &Cancel,
    ) -> Result<Option<WrittenSegment>> {
        let written = self.write((engine.folder(), names), id, cancel)?;
        if let Some(written) = &written {
            let segment = unlisted(engine, &written.meta);
            segment.build_text(profile, &mut engine.raw_cursor(), &|| unless_cancelled(cancel))?;
        }
        Ok(written)
    }

    fn keeps(&self, source: u32, offset: u64) -> bool {
        !self.without.iter().any(|gone| gone.has(source, offset))
    }

    /// The frames of each source that stay, in the order of the source.
    fn sources(&self) -> Vec<SegmentSource> {
        let mut found: BTreeMap<u32, Vec<RowSource<'_>>> = BTreeMap::new();
        for source in self.segments.iter().flat_map(|segment| &segment.meta.sources) {
            let frames = found.entry(source.source).or_default();
            for frame in source.frames.iter().filter(|frame| self.keeps(source.source, frame.offset)) {
                let moved = self.frames.get(&(source.source, frame.offset)).unwrap_or(frame);
                frames.push((*moved, source.heading_at(frame.offset), source));
            }
        }
        found.retain(|_, frames| !frames.is_empty());
        let merged = found.into_values().filter_map(|mut frames| {
            frames.sort_by_key(|(frame, ..)| frame.offset);
            let mut merged = frames.first()?.2.without_frames();
            for (frame, heading, _) in &frames {
                // Several that were joined are one now.
                if merged.frames.last() != Some(frame) {
                    merged.add(*frame, heading);
                }
            }
            Some(merged)
        });
        merged.collect()
    }

    /// The rows that stay as places in the segments, in time order.
    fn order(&self, parts: &[Columns]) -> Vec<(u32, u32)> {
        let mut order = Vec::new();
        for (part, columns) in parts.iter().enumerate() {
            let rows =
                (0..columns.rows()).filter(|&row| self.keeps(columns.source[row], columns.offset[row]));
            order.extend(rows.map(|row| (part as u32, row as u32)));
        }
        // Stable sorting finds the runs that are in order already, and the segments are that.
        order.sort_by_key(|&(part, row)| {
            let (columns, row) = (&parts[part as usize], row as usize);
            (columns.time[row], columns.source[row], columns.offset[row])
        });
        order
    }

    fn fields(
        &self,
        order: &[(u32, u32)],
        (case, names): (&Path, &Names),
        table: &mut TableBuilder,
        cancel: &Cancel,
    ) -> Result<Vec<SegmentField>> {
        // A segment without columns gives all of them at once or none.
        let mut derived: Vec<HashMap<String, Values>> = Vec::new();
        let mut wanted: BTreeMap<(String, FieldKind), Vec<Option<String>>> = BTreeMap::new();
        let looks = self.has_columns || !self.without.is_empty();
        for (part, segment) in self.segments.iter().enumerate() {
            for field in &segment.meta.fields {
                let columns = wanted.entry((field.name.clone(), field.kind)).or_default();
                columns.resize(self.segments.len(), None);
                columns[part] = Some(field.column.clone());
            }
            derived.push(if segment.meta.has_columns || !looks {
                HashMap::new()
            } else {
                let names = segment.meta.fields.iter().map(|field| field.column.clone());
                names.zip(segment.derived(&|| unless_cancelled(cancel))?).collect()
            });
        }
        let mut fields = Vec::new();
        for (mut field, columns) in
            names.fields(wanted.keys().cloned().collect()).into_iter().zip(wanted.values())
        {
            unless_cancelled(cancel)?;
            if looks {
                let merged = self.merged(order, field.kind, columns, &mut derived)?;
                // Of a field that only deleted events had, not even the name stays.
                if !self.without.is_empty() && merged.is_empty() {
                    continue;
                }
                if self.has_columns {
                    field.placed = match merged {
                        MergedRaw::Values(values) => {
                            field.rows = values.present();
                            table.field(&field.column, field.kind, &values).map(|()| false)
                        }
                        MergedRaw::ByteRanges(found) => {
                            field.delimited = found.delimited;
                            field.rows = found.present();
                            table.placed(&field.column, &found).map(|()| true)
                        }
                    }
                    .at_path(case)?;
                }
            }
            fields.push(field);
        }
        if self.has_columns {
            for (column, kind) in names.lacking(&fields) {
                table.missing(&column, kind).at_path(case)?;
            }
        }
        Ok(fields)
    }

    /// One column; `columns` names it in each segment that has it.
    fn merged(
        &self,
        order: &[(u32, u32)],
        kind: FieldKind,
        columns: &[Option<String>],
        derived: &mut [HashMap<String, Values>],
    ) -> Result<MergedRaw> {
        let parts = columns.iter().enumerate().map(|(part, column)| {
            let Some(column) = column else { return Ok(None) };
            let segment = &self.segments[part];
            Ok(Some(match derived[part].remove(column) {
                Some(values) => MergedRaw::Values(values),
                None if segment.is_placed(column) => MergedRaw::ByteRanges(segment.places(column)?),
                None => MergedRaw::Values(segment.stored(column)?),
            }))
        });
        let parts: Vec<Option<MergedRaw>> = parts.collect::<Result<_>>()?;
        if parts.iter().flatten().any(|part| matches!(part, MergedRaw::ByteRanges(_))) {
            return Ok(MergedRaw::ByteRanges(places(order, &parts)));
        }
        let each = || {
            order.iter().map(|&(part, row)| {
                let values = parts[part as usize].as_ref().and_then(MergedRaw::values);
                (values, row as usize)
            })
        };
        Ok(MergedRaw::Values(match kind {
            FieldKind::Text => {
                let mut column = TextColumn::with_capacity(order.len());
                for (values, row) in each() {
                    push(&mut column, values, row);
                }
                column.finish()
            }
            FieldKind::Int => Values::Int(
                each()
                    .map(
                        |(values, row)| if let Some(Values::Int(ints)) = values { ints[row] } else { NO_INT },
                    )
                    .collect(),
            ),
            FieldKind::Float => Values::Float(
                each()
                    .map(|(values, row)| match values {
                        Some(Values::Float(floats)) => floats[row],
                        _ => f64::NAN,
                    })
                    .collect(),
            ),
            FieldKind::Bool => Values::Bool(
                each()
                    .map(|(values, row)| match values {
                        Some(Values::Bool(truths)) => truths[row],
                        _ => None,
                    })
                    .collect(),
            ),
        }))
    }
}

/// A segment that keeps nothing decoded for queries: if what it is for fails, another one gets its
/// number; and one that is merged away will not be asked any more.
pub fn unlisted(engine: &Engine, meta: &SegmentMeta) -> Segment {
    let readings = Arc::clone(&engine.shared().readings);
    Segment::new(meta.clone(), &Shared { readings, columns: Arc::new(ColumnCache::new(0)) })
}

/// A column, or a segment's part of one.
enum MergedRaw {
    Values(Values),
    ByteRanges(ByteRanges),
}

impl MergedRaw {
    fn values(&self) -> Option<&Values> {
        match self {
            MergedRaw::Values(values) => Some(values),
            MergedRaw::ByteRanges(places) => places.rest.as_ref(),
        }
    }

    fn is_empty(&self) -> bool {
        let placed = match self {
            MergedRaw::Values(_) => false,
            MergedRaw::ByteRanges(places) => places.start.iter().any(|&start| start != NO_INT),
        };
        !placed && self.values().is_none_or(is_empty)
    }
}

/// The places of several parts; the values of parts without places, and of rows without one, stay values.
fn places(order: &[(u32, u32)], parts: &[Option<MergedRaw>]) -> ByteRanges {
    let mut merged = ByteRanges::with_capacity(order.len());
    let mut rest = TextColumn::with_capacity(0);
    let mut others = false;
    for &(part, row) in order {
        let (part, row) = (parts[part as usize].as_ref(), row as usize);
        let place = match part {
            Some(MergedRaw::ByteRanges(places)) => places.range(row),
            _ => None,
        };
        merged.start.push(place.map_or(NO_INT, |(start, _)| start as i64));
        merged.length.push(place.map_or(NO_INT, |(_, length)| length as i64));
        let values = part.filter(|_| place.is_none()).and_then(MergedRaw::values);
        others |= push(&mut rest, values, row);
    }
    merged.rest = others.then(|| rest.finish());
    merged.delimited = parts
        .iter()
        .flatten()
        .all(|part| !matches!(part, MergedRaw::ByteRanges(places) if !places.delimited));
    merged
}

/// Adds the text of a row; whether there is one.
fn push(column: &mut TextColumn, values: Option<&Values>, row: usize) -> bool {
    let text = match values {
        Some(Values::Text { codes, texts }) => texts.get(codes[row] as usize),
        _ => None,
    };
    match text {
        Some(text) => column.push(text.as_bytes()),
        None => column.push_missing(),
    }
    text.is_some()
}

/// The rows of several parts in their order. Each column of the parts is given up as soon as it is gathered.
fn gather(order: &[(u32, u32)], mut parts: Vec<Columns>) -> Columns {
    let parts = &mut parts;
    Columns {
        time: gathered(order, parts, |part| &mut part.time),
        level: gathered(order, parts, |part| &mut part.level),
        source: gathered(order, parts, |part| &mut part.source),
        line: gathered(order, parts, |part| &mut part.line),
        offset: gathered(order, parts, |part| &mut part.offset),
        length: gathered(order, parts, |part| &mut part.length),
    }
}

fn gathered<T: Copy>(
    order: &[(u32, u32)],
    parts: &mut [Columns],
    column: fn(&mut Columns) -> &mut Vec<T>,
) -> Vec<T> {
    let columns: Vec<Vec<T>> = parts.iter_mut().map(|part| std::mem::take(column(part))).collect();
    order.iter().map(|&(part, row)| columns[part as usize][row as usize]).collect()
}

fn is_empty(values: &Values) -> bool {
    match values {
        Values::Text { texts, .. } => texts.len() == 0,
        Values::Int(ints) => ints.iter().all(|&int| int == NO_INT),
        Values::Float(floats) => floats.iter().all(|float| float.is_nan()),
        Values::Bool(truths) => truths.iter().all(Option::is_none),
    }
}
