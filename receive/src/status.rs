//! How what receives into a case does, for other processes that have the case open: a file that is replaced every second.
//! They only read the case meanwhile.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use indexer::{Cancel, Error, ErrorKind, files};
use serde::{Deserialize, Serialize};

use crate::counters::{Counters, SourceStatistics, Statistics};
use crate::limits::STATUS;
use crate::log::FOLDER;

const FILE: &str = "status.json";

/// What a process receives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub process: u32,
    pub sources: Vec<SourceStatus>,
    pub statistics: Statistics,
}

/// A source that runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceStatus {
    /// As in [`Running`](crate::Running).
    pub kind: String,
    pub address: String,
    /// What came from it, by the source of the case that it belongs to.
    pub streams: BTreeMap<String, SourceStatistics>,
}

impl Status {
    /// What the process receives that writes the case, if that is another one.
    #[must_use]
    pub fn of_other(case: &Path) -> Option<Status> {
        let process = indexer::other_writer(case)?;
        let status: Status = serde_json::from_slice(&files::read(&path(case)).ok()?).ok()?;
        // A process that was killed leaves its last.
        (status.process == process).then_some(status)
    }
}

fn path(case: &Path) -> PathBuf {
    case.join(FOLDER).join(FILE)
}

/// The sources that run in this process.
#[derive(Default)]
pub struct Sources(Mutex<Vec<Started>>);

struct Started {
    kind: &'static str,
    address: String,
    counters: Arc<Counters>,
    stop: Cancel,
}

impl Sources {
    pub fn add(&self, kind: &'static str, address: &str, counters: &Arc<Counters>, stop: &Cancel) {
        let (counters, stop) = (Arc::clone(counters), stop.clone());
        let mut started = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        started.push(Started { kind, address: address.to_owned(), counters, stop });
    }

    fn read(&self) -> Vec<SourceStatus> {
        let mut started = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        started.retain(|source| !source.stop.is_set());
        let status = |source: &Started| SourceStatus {
            kind: source.kind.to_owned(),
            address: source.address.clone(),
            streams: source.counters.read().sources,
        };
        started.iter().map(status).collect()
    }
}

/// Writes the status of a receiver until it is dropped.
pub struct Published {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Published {
    pub fn start(case: &Path, sources: Arc<Sources>, counters: Arc<Counters>) -> Result<Published, Error> {
        let (end, ended) = bounded::<()>(0);
        let file = path(case);
        let work = move || {
            loop {
                let statistics = Statistics { sources: BTreeMap::new(), ..counters.read() };
                let status = Status { process: std::process::id(), sources: sources.read(), statistics };
                // Others see less where the disk is full; nothing here depends on it.
                let _ = replace(&file, &status);
                if !matches!(ended.recv_timeout(STATUS), Err(RecvTimeoutError::Timeout)) {
                    let _ = files::remove(&file);
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("status".to_owned()).spawn(work).map_err(|error| {
            Error::new(ErrorKind::Internal, format!("no thread could be started: {error}"))
        })?;
        Ok(Published { end: Some(end), thread: Some(thread) })
    }
}

fn replace(file: &Path, status: &Status) -> io::Result<()> {
    let new = file.with_extension("new");
    files::replace(file, &new, &serde_json::to_vec(status)?)
}

impl Drop for Published {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // It only writes a file.
            let _ = thread.join();
        }
    }
}
