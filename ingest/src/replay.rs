//! Reading a source again from the chunks that were kept of it.

use std::sync::Arc;

use memchr::memchr_iter;

use crate::batch::{Batch, Chunk};
use crate::encoding::Encoding;
use crate::heading::{Heading, split};
use crate::parser::Parser;
use crate::settler::{Settler, SettlerState};
use crate::source::{ResumePoint, Source};

/// Parses and settles the kept chunks of a source, which must come in source order and from its start. They
/// give the same events as when they were first read.
pub struct Replay {
    parser: Parser,
    settler: Settler,
    encoding: Encoding,
    heading: Heading,
    offset: u64,
    line: u64,
}

impl Replay {
    /// Takes the parser and settler that the first bytes of `source` determine. `before` is the time state at
    /// the end of the previous file of a rotated set, where this source continued from it.
    #[must_use]
    pub fn new(source: &Source<'_>, before: Option<&SettlerState>) -> Replay {
        let mut settler = source.settler();
        if let Some(before) = before {
            settler.follow(before);
        }
        let mut heading = Heading::default();
        let lines: Arc<[u8]> = source.heading();
        split(&lines).for_each(|line| heading.add(line));
        Replay { parser: source.parser(), settler, encoding: source.encoding(), heading, offset: 0, line: 1 }
    }

    /// Skips a chunk whose bytes are lost. The line numbers of later chunks then do not count its lines.
    pub fn skip(&mut self, bytes: u32) {
        self.offset += u64::from(bytes);
    }

    /// The start of the next chunk, and how times are settled there.
    #[must_use]
    pub fn resume_point(&self) -> (ResumePoint, Settler) {
        let heading = self.heading.lines().to_vec();
        (ResumePoint { offset: self.offset, line: self.line, heading }, self.settler.clone())
    }

    /// Returns the events of the next chunk.
    pub fn next(&mut self, bytes: Vec<u8>) -> Batch {
        let mut chunk = Chunk::stored(bytes, self.offset, &self.heading.lines(), self.encoding);
        chunk.first_line = self.line;
        self.offset += chunk.bytes.len() as u64;
        self.line += memchr_iter(b'\n', chunk.text()).count() as u64;
        let offset = |at: usize| chunk.offset + chunk.byte_position(at) as u64;
        let (layouts, _) = self.parser.learn_layouts(&self.heading.lines(), chunk.text(), &offset);
        self.parser.add_headings(&chunk, &mut self.heading);
        if let Some(layouts) = layouts {
            self.heading.add(&layouts);
        }
        let mut batch = self.parser.parse(chunk);
        self.settler.settle(&mut batch);
        batch
    }
}
