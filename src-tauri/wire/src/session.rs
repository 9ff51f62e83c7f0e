//! What a host holds between calls: the open cases and the calls under way.

use std::any::Any;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use indexer::{Cancel, Case};
use serde::Serialize;

use crate::places::{named_together, not_available, not_together};
use crate::shown::ShownSnapshots;
use crate::types::{HostKind, WireError};

/// What a host knows when it starts.
#[derive(Clone, Debug)]
pub struct Start {
    pub version: String,
    pub host: HostKind,
    /// Timberline's own folder: new cases and the sample go there.
    pub home: PathBuf,
    /// Files, folders or a case named on the command line.
    pub paths: Vec<PathBuf>,
}

impl Start {
    #[must_use]
    pub fn desktop(home: PathBuf) -> Start {
        Start {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            host: HostKind::Desktop,
            home,
            paths: Vec::new(),
        }
    }

    #[must_use]
    pub fn browser(home: PathBuf) -> Start {
        Start { host: HostKind::Browser, ..Start::desktop(home) }
    }

    #[must_use]
    pub fn with_paths(mut self, paths: Vec<PathBuf>) -> Start {
        self.paths = paths;
        self
    }
}

/// Timberline's own folder: `TIMBERLINE_HOME`, or the place the system gives to programs' data.
#[must_use]
pub fn home() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let user = || set("HOME").or_else(|| set("USERPROFILE")).unwrap_or_else(std::env::temp_dir);
    set("TIMBERLINE_HOME").unwrap_or_else(|| {
        let data = if cfg!(target_os = "macos") {
            user().join("Library/Application Support")
        } else if cfg!(windows) {
            set("APPDATA").unwrap_or_else(user)
        } else {
            set("XDG_DATA_HOME").unwrap_or_else(|| user().join(".local/share"))
        };
        data.join("timberline")
    })
}

/// Shared by all windows of a host. Calls may come on any thread, and several at once.
pub struct Session {
    pub(crate) start: Start,
    cases: Mutex<HashMap<PathBuf, Arc<Case>>>,
    running: Mutex<HashMap<String, Running>>,
    shown: Mutex<ShownSnapshots>,
    parts: Parts,
}

/// The state of modules between calls: one value of each type, made when it is first needed. The modules name the session,
/// so the session cannot name their types.
#[derive(Default)]
struct Parts(OnceLock<Box<Part>>);

struct Part {
    value: Box<dyn Any + Send + Sync>,
    next: Parts,
}

impl Parts {
    fn part<T: Default + Send + Sync + 'static>(&self) -> &T {
        let new = || Box::new(Part { value: Box::new(T::default()), next: Parts::default() });
        let part = self.0.get_or_init(new);
        part.value.downcast_ref().unwrap_or_else(|| part.next.part())
    }
}

/// One command under way.
pub struct Call<'a> {
    pub(crate) cancel: Cancel,
    /// Nobody waits for the answer any longer, and what the call has begun continues.
    pub(crate) left: Cancel,
    progress: &'a (dyn Fn(serde_json::Value) + 'a),
}

impl<'a> Call<'a> {
    pub(crate) fn new(cancel: Cancel, progress: &'a (dyn Fn(serde_json::Value) + 'a)) -> Call<'a> {
        Call { cancel, left: Cancel::default(), progress }
    }

    pub(crate) fn report<T: Serialize>(&self, progress: &T) {
        // Progress that cannot be written is progress nobody sees; the reply still comes.
        if let Ok(value) = serde_json::to_value(progress) {
            (self.progress)(value);
        }
    }
}

/// How a command under way is ended.
struct Running {
    cancel: Cancel,
    left: Cancel,
    /// It is left and not cancelled where its page goes away.
    outlives: bool,
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    #[must_use]
    pub fn new(start: Start) -> Session {
        Session {
            start,
            cases: Mutex::default(),
            running: Mutex::default(),
            shown: Mutex::default(),
            parts: Parts::default(),
        }
    }

    /// The state of a module between calls.
    pub(crate) fn part<T: Default + Send + Sync + 'static>(&self) -> &T {
        self.parts.part()
    }

    /// Notes a call that is under way, so that it can be ended by its id.
    pub(crate) fn begin(&self, id: &str, call: &Call<'_>, outlives: bool) {
        let running = Running { cancel: call.cancel.clone(), left: call.left.clone(), outlives };
        locked(&self.running).insert(id.to_owned(), running);
    }

    /// The call is over, and its id is free again.
    pub(crate) fn end(&self, id: &str) {
        locked(&self.running).remove(id);
    }

    /// Answers about a case that the caller has opened with the same handle, and with the same caches.
    pub fn add_case(&self, case: &Arc<Case>) {
        let key = case.folder().canonicalize().unwrap_or_else(|_| case.folder().to_path_buf());
        locked(&self.cases).insert(key, Arc::clone(case));
    }

    /// Stops a call that is under way; one that has ended is left as it is.
    pub fn cancel(&self, id: &str) {
        if let Some(running) = locked(&self.running).get(id) {
            running.cancel.set();
        }
    }

    pub(crate) fn cancel_all(&self) {
        locked(&self.running).values().for_each(|running| running.cancel.set());
    }

    /// Nobody waits for a call any longer: it is stopped, unless it is an import, which belongs to its case.
    pub fn leave(&self, id: &str) {
        if let Some(running) = locked(&self.running).get(id) {
            if running.outlives { &running.left } else { &running.cancel }.set();
        }
    }

    /// What lists were answered from last.
    pub(crate) fn shown(&self) -> MutexGuard<'_, ShownSnapshots> {
        locked(&self.shown)
    }

    /// An open case, opened now if it is not.
    pub(crate) fn case(&self, folder: &Path) -> Result<Arc<Case>, WireError> {
        // What a cluster answers never comes here.
        if folder.to_str().is_some_and(|path| remote::Remotes::name_in(path).is_some()) {
            return Err(not_available());
        }
        if folder.to_str().is_some_and(|path| named_together(path).is_some()) {
            return Err(not_together());
        }
        let key = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        if let Some(case) = locked(&self.cases).get(&key) {
            return Ok(Arc::clone(case));
        }
        let case = Arc::new(Case::open(&key)?);
        Ok(Arc::clone(locked(&self.cases).entry(key).or_insert(case)))
    }

    /// Forgets an open case, because it is gone.
    pub(crate) fn forget(&self, folder: &Path) {
        locked(&self.cases).retain(|key, _| key != folder && key.exists());
        *self.shown() = ShownSnapshots::default();
    }

    pub(crate) fn cases_folder(&self) -> PathBuf {
        self.start.home.join("cases")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_one_part_that_is_kept() {
        let session = Session::new(Start::browser(PathBuf::new()));
        locked(session.part::<Mutex<Vec<u8>>>()).push(1);
        locked(session.part::<Mutex<String>>()).push('a');
        locked(session.part::<Mutex<Vec<u8>>>()).push(2);
        assert_eq!(*locked(session.part::<Mutex<Vec<u8>>>()), [1, 2]);
        assert_eq!(*locked(session.part::<Mutex<String>>()), "a");
    }
}
