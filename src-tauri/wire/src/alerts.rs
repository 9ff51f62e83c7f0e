//! The inbox of alerts on the screen: parts of its list, decisions about alerts, and its export.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use detect::inbox::{
    AlertChoice, AlertFilter, Inbox, InboxFlags, InboxFormat, InboxPage, InboxRequest, write_alerts,
};
use indexer::export::replaced;
use indexer::triage::{CloseReason, Decision, TriageVerb};
use indexer::{Case, Nanos};
use serde::{Deserialize, Serialize};

use crate::calls::Answer;
use crate::notes::now_ns;
use crate::session::{Call, Session, locked};
use crate::types::{CasePath, Empty, ErrorCode, WireError};

/// Alerts on the timeline at most: more could not be distinguished.
const MOST_FLAGS: usize = 400;

/// The inboxes of open cases, by their folders.
#[derive(Debug, Default)]
struct Inboxes(Mutex<HashMap<PathBuf, Arc<Mutex<Inbox>>>>);

impl Session {
    /// The alerts of an open case and the decisions about them, empty at first.
    pub(crate) fn inbox(&self, case: &Case) -> Arc<Mutex<Inbox>> {
        let folder = case.folder().to_path_buf();
        let new = || Arc::new(Mutex::new(Inbox::new(folder.clone())));
        Arc::clone(locked(&self.part::<Inboxes>().0).entry(folder.clone()).or_insert_with(new))
    }

    /// Forgets that of a case that is closed.
    pub(crate) fn forget_inbox(&self, folder: &Path) {
        locked(&self.part::<Inboxes>().0).remove(folder);
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AlertsRequest {
    pub case: String,
    #[serde(flatten)]
    pub list: InboxRequest,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TriageRequest {
    pub case: String,
    /// A new name of the decision, to undo it by.
    pub id: String,
    pub alerts: AlertChoice,
    pub verb: TriageVerb,
    /// Of a close.
    pub reason: Option<CloseReason>,
    /// Of a mute.
    pub until: Option<Nanos>,
    /// A comment; empty for none.
    pub text: String,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TriagedCount {
    /// How many alerts were decided about.
    pub alerts: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UndoTriageRequest {
    pub case: String,
    pub id: String,
    /// False makes the decision again.
    pub undone: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ExportAlertsRequest {
    pub case: String,
    pub filter: AlertFilter,
    pub format: InboxFormat,
    /// A file of this machine, one that is there is replaced; null for the text itself.
    pub path: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ExportedAlerts {
    pub alerts: u64,
    /// Null where it was written to a file.
    pub text: Option<String>,
}

/// The inbox of a case with what was decided and sent up to now.
fn current(session: &Session, case: &Case, now: i64) -> Answer<Arc<Mutex<Inbox>>> {
    let inbox = session.inbox(case);
    locked(&inbox).refresh(case, now)?;
    Ok(inbox)
}

pub fn alerts(
    session: &Session,
    _: &Call<'_>,
    request: &AlertsRequest,
    _: &dyn Fn(Empty),
) -> Answer<InboxPage> {
    let case = session.case(Path::new(&request.case))?;
    let now = now_ns();
    let inbox = current(session, &case, now)?;
    let page = locked(&inbox).list(&request.list, now);
    Ok(page)
}

pub fn alert_flags(
    session: &Session,
    _: &Call<'_>,
    request: &CasePath,
    _: &dyn Fn(Empty),
) -> Answer<InboxFlags> {
    let case = session.case(Path::new(&request.path))?;
    let now = now_ns();
    let inbox = current(session, &case, now)?;
    let flags = locked(&inbox).flags(MOST_FLAGS, now);
    Ok(flags)
}

pub fn triage(
    session: &Session,
    _: &Call<'_>,
    request: &TriageRequest,
    _: &dyn Fn(Empty),
) -> Answer<TriagedCount> {
    let case = session.case(Path::new(&request.case))?;
    let now = now_ns();
    let inbox = current(session, &case, now)?;
    let chosen = locked(&inbox).chosen(&request.alerts, now)?;
    let decision = Decision {
        verb: request.verb,
        reason: request.reason,
        until: request.until.map(|until| until.0),
        text: request.text.clone(),
    };
    case.triage(&request.id, &decision, &chosen, now)?;
    Ok(TriagedCount { alerts: chosen.len() as u64 })
}

pub fn undo_triage(
    session: &Session,
    _: &Call<'_>,
    request: &UndoTriageRequest,
    _: &dyn Fn(Empty),
) -> Answer<Empty> {
    let case = session.case(Path::new(&request.case))?;
    case.undo_triage(&request.id, request.undone, now_ns())?;
    Ok(Empty {})
}

pub fn export_alerts(
    session: &Session,
    _: &Call<'_>,
    request: &ExportAlertsRequest,
    _: &dyn Fn(Empty),
) -> Answer<ExportedAlerts> {
    let path = request.path.as_deref().map(Path::new);
    if path.is_some_and(|path| !path.is_absolute()) {
        return Err(WireError::new(ErrorCode::BadRequest, "The file needs its whole path."));
    }
    let case = session.case(Path::new(&request.case))?;
    let now = now_ns();
    let inbox = current(session, &case, now)?;
    let found = locked(&inbox).all(&request.filter, now);
    let alerts = found.len() as u64;
    if let Some(path) = path {
        replaced(path, &mut |file| {
            write_alerts(&found, request.format, file).map_err(|error| indexer::Error::writing(path, &error))
        })?;
        return Ok(ExportedAlerts { alerts, text: None });
    }
    let mut bytes = Vec::new();
    write_alerts(&found, request.format, &mut bytes).map_err(|error| WireError::internal(&error))?;
    Ok(ExportedAlerts { alerts, text: Some(String::from_utf8_lossy(&bytes).into_owned()) })
}
