//! What is wrong with a detector file: where, what, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

use indexer::json;
use serde::Serialize;

/// One problem. The detector that it is about does not run; all others do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "DetectorProblem"))]
pub struct Problem {
    #[serde(with = "json::shown_path")]
    #[cfg_attr(feature = "typescript", ts(as = "String"))]
    pub file: PathBuf,
    /// Counted from 1; 0 where the whole file is meant.
    pub line: usize,
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl Problem {
    #[must_use]
    pub fn of_file(file: &Path, fault: Fault) -> Problem {
        Problem { file: file.to_owned(), line: fault.line, message: fault.message, hint: fault.hint }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

/// A problem before its file is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub line: usize,
    pub message: String,
    pub hint: Option<String>,
}

impl Fault {
    pub fn new(line: usize, message: impl Into<String>) -> Fault {
        Fault { line, message: message.into(), hint: None }
    }

    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Fault {
        Fault { hint: Some(hint.into()), ..self }
    }
}
