//! What a question is called at the cluster, and how it is ended there.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use crate::json;
use crate::limits::CANCELLED_TASKS;

/// What carries the name; Elasticsearch and OpenSearch show it with the tasks of the request and in their slow logs.
pub const HEADER: &str = "x-opaque-id";

/// A name that no other question has, of this program or of another.
pub fn name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // The standard library seeds hashes at random.
    format!("timberline-{:016x}-{count}", RandomState::new().hash_one((count, std::process::id())))
}

/// Whether a request may be at work at the cluster for long, and can be ended there.
pub fn is_cancellable(path: &str) -> bool {
    path.split('?').next().is_some_and(|path| path.ends_with("/_search"))
}

/// The tasks of a question in an answer of `_tasks`, those that others do not belong to.
pub fn tasks_of(answer: &Value, name: &str) -> Vec<String> {
    let nodes = answer["nodes"].as_object().into_iter().flat_map(|nodes| nodes.values());
    let tasks = nodes.flat_map(|node| node["tasks"].as_object().into_iter().flatten());
    let ours = tasks.filter(|(_, task)| {
        json::at(task, &["headers", "X-Opaque-Id"]) == name && task["parent_task_id"].is_null()
    });
    // An id is a part of a path: those of clusters have no other characters.
    let is_plain = |id: &str| id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'));
    ours.map(|(id, _)| id.clone()).filter(|id| is_plain(id)).take(CANCELLED_TASKS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_tasks_of_the_question_itself_are_cancelled() {
        let task = |name: &str| json!({"headers": {"X-Opaque-Id": name}});
        let answer = json!({"nodes": {"n": {"tasks": {
            "n:1": task("mine"), "n:2": task("other"), "n:3": {"headers": {}},
            "n:4": {"headers": {"X-Opaque-Id": "mine"}, "parent_task_id": "n:1"}, "../x": task("mine")}}}});
        assert_eq!(tasks_of(&answer, "mine"), ["n:1"]);
        assert!(tasks_of(&Value::Null, "mine").is_empty());
        assert!(name() != name() && name().starts_with("timberline-"));
        assert!(is_cancellable("/logs/_search?x=1") && !is_cancellable("/logs/_bulk"));
    }
}
