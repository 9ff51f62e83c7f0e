//! gzip, and the raw deflate of zip archives.

use flate2::{Decompress, FlushDecompress, Status};

use super::container_kind::gzip_begins;
use super::frame_decoder::{Codec, DecodeStep};
use crate::problem::Problem;

/// The largest possible window; the data may use less.
const WINDOW_BITS: u8 = 15;

/// Members of a gzip file. zlib itself reads the header and verifies checksum and length.
pub struct Gzip(Decompress);

impl Gzip {
    pub fn new() -> Gzip {
        Gzip(Decompress::new_gzip(WINDOW_BITS))
    }
}

impl Codec for Gzip {
    const NAME: &'static str = "gzip";

    fn begins(head: &[u8]) -> bool {
        gzip_begins(head)
    }

    fn restart(&mut self) -> Result<(), Problem> {
        self.0 = Decompress::new_gzip(WINDOW_BITS);
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        inflate(&mut self.0, input, output, Self::NAME)
    }
}

pub struct Deflate(Decompress);

impl Deflate {
    pub fn new() -> Deflate {
        Deflate(Decompress::new(false))
    }
}

impl Codec for Deflate {
    const NAME: &'static str = "deflate";

    fn begins(_: &[u8]) -> bool {
        true
    }

    fn restart(&mut self) -> Result<(), Problem> {
        self.0.reset(false);
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        inflate(&mut self.0, input, output, Self::NAME)
    }
}

/// When the compressed file was written, by the header; zero means unknown.
pub fn written_ns(head: &[u8]) -> Option<i64> {
    let seconds = u32::from_le_bytes(*head.get(4..8)?.first_chunk()?);
    (seconds > 0).then(|| i64::from(seconds) * 1_000_000_000)
}

fn inflate(zlib: &mut Decompress, input: &[u8], output: &mut [u8], name: &str) -> DecodeStep {
    let before = (zlib.total_in(), zlib.total_out());
    let ended = match zlib.decompress(input, output, FlushDecompress::None) {
        Ok(status) => Ok(status == Status::StreamEnd),
        Err(error) => Err(Problem::damaged(name, error)),
    };
    DecodeStep {
        consumed: (zlib.total_in() - before.0) as usize,
        produced: (zlib.total_out() - before.1) as usize,
        ended,
    }
}
