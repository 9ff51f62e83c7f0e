//! What a host holds between calls: the open cases and the calls under way.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use detect::inbox::Inbox;
use indexer::{Cancel, Case};
use serde::Serialize;

use crate::alerts::Inboxes;
use crate::both::{OpenTogether, named_together, not_together};
use crate::calls::text;
use crate::contract::{Command, answer};
use crate::detectors::KeptHistories;
use crate::live::{Receiving, Writing};
use crate::remotes::{OpenRemotes, not_available};
use crate::shown::ShownSnapshots;
use crate::sigma::LastRules;
use crate::tables::KeptTable;
use crate::types::{HostKind, WireError};
use crate::works::{Works, outlives};

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
    /// What goes on whether or not a page waits for it.
    pub(crate) works: Works,
    table: Mutex<Option<KeptTable>>,
    histories: Mutex<KeptHistories>,
    inboxes: Mutex<Inboxes>,
    pub(crate) last_rules: LastRules,
    shown: Mutex<ShownSnapshots>,
    /// Cases that were opened since the start.
    seen: Mutex<HashSet<String>>,
    /// The case that was made for what the host was started with.
    made: Mutex<Option<String>>,
    /// What receives into open cases.
    live: Mutex<HashMap<PathBuf, Arc<Mutex<Receiving>>>>,
    /// The clusters that are open like cases.
    pub(crate) remotes: OpenRemotes,
    /// What is kept of cases that are shown with clusters.
    pub(crate) together: OpenTogether,
}

/// One command under way.
pub struct Call<'a> {
    pub(crate) cancel: Cancel,
    /// Nobody waits for the answer any longer, and what the call has begun continues.
    pub(crate) left: Cancel,
    progress: &'a (dyn Fn(serde_json::Value) + 'a),
}

impl Call<'_> {
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

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    #[must_use]
    pub fn new(start: Start) -> Session {
        Session {
            start,
            cases: Mutex::default(),
            running: Mutex::default(),
            works: Works::default(),
            table: Mutex::default(),
            histories: Mutex::default(),
            inboxes: Mutex::default(),
            last_rules: LastRules::default(),
            shown: Mutex::default(),
            seen: Mutex::default(),
            made: Mutex::default(),
            live: Mutex::default(),
            remotes: OpenRemotes::default(),
            together: OpenTogether::default(),
        }
    }

    /// The case that was made for the files that the host was started with, while it is there.
    pub(crate) fn made(&self) -> Option<String> {
        locked(&self.made).clone().filter(|path| Path::new(path).exists())
    }

    /// Notes a new case, if it is for the files that the host was started with.
    pub(crate) fn made_for(&self, paths: &[String], case: &str) {
        if !paths.is_empty() && self.start.paths.iter().map(|path| text(path)).eq(paths.iter().cloned()) {
            *locked(&self.made) = Some(case.to_owned());
        }
    }

    /// Answers a command. Blocks until the reply is complete; progress comes through the callback on this
    /// thread. The id names the call for `cancel` and is free again when this returns.
    pub fn dispatch(
        &self,
        id: &str,
        command: Command,
        progress: impl Fn(serde_json::Value),
    ) -> Result<serde_json::Value, WireError> {
        let call = Call { cancel: Cancel::default(), left: Cancel::default(), progress: &progress };
        let running =
            Running { cancel: call.cancel.clone(), left: call.left.clone(), outlives: outlives(&command) };
        locked(&self.running).insert(id.to_owned(), running);
        let answer = answer(self, &call, command);
        locked(&self.running).remove(id);
        answer
    }

    /// Answers a command for a caller that stops it in its own way, and shows no progress.
    pub fn ask(&self, command: Command, cancel: &Cancel) -> Result<serde_json::Value, WireError> {
        let call = Call { cancel: cancel.clone(), left: Cancel::default(), progress: &|_| {} };
        answer(self, &call, command)
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

    /// Nobody waits for a call any longer: it is stopped, unless it is an import, which belongs to its case.
    pub fn leave(&self, id: &str) {
        if let Some(running) = locked(&self.running).get(id) {
            if running.outlives { &running.left } else { &running.cancel }.set();
        }
    }

    /// The last result that is kept.
    pub(crate) fn kept_table(&self) -> MutexGuard<'_, Option<KeptTable>> {
        locked(&self.table)
    }

    /// What lists were answered from last.
    pub(crate) fn shown(&self) -> MutexGuard<'_, ShownSnapshots> {
        locked(&self.shown)
    }

    /// What the last back-tests have read.
    pub(crate) fn kept_histories(&self) -> MutexGuard<'_, KeptHistories> {
        locked(&self.histories)
    }

    /// The alerts of an open case and the decisions about them.
    pub(crate) fn inbox(&self, case: &Case) -> Arc<Mutex<Inbox>> {
        locked(&self.inboxes).of_case(case)
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

    /// An open case, for a call that writes it. What is received meanwhile becomes events afterwards.
    pub(crate) fn writing(&self, folder: &Path) -> Result<Writing, WireError> {
        let case = self.case(folder)?;
        let receiving = locked(&self.live).get(case.folder()).map(Arc::clone);
        Ok(Writing::begin(case, receiving))
    }

    /// The live sources of an open case.
    pub(crate) fn receiving(&self, folder: &Path) -> Result<Arc<Mutex<Receiving>>, WireError> {
        let case = self.case(folder)?;
        let mut live = locked(&self.live);
        if let Some(receiving) = live.get(case.folder()) {
            return Ok(Arc::clone(receiving));
        }
        let key = case.folder().to_path_buf();
        Ok(Arc::clone(
            live.entry(key).or_insert(Arc::new(Mutex::new(Receiving::new(case, &self.start.home)))),
        ))
    }

    /// Receives into a case no longer.
    pub(crate) fn stop_receiving(&self, case: &Case) -> Result<(), WireError> {
        let receiving = locked(&self.live).remove(case.folder());
        receiving.map_or(Ok(()), |receiving| locked(&receiving).stop())
    }

    /// Ends what runs in the background, before the program ends: running calls are cancelled, and everything that
    /// was received becomes events. What cannot become events now is in the case's log, and does at the next start.
    pub fn finish(&self) {
        locked(&self.running).values().for_each(|running| running.cancel.set());
        self.stop_works();
        let live: Vec<_> = locked(&self.live).drain().map(|(_, receiving)| receiving).collect();
        for receiving in live {
            let _ = locked(&receiving).finish();
        }
        self.remotes.close();
    }

    /// Forgets an open case, because it is gone.
    pub(crate) fn close(&self, folder: &Path) {
        locked(&self.cases).retain(|key, _| key != folder && key.exists());
        *self.kept_table() = None;
        *self.kept_histories() = KeptHistories::default();
        locked(&self.inboxes).forget(folder);
        *self.shown() = ShownSnapshots::default();
    }

    /// Whether a case is opened for the first time since the start.
    pub(crate) fn is_first_sight(&self, path: &str) -> bool {
        locked(&self.seen).insert(path.to_owned())
    }

    pub(crate) fn cases_folder(&self) -> PathBuf {
        self.start.home.join("cases")
    }
}
