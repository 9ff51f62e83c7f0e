//! Windows events as Splunk's forwarder writes them: a line that is only a time, then `Name=value` lines; the
//! message is the last value.

use memchr::{memchr, memmem};

use crate::formats::{Fit, Format, Learned, Reader};
use crate::level;
use crate::level_words::from_word_of_any_language;
use crate::named_columns::NamedColumns;
use crate::rows::Rows;
use crate::time::When;
use crate::time::find::whole_time;

pub(crate) static FORMAT: Format = Format {
    name: "winevent_text",
    title: "forwarded Windows events",
    // The message is free text, but few other texts have such a line.
    weight: 2.0,
    learn: |sample, _| {
        if memmem::find(sample, NAMES_BEGIN).is_some() {
            Learned { has_marks: true, ..Learned::starting(|line| time(line).is_some()) }
        } else {
            Learned::default()
        }
    },
    reader: |setup| {
        Box::new(ForwardedReader { named: NamedColumns::default(), is_it: setup.learned.has_marks })
    },
    ..Format::LINES
};

/// The first value of an event.
const NAMES_BEGIN: &[u8] = b"\nLogName=";

fn time(line: &[u8]) -> Option<When> {
    let line = line.trim_ascii_end();
    (line.len() <= 40 && line.first()?.is_ascii_digit()).then(|| whole_time(line))?
}

struct ForwardedReader {
    named: NamedColumns,
    is_it: bool,
}

impl Reader for ForwardedReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        if !self.is_it {
            return Err("no forwarded Windows events");
        }
        let first = memchr(b'\n', event).unwrap_or(event.len());
        rows.when(&time(&event[..first]).ok_or("no line with a time alone")?);
        self.named.begin();
        let mut at = first + 1;
        while at < event.len() {
            let end = at + memchr(b'\n', &event[at..]).unwrap_or(event.len() - at);
            let line = event[at..end].trim_ascii_end();
            if let Some(equals) = memchr(b'=', line).filter(|&equals| is_name(&line[..equals])) {
                let (name, from) = (&line[..equals], at + equals + 1);
                if name == b"Message" {
                    let to = event.trim_ascii_end().len();
                    if from < to {
                        self.named.text(b"message", from, to, rows);
                    }
                    break;
                }
                let value = &line[equals + 1..];
                if name == b"Type"
                    && let Some(level) = level::from_word(value).or_else(|| from_word_of_any_language(value))
                {
                    rows.set_level(level);
                }
                self.named.value(name, event, from, at + line.len(), rows);
            }
            at = end + 1;
        }
        Ok(Fit::Whole)
    }
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (lines, expected) in [
            (
                "11/21/2026 03:04:05 PM\nLogName=Security\nEventCode=4703\nType=Warning\nKeywords=Audit Success\nMessage=A right.\n\nSubject:\n\tName=\ta",
                "2026-11-21T15:04:05Z warn LogName=\"Security\" EventCode=4703 Type=\"Warning\" Keywords=\"Audit Success\" message=\"A right.\\n\\nSubject:\\n\\tName=\\ta\"",
            ),
            ("x\nLogName=Security", "unparsed: it precedes the first event"),
            ("11/21/2026 03:04:05 PM\nEventCode=1", "unparsed: no forwarded Windows events"),
        ] {
            assert_eq!(render(&FORMAT, lines), expected, "{lines}");
        }
    }
}
