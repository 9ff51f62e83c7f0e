//! Events of a case, sent to a cluster or written to a file for `_bulk`.
//!
//! A document's id comes from its source's hash and its place there, and documents are created, never replaced: sending
//! the same events again changes nothing. So a push that was cut off is simply done again; a checkpoint only
//! saves the time.

mod bulk;
mod document;
mod template;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexer::query::Query;
use indexer::{Cancel, Case, Error, ErrorKind, Event, FieldValue, Result, Snapshot, SortBy, View, Walk};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use self::bulk::Sender;
pub(crate) use self::document::{Documents, case_fields, name_there};
pub use self::template::template;
use crate::client::Body;
use crate::client::Client;
use crate::cluster::Cluster;
use crate::json;

/// What is sent, and where.
#[derive(Clone, Debug)]
pub struct PushOptions {
    pub index: String,
    /// A data stream instead of an index.
    pub data_stream: bool,
    /// Whether the text of events is kept as it was, and can be searched exactly.
    pub with_original: bool,
    /// Documents a second at most.
    pub rate: Option<u64>,
    /// Requests that are under way at once.
    pub senders: usize,
    /// A folder for checkpoints.
    pub checkpoints: Option<PathBuf>,
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub struct PushProgress {
    pub done: u64,
    pub total: u64,
    /// The size of a request now, before it is packed.
    pub bulk_bytes: usize,
    pub retries: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pushed {
    /// Documents that the cluster did not have.
    pub created: u64,
    /// Documents that it had.
    pub known: u64,
    /// Events that an earlier push had sent, by its checkpoint.
    pub skipped: u64,
    /// Documents that it refused, with why for each kind of refusal.
    pub refused: BTreeMap<String, u64>,
    pub bytes: u64,
    pub retries: u64,
}

/// Counts of one hour in the case and at the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// Nanoseconds since 1970 UTC.
    pub hour: i64,
    pub case: u64,
    pub remote: u64,
}

/// How far a push came, for the same events of the same case and the same index.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    revision: u64,
    done: u64,
}

/// The events that a push is about.
pub struct Source<'c> {
    pub case: &'c Case,
    pub snapshot: &'c Snapshot,
    pub view: &'c View,
}

impl Source<'_> {
    fn walk(
        &self,
        cancel: &Cancel,
        each: &mut dyn FnMut(Event, Vec<FieldValue>) -> Result<()>,
    ) -> Result<()> {
        let sort = SortBy { field: "time".to_owned(), descending: false };
        let walk = Walk { sort, limit: usize::MAX, with_fields: true };
        self.case.for_each(self.snapshot, self.view, &walk, cancel, each)
    }
}

/// The filter of a push; stages make tables, which are not events.
pub fn filter_of(query: &Query) -> Result<View> {
    if let Some(stage) = query.stages.first() {
        let error = Error::new(ErrorKind::QueryInvalid, "events are pushed, and stages make tables of them");
        return Err(error.spanning(stage.span.start, stage.span.end).hint("leave the stages out"));
    }
    Ok(View { filter: query.filter.clone(), from: None, to: None })
}

/// Checks the name of an index as the servers do.
pub fn check_index(name: &str) -> Result<()> {
    let is_bad =
        |c: char| c.is_uppercase() || c.is_whitespace() || "\\/*?\"<>|,#:%".contains(c) || c.is_control();
    if name.is_empty() || name.starts_with(['-', '_', '+', '.']) || name.len() > 255 || name.contains(is_bad)
    {
        let error = Error::new(ErrorKind::BadRequest, format!("\"{name}\" cannot be the name of an index"));
        return Err(error.hint("use lower-case letters, digits, - and _, beginning with a letter or digit"));
    }
    Ok(())
}

