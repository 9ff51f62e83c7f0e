//! Bulk requests, several at once, of a size that is found while they are sent.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indexer::{Cancel, Error, ErrorKind, Result};
use serde_json::Value;

use super::{PushOptions, PushProgress, Pushed};
use crate::client::{Body, Client};
use crate::json;
use crate::limits::{
    BULK_BYTES, FIRST_BULK_BYTES, FIRST_PAUSE, LEAST_BULK_BYTES, LONGEST_PAUSE, POLL, REPORT,
};

/// Times that documents are sent again which the cluster had no room for.
const ROUNDS: u32 = 20;

/// A request that takes longer is too large.
const SLOW: Duration = Duration::from_secs(5);

/// Documents of one request, each with its two lines.
struct Batch {
    number: u64,
    documents: Vec<Vec<u8>>,
}

/// What came of a batch.
struct Done {
    number: u64,
    documents: u64,
    bytes: usize,
    took: Duration,
    result: Result<Pushed>,
    was_too_large: bool,
}

pub struct Sender<'p> {
    client: Arc<Client>,
    jobs: Option<SyncSender<Batch>>,
    results: Receiver<Done>,
    threads: Vec<JoinHandle<()>>,
    waiting: Vec<Vec<u8>>,
    waiting_bytes: usize,
    bulk_bytes: usize,
    /// Bytes a second with the largest size so far.
    best: f64,
    next: u64,
    first_open: u64,
    done: BTreeMap<u64, u64>,
    /// Acknowledged by an earlier push, by both without a gap, and all.
    skipped: u64,
    acknowledged: u64,
    total: u64,
    under_way: usize,
    pushed: Pushed,
    failed: Option<Error>,
    rate: Option<u64>,
    began: Instant,
    sent: u64,
    progress: &'p mut dyn FnMut(PushProgress),
    reported: Instant,
}

impl<'p> Sender<'p> {
    /// Sends to an index; some of all documents were acknowledged before.
    pub fn new(
        client: &Arc<Client>,
        options: &PushOptions,
        (skipped, total): (u64, u64),
        progress: &'p mut dyn FnMut(PushProgress),
    ) -> Sender<'p> {
        let senders = options.senders.clamp(1, 16);
        let (jobs, queue) = sync_channel::<Batch>(senders);
        let (finished, results) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let path = format!("/{}/_bulk?filter_path=errors,items.*.status,items.*.error", options.index);
        let threads = (0..senders).map(|_| {
            let (queue, finished, client, path) =
                (Arc::clone(&queue), finished.clone(), Arc::clone(client), path.clone());
            std::thread::spawn(move || {
                loop {
                    let batch = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(batch) = batch else { break };
                    if finished.send(send(&client, &path, batch)).is_err() {
                        break;
                    }
                }
            })
        });
        let mut sender = Sender {
            client: Arc::clone(client),
            jobs: Some(jobs),
            results,
            threads: threads.collect(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            bulk_bytes: FIRST_BULK_BYTES,
            best: 0.0,
            next: 0,
            first_open: 0,
            done: BTreeMap::new(),
            skipped,
            acknowledged: skipped,
            total,
            under_way: 0,
            pushed: Pushed::default(),
            failed: None,
            rate: options.rate,
            began: Instant::now(),
            sent: 0,
            progress,
            reported: Instant::now(),
        };
        sender.report();
        sender
    }

    /// Takes the two lines of a document; gives how many are acknowledged without a gap, when more of them are.
    pub fn add(&mut self, lines: Vec<u8>, cancel: &Cancel) -> Result<Option<u64>> {
        self.waiting_bytes += lines.len();
        self.waiting.push(lines);
        let before = self.acknowledged;
        // With a rate, a request has the documents of a second at most.
        let is_second = self.rate.is_some_and(|rate| self.waiting.len() as u64 >= rate.max(1));
        if self.waiting_bytes >= self.bulk_bytes || is_second {
            self.hand_over(cancel)?;
        }
        while let Ok(done) = self.results.try_recv() {
            self.take(done);
        }
        self.problem()?;
        Ok((self.acknowledged > before).then_some(self.acknowledged))
    }

