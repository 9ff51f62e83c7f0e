//! Work that belongs to a case and not to the page that began it: an import, pasted text, sources that are read again.
//! A page that is reloaded or closed leaves it, and another attends it. Only a person's stop, or the end of the host,
//! ends it early.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use indexer::{Cancel, FileProgress};
use serde::Serialize;

use crate::calls::{Answer, import_progress, import_report};
use crate::live::Writing;
use crate::recent::note;
use crate::session::{Call, Session, locked};
use crate::types::{CasePath, ErrorCode, ImportProgress, ImportReport, WireError};

/// How often somebody who attends work looks whether to leave it.
const LOOK: Duration = Duration::from_millis(50);

/// The state of a case, for a page that shows it: small enough to be asked for every second.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CasePulse {
    pub revision: u64,
    /// Another program writes the case.
    pub read_only: bool,
    /// An import is under way, and can be attended.
    pub is_importing: bool,
}

/// Work under way, for everyone who attends it.
pub(crate) struct Work {
    cancel: Cancel,
    state: Mutex<WorkState>,
    changed: Condvar,
}

#[derive(Default)]
struct WorkState {
    /// Counts reports.
    reports: u64,
    latest: Option<ImportProgress>,
    /// Every file by its place, with the report that it last changed in.
    files: Vec<Option<(u64, FileProgress)>>,
    answer: Option<Answer<ImportReport>>,
}

/// Reports how an import goes.
pub(crate) type Tell<'a> = &'a dyn Fn(indexer::Progress);

/// The work on each case, in the order in which it is done.
type Works = Arc<Mutex<HashMap<PathBuf, Vec<Arc<Work>>>>>;

impl Work {
    fn tell(&self, mut progress: ImportProgress) {
        let mut state = locked(&self.state);
        state.reports += 1;
        let report = state.reports;
        for file in std::mem::take(&mut progress.progress.changed) {
            if state.files.len() <= file.index {
                state.files.resize(file.index + 1, None);
            }
            let index = file.index;
            state.files[index] = Some((report, file));
        }
        state.latest = Some(progress);
        self.changed.notify_all();
    }

    /// Reports how it goes until it ends, or until the caller leaves. The first report has all files.
    fn attend(&self, call: &Call<'_>, report: &dyn Fn(ImportProgress)) -> Answer<ImportReport> {
        let mut seen = 0;
        loop {
            if call.cancel.is_set() {
                self.cancel.set();
            }
            let mut state = locked(&self.state);
            if state.reports == seen && state.answer.is_none() {
                let waited = self.changed.wait_timeout(state, LOOK);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            let news = (state.reports > seen).then(|| state.since(seen)).flatten();
            seen = state.reports;
            let answer = state.answer.clone();
            drop(state);
            if let Some(news) = news {
                report(news);
            }
            if let Some(answer) = answer {
                return answer;
            }
            if call.left.is_set() {
                return Err(WireError::from(indexer::Error::cancelled()));
            }
        }
    }
}

impl WorkState {
    fn since(&self, seen: u64) -> Option<ImportProgress> {
        let mut news = self.latest.clone()?;
        let changed = self.files.iter().flatten().filter(|(report, _)| *report > seen);
        news.progress.changed = changed.map(|(_, file)| file.clone()).collect();
        Some(news)
    }
}

/// Takes work off the list when it ends, even by a panic, and wakes the next.
struct Ending {
    works: Works,
    case: PathBuf,
    work: Arc<Work>,
    answer: Option<Answer<ImportReport>>,
}

impl Ending {
    /// Waits until all earlier work on the case has ended.
    fn turn(&self) -> &Work {
        let before = || {
            let works = locked(&self.works);
            let first = works.get(&self.case).and_then(|works| works.first()).cloned();
            first.filter(|first| !Arc::ptr_eq(first, &self.work))
        };
        while let Some(before) = before() {
            let state = locked(&before.state);
            let waited = before.changed.wait_timeout_while(state, LOOK, |state| state.answer.is_none());
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
        &self.work
    }

    fn end(mut self, answer: Answer<ImportReport>) {
        self.answer = Some(answer);
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if let Some(works) = locked(&self.works).get_mut(&self.case) {
            works.retain(|work| !Arc::ptr_eq(work, &self.work));
        }
        let message =
            "The import ended because of an error in Timberline. All that it had committed is kept.";
        let answer = self.answer.take();
        locked(&self.work.state).answer =
            Some(answer.unwrap_or_else(|| Err(WireError::new(ErrorCode::Internal, message))));
        self.work.changed.notify_all();
    }
}

impl Session {
    /// Does work on a case on a thread of its own, and attends it. `ended` hears how it ended.
    pub(crate) fn work(
        &self,
        call: &Call<'_>,
        case: Writing,
        report: &dyn Fn(ImportProgress),
        run: impl FnOnce(&Writing, Tell<'_>, &Cancel) -> indexer::Result<indexer::ImportReport> + Send + 'static,
        ended: impl FnOnce(&Answer<ImportReport>) + Send + 'static,
    ) -> Answer<ImportReport> {
        let work =
            Arc::new(Work { cancel: Cancel::default(), state: Mutex::default(), changed: Condvar::new() });
        let folder = case.folder().to_path_buf();
        locked(self.part::<Works>()).entry(folder.clone()).or_default().push(Arc::clone(&work));
        let works = Arc::clone(self.part::<Works>());
        let ending = Ending { works, case: folder, work: Arc::clone(&work), answer: None };
        let home = self.start.home.clone();
        let running = move || {
            let work = ending.turn();
            let tell = |progress| work.tell(import_progress(progress));
            let answer = run(&case, &tell, &work.cancel)
                .map(|done| import_report(&case, &done))
                .map_err(WireError::from);
            if let Ok(report) = &answer {
                note(&home, &report.case);
            }
            ended(&answer);
            drop(case);
            ending.end(answer);
        };
        let thread = std::thread::Builder::new().name("import".to_owned());
        thread.spawn(running).map_err(|error| WireError::internal(&error))?;
        work.attend(call, report)
    }

    pub(crate) fn work_on(&self, folder: &Path) -> Option<Arc<Work>> {
        locked(self.part::<Works>()).get(folder).and_then(|works| works.first()).cloned()
    }

    /// Stops all work, because the host ends. What had landed is kept.
    pub(crate) fn stop_works(&self) {
        locked(self.part::<Works>()).values().flatten().for_each(|work| work.cancel.set());
    }
}

/// Reports an import that is under way in a case until it ends; nothing if there is none.
pub fn attend(
    session: &Session,
    call: &Call<'_>,
    request: &CasePath,
    report: &dyn Fn(ImportProgress),
) -> Answer<Option<ImportReport>> {
    let case = session.case(Path::new(&request.path))?;
    session.work_on(case.folder()).map(|work| work.attend(call, report)).transpose()
}

pub fn pulse(
    session: &Session,
    _: &Call<'_>,
    request: &CasePath,
    _: &dyn Fn(crate::types::Empty),
) -> Answer<CasePulse> {
    let case = session.case(Path::new(&request.path))?;
    Ok(CasePulse {
        revision: case.snapshot().revision(),
        read_only: case.read_only().is_some(),
        is_importing: session.work_on(case.folder()).is_some(),
    })
}
