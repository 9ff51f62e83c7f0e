//! What a request is answered with, and Elasticsearch's way to say what is wrong.

use std::time::Duration;

use hyper::StatusCode;
use indexer::Cancel;
use serde_json::{Value, json};

use super::limits::ANSWER_BYTES;
use super::request::Head;
use crate::Refused;

/// The body of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// JSON that may still be filtered and laid out.
    Value(Value),
    /// JSON text that may still be filtered and laid out.
    Json(Vec<u8>),
    /// JSON text as it is sent: without what the client does not want, and laid out.
    Rendered(Vec<u8>),
    Text(String),
    Protobuf(Vec<u8>),
    None,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub status: StatusCode,
    pub body: Body,
    pub retry_after: Option<Duration>,
    /// What has to be sent for the client to be let in.
    pub wants_token: bool,
}

impl Answer {
    pub fn new(status: StatusCode, body: Body) -> Answer {
        Answer { status, body, retry_after: None, wants_token: false }
    }

    pub fn value(value: Value) -> Answer {
        Answer::new(StatusCode::OK, Body::Value(value))
    }

    pub fn created(value: Value) -> Answer {
        Answer::new(StatusCode::CREATED, Body::Value(value))
    }

    /// The answer as it is sent. A long one takes a while, so this is not for threads that serve connections.
    #[must_use]
    pub fn rendered(self, head: &Head, cancel: &Cancel) -> Answer {
        let (text, filter) = match self.body {
            // A tree of JSON can always be printed.
            Body::Value(ref value) => (serde_json::to_vec(value).unwrap_or_default(), &head.filter),
            Body::Json(text) => (text, &head.filter),
            _ => return self,
        };
        let text = if filter.is_everything() { text } else { filter.apply(&text, cancel) };
        let laid_out = head.flag("pretty").then(|| laid_out(&text, LAID_OUT_BYTES)).flatten();
        Answer { body: Body::Rendered(laid_out.unwrap_or(text)), ..self }
    }

    /// What nearly every request that changes settings is answered with.
    pub fn acknowledged() -> Answer {
        Answer::value(json!({"acknowledged": true}))
    }

    /// Whether something is there, for HEAD.
    pub fn exists(exists: bool) -> Answer {
        Answer::new(if exists { StatusCode::OK } else { StatusCode::NOT_FOUND }, Body::None)
    }
}

/// A longer answer is sent as it is: indents of deep lists take many times the bytes of what is in them.
const LAID_OUT_BYTES: usize = 4 * ANSWER_BYTES;

/// JSON with a line for each value. Nothing where that is longer than allowed.
fn laid_out(json: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(2 * json.len());
    let (mut depth, mut in_text, mut is_escaped) = (0_usize, false, false);
    let line = |out: &mut Vec<u8>, depth: usize| {
        out.push(b'\n');
        out.resize(out.len() + 2 * depth, b' ');
    };
    for &byte in json {
        if in_text {
            (in_text, is_escaped) = (is_escaped || byte != b'"', byte == b'\\' && !is_escaped);
            out.push(byte);
            continue;
        }
        let is_first = matches!(out.last(), Some(b'{' | b'['));
        match byte {
            byte if byte.is_ascii_whitespace() => continue,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if !is_first {
                    line(&mut out, depth);
                }
            }
            _ if is_first => line(&mut out, depth),
            _ => {}
        }
        out.push(byte);
        match byte {
            b'{' | b'[' => depth += 1,
            b',' => line(&mut out, depth),
            b':' => out.push(b' '),
            _ => in_text = byte == b'"',
        }
        if out.len() > most {
            return None;
        }
    }
    out.push(b'\n');
    Some(out)
}

/// Why a request fails, in Elasticsearch's words: a type that clients branch on, and a reason for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub status: StatusCode,
    pub kind: &'static str,
    pub reason: String,
    pub retry_after: Option<Duration>,
}

pub type Answered = Result<Answer, Problem>;

impl Problem {
    pub fn new(status: StatusCode, kind: &'static str, reason: impl Into<String>) -> Problem {
        Problem { status, kind, reason: reason.into(), retry_after: None }
    }

    /// The request says something that cannot be done.
    pub fn argument(reason: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "illegal_argument_exception", reason)
    }

    /// The body cannot be understood.
    pub fn parsing(reason: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "parsing_exception", reason)
    }

    pub fn not_found(kind: &'static str, reason: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, kind, reason)
    }

    pub fn too_large(reason: impl Into<String>) -> Problem {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "content_too_long_exception", reason)
    }

    /// The sender is to wait and to send it again.
    pub fn busy(reason: impl Into<String>, retry_after: Duration) -> Problem {
        let status = StatusCode::TOO_MANY_REQUESTS;
        Problem {
            status,
            kind: "es_rejected_execution_exception",
            reason: reason.into(),
            retry_after: Some(retry_after),
        }
    }

    /// Nobody waits for the answer any more, or the server ends.
    pub fn cancelled() -> Problem {
        let reason = "the request was ended before it was answered";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "task_cancelled_exception", reason)
    }

    pub fn value(&self) -> Value {
        json!({
            "error": {
                "root_cause": [{"type": self.kind, "reason": self.reason}],
                "type": self.kind,
                "reason": self.reason,
            },
            "status": self.status.as_u16(),
        })
    }

    pub fn answer(&self) -> Answer {
        Answer {
            status: self.status,
            body: Body::Value(self.value()),
            retry_after: self.retry_after,
            wants_token: self.status == StatusCode::UNAUTHORIZED,
        }
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Problem {
        let reason = refused.to_string();
        match refused {
            Refused::Busy { retry_after } => Problem::busy(reason, retry_after),
            // What Elasticsearch says when a disk exceeds its flood stage; shippers wait and try again.
            Refused::DiskNearlyFull { .. } => Problem {
                retry_after: Some(Duration::from_secs(30)),
                ..Problem::new(StatusCode::TOO_MANY_REQUESTS, "cluster_block_exception", reason)
            },
            Refused::Closed => Problem {
                retry_after: Some(Duration::from_secs(5)),
                ..Problem::new(StatusCode::SERVICE_UNAVAILABLE, "node_closed_exception", reason)
            },
            Refused::Failed(_) => {
                Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "translog_exception", reason)
            }
        }
    }
}

impl From<indexer::Error> for Problem {
    fn from(error: indexer::Error) -> Problem {
        use indexer::ErrorKind as Kind;
        let reason = match error.hint_text() {
            Some(hint) => format!("{}; {hint}", error.message()),
            None => error.message().to_owned(),
        };
        match error.kind() {
            Kind::QueryInvalid | Kind::BadRequest => Problem::argument(reason),
            Kind::Limit => Problem::new(StatusCode::BAD_REQUEST, "too_many_buckets_exception", reason),
            Kind::Cancelled => Problem::cancelled(),
            _ => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "exception", error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_laid_out_as_a_printer_does() {
        for value in [
            json!({"a": [1, {"b": "x, {\"y\": [\\]}\\"}, [], {}], "c": null, "d": {"e": [[1.5], true]}}),
            json!([]),
            json!("text"),
        ] {
            let expected = serde_json::to_string_pretty(&value).expect("JSON") + "\n";
            for text in [value.to_string(), expected.clone()] {
                let laid_out = laid_out(text.as_bytes(), 1_000).expect("it is short");
                assert_eq!(String::from_utf8_lossy(&laid_out), expected);
            }
        }
        assert_eq!(laid_out(&b"[".repeat(1_000), 1_000), None);
    }
}
