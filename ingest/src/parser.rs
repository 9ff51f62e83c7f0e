//! From a chunk to a batch: framing, then one format over every line.

use std::sync::Arc;

use memchr::memchr_iter;

use crate::batch::{Batch, Chunk};
use crate::formats::{Fit, Format, Setup};
use crate::frame::frames;
use crate::limits;
use crate::rows::Rows;
use crate::time::TimeTally;

/// Turns chunks into batches. Pure and cheap to clone: chunks of one source may be parsed on several
/// threads and in any order; [`Settler`](crate::Settler) then sees the batches in the order of the source.
#[derive(Clone)]
pub struct Parser {
    format: &'static Format,
    setup: Arc<Setup>,
}

/// How well the lines of a chunk are of the format.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FitTally {
    pub whole: u32,
    pub partly: u32,
    pub times: TimeTally,
}

impl Parser {
    pub(crate) fn new(format: &'static Format, setup: Setup) -> Parser {
        Parser { format, setup: Arc::new(setup) }
    }

    /// Every line of the chunk that is not blank becomes a row. A line that is not of the format is a row
    /// too, without fields, and is counted as unparsed.
    #[must_use]
    pub fn parse(&self, chunk: Chunk) -> Batch {
        self.parse_and_tally(chunk).0
    }

    pub(crate) fn parse_and_tally(&self, chunk: Chunk) -> (Batch, FitTally) {
        let lines = memchr_iter(b'\n', &chunk.bytes).count() + 1;
        let mut rows = Rows::new(self.format.columns, self.setup.zone.clone(), lines);
        let mut reader = (self.format.reader)(&self.setup);
        let mut tally = FitTally::default();
        let mut unparsed = 0;
        let mut unparsed_examples = Vec::new();
        for (row, frame) in frames(&chunk).enumerate() {
            rows.begin(frame);
            match reader.read(&chunk.bytes[frame.start..frame.end], &mut rows) {
                Ok(Fit::Whole) => tally.whole += 1,
                Ok(Fit::Partly) => tally.partly += 1,
                Err(reason) => {
                    rows.clear();
                    unparsed += 1;
                    if unparsed_examples.len() < limits::UNPARSED_EXAMPLES {
                        unparsed_examples.push((row as u32, reason));
                    }
                }
            }
            rows.end(frame);
        }
        let (mut batch, clock) = rows.finish(chunk);
        batch.unparsed = unparsed;
        batch.unparsed_examples = unparsed_examples;
        tally.times = clock.tally;
        (batch, tally)
    }
}
