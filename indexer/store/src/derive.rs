//! Rebuilds columns that are not stored from the original bytes: the frames of a segment are parsed again as
//! on import, and the values are placed at the rows of their events.

use std::collections::HashSet;

use ingest::{Batch, Chunk, NO_INT, Parser};

use super::intern::TextColumn;
use super::parquet::{NO_CODE, Values};
use super::raw::{Frame, RawCursor};
use super::reading::Readings;
use super::segment::{SegmentField, SegmentSource};
use super::table::{Columns, field_name};
use base::FieldKind;
use base::error::Result;

/// The fields of all events of a segment.
pub fn fields(
    readings: &Readings,
    cursor: &mut RawCursor<'_>,
    sources: &[SegmentSource],
    columns: &Columns,
    fields: &[SegmentField],
    stopped: &dyn Fn() -> Result<()>,
) -> Result<Vec<Values>> {
    let place = |row: u32| (columns.source[row as usize], columns.offset[row as usize]);
    let mut rows: Vec<u32> = (0..columns.rows() as u32).collect();
    if !rows.is_sorted_by_key(|&row| place(row)) {
        rows.sort_unstable_by_key(|&row| place(row));
    }
    let names: HashSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let mut columns: Vec<DerivedColumn> =
        fields.iter().map(|field| DerivedColumn::new(field, fields, rows.len())).collect();
    let mut sources: Vec<&SegmentSource> = sources.iter().collect();
    sources.sort_unstable_by_key(|source| source.source);
    let mut done = 0;
    for source in sources {
        let parser = readings.parser(source.source)?;
        for frame in &source.frames {
            stopped()?;
            let end = done + rows[done..].partition_point(|&row| place(row) < (source.source, frame.end()));
            // A frame may contain no event, and only the events of the segment count.
            if end > done {
                let batch = parse(&parser, source, frame, cursor.read(source.source, frame)?, &names);
                let wanted = rows[done..end].iter().map(|&row| row_of(&batch, place(row).1));
                let wanted: Vec<Option<usize>> = wanted.collect();
                for column in &mut columns {
                    column.add(&batch, &wanted);
                }
                done = end;
            }
        }
    }
    Ok(columns.into_iter().map(|column| column.finish(&rows)).collect())
}

/// The fields of one event.
pub fn of_event(
    readings: &Readings,
    source: &SegmentSource,
    frame: &Frame,
    bytes: Vec<u8>,
    offset: u64,
    fields: &[SegmentField],
) -> Result<Vec<Values>> {
    let names = fields.iter().map(|field| field.name.as_str()).collect();
    let batch = parse(&readings.parser(source.source)?, source, frame, bytes, &names);
    let wanted = [row_of(&batch, offset)];
    let of_field = |field| {
        let mut column = DerivedColumn::new(field, fields, 1);
        column.add(&batch, &wanted);
        column.finish(&[0])
    };
    Ok(fields.iter().map(of_field).collect())
}

/// Parses a frame. Only these fields are kept: a source may have had too many for others.
fn parse(
    parser: &Parser,
    source: &SegmentSource,
    frame: &Frame,
    bytes: Vec<u8>,
    names: &HashSet<&str>,
) -> Batch {
    let heading = source.heading_at(frame.offset);
    let mut batch = parser.parse(Chunk::stored(bytes, frame.offset, &heading, source.as_encoding()));
    batch.keep_fields(|name| names.contains(&*field_name(name)));
    batch
}

/// The row of a batch that begins at an offset of the source.
fn row_of(batch: &Batch, offset: u64) -> Option<usize> {
    let start = u32::try_from(offset.checked_sub(batch.chunk.offset)?).ok()?;
    batch.start.binary_search(&start).ok()
}

/// A column under construction, in the order of the sources.
struct DerivedColumn<'f> {
    field: &'f SegmentField,
    /// Integers have no column of their own under this name, so they belong here.
    takes_ints: bool,
    values: Growing,
}

