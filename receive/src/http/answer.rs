//! What a request is answered with, and Elasticsearch's way to say what is wrong.

use std::time::Duration;

use hyper::StatusCode;
use serde_json::{Value, json};

use crate::Refused;

/// The body of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// JSON that may still be filtered and laid out.
    Value(Value),
    /// JSON text that may still be filtered and laid out.
    Json(Vec<u8>),
    /// JSON text that is already without what the client does not want.
    Filtered(Vec<u8>),
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

    /// What nearly every request that changes settings is answered with.
    pub fn acknowledged() -> Answer {
        Answer::value(json!({"acknowledged": true}))
    }

    /// Whether something is there, for HEAD.
    pub fn exists(exists: bool) -> Answer {
        Answer::new(if exists { StatusCode::OK } else { StatusCode::NOT_FOUND }, Body::None)
    }
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
            Kind::Cancelled => Problem::new(StatusCode::BAD_REQUEST, "task_cancelled_exception", reason),
            _ => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "exception", error.to_string()),
        }
    }
}
