//! Decoded columns of all segments, kept within a budget: what was asked for longest ago is dropped first
//! and decoded again when it is next needed.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use crate::Cancel;
use crate::error::{Error, Result};
use crate::limits::CANCEL_POLL;

/// What is kept, whatever its type: columns, and tables made from them.
type Kept = Arc<dyn Any + Send + Sync>;

#[derive(Debug)]
pub struct ColumnCache {
    inner: Mutex<Inner>,
    budget_bytes: usize,
}

#[derive(Debug, Default)]
struct Inner {
    /// By segment, then by name.
    known: HashMap<u64, HashMap<String, Entry>>,
    bytes: usize,
    clock: u64,
}

#[derive(Debug, Default)]
struct Entry {
    slot: Arc<Slot>,
    bytes: usize,
    used: u64,
}

/// Held while a column is decoded, so that two threads that want the same one decode it once.
type Slot = Mutex<Option<Kept>>;

impl ColumnCache {
    pub fn new(budget_bytes: usize) -> ColumnCache {
        ColumnCache { inner: Mutex::default(), budget_bytes }
    }

    /// What is kept under this name, or else what `make` makes, with the bytes it takes.
    pub fn get<T: Any + Send + Sync>(
        &self,
        segment: u64,
        name: &str,
        make: impl FnOnce() -> Result<(T, usize)>,
    ) -> Result<Arc<T>> {
        self.get_or_stop(segment, name, &Cancel::default(), make)
    }

    /// The same for what takes so long to make that whoever waits for it wants to be stopped meanwhile.
    pub fn get_or_stop<T: Any + Send + Sync>(
        &self,
        segment: u64,
        name: &str,
        cancel: &Cancel,
        make: impl FnOnce() -> Result<(T, usize)>,
    ) -> Result<Arc<T>> {
        let slot = self.slot(segment, name);
        let mut kept = loop {
            match slot.try_lock() {
                Ok(kept) => break kept,
                Err(TryLockError::Poisoned(kept)) => break kept.into_inner(),
                Err(TryLockError::WouldBlock) if cancel.is_set() => return Err(Error::cancelled()),
                Err(TryLockError::WouldBlock) => std::thread::sleep(CANCEL_POLL),
            }
        };
        if let Some(found) = kept.as_ref().and_then(|kept| Arc::clone(kept).downcast::<T>().ok()) {
            return Ok(found);
        }
        let (value, bytes) = make()?;
        let value = Arc::new(value);
        *kept = Some(Arc::clone(&value) as Kept);
        drop(kept);
        self.account(segment, name, bytes);
        Ok(value)
    }

    /// Whether something is kept under this name now.
    pub fn has(&self, segment: u64, name: &str) -> bool {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = inner.known.get(&segment).and_then(|columns| columns.get(name));
        entry.is_some_and(|entry| entry.bytes > 0)
    }

    pub fn clear(&self) {
        *self.inner.lock().unwrap_or_else(PoisonError::into_inner) = Inner::default();
    }

    fn slot(&self, segment: u64, name: &str) -> Arc<Slot> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clock += 1;
        let clock = inner.clock;
        let columns = inner.known.entry(segment).or_default();
        if !columns.contains_key(name) {
            columns.insert(name.to_owned(), Entry::default());
        }
        let Some(entry) = columns.get_mut(name) else { return Arc::default() };
        entry.used = clock;
        Arc::clone(&entry.slot)
    }

    /// Tells that what is kept under a name takes so many bytes now.
    pub fn account(&self, segment: u64, name: &str, bytes: usize) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = inner.known.get_mut(&segment).and_then(|columns| columns.get_mut(name));
        let Some(entry) = entry else { return };
        let before = std::mem::replace(&mut entry.bytes, bytes);
        inner.bytes = inner.bytes + bytes - before;
        if inner.bytes > self.budget_bytes {
            inner.forget_down_to(self.budget_bytes / 8 * 7);
        }
    }
}

impl Inner {
    fn forget_down_to(&mut self, bytes: usize) {
        let entries = self.known.iter().flat_map(|(&segment, columns)| {
            columns
                .iter()
                .filter(|(_, entry)| entry.bytes > 0)
                .map(move |(name, entry)| (entry.used, segment, name.clone()))
        });
        let mut oldest_first: Vec<_> = entries.collect();
        oldest_first.sort_unstable();
        // The newest is in use by whoever made room necessary.
        oldest_first.pop();
        for (_, segment, name) in oldest_first {
            if self.bytes <= bytes {
                break;
            }
            if let Some(entry) = self.known.get_mut(&segment).and_then(|columns| columns.remove(&name)) {
                self.bytes -= entry.bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn the_longest_unused_go_when_the_budget_is_spent() {
        let cache = ColumnCache::new(80);
        let calls = Cell::new(0);
        let get = |segment: u64, name: &str| {
            let make = || {
                calls.set(calls.get() + 1);
                Ok((name.to_owned(), 10))
            };
            assert_eq!(*cache.get(segment, name, make).expect("it is made"), name);
        };
        (0..8).for_each(|segment| get(segment, "a"));
        get(0, "a");
        assert_eq!(calls.get(), 8);
        get(8, "a");
        get(0, "a");
        assert_eq!(calls.get(), 9, "what was used lately is kept");
        get(1, "a");
        assert_eq!(calls.get(), 10, "what was not is made again");
        assert!(cache.inner.lock().expect("a lock").bytes <= 80);
    }

    #[test]
    fn what_could_not_be_made_is_tried_again() {
        let cache = ColumnCache::new(80);
        assert!(cache.get::<u8>(1, "a", || Err(crate::Error::cancelled())).is_err());
        assert_eq!(*cache.get(1, "a", || Ok((7_u8, 1))).expect("it is made"), 7);
    }
}