    fn hand_over(&mut self, cancel: &Cancel) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.keep_rate(cancel)?;
        let mut batch = Batch { number: self.next, documents: std::mem::take(&mut self.waiting) };
        self.next += 1;
        self.waiting_bytes = 0;
        self.sent += batch.documents.len() as u64;
        loop {
            if cancel.is_set() {
                return Err(Error::cancelled());
            }
            let Some(jobs) = &self.jobs else { return Ok(()) };
            match jobs.try_send(batch) {
                Ok(()) => {
                    self.under_way += 1;
                    return Ok(());
                }
                Err(TrySendError::Full(back) | TrySendError::Disconnected(back)) => batch = back,
            }
            self.wait();
            self.problem()?;
        }
    }

    /// Waits as long as the documents so far take at the wanted rate.
    fn keep_rate(&mut self, cancel: &Cancel) -> Result<()> {
        let Some(rate) = self.rate.filter(|rate| *rate > 0) else { return Ok(()) };
        let due = self.began + Duration::from_secs_f64(self.sent as f64 / rate as f64);
        while Instant::now() < due {
            if cancel.is_set() {
                return Err(Error::cancelled());
            }
            self.wait();
            self.problem()?;
        }
        Ok(())
    }

    fn wait(&mut self) {
        match self.results.recv_timeout(POLL) {
            Ok(done) => self.take(done),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(POLL),
        }
        // While the cluster is busy, nothing is acknowledged for long.
        if self.reported.elapsed() >= REPORT {
            self.report();
        }
    }

    fn take(&mut self, done: Done) {
        self.under_way = self.under_way.saturating_sub(1);
        match done.result {
            Err(error) => {
                self.failed.get_or_insert(error);
                return;
            }
            Ok(pushed) => {
                self.choose_size(done.bytes, done.took, pushed.retries > 0 || done.was_too_large);
                self.pushed.created += pushed.created;
                self.pushed.known += pushed.known;
                self.pushed.retries += pushed.retries;
                self.pushed.bytes += done.bytes as u64;
                for (reason, count) in pushed.refused {
                    *self.pushed.refused.entry(reason).or_default() += count;
                }
            }
        }
        self.done.insert(done.number, done.documents);
        while let Some(documents) = self.done.remove(&self.first_open) {
            self.acknowledged += documents;
            self.first_open += 1;
        }
        self.report();
    }

    /// Larger requests as long as they are faster, smaller ones when the cluster has too much to do.
    fn choose_size(&mut self, bytes: usize, took: Duration, was_refused: bool) {
        if was_refused || took > SLOW {
            self.bulk_bytes = (self.bulk_bytes / 2).max(LEAST_BULK_BYTES);
            return;
        }
        let speed = bytes as f64 / took.as_secs_f64().max(1e-6);
        if bytes * 2 > self.bulk_bytes && speed > self.best * 1.1 {
            self.best = speed;
            self.bulk_bytes = (self.bulk_bytes * 2).min(BULK_BYTES);
        }
    }

    fn problem(&self) -> Result<()> {
        self.failed.as_ref().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Sends what waits, and takes what is under way.
    pub fn finish(&mut self, cancel: &Cancel) -> Result<()> {
        let handed = if self.failed.is_none() { self.hand_over(cancel) } else { Ok(()) };
        self.jobs = None;
        while self.under_way > 0 && self.threads.iter().any(|thread| !thread.is_finished()) {
            self.wait();
        }
        while let Ok(done) = self.results.try_recv() {
            self.take(done);
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        handed.and_then(|()| self.problem())
    }

    pub fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    pub fn pushed(&self) -> Pushed {
        self.pushed.clone()
    }

    fn report(&mut self) {
        let per_second =
            (self.acknowledged - self.skipped) as f64 / self.began.elapsed().as_secs_f64().max(1e-6);
        let left = self.total.saturating_sub(self.acknowledged) as f64;
        (self.progress)(PushProgress {
            done: self.acknowledged,
            total: self.total,
            bulk_bytes: self.bulk_bytes,
            retries: self.pushed.retries,
            retried_requests: self.client.retried(),
            per_second,
            left_seconds: (per_second > 0.0).then(|| left / per_second),
        });
        self.reported = Instant::now();
    }
}

fn send(client: &Client, path: &str, batch: Batch) -> Done {
    let began = Instant::now();
    let documents = batch.documents.len() as u64;
    let bytes = batch.documents.iter().map(Vec::len).sum();
    let mut was_too_large = false;
    let result = send_all(client, path, batch.documents, &mut was_too_large);
    Done { number: batch.number, documents, bytes, took: began.elapsed(), result, was_too_large }
}

/// Sends documents until the cluster has taken or refused each.
fn send_all(
    client: &Client,
    path: &str,
    documents: Vec<Vec<u8>>,
    was_too_large: &mut bool,
) -> Result<Pushed> {
    let mut pushed = Pushed::default();
    let mut open = vec![documents];
    let (mut pause, mut rounds) = (FIRST_PAUSE, 0);
    while let Some(documents) = open.pop() {
        let body = Arc::new(documents.concat());
        let reply = client.call("POST", path, &Body::Lines(body))?;
        if reply.status == 413 && documents.len() > 1 {
            *was_too_large = true;
            let (one, other) = documents.split_at(documents.len() / 2);
            open.extend([one.to_vec(), other.to_vec()]);
            continue;
        }
        let answer = client.ok(reply)?;
        let items = json::list(&answer, &["items"])?;
        if items.len() != documents.len() {
            let message =
                format!("the cluster answered for {} of {} documents", items.len(), documents.len());
            return Err(Error::new(ErrorKind::Corrupt, message).hint("push again: nothing is stored twice"));
        }
        let mut again = Vec::new();
        for (document, item) in documents.into_iter().zip(items) {
            let item = &item["create"];
            match item["status"].as_u64() {
                Some(200 | 201) => pushed.created += 1,
                Some(409) => pushed.known += 1,
                Some(429 | 503) => again.push(document),
                Some(_) => {
                    let error = &item["error"];
                    let text = |value: &Value| json::quoted(value.as_str().unwrap_or_default());
                    let reason = format!("{}: {}", text(&error["type"]), text(&error["reason"]));
                    // Values differ from document to document, the reason does not.
                    let reason = reason.split(" in document with id").next().unwrap_or_default().to_owned();
                    *pushed.refused.entry(reason).or_default() += 1;
                }
                None => return Err(json::lacks(&["items", "create", "status"])),
            }
        }
        if again.is_empty() {
            continue;
        }
        rounds += 1;
        if rounds > ROUNDS {
            let error = Error::new(ErrorKind::NotReadable, "the cluster has no room for more documents");
            return Err(
                error.hint("push again later: it goes on where it ended, and nothing is stored twice")
            );
        }
        pushed.retries += again.len() as u64;
        let until = Instant::now() + pause;
        while Instant::now() < until {
            if client.cancel().is_set() {
                return Err(Error::cancelled());
            }
            std::thread::sleep(POLL.min(until.saturating_duration_since(Instant::now())));
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
        open.push(again);
    }
    Ok(pushed)
}
