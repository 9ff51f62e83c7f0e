//! Clusters in the workbench: the list that a person keeps, and each of them opened like a case that is only read.
//!
//! A remote case is called `remote:NAME` where a case has its folder. `remote_answer` answers the calls that a cluster
//! can answer, with the same requests and replies; all others come to `Session::case`, which says that they are not
//! available. What the cluster says of an answer, such as what it lacks, goes with the reply (`RemoteSays`).

mod listed;
mod opened;
mod push;
pub(crate) mod rows;
pub(crate) mod trails;

use std::path::Path;

use remote::{Asked, Remotes, SampleCase};

use crate::calls::Answer;
use crate::session::{Call, Session};
use crate::types::View;

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

/// `remote:prod`, where a path of the command line names no file. Hosts make whole paths of what they are given.
pub(crate) fn remote_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    (Remotes::name_in(name).is_some() && !path.exists()).then(|| name.to_owned())
}

/// The filter of a view, for the cluster.
pub(crate) fn asked(view: &View) -> Answer<Asked> {
    let (from, to) = (view.from.map(|time| time.0), view.to.map(|time| time.0));
    let parsed = indexer::View::parse(&view.query, from, to)?;
    let zone = view.zone.clone().unwrap_or_else(|| "UTC".to_owned());
    Ok(Asked { filter: parsed.filter, from, to, zone })
}

/// A case of a random sample of a view's events.
pub(crate) fn sample_of_remote(
    session: &Session,
    call: &Call<'_>,
    name: &str,
    view: &View,
) -> Answer<SampleCase> {
    let name = Remotes::name_in(name).unwrap_or(name);
    let case = opened::opened(session, call, name, false)?;
    Ok(case.cluster(call).sample_case(&asked(view)?)?)
}
