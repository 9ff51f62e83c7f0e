//! `_bulk`: documents are parsed while the body still arrives, appended together, and each item is answered on its own.

mod action;
mod parse;
mod reply;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use hyper::StatusCode;
use hyper::body::Incoming;
use indexer::Cancel;
use tokio::time::timeout;

use parse::{Group, NO_INDEX, Outcome, Parser, TooManyItems};
pub use reply::{Ids, push_text};

use super::Host;
use super::answer::{Answer, Answered, Body, Problem};
use super::body::Pieces;
use super::document::{self, Fault, PREFIX};
use super::limits::{BULK_BYTES, BULK_ITEMS, MEMORY_PATIENCE};
use super::request::Head;
use super::respond::{failed, late};

/// Answers a bulk request, to the index of its path unless items name their own. Nothing of it is stored before all of it
/// is here, so that it is taken or refused as a whole.
pub async fn bulk(
    host: &Arc<Host>,
    head: &Head,
    index: Option<&str>,
    body: Incoming,
    cancel: &Cancel,
) -> Answered {
    let started = Instant::now();
    if let Some(index) = index {
        document::check_index(index)
            .map_err(|fault| Problem::new(StatusCode::BAD_REQUEST, fault.kind, fault.reason))?;
    }
    let mut pieces = Pieces::new(body, head.is_gzip()?, BULK_BYTES, host)?;
    let mut parser = Parser::new(index);
    let memory = host.memory.enter();
    let too_many = |TooManyItems| {
        Problem::too_large(format!("a bulk request has at most {BULK_ITEMS} items; send it in parts"))
    };
    while let Some(piece) = pieces.next().await? {
        parser.feed(&piece).map_err(too_many)?;
        memory.set(parser.held_bytes(), MEMORY_PATIENCE).await?;
    }
    parser.finish().map_err(too_many)?;
    if parser.items.is_empty() {
        return Err(Problem::parsing("request body is required"));
    }
    let appending = append(host, head.peer, &mut parser);
    let stored =
        timeout(host.options.patience.answer, appending).await.unwrap_or_else(|_| Err(late(&["_bulk"])))?;
    count_failed(host, &parser);
    if stored && head.parameter("refresh").is_some() {
        let place = host.queues.refresh().await;
        let (host, head, cancel) = (Arc::clone(host), head.clone(), cancel.clone());
        let refreshing = tokio::task::spawn_blocking(move || {
            host.refresh_asked(&head, &cancel);
            drop(place);
        });
        // Nothing can be lost any more: whatever became of the wait, the items are answered.
        let _ = refreshing.await;
    }
    let took = started.elapsed().as_millis() as u64;
    let text = reply::reply(&parser.items, parser.names(), &host.ids, took, &head.filter);
    Ok(Answer::new(StatusCode::OK, if head.flag("pretty") { Body::Json(text) } else { Body::Rendered(text) }))
}

/// Appends all documents together. Tells whether any of them was new.
async fn append(host: &Arc<Host>, sender: IpAddr, parser: &mut Parser) -> Result<bool, Problem> {
    let (mut batches, mut owners) = (Vec::new(), Vec::new());
    for (index, Group { records, items }) in parser.take_waiting() {
        let Some(name) = parser.names().get(index as usize).cloned() else { continue };
        batches.push((host.stream(&format!("{PREFIX}{name}"), sender), records));
        owners.push((name, items));
    }
    if batches.is_empty() {
        return Ok(false);
    }
    let intake = Arc::clone(&host.intake);
    let appending = tokio::task::spawn_blocking(move || intake.append_all(batches));
    let appended = appending.await.map_err(|error| failed(&error))??;
    if let Some(Err(refused)) = appended.iter().find(|appended| appended.is_ok()).or(appended.first()) {
        return Err(refused.clone().into());
    }
    let mut stored = false;
    for ((name, items), appended) in owners.iter().zip(appended) {
        let appended = match appended {
            Ok(appended) => appended,
            Err(refused) => {
                let problem = Problem::from(refused);
                let fault = Fault { kind: problem.kind, reason: problem.reason, counted: "" };
                for &item in items {
                    let failed = Box::new((problem.status.as_u16(), fault.clone()));
                    parser.items[item as usize].outcome = Outcome::Failed(failed);
                }
                continue;
            }
        };
        host.settings.add_index(name);
        stored |= appended.stored > 0;
        let is_new = appended.is_new.into_iter().chain(std::iter::repeat(true));
        for (&item, is_new) in items.iter().zip(is_new) {
            parser.items[item as usize].outcome = if is_new { Outcome::Created } else { Outcome::Exists };
        }
    }
    Ok(stored)
}

/// Counts the items that senders made mistakes in.
fn count_failed(host: &Host, parser: &Parser) {
    for item in &parser.items {
        let Outcome::Failed(failed) = &item.outcome else { continue };
        if failed.1.counted.is_empty() {
            continue;
        }
        // Names that cannot be indices are not made into counters of their own.
        let name = match parser.names().get(item.index as usize) {
            Some(name) if item.index != NO_INDEX && document::check_index(name).is_ok() => {
                format!("{PREFIX}{name}")
            }
            _ => "http".to_owned(),
        };
        let counters = host.intake.counters().source(&name);
        counters.received(1, 0);
        counters.rejected(failed.1.counted, 1);
    }
}
