//! Counts the unpacked bytes of one file, and enforces the limit.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::UnpackLimits;
use crate::error::ErrorKind;
use crate::problem::Problem;

/// Asks whether reading is to stop. Never by default.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stop {
    #[must_use]
    pub fn when(stops: impl Fn() -> bool + Send + Sync + 'static) -> Stop {
        Stop(Some(Arc::new(stops)))
    }

    fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|stops| stops())
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.is_set()).finish()
    }
}

/// Counts everything that is unpacked from one file on disk, at every level of nesting together, so that
/// neither nesting nor members that share their packed bytes evade the limit.
#[derive(Debug)]
pub struct Meter {
    packed: AtomicU64,
    unpacked: AtomicU64,
    free_bytes: u64,
    ratio: u64,
    stop: Stop,
}

impl Meter {
    pub fn new(limits: &UnpackLimits) -> Meter {
        Meter {
            packed: AtomicU64::new(0),
            unpacked: AtomicU64::new(0),
            free_bytes: limits.expansion_free_bytes,
            ratio: limits.expansion_ratio,
            stop: limits.stop.clone(),
        }
    }

    /// Adds to the number of packed bytes.
    pub fn add_packed(&self, bytes: u64) {
        self.packed.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts the bytes of a read; fails instead of reading if too much has been delivered before.
    pub fn metered(&self, read: impl FnOnce() -> io::Result<usize>) -> io::Result<usize> {
        self.check_stop()?;
        if let Some(problem) = self.exceeded() {
            return Err(problem.into());
        }
        let read = read()?;
        self.unpacked.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }

    /// Fails if reading is to stop. Bytes that nobody receives, such as those after the end of an archive, are read
    /// here alone.
    pub fn check_stop(&self) -> io::Result<()> {
        if self.stop.is_set() {
            return Err(Problem::new(ErrorKind::Io, "reading was stopped").into());
        }
        Ok(())
    }

    fn exceeded(&self) -> Option<Problem> {
        let allowed = self.packed.load(Ordering::Relaxed).saturating_mul(self.ratio).max(self.free_bytes);
        (self.unpacked.load(Ordering::Relaxed) > allowed).then(|| {
            let message = format!(
                "it unpacks to more than {} times its size, as archives made to do harm do; what came before is kept; \
                 raise the limit \"expansion_ratio\" to read all of it",
                self.ratio
            );
            Problem::new(ErrorKind::Limit, message)
        })
    }
}

/// How far a file is read that is unpacked on the way.
#[derive(Debug)]
pub struct Packed {
    bytes: u64,
    read: AtomicU64,
}

impl Packed {
    pub(super) fn new(bytes: u64) -> Packed {
        Packed { bytes, read: AtomicU64::new(0) }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn add_read(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Estimates the unpacked length from the output so far, if the rest compresses equally well.
    #[must_use]
    pub fn expected(&self, unpacked: u64) -> u64 {
        let read = self.read.load(Ordering::Relaxed).clamp(1, self.bytes.max(1));
        (u128::from(unpacked) * u128::from(self.bytes) / u128::from(read)) as u64
    }
}

/// A decoder whose output is counted.
pub struct Metered<R> {
    pub inner: R,
    pub meter: Arc<Meter>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        self.meter.metered(|| self.inner.read(output))
    }
}

/// A source of unknown length; the bytes read from it count as packed.
pub struct MeteredSource<R> {
    pub inner: R,
    pub meter: Arc<Meter>,
}

impl<R: Read> Read for MeteredSource<R> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(output)?;
        self.meter.add_packed(read as u64);
        Ok(read)
    }
}
