//! Parallel work on several segments.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use base::Cancel;
use base::error::{Error, Result};

/// The first tasks run on the calling thread only: a query that is answered by then waits for no other core.
const ALONE_AT_FIRST: usize = 8;

/// If finished tasks took longer than this on average, waking another thread pays: that takes a twentieth of
/// this time on an idle core, and up to some milliseconds while an import uses it.
const WORTH_HELP: Duration = Duration::from_millis(2);

/// The number of queries that are being answered on the pool.
static ANSWERING: AtomicUsize = AtomicUsize::new(0);

/// Runs `work` for each of the tasks `0..count` on all cores, in ascending order. `done` receives the results
/// on this thread in the order of the tasks, so that float sums do not vary between runs. The first error or
/// a cancellation ends the run.
///
/// The worker threads belong to the pool of the caller, or else to the shared query pool. The call waits for
/// them, so the caller must not hold a lock that the work takes.
pub fn in_order<R: Send>(
    count: usize,
    cancel: &Cancel,
    work: impl Fn(usize) -> Result<R> + Sync,
    mut done: impl FnMut(usize, R) -> Result<()>,
) -> Result<()> {
    let _answering = rayon::current_thread_index().is_none().then(Answering::begin);
    let threads = rayon::current_num_threads();
    let started = Instant::now();
    let next = AtomicUsize::new(0);
    let take = || {
        let task = next.fetch_add(1, Ordering::Relaxed);
        (task < count && !cancel.is_set()).then_some(task)
    };
    let outcome = rayon::in_place_scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let mut alone = Some(sender);
        let mut results = InOrder { waiting: BTreeMap::new(), next: 0 };
        let mut run = || {
            loop {
                let is_long = count < ALONE_AT_FIRST
                    || (started.elapsed() * count as u32) / results.next.max(1) as u32 > WORTH_HELP;
                // While other queries use the cores, a worker would have to wait for them.
                if is_long
                    && ANSWERING.load(Ordering::Relaxed) < threads
                    && let Some(sender) = alone.take()
                {
                    for _ in 1..threads.min(count) {
                        let (sender, take, work) = (sender.clone(), &take, &work);
                        scope.spawn(move |_| {
                            while let Some(task) = take() {
                                // After an error nobody receives results any more.
                                if sender.send((task, work(task))).is_err() {
                                    break;
                                }
                            }
                        });
                    }
                }
                let Some(task) = take() else { break };
                results.put(task, work(task)?, &mut done)?;
                for (task, result) in receiver.try_iter() {
                    results.put(task, result?, &mut done)?;
                }
            }
            alone = None;
            for (task, result) in &receiver {
                results.put(task, result?, &mut done)?;
            }
            Ok(())
        };
        let outcome = run();
        // Tasks that have not started are skipped.
        next.fetch_max(count, Ordering::Relaxed);
        outcome
    });
    outcome.and_then(|()| if cancel.is_set() { Err(Error::cancelled()) } else { Ok(()) })
}

/// Counts a running query while it lives.
struct Answering;

impl Answering {
    fn begin() -> Answering {
        ANSWERING.fetch_add(1, Ordering::Relaxed);
        Answering
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        ANSWERING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Passes results on in task order.
struct InOrder<R> {
    waiting: BTreeMap<usize, R>,
    next: usize,
}

impl<R> InOrder<R> {
    fn put(&mut self, task: usize, result: R, done: &mut impl FnMut(usize, R) -> Result<()>) -> Result<()> {
        self.waiting.insert(task, result);
        while let Some(result) = self.waiting.remove(&self.next) {
            done(self.next, result)?;
            self.next += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_arrive_in_task_order() {
        let mut seen = Vec::new();
        let work = |task: usize| {
            std::thread::sleep(std::time::Duration::from_micros(task as u64 * 37 % 5 * 100));
            Ok(task * 2)
        };
        in_order(40, &Cancel::default(), work, |task, result| {
            seen.push((task, result));
            Ok(())
        })
        .expect("it ends well");
        assert_eq!(seen, (0..40).map(|task| (task, task * 2)).collect::<Vec<_>>());
        in_order(0, &Cancel::default(), Ok, |_, _| Ok(())).expect("nothing to do");
    }

    #[test]
    fn error_or_cancellation_ends_the_run() {
        let failing = |task| if task == 5 { Err(Error::cancelled()) } else { Ok(()) };
        assert!(in_order(1_000, &Cancel::default(), failing, |_, ()| Ok(())).is_err());
        let cancel = Cancel::default();
        let stopped = in_order(1_000, &cancel, Ok, |task, _| {
            if task == 3 {
                cancel.set();
            }
            Ok(())
        });
        assert!(stopped.is_err());
    }
}
