//! What apt did: stanzas between blank lines, each with when it started, the command, and the packages.

use memchr::{memchr, memmem};

use super::{Fit, Format, Learned, Reader, Setup};
use crate::frame::{Block, Framing};
use crate::layout::time_at;
use crate::named::Named;
use crate::rows::Rows;

pub(crate) static FORMAT: Format = Format {
    name: "apt-history",
    title: "runs of apt",
    learn: |_, _| Learned { framing: Framing::Blocks(stanza), ..Learned::default() },
    reader,
    ..Format::LINES
};

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(AptReader { named: Named::default() })
}

/// The text up to the next blank line; blank lines themselves separate.
fn stanza(text: &[u8]) -> Option<Block> {
    let blank = text.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    if blank > 0 {
        return Some(Block { start: 0, end: 0, next: blank });
    }
    let end = [&b"\n\n"[..], b"\n\r\n"].iter().filter_map(|end| memmem::find(text, end)).min()?;
    Some(Block { start: 0, end: text[..end].trim_ascii_end().len(), next: end + 1 })
}

struct AptReader {
    named: Named,
}

impl Reader for AptReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        if !event.starts_with(b"Start-Date: ") {
            return Err("no run of apt");
        }
        self.named.begin();
        let mut at = 0;
        while at < event.len() {
            let end = at + memchr(b'\n', &event[at..]).unwrap_or(event.len() - at);
            self.line(event, at, end, rows);
            at = end + 1;
        }
        Ok(Fit::Whole)
    }
}

impl AptReader {
    /// `Name: value`; two of the names are what other formats call something else.
    fn line(&mut self, event: &[u8], from: usize, to: usize, rows: &mut Rows) {
        let to = from + event[from..to].trim_ascii_end().len();
        let Some(colon) = memmem::find(&event[from..to], b": ") else { return };
        let value = from + colon + 2;
        match &event[from..from + colon] {
            b"Start-Date" => {
                if let Some((when, _)) = time_at(event, value) {
                    rows.when(&when);
                }
            }
            b"Requested-By" => self.named.text(b"user", value, to, rows),
            b"Commandline" => self.named.text(b"command", value, to, rows),
            name => self.named.text(name, value, to, rows),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    #[test]
    fn sample_stanzas() {
        assert_eq!(
            render(
                &FORMAT,
                "\nStart-Date: 2026-11-21 03:04:05\nCommandline: apt-get install x\nRequested-By: bob (1000)\nInstall: x:amd64 (1.0)\nEnd-Date: 2026-11-21 03:04:09\n\n"
            ),
            r#"2026-11-21T03:04:05Z - command="apt-get install x" user="bob (1000)" Install="x:amd64 (1.0)" End-Date="2026-11-21 03:04:09""#
        );
        assert_eq!(render(&FORMAT, "Start: x\n"), "unparsed: no run of apt");
        assert_eq!(render(&FORMAT, "Start-Date: \n"), "- -");
    }

    #[test]
    fn stanzas_end_at_blank_lines() {
        let text = b"\n\nA: 1\nB: 2\n\nA: 3\r\n\r\nA: 4";
        assert_eq!(stanza(text), Some(Block { start: 0, end: 0, next: 2 }));
        assert_eq!(stanza(&text[2..]), Some(Block { start: 0, end: 9, next: 10 }));
        assert_eq!(stanza(&text[13..]), Some(Block { start: 0, end: 4, next: 6 }));
        assert_eq!(stanza(b"A: 4"), None);
    }
}
