//! A case has one writer process: the holder of the lock on `case.lock`. Readers never take it.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use base::error::{AtPath, Error, ErrorKind, Result, from_io};
use base::files;

/// A released lock can stay held for a moment by a child process that was just starting: it shares every open
/// file until it becomes another program.
const PATIENCE: Duration = Duration::from_millis(500);

/// The right to write a case, released on drop. The operating system also releases it when the process dies,
/// so there are no stale locks.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    pub fn acquire(case: &Path) -> Result<Lock> {
        let path = case.join("case.lock");
        let mut file = files::change_or_create(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                Error::new(ErrorKind::ReadOnly, "this case may only be read: its folder is read-only")
                    .at(case)
                    .hint("copy the case to a folder you may write to")
            }
            _ => from_io(&error).at(&path),
        })?;
        let own = owner();
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if is_own(&mut file, &own) && began.elapsed() < PATIENCE => {
                    std::thread::sleep(PATIENCE / 50);
                }
                Err(TryLockError::WouldBlock) => return Err(locked(case, &mut file)),
                Err(TryLockError::Error(error)) => return Err(error).at_path(&path),
            }
        }
        let owner = own;
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(owner.as_bytes()))
            .at_path(&path)?;
        Ok(Lock { _file: file })
    }
}

fn owner() -> String {
    format!("process {}\n", std::process::id())
}

fn is_own(file: &mut File, own: &str) -> bool {
    let mut text = String::new();
    file.rewind().and_then(|()| file.read_to_string(&mut text)).is_ok() && text == own
}

fn locked(case: &Path, file: &mut File) -> Error {
    let owner = owner_in(file);
    let owner = if owner.trim().is_empty() { "another process" } else { owner.trim() };
    Error::new(ErrorKind::CaseLocked, format!("this case is being written by another Timberline ({owner})"))
        .at(case)
        .hint("it can be read here meanwhile; import into it when the other one has finished")
}

fn owner_in(file: &mut File) -> String {
    let mut owner = String::new();
    let _ = file.rewind().and_then(|()| file.read_to_string(&mut owner));
    owner
}

/// The number of the process that writes the case at this moment, if that is another one.
#[must_use]
pub fn other_writer(case: &Path) -> Option<u32> {
    let mut file = files::open(&case.join("case.lock")).ok()?;
    if !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return None;
    }
    let process = owner_in(&mut file).trim().strip_prefix("process ")?.parse().ok()?;
    (process != std::process::id()).then_some(process)
}

/// True if a process writes the case at this moment.
#[must_use]
pub fn is_locked(case: &Path) -> Option<Error> {
    let mut file = files::open(&case.join("case.lock")).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(locked(case, &mut file)),
        _ => None,
    }
}
