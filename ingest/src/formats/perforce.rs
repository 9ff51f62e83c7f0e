//! The log of a Perforce server or proxy: a head, the time and the process on the line below it, and lines of what
//! the command cost.

use std::sync::LazyLock;

use memchr::memchr;

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::layout::{LayoutReader, LineLayouts};
use crate::rows::{ColumnKind, Rows};

pub(crate) static FORMAT: Format = Format {
    name: "perforce",
    title: "messages of a Perforce server",
    // A command may have many lines of costs after a head that no other log has.
    weight: 6.0,
    columns: &[("message", ColumnKind::Text)],
    learn: |_, _| Learned::starting(|line| level(line).is_some()),
    reader: |setup| Box::new(PerforceReader { layouts: LAYOUTS.reader(setup) }),
    ..Format::LINES
};

const MESSAGE: usize = 0;

const NO_TIME: &str = "no time below the head";

/// The line below the head.
static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        NO_TIME,
        &[
            "{time} pid {pid:int} {user}@{client} {ip} [{program}] '{command}« {}»'",
            "{time} pid {pid:int} ",
            "Date {time}:\n\tPid {pid:int}\n\t",
            "Date {time}:",
        ],
    )
});

struct PerforceReader {
    layouts: LayoutReader,
}

impl Reader for PerforceReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let head = memchr(b'\n', event).unwrap_or(event.len());
        let level = level(&event[..head]).ok_or("no head of Perforce")?;
        let indent = event[head..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if !self.layouts.read_at(event, head + indent, rows) {
            return Err(NO_TIME);
        }
        rows.set_level(level);
        // From the command on, or from the number of the process.
        let before = ["program", "pid"].into_iter().find_map(|name| self.layouts.place(name));
        let from = before.map_or(head + indent, |(_, to)| to);
        let is_before = |byte: &&u8| **byte == b']' || byte.is_ascii_whitespace();
        let from = from + event[from..].iter().take_while(is_before).count();
        let to = from + event[from..].trim_ascii_end().len();
        if from < to {
            rows.text(MESSAGE, from, to);
        }
        Ok(Fit::Whole)
    }
}

/// `Perforce server info:`, `Perforce proxy error:`.
fn level(line: &[u8]) -> Option<Level> {
    let words = line.strip_prefix(b"Perforce ")?.trim_ascii_end().strip_suffix(b":")?;
    match words.rsplit(|byte| *byte == b' ').next()? {
        b"info" => Some(Level::Info),
        b"warning" => Some(Level::Warn),
        b"error" => Some(Level::Error),
        _ => None,
    }
}
