//! The history of apt (`history.log`): an entry of named lines for each run.

use memchr::memchr;

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::named_columns::NamedColumns;
use crate::rows::Rows;
use crate::time::find::whole_time;

pub(crate) static FORMAT: Format = Format {
    name: "apt",
    title: "runs of apt",
    // A run has several lines after a first line that no other format has.
    weight: 2.0,
    learn: |_, _| Learned::starting(|line| line.starts_with(BEGIN)),
    reader: |_| Box::new(AptReader { named: NamedColumns::default() }),
    ..Format::LINES
};

const BEGIN: &[u8] = b"Start-Date: ";

struct AptReader {
    named: NamedColumns,
}

impl Reader for AptReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let date = event.strip_prefix(BEGIN).ok_or("no start of a run")?;
        let date = date[..memchr(b'\n', date).unwrap_or(date.len())].trim_ascii();
        // Two spaces separate date and time.
        let words: Vec<&[u8]> = date.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).collect();
        if let Some(time) = whole_time(&words.join(&b' ')) {
            rows.when(&time);
        }
        self.named.begin();
        rows.set_level(Level::Info);
        let mut at = 0;
        for line in event.split(|byte| *byte == b'\n') {
            let end = at + line.trim_ascii_end().len();
            let name = memchr(b':', line).filter(|&length| {
                line[..length].iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'-')
            });
            if let Some(length) = name.filter(|&length| length > 0 && at > 0 && at + length + 2 < end) {
                self.named.text(&line[..length], at + length + 2, end, rows);
                if &line[..length] == b"Error" {
                    rows.set_level(Level::Error);
                }
            }
            at += line.len() + 1;
        }
        Ok(Fit::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    #[test]
    fn sample_runs() {
        let run = "Start-Date: 2026-11-21  03:04:05\nCommandline: apt-get install x\nInstall: x:amd64 (1:2, automatic)\nError: Sub-process failed\nEnd-Date: 2026-11-21  03:04:09\n";
        assert_eq!(
            render(&FORMAT, run),
            r#"2026-11-21T03:04:05Z error Commandline="apt-get install x" Install="x:amd64 (1:2, automatic)" Error="Sub-process failed" End-Date="2026-11-21  03:04:09""#
        );
        assert_eq!(render(&FORMAT, "Start-Date: "), "- info");
        assert_eq!(render(&FORMAT, "End-Date: x"), "unparsed: it precedes the first event");
    }
}
