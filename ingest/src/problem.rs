//! A problem with packed data, in a form that can pass through `Read`.

use std::fmt;
use std::io;

use crate::error::ErrorKind;

/// A problem with packed data. It passes through readers inside an `io::Error`, and `Error::io` extracts it,
/// so that its kind and its text reach the user unchanged.
#[derive(Clone, Debug)]
pub struct Problem {
    pub kind: ErrorKind,
    pub message: String,
}

impl Problem {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Problem {
        Problem { kind, message: message.into() }
    }

    pub fn truncated(what: &str) -> Problem {
        Problem::new(ErrorKind::Corrupt, format!("the {what} data ends too early"))
    }

    pub fn damaged(what: &str, how: impl fmt::Display) -> Problem {
        Problem::new(ErrorKind::Corrupt, format!("the {what} data is damaged: {how}"))
    }

    /// The data needs more memory than a decoder may use.
    pub fn needs_memory(what: &str) -> Problem {
        Problem::new(
            ErrorKind::Limit,
            format!(
                "unpacking the {what} data takes more memory than allowed; raise the limit \"decoder_memory_bytes\" \
                 to read it"
            ),
        )
    }

    pub fn encrypted() -> Problem {
        Problem::new(ErrorKind::Encrypted, "it is encrypted; unpack it with its password and read the result")
    }

    /// The problem that an error contains, or the error as a failure to read.
    pub fn from_error(error: &io::Error) -> Problem {
        match find_in(error) {
            Some(problem) => problem.clone(),
            None => Problem::new(ErrorKind::Io, format!("reading it failed: {error}")),
        }
    }
}

/// The problem inside an error, if there is one.
pub fn find_in(error: &io::Error) -> Option<&Problem> {
    error.get_ref().and_then(|inner| inner.downcast_ref::<Problem>())
}

impl From<Problem> for io::Error {
    fn from(problem: Problem) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}
