//! Parses a chunk to a batch: framing, then one format for every event.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use memchr::{memchr, memchr_iter};

use crate::batch::{Batch, Chunk, FitTally, count_reason};
use crate::evtx;
use crate::formats::text::begins_with_level_in_brackets;
use crate::formats::{Fit, Format, Learned, Reader, Setup};
use crate::frame::{Framing, frames};
use crate::heading::{self, Heading};
use crate::late_layouts::{self, LateLayouts, LineStart, is_own_line, usual_starts};
use crate::layout_counts::{LayoutCounter, usual_layout};
use crate::limits;
use crate::login_events;
use crate::other_lines::OtherLines;
use crate::rows::{Rows, Schema};
use crate::time::find::find;
use crate::time::layouts::TimeLayouts;
use crate::time::rules::TimeRules;

/// Converts chunks to batches. Pure and cheap to clone: chunks of one source may be parsed on several threads
/// and in any order; [`Settler`](crate::Settler) then sees the batches in source order.
#[derive(Clone)]
pub struct Parser {
    format: &'static Format,
    setup: Arc<Setup>,
    /// The first line is not a heading by its position, because the stream continues another one.
    goes_on: bool,
    /// The address that all events were received from.
    sender: Option<Arc<str>>,
}

/// The reason for an unparsed event before the first line that begins one.
const PRECEDES: &str = "it precedes the first event";

/// The reason for an unparsed event that is the rest of one beyond the limits.
pub const CUT: &str = "it continues an event that is too long and was cut";

/// The reason for an unparsed event on which a reader panicked.
const FAULT: &str = "Timberline failed to read it because of a bug; its text is kept; please report it";

/// Reads an event; a panic becomes the given fault, because a bug of ours should fail a test but nobody's import.
fn guarded<T>(read: impl FnOnce() -> T, fault: T) -> T {
    if cfg!(debug_assertions) { read() } else { catch_panic(read, fault) }
}

fn catch_panic<T>(read: impl FnOnce() -> T, fault: T) -> T {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or(fault)
}

impl Parser {
    pub(crate) fn new(format: &'static Format, setup: Setup) -> Parser {
        Parser { format, setup: Arc::new(setup), goes_on: false, sender: None }
    }

    /// A reader, and empty rows for it.
    pub(crate) fn reader(&self) -> (Box<dyn Reader>, Rows) {
        let rows = Rows::new(self.columns(), self.setup.zone.clone(), 1);
        ((self.format.reader)(&self.setup), rows)
    }

    fn columns(&self) -> Schema {
        self.setup.carried.as_ref().map_or(self.format.columns, |carried| carried.columns())
    }

    pub(crate) fn format_name(&self) -> &str {
        self.format.name
    }

    /// The same parser for a stream that continues another one.
    pub(crate) fn for_next_file(&self) -> Parser {
        Parser { goes_on: true, ..self.clone() }
    }

    /// The same parser for bytes that were received from an address.
    pub(crate) fn received_from(self, sender: Option<&str>) -> Parser {
        Parser { sender: sender.map(Arc::from), ..self }
    }

    /// The same, with every line an event.
    pub(crate) fn by_lines(&self) -> Parser {
        self.with_learned(Learned { framing: Framing::Lines, ..self.learned().clone() })
    }

    pub(crate) fn framing(&self) -> &Framing {
        &self.setup.learned.framing
    }

    pub(crate) fn learned(&self) -> &Learned {
        &self.setup.learned
    }

    /// The same parser with something else learned.
    pub(crate) fn with_learned(&self, learned: Learned) -> Parser {
        let setup = Setup { learned, ..Setup::clone(&self.setup) };
        Parser { setup: Arc::new(setup), ..self.clone() }
    }

    /// Whether some lines are headings or notes, not events.
    pub(crate) fn has_headings(&self) -> bool {
        self.format.heading.is_some() || self.format.note.is_some()
    }

    /// Every event of the chunk becomes a row. An event that does not fit the format is a row without fields,
    /// and is counted as unparsed.
    #[must_use]
    pub fn parse(&self, chunk: Chunk) -> Batch {
        let mut batch = self.read(chunk).0;
        if let Some(sender) = &self.sender {
            batch.add_sender(sender);
        }
        batch
    }

    pub(crate) fn parse_and_tally(&self, chunk: Chunk) -> (Batch, FitTally) {
        let (batch, tally) = self.read(chunk);
        let (joined, joined_with_time) = self.joined(&batch.chunk);
        (batch, FitTally { joined, joined_with_time, ..tally })
    }

    fn read(&self, chunk: Chunk) -> (Batch, FitTally) {
        match self.with_late(&chunk.heading) {
            Some(parser) => parser.read_as_learned(chunk),
            None => self.read_as_learned(chunk),
        }
    }

