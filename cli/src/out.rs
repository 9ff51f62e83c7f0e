//! The one place that prints. A terminal gets no control character of data: everything goes through [`Printed`].

#![expect(
    clippy::disallowed_methods,
    reason = "the streams that all commands use are opened here, and nowhere else"
)]

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StderrLock, Stdout, StdoutLock, Write};
use std::mem;

use indexer::Error;
use indexer::notebook::visible;
use serde::Serialize;
use wire::WireError;

/// A stream of this program. On a terminal it shows control characters as symbols, except line ends and tabs, so that no
/// log, file name or field name can drive the terminal. Anywhere else the bytes pass unchanged.
pub struct Printed<W> {
    to: W,
    is_terminal: bool,
    /// The first bytes of a character whose rest comes with the next write.
    cut: Vec<u8>,
}

impl<W: Write + IsTerminal> Printed<W> {
    fn new(to: W) -> Printed<W> {
        let is_terminal = to.is_terminal();
        Printed { to, is_terminal, cut: Vec::new() }
    }
}

impl<W: Write> Write for Printed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.to.write(bytes);
        }
        let all = [mem::take(&mut self.cut).as_slice(), bytes].concat();
        let mut text = String::with_capacity(all.len());
        let mut chunks = all.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let broken = chunk.invalid();
            let is_cut = || str::from_utf8(broken).is_err_and(|error| error.error_len().is_none());
            if chunks.peek().is_none() && is_cut() {
                self.cut = broken.to_vec();
            } else if !broken.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.to.write_all(visible(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !mem::take(&mut self.cut).is_empty() {
            write!(self.to, "{}", char::REPLACEMENT_CHARACTER)?;
        }
        self.to.flush()
    }
}

fn stderr() -> Printed<StderrLock<'static>> {
    Printed::new(io::stderr().lock())
}

/// A line for a person.
pub fn say(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}

/// Reports a mistake in the program like any other error: its message can hold data too.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let trace = Backtrace::capture();
        let trace =
            if trace.status() == BacktraceStatus::Captured { trace.to_string() } else { String::new() };
        say(&format!("timberline: {panic}\n{trace}"));
    }));
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
    let mut stderr = stderr();
    if stderr.is_terminal {
        let _ = stderr.to.write_all(b"\r\x1b[2K");
        let _ = write!(stderr, "{line}");
        let _ = stderr.flush();
    }
}

/// Data, in large writes.
pub fn stdout() -> BufWriter<Printed<StdoutLock<'static>>> {
    BufWriter::with_capacity(1 << 16, Printed::new(io::stdout().lock()))
}

/// Messages from several threads, each flushed by its writer.
pub fn shared_stdout() -> Printed<Stdout> {
    Printed::new(io::stdout())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(is_terminal: bool, writes: &[&[u8]]) -> Vec<u8> {
        let mut printed = Printed { to: Vec::new(), is_terminal, cut: Vec::new() };
        for bytes in writes {
            printed.write_all(bytes).expect("memory takes it");
        }
        printed.flush().expect("memory takes it");
        printed.to
    }

    #[test]
    fn characters_that_a_write_cuts_are_whole_on_a_terminal() {
        let text = "ü\u{9b}31m 日\u{202e}\u{1b}[1m\n\t".as_bytes();
        for cut in 0..text.len() {
            let shown = printed(true, &[&text[..cut], &text[cut..]]);
            assert_eq!(String::from_utf8(shown).expect("text"), "ü‹U+009B›31m 日‹U+202E›␛[1m\n\t", "{cut}");
            assert_eq!(printed(false, &[&text[..cut], &text[cut..]]), text);
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_and_do_not_swallow_what_follows() {
        let shown = |writes: &[&[u8]]| String::from_utf8(printed(true, writes)).expect("text");
        assert_eq!(shown(&[b"a\x9b31m", b"\xc3", b"\x1bb", b"\xe6\x97"]), "a\u{fffd}31m\u{fffd}␛b\u{fffd}");
        assert_eq!(printed(false, &[b"a\x9b\xff"]), b"a\x9b\xff");
    }
}
