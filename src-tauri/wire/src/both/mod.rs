//! A case and clusters in one workbench: the calls of the contract, answered by all of them together.
//!
//! Such a case is called `with:NAME,NAME:FOLDER` where another has its folder. Merging is `remote::Both`; here are the names by
//! which a screen knows events and sources of several places, and what a failing cluster leaves missing. What only one place can
//! answer is refused, never answered by one of them alone.

mod answers;
mod rows;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use indexer::{Case, EventId, Snapshot};
use remote::{Both, Lane, Splits};

use crate::calls::Answer;
use crate::contract::Command;
use crate::places::{named_together, not_together};
use crate::remotes::{RemoteCase, opened};
use crate::session::{Call, Session, locked};
use crate::types::{ErrorCode, RemoteSays, Source, WireError};

/// Sources of a cluster are numbered from a multiple of this on, those of the case from 0.
const LANE_BITS: u32 = 24;

/// Clusters that one case is shown with; their numbers leave room for those of sources.
const MOST_LANES: usize = 32;

/// Merged lists whose pages are known.
const LISTS: usize = 8;

/// What is kept of cases that are shown with clusters.
#[derive(Debug, Default)]
struct OpenTogether {
    lists: Mutex<Vec<(String, Arc<Mutex<Splits>>)>>,
    /// Clusters that did not answer, and why; they are asked again when the case is opened again.
    failed: Mutex<HashMap<String, WireError>>,
}

impl OpenTogether {
    fn splits(&self, key: String) -> Arc<Mutex<Splits>> {
        let mut lists = locked(&self.lists);
        let known = lists.iter().position(|(known, _)| *known == key);
        let list = known.map_or_else(|| (key, Arc::default()), |at| lists.remove(at));
        let splits = Arc::clone(&list.1);
        lists.push(list);
        if lists.len() > LISTS {
            lists.remove(0);
        }
        splits
    }
}

/// A case with clusters, for one call.
struct Together {
    path: String,
    case: Arc<Case>,
    snapshot: Arc<Snapshot>,
    /// Those that answer.
    lanes: Vec<OpenLane>,
    /// What the others leave missing.
    missing: Vec<String>,
}

struct OpenLane {
    /// Counted over all clusters that the case is shown with.
    number: u32,
    name: String,
    case: Arc<RemoteCase>,
}

impl Together {
    fn open(session: &Session, call: &Call<'_>, path: &str, again: bool) -> Answer<Together> {
        let Some((names, folder)) = named_together(path) else { return Err(not_together()) };
        if names.len() > MOST_LANES {
            let message = format!("A case is shown with {MOST_LANES} clusters at most.");
            return Err(WireError::new(ErrorCode::BadRequest, message));
        }
        let case = session.case(Path::new(folder))?;
        let mut together = Together {
            path: path.to_owned(),
            snapshot: case.snapshot(),
            case,
            lanes: Vec::new(),
            missing: Vec::new(),
        };
        for (number, name) in (1_u32..).zip(names) {
            let known = locked(&session.part::<OpenTogether>().failed).get(name).cloned().filter(|_| !again);
            let opened = known.map_or_else(|| opened(session, call, name, again), Err);
            match opened {
                Ok(case) => {
                    locked(&session.part::<OpenTogether>().failed).remove(name);
                    together.lanes.push(OpenLane { number, name: name.to_owned(), case });
                }
                Err(error) if error.code == ErrorCode::Cancelled => return Err(error),
                Err(error) => {
                    together.missing.push(nothing_from(name, &error));
                    locked(&session.part::<OpenTogether>().failed).insert(name.to_owned(), error);
                }
            }
        }
        Ok(together)
    }

    /// Asks them together; what was said of the answer goes with it. A cluster that fails is not asked again until the case is
    /// opened again.
    fn ask<T>(
        &self,
        session: &Session,
        call: &Call<'_>,
        zone: Option<&str>,
        ask: impl FnOnce(&Both<'_>) -> indexer::Result<remote::Answer<T>>,
    ) -> Answer<(T, Option<RemoteSays>)> {
        let answer = ask(&self.both(call, zone))?;
        let mut says = RemoteSays::from_answer(&answer).unwrap_or_default();
        for lane in &self.lanes {
            let begin = format!("nothing from {}: ", lane.name);
            if let Some(what) = says.missing.iter().find_map(|missing| missing.strip_prefix(&begin)) {
                let error = WireError::new(ErrorCode::NotReadable, indexer::sentence(what));
                locked(&session.part::<OpenTogether>().failed).insert(lane.name.clone(), error);
            }
        }
        says.missing.splice(0..0, self.missing.iter().cloned());
        Ok((answer.value, (says != RemoteSays::default()).then_some(says)))
    }

    fn both<'c>(&'c self, call: &'c Call<'_>, zone: Option<&'c str>) -> Both<'c> {
        let lane = |lane: &OpenLane| Lane { cluster: lane.case.cluster(call), times: lane.case.times() };
        Both {
            case: &self.case,
            snapshot: &self.snapshot,
            lanes: self.lanes.iter().map(lane).collect(),
            zone: zone.unwrap_or("UTC"),
            cancel: &call.cancel,
        }
    }

    /// Grows with each of them.
    fn revision(&self) -> u64 {
        self.snapshot.revision() + self.lanes.iter().map(|lane| lane.case.revision).sum::<u64>()
    }

    /// The name of a cluster's event or source among all.
    fn outside(lane: &OpenLane, id: EventId) -> EventId {
        EventId { source: id.source | lane.number << LANE_BITS, ..id }
    }

    /// Whose event it is, and what it is called there; the case has no lane.
    fn inside(&self, id: EventId) -> Answer<(Option<&OpenLane>, EventId)> {
        let number = id.source >> LANE_BITS;
        if number == 0 {
            return Ok((None, id));
        }
        let lane = self.lanes.iter().find(|lane| lane.number == number).ok_or_else(|| {
            WireError::new(
                ErrorCode::NotFound,
                "The cluster of this event does not answer, or is not shown any more.",
            )
        })?;
        Ok((Some(lane), EventId { source: id.source & ((1 << LANE_BITS) - 1), ..id }))
    }

    fn source(lane: &OpenLane, source: Source) -> Source {
        let id = source.id | lane.number << LANE_BITS;
        Source { id, name: named(lane, &source.name), ..source }
    }
}

/// What an answer lacks without a cluster, as a part of a sentence.
fn nothing_from(name: &str, error: &WireError) -> String {
    let message = error.message.trim_end_matches('.');
    let first: String = message.chars().take(1).flat_map(char::to_lowercase).collect();
    format!("nothing from {name}: {first}{}", message.chars().skip(1).collect::<String>())
}

/// A source of a cluster by both names.
fn named(lane: &OpenLane, source: &str) -> String {
    format!("{}: {source}", lane.name)
}

/// Answers a call about a case that is shown with clusters; nothing where it is about one that is not.
pub(crate) fn answer_together(
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
        Command::Locate(request) => &request.view.case,
        Command::Seek(request) => &request.view.case,
        Command::Aggregate(request) => &request.view.case,
        Command::Facets(request) => &request.view.case,
        Command::Run(request) => &request.view.case,
        Command::Follow(request) => &request.case,
        Command::Linked(request) => &request.case,
        // All others come to `Session::case`, which refuses them.
        _ => return None,
    };
    named_together(path)?;
    Some(answers::answer(session, call, path, command))
}