    /// The parser for chunks with this heading, if it holds layouts that were learned after the sample.
    fn with_late(&self, heading: &[u8]) -> Option<Parser> {
        if heading.is_empty() {
            return None;
        }
        let late = LateLayouts::from_heading(heading).learned;
        if late.is_empty() {
            return None;
        }
        let Framing::Starts(begins) = self.framing() else { return None };
        let (begins, order) = (Arc::clone(begins), self.setup.times.order);
        let added = TimeLayouts::default().with(&late);
        let starts = move |line: &[u8]| begins(line) || added.find(line, order).is_some();
        let mut times = self.setup.times.clone();
        times.layouts = times.layouts.with(&late);
        let text = self.learned().text.as_ref().map(|text| Arc::new(text.with_times(&times)));
        let framing = Framing::Starts(Arc::new(starts));
        let learned = Learned { framing, text, ..self.learned().clone() };
        let setup = Setup { times, learned, ..Setup::clone(&self.setup) };
        Some(Parser { setup: Arc::new(setup), ..self.clone() })
    }

    /// How events are delimited after these heading lines.
    pub(crate) fn framing_after(&self, heading: &[u8]) -> Framing {
        self.with_late(heading).map_or_else(|| self.framing().clone(), |parser| parser.framing().clone())
    }

    /// Learns layouts from text after these heading lines. Returns the heading line that says so, if it
    /// changed, and where the text is to be cut.
    pub(crate) fn learn_layouts(
        &self,
        heading: &[u8],
        text: &[u8],
        offset: &dyn Fn(usize) -> u64,
    ) -> (Option<Vec<u8>>, Option<usize>) {
        let before = LateLayouts::from_heading(heading);
        let mut late = before.clone();
        let cut = late_layouts::learn(self, text, offset, &mut late);
        ((late != before).then(|| late.line()), cut)
    }

    /// Whether layouts beyond the sample are learned: lines have times, and neither a person nor containers
    /// describe them.
    pub(crate) fn has_layouts(&self) -> bool {
        self.setup.custom.is_none()
            && self.setup.carried.is_none()
            && self.learned().records.is_none()
            && self.learned().containers.is_none()
            && (self.learned().text.is_some() || self.setup.times.begins_lines())
    }

    /// Whether events begin at a line that begins with its time.
    fn has_usual_layout(&self) -> bool {
        matches!(self.framing(), Framing::Starts(_)) && self.has_layouts() && self.setup.times.begins_lines()
    }

    pub(crate) fn rules(&self) -> &TimeRules {
        &self.setup.times
    }

    pub(crate) fn usual_starts(&self) -> &[LineStart] {
        &self.setup.usual_starts
    }

    /// The same parser, with the starts of the sample's events.
    pub(crate) fn with_usual_starts(&self, sample: &Chunk) -> Parser {
        let usual_starts = usual_starts(sample.text(), self.framing()).into();
        Parser { setup: Arc::new(Setup { usual_starts, ..Setup::clone(&self.setup) }), ..self.clone() }
    }

