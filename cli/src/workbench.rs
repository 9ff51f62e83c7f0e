//! The calls of the workbench, for commands with the answers of its screen.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use indexer::{Cancel, Case, Error, ErrorKind};
use serde_json::{Value, json};
use wire::{Command, Session, Start, WireError, home};

/// A case as the workbench sees it. Nothing is written without a call that writes.
pub struct WorkbenchCase {
    session: Session,
    case: Arc<Case>,
    /// The last run of detectors, and the state of the case that it was over.
    ran: Mutex<Option<(Ran, Arc<Value>)>>,
}

/// A revision of a case, and the detectors that it has.
#[derive(PartialEq)]
struct Ran {
    revision: u64,
    detectors: Value,
}

impl WorkbenchCase {
    pub fn new(case: &Arc<Case>) -> WorkbenchCase {
        let session = Session::new(Start::browser(home()));
        session.add_case(case);
        WorkbenchCase { session, case: Arc::clone(case), ran: Mutex::default() }
    }

    /// Answers a call of the contract that is about a case.
    pub fn ask(&self, call: &str, arguments: Value, cancel: &Cancel) -> Result<Value, WireError> {
        let mut command = json!({ "command": call });
        command["args"] = arguments;
        command["args"]["case"] = json!(self.case.folder().to_string_lossy());
        let command: Command = serde_json::from_value(command).map_err(|error| {
            WireError::new(ErrorKind::BadRequest, format!("The call {call} is malformed: {error}."))
        })?;
        self.session.ask(command, cancel)
    }

    /// The runs of the detectors of the case and of those that come with the program. They run again only if the case or its
    /// detectors have changed.
    pub fn run_detectors(&self, cancel: &Cancel) -> Result<Arc<Value>, WireError> {
        let detectors =
            self.ask("detectors", json!({ "path": self.case.folder().to_string_lossy() }), cancel)?;
        let over = Ran { revision: self.case.snapshot().revision(), detectors };
        let lock = || self.ran.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, runs)) = &*lock()
            && *known == over
        {
            return Ok(Arc::clone(runs));
        }
        let runs = Arc::new(self.ask("runDetectors", json!({}), cancel)?);
        *lock() = Some((over, Arc::clone(&runs)));
        Ok(runs)
    }
}

/// The error as commands print it.
pub fn engine_error(report: WireError) -> Error {
    let mut error = Error::new(report.code, report.message);
    if let Some(hint) = report.hint {
        error = error.hint(hint);
    }
    if let Some(path) = report.path {
        error = error.at(Path::new(&path));
    }
    error
}

/// The filter of alerts that asks for all.
pub fn every_alert() -> Value {
    json!({
        "text": "",
        "statuses": [],
        "severities": [],
        "origins": [],
        "detector": null,
        "entity": null,
        "from": null,
        "to": null,
    })
}

/// The names of a severity and of all that are more serious.
pub fn at_least(severity: detect::Severity) -> Vec<&'static str> {
    detect::Severity::ALL.into_iter().filter(|&one| one >= severity).map(detect::Severity::name).collect()
}
