//! OTLP: logs of OpenTelemetry over HTTP, as protobuf and as JSON. Each log record becomes one JSON line with
//! its time, severity, body, attributes, those of its resource and scope, and its trace and span.

mod json;
mod protobuf;
mod record;

use std::collections::HashMap;

use hyper::header;
use hyper::{Method, StatusCode};
use serde_json::json;

use crate::http::{Answer, Body, Head, Host, Problem, Request, limits};
use crate::{Record, Refused, Stream};
use record::LogRecord;

/// The records of a request by their streams, as lines. A line has what was said once of its resource and scope, so a short
/// body may become many long lines: those are counted before anything is appended.
#[derive(Default)]
struct Lines {
    batches: Vec<(Stream, Vec<Record>)>,
    places: HashMap<String, usize>,
    records: usize,
    bytes: usize,
    /// Records that are not stored, and why the last one is not.
    rejected: u64,
    message: String,
}

/// The encodings that requests come in; they are answered in the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Protobuf,
    Json,
}

impl Encoding {
    fn from_head(head: &Head) -> Option<Encoding> {
        let kind = head.header(header::CONTENT_TYPE).unwrap_or_default();
        match kind.split(';').next().unwrap_or_default().trim() {
            "application/x-protobuf" | "application/protobuf" => Some(Encoding::Protobuf),
            "application/json" => Some(Encoding::Json),
            _ => None,
        }
    }

    /// What was not accepted, and why; an empty answer when that is nothing.
    fn success(self, rejected: u64, message: &str) -> Answer {
        match self {
            Encoding::Json if rejected == 0 => Answer::value(json!({})),
            Encoding::Json => {
                let partial = json!({"rejectedLogRecords": rejected.to_string(), "errorMessage": message});
                Answer::value(json!({"partialSuccess": partial}))
            }
            Encoding::Protobuf => {
                Answer::new(StatusCode::OK, Body::Protobuf(protobuf::success(rejected, message)))
            }
        }
    }

    fn failure(self, problem: &Problem) -> Answer {
        let answer = problem.answer();
        let body = match self {
            Encoding::Json => Body::Value(json!({"code": 3, "message": problem.reason})),
            Encoding::Protobuf => Body::Protobuf(protobuf::status(&problem.reason)),
        };
        // Exporters send again after 429, 502, 503 and 504 only.
        Answer { body, ..answer }
    }
}

/// Answers `POST /v1/logs`.
pub(crate) fn logs(host: &Host, request: &Request) -> Answer {
    debug_assert_eq!(request.head.method, Method::POST);
    let Some(encoding) = Encoding::from_head(&request.head) else {
        let reason = "logs are sent as application/x-protobuf or application/json";
        return Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media_type_header_exception", reason)
            .answer();
    };
    match receive(host, request, encoding) {
        Ok((rejected, message)) => encoding.success(rejected, &message),
        Err(problem) => encoding.failure(&problem),
    }
}

/// What the values of a body take in memory, at most: an object of JSON takes a node of a tree, however short it is. Of
/// protobuf one resource and one record are in memory at a time.
pub(crate) fn tree_bytes(head: &Head, body: &[u8]) -> usize {
    const NODE_BYTES: usize = 640;
    let count = |byte| memchr::memchr_iter(byte, body).count();
    match Encoding::from_head(head) {
        Some(Encoding::Json) => {
            let nodes = count(b'{') * NODE_BYTES + count(b'[') * NODE_BYTES / 4;
            body.len() + nodes + count(b':') * NODE_BYTES / 4 + count(b',') * NODE_BYTES / 10
        }
        // The shortest object in an object has six bytes.
        Some(Encoding::Protobuf) => body.len().min(2 * limits::DOCUMENT_BYTES) * (NODE_BYTES / 5),
        None => 0,
    }
}

/// Appends all records together; gives how many were turned away, and why.
fn receive(host: &Host, request: &Request, encoding: Encoding) -> Result<(u64, String), Problem> {
    let lines = lines(host, request, encoding)?;
    // Its tree is gone.
    drop(request.place.take());
    let Lines { batches, mut rejected, mut message, .. } = lines;
    let counts: Vec<u64> = batches.iter().map(|(_, records)| records.len() as u64).collect();
    let appended = host.intake.append_all(batches)?;
    if !appended.is_empty() && appended.iter().all(Result::is_err) {
        return Err(appended.into_iter().find_map(Result::err).unwrap_or(Refused::Closed).into());
    }
    for (appended, count) in appended.into_iter().zip(counts) {
        if let Err(refused) = appended {
            rejected += count;
            message = refused.to_string();
        }
    }
    Ok((rejected, message))
}

fn lines(host: &Host, request: &Request, encoding: Encoding) -> Result<Lines, Problem> {
    let now = jiff::Timestamp::now().as_nanosecond().try_into().unwrap_or(0);
    let (mut lines, mut refused) = (Lines::default(), None);
    let mut each = |record: Option<&LogRecord>| {
        let added = lines.add(host, request, record, now);
        added.map_err(|problem| {
            let reason = problem.reason.clone();
            refused = Some(problem);
            reason
        })
    };
    let decoded = match encoding {
        Encoding::Protobuf => protobuf::decode(&request.body, &mut each),
        Encoding::Json => json::decode(&request.body, &mut each),
    };
    match (decoded, refused) {
        (Ok(()), _) => Ok(lines),
        (Err(_), Some(problem)) => Err(problem),
        (Err(reason), None) => {
            host.intake.counters().source("otlp").rejected("malformed", 1);
            Err(Problem::parsing(reason))
        }
    }
}

impl Lines {
    fn add(
        &mut self,
        host: &Host,
        request: &Request,
        record: Option<&LogRecord>,
        now: i64,
    ) -> Result<(), Problem> {
        if request.cancel.is_set() {
            return Err(Problem::cancelled());
        }
        let name = record.map_or_else(|| "otlp".to_owned(), LogRecord::stream_name);
        let line = record.map(|record| record.line(now));
        self.records += 1;
        self.bytes += line.as_ref().map_or(0, |line| line.len() + size_of::<Record>());
        if self.records > limits::OTLP_RECORDS || self.bytes > limits::OTLP_LINES_BYTES {
            return Err(Problem::too_large(format!(
                "a request has at most {} log records, and {} bytes with what is said of their resources; \
                 send it in parts",
                limits::OTLP_RECORDS,
                limits::OTLP_LINES_BYTES
            )));
        }
        let Some(line) = line.filter(|line| line.len() <= limits::DOCUMENT_BYTES) else {
            let counters = host.intake.counters().source(&name);
            counters.received(1, 0);
            counters.rejected("too long", 1);
            self.message = format!("a log record is longer than {} bytes", limits::DOCUMENT_BYTES);
            self.rejected += 1;
            return Ok(());
        };
        let place = *self.places.entry(name).or_insert_with_key(|name| {
            self.batches.push((host.stream(name, request.head.peer), Vec::new()));
            self.batches.len() - 1
        });
        self.batches[place].1.push(Record::new(line));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
