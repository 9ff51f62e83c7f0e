//! What the system does for a thread: how urgent it is, and what it has taken.

use std::time::Duration;

/// The low priority of indexing: it gives way to everything a person works with, questions to the case
/// included, and has the whole machine when nothing else wants it.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Gives the thread that calls it a low priority, where the system knows that of threads. Where it refuses, the
/// work is done all the same.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS);
    }
}

/// The CPU time of the calling thread; `None` if the system does not report it.
pub fn thread_cpu() -> Duration {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
    }
    #[cfg(not(target_os = "linux"))]
    Duration::ZERO
}
