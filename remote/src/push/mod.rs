//! Events of a case, sent to a cluster or written to a file for `_bulk`.
//!
//! A document's id comes from its source's hash and its place there, and documents are created, never replaced: sending
//! the same events again changes nothing. So a push that was cut off is simply done again; a checkpoint only
//! saves the time.

mod bulk;
mod document;
mod hours;
mod template;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use indexer::query::Query;
use indexer::whole_file::{self, Readers};
use indexer::{Cancel, Case, Error, ErrorKind, Event, FieldValue, Result, Snapshot, SortBy, View, Walk};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use self::bulk::Sender;
pub(crate) use self::document::{Documents, case_fields, name_there};
pub use self::hours::{Counted, PushOutcome, compare_hours, push_and_compare};
pub use self::template::{IndexTemplate, TemplateDecision, template};
use crate::client::Body;
use crate::client::Client;
use crate::json;
use crate::limits::{MERGING, REPORT};

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
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PushProgress {
    /// Documents that the cluster has acknowledged, with those of an earlier push.
    pub done: u64,
    pub total: u64,
    /// The size of a request now, before it is packed.
    pub bulk_bytes: usize,
    /// Documents that were sent again, because the cluster had no room for them.
    pub retries: u64,
    /// Requests that were sent again, because the cluster was busy or the connection broke.
    pub retried_requests: u64,
    /// Documents a second since it began.
    pub per_second: f64,
    /// The time that the rest takes at this rate.
    pub left_seconds: Option<f64>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
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

/// How far a push came, for the same events of the same case and the same index.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    revision: u64,
    /// All events. The same filter finds others when notes of the case have changed.
    total: u64,
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

/// How many events an earlier push to this address has sent before it was cut off; the next one continues after them.
#[must_use]
pub fn sent_before(url: &str, source: &Source<'_>, options: &PushOptions, total: u64) -> u64 {
    let file = options.checkpoints.as_deref().map(|folder| checkpoint_file(folder, url, source, options));
    file.and_then(|file| read_checkpoint(&file, source.snapshot.revision(), total)).unwrap_or(0)
}

/// Creates the template as it is measured now, sends the events and makes them visible.
pub fn push(
    target: &PushTarget<'_>,
    source: &Source<'_>,
    options: &PushOptions,
    progress: &mut dyn FnMut(PushProgress),
    cancel: &Cancel,
) -> Result<Pushed> {
    push_with_template(target, source, options, &template(source, options).body, progress, cancel)
}

/// The same with a template that somebody was shown. An error says how many documents are there.
fn push_with_template(
    target: &PushTarget<'_>,
    source: &Source<'_>,
    options: &PushOptions,
    template: &Value,
    progress: &mut dyn FnMut(PushProgress),
    cancel: &Cancel,
) -> Result<Pushed> {
    check_index(&options.index)?;
    let client = target.client;
    let total = source.case.count(source.snapshot, source.view, cancel)? as u64;
    let path = format!("/_index_template/timberline-{}", options.index);
    client.ok(client.call("PUT", &path, &Body::Json(template.clone()))?)?;
    let checkpoint =
        options.checkpoints.as_deref().map(|folder| checkpoint_file(folder, target.url, source, options));
    let revision = source.snapshot.revision();
    let keep = |done| {
        if let Some(file) = &checkpoint {
            write_checkpoint(file, &Checkpoint { revision, total, done });
        }
    };
    let skipped = sent_before(target.url, source, options, total);
    let documents = Documents::new(source.snapshot, options.with_original);
    let mut sender = Sender::new(client, options, (skipped, total), progress);
    let mut place = 0_u64;
    let sent = source.walk(cancel, &mut |event, fields| {
        place += 1;
        if place <= skipped {
            return Ok(());
        }
        let mut lines = Vec::new();
        documents.write_lines(&event, &fields, None, &mut lines);
        if let Some(done) = sender.add(lines, cancel)? {
            keep(done);
        }
        Ok(())
    });
    // What was sent is acknowledged even when reading the case failed.
    let finished = sender.finish(cancel);
    let (done, mut pushed) = (sender.acknowledged(), sender.pushed());
    pushed.skipped = skipped;
    keep(done);
    sent.and(finished).map_err(|error| with_kept(error, done, total))?;
    let refresh = client.call("POST", &format!("/{}/_refresh", options.index), &Body::None)?;
    client.ok(refresh)?;
    // Pushed again, also refused documents are sent again.
    if let Some(file) = &checkpoint {
        let _ = fs::remove_file(file);
    }
    Ok(pushed)
}

/// What is kept, with what went wrong.
fn with_kept(error: Error, done: u64, total: u64) -> Error {
    let kept = format!("{done} of {total} documents are there, and the next push continues after them");
    let hint = error.hint_text().map_or_else(|| kept.clone(), |hint| format!("{kept}; {hint}"));
    error.hint(hint)
}

/// A cluster that is written to; its indexes need not exist yet.
pub struct PushTarget<'c> {
    pub client: &'c Arc<Client>,
    /// Its address, which checkpoints are named after.
    pub url: &'c str,
}

/// Events that are sent to measure how much a cluster takes for them.
const MEASURED_EVENTS: usize = 100_000;

/// Index bytes for each raw byte, of one copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredRatios {
    /// In segments as indexing leaves them, which the hot tier has.
    pub unmerged: f64,
    /// In one segment, as in the tiers that are not written to any more.
    pub merged: f64,
    /// How many events it was measured with.
    pub events: usize,
}

