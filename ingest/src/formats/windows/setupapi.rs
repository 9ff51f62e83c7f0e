//! The installation of devices (`setupapi.dev.log`, `setupapi.setup.log`): one event per section.

use memchr::{memchr, memmem};

use super::super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::find::time_near_start;

pub(crate) static FORMAT: Format = Format {
    name: "setupapi",
    title: "sections of a setup log of Windows",
    // A section has many lines after a first line that no other format has.
    weight: 2.0,
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| line.starts_with(BEGIN)),
    reader: |_| Box::new(SetupSectionReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("section", ColumnKind::Text),
    ("exit", ColumnKind::Text),
    ("command", ColumnKind::Text),
    ("message", ColumnKind::Text),
];
const SECTION: usize = 0;
const EXIT: usize = 1;
const COMMAND: usize = 2;
const MESSAGE: usize = 3;

const BEGIN: &[u8] = b">>>  [";

struct SetupSectionReader;

impl Reader for SetupSectionReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let title = event.strip_prefix(BEGIN).ok_or("no section begins here")?;
        let line = &title[..memchr(b'\n', title).unwrap_or(title.len())];
        let length = memchr::memrchr(b']', line).ok_or("the title of the section is cut short")?;
        rows.text(SECTION, BEGIN.len(), BEGIN.len() + length);
        let find_after = |mark: &[u8]| memmem::find(event, mark).map(|at| at + mark.len());
        if let Some(at) = find_after(b">>>  Section start ")
            && let Some(time) = time_near_start(&event[at..], 0)
        {
            rows.when(&time.when);
        }
        let up_to = |at: usize, end: u8| {
            at + event[at..]
                .iter()
                .position(|byte| *byte == end || *byte == b'\n')
                .unwrap_or(event.len() - at)
        };
        if let Some(at) = find_after(b"cmd: ") {
            let end = at + event[at..up_to(at, b'\n')].trim_ascii_end().len();
            rows.text(COMMAND, at, end);
        }
        let mut level = Level::Info;
        if memmem::find(event, b"\n!    ").is_some() {
            level = Level::Warn;
        }
        if memmem::find(event, b"\n!!!  ").is_some() {
            level = Level::Error;
        }
        if let Some(at) = find_after(b"<<<  [Exit status: ") {
            rows.text(EXIT, at, up_to(at, b']'));
            if event[at..].starts_with(b"FAILURE") {
                level = Level::Error;
            }
        }
        rows.set_level(level);
        let from = BEGIN.len() + line.len();
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

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let rendered = render(&FORMAT, line);
        assert_eq!(rendered.split(" message=").next().unwrap_or_default(), expected, "{line}");
    }

    #[test]
    fn sample_sections() {
        check(
            ">>>  [Device Install (Hardware) - USB\\VID_1]\n>>>  Section start 2026/11/21 03:04:05.123\n      cmd: setup.exe -x\n     set: ok\n<<<  Section end 2026/11/21 03:04:06.000\n<<<  [Exit status: SUCCESS]\n\n",
            r#"2026-11-21T03:04:05.123Z info section="Device Install (Hardware) - USB\\VID_1" exit="SUCCESS" command="setup.exe -x""#,
        );
        check(
            ">>>  [Import]\n>>>  Section start 2026/11/21 03:04:05.123\n!!!  sto: failed\n<<<  [Exit status: FAILURE(0xe0000242)]",
            r#"2026-11-21T03:04:05.123Z error section="Import" exit="FAILURE(0xe0000242)""#,
        );
        check(">>>  [cut", "unparsed: the title of the section is cut short");
        check("[Device Install Log]", "unparsed: it precedes the first event");
    }
}
