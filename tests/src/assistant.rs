//! `timberline mcp` as a child of a test, as an assistant starts and asks it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use indexer::{Cancel, Case, ImportOptions};
use serde_json::{Value, json};

use crate::programs;

/// Longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// The most that an answer may weigh: the limit in `cli/src/mcp/limits.rs`.
const ANSWER_BYTES: usize = 48 << 10;

/// A case of a shop's log, where payment becomes slow and fails after 15:00.
///
/// # Panics
/// When it cannot be written.
#[must_use]
pub fn shop(folder: &Path, events: usize) -> PathBuf {
    let mut text = String::new();
    for event in 0..events {
        let (hour, minute, second) = (14 + event * 2 / events, event / 60 % 60, event % 60);
        let service = ["cart", "payment", "search"][event % 3];
        let is_late = hour == 15 && service == "payment";
        let (level, took) = if is_late { ("error", 900 + event % 100) } else { ("info", 10 + event % 50) };
        let message = if is_late { "connection reset by peer" } else { "request done" };
        writeln!(
            text,
            "{{\"time\":\"2026-03-01T{hour}:{minute:02}:{second:02}Z\",\"level\":\"{level}\",\"service\":\"{service}\",\
             \"took_ms\":{took},\"message\":\"{message} for user {}\"}}",
            event % 977
        )
        .expect("text grows");
    }
    let log = folder.join("shop.json");
    fs::write(&log, text).expect("a log");
    let path = folder.join("shop.case");
    let case = Case::create(&path).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    path
}

/// The running server. Its replies are read as they come.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    asked: u64,
}

impl Server {
    /// Starts it with these arguments.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start(cases: &[&Path]) -> Server {
        let mut child = Command::new(programs::timberline())
            .arg("mcp")
            .args(cases)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let (output, (sender, lines)) = (child.stdout.take().expect("a pipe"), channel());
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut server = Server { input: child.stdin.take(), child, lines, asked: 0 };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        let reply = server.ask("initialize", &hello);
        assert_eq!(reply["result"]["protocolVersion"], "2025-06-18", "{reply}");
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        server
    }

    /// Writes a line to it.
    ///
    /// # Panics
    /// When it does not read.
    pub fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush()).expect("it reads");
    }

    /// Its next message.
    ///
    /// # Panics
    /// When none comes.
    #[must_use]
    pub fn read(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a reply");
        serde_json::from_str(&line).expect("every line of the output is a message")
    }

    /// Its reply to a request.
    ///
    /// # Panics
    /// When it answers another one.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        let reply = self.read();
        assert_eq!((&reply["jsonrpc"], &reply["id"]), (&json!("2.0"), &json!(id)), "{reply}");
        reply
    }

    /// The whole answer of a tool. Whole answers need more than a second on a busy machine.
    ///
    /// # Panics
    /// When it refuses, or answers a part.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let (answer, is_error) = self.try_call(tool, arguments);
        assert!(!is_error, "{tool}: {answer}");
        assert!(answer.get("partial").is_none(), "{tool}: {answer}");
        answer
    }

    /// The answer of a tool that refuses.
    ///
    /// # Panics
    /// When it does not refuse.
    pub fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let (answer, is_error) = self.try_call(tool, arguments);
        assert!(is_error, "{tool}: {answer}");
        answer["error"].clone()
    }

    /// The answer of a tool, and whether it is an error.
    ///
    /// # Panics
    /// When it is no answer of a tool, or a longer one than may be.
    pub fn try_call(&mut self, tool: &str, mut arguments: Value) -> (Value, bool) {
        if arguments.get("seconds").is_none() {
            arguments["seconds"] = json!(60);
        }
        let reply = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let result = &reply["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply}"));
        assert!(text.len() <= ANSWER_BYTES, "{tool} answered {} bytes", text.len());
        (serde_json::from_str(text).expect("an answer is JSON"), result["isError"] == true)
    }

    /// Closes its input and waits for its end; whatever it wrote in the meantime.
    ///
    /// # Panics
    /// When it does not end.
    #[must_use]
    pub fn end(mut self) -> (Output, Vec<Value>) {
        drop(self.input.take());
        let output = self.child.wait_with_output().expect("it ends");
        let rest = self.lines.iter().map(|line| serde_json::from_str(&line).expect("a message")).collect();
        (output, rest)
    }
}

/// The rows of a list in an answer.
///
/// # Panics
/// When it has none.
#[must_use]
pub fn rows<'a>(answer: &'a Value, name: &str) -> &'a Vec<Value> {
    answer[name].as_array().unwrap_or_else(|| panic!("{name} of {answer}"))
}

/// Every file of a case, except those that an open database keeps next to itself.
///
/// # Panics
/// When it cannot be read.
#[must_use]
pub fn contents(case: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![case.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                found.insert(entry.clone(), fs::read(&entry).expect("a file"));
            }
        }
    }
    found
}

/// A folder with a Sigma rule about access keys.
///
/// # Panics
/// When it cannot be written.
#[must_use]
pub fn keys_rule(folder: &Path) -> PathBuf {
    let rules = folder.join("rules");
    fs::create_dir(&rules).expect("a folder");
    let rule = "title: Access key created\nid: 7c0b2a3e-0000-4000-8000-000000000002\nlevel: low\n\
                logsource: {product: aws, service: cloudtrail}\n\
                detection: {it: {eventName: CreateAccessKey}, condition: it}\n";
    fs::write(rules.join("key.yml"), rule).expect("a rule");
    rules
}
