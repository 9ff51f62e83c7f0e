//! A host as the tests walk it: commands as JSON, progress and replies as JSON.

use serde_json::{Value, json};
use wire::{Session, Start, WireError};

pub struct Walk {
    pub session: Session,
    pub folder: tempfile::TempDir,
}

impl Walk {
    pub fn new() -> Walk {
        let folder = tempfile::tempdir().expect("a folder");
        Walk { session: Session::new(Start::browser(folder.path().join("home"))), folder }
    }

    pub fn ask(&self, command: &str, args: Value) -> Result<Value, WireError> {
        self.ask_with(command, args, |_| {})
    }

    pub fn ask_with(&self, command: &str, args: Value, progress: impl Fn(Value)) -> Result<Value, WireError> {
        let mut message = json!({ "command": command });
        message["args"] = args;
        let command = serde_json::from_value(message).expect("a command");
        self.session.dispatch("call", command, progress)
    }

    pub fn file(&self, name: &str, content: &[u8]) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).expect("a file can be written");
        path.to_string_lossy().into_owned()
    }

    /// A new case with this file in it: its path and the import's report.
    pub fn imported(&self, path: &str) -> (String, Value) {
        let case = self.ask("createCase", json!({ "paths": [path] })).expect("a case");
        let folder = case["path"].as_str().expect("a path").to_owned();
        let report = self.ask("import", json!({ "case": folder, "paths": [path] })).expect("an import");
        (folder, report)
    }
}
