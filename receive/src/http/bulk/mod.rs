//! `_bulk`: documents are appended while the body still arrives, and each item is answered on its own.

mod action;
mod parse;
mod reply;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hyper::StatusCode;
use hyper::body::Incoming;

use parse::{Group, NO_INDEX, Outcome, Parser, TooManyItems};
pub use reply::{Ids, push_text};

use super::Host;
use super::answer::{Answer, Answered, Body, Problem};
use super::body::Pieces;
use super::document::{self, Fault, PREFIX};
use super::filter_path::FilterPath;
use super::limits::{BULK_BYTES, BULK_ITEMS, FLUSH_BYTES, MEMORY_BYTES};
use super::request::Head;
use crate::Refused;

/// What bulk bodies hold in memory, all of them together.
#[derive(Debug, Default)]
pub struct Memory(AtomicUsize);

/// The part of it that one request holds.
struct HeldItems<'m> {
    memory: &'m Memory,
    bytes: usize,
}

impl HeldItems<'_> {
    fn set(&mut self, bytes: usize) {
        self.memory.0.fetch_add(bytes, Ordering::Relaxed);
        self.memory.0.fetch_sub(self.bytes, Ordering::Relaxed);
        self.bytes = bytes;
    }

    fn is_too_much(&self) -> bool {
        self.memory.0.load(Ordering::Relaxed) > MEMORY_BYTES
    }
}

impl Drop for HeldItems<'_> {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// A request while its body arrives.
struct BulkRequest<'h> {
    host: &'h Arc<Host>,
    parser: Parser,
    sender: IpAddr,
    /// Something of it is stored, so that it cannot be refused as a whole any more.
    stored: bool,
}

/// Answers a bulk request, to the index of its path unless items name their own.
pub async fn bulk(host: &Arc<Host>, head: &Head, index: Option<&str>, body: Incoming) -> Answered {
    let started = Instant::now();
    if let Some(index) = index {
        document::check_index(index)
            .map_err(|fault| Problem::new(StatusCode::BAD_REQUEST, fault.kind, fault.reason))?;
    }
    let mut pieces = Pieces::new(body, head.is_gzip()?, BULK_BYTES, host.options.patience)?;
    let mut request = BulkRequest { host, parser: Parser::new(index), sender: head.peer, stored: false };
    let mut memory = HeldItems { memory: &host.memory, bytes: 0 };
    while let Some(piece) = pieces.next().await? {
        request.parser.feed(&piece).map_err(|_| too_many_items())?;
        memory.set(request.parser.held_bytes());
        if request.parser.waiting_bytes() >= FLUSH_BYTES || memory.is_too_much() {
            request.append().await?;
            memory.set(request.parser.held_bytes());
            if memory.is_too_much() && request.parser.waiting_bytes() == 0 && !request.stored {
                let reason = "bodies of other requests take all memory that is set aside for them";
                return Err(Problem::busy(reason, Duration::from_secs(1)));
            }
        }
    }
    request.parser.finish().map_err(|TooManyItems| too_many_items())?;
    if request.parser.items.is_empty() {
        return Err(Problem::parsing("request body is required"));
    }
    request.append().await?;
    request.count_failed();
    if request.stored && head.parameter("refresh").is_some() {
        let (host, head) = (Arc::clone(host), head.clone());
        // Nothing can be lost any more: whatever became of the wait, the items are answered.
        let _ = tokio::task::spawn_blocking(move || host.refresh_asked(&head)).await;
    }
    let paths = FilterPath::parse(head.parameter("filter_path").unwrap_or_default());
    let took = started.elapsed().as_millis() as u64;
    let text = reply::reply(&request.parser.items, request.parser.names(), &host.ids, took, &paths);
    Ok(Answer::new(StatusCode::OK, Body::Filtered(text)))
}

fn too_many_items() -> Problem {
    Problem::too_large(format!("a bulk request has at most {BULK_ITEMS} items; send it in parts"))
}

impl BulkRequest<'_> {
    /// Appends what waits. Where nothing is stored yet and the case takes nothing, the request as a whole is refused;
    /// later the items are, which clients send again alone.
    async fn append(&mut self) -> Result<(), Problem> {
        for (index, group) in self.parser.take_waiting() {
            let Group { records, items } = group;
            let Some(name) = self.parser.names().get(index as usize) else { continue };
            let stream = self.host.stream(&format!("{PREFIX}{name}"), self.sender);
            let intake = Arc::clone(&self.host.intake);
            let appended = tokio::task::spawn_blocking(move || intake.append(&stream, records)).await;
            let appended = appended.unwrap_or_else(|error| Err(Refused::Failed(error.to_string())));
            match appended {
                Ok(appended) => {
                    self.host.settings.add_index(name);
                    self.stored |= appended.stored > 0;
                    let is_new = appended.is_new.into_iter().chain(std::iter::repeat(true));
                    for (&item, is_new) in items.iter().zip(is_new) {
                        self.parser.items[item as usize].outcome =
                            if is_new { Outcome::Created } else { Outcome::Exists };
                    }
                }
                Err(refused) => {
                    let problem = Problem::from(refused);
                    if !self.stored {
                        return Err(problem);
                    }
                    let fault = Fault { kind: problem.kind, reason: problem.reason, counted: "" };
                    for &item in &items {
                        let failed = Box::new((problem.status.as_u16(), fault.clone()));
                        self.parser.items[item as usize].outcome = Outcome::Failed(failed);
                    }
                }
            }
        }
        Ok(())
    }

    /// Counts the items that senders made mistakes in.
    fn count_failed(&self) {
        for item in &self.parser.items {
            let Outcome::Failed(failed) = &item.outcome else { continue };
            if failed.1.counted.is_empty() {
                continue;
            }
            // Names that cannot be indices are not made into counters of their own.
            let name = match self.parser.names().get(item.index as usize) {
                Some(name) if item.index != NO_INDEX && document::check_index(name).is_ok() => {
                    format!("{PREFIX}{name}")
                }
                _ => "http".to_owned(),
            };
            let counters = self.host.intake.counters().source(&name);
            counters.received(1, 0);
            counters.rejected(failed.1.counted, 1);
        }
    }
}
