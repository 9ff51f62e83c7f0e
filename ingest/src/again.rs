//! Reading a source again from the chunks that were kept of it.

use memchr::memchr_iter;

use crate::batch::{Batch, Chunk};
use crate::encoding::Encoding;
use crate::heading::Heading;
use crate::parser::Parser;
use crate::settler::Settler;
use crate::source::Source;

/// Parses and settles the kept chunks of a source, which must come in its order and from its start. They
/// give the events that they gave when they were read.
pub struct Again {
    parser: Parser,
    settler: Settler,
    encoding: Encoding,
    heading: Heading,
    offset: u64,
    line: u64,
}

impl Again {
    /// The source tells how; see [`Source::stored`].
    #[must_use]
    pub fn new(source: &Source<'_>) -> Again {
        Again {
            parser: source.parser(),
            settler: source.settler(),
            encoding: source.encoding(),
            heading: Heading::default(),
            offset: 0,
            line: 1,
        }
    }

    /// The events of the next chunk.
    pub fn next(&mut self, bytes: Vec<u8>) -> Batch {
        let mut chunk = Chunk::stored(bytes, self.offset, &self.heading.lines(), self.encoding);
        chunk.first_line = self.line;
        self.offset += chunk.bytes.len() as u64;
        self.line += memchr_iter(b'\n', chunk.text()).count() as u64;
        self.parser.add_headings(&chunk, &mut self.heading);
        let mut batch = self.parser.parse(chunk);
        self.settler.settle(&mut batch);
        batch
    }
}
