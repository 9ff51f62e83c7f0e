//! JSON-RPC 2.0 as the Model Context Protocol uses it on standard input and output: a message a line.

use std::io::{self, BufRead, Write};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::limits::LINE_BYTES;

/// Releases of the protocol that begin with `initialize`, the newest first. Clients of later ones, which ask
/// `server/discover` before, fall back to it.
pub const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The codes of JSON-RPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Parse = -32_700,
    InvalidRequest = -32_600,
    UnknownMethod = -32_601,
    InvalidParams = -32_602,
    Internal = -32_603,
}

/// What a line of the input is.
pub enum Line {
    Message(Vec<u8>),
    /// Longer than a message may be; it was passed over.
    TooLong,
    End,
}

/// The next line, however long it is.
pub fn read_line(input: &mut dyn BufRead) -> io::Result<Line> {
    let mut line = Vec::new();
    let mut bytes = 0;
    loop {
        let read = input.fill_buf()?;
        if read.is_empty() {
            return Ok(if bytes == 0 { Line::End } else { whole(line, bytes) });
        }
        let end = read.iter().position(|&byte| byte == b'\n');
        let taken = end.unwrap_or(read.len());
        bytes += taken;
        if bytes <= LINE_BYTES {
            line.extend_from_slice(&read[..taken]);
        }
        input.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(whole(line, bytes));
        }
    }
}

fn whole(line: Vec<u8>, bytes: usize) -> Line {
    if bytes > LINE_BYTES { Line::TooLong } else { Line::Message(line) }
}

/// A message by what has to be done with it.
pub enum Message {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// An answer to a question that this server does not ask.
    Response,
    Invalid {
        id: Value,
        why: &'static str,
    },
}

impl Message {
    pub fn from_json(mut message: Value) -> Message {
        let id = message.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64()).cloned();
        let invalid = |why| Message::Invalid { id: id.clone().unwrap_or(Value::Null), why };
        let Some(parts) = message.as_object_mut() else {
            return invalid("a message is a JSON object");
        };
        if parts.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return invalid("a message has \"jsonrpc\": \"2.0\"");
        }
        let params = parts.remove("params").unwrap_or(Value::Null);
        match (parts.remove("method"), parts.contains_key("id"), id.clone()) {
            (Some(Value::String(method)), true, Some(id)) => Message::Request { id, method, params },
            (Some(Value::String(method)), false, _) => Message::Notification { method, params },
            (Some(Value::String(_)), true, None) => {
                invalid("the id of a request is a text or a whole number")
            }
            (None, _, _) if parts.contains_key("result") || parts.contains_key("error") => Message::Response,
            _ => invalid("a request names its method"),
        }
    }
}

pub fn result(id: &Value, result: Value) -> Value {
    let mut reply = json!({ "jsonrpc": "2.0", "id": id });
    reply["result"] = result;
    reply
}

pub fn error(id: &Value, code: Code, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i64, "message": message } })
}

/// Where replies go: to the output, or into the reply of a batch.
#[derive(Clone)]
pub enum Replies {
    Output(Arc<Output>),
    Batch(Sender<Value>),
}

impl Replies {
    pub fn send(&self, reply: Value) {
        match self {
            Replies::Output(output) => output.write(&reply),
            // The receiver lives until every sender of the batch is gone.
            Replies::Batch(sender) => drop(sender.send(reply)),
        }
    }
}

/// The output, which carries nothing but messages.
pub struct Output {
    writer: Mutex<Option<Box<dyn Write + Send>>>,
}

impl Output {
    pub fn new(writer: Box<dyn Write + Send>) -> Output {
        Output { writer: Mutex::new(Some(writer)) }
    }

    fn write(&self, message: &Value) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = writer.as_mut() else { return };
        let mut line = message.to_string();
        line.push('\n');
        if open.write_all(line.as_bytes()).and_then(|()| open.flush()).is_err() {
            *writer = None;
        }
    }

    /// Nobody reads it any more.
    pub fn is_closed(&self) -> bool {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_the_input_and_long_ones_are_passed_over() {
        let text = [b"one\n".to_vec(), vec![b'x'; LINE_BYTES + 1], b"\n\nlast".to_vec()].concat();
        // A small buffer, so that lines come in pieces.
        let mut input = io::BufReader::with_capacity(7, text.as_slice());
        let mut seen = Vec::new();
        loop {
            match read_line(&mut input).expect("it is in memory") {
                Line::Message(line) => seen.push(String::from_utf8(line).expect("text")),
                Line::TooLong => seen.push("too long".to_owned()),
                Line::End => break,
            }
        }
        assert_eq!(seen, ["one", "too long", "", "last"]);
    }
}
