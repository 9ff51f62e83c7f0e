//! Memory for the bytes of chunks, reused once a chunk is done: allocating fresh memory takes longer than
//! reading into it.

use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that were read. Their memory returns to its pool on drop.
#[derive(Default)]
pub struct Buffer {
    /// Larger than the used part, so that bytes that are overwritten at once are not cleared first.
    memory: Vec<u8>,
    used: usize,
    home: Option<Arc<BufferPool>>,
}

/// Buffers of one size that nobody uses now. The pool never holds more of them than were in use at one time.
#[derive(Debug, Default)]
pub struct BufferPool {
    bytes: usize,
    free: Mutex<Vec<Vec<u8>>>,
}

impl BufferPool {
    pub fn new(bytes: usize) -> Arc<BufferPool> {
        Arc::new(BufferPool { bytes, free: Mutex::default() })
    }

    /// An empty buffer.
    pub fn buffer(self: &Arc<BufferPool>) -> Buffer {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Buffer { memory: free.unwrap_or_default(), used: 0, home: Some(Arc::clone(self)) }
    }
}

impl Buffer {
    /// Appends this many bytes from the input, fewer at its end. Bytes read before an error are kept.
    pub fn fill(&mut self, input: &mut dyn Read, missing: usize) -> io::Result<()> {
        let wanted = self.used + missing;
        self.make_room(wanted);
        while self.used < wanted {
            match input.read(&mut self.memory[self.used..wanted]) {
                Ok(0) => break,
                Ok(read) => self.used += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub fn extend(&mut self, bytes: &[u8]) {
        let end = self.used + bytes.len();
        self.make_room(end);
        self.memory[self.used..end].copy_from_slice(bytes);
        self.used = end;
    }

    /// What it takes, whether it is used or not.
    #[cfg(test)]
    pub fn memory_bytes(&self) -> usize {
        self.memory.capacity()
    }

    pub fn truncate(&mut self, length: usize) {
        self.used = self.used.min(length);
    }

    /// The same bytes, in a buffer that is hardly larger than they are.
    pub fn shrunk(self) -> Buffer {
        if self.used > self.memory.len() / 2 { self } else { self.to_vec().into() }
    }

    fn make_room(&mut self, length: usize) {
        if self.memory.is_empty() {
            // The system hands out memory that is zeroed already.
            let usual = self.home.as_ref().map_or(0, |home| home.bytes);
            self.memory = vec![0; length.max(usual)];
        } else if self.memory.len() < length {
            self.memory.resize(length, 0);
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(home) = &self.home
            && self.memory.len() == home.bytes
        {
            let memory = std::mem::take(&mut self.memory);
            home.free.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[..self.used]
    }
}

impl From<Vec<u8>> for Buffer {
    fn from(memory: Vec<u8>) -> Buffer {
        Buffer { used: memory.len(), memory, home: None }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        self.to_vec().into()
    }
}

impl PartialEq for Buffer {
    fn eq(&self, other: &Buffer) -> bool {
        **self == **other
    }
}

impl Eq for Buffer {}

impl fmt::Debug for Buffer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "\"{}\"", self.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_reused_and_contain_only_bytes_read() {
        let spare = BufferPool::new(8);
        let mut first = spare.buffer();
        first.fill(&mut &b"12345678rest"[..], 8).expect("it reads");
        let place = first.as_ptr();
        drop(first);
        let mut second = spare.buffer();
        second.fill(&mut &b"ab"[..], 8).expect("it reads");
        second.extend(b"c");
        assert_eq!((&*second, second.as_ptr()), (&b"abc"[..], place));
        second.truncate(1);
        second.extend(b"zz");
        assert_eq!(&*second.clone(), b"azz");
        assert_eq!(second.shrunk().memory.len(), 3);
        let mut third = spare.buffer();
        assert_eq!(third.memory.as_ptr(), place);
        third.extend(b"longer than others are");
        drop(third);
        assert!(spare.buffer().memory.is_empty(), "what grew is not kept");
    }
}
