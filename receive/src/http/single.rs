//! Documents one at a time: stored as in a bulk of one, and fetched by the ids that searches give.

use hyper::StatusCode;
use serde_json::json;

use super::Host;
use super::answer::{Answer, Answered, Body, Problem};
use super::bulk::push_text;
use super::document::{self, Fault, PREFIX};
use super::request::{Head, Request};
use super::search::{hit_source, index_of, parse_hit_id};

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, fault.kind, fault.reason)
    }
}

/// Stores a document; with `create` only where there is none with its id.
pub fn store(host: &Host, request: &Request, index: &str, id: Option<&str>, create: bool) -> Answered {
    let head = &request.head;
    document::check_index(index)?;
    if let Some(id) = id {
        document::check_id(id)?;
    }
    let create = create || head.parameter("op_type") == Some("create");
    let stream = host.stream(&format!("{PREFIX}{index}"), head.peer);
    if let Err(fault) = document::check(&request.body) {
        let counters = host.intake.counters().source(stream.title());
        counters.received(1, 0);
        counters.rejected(fault.counted, 1);
        return Err(fault.into());
    }
    let record = document::record(&request.body, id);
    let appended = host.intake.append(&stream, vec![record])?;
    host.settings.add_index(index);
    host.refresh_asked(head, &request.cancel);
    let is_new = appended.is_new.first().copied().unwrap_or(true);
    if create && !is_new {
        let id = id.unwrap_or_default();
        let reason = format!("[{id}]: version conflict, document already exists (current version [1])");
        return Err(Problem::new(StatusCode::CONFLICT, "version_conflict_engine_exception", reason));
    }
    let number = host.ids.take(1);
    let made = || String::from_utf8_lossy(&host.ids.id(number)).into_owned();
    let value = json!({
        "_index": index,
        "_id": id.map_or_else(made, str::to_owned),
        "_version": 1,
        "result": if is_new { "created" } else { "noop" },
        "_shards": {"total": 1, "successful": 1, "failed": 0},
        "_seq_no": number,
        "_primary_term": 1,
    });
    Ok(if is_new { Answer::created(value) } else { Answer::value(value) })
}

/// The event of an id that a search gave.
pub fn fetch(host: &Host, head: &Head, index: &str, id: &str, source_only: bool) -> Answered {
    let missing = || {
        Answer::new(StatusCode::NOT_FOUND, Body::Value(json!({"_index": index, "_id": id, "found": false})))
    };
    let Some((source, offset)) = parse_hit_id(id) else { return Ok(missing()) };
    let snapshot = host.case.snapshot();
    let Some(entry) = snapshot.sources().get(source as usize).filter(|entry| !entry.deleted) else {
        return Ok(missing());
    };
    let found = index_of(&entry.name);
    if found != index {
        return Ok(missing());
    }
    let event = match host.case.event(&snapshot, source, offset, super::limits::HIT_BYTES) {
        Ok((event, _)) => event,
        Err(error) if error.kind() == indexer::ErrorKind::NotFound => return Ok(missing()),
        Err(error) => return Err(error.into()),
    };
    if head.method == hyper::Method::HEAD {
        return Ok(Answer::exists(true));
    }
    let document = hit_source(&event);
    if source_only {
        return Ok(Answer::new(StatusCode::OK, Body::Json(document)));
    }
    let mut out = b"{\"_index\":".to_vec();
    push_text(&mut out, found);
    out.extend_from_slice(b",\"_id\":");
    push_text(&mut out, id);
    out.extend_from_slice(b",\"_version\":1,\"_seq_no\":0,\"_primary_term\":1,\"found\":true,\"_source\":");
    out.extend_from_slice(&document);
    out.push(b'}');
    Ok(Answer::new(StatusCode::OK, Body::Json(out)))
}
