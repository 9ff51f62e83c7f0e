//! Converts login records to a batch, and a record's bytes to its text.

mod describe;

use crate::batch::{Batch, Chunk, FitTally, Frame, count_reason};
use crate::decoded::Decoded;
use crate::limits;
use crate::logins::LoginLayout;
use crate::rows::Rows;
use crate::time::When;
use crate::time::zone::Zone;

use describe::{COLUMNS, describe};

/// The records of a chunk as events. Records of zeros were never used, and are none; neither is a line end after
/// the last.
pub(crate) fn batch(mut chunk: Chunk, layout: LoginLayout) -> (Batch, FitTally) {
    let size = layout.record_bytes();
    let mut rows = Rows::new(COLUMNS, Zone::UTC, chunk.bytes.len() / size + 1);
    let mut text = Vec::new();
    let mut tally = FitTally::default();
    let (mut reasons, mut examples, mut count) = (Vec::new(), Vec::new(), 0);
    for (place, record) in chunk.bytes.chunks(size).enumerate() {
        let is_whole = record.len() == size;
        if record.iter().all(|&byte| byte == 0 || !is_whole && byte.is_ascii_whitespace()) {
            continue;
        }
        let index = layout.user(record).unwrap_or(chunk.offset / size as u64 + place as u64);
        let start = place * size;
        // Spans are ranges of the whole text, so the event's own text begins at its start.
        let frame = Frame {
            text_start: 0,
            text_end: 0,
            start,
            length: record.len(),
            line: index + 1,
            is_rest: false,
        };
        rows.begin(frame);
        match describe(layout, record, index, &mut text) {
            Ok(described) => {
                for (column, range) in described.texts {
                    rows.text(column, range.start, range.end);
                }
                for (column, number) in described.numbers {
                    rows.int(column, number);
                }
                if let Some(ns) = described.when_ns {
                    rows.when(&When::Instant(ns));
                }
                rows.set_level(described.level);
                tally.whole += 1;
            }
            Err(reason) => {
                count_reason(&mut reasons, reason);
                if examples.len() < limits::UNPARSED_EXAMPLES {
                    examples.push((count, reason));
                }
            }
        }
        text.push(b'\n');
        rows.end(frame);
        count += 1;
    }
    chunk.decoded = Some(Decoded::whole(text));
    let (mut batch, clock) = rows.finish(chunk);
    batch.unparsed = reasons.iter().map(|(_, count)| count).sum();
    batch.unparsed_reasons = reasons;
    batch.unparsed_examples = examples;
    (batch, FitTally { times: clock.tally, ..tally })
}

/// The text of a record that begins at this offset of the file.
pub(crate) fn text(layout: LoginLayout, record: &[u8], offset: u64) -> Vec<u8> {
    let mut text = Vec::new();
    // One that does not fit has a text all the same.
    let _ = describe(layout, record, offset / layout.record_bytes() as u64, &mut text);
    text
}