    fn read_as_learned(&self, chunk: Chunk) -> (Batch, FitTally) {
        if let Framing::Evtx = self.framing() {
            return evtx::batch(chunk);
        }
        if let Framing::Logins(layout) = self.framing() {
            return login_events::batch(chunk, *layout);
        }
        let text = chunk.text();
        let lines = memchr_iter(b'\n', text).count() + 1;
        let mut rows = Rows::new(self.columns(), self.setup.zone.clone(), lines);
        let mut reader = (self.format.reader)(&self.setup);
        let mut other = OtherLines::new(&self.setup);
        // Where every line is an event, layouts decide nothing; containers each have their own.
        let has_starts = matches!(self.framing(), Framing::Starts(_)) && self.learned().containers.is_none();
        let mut layouts = has_starts.then(|| LayoutCounter::new(&self.setup.times)).flatten();
        for line in heading::split(&chunk.heading).filter(|line| !is_own_line(line)) {
            reader.heading(line, &mut rows);
        }
        let mut tally = FitTally::default();
        let (mut unparsed, mut begun) = (0, 0);
        let mut unparsed_examples = Vec::new();
        let mut unparsed_reasons = Vec::new();
        let mut row = 0;
        for (index, frame) in frames(&chunk, self.framing()).enumerate() {
            let event = &text[frame.text_start..frame.text_end];
            if self.is_heading(event, &chunk, index) {
                reader.heading(event, &mut rows);
                tally.headings += 1;
                continue;
            }
            if self.is_note(event) || frame.is_rest && self.format.preamble.is_some_and(|is| is(event)) {
                tally.headings += 1;
                continue;
            }
            rows.begin(frame);
            begun += u32::from(!frame.is_rest);
            if let (Some(layouts), false) = (&mut layouts, frame.is_rest) {
                layouts.add(event);
            }
            let rest = if chunk.offset == 0 && index == 0 { PRECEDES } else { CUT };
            let read =
                if frame.is_rest { Err(rest) } else { guarded(|| reader.read(event, &mut rows), Err(FAULT)) };
            match read {
                Ok(Fit::Whole) => tally.whole += 1,
                Ok(Fit::Partly) => tally.partly += 1,
                Err(reason) => {
                    rows.clear();
                    // What continues an event that was cut is of no format.
                    if frame.is_rest || !guarded(|| other.read(event, &mut rows), false) {
                        other.put_time_and_level(event, &mut rows);
                        unparsed += 1;
                        count_reason(&mut unparsed_reasons, reason);
                        if unparsed_examples.len() < limits::UNPARSED_EXAMPLES {
                            unparsed_examples.push((row, reason));
                        }
                    }
                }
            }
            rows.end(frame);
            row += 1;
        }
        let (mut batch, clock) = rows.finish(chunk);
        batch.unparsed = unparsed;
        batch.unparsed_reasons = unparsed_reasons;
        batch.unparsed_examples = unparsed_examples;
        batch.layouts = match layouts {
            Some(layouts) => layouts.finish(),
            // Until another layout is learned, all events begin at the usual one.
            None if self.has_usual_layout() => usual_layout(begun),
            None => Vec::new(),
        };
        tally.times = clock.tally;
        (batch, tally)
    }

    fn is_heading(&self, event: &[u8], chunk: &Chunk, index: usize) -> bool {
        let is_first = chunk.offset == 0 && index == 0 && !self.goes_on;
        let is = self.format.heading.is_some_and(|is| is(&self.setup, event, is_first));
        is && !self.is_joined(event) && heading::is_kept(event)
    }

    fn is_note(&self, event: &[u8]) -> bool {
        self.format.note.is_some_and(|is| is(event)) && !self.is_joined(event)
    }

    /// An event to which other lines were joined is more than a heading or a note.
    fn is_joined(&self, event: &[u8]) -> bool {
        matches!(self.framing(), Framing::Starts(_)) && memchr(b'\n', event).is_some()
    }

    /// Adds the heading lines of a chunk, for the chunks after it.
    pub(crate) fn add_headings(&self, chunk: &Chunk, heading: &mut Heading) {
        if self.format.heading.is_none() {
            return;
        }
        for (index, frame) in frames(chunk, self.framing()).enumerate() {
            let event = &chunk.text()[frame.text_start..frame.text_end];
            if self.is_heading(event, chunk, index) {
                heading.add(event);
            }
        }
    }

    /// How many lines are joined to the event before them, and how many of these have a time or a level.
    fn joined(&self, chunk: &Chunk) -> (u32, u32) {
        let Framing::Starts(_) = self.framing() else { return (0, 0) };
        let (mut joined, mut with_time) = (0, 0);
        let rules = &self.setup.times;
        // Plain text joins such a line only where no layout of its own was learned.
        let counts_times = rules.begins_lines() && self.learned().text.is_none();
        for frame in frames(chunk, self.framing()) {
            let event = &chunk.text()[frame.text_start..frame.text_end];
            for line in event.split(|&byte| byte == b'\n').skip(1).filter(|line| is_standalone(line)) {
                joined += 1;
                with_time += u32::from(
                    counts_times && find(line, rules).is_some() || begins_with_level_in_brackets(line),
                );
            }
        }
        (joined, with_time)
    }
}

/// Whether an XML tag begins the line.
fn is_tag(line: &[u8]) -> bool {
    matches!(line, [b'<', b'/' | b'a'..=b'z' | b'A'..=b'Z', ..])
}

/// Whether a line looks independent of the event before it: not indented, not part of a trace.
fn is_standalone(line: &[u8]) -> bool {
    line.first().is_some_and(|byte| !byte.is_ascii_whitespace())
        && !is_tag(line)
        && ![&b"Caused by"[..], b"at ", b"Traceback", b"...", b"}", b")", b"]"]
            .iter()
            .any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panicking_reader_loses_only_the_fields_of_one_event() {
        assert!(matches!(catch_panic(|| Ok(Fit::Whole), Err(FAULT)), Ok(Fit::Whole)));
        assert!(matches!(catch_panic(|| Err::<Fit, _>(CUT), Err(FAULT)), Err(CUT)));
        assert!(matches!(catch_panic(|| panic!("a fault"), Err::<Fit, _>(FAULT)), Err(FAULT)));
    }
}