enum Growing {
    Text(TextColumn),
    Int(Vec<i64>),
    Float(Vec<f64>),
    Bool(Vec<Option<bool>>),
}

impl<'f> DerivedColumn<'f> {
    fn new(field: &'f SegmentField, all: &[SegmentField], rows: usize) -> DerivedColumn<'f> {
        let kinds: HashSet<FieldKind> =
            all.iter().filter(|other| other.name == field.name).map(|other| other.kind).collect();
        let values = match field.kind {
            FieldKind::Text => Growing::Text(TextColumn::with_capacity(rows)),
            FieldKind::Int => Growing::Int(Vec::with_capacity(rows)),
            FieldKind::Float => Growing::Float(Vec::with_capacity(rows)),
            FieldKind::Bool => Growing::Bool(Vec::with_capacity(rows)),
        };
        DerivedColumn { field, takes_ints: !kinds.contains(&FieldKind::Int), values }
    }

    /// Adds the values of these rows of a batch; none for an event that is not in it.
    fn add(&mut self, batch: &Batch, rows: &[Option<usize>]) {
        let found: Vec<&ingest::Values> = batch
            .columns
            .iter()
            .filter(|column| field_name(&column.name) == self.field.name)
            .map(|column| &column.values)
            .collect();
        for &row in rows {
            match &mut self.values {
                Growing::Text(texts) => {
                    let span = row.and_then(|row| {
                        found.iter().find_map(|values| match values {
                            ingest::Values::Text(spans) => Some(spans[row]).filter(|span| !span.is_missing()),
                            _ => None,
                        })
                    });
                    match span {
                        Some(span) => texts.push(batch.text(span)),
                        None => texts.push_missing(),
                    }
                }
                Growing::Int(ints) => ints.push(row.and_then(|row| int(&found, row)).unwrap_or(NO_INT)),
                Growing::Float(floats) => {
                    let float = row.and_then(|row| {
                        let ints = || int(&found, row).filter(|_| self.takes_ints).map(|int| int as f64);
                        float(&found, row).or_else(ints)
                    });
                    floats.push(float.unwrap_or(f64::NAN));
                }
                Growing::Bool(truths) => truths.push(row.and_then(|row| truth(&found, row))),
            }
        }
    }

    /// The values in the order of the segment; `rows` gives the row of each.
    fn finish(self, rows: &[u32]) -> Values {
        match self.values {
            Growing::Text(texts) => match texts.finish() {
                Values::Text { codes, texts } => Values::Text { codes: spread(&codes, rows, NO_CODE), texts },
                other => other,
            },
            Growing::Int(ints) => Values::Int(spread(&ints, rows, NO_INT)),
            Growing::Float(floats) => Values::Float(spread(&floats, rows, f64::NAN)),
            Growing::Bool(truths) => Values::Bool(spread(&truths, rows, None)),
        }
    }
}

fn int(found: &[&ingest::Values], row: usize) -> Option<i64> {
    found.iter().find_map(|values| match values {
        ingest::Values::Int(ints) => Some(ints[row]).filter(|&int| int != NO_INT),
        _ => None,
    })
}

fn float(found: &[&ingest::Values], row: usize) -> Option<f64> {
    found.iter().find_map(|values| match values {
        ingest::Values::Float(floats) => Some(floats[row]).filter(|float| !float.is_nan()),
        _ => None,
    })
}

fn truth(found: &[&ingest::Values], row: usize) -> Option<bool> {
    found.iter().find_map(|values| match values {
        ingest::Values::Bool(truths) => truths[row],
        _ => None,
    })
}

fn spread<T: Copy>(values: &[T], rows: &[u32], missing: T) -> Vec<T> {
    let mut placed = vec![missing; rows.len()];
    for (&value, &row) in values.iter().zip(rows) {
        placed[row as usize] = value;
    }
    placed
}
