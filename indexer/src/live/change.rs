//! What a stream sends may become something else: a program is replaced, a device is configured in another way. Where
//! the format of its source reads nothing of what comes any more, what it is now is learned from that, and the stream
//! goes on in a source of its own. A format that a person chose stays.

use ingest::Batch;

use super::open::{LiveStream, PLAIN, Waiting};
use super::{Live, Moment};
use base::error::Result;

/// So many events in a row that a format does not read are of another.
const OTHER_EVENTS: u64 = 64;

/// What is learned from: some hundred lines.
const OTHER_BYTES: usize = 16 << 10;

/// At least this share of them is of the format that is learned.
const LEAST_SCORE: f32 = 0.9;

/// Senders that write two formats in turn stay with the last one that was learned.
const MOST_CHANGES: usize = 16;

/// After a look that found no other format, the next one is after so many events at most.
const LONGEST_WAIT: u64 = 1 << 20;

/// How well a source's format reads what comes.
pub struct Fit {
    /// Events in a row that it did not read.
    unread: u64,
    /// Events since the last look, and of how many the next one is due.
    events: u64,
    wait: u64,
    /// What the next look learns from.
    bytes: Vec<u8>,
}

impl Default for Fit {
    fn default() -> Fit {
        Fit { unread: 0, events: 0, wait: OTHER_EVENTS, bytes: Vec::new() }
    }
}

impl Fit {
    /// Plain text reads everything, so what comes right before a look is what that learns from.
    pub fn add(&mut self, batch: &Batch, is_plain: bool) {
        let rows = batch.rows() as u64;
        self.events += rows;
        let counts = if is_plain {
            self.events + OTHER_EVENTS >= self.wait
        } else {
            u64::from(batch.unparsed) == rows
        };
        if counts {
            self.unread += rows;
            let bytes = &batch.chunk.bytes;
            let room = OTHER_BYTES.saturating_sub(self.bytes.len());
            self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        } else {
            self.unread = 0;
            self.bytes.clear();
        }
    }

    /// What may be of another format, if there is enough of it.
    fn other(&mut self) -> Option<Vec<u8>> {
        if self.unread < OTHER_EVENTS || self.events < self.wait {
            return None;
        }
        (self.unread, self.events, self.wait) = (0, 0, (self.wait * 2).min(LONGEST_WAIT));
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.truncate(memchr::memrchr(b'\n', &bytes)? + 1);
        Some(bytes)
    }
}

impl Live<'_> {
    /// Ends the source of a stream whose events became those of another format. What comes next begins one that learns it.
    pub(super) fn follow_change(
        &mut self,
        stream: &mut LiveStream,
        is_line_end: bool,
        now: Moment,
    ) -> Result<()> {
        let Waiting::Open(opened) = &mut stream.waiting else { return Ok(()) };
        if stream.format.is_some() || stream.changes >= MOST_CHANGES || !is_line_end {
            return Ok(());
        }
        let Some(sample) = opened.fit.other() else { return Ok(()) };
        let format = opened.source.detection().format.clone();
        let Ok((source, _)) = self.learn(stream, &sample, now) else { return Ok(()) };
        let found = source.detection();
        if found.format != format && found.format != PLAIN && found.score >= LEAST_SCORE {
            stream.changes += 1;
            // An event that may go on is one of the format of before.
            self.land_stream(stream, true, now)?;
            self.close(stream, now)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ingest::Chunk;

    fn added(fit: &mut Fit, parser: &ingest::Parser, line: &str, count: usize, is_plain: bool) {
        fit.add(&parser.parse(Chunk::whole(line.repeat(count).into_bytes())), is_plain);
    }

    fn parser(sample: &str) -> ingest::Parser {
        let stream = ingest::StreamInfo {
            path: std::path::Path::new("a"),
            name: "a",
            modified_ns: None,
            compression: "none",
        };
        let place = ingest::ResumePoint { offset: 0, line: 1, heading: Vec::new() };
        let options = ingest::Options::default();
        ingest::Source::resume(&stream, sample.as_bytes(), &place, &options).expect("it is text").parser()
    }

    #[test]
    fn looks_are_for_runs_that_are_not_read_and_ever_rarer() {
        let json = "{\"number\":1}\n";
        let parser = parser(json);
        let mut fit = Fit::default();
        added(&mut fit, &parser, json, 1_000, false);
        added(&mut fit, &parser, "other\n", 63, false);
        assert_eq!(fit.other(), None);
        added(&mut fit, &parser, json, 1, false);
        added(&mut fit, &parser, "other\n", 63, false);
        assert_eq!(fit.other(), None, "they are not in a row");
        added(&mut fit, &parser, "other\n", 1, false);
        assert_eq!(fit.other(), Some("other\n".repeat(64).into_bytes()));
        // The next look needs twice as many events.
        added(&mut fit, &parser, "other\n", 100, false);
        assert_eq!(fit.other(), None);
        added(&mut fit, &parser, "other\n", 28, false);
        assert_eq!(fit.other().map(|bytes| bytes.len()), Some(128 * 6));
    }
}
