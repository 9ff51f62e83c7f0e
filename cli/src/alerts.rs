//! Alerts of `timberline listen`: printed, given to a program, sent to an address.
//!
//! Each alert is delivered at least once. It is written to the case before, and noted there when every way of delivery
//! has ended; what was under way at a crash is delivered again, with the same id.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use detect::live::{Deliveries, Message, State, WatchOptions, Watcher, WatcherEvent};
use detect::{Detectors, ReadOptions, filters_of};
use indexer::{Cancel, Case, stamp};
use remote::Webhook;
use serde_json::{Value, json};

use crate::args::{duration, refused};
use crate::{out, token};

/// So many alerts are delivered at once. Those of one alert are delivered in their order.
const AT_ONCE: usize = 4;

/// How long a program may take for an alert before it is ended.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often it is looked whether a program has ended.
const LOOK: Duration = Duration::from_millis(20);

#[derive(Args)]
pub struct Alerting {
    /// Evaluate detectors on what is received: files, folders, or starter
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub detectors: Vec<PathBuf>,
    /// Start this program for each alert, with the alert as JSON on its standard input; words are separated by blanks, and no shell is used
    #[arg(long, value_name = "CMD", requires = "detectors")]
    pub on_alert: Option<String>,
    /// Send each alert to this address, as JSON: https://hooks.example/timberline; repeatable
    #[arg(long, value_name = "URL", requires = "detectors")]
    pub webhook: Vec<String>,
    /// So long after an alert, another one of the same detector and group is not sent: 0s, 1h
    #[arg(long, value_name = "TIME", default_value = "5m")]
    pub cool_down: String,
    /// A table of log sources of Sigma rules that adds to the built-in one; repeatable
    #[arg(long, value_name = "FILE", requires = "detectors")]
    pub logsource: Vec<PathBuf>,
    /// A TOML file with values of placeholders of Sigma rules, for the modifier `expand`; repeatable
    #[arg(long, value_name = "FILE", requires = "detectors")]
    pub placeholders: Vec<PathBuf>,
}

/// What evaluates detectors, if there are any.
pub struct Alerts(Option<Watching>);

struct Watching {
    watcher: Watcher,
    /// Set when it is said that the command is ready: alerts of before come after that line.
    is_ready: Arc<OnceLock<()>>,
    cancel: Cancel,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

/// Where alerts go.
struct Targets {
    command: Option<Vec<String>>,
    webhooks: Vec<Webhook>,
    cancel: Cancel,
}

type Job = (Message, Deliveries);

impl Alerts {
    pub fn start(case: &Arc<Case>, arguments: &Alerting, as_json: bool) -> Result<Alerts> {
        if arguments.detectors.is_empty() {
            return Ok(Alerts(None));
        }
        let cool_down = match arguments.cool_down.as_str() {
            "0" | "0s" => Duration::ZERO,
            text => duration(text)?,
        };
        let options = ReadOptions {
            log_sources: arguments.logsource.clone(),
            placeholders: arguments.placeholders.clone(),
            filters: filters_of(case)?,
        };
        let detectors = Detectors::read(&arguments.detectors, &options);
        detectors.problems().iter().for_each(|problem| out::say(&problem.to_string()));
        if detectors.is_empty() {
            let error = refused("no detector can be read").hint("docs/detectors.md shows their format");
            return Err(error.into());
        }
        let cancel = Cancel::default();
        let command = arguments.on_alert.as_deref().map(words);
        if command.as_ref().is_some_and(Vec::is_empty) {
            return Err(refused("--on-alert names no program")
                .hint("write --on-alert /path/of/program")
                .into());
        }
        let webhooks: Result<Vec<Webhook>, _> =
            arguments.webhook.iter().map(|url| Webhook::new(url, &cancel)).collect();
        let targets = Arc::new(Targets { command, webhooks: webhooks?, cancel: cancel.clone() });
        let (mut senders, mut workers) = (Vec::new(), Vec::new());
        if targets.command.is_some() || !targets.webhooks.is_empty() {
            for _ in 0..AT_ONCE {
                let (sender, receiver) = mpsc::channel();
                let targets = Arc::clone(&targets);
                senders.push(sender);
                workers.push(std::thread::spawn(move || targets.work(&receiver)));
            }
        }
        let is_ready = Arc::new(OnceLock::new());
        let ready = Arc::clone(&is_ready);
        let tell = move |event, deliveries: &Deliveries| {
            ready.wait();
            show(event, deliveries, &senders, as_json);
        };
        let watcher = Watcher::start(Arc::clone(case), detectors, WatchOptions { cool_down }, tell)?;
        Ok(Alerts(Some(Watching { watcher, is_ready, cancel, workers: Mutex::new(workers) })))
    }

