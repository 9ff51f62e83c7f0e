//! What the stages of an import do, as it is printed.

use indexer::{Progress, Stage, StageName, bottleneck};
use serde_json::{Value, json};

pub fn progress_as_json(progress: &Progress) -> String {
    let cpu: f64 = progress.stages.iter().map(|stage| stage.cpu.as_secs_f64()).sum();
    json!({
        "seconds": progress.elapsed.as_secs_f64(),
        "cpu_seconds": cpu,
        "events": progress.events,
        "bytes_read": progress.bytes_read,
        "bytes_total": progress.bytes_total,
        "stages": stages_as_json(&progress.stages),
        "waits_for": bottleneck(&progress.stages).map(StageName::name),
    })
    .to_string()
}

pub fn stages_as_json(stages: &[Stage]) -> Vec<Value> {
    let shape = |stage: &Stage| {
        json!({
            "name": stage.name.name(),
            "threads": stage.threads,
            "events": stage.events,
            "bytes": stage.bytes,
            "queue": stage.queue,
            "queue_room": stage.queue_room,
            "stalls": stage.stalls,
            "stalled_seconds": stage.stalled.as_secs_f64(),
            "idle_seconds": stage.idle.as_secs_f64(),
            "cpu_seconds": stage.cpu.as_secs_f64(),
        })
    };
    stages.iter().map(shape).collect()
}
