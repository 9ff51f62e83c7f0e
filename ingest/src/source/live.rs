//! A source whose bytes are still being written: they are added as they come, and chunks are handed out of
//! those events that are surely whole.

use super::{ReadState, Source};
use crate::batch::Chunk;
use crate::buffer::BufferPool;

impl Source<'_> {
    /// The same source, which has memory only for bytes that wait: hundreds are received at one time, and each chunk of
    /// most of them is small.
    #[must_use]
    pub fn frugal(mut self) -> Self {
        self.spare = BufferPool::new(0);
        self
    }

    /// Adds bytes that follow those that are there.
    pub fn push(&mut self, bytes: &[u8]) {
        let before = self.pending.len();
        self.state = ReadState::Reading;
        self.pending.extend(bytes);
        self.decode(before);
    }

    /// Bytes that were added and not handed out.
    #[must_use]
    pub fn waiting_bytes(&self) -> usize {
        self.pending.len()
    }

    /// The next run of events that are surely whole. With `ends` the last one is too: what comes later begins
    /// another.
    pub fn next_live(&mut self, ends: bool) -> Option<Chunk> {
        if self.pending.is_empty() {
            return None;
        }
        if ends {
            self.state = ReadState::Ended;
            self.decode(self.pending.len());
            if self.text().len() <= self.chunk_bytes {
                let end = self.text().len();
                return Some(self.hand_out(end));
            }
        }
        match self.cut(ends) {
            Some(end) => Some(self.hand_out(end)),
            None if ends => {
                let end = self.text().len();
                Some(self.hand_out(end))
            }
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Options, ResumePoint, Source, StreamInfo};
    use crate::batch::Values;

    fn source(sample: &[u8]) -> Source<'static> {
        let stream = StreamInfo { path: Path::new("a"), name: "a", modified_ns: None, compression: "none" };
        let place = ResumePoint { offset: 0, line: 1, heading: Vec::new() };
        Source::resume(&stream, sample, &place, &Options::default()).expect("it is text")
    }

    fn texts(source: &mut Source<'_>, ends: bool) -> Vec<String> {
        let parser = source.parser();
        let mut texts = Vec::new();
        while let Some(chunk) = source.next_live(ends) {
            let batch = parser.parse(chunk);
            let events = (0..batch.rows()).map(|row| batch.chunk.bytes[batch.event(row)].to_vec());
            texts.extend(events.map(|event| String::from_utf8(event).expect("it is text")));
        }
        texts
    }

    #[test]
    fn an_event_that_may_go_on_waits_until_it_ends() {
        let first = "2026-03-01T14:05:00Z INFO one\n2026-03-01T14:05:01Z ERROR two\n";
        let mut source = source(first.as_bytes());
        source.push(first.as_bytes());
        assert_eq!(texts(&mut source, false), ["2026-03-01T14:05:00Z INFO one"]);
        source.push(b"  at three\n2026-03-01T14:05:02Z IN");
        // Whether a line begins an event is known when it is whole.
        assert_eq!(texts(&mut source, false), [""; 0]);
        source.push(b"FO four\n");
        assert_eq!(texts(&mut source, false), ["2026-03-01T14:05:01Z ERROR two\n  at three"]);
        assert_eq!(texts(&mut source, true), ["2026-03-01T14:05:02Z INFO four"]);
        assert_eq!(source.waiting_bytes(), 0);
    }

    #[test]
    fn events_have_the_sender_they_came_from_whatever_they_say_themselves() {
        let lines = b"{\"sender\":\"10.0.0.1\",\"n\":1}\n{\"n\":2}\nother\n";
        let stream = StreamInfo { path: Path::new("a"), name: "a", modified_ns: None, compression: "none" };
        let place = ResumePoint { offset: 0, line: 1, heading: Vec::new() };
        let options = Options { sender: Some("10.0.0.7".to_owned()), ..Options::default() };
        let mut source = Source::resume(&stream, lines, &place, &options).expect("it is text");
        let parser = source.parser();
        source.push(lines);
        let batch = parser.parse(source.next_live(true).expect("a chunk"));
        let values = |name: &str| {
            let column = batch.columns.iter().find(|column| &*column.name == name).expect("the column");
            let Values::Text(spans) = &column.values else { panic!("{name} is text") };
            let texts = spans.iter().map(|&span| String::from_utf8_lossy(batch.text(span)).into_owned());
            texts.collect::<Vec<_>>()
        };
        assert_eq!(values("sender"), ["10.0.0.7"; 3]);
        assert_eq!(values("data.sender"), ["10.0.0.1", "", ""]);
    }

    #[test]
    fn a_line_without_end_is_handed_out_in_pieces() {
        let mut source = source(b"x\n");
        source.push(&vec![b'x'; 3 << 20]);
        let found = texts(&mut source, false);
        assert!(!found.is_empty() && found.iter().all(|piece| piece.len() == 1 << 20), "{}", found.len());
        assert!(source.waiting_bytes() <= 2 << 20);
    }

    #[test]
    fn frugal_source_gives_the_same_and_keeps_no_memory() {
        let line = "2026-03-01T14:05:00Z INFO one\n";
        let mut frugal = source(line.as_bytes()).frugal();
        for _ in 0..3 {
            frugal.push(line.repeat(20_000).as_bytes());
            let found = texts(&mut frugal, true);
            assert_eq!((found.len(), found[0].as_str()), (20_000, line.trim_end()));
            assert_eq!(frugal.pending.memory_bytes(), 0);
        }
    }
}