/// Creates the template, sends the events and makes them visible.
pub fn push(
    target: &PushTarget<'_>,
    source: &Source<'_>,
    options: &PushOptions,
    progress: &mut dyn FnMut(PushProgress),
    cancel: &Cancel,
) -> Result<Pushed> {
    check_index(&options.index)?;
    let client = target.client;
    let body = template(source, options);
    let path = format!("/_index_template/timberline-{}", options.index);
    client.ok(client.call("PUT", &path, &Body::Json(body))?)?;
    let total = source.case.count(source.snapshot, source.view, cancel)? as u64;
    let checkpoint =
        options.checkpoints.as_deref().map(|folder| checkpoint_file(folder, target, source, options));
    let revision = source.snapshot.revision();
    let skipped =
        checkpoint.as_deref().and_then(|file| read_checkpoint(file, revision)).unwrap_or(0).min(total);
    let documents = Documents::new(source.snapshot, options.with_original);
    let mut sender = Sender::new(client, options, skipped);
    let mut place = 0_u64;
    let sent = source.walk(cancel, &mut |event, fields| {
        place += 1;
        if place <= skipped {
            return Ok(());
        }
        let (id, document) = documents.document(&event, &fields);
        let acknowledged = sender.add(&id, &document, cancel)?;
        if let Some(done) = acknowledged {
            if let Some(file) = &checkpoint {
                write_checkpoint(file, &Checkpoint { revision, done });
            }
            progress(sender.progress(total));
        }
        Ok(())
    });
    // What was sent is acknowledged even when reading the case failed.
    let finished = sender.finish(cancel);
    let mut pushed = sender.pushed();
    pushed.skipped = skipped;
    if let Some(file) = &checkpoint {
        write_checkpoint(file, &Checkpoint { revision, done: sender.acknowledged() });
    }
    sent?;
    finished?;
    progress(sender.progress(total));
    let refresh = client.call("POST", &format!("/{}/_refresh", options.index), &Body::None)?;
    client.ok(refresh)?;
    if let (Some(file), true) = (&checkpoint, pushed.refused.is_empty()) {
        let _ = fs::remove_file(file);
    }
    Ok(pushed)
}

/// A cluster that is written to; its indexes need not exist yet.
pub struct PushTarget<'c> {
    pub client: &'c Arc<Client>,
    /// Its address, which checkpoints are named after.
    pub url: &'c str,
}

/// Events that are sent to measure how much a cluster takes for them.
const MEASURED_EVENTS: usize = 100_000;

/// Index bytes for each raw byte, as the cluster takes them: a part of the events is sent to an index of its own, merged,
/// measured and deleted again.
pub fn measure(target: &PushTarget<'_>, source: &Source<'_>, cancel: &Cancel) -> Result<(f64, usize)> {
    let options = PushOptions {
        index: format!("timberline-measure-{}", std::process::id()),
        data_stream: false,
        with_original: false,
        rate: None,
        senders: 2,
        checkpoints: None,
    };
    let client = target.client;
    let path = format!("/{}", options.index);
    let mut body = template(source, &options)["template"].clone();
    body["settings"]["index"]["number_of_shards"] = 1.into();
    body["settings"]["index"]["number_of_replicas"] = 0.into();
    client.ok(client.call("PUT", &path, &Body::Json(body))?)?;
    let measured = measured(client, source, &options, cancel);
    // It goes whatever came of it, also when somebody pressed Ctrl-C.
    client.release("DELETE", &path, json!({}));
    measured
}

fn measured(
    client: &Arc<Client>,
    source: &Source<'_>,
    options: &PushOptions,
    cancel: &Cancel,
) -> Result<(f64, usize)> {
    let documents = Documents::new(source.snapshot, false);
    let mut sender = Sender::new(client, options, 0);
    let (mut events, mut raw_bytes) = (0, 0_u64);
    let sort = SortBy { field: "time".to_owned(), descending: false };
    let walk = Walk { sort, limit: MEASURED_EVENTS, with_fields: true };
    let walked = source.case.for_each(source.snapshot, source.view, &walk, cancel, &mut |event, fields| {
        let (id, document) = documents.document(&event, &fields);
        events += 1;
        // Its line end is raw data too.
        raw_bytes += u64::from(event.length) + 1;
        sender.add(&id, &document, cancel).map(|_| ())
    });
    let finished = sender.finish(cancel);
    walked.and(finished)?;
    if sender.pushed().created != events as u64 || events == 0 {
        let message = format!("the cluster took {} of {events} events", sender.pushed().created);
        return Err(Error::new(ErrorKind::BadRequest, message).hint("give a measured --ratio instead"));
    }
    let path = format!("/{}", options.index);
    for step in ["_forcemerge?max_num_segments=1", "_flush"] {
        client.ok(client.call("POST", &format!("{path}/{step}"), &Body::None)?)?;
    }
    let stats = client.get(&format!("{path}/_stats/store"))?;
    let stored = json::count(&stats, &["_all", "primaries", "store", "size_in_bytes"])?;
    Ok((stored as f64 / raw_bytes as f64, events))
}

