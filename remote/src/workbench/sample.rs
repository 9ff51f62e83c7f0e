//! A random sample of a cluster's events, and a case made of one, for what only a case answers.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use indexer::query::Filter;
use indexer::{Case, Error, ErrorKind, ImportOptions, Result, stamp};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::cluster::{Asked, Cluster};
use crate::json;
use crate::limits::{SAMPLED_EVENTS, SMALL_SAMPLE};
use crate::questions::{Answer, Question, RemoteEvent, total};

/// The same sample is taken again as long as the documents are the same.
const SEED: u64 = 20_260_301;

/// Names of an event's own parts: what a document has under the same name is not written a second time.
const OWN: [&str; 6] = ["time", "@timestamp", "level", "message", "source", "line"];

/// A case of a random sample, in a temporary folder that is gone with it.
#[derive(Debug)]
pub struct SampleCase {
    pub case: Case,
    /// The filter that chose its events at the cluster.
    pub filter: Filter,
    /// What has to be known of it, such as how many events it is a sample of.
    pub notes: Vec<String>,
    _folder: TempDir,
}

impl Cluster {
    /// A case of a random sample of the matching events, with their fields by the names of the language. It is an error if
    /// not all shards answered: what the others hold would seem to be gone.
    pub fn sample_case(&self, asked: &Asked) -> Result<SampleCase> {
        let mut question = Question::new(self, asked)?;
        let (events, matching) = self.sample(&mut question, &true.into())?;
        if let Some(missing) = question.missing.0.first() {
            let message = format!("the answer of the cluster {} is not complete: {missing}", self.name);
            return Err(Error::new(ErrorKind::NotReadable, message)
                .hint("nothing was compared, because events that are missing would seem to be gone; try it again later"));
        }
        let sampled = events.len() as u64;
        if sampled < matching {
            question.note(format!("a random sample of {sampled} of {matching} events is compared"));
        }
        let folder = tempfile::tempdir().map_err(|error| Error::writing(&std::env::temp_dir(), &error))?;
        let case = Case::create(&folder.path().join("sample.case"))?;
        if !events.is_empty() {
            let log = folder.path().join(format!("{}.ndjson", self.name));
            self.write(&log, events).map_err(|error| Error::writing(&log, &error))?;
            let report = case.import(&[log], &ImportOptions::default(), &|_| {}, self.client.cancel())?;
            if let Some(failure) = report.failure {
                return Err(failure);
            }
        }
        let Answer { inexact, missing, mut notes, .. } = question.answer(());
        notes.extend(inexact.into_iter().map(|one| format!("not exact: `{}`: {}", one.clause, one.reason)));
        notes.extend(missing.0);
        Ok(SampleCase { case, filter: asked.filter.clone(), notes, _folder: folder })
    }

    /// A random sample of the matching events, as many as an answer may have, with these parts of their documents; and
    /// how many match.
    pub(super) fn sample(
        &self,
        question: &mut Question<'_>,
        wanted: &Value,
    ) -> Result<(Vec<RemoteEvent>, u64)> {
        match self.sample_of(question, wanted, SAMPLED_EVENTS) {
            // Of long events fewer fit in one answer.
            Err(error) if error.kind() == ErrorKind::Limit => self.sample_of(question, wanted, SMALL_SAMPLE),
            sample => sample,
        }
    }

    fn sample_of(
        &self,
        question: &mut Question<'_>,
        wanted: &Value,
        size: usize,
    ) -> Result<(Vec<RemoteEvent>, u64)> {
        let query = json!({"function_score": {"query": question.query,
            "random_score": {"seed": SEED, "field": "_seq_no"}, "boost_mode": "replace"}});
        let body = json!({"size": size, "track_total_hits": true, "query": query, "_source": wanted,
            "sort": [{"_score": {"order": "desc"}}], "fields": self.time_field()});
        let answer = self.search(body)?;
        question.missing.add(crate::Missing::read(&answer)?);
        let hits = json::list(&answer, &["hits", "hits"])?;
        if hits.len() > size {
            return Err(Error::new(ErrorKind::Corrupt, "the cluster sent more events than were asked for"));
        }
        let events = hits.iter().map(|hit| self.event(hit)).collect::<Result<_>>()?;
        Ok((events, total(&answer)?))
    }

    /// Writes events as JSON lines, in the order of time.
    fn write(&self, log: &Path, mut events: Vec<RemoteEvent>) -> std::io::Result<()> {
        events.sort_by_key(|event| event.time);
        let names: Vec<String> = self.schema.known_fields().into_iter().map(|field| field.name).collect();
        let mut out = BufWriter::new(File::create(log)?);
        for event in events {
            let mut line = Map::new();
            if let Some(time) = event.time {
                line.insert("@timestamp".to_owned(), stamp::to_rfc3339(time).into());
            }
            if let Some(level) = &event.level {
                line.insert("level".to_owned(), level.as_str().into());
            }
            if self.schema.text.is_some() {
                line.insert("message".to_owned(), event.text.as_str().into());
            }
            for name in names.iter().filter(|name| !OWN.contains(&name.as_str())) {
                if let Some(value) = self.json_value(&event, name) {
                    line.insert(name.clone(), value.clone());
                }
            }
            serde_json::to_writer(&mut out, &line)?;
            out.write_all(b"\n")?;
        }
        out.flush()
    }
}
