//! The loop that all compressed streams share: frame after frame, then the end, padding or unrelated data.

use std::io::{self, Read};

use super::input::Peek;
use crate::error::ErrorKind;
use crate::problem::Problem;

/// A compression method, as a step from packed to unpacked bytes.
pub trait Codec: Send {
    /// Its name in messages.
    const NAME: &'static str;

    /// Whether these bytes begin a frame.
    fn begins(head: &[u8]) -> bool;

    /// Prepares for the next frame.
    fn restart(&mut self) -> Result<(), Problem>;

    /// Unpacks as much as fits. Output produced before a problem counts.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep;
}

pub struct DecodeStep {
    pub consumed: usize,
    pub produced: usize,
    /// Whether the frame has ended.
    pub ended: Result<bool, Problem>,
}

/// The unpacked bytes of all frames of a stream.
pub struct FrameDecoder<P, C> {
    input: P,
    codec: C,
    state: FrameState,
    /// Only one frame is read, whatever follows it: the member of a zip archive.
    single: bool,
}

enum FrameState {
    Between,
    Inside,
    Ended,
    Failed(Problem),
}

impl<P: Peek, C: Codec> FrameDecoder<P, C> {
    pub fn new(input: P, codec: C) -> FrameDecoder<P, C> {
        FrameDecoder { input, codec, state: FrameState::Between, single: false }
    }

    /// For a frame whose start has no mark.
    pub fn single(input: P, codec: C) -> FrameDecoder<P, C> {
        FrameDecoder { input, codec, state: FrameState::Inside, single: true }
    }

    fn begin(&mut self) -> io::Result<FrameState> {
        Ok(match next_frame(&mut self.input, C::begins, C::NAME)? {
            Ok(false) => FrameState::Ended,
            Ok(true) => match self.codec.restart() {
                Ok(()) => FrameState::Inside,
                Err(problem) => FrameState::Failed(problem),
            },
            Err(problem) => FrameState::Failed(problem),
        })
    }

    /// Runs steps until there is output or the state changes.
    fn step(&mut self, output: &mut [u8]) -> io::Result<usize> {
        loop {
            let input = self.input.fill_buf()?;
            let at_end = input.is_empty();
            let DecodeStep { consumed, produced, ended } = self.codec.step(input, output);
            self.input.consume(consumed);
            let stuck = consumed == 0 && produced == 0;
            match ended {
                Ok(true) if self.single => self.state = FrameState::Ended,
                Ok(true) => self.state = FrameState::Between,
                Ok(false) if stuck && at_end => self.state = FrameState::Failed(Problem::truncated(C::NAME)),
                Ok(false) if stuck => {
                    self.state = FrameState::Failed(Problem::damaged(C::NAME, "it cannot be continued"));
                }
                Ok(false) if produced == 0 => continue,
                Ok(false) => {}
                Err(_) if at_end => self.state = FrameState::Failed(Problem::truncated(C::NAME)),
                Err(problem) => self.state = FrameState::Failed(problem),
            }
            return Ok(produced);
        }
    }
}

impl<P: Peek, C: Codec> Read for FrameDecoder<P, C> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        if output.is_empty() {
            return Ok(0);
        }
        loop {
            match &self.state {
                FrameState::Between => self.state = self.begin()?,
                FrameState::Inside => {
                    let produced = self.step(output)?;
                    if produced > 0 {
                        return Ok(produced);
                    }
                }
                FrameState::Ended => return Ok(0),
                FrameState::Failed(problem) => return Err(problem.clone().into()),
            }
        }
    }
}

/// Whether another frame follows. Zeros are padding on tapes and block devices and are ignored; any other
/// data after a frame is reported, because it is part of the file but was not read.
pub fn next_frame(
    input: &mut impl Peek,
    begins: fn(&[u8]) -> bool,
    what: &str,
) -> io::Result<Result<bool, Problem>> {
    loop {
        let head = input.peek(FRAME_HEAD_BYTES);
        if begins(head) {
            return Ok(Ok(true));
        }
        let buffered = input.fill_buf()?;
        if buffered.is_empty() {
            return Ok(Ok(false));
        }
        let zeros = buffered.iter().take_while(|byte| **byte == 0).count();
        if zeros == 0 {
            break;
        }
        input.consume(zeros);
    }
    let left = io::copy(input, &mut io::sink())?;
    let message = format!("{left} bytes after the {what} data do not belong to it and were skipped");
    Ok(Err(Problem::new(ErrorKind::Leftover, message)))
}

/// The number of bytes needed to recognise a frame.
const FRAME_HEAD_BYTES: usize = 10;
