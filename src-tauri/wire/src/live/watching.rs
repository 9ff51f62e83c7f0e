//! The detectors of a case while it receives: what they sent, for whoever looks at the case.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use detect::live::{Deliveries, Message, WatchOptions, Watcher, WatcherEvent};
use detect::{Problem, filters_of};
use indexer::{Case, Error, ErrorKind};
use serde::Serialize;

use super::watched_sets::{self, WatchedSets};
use crate::calls::Answer;
use crate::detectors::own_texts;
use crate::notes::now_ns;
use crate::session::{Call, Session, locked};
use crate::trust::is_trusted;
use crate::types::{CasePath, Empty, WireError};

/// Messages and problems that are kept for the screen, the newest.
const KEPT: usize = 200;

/// How often it is looked whether the case has other detectors.
const LOOK: Duration = Duration::from_secs(2);

/// What detectors sent since the case began to receive.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveAlerts {
    /// How many detectors of the case are evaluated.
    pub detectors: u32,
    /// The newest last.
    pub alerts: Vec<LiveAlert>,
    /// Detectors that cannot run, the newest last.
    pub problems: Vec<Problem>,
    /// Why none is evaluated at the moment.
    pub trouble: Option<WireError>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveAlert {
    /// Grows by one with each message.
    pub number: u32,
    /// Whether a person does not want to be notified: the alert or its detector is muted, or it was dealt with.
    pub quiet: bool,
    #[serde(flatten)]
    pub message: Message,
}

/// What the watcher's thread tells.
#[derive(Default)]
struct Heard {
    next: u32,
    alerts: Vec<LiveAlert>,
    /// Those that nobody has asked for yet, and where that is noted.
    unseen: Vec<(Message, Deliveries)>,
    problems: Vec<Problem>,
    trouble: Option<Error>,
}

/// The detectors of a case that are evaluated, while it receives.
pub(crate) struct Watching {
    home: PathBuf,
    watched: Mutex<Watched>,
    heard: Arc<Mutex<Heard>>,
}

#[derive(Default)]
struct Watched {
    is_receiving: bool,
    watcher: Option<Watcher>,
    texts: Vec<(String, String)>,
    filters: Vec<(String, String)>,
    sets: WatchedSets,
    detectors: usize,
    looked: Option<Instant>,
}

impl Watching {
    /// `home` is Timberline's own folder.
    pub fn new(home: &Path) -> Watching {
        Watching { home: home.to_path_buf(), watched: Mutex::default(), heard: Arc::default() }
    }

    /// The case begins to receive.
    pub fn start(&self, case: &Arc<Case>) {
        locked(&self.watched).is_receiving = true;
        self.look(case);
    }

    /// The case has more.
    pub fn published(&self) {
        if let Some(watcher) = &locked(&self.watched).watcher {
            watcher.published();
        }
    }

    /// The case receives no more: what was published is evaluated still.
    pub fn stop(&self) {
        let mut watched = locked(&self.watched);
        (watched.is_receiving, watched.looked) = (false, None);
        watched.end();
    }

    /// What is evaluated was changed.
    pub fn look_again(&self, case: &Arc<Case>) {
        locked(&self.watched).looked = None;
        self.look(case);
    }

    /// Takes the detectors that the case has now.
    fn look(&self, case: &Arc<Case>) {
        let mut watched = locked(&self.watched);
        let is_due = watched.looked.is_none_or(|looked| looked.elapsed() >= LOOK);
        if !watched.is_receiving || !is_due {
            return;
        }
        watched.looked = Some(Instant::now());
        // Where notes cannot be read at the moment, what runs goes on.
        let (Ok(texts), Ok(filters)) = (own_texts(case), filters_of(case)) else { return };
        // The files with rules were named by whoever set up the case.
        let is_trusted = is_trusted(&self.home, case);
        let sets = if is_trusted { watched_sets::read(case.folder()) } else { WatchedSets::default() };
        let is_same = texts == watched.texts && filters == watched.filters && sets == watched.sets;
        let is_none = texts.is_empty() && sets == WatchedSets::default();
        if is_same && (watched.watcher.is_some() || is_none) {
            return;
        }
        watched.end();
        let detectors = watched_sets::detectors(&texts, &filters, &sets);
        locked(&self.heard).problems = detectors.problems().to_vec();
        watched.detectors = detectors.len();
        (watched.texts, watched.filters, watched.sets) = (texts, filters, sets);
        if detectors.is_empty() {
            return;
        }
        let heard = Arc::clone(&self.heard);
        let tell = move |event, deliveries: &Deliveries| hear(&mut locked(&heard), event, deliveries);
        match Watcher::start(Arc::clone(case), detectors, WatchOptions::default(), tell) {
            Ok(started) => watched.watcher = Some(started),
            Err(error) => locked(&self.heard).trouble = Some(error),
        }
    }

    /// What was sent. Alerts that are given here were seen.
    fn alerts(&self, case: &Arc<Case>) -> LiveAlerts {
        self.look(case);
        let detectors = locked(&self.watched).detectors as u32;
        let mut heard = locked(&self.heard);
        for (message, deliveries) in std::mem::take(&mut heard.unseen) {
            deliveries.acknowledge(message);
        }
        LiveAlerts {
            detectors,
            alerts: heard.alerts.clone(),
            problems: heard.problems.clone(),
            trouble: heard.trouble.as_ref().map(WireError::from),
        }
    }
}

impl Watched {
    fn end(&mut self) {
        if let Some(watcher) = self.watcher.take() {
            watcher.finish_now();
        }
        (self.texts, self.sets, self.detectors) = (Vec::new(), WatchedSets::default(), 0);
    }
}

fn hear(heard: &mut Heard, event: WatcherEvent, deliveries: &Deliveries) {
    match event {
        WatcherEvent::Message(message) => {
            heard.trouble = None;
            heard.next += 1;
            let number = heard.next;
            // One that was not seen before the detectors changed is sent again.
            let is_known =
                heard.unseen.iter().any(|(known, _)| known.id == message.id && known.state == message.state);
            heard.unseen.push((message.clone(), deliveries.clone()));
            if !is_known {
                heard.alerts.push(LiveAlert { number, quiet: false, message });
            }
            let surplus = heard.alerts.len().saturating_sub(KEPT);
            heard.alerts.drain(..surplus);
        }
        WatcherEvent::Problem(problem) => {
            heard.problems.push(problem);
            let surplus = heard.problems.len().saturating_sub(KEPT);
            heard.problems.drain(..surplus);
        }
        WatcherEvent::Failing(error) if error.kind() == ErrorKind::Cancelled => {}
        WatcherEvent::Failing(error) => heard.trouble = Some(error),
    }
}

pub fn live_alerts(
    session: &Session,
    _: &Call<'_>,
    request: &CasePath,
    _: &dyn Fn(Empty),
) -> Answer<LiveAlerts> {
    let receiving = session.receiving(Path::new(&request.path))?;
    let (watching, case) = locked(&receiving).watched();
    let mut sent = watching.alerts(&case);
    let (inbox, now) = (session.inbox(&case), now_ns());
    let mut inbox = locked(&inbox);
    inbox.refresh(&case, now)?;
    for alert in &mut sent.alerts {
        alert.quiet = inbox.is_quiet(&alert.message.alert, now);
    }
    Ok(sent)
}
