//! Clusters in the workbench: the list that a person keeps, and each of them opened like a case that is only read.
//!
//! A remote case is called `remote:NAME` where a case has its folder. [`remote_answer`] answers the calls that a cluster
//! can answer, with the same requests and replies; all others come to `Session::case`, which says that they are not
//! available. What the cluster says of an answer, such as what it lacks, goes with the reply ([`RemoteSays`]).

mod answers;
mod listed;
mod opened;
mod push;
mod rows;
mod trails;

use std::path::Path;

use remote::{Remotes, SampleCase};
use serde::Serialize;

use crate::contract::Command;
use crate::session::{Call, Session};
use crate::types::{ErrorCode, View, WireError};

pub(crate) use self::answers::known_fields as opened_fields;
pub use self::listed::{
    AddRemoteRequest, RemoteCheck, RemoteList, RemoteName, SwitchRemoteRequest, add_remote, check_remote,
    remotes, remove_remote, switch_remote,
};
pub(crate) use self::opened::{OpenRemotes, RemoteCase, opened};
pub use self::push::{
    PlanPushRequest, PushPlan, PushReport, PushRequest, WriteBulkRequest, plan_push, push, write_bulk,
};
pub(crate) use self::rows::{detail_of as opened_detail, row as opened_row};
pub(crate) use self::trails::follow as opened_trails;

/// What the window shows of a case that is a cluster.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RemoteCaseMark {
    pub name: String,
    pub url: String,
    /// The pattern of its indexes.
    pub index: String,
    /// Which server it is, with its release.
    pub server: String,
}

/// What keeps the answer of a cluster from being exact and complete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RemoteSays {
    /// What the answer lacks: shards that failed, a time limit.
    pub missing: Vec<String>,
    /// Clauses that the cluster answers a little differently, and why.
    pub inexact: Vec<String>,
    /// What is estimated, and what else people should know.
    pub notes: Vec<String>,
}

impl RemoteSays {
    /// What another cluster says too, with its name.
    pub(crate) fn add(&mut self, name: &str, more: RemoteSays) {
        let named = |what: String| format!("{name}: {what}");
        self.missing.extend(more.missing.into_iter().map(named));
        self.inexact.extend(more.inexact.into_iter().map(named));
        self.notes.extend(more.notes.into_iter().map(named));
    }

    pub(crate) fn from_answer<T>(answer: &remote::Answer<T>) -> Option<RemoteSays> {
        let says = RemoteSays {
            missing: answer.missing.0.clone(),
            inexact: answer.inexact.iter().map(|one| format!("{}: {}", one.clause, one.reason)).collect(),
            notes: answer.notes.clone(),
        };
        (says != RemoteSays::default()).then_some(says)
    }
}

/// A call that only a case can answer.
pub(crate) fn not_available() -> WireError {
    WireError {
        hint: Some(
            "A cluster answers a part of the questions. Import the events to ask all of them.".to_owned(),
        ),
        ..WireError::new(ErrorCode::NotAvailable, "This is not available for a cluster.")
    }
}

/// `remote:prod`, where a path of the command line names no file. Hosts make whole paths of what they are given.
pub(crate) fn remote_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    (Remotes::name_in(name).is_some() && !path.exists()).then(|| name.to_owned())
}

/// A case of a random sample of a view's events.
pub(crate) fn sample_of_remote(
    session: &Session,
    call: &Call<'_>,
    name: &str,
    view: &View,
) -> Result<SampleCase, WireError> {
    let name = Remotes::name_in(name).unwrap_or(name);
    let case = opened::opened(session, call, name, false)?;
    Ok(case.cluster(call).sample_case(&answers::asked(view)?)?)
}

/// Answers a call for a remote case; nothing where it is about a case, or about none.
pub(crate) fn remote_answer(
    session: &Session,
    call: &Call<'_>,
    command: &Command,
) -> Option<Result<serde_json::Value, WireError>> {
    let path = match command {
        Command::OpenCase(request)
        | Command::ForgetCase(request)
        | Command::Fields(request)
        | Command::Live(request)
        | Command::StopLive(request) => &request.path,
        Command::Check(request) => &request.case,
        Command::Complete(request) => &request.case,
        Command::UnknownWords(request) => &request.case,
        Command::Stretch(request) => &request.case,
        Command::Notes(request) => &request.case,
        Command::Event(request) => &request.case,
        Command::Events(request) => &request.case,
        Command::Context(request) => &request.case,
        Command::Timeline(request) => &request.view.case,
        Command::Page(request) => &request.view.case,
        Command::SortedPage(request) => &request.view.case,
        Command::Locate(request) => &request.view.case,
        Command::Seek(request) => &request.view.case,
        Command::Aggregate(request) => &request.view.case,
        Command::Facets(request) => &request.view.case,
        Command::Run(request) => &request.view.case,
        Command::Patterns(request) => &request.view.case,
        Command::Follow(request) => &request.case,
        Command::Linked(request) => &request.case,
        _ => return None,
    };
    let name = Remotes::name_in(path)?;
    Some(answers::answer(session, call, name, command))
}
