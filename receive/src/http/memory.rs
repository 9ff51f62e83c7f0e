//! What requests hold in memory, all of them together. When that is too much, those wait that do not hold the most, so
//! that one always goes on.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::answer::Problem;
use super::limits::{MEMORY_BYTES, SMALL_BYTES};

#[derive(Debug, Default)]
pub struct Memory {
    held: Mutex<HeldBytes>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct HeldBytes {
    requests: u64,
    by_request: BTreeMap<u64, usize>,
    total: usize,
}

/// The part of it that one request holds.
#[derive(Debug)]
pub struct HeldMemory {
    memory: Arc<Memory>,
    request: u64,
}

impl Memory {
    /// A request that holds nothing yet.
    pub fn enter(self: &Arc<Memory>) -> HeldMemory {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.requests += 1;
        HeldMemory { memory: Arc::clone(self), request: held.requests }
    }

    /// Whether a request that holds so much may go on. What is beyond a small request counts.
    fn admits(&self, request: u64, bytes: usize) -> bool {
        let own = bytes.saturating_sub(SMALL_BYTES);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let before = held.by_request.insert(request, own).unwrap_or_default();
        held.total = held.total + own - before;
        let admits =
            held.total <= MEMORY_BYTES || own == 0 || held.by_request.values().all(|&other| other <= own);
        drop(held);
        if own < before {
            self.freed.notify_waiters();
        }
        admits
    }
}

impl HeldMemory {
    /// Holds so many bytes from now on. Waits while there is no room for them, and for so long at most.
    pub async fn set(&self, bytes: usize, patience: Duration) -> Result<(), Problem> {
        let last = Instant::now() + patience;
        loop {
            let mut freed = pin!(self.memory.freed.notified());
            // What is freed from here on ends the wait.
            freed.as_mut().enable();
            if self.memory.admits(self.request, bytes) {
                return Ok(());
            }
            if timeout_at(last, freed).await.is_err() {
                let reason = "bodies of other requests take all memory that is set aside for them";
                return Err(Problem::busy(reason, Duration::from_secs(1)));
            }
        }
    }
}

impl Drop for HeldMemory {
    fn drop(&mut self) {
        let mut held = self.memory.held.lock().unwrap_or_else(PoisonError::into_inner);
        let own = held.by_request.remove(&self.request).unwrap_or_default();
        held.total -= own;
        drop(held);
        self.memory.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_memory_is_taken_the_largest_request_goes_on_and_the_others_wait() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime").block_on(async {
            let (memory, short, long) =
                (Arc::<Memory>::default(), Duration::from_millis(20), Duration::from_mins(1));
            let (large, other, small) = (memory.enter(), memory.enter(), memory.enter());
            large.set(MEMORY_BYTES + SMALL_BYTES, short).await.expect("there is room");
            let refused = other.set(2 * SMALL_BYTES, short).await.expect_err("there is none");
            assert_eq!(refused.status, 429);
            large.set(MEMORY_BYTES + (1 << 20), short).await.expect("it goes on");
            small.set(SMALL_BYTES, short).await.expect("it is small");
            let waits = tokio::spawn(async move { other.set(2 * SMALL_BYTES, long).await });
            tokio::task::yield_now().await;
            drop(large);
            waits.await.expect("no panic").expect("it is freed");
        });
    }
}
