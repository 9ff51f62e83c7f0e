//! zstd, frame after frame, including skippable ones.

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use super::container_kind::{skippable_begins, zstd_begins};
use super::frame_decoder::{Codec, DecodeStep};
use crate::problem::Problem;

/// The limits of the format and the library.
const WINDOW_LOG: std::ops::RangeInclusive<u32> = 10..=31;

pub struct Zstd(Decoder<'static>);

impl Zstd {
    pub fn new(memory_bytes: u64) -> Result<Zstd, Problem> {
        let window_log = memory_bytes.max(1).ilog2().clamp(*WINDOW_LOG.start(), *WINDOW_LOG.end());
        let ready = || {
            let mut decoder = Decoder::new()?;
            decoder.set_parameter(DParameter::WindowLogMax(window_log))?;
            Ok::<_, std::io::Error>(decoder)
        };
        ready().map(Zstd).map_err(|error| Problem::damaged(Self::NAME, error))
    }
}

impl Codec for Zstd {
    const NAME: &'static str = "zstd";

    fn begins(head: &[u8]) -> bool {
        zstd_begins(head) || skippable_begins(head)
    }

    fn restart(&mut self) -> Result<(), Problem> {
        self.0.reinit().map_err(|error| Problem::damaged(Self::NAME, error))
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        let (mut input, mut output) = (InBuffer::around(input), OutBuffer::around(output));
        let ended = match self.0.run(&mut input, &mut output) {
            Ok(hint) => Ok(hint == 0),
            // Only the message of the library identifies this case.
            Err(error) if error.to_string().contains("too much memory") => {
                Err(Problem::needs_memory(Self::NAME))
            }
            Err(error) => Err(Problem::damaged(Self::NAME, error)),
        };
        DecodeStep { consumed: input.pos(), produced: output.pos(), ended }
    }
}
