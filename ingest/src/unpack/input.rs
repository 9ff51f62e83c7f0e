//! A stream whose next bytes can be examined before they are consumed.

use std::io::{self, BufRead, Read};

use crate::limits::UNPACK_BUFFER_BYTES;
use crate::problem::Problem;

/// A buffered reader that can show more than one byte ahead, whatever read sizes its source returns.
pub trait Peek: BufRead {
    /// The next bytes, fewer than requested only if the stream ends or fails.
    fn peek(&mut self, wanted: usize) -> &[u8];
}

/// Any source with a buffer before it. An error is kept until the bytes before it are consumed.
pub struct Input<'a> {
    inner: Box<dyn Read + Send + 'a>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    failed: Option<io::Error>,
}

impl<'a> Input<'a> {
    pub fn new(inner: impl Read + Send + 'a) -> Input<'a> {
        Input { inner: Box::new(inner), buffer: Vec::new(), start: 0, end: 0, failed: None }
    }

    /// The pending error, if nothing can be read before it.
    pub fn take_error(&mut self) -> Option<io::Error> {
        if self.peek(1).is_empty() { self.failed.take() } else { None }
    }

    /// Reads once into the free end of the buffer; false if there was nothing more.
    fn refill(&mut self) -> bool {
        if self.failed.is_some() {
            return false;
        }
        if self.buffer.is_empty() {
            self.buffer = vec![0; UNPACK_BUFFER_BYTES];
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        loop {
            match self.inner.read(&mut self.buffer[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    return read > 0;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failed = Some(error);
                    return false;
                }
            }
        }
    }
}

impl Peek for Input<'_> {
    fn peek(&mut self, wanted: usize) -> &[u8] {
        debug_assert!(wanted <= UNPACK_BUFFER_BYTES);
        while self.end - self.start < wanted && self.refill() {}
        &self.buffer[self.start..self.end.min(self.start + wanted)]
    }
}

impl BufRead for Input<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end
            && !self.refill()
            && let Some(error) = self.failed.take()
        {
            return Err(error);
        }
        Ok(&self.buffer[self.start..self.end])
    }

    fn consume(&mut self, amount: usize) {
        self.start = (self.start + amount).min(self.end);
    }
}

impl Read for Input<'_> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        if self.start == self.end && self.failed.is_none() && output.len() >= UNPACK_BUFFER_BYTES {
            return self.inner.read(output);
        }
        let available = self.fill_buf()?;
        let read = available.len().min(output.len());
        output[..read].copy_from_slice(&available[..read]);
        self.consume(read);
        Ok(read)
    }
}

impl<P: Peek> Peek for &mut P {
    fn peek(&mut self, wanted: usize) -> &[u8] {
        (**self).peek(wanted)
    }
}

/// Exactly this many of the next bytes. The rest can be skipped when the reader is gone.
pub struct Bounded<'i, 'a> {
    pub input: &'i mut Input<'a>,
    pub left: &'i mut u64,
    /// The archive that declares the number of bytes.
    pub what: &'static str,
}

impl Read for Bounded<'_, '_> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        let wanted = output.len().min(usize::try_from(*self.left).unwrap_or(usize::MAX));
        if wanted == 0 {
            return Ok(0);
        }
        let read = self.input.read(&mut output[..wanted])?;
        if read == 0 {
            return Err(Problem::truncated(self.what).into());
        }
        *self.left -= read as u64;
        Ok(read)
    }
}

/// Skips bytes. If that fails, the next read of the input fails too.
pub fn skip(input: &mut Input<'_>, mut bytes: u64) {
    while bytes > 0 {
        if input.peek(1).is_empty() {
            return;
        }
        let taken = bytes.min((input.end - input.start) as u64);
        input.consume(taken as usize);
        bytes -= taken;
    }
}
