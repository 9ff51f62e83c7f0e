//! What the system does for a thread: how urgent it is, and what it has taken.

use std::time::Duration;

/// How urgent work is that gives way to questions: it has the whole machine when nothing else wants it.
#[derive(Clone, Copy)]
pub enum Urgency {
    /// A person waits for it, beside other programs too.
    Landing,
    /// Nobody waits for it.
    Indexing,
}

/// Gives the thread that calls it, and those that it starts from then on, a lower priority, where the system knows
/// that of threads. Where it refuses, the work is done all the same.
pub fn lower_priority(to: Urgency) {
    #[cfg(target_os = "linux")]
    {
        let niceness = match to {
            Urgency::Landing => 5,
            Urgency::Indexing => 10,
        };
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), niceness);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = to;
}

/// What the thread that calls it has taken of a core so far; nothing where the system does not tell.
pub fn thread_cpu() -> Duration {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
    }
    #[cfg(not(target_os = "linux"))]
    Duration::ZERO
}
