//! A cache of decoded columns of all segments, within a budget: the least recently used one is evicted first
//! and decoded again on demand.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use base::Cancel;
use base::error::{Error, Result};
use base::limits::CANCEL_POLL;

/// A cached value of any type: columns, and tables made from them.
type CachedValue = Arc<dyn Any + Send + Sync>;

#[derive(Debug)]
pub struct ColumnCache {
    inner: Mutex<Inner>,
    budget_bytes: AtomicUsize,
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

/// Held while a column is decoded, so that concurrent requests decode it once.
type Slot = Mutex<Option<CachedValue>>;

impl ColumnCache {
    #[must_use]
    pub fn new(budget_bytes: usize) -> ColumnCache {
        ColumnCache { inner: Mutex::default(), budget_bytes: AtomicUsize::new(budget_bytes) }
    }

    /// Keeps no more than that from now on.
    pub fn limit(&self, bytes: usize) {
        self.budget_bytes.fetch_min(bytes, Ordering::Relaxed);
    }

    /// The cached value under this name, or the result of `make`, which also returns its size in bytes.
    pub fn get<T: Any + Send + Sync>(
        &self,
        segment: u64,
        name: &str,
        make: impl FnOnce() -> Result<(T, usize)>,
    ) -> Result<Arc<T>> {
        self.get_or_stop(segment, name, &Cancel::default(), make)
    }

    /// The same for a computation so long that waiting callers must be cancellable.
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
        *kept = Some(Arc::clone(&value) as CachedValue);
        drop(kept);
        self.account(segment, name, bytes);
        Ok(value)
    }

    /// True if this name is in the cache.
    pub fn has(&self, segment: u64, name: &str) -> bool {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = inner.known.get(&segment).and_then(|columns| columns.get(name));
        entry.is_some_and(|entry| entry.bytes > 0)
    }

    /// Forgets one value.
    pub fn remove(&self, segment: u64, name: &str) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = inner.known.get_mut(&segment).and_then(|columns| columns.remove(name));
        inner.bytes -= entry.map_or(0, |entry| entry.bytes);
    }

    pub fn clear(&self) {
        *self.inner.lock().unwrap_or_else(PoisonError::into_inner) = Inner::default();
    }

    /// Forgets what is cached of a segment that nobody can ask any more.
    pub fn forget(&self, segment: u64) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let columns = inner.known.remove(&segment).unwrap_or_default();
        inner.bytes -= columns.values().map(|entry| entry.bytes).sum::<usize>();
        drop(inner);
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

    /// Updates the size of a cached value.
    pub fn account(&self, segment: u64, name: &str, bytes: usize) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = inner.known.get_mut(&segment).and_then(|columns| columns.get_mut(name));
        let Some(entry) = entry else { return };
        let before = std::mem::replace(&mut entry.bytes, bytes);
        inner.bytes = inner.bytes + bytes - before;
        let budget_bytes = self.budget_bytes.load(Ordering::Relaxed);
        if inner.bytes > budget_bytes {
            inner.forget_down_to(budget_bytes / 8 * 7);
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
        // The newest value is in use by the caller that needed the room.
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
    fn least_recently_used_values_are_evicted() {
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
        cache.limit(40);
        cache.limit(60);
        get(9, "a");
        assert!(cache.inner.lock().expect("a lock").bytes <= 40);
    }

    #[test]
    fn segment_that_is_forgotten_takes_no_room() {
        let cache = ColumnCache::new(80);
        for (segment, name) in [(1, "a"), (1, "b"), (2, "a")] {
            cache.get(segment, name, || Ok((7_u8, 10))).expect("it is made");
        }
        cache.forget(1);
        assert!(!cache.has(1, "a") && !cache.has(1, "b") && cache.has(2, "a"));
        assert_eq!(cache.inner.lock().expect("a lock").bytes, 10);
        cache.remove(2, "a");
        cache.remove(2, "b");
        assert!(!cache.has(2, "a"));
        assert_eq!(cache.inner.lock().expect("a lock").bytes, 0);
    }

    #[test]
    fn failed_computation_is_not_cached() {
        let cache = ColumnCache::new(80);
        assert!(cache.get::<u8>(1, "a", || Err(base::Error::cancelled())).is_err());
        assert_eq!(*cache.get(1, "a", || Ok((7_u8, 1))).expect("it is made"), 7);
    }
}
