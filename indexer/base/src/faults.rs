//! Crashes and broken disks on request, for the tests of what must survive them.
//!
//! Every step that changes a case on disk passes [`at`] with the step's name. The variable `TIMBERLINE_FAULT`
//! says what happens there: `index.rename:2=abort` ends the process the second time that step is reached,
//! `=enospc` and `=eio` make it fail as a full or a broken disk would. `TIMBERLINE_FAULT_TRACE` names a file
//! that the names of all steps are appended to, so that a test can go through every one of them.
//!
//! It is compiled in always, because what is tested must be what is shipped: without the variables a step
//! costs one look at a value that is set once, and there are a few dozen steps a publication.

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number that Unix gives a disk without room, and one that fails.
const ENOSPC: i32 = 28;
const EIO: i32 = 5;

struct Fault {
    step: String,
    /// Passes of the step that are left until it happens.
    left: AtomicUsize,
    effect: Effect,
}

#[derive(Clone, Copy)]
enum Effect {
    Abort,
    Fail(i32),
}

#[derive(Default)]
struct Faults {
    fault: Option<Fault>,
    trace: Option<PathBuf>,
}

static FAULTS: OnceLock<Faults> = OnceLock::new();

/// A step that is about to change the case on disk.
pub fn at(step: &str) -> io::Result<()> {
    let faults = FAULTS.get_or_init(Faults::of_environment);
    if let Some(path) = &faults.trace {
        trace(path, step)?;
    }
    match &faults.fault {
        Some(fault) if fault.step == step => fault.pass(),
        _ => Ok(()),
    }
}

fn trace(path: &std::path::Path, step: &str) -> io::Result<()> {
    use io::Write;
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(format!("{step}\n").as_bytes())
}

impl Faults {
    fn of_environment() -> Faults {
        let fault = std::env::var("TIMBERLINE_FAULT").ok().and_then(|text| Fault::parse(&text));
        let trace = std::env::var_os("TIMBERLINE_FAULT_TRACE").map(PathBuf::from);
        Faults { fault, trace }
    }
}

impl Fault {
    /// `step:times=effect`; once where no number is given.
    fn parse(text: &str) -> Option<Fault> {
        let (place, effect) = text.split_once('=')?;
        let (step, times) = place.split_once(':').unwrap_or((place, "1"));
        let effect = match effect {
            "abort" => Effect::Abort,
            "enospc" => Effect::Fail(ENOSPC),
            "eio" => Effect::Fail(EIO),
            _ => return None,
        };
        Some(Fault { step: step.to_owned(), left: AtomicUsize::new(times.parse().ok()?), effect })
    }

    fn pass(&self) -> io::Result<()> {
        let is_last = |left: usize| left.checked_sub(1);
        let Ok(1) = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_last) else {
            return Ok(());
        };
        match self.effect {
            // Nothing is flushed and nothing is dropped, as when the process is killed.
            Effect::Abort => std::process::abort(),
            Effect::Fail(code) => Err(io::Error::from_raw_os_error(code)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_happens_exactly_at_its_step_and_count() {
        let fault = Fault::parse("index.rename:3=enospc").expect("it is well formed");
        assert!(fault.pass().is_ok() && fault.pass().is_ok());
        assert_eq!(fault.pass().map_err(|error| error.kind()), Err(io::ErrorKind::StorageFull));
        assert!(fault.pass().is_ok());
        assert!(Fault::parse("index.rename=melt").is_none() && Fault::parse("abort").is_none());
    }
}
