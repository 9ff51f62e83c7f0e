//! A log record as data, and the line that is made of it.

use std::sync::Arc;

use indexer::stamp::to_rfc3339;
use serde_json::{Map, Value, json};

/// A log record with what its resource and scope say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogRecord {
    /// Nanoseconds since 1970; 0 where it is not known.
    pub time: u64,
    pub observed: u64,
    /// 1 to 24; 0 where it is not given.
    pub severity_number: i64,
    pub severity_text: String,
    pub body: Option<Value>,
    pub attributes: Map<String, Value>,
    /// Records of one resource share it.
    pub resource: Arc<Map<String, Value>>,
    pub scope_name: String,
    pub scope_version: String,
    /// In hexadecimal digits.
    pub trace_id: String,
    pub span_id: String,
    pub event_name: String,
}

/// Takes what a decoder hands on, a record at a time; nothing for one that was not read, because its line would be too long.
pub type TakeRecord<'t> = &'t mut dyn FnMut(Option<&LogRecord>) -> Result<(), String>;

/// The longest name of a service that becomes the name of a source.
const SERVICE_NAME_BYTES: usize = 128;

impl LogRecord {
    /// The source that it goes to: one for each service.
    pub fn stream_name(&self) -> String {
        let service = self.resource.get("service.name").and_then(Value::as_str).unwrap_or("unknown_service");
        let mut name: String =
            service.chars().map(|c| if c.is_control() || c == '/' { '_' } else { c }).collect();
        name.truncate(name.floor_char_boundary(SERVICE_NAME_BYTES));
        format!("otlp/{name}")
    }

    /// One line of JSON with keys that the JSON format knows.
    pub fn line(&self, now: i64) -> Vec<u8> {
        let mut line = Map::new();
        let time = [self.time, self.observed].into_iter().find(|&time| time > 0);
        let time = time.and_then(|time| i64::try_from(time).ok()).unwrap_or(now);
        line.insert("timestamp".to_owned(), json!(to_rfc3339(time)));
        let severity = match self.severity_text.as_str() {
            "" => severity_word(self.severity_number).unwrap_or_default(),
            text => text,
        };
        let mut add = |name: &str, text: &str| {
            if !text.is_empty() {
                line.insert(name.to_owned(), json!(text));
            }
        };
        add("severity", severity);
        add("event_name", &self.event_name);
        add("trace_id", &self.trace_id);
        add("span_id", &self.span_id);
        add("scope", &self.scope_name);
        add("scope_version", &self.scope_version);
        if self.severity_number > 0 {
            line.insert("severity_number".to_owned(), json!(self.severity_number));
        }
        match &self.body {
            Some(Value::Object(fields)) => {
                line.insert("body".to_owned(), Value::Object(fields.clone()));
            }
            Some(Value::String(text)) => {
                line.insert("message".to_owned(), json!(text));
            }
            Some(Value::Null) | None => {}
            Some(other) => {
                line.insert("message".to_owned(), json!(other.to_string()));
            }
        }
        for (name, fields) in [("attributes", &self.attributes), ("resource", &*self.resource)] {
            if !fields.is_empty() {
                line.insert(name.to_owned(), Value::Object(fields.clone()));
            }
        }
        Value::Object(line).to_string().into_bytes()
    }
}

/// The short names of OpenTelemetry's severities; each means four numbers.
fn severity_word(number: i64) -> Option<&'static str> {
    Some(match number {
        1..=4 => "TRACE",
        5..=8 => "DEBUG",
        9..=12 => "INFO",
        13..=16 => "WARN",
        17..=20 => "ERROR",
        21..=24 => "FATAL",
        _ => return None,
    })
}

/// Nothing for all zeros, which mean that there is no id.
pub fn hex_id(bytes: &[u8]) -> String {
    if bytes.iter().all(|&byte| byte == 0) { String::new() } else { indexer::hex(bytes) }
}
