//! xz, one stream after another as `xz -T` and `cat` write them.

use std::io;

use lzma_rust2::{Action, Status, XzStream};

use super::container_kind::xz_begins;
use super::frame_decoder::{Codec, DecodeStep};
use crate::problem::Problem;

pub struct Xz {
    stream: XzStream,
    memory_kib: u32,
}

impl Xz {
    pub fn new(memory_bytes: u64) -> Xz {
        let memory_kib = u32::try_from(memory_bytes >> 10).unwrap_or(u32::MAX);
        Xz { stream: XzStream::new_mem_limit(false, memory_kib), memory_kib }
    }
}

impl Codec for Xz {
    const NAME: &'static str = "xz";

    fn begins(head: &[u8]) -> bool {
        xz_begins(head)
    }

    fn restart(&mut self) -> Result<(), Problem> {
        self.stream = XzStream::new_mem_limit(false, self.memory_kib);
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        let produced_before = self.stream.total_out();
        let action = if input.is_empty() { Action::Finish } else { Action::Run };
        let (consumed, ended) = match self.stream.process(input, output, action) {
            Ok(result) => (result.bytes_consumed, Ok(result.status == Status::StreamEnd)),
            Err(error) if error.kind() == io::ErrorKind::OutOfMemory => {
                (0, Err(Problem::needs_memory(Self::NAME)))
            }
            Err(error) => (0, Err(Problem::damaged(Self::NAME, error))),
        };
        DecodeStep { consumed, produced: (self.stream.total_out() - produced_before) as usize, ended }
    }
}
