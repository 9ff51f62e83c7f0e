//! bzip2, one stream after another as `pbzip2` writes them.

use bzip2::{Decompress, Status};

use super::container_kind::bzip2_begins;
use super::frame_decoder::{Codec, DecodeStep};
use crate::problem::Problem;

pub struct Bzip2(Decompress);

impl Bzip2 {
    pub fn new() -> Bzip2 {
        Bzip2(Decompress::new(false))
    }
}

impl Codec for Bzip2 {
    const NAME: &'static str = "bzip2";

    fn begins(head: &[u8]) -> bool {
        bzip2_begins(head)
    }

    fn restart(&mut self) -> Result<(), Problem> {
        self.0 = Decompress::new(false);
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        let before = (self.0.total_in(), self.0.total_out());
        let ended = match self.0.decompress(input, output) {
            Ok(Status::MemNeeded) => Err(Problem::needs_memory(Self::NAME)),
            Ok(status) => Ok(status == Status::StreamEnd),
            Err(error) => Err(Problem::damaged(Self::NAME, error)),
        };
        DecodeStep {
            consumed: (self.0.total_in() - before.0) as usize,
            produced: (self.0.total_out() - before.1) as usize,
            ended,
        }
    }
}
