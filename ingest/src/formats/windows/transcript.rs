//! Transcripts of `PowerShell`: one event per session, or, if commands have headers of their own, per
//! command.

use memchr::{memchr, memmem};

use super::super::{Fit, Format, Learned, Reader};
use crate::frame::{EventBlock, Framing};
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::When;
use crate::time::digits::{four, two};
use crate::time::find::whole_time;
use crate::time::stamp::Stamp;

pub(crate) static FORMAT: Format = Format {
    name: "powershell",
    title: "sessions of a PowerShell transcript",
    columns: COLUMNS,
    learn: |_, _| Learned { framing: Framing::blocks(block), ..Learned::default() },
    reader: |_| Box::new(TranscriptReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("user", ColumnKind::Text),
    ("host", ColumnKind::Text),
    ("app", ColumnKind::Text),
    ("pid", ColumnKind::Int),
    ("message", ColumnKind::Text),
];
const PID: usize = 3;
const MESSAGE: usize = 4;

/// The names of the header, each at the index of its column.
const NAMES: [&[u8]; 3] = [b"Username: ", b"Machine: ", b"Host Application: "];

/// The line that delimits a header.
const STARS: &[u8] = b"**********************";

fn is_stars(line: &[u8]) -> bool {
    line.trim_ascii_end() == STARS
}

/// The time at the end of a line, as 14 digits, in any language.
fn start_time(line: &[u8]) -> Option<Stamp> {
    let line = line.trim_ascii_end();
    let digits = line.get(line.len().checked_sub(14)?..)?;
    let is_time = line.len() > 14 && line[line.len() - 15] == b' ' && digits.iter().all(u8::is_ascii_digit);
    if !is_time {
        return None;
    }
    // A time with separators is read elsewhere, with full date parsing.
    let part = |from: usize| two(digits, from);
    let text = format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        four(digits, 0)?,
        part(4)?,
        part(6)?,
        part(8)?,
        part(10)?,
        part(12)?
    );
    let When::Stamp(stamp) = whole_time(text.as_bytes())? else { return None };
    Some(stamp)
}

/// Whether an event begins with these lines: stars, then the start of a command, or a title, the start of a
/// session and more. The end of a session has its time directly before the next stars.
fn begins<'a>(mut lines: impl Iterator<Item = &'a [u8]>) -> bool {
    if !lines.next().is_some_and(is_stars) {
        return false;
    }
    let (second, third, fourth) = (lines.next(), lines.next(), lines.next());
    second.and_then(start_time).is_some()
        || (second.is_some_and(|line| !is_stars(line))
            && third.and_then(start_time).is_some()
            && fourth.is_some_and(|line| !is_stars(line)))
}

/// From the stars that begin an event to those that begin the next.
fn block(text: &[u8]) -> Option<EventBlock> {
    let mut at = 0;
    loop {
        let next = at + memchr(b'\n', &text[at..])? + 1;
        let rest = &text[next..];
        if rest.starts_with(STARS) && certainly_begins(rest) {
            return Some(EventBlock { start: 0, end: next, next });
        }
        at = next;
    }
}

/// Whether an event begins here, whatever text follows: a line that is cut is not enough to decide.
fn certainly_begins(text: &[u8]) -> bool {
    let lines = || text.split(|byte| *byte == b'\n').take(memchr::memchr_iter(b'\n', text).take(4).count());
    let is_complete = lines().count() == 4 || lines().nth(1).and_then(start_time).is_some();
    is_complete && begins(lines())
}

struct TranscriptReader;

impl Reader for TranscriptReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        const NO_START: &str = "no start of a session or command";
        if !begins(event.split(|byte| *byte == b'\n')) {
            return Err(NO_START);
        }
        let mut lines = event.split(|byte| *byte == b'\n').skip(1);
        let stamp = lines.by_ref().take(2).find_map(start_time).ok_or(NO_START)?;
        rows.stamp(&stamp);
        let first = memchr(b'\n', event).unwrap_or(event.len());
        let header_end = memmem::find(&event[first..], STARS).map_or(event.len(), |at| first + at);
        let value = |name: &[u8]| {
            let at = memmem::find(&event[..header_end], name)? + name.len();
            let line = &event[at..at + memchr(b'\n', &event[at..]).unwrap_or(event.len() - at)];
            Some((at, at + line.trim_ascii_end().len()))
        };
        for (column, name) in NAMES.iter().enumerate() {
            if let Some((from, to)) = value(name) {
                // The name of the machine is followed by its operating system.
                let to =
                    memmem::find(&event[from..to], b" (").filter(|_| column == 1).map_or(to, |at| from + at);
                rows.text(column, from, to);
            }
        }
        if let Some((from, to)) = value(b"Process ID: ")
            && let Some(crate::named_columns::Number::Int(pid)) =
                crate::named_columns::number(&event[from..to])
        {
            rows.int(PID, pid);
        }
        let from = (header_end + STARS.len()).min(event.len());
        let text = event[from..].trim_ascii();
        if !text.is_empty() {
            let from = from + event[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            rows.text(MESSAGE, from, from + text.len());
        }
        Ok(Fit::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::render;
    use super::*;

    const SESSION: &str = "**********************
Windows PowerShell transcript start
Start time: 20261121030405
Username: WEB\\bob
Machine: WEB (Microsoft Windows NT 10.0)
Host Application: powershell.exe -x
Process ID: 6456
**********************
PS C:\\> whoami
";
    const END: &str = "**********************
Windows PowerShell transcript end
End time: 20261121030409
**********************
";
    const COMMAND: &str = "**********************
Command start time: 20261121030407
**********************
PS C:\\> dir
";

    #[test]
    fn sessions_and_commands() {
        assert_eq!(
            render(&FORMAT, SESSION),
            r#"2026-11-21T03:04:05Z - user="WEB\\bob" host="WEB" app="powershell.exe -x" pid=6456 message="PS C:\\> whoami""#
        );
        assert_eq!(render(&FORMAT, COMMAND), r#"2026-11-21T03:04:07Z - message="PS C:\\> dir""#);
        assert_eq!(render(&FORMAT, END), "unparsed: no start of a session or command");
        assert_eq!(render(&FORMAT, "x"), "unparsed: no start of a session or command");
        let text = format!("{SESSION}{COMMAND}{END}{SESSION}{END}");
        let next = |at: usize| block(&text.as_bytes()[at..]).map_or(text.len(), |block| at + block.next);
        let command = next(0);
        assert_eq!(command, SESSION.len());
        assert_eq!(next(command), (SESSION.len() + COMMAND.len() + END.len()));
        assert_eq!(next(next(command)), text.len());
    }
}
