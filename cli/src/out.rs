//! The one place that prints.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};

use indexer::Error;
use serde::Serialize;
use wire::WireError;

/// A line for a person.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// What went wrong, with which file, and what to do next.
pub fn problem(error: &Error) {
    let shown = WireError::from(error);
    say(&format!("timberline: {shown}"));
    if let Some(hint) = shown.hint {
        say(&format!("  {hint}"));
    }
}

/// The query with a caret under the part that an error is about.
pub fn caret(query: &str, error: &Error) {
    if let Some((start, end)) = error.span() {
        let before = query.get(..start).map_or(0, |before| before.chars().count());
        let under = query.get(start..end).map_or(1, |part| part.chars().count().max(1));
        say(&format!("  {}", query.replace(['\n', '\t'], " ")));
        say(&format!("  {}{}", " ".repeat(before), "^".repeat(under)));
    }
}

/// Overwrites one line on a terminal; silent elsewhere, where progress would only fill a log.
pub fn progress(line: &str) {
    let mut stderr = io::stderr().lock();
    if stderr.is_terminal() {
        let _ = write!(stderr, "\r\x1b[2K{line}");
        let _ = stderr.flush();
    }
}

/// Data, in large writes.
pub fn stdout() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// One JSON document, for people and programs.
pub fn json(stdout: &mut dyn Write, document: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer_pretty(&mut *stdout, document)?;
    writeln!(stdout)?;
    Ok(())
}

/// Whether the reader of our output went away, as `head` does; that is no failure.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
