//! The lz4 frame format, frame after frame.

use std::io::{self, BufRead, Read};

use lz4_flex::frame::FrameDecoder;

use super::container_kind::{lz4_begins, skippable_begins};
use super::frame_decoder::next_frame;
use super::input::Peek;
use crate::problem::{Problem, find_in};

const NAME: &str = "lz4";

/// Magic, flags, block size and header checksum; flags add a content size and a dictionary id.
const SHORTEST_HEADER_BYTES: u64 = 7;
const BLOCK_CHECKSUMS: u8 = 0x10;
const CONTENT_SIZE: u8 = 0x08;
const CONTENT_CHECKSUM: u8 = 0x04;
const DICTIONARY_ID: u8 = 0x01;
/// The bit of a block's size word that marks the block as uncompressed.
const STORED: u32 = 1 << 31;

/// The unpacked bytes of all frames.
pub struct Lz4<P: Peek>(Lz4State<P>);

enum Lz4State<P: Peek> {
    Between(P),
    Inside(Box<FrameDecoder<OneFrame<P>>>),
    Ended,
    Failed(Problem),
}

impl<P: Peek> Lz4<P> {
    pub fn new(input: P) -> Lz4<P> {
        Lz4(Lz4State::Between(input))
    }

    fn begin(mut input: P) -> io::Result<Lz4State<P>> {
        let begins = |head: &[u8]| lz4_begins(head) || skippable_begins(head);
        loop {
            match next_frame(&mut input, begins, NAME)? {
                Ok(false) => return Ok(Lz4State::Ended),
                Err(problem) => return Ok(Lz4State::Failed(problem)),
                Ok(true) if lz4_begins(input.peek(4)) => {
                    return Ok(Lz4State::Inside(Box::new(FrameDecoder::new(OneFrame::new(input)))));
                }
                Ok(true) => {
                    let mut header = [0; 8];
                    input.read_exact(&mut header).map_err(explain)?;
                    let bytes = u64::from(u32::from_le_bytes([header[4], header[5], header[6], header[7]]));
                    if io::copy(&mut (&mut input).take(bytes), &mut io::sink())? < bytes {
                        return Ok(Lz4State::Failed(Problem::truncated(NAME)));
                    }
                }
            }
        }
    }
}

impl<P: Peek> Read for Lz4<P> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        if output.is_empty() {
            return Ok(0);
        }
        loop {
            self.0 = match std::mem::replace(&mut self.0, Lz4State::Ended) {
                Lz4State::Between(input) => match Self::begin(input) {
                    Ok(state) => state,
                    Err(error) => Lz4State::Failed(Problem::from_error(&error)),
                },
                Lz4State::Inside(mut decoder) => match decoder.read(output) {
                    Ok(0) if decoder.get_ref().part == Lz4Part::Done => {
                        Lz4State::Between(decoder.into_inner().input)
                    }
                    Ok(0) => Lz4State::Failed(Problem::truncated(NAME)),
                    Ok(read) => {
                        self.0 = Lz4State::Inside(decoder);
                        return Ok(read);
                    }
                    Err(error) => Lz4State::Failed(Problem::from_error(&explain(error))),
                },
                Lz4State::Ended => return Ok(0),
                Lz4State::Failed(problem) => {
                    self.0 = Lz4State::Failed(problem.clone());
                    return Err(problem.into());
                }
            };
        }
    }
}

fn explain(error: io::Error) -> io::Error {
    match error.kind() {
        _ if find_in(&error).is_some() => error,
        io::ErrorKind::UnexpectedEof => Problem::truncated(NAME).into(),
        io::ErrorKind::InvalidData | io::ErrorKind::Other => Problem::damaged(NAME, error).into(),
        _ => error,
    }
}

/// The packed bytes of exactly one frame. The decoder cannot distinguish the end of a frame from a truncation
/// between two blocks, so this follows the lengths.
struct OneFrame<P> {
    input: P,
    part: Lz4Part,
    /// Bytes until the next part.
    left: u64,
    /// The bytes read of a part whose contents matter.
    seen: Vec<u8>,
    flags: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lz4Part {
    Header,
    Options,
    BlockSize,
    Block,
    Checksum,
    Done,
}

impl<P> OneFrame<P> {
    fn new(input: P) -> OneFrame<P> {
        OneFrame { input, part: Lz4Part::Header, left: SHORTEST_HEADER_BYTES, seen: Vec::new(), flags: 0 }
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Moves to the next part.
    fn advance(&mut self) {
        (self.part, self.left) = match self.part {
            Lz4Part::Header => {
                self.flags = self.seen.get(4).copied().unwrap_or_default();
                let options = 8 * u64::from(self.has(CONTENT_SIZE)) + 4 * u64::from(self.has(DICTIONARY_ID));
                (Lz4Part::Options, options)
            }
            Lz4Part::Options | Lz4Part::Block => (Lz4Part::BlockSize, 4),
            Lz4Part::BlockSize => match self.seen.first_chunk().map(|word| u32::from_le_bytes(*word)) {
                Some(0) | None => (Lz4Part::Checksum, 4 * u64::from(self.has(CONTENT_CHECKSUM))),
                Some(word) => {
                    (Lz4Part::Block, u64::from(word & !STORED) + 4 * u64::from(self.has(BLOCK_CHECKSUMS)))
                }
            },
            Lz4Part::Checksum | Lz4Part::Done => (Lz4Part::Done, 0),
        };
        self.seen.clear();
    }
}

impl<P: BufRead> Read for OneFrame<P> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        while self.left == 0 && self.part != Lz4Part::Done {
            self.advance();
        }
        let read = (&mut self.input).take(self.left).read(output)?;
        if matches!(self.part, Lz4Part::Header | Lz4Part::BlockSize) {
            self.seen.extend_from_slice(&output[..read]);
        }
        self.left -= read as u64;
        while self.left == 0 && self.part != Lz4Part::Done {
            self.advance();
        }
        Ok(read)
    }
}
