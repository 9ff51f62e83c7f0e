//! What the stages of an import do while it runs.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum StageName {
    /// Reading and unpacking.
    Read,
    /// Parsing and packing, on several threads.
    Parse,
    /// Writing and publishing.
    Land,
    /// Building what the profile has of tokens.
    Index,
}

/// The counters of an import stage, and how long it waited for the previous and for the next one.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Stage {
    pub name: StageName,
    pub threads: u32,
    /// Reading knows of no events.
    pub events: u64,
    pub bytes: u64,
    /// What waits to be taken by the stage, and how much there is room for.
    pub queue: u32,
    pub queue_room: u32,
    /// How often its output queue was full (a stall), and how long it waited then, summed over its threads.
    pub stalls: u32,
    pub stalled_ms: f64,
    /// How long it had nothing to do.
    pub idle_ms: f64,
    /// What it took of the processor, where the system tells.
    pub cpu_ms: f64,
}

pub(crate) fn shape(stage: &indexer::Stage) -> Stage {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1_000.0;
    Stage {
        name: shape_name(stage.name),
        threads: stage.threads as u32,
        events: stage.events,
        bytes: stage.bytes,
        queue: stage.queue as u32,
        queue_room: stage.queue_room as u32,
        stalls: stage.stalls as u32,
        stalled_ms: milliseconds(stage.stalled),
        idle_ms: milliseconds(stage.idle),
        cpu_ms: milliseconds(stage.cpu),
    }
}

pub(crate) fn shape_name(name: indexer::StageName) -> StageName {
    match name {
        indexer::StageName::Read => StageName::Read,
        indexer::StageName::Parse => StageName::Parse,
        indexer::StageName::Land => StageName::Land,
        indexer::StageName::Index => StageName::Index,
    }
}
