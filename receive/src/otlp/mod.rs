//! OTLP: logs of OpenTelemetry over HTTP, as protobuf and as JSON. Each log record becomes one JSON line with
//! its time, severity, body, attributes, those of its resource and scope, and its trace and span.

mod json;
mod protobuf;
mod record;

use hyper::header;
use hyper::{Method, StatusCode};
use serde_json::json;

use crate::http::{Answer, Body, Host, Problem, Request, limits};
use crate::{Record, Stream};

/// Records of one service, in their order.
struct Service {
    stream: Stream,
    records: Vec<Record>,
}

/// The encodings that requests come in; they are answered in the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Protobuf,
    Json,
}

impl Encoding {
    fn from_request(request: &Request) -> Option<Encoding> {
        let kind = request.head.header(header::CONTENT_TYPE).unwrap_or_default();
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
    let Some(encoding) = Encoding::from_request(request) else {
        let reason = "logs are sent as application/x-protobuf or application/json";
        return Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media_type_header_exception", reason)
            .answer();
    };
    match receive(host, request, encoding) {
        Ok((0, _)) => encoding.success(0, ""),
        Ok((rejected, message)) => encoding.success(rejected, &message),
        Err(problem) => encoding.failure(&problem),
    }
}

/// Appends the records; gives how many were turned away, and why.
fn receive(host: &Host, request: &Request, encoding: Encoding) -> Result<(u64, String), Problem> {
    let decoded = match encoding {
        Encoding::Protobuf => protobuf::decode(&request.body),
        Encoding::Json => json::decode(&request.body),
    };
    let records = decoded.map_err(|reason| {
        host.intake.counters().source("otlp").rejected("malformed", 1);
        Problem::parsing(reason)
    })?;
    let now = jiff::Timestamp::now().as_nanosecond().try_into().unwrap_or(0);
    let mut services: Vec<Service> = Vec::new();
    let (mut rejected, mut message) = (0, String::new());
    for record in &records {
        let (name, line) = (record.stream_name(), record.line(now));
        if line.len() > limits::DOCUMENT_BYTES {
            let counters = host.intake.counters().source(&name);
            counters.received(1, 0);
            counters.rejected("too long", 1);
            message = format!("a log record is longer than {} bytes", limits::DOCUMENT_BYTES);
            rejected += 1;
            continue;
        }
        let place = services.iter().position(|service| service.stream.title() == name).unwrap_or_else(|| {
            let stream = host.stream(&name, request.head.peer);
            services.push(Service { stream, records: Vec::new() });
            services.len() - 1
        });
        services[place].records.push(Record::new(line));
    }
    let mut stored = false;
    for Service { stream, records } in services {
        let count = records.len() as u64;
        match host.intake.append(&stream, records) {
            Ok(_) => stored = true,
            Err(refused) => {
                // What is stored must not come again, so the rest is turned away for good.
                if !stored {
                    return Err(refused.into());
                }
                message = refused.to_string();
                rejected += count;
            }
        }
    }
    Ok((rejected, message))
}

#[cfg(test)]
mod tests;