/// How much a cluster takes for the events: a part of them is sent to an index of its own, measured, merged, measured and
/// deleted again.
pub fn measure(target: &PushTarget<'_>, source: &Source<'_>, cancel: &Cancel) -> Result<MeasuredRatios> {
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
    let mut body = template(source, &options).body["template"].clone();
    body["settings"]["index"]["number_of_shards"] = 1.into();
    body["settings"]["index"]["number_of_replicas"] = 0.into();
    // Otherwise sizes are those of ten seconds ago.
    body["settings"]["index"]["store"] = json!({"stats_refresh_interval": "0s"});
    client.ok(client.call("PUT", &path, &Body::Json(body))?)?;
    let measured = measured(client, source, &options, cancel);
    // It goes whatever came of it, also when somebody pressed Ctrl-C.
    client.release("DELETE", &path, &Body::None);
    measured
}

fn measured(
    client: &Arc<Client>,
    source: &Source<'_>,
    options: &PushOptions,
    cancel: &Cancel,
) -> Result<MeasuredRatios> {
    let documents = Documents::new(source.snapshot, false);
    let mut unseen = |_: PushProgress| {};
    let mut sender = Sender::new(client, options, (0, MEASURED_EVENTS as u64), &mut unseen);
    let (mut events, mut raw_bytes) = (0, 0_u64);
    let sort = SortBy { field: "time".to_owned(), descending: false };
    let walk = Walk { sort, limit: MEASURED_EVENTS, with_fields: true };
    let walked = source.case.for_each(source.snapshot, source.view, &walk, cancel, &mut |event, fields| {
        let mut lines = Vec::new();
        documents.write_lines(&event, &fields, None, &mut lines);
        events += 1;
        // Its line end is raw data too.
        raw_bytes += u64::from(event.length) + 1;
        sender.add(lines, cancel).map(|_| ())
    });
    let finished = sender.finish(cancel);
    walked.and(finished)?;
    if sender.pushed().created != events as u64 || events == 0 {
        let message = format!("the cluster took {} of {events} events", sender.pushed().created);
        return Err(Error::new(ErrorKind::BadRequest, message).hint("give a measured --ratio instead"));
    }
    let unmerged = stored_bytes(client, &options.index)?;
    let path = format!("/{}/_forcemerge?max_num_segments=1", options.index);
    client.ok(client.call("POST", &path, &Body::None)?)?;
    let merged = stored_bytes(client, &options.index)?;
    let ratio = |stored: u64| stored as f64 / raw_bytes as f64;
    Ok(MeasuredRatios { unmerged: ratio(unmerged), merged: ratio(merged), events })
}

/// The bytes of an index without its copies, once the server merges nothing in it: until then segments are there twice.
fn stored_bytes(client: &Client, index: &str) -> Result<u64> {
    let end = Instant::now() + MERGING;
    loop {
        // Searchers keep the files of merged segments until they are refreshed.
        for step in ["_flush", "_refresh"] {
            client.ok(client.call("POST", &format!("/{index}/{step}"), &Body::None)?)?;
        }
        let stats = client.get(&format!("/{index}/_stats/store,merge"))?;
        let primaries = json::at(&stats, &["_all", "primaries"]);
        if json::count(primaries, &["merges", "current"])? == 0 {
            return json::count(primaries, &["store", "size_in_bytes"]);
        }
        if Instant::now() > end {
            let error = Error::new(ErrorKind::NotReadable, "the cluster still merges the measured index");
            return Err(error.hint("measure again when it has less to do, or give a measured --ratio"));
        }
        client.sleep(REPORT)?;
    }
}

/// Documents of a file between two reports of its progress.
const REPORTED_DOCUMENTS: u64 = 1_000;

/// Writes the same actions and documents to a file.
pub fn write_ndjson(
    source: &Source<'_>,
    options: &PushOptions,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64, u64),
    cancel: &Cancel,
) -> Result<u64> {
    check_index(&options.index)?;
    let total = source.case.count(source.snapshot, source.view, cancel)? as u64;
    let documents = Documents::new(source.snapshot, options.with_original);
    let (mut written, mut lines) = (0, Vec::new());
    source.walk(cancel, &mut |event, fields| {
        lines.clear();
        documents.write_lines(&event, &fields, Some(&options.index), &mut lines);
        out.write_all(&lines).map_err(|error| {
            Error::new(ErrorKind::NotReadable, format!("the file cannot be written: {error}"))
        })?;
        written += 1;
        if written % REPORTED_DOCUMENTS == 0 {
            progress(written, total);
        }
        Ok(())
    })?;
    Ok(written)
}

/// The same for the command and the workbench, however they name the case.
fn checkpoint_file(folder: &Path, url: &str, source: &Source<'_>, options: &PushOptions) -> PathBuf {
    let (case, view) = (source.case.folder(), source.view);
    let case = case.canonicalize().unwrap_or_else(|_| case.to_path_buf());
    let end = |time: Option<i64>| time.map_or_else(String::new, |time| time.to_string());
    let mut hash = Sha256::new();
    for part in [
        case.to_string_lossy().as_ref(),
        &view.filter.to_string(),
        &end(view.from),
        &end(view.to),
        url,
        &options.index,
        if options.with_original { "original" } else { "" },
    ] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    folder.join(format!("{}.json", indexer::hex(&hash.finalize()[..12])))
}

fn read_checkpoint(file: &Path, revision: u64, total: u64) -> Option<u64> {
    let checkpoint: Checkpoint = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    let fits = checkpoint.revision == revision && checkpoint.total == total && checkpoint.done <= total;
    fits.then_some(checkpoint.done)
}

/// A checkpoint that cannot be written costs time, not events.
fn write_checkpoint(file: &Path, checkpoint: &Checkpoint) {
    let Some(folder) = file.parent() else { return };
    let text = serde_json::to_vec(checkpoint).unwrap_or_default();
    let _ =
        whole_file::create_own_folder(folder).and_then(|()| whole_file::replace(file, &text, Readers::Owner));
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
