//! Converts the bytes of an EVTX file to a batch, and a record's bytes to its text.

use std::ops::Range;

use super::FieldId;
use super::columns::FieldColumns;
use super::frame::{FrameKind, next_frame};
use super::record::{EventEnd, EvtxReader, Visitor};
use crate::batch::{Batch, Chunk, FitTally, Frame, Level, NO_TIME, count_reason};
use crate::decoded::Decoded;
use crate::limits;
use crate::rows::{ColumnKind, Rows};
use crate::time::When;
use crate::time::zone::Zone;

/// Where to cut bytes that begin at this offset of the file, so that about this many precede the cut.
pub(crate) fn cut(offset: u64, bytes: &[u8], about: usize, whole: bool) -> Option<usize> {
    let mut cut = 0;
    while let Some(frame) = next_frame(offset + cut as u64, &bytes[cut..], whole)
        && (cut == 0 || cut + frame.length <= about)
    {
        cut += frame.length;
    }
    (cut > 0).then_some(cut)
}

/// The records of a chunk as events. Their text is created here; the bytes remain those of the records.
pub(crate) fn batch(mut chunk: Chunk) -> (Batch, FitTally) {
    let mut rows = Rows::new(&[], Zone::UTC, chunk.bytes.len() / limits::USUAL_EVTX_RECORD_BYTES);
    let mut landing = Landing {
        rows: &mut rows,
        columns: FieldColumns::default(),
        base: 0,
        record: 0..0,
        bytes: &chunk.bytes,
        tally: FitTally::default(),
        problems: Vec::new(),
        reasons: Vec::new(),
        unparsed: 0,
        count: 0,
    };
    let mut text = Vec::new();
    let mut reader = EvtxReader::new();
    for (range, _) in chunks(&chunk.bytes, chunk.offset) {
        landing.base = range.start;
        reader.read_chunk(&chunk.bytes[range], &mut text, &mut landing);
    }
    let (tally, unparsed) = (landing.tally, landing.unparsed);
    let (problems, reasons) = (landing.problems, landing.reasons);
    chunk.decoded = Some(Decoded::whole(text));
    let (mut batch, clock) = rows.finish(chunk);
    batch.unparsed = unparsed;
    batch.unparsed_reasons = reasons;
    batch.unparsed_examples = problems;
    (batch, FitTally { times: clock.tally, ..tally })
}

/// The byte ranges in which records are searched.
fn chunks(bytes: &[u8], offset: u64) -> impl Iterator<Item = (Range<usize>, FrameKind)> {
    let mut at = 0;
    let frames = std::iter::from_fn(move || {
        let frame = next_frame(offset + at as u64, &bytes[at..], true)?;
        let range = at..at + frame.length;
        at = range.end;
        Some((range, frame.kind))
    });
    frames.filter(|(_, kind)| matches!(kind, FrameKind::Chunk | FrameKind::Damaged(_)))
}

struct Landing<'a> {
    rows: &'a mut Rows,
    columns: FieldColumns,
    bytes: &'a [u8],
    /// Where the EVTX chunk begins.
    base: usize,
    /// The range of the record that is being read.
    record: Range<usize>,
    tally: FitTally,
    count: u32,
    unparsed: u32,
    problems: Vec<(u32, &'static str)>,
    reasons: Vec<(&'static str, u32)>,
}

impl Landing<'_> {
    fn frame(&self) -> Frame {
        let Range { start, end } = self.record.clone();
        let id = self
            .bytes
            .get(start + 8..start + 16)
            .and_then(|id| id.try_into().ok())
            .map_or(0, u64::from_le_bytes);
        // Spans are ranges of the whole text, so the event's own text begins at its start.
        Frame { text_start: 0, text_end: 0, start, length: end - start, line: id, is_rest: false }
    }

    fn end_row(&mut self, problem: Option<&'static str>) {
        let frame = self.frame();
        self.rows.end(frame);
        match problem {
            None => self.tally.whole += 1,
            Some(reason) => {
                self.unparsed += 1;
                count_reason(&mut self.reasons, reason);
                if self.problems.len() < limits::UNPARSED_EXAMPLES {
                    self.problems.push((self.count, reason));
                }
            }
        }
        self.count += 1;
    }
}

impl Visitor for Landing<'_> {
    fn begin(&mut self, record: Range<usize>) {
        self.record = self.base + record.start..self.base + record.end;
        let frame = self.frame();
        self.rows.begin(frame);
    }

    fn field(&mut self, field: FieldId, name: &str, value: Range<usize>, int: Option<i64>) {
        let kind = if int.is_some() { ColumnKind::Int } else { ColumnKind::Text };
        let Some(column) = self.columns.column(field, name, kind, self.rows) else { return };
        match int {
            Some(int) => self.rows.int(column, int),
            None => self.rows.text(column, value.start, value.end),
        }
    }

    fn end(&mut self, event: &EventEnd) {
        if event.time_ns != NO_TIME {
            self.rows.when(&When::Instant(event.time_ns));
        }
        self.rows.set_level(event.level);
        self.end_row(event.problem);
    }

    fn damaged(&mut self, bytes: Range<usize>, reason: &'static str) {
        self.begin(bytes);
        self.rows.set_level(Level::None);
        self.end_row(Some(reason));
    }
}

/// The texts of the records of one chunk, by the range of each record in the bytes.
#[derive(Debug, Default)]
pub(crate) struct RecordTexts {
    of: Option<(u64, Range<usize>)>,
    texts: Vec<(Range<usize>, Range<usize>)>,
    text: Vec<u8>,
    base: usize,
}

impl RecordTexts {
    /// The text of a record, given by its range in bytes that begin at this offset of the file. Empty for
    /// bytes that are no record.
    pub(crate) fn text(&mut self, bytes: &[u8], offset: u64, record: &Range<usize>) -> &[u8] {
        let known = |(of, range): &(u64, Range<usize>)| *of == offset && range.contains(&record.start);
        if !self.of.as_ref().is_some_and(known) {
            self.read(bytes, offset, record.start);
        }
        let index = self.texts.partition_point(|(place, _)| place.start < record.start);
        match self.texts.get(index) {
            Some((place, text)) if place == record => &self.text[text.clone()],
            _ => &[],
        }
    }

    fn read(&mut self, bytes: &[u8], offset: u64, at: usize) {
        self.texts.clear();
        self.text.clear();
        self.of = None;
        if let Some((range, _)) = chunks(bytes, offset).find(|(range, _)| range.contains(&at)) {
            self.of = Some((offset, range.clone()));
            self.base = range.start;
            let mut text = std::mem::take(&mut self.text);
            EvtxReader::new().read_chunk(&bytes[range], &mut text, self);
            self.text = text;
        }
    }
}

impl Visitor for RecordTexts {
    fn begin(&mut self, record: Range<usize>) {
        self.texts.push((self.base + record.start..self.base + record.end, 0..0));
    }

    fn field(&mut self, _: FieldId, _: &str, _: Range<usize>, _: Option<i64>) {}

    fn end(&mut self, event: &EventEnd) {
        if let Some((_, text)) = self.texts.last_mut() {
            *text = event.text.clone();
        }
    }

    fn damaged(&mut self, _: Range<usize>, _: &'static str) {}
}