    /// From now on alerts are sent.
    pub fn ready(&self) {
        if let Some(watching) = &self.0 {
            watching.is_ready.get_or_init(|| ());
        }
    }

    /// The case has more.
    pub fn published(&self) {
        if let Some(watching) = &self.0 {
            watching.watcher.published();
        }
    }

    /// Evaluates what was published and delivers its alerts. What is not delivered soon is at the next start.
    pub fn finish(&self) {
        let Some(watching) = &self.0 else { return };
        self.ready();
        watching.watcher.finish();
        watching.cancel.set();
        let workers = std::mem::take(&mut *watching.workers.lock().unwrap_or_else(PoisonError::into_inner));
        for worker in workers {
            // One that panicked has said so.
            let _ = worker.join();
        }
    }
}

/// A program and its arguments.
fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn show(event: WatcherEvent, deliveries: &Deliveries, senders: &[Sender<Job>], as_json: bool) {
    match event {
        WatcherEvent::Problem(problem) => out::say(&problem.to_string()),
        WatcherEvent::Failing(error) => {
            out::problem(&error);
            out::say("  detectors are evaluated again when there are new events");
        }
        WatcherEvent::Message(message) => {
            if print(&message, as_json).is_err() {
                out::say("timberline: an alert cannot be printed; its reader is gone");
            }
            let number = usize::from_str_radix(&message.id[..1], 16).unwrap_or(0);
            match senders.get(number % senders.len().max(1)) {
                // The workers end after the watcher.
                Some(sender) => drop(sender.send((message, deliveries.clone()))),
                None => deliveries.acknowledge(message),
            }
        }
    }
}

/// An alert as programs get it.
fn as_value(message: &Message) -> Value {
    let mut value = json!({
        "id": message.id,
        "state": message.state,
        "open": message.open,
        "retracted": message.retracted,
    });
    if let (Some(object), Value::Object(fields)) = (value.as_object_mut(), message.alert.fields()) {
        object.extend(fields);
    }
    value
}

fn print(message: &Message, as_json: bool) -> std::io::Result<()> {
    if as_json {
        let mut stdout = out::stdout();
        writeln!(stdout, "{}", json!({ "alert": as_value(message) }))?;
        return stdout.flush();
    }
    let alert = &message.alert;
    let state = match message.state {
        State::Firing => "fires",
        State::Resolved if message.retracted => "was none after all",
        State::Resolved => "is over",
    };
    let group: Vec<String> = alert.group.iter().map(|(name, value)| format!(", {name}: {value}")).collect();
    let since = alert.start.map_or_else(String::new, |start| format!(" since {}", stamp::to_rfc3339(start)));
    out::say(&format!("alert: {} {} {state}{since}{}", alert.severity.name(), alert.title, group.concat()));
    Ok(())
}

impl Targets {
    fn work(&self, jobs: &Receiver<Job>) {
        for (message, deliveries) in jobs {
            let value = as_value(&message);
            if let Some(command) = &self.command
                && let Err(why) = self.give(command, &value)
            {
                out::say(&format!("timberline: --on-alert {}: {why}", command[0]));
            }
            for webhook in &self.webhooks {
                if let Err(error) = webhook.send(&value) {
                    out::problem(&error);
                }
            }
            if !self.cancel.is_set() {
                deliveries.acknowledge(message);
            }
        }
    }

    /// Starts a program, gives it an alert, and waits for its end.
    fn give(&self, command: &[String], value: &Value) -> Result<(), String> {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .env_remove(token::VARIABLE)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| format!("it cannot be started: {error}"))?;
        let stdin = child.stdin.take();
        let text = format!("{value}\n");
        // A program that does not read its input waits for nobody.
        let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
        let until = Instant::now() + PATIENCE;
        let ended: Result<ExitStatus, String> = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) if Instant::now() < until && !self.cancel.is_set() => std::thread::sleep(LOOK),
                Ok(None) => {
                    // It may have ended meanwhile.
                    let _ = child.kill();
                    let _ = child.wait();
                    break Err(format!("it had not ended after {} s and was ended", PATIENCE.as_secs()));
                }
                Err(error) => break Err(error.to_string()),
            }
        };
        // Its input is closed, so the writer ends. What it could not write was not wanted.
        let _ = writer.join();
        match ended? {
            status if status.success() => Ok(()),
            status => Err(format!("it failed with {status}; the alert counts as delivered")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_words_and_no_shell() {
        assert_eq!(words("notify  --urgent $HOME;"), ["notify", "--urgent", "$HOME;"]);
    }
}
