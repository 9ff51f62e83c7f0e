//! A segment written anew without some of its events. Segments never change: where a source is read anew, or
//! goes on behind an event that was incomplete, the others of its segments' events move to new ones.

use std::collections::HashMap;
use std::path::Path;

use ingest::{NO_INT, NO_TIME};

use super::parquet::{NO_CODE, Texts, Values};
use super::places::Places;
use super::rollup::Rollup;
use super::segment::{Segment, SegmentMeta, SegmentSource};
use super::table::{Builder, Columns};
use crate::error::{AtPath, Result};

/// Events of a source from an offset on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    pub source: u32,
    pub from: u64,
}

impl Segment {
    /// Whether any of the events lie in this segment.
    pub fn has_any(&self, gone: &[Gone]) -> bool {
        self.meta.sources.iter().any(|entry| {
            gone.iter().any(|gone| {
                gone.source == entry.source && entry.frames.iter().any(|frame| frame.offset >= gone.from)
            })
        })
    }

    /// Writes what is left of the segment without these events, if anything is. Frames lie on one side of
    /// each offset as a whole.
    pub fn write_without(&self, case: &Path, id: u64, gone: &[Gone]) -> Result<Option<Segment>> {
        let columns = self.columns()?;
        let is_kept =
            |source: u32, offset: u64| !gone.iter().any(|gone| gone.source == source && offset >= gone.from);
        let rows: Vec<usize> =
            (0..columns.rows()).filter(|&row| is_kept(columns.source[row], columns.offset[row])).collect();
        if rows.is_empty() {
            return Ok(None);
        }
        let columns = columns.picked(&rows);
        let mut table = Builder::new(&columns).at_path(case)?;
        let mut fields = Vec::new();
        for field in &self.meta.fields {
            // Read for this once, and not kept: all of them together would be the whole table in memory.
            if field.placed {
                let places = self.read_places(&field.column)?.picked(&rows);
                if let Some(places) = places {
                    table.placed(&field.column, &places).at_path(case)?;
                    fields.push(field.clone());
                }
                continue;
            }
            if let Some(values) = picked(&self.read_column(&field.column)?, &rows) {
                table.field(&field.column, field.kind, &values).at_path(case)?;
                fields.push(field.clone());
            }
        }
        let sources = self.meta.sources.iter().filter_map(|entry| {
            let frames: Vec<_> =
                entry.frames.iter().copied().filter(|frame| is_kept(entry.source, frame.offset)).collect();
            (!frames.is_empty()).then(|| SegmentSource { frames, ..entry.clone() })
        });
        let untimed = columns.time.partition_point(|&time| time == NO_TIME);
        let meta = SegmentMeta {
            id,
            events: columns.rows() as u64,
            untimed: untimed as u64,
            first: columns.time.get(untimed).copied(),
            last: columns.time[untimed..].last().copied(),
            sources: sources.collect(),
            fields,
            rollup: Rollup::of(&columns),
            sha256: String::new(),
        };
        Segment::write(case, meta, table, &self.cache).map(Some)
    }
}

impl Columns {
    fn picked(&self, rows: &[usize]) -> Columns {
        Columns {
            time: rows.iter().map(|&row| self.time[row]).collect(),
            level: rows.iter().map(|&row| self.level[row]).collect(),
            source: rows.iter().map(|&row| self.source[row]).collect(),
            line: rows.iter().map(|&row| self.line[row]).collect(),
            offset: rows.iter().map(|&row| self.offset[row]).collect(),
            length: rows.iter().map(|&row| self.length[row]).collect(),
        }
    }
}

impl Places {
    /// Those of some rows; nothing where none of them has one.
    fn picked(&self, rows: &[usize]) -> Option<Places> {
        let start: Vec<i64> = rows.iter().map(|&row| self.start[row]).collect();
        let length = rows.iter().map(|&row| self.length[row]).collect();
        let rest = self.rest.as_ref().and_then(|rest| picked(rest, rows));
        let has_any = rest.is_some() || start.iter().any(|&start| start != NO_INT);
        has_any.then_some(Places { start, length, rest })
    }
}

/// The values of some rows; nothing where none of them has one.
fn picked(values: &Values, rows: &[usize]) -> Option<Values> {
    match values {
        Values::Int(all) => {
            let some: Vec<_> = rows.iter().map(|&row| all[row]).collect();
            some.iter().any(|&value| value != NO_INT).then_some(Values::Int(some))
        }
        Values::Float(all) => {
            let some: Vec<_> = rows.iter().map(|&row| all[row]).collect();
            some.iter().any(|value| !value.is_nan()).then_some(Values::Float(some))
        }
        Values::Bool(all) => {
            let some: Vec<_> = rows.iter().map(|&row| all[row]).collect();
            some.iter().any(Option::is_some).then_some(Values::Bool(some))
        }
        Values::Text { codes, texts } => {
            let mut kept = Texts::default();
            let mut places: HashMap<u32, u32> = HashMap::new();
            let mut some = Vec::with_capacity(rows.len());
            for &row in rows {
                let code = codes[row];
                let place = match texts.get(code as usize) {
                    None => NO_CODE,
                    Some(text) => *places.entry(code).or_insert_with(|| {
                        kept.push(text);
                        kept.len() as u32 - 1
                    }),
                };
                some.push(place);
            }
            (!places.is_empty()).then_some(Values::Text { codes: some, texts: kept })
        }
    }
}