/// Writes the same actions and documents to a file.
pub fn write_ndjson(
    source: &Source<'_>,
    options: &PushOptions,
    out: &mut dyn Write,
    cancel: &Cancel,
) -> Result<u64> {
    check_index(&options.index)?;
    let documents = Documents::new(source.snapshot, options.with_original);
    let (mut written, mut line) = (0, Vec::new());
    source.walk(cancel, &mut |event, fields| {
        let (id, document) = documents.document(&event, &fields);
        line.clear();
        document::lines(&id, &document, Some(&options.index), &mut line);
        out.write_all(&line).map_err(|error| {
            Error::new(ErrorKind::NotReadable, format!("the file cannot be written: {error}"))
        })?;
        written += 1;
        Ok(())
    })?;
    Ok(written)
}

/// Counts by hour of the case and of the cluster, for the hours that either has.
pub fn compare_hours(cluster: &Cluster, source: &Source<'_>, cancel: &Cancel) -> Result<Vec<Counted>> {
    const HOUR: i64 = 3_600_000_000_000;
    let mut hours: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
    source.walk(cancel, &mut |event, _| {
        if event.time != indexer::NO_TIME {
            hours.entry(event.time.div_euclid(HOUR) * HOUR).or_default().0 += 1;
        }
        Ok(())
    })?;
    // The index may hold other events too: only those of this push have one of its sources' hashes.
    let hashes: Vec<String> =
        source.snapshot.sources().iter().map(|entry| document::source_key(&entry.sha256)).collect();
    let aggs = json!({"h": {"date_histogram": {"field": "@timestamp", "fixed_interval": "3600000ms", "time_zone": "UTC", "min_doc_count": 1}}});
    let query = json!({"terms": {"timberline.source": hashes}});
    let body = json!({"size": 0, "track_total_hits": true, "query": query, "aggs": aggs});
    let answer = cluster.search(body)?;
    let missing = crate::cluster::Missing::read(&answer)?;
    if !missing.is_empty() {
        let error =
            Error::new(ErrorKind::NotReadable, format!("the counts are partial: {}", missing.0.join("; ")));
        return Err(
            error.hint("compare again later: timberline push with the same arguments sends nothing twice")
        );
    }
    for bucket in json::list(&answer["aggregations"]["h"], &["buckets"])? {
        let ms = bucket["key"].as_i64().ok_or_else(|| json::lacks(&["key"]))?;
        hours.entry(ms.saturating_mul(1_000_000)).or_default().1 += json::count(bucket, &["doc_count"])?;
    }
    Ok(hours.into_iter().map(|(hour, (case, remote))| Counted { hour, case, remote }).collect())
}

fn checkpoint_file(
    folder: &Path,
    target: &PushTarget<'_>,
    source: &Source<'_>,
    options: &PushOptions,
) -> PathBuf {
    let mut hash = Sha256::new();
    for part in [
        source.case.folder().to_string_lossy().as_ref(),
        &source.view.filter.to_string(),
        target.url,
        &options.index,
        if options.with_original { "original" } else { "" },
    ] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    folder.join(format!("{}.json", indexer::hex(&hash.finalize()[..12])))
}

fn read_checkpoint(file: &Path, revision: u64) -> Option<u64> {
    let checkpoint: Checkpoint = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    (checkpoint.revision == revision).then_some(checkpoint.done)
}

/// A checkpoint that cannot be written costs time, not events.
fn write_checkpoint(file: &Path, checkpoint: &Checkpoint) {
    let Some(folder) = file.parent() else { return };
    let part = file.with_extension("part");
    let _ = fs::create_dir_all(folder)
        .and_then(|()| fs::write(&part, serde_json::to_vec(checkpoint).unwrap_or_default()))
        .and_then(|()| fs::rename(&part, file));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_indexes_are_those_that_servers_take() {
        for name in ["logs-2026", "app_1"] {
            assert!(check_index(name).is_ok(), "{name}");
        }
        for name in ["", "Logs", "_all", "a/b", "a*", "-x", "a b"] {
            assert!(check_index(name).is_err(), "{name}");
        }
    }
}
