//! Message templates of a cluster's events: mined by the engine's own miner from a random sample, whose size is said.
//!
//! The sample becomes a case in a temporary folder of its own, which is gone when the answer is there.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use indexer::{
    Case, Cell, Column, Error, ImportOptions, Pattern, PatternOptions, Patterns, Result, Table, View, stamp,
};
use serde_json::{Value, json};

use crate::cluster::{Asked, Cluster};
use crate::limits::LISTED_PATTERNS;
use crate::questions::{Answer, Question, RemoteEvent};

/// The templates of a sample.
#[derive(Clone, Debug)]
pub struct Sampled {
    pub patterns: Patterns,
    /// The events of the sample, by their offsets in the lists of examples.
    pub events: HashMap<u64, RemoteEvent>,
    pub sampled: u64,
    pub matching: u64,
}

impl Cluster {
    /// The templates of a random sample of the matching events. Times outside of the view are not looked at.
    pub fn patterns(&self, asked: &Asked, options: &PatternOptions) -> Result<Answer<Sampled>> {
        let mut question = Question::new(self, asked)?;
        let schema = &self.schema;
        let paths: Vec<&String> =
            [schema.text.as_ref(), schema.level.as_ref()].into_iter().flatten().collect();
        // Without a text of its own an event is its whole document.
        let wanted = if schema.text.is_some() { json!({"includes": paths}) } else { true.into() };
        let (events, matching) = self.sample(&mut question, &wanted)?;
        let sampled = events.len() as u64;
        if sampled < matching {
            question.note(format!("patterns are those of a random sample of {sampled} of {matching} events"));
        }
        let folder = tempfile::tempdir().map_err(|error| Error::writing(&std::env::temp_dir(), &error))?;
        let log = folder.path().join(format!("{}.ndjson", self.name));
        let events = written(&log, events).map_err(|error| Error::writing(&log, &error))?;
        let options = PatternOptions { compare: false, against: None, ..options.clone() };
        let cancel = self.client.cancel();
        let patterns = if events.is_empty() {
            Patterns::default()
        } else {
            let case = Case::create(&folder.path().join("sample.case"))?;
            case.import(&[log], &ImportOptions::default(), &|_| {}, cancel)?;
            let view = View { filter: indexer::query::Filter::Everything, from: None, to: None };
            case.patterns(&case.snapshot(), &view, &options, &mut |_, _| {}, cancel)?
        };
        Ok(question.answer(Sampled { patterns, events, sampled, matching }))
    }
}

impl Question<'_> {
    /// The table of the stage `patterns`, of a sample.
    pub(crate) fn patterns(&mut self, asked: &Asked, limit: Option<u64>) -> Result<Table> {
        let limit = limit.map_or(LISTED_PATTERNS, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let options = PatternOptions { limit, ..PatternOptions::default() };
        let answer = self.cluster.patterns(asked, &options)?;
        self.missing.add(answer.missing);
        answer.notes.into_iter().for_each(|note| self.note(note));
        let found = answer.value.patterns.patterns;
        let column = |name: &str, cell: &dyn Fn(&Pattern) -> Cell| {
            (name.to_owned(), Column::of_cells(found.iter().map(cell).collect()))
        };
        let time = |time: Option<i64>| time.map_or(Cell::Missing, Cell::Time);
        Ok(Table::from_columns(vec![
            column("id", &|one| Cell::text(&one.id.to_string())),
            column("pattern", &|one| Cell::text(&one.text)),
            column("count", &|one| Cell::Int(i64::try_from(one.count).unwrap_or(i64::MAX))),
            column("share", &|one| Cell::float(one.share)),
            column("first", &|one| time(one.first)),
            column("last", &|one| time(one.last)),
        ]))
    }
}

/// Writes events as lines and gives them by the offsets of their lines.
fn written(log: &Path, mut events: Vec<RemoteEvent>) -> std::io::Result<HashMap<u64, RemoteEvent>> {
    events.sort_by_key(|event| event.time);
    let mut out = BufWriter::new(File::create(log)?);
    let mut by_offset = HashMap::with_capacity(events.len());
    let mut offset = 0;
    for event in events {
        let mut line = json!({"message": event.text});
        if let Some(time) = event.time {
            line["@timestamp"] = stamp::to_rfc3339(time).into();
        }
        if let Some(level) = &event.level {
            line["level"] = Value::from(level.as_str());
        }
        let line = format!("{line}\n");
        out.write_all(line.as_bytes())?;
        by_offset.insert(offset, event);
        offset += line.len() as u64;
    }
    out.flush()?;
    Ok(by_offset)
}
