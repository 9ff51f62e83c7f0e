//! A push from its template to the counts of every hour, which the command and the workbench show alike.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexer::{Cancel, Error, ErrorKind, Result};
use serde::Serialize;
use serde_json::{Value, json};

use super::{PushOptions, PushProgress, PushTarget, Pushed, Source, document, push_with_template};
use crate::client::{Client, Options};
use crate::cluster::{Cluster, Missing};
use crate::config::Remote;
use crate::json;

const HOUR: i64 = 3_600_000_000_000;

const MILLISECOND: i64 = 1_000_000;

/// Counts of one hour in the case and at the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// Nanoseconds since 1970 UTC.
    pub hour: i64,
    pub case: u64,
    pub remote: u64,
}

impl Counted {
    #[must_use]
    pub fn differs(&self) -> bool {
        self.case != self.remote
    }
}

/// What came of a push, and the hours that the case or the cluster has events of.
#[derive(Debug)]
pub struct PushOutcome {
    pub pushed: Pushed,
    /// Or why they were not counted; the documents are there all the same.
    pub hours: Result<Vec<Counted>>,
}

/// Pushes events, and compares the counts of their hours afterwards.
pub fn push_and_compare(
    remote: &Remote,
    source: &Source<'_>,
    options: &PushOptions,
    template: &Value,
    patience: Options,
    progress: &mut dyn FnMut(PushProgress),
    cancel: &Cancel,
) -> Result<PushOutcome> {
    let client = Arc::new(Client::new(remote, patience, cancel)?);
    let target = PushTarget { client: &client, url: &remote.url };
    let pushed = push_with_template(&target, source, options, template, progress, cancel)?;
    // The index that was just written, not those that the remote is asked in.
    let written =
        Remote { index: options.index.clone(), time_field: Some("@timestamp".to_owned()), ..remote.clone() };
    let hours = Cluster::connect(&written, patience, cancel)
        .and_then(|cluster| compare_hours(&cluster, source, cancel));
    Ok(PushOutcome { pushed, hours })
}

/// Counts by hour of the case and of the cluster, for the hours that either has.
pub fn compare_hours(cluster: &Cluster, source: &Source<'_>, cancel: &Cancel) -> Result<Vec<Counted>> {
    let mut hours: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
    source.walk(cancel, &mut |event, _| {
        if event.time != indexer::NO_TIME {
            hours.entry(event.time.div_euclid(HOUR) * HOUR).or_default().0 += 1;
        }
        Ok(())
    })?;
    let aggs = json!({"h": {"date_histogram": {"field": "@timestamp", "fixed_interval": "3600000ms", "time_zone": "UTC", "min_doc_count": 1}}});
    let body = json!({"size": 0, "track_total_hits": true, "query": of_source(source), "aggs": aggs});
    let answer = cluster.search(body)?;
    let missing = Missing::read(&answer)?;
    if !missing.is_empty() {
        let error =
            Error::new(ErrorKind::NotReadable, format!("the counts are partial: {}", missing.0.join("; ")));
        return Err(error.hint("push again later to compare: nothing is stored twice"));
    }
    for bucket in json::list(&answer["aggregations"]["h"], &["buckets"])? {
        let ms = bucket["key"].as_i64().ok_or_else(|| json::lacks(&["key"]))?;
        hours.entry(ms.saturating_mul(MILLISECOND)).or_default().1 += json::count(bucket, &["doc_count"])?;
    }
    Ok(hours.into_iter().map(|(hour, (case, remote))| Counted { hour, case, remote }).collect())
}

/// The index may hold other events too: only those of this push have one of its sources' hashes and a time in its range.
fn of_source(source: &Source<'_>) -> Value {
    let hashes: Vec<String> =
        source.snapshot.sources().iter().map(|entry| document::source_key(&entry.sha256)).collect();
    let sources = json!({"terms": {"timberline.source": hashes}});
    let mut range = serde_json::Map::new();
    if let Some(from) = source.view.from {
        range.insert("gte".to_owned(), from.div_euclid(MILLISECOND).to_string().into());
    }
    if let Some(to) = source.view.to {
        range.insert("lt".to_owned(), (-(-to).div_euclid(MILLISECOND)).to_string().into());
    }
    if range.is_empty() {
        return sources;
    }
    range.insert("format".to_owned(), "epoch_millis".into());
    json!({"bool": {"filter": [sources, {"range": {"@timestamp": range}}]}})
}
