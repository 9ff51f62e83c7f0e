//! Indexing behind steps back when the machine is needed for something else.

use std::fs;
use std::time::Duration;

/// How low indexing stands among what runs: it gives way to everything a person works with.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// How long one pause is, and how many follow each other at most: even on a machine that is never free the
/// index gets done.
const PAUSE: Duration = Duration::from_millis(50);
const MOST_PAUSES: u32 = 20;

/// Gives the thread that calls it a low priority, where the system knows that of threads.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS);
    }
}

/// What the thread that calls it has taken of a core so far; nothing where the system does not tell.
pub fn thread_cpu() -> Duration {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        return Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32);
    }
    #[cfg(not(target_os = "linux"))]
    Duration::ZERO
}

/// Tells before each piece of work whether to wait.
pub struct Pace {
    cores: usize,
    /// Threads of this process that are meant to run.
    own: usize,
    /// Threads on the machine that run or wait for a core now.
    running: Box<dyn Fn() -> Option<usize> + Send>,
}

impl Pace {
    pub fn new(cores: usize, own: usize) -> Pace {
        Pace { cores, own, running: Box::new(running) }
    }

    /// Waits while others need the cores. Gives how long.
    pub fn give_way(&self, stopped: &dyn Fn() -> bool) -> Duration {
        let mut pauses = 0;
        while pauses < MOST_PAUSES && !stopped() && self.is_needed_elsewhere() {
            std::thread::sleep(PAUSE);
            pauses += 1;
        }
        PAUSE * pauses
    }

    /// Whether others alone would keep every core busy.
    fn is_needed_elsewhere(&self) -> bool {
        (self.running)().is_some_and(|running| running.saturating_sub(self.own) >= self.cores)
    }
}

/// The fourth field of `/proc/loadavg` is `running/all`.
fn running() -> Option<usize> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').nth(3)?.split('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gives_way_to_others_and_not_to_itself() {
        let pace = |running: usize| Pace { cores: 2, own: 2, running: Box::new(move || Some(running)) };
        assert_eq!(pace(3).give_way(&|| false), Duration::ZERO);
        assert_eq!(pace(4).give_way(&|| true), Duration::ZERO);
        assert!(pace(4).give_way(&|| false) >= PAUSE);
        let unknown = Pace { cores: 1, own: 1, running: Box::new(|| None) };
        assert_eq!(unknown.give_way(&|| false), Duration::ZERO);
    }
}
