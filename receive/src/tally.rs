//! The intake of one source: what it appends goes to the log, and is counted by itself and for the whole.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use indexer::Cancel;

use crate::counters::Counters;
use crate::intake::{Appended, Intake, Record, Refused, Stream};
use crate::log::Log;
use crate::readings::Readings;

pub struct Tally {
    log: Arc<Log>,
    counters: Arc<Counters>,
    /// What a person chose to read it as.
    readings: Arc<Readings>,
}

impl Tally {
    /// The counters are a part of the log's own.
    pub fn new(log: &Arc<Log>, counters: Arc<Counters>, readings: Arc<Readings>) -> Tally {
        Tally { log: Arc::clone(log), counters, readings }
    }

    fn stream<'s>(&self, stream: &'s Stream) -> Cow<'s, Stream> {
        if self.readings.is_empty() {
            return Cow::Borrowed(stream);
        }
        Cow::Owned(self.readings.chosen(stream.clone(), None))
    }

    pub fn end_of(&self, stream: &str) -> u64 {
        self.log.end_of(stream)
    }

    pub fn stream_names(&self) -> Vec<String> {
        self.log.stream_names()
    }
}

impl Intake for Tally {
    fn append_all(
        &self,
        batches: Vec<(Stream, Vec<Record>)>,
    ) -> Result<Vec<Result<Appended, Refused>>, Refused> {
        let batches = batches.into_iter().map(|(stream, records)| match self.stream(&stream) {
            Cow::Owned(chosen) => (chosen, records),
            Cow::Borrowed(_) => (stream, records),
        });
        self.log.append_counted(&self.counters, batches.collect())
    }

    fn append_lines(&self, stream: &Stream, bytes: &[u8]) -> Result<(), Refused> {
        self.log.append_lines_counted(&self.counters, &self.stream(stream), bytes)
    }

    fn refresh(&self, at_once: bool, patience: Duration, cancel: &Cancel) -> bool {
        self.log.refresh(at_once, patience, cancel)
    }

    fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }
}
