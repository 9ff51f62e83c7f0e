//! Syslog whose messages are of another format, as of a program that writes its own log to syslog: the header is read
//! as everywhere, and the message by the reader of that format.

use std::sync::Arc;

use super::framing;
use super::header::SyslogHeader;
use super::{COLUMNS, ColumnNumbers, HeaderReader, MESSAGE, OWN, count_bytes, priority};
use crate::formats::{Fit, Format, Learned, Reader, Setup};
use crate::rows::{Rows, Schema};
use crate::time::zone::Zone;

/// The name of such a format is this, followed by the name of the messages' format.
pub const SYSLOG_PREFIX: &str = "syslog+";

/// The format of the messages in a format's name: `json` of `syslog+json`, and any other name as it is.
#[must_use]
pub fn message_format(name: &str) -> &str {
    name.strip_prefix(SYSLOG_PREFIX).unwrap_or(name)
}

/// The program that a message of syslog names: its tag, or its APP-NAME in RFC 5424.
#[must_use]
pub fn program_of(event: &[u8]) -> Option<&[u8]> {
    let start = count_bytes(event);
    let length = priority(&event[start..]).map(|(_, length)| length);
    let at = start + length.unwrap_or(0);
    if let Some(fields) = event[at..].strip_prefix(b"1 ").filter(|_| length.is_some()) {
        return fields.split(|&byte| byte == b' ').nth(2).filter(|app| *app != b"-");
    }
    let (from, to) = SyslogHeader::read(event, at, length.is_some()).ok()?.app?;
    Some(&event[from..to])
}

/// Its [`Setup`] has the format of the messages.
pub(crate) static CARRIED: Format = Format {
    name: SYSLOG_PREFIX,
    title: "syslog lines with messages of that format",
    weight: 1.0,
    learn: |sample, setup| framing::learn(sample, setup.is_recoded),
    reader: |setup| match &setup.carried {
        Some(carried) => Box::new(CarriedReader {
            header: HeaderReader::default(),
            numbers: None,
            message: (carried.format.reader)(&carried.setup),
        }),
        None => (super::FORMAT.reader)(setup),
    },
    ..Format::LINES
};

/// The format of the messages, and what it learned from those of the sample.
pub(crate) struct Carried {
    format: &'static Format,
    setup: Setup,
}

impl Carried {
    /// The messages of a sample, a line each.
    pub(crate) fn messages(sample: &[u8]) -> Vec<u8> {
        let mut header = HeaderReader::default();
        let mut rows = Rows::new(COLUMNS, Zone::UTC, 1);
        let mut messages = Vec::with_capacity(sample.len());
        for line in sample.split(|&byte| byte == b'\n') {
            let message = header.read(line, OWN, &mut rows).map_or(line.len(), |head| head.message);
            messages.extend_from_slice(line.get(message..).unwrap_or_default());
            messages.push(b'\n');
        }
        messages
    }

    pub(crate) fn setup(format: &'static Format, message: Setup, sample: &[u8], setup: &Setup) -> Setup {
        let learned = Learned {
            time_field: message.learned.time_field.clone(),
            time_options: message.learned.time_options.clone(),
            ..(CARRIED.learn)(sample, setup)
        };
        let zone = message.zone.clone();
        let carried = Some(Arc::new(Carried { format, setup: message }));
        Setup { zone, learned, carried, ..setup.clone() }
    }

    /// The columns of the messages. Those of the header are added to them.
    pub(crate) fn columns(&self) -> Schema {
        self.format.columns
    }
}

struct CarriedReader {
    header: HeaderReader,
    /// Known from the first event on.
    numbers: Option<ColumnNumbers>,
    message: Box<dyn Reader>,
}

impl Reader for CarriedReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let numbers = match self.numbers {
            Some(numbers) => numbers,
            None => *self.numbers.insert(numbers(rows).ok_or("there are too many fields")?),
        };
        let message = self.header.read(event, &numbers, rows)?.message;
        let text = event.get(message..).unwrap_or_default();
        if text.is_empty() {
            return Ok(Fit::Partly);
        }
        let read = rows.within(message, |rows| self.message.read(text, rows));
        if read.is_err() {
            // What the program says otherwise is a message like any other.
            rows.clear();
            self.header.read(event, &numbers, rows)?;
            rows.text(numbers[MESSAGE], message, event.len());
        }
        Ok(read.unwrap_or(Fit::Partly))
    }
}

/// The columns of the header, next to those of the messages. A column that both have is one.
fn numbers(rows: &mut Rows) -> Option<ColumnNumbers> {
    let mut numbers = *OWN;
    for (number, (name, kind)) in numbers.iter_mut().zip(COLUMNS) {
        *number = rows.add_column(name, *kind)?;
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{NO_TIME, Values};
    use crate::{Options, ResumePoint, Source, StreamInfo};

    /// Each event of the lines read in a format: its time in seconds since 1970, its level and its fields.
    fn read(format: &str, zone: &str, lines: &str) -> Vec<String> {
        let stream =
            StreamInfo { path: std::path::Path::new("a"), name: "a", modified_ns: None, compression: "none" };
        let place = ResumePoint { offset: 0, line: 1, heading: Vec::new() };
        let (format, zone) = (Some(format.to_owned()), Some(zone.to_owned()));
        let options = Options { format: format.clone(), zone, lines: true, ..Options::default() };
        let mut source =
            Source::resume(&stream, lines.as_bytes(), &place, &options).expect("the format is known");
        assert_eq!(Some(&source.detection().format), format.as_ref());
        source.push(lines.as_bytes());
        let chunk = source.next_live(true).expect("a chunk");
        let mut batch = source.parser().parse(chunk);
        source.settler().settle(&mut batch);
        (0..batch.rows())
            .map(|row| {
                let time = batch.time[row];
                let time = if time == NO_TIME { 0 } else { time / 1_000_000_000 };
                let fields = batch.columns.iter().filter_map(|column| match &column.values {
                    Values::Text(spans) if !spans[row].is_missing() => {
                        let text = String::from_utf8_lossy(batch.text(spans[row])).into_owned();
                        Some(format!(" {}={text}", column.name))
                    }
                    Values::Int(values) if values[row] != crate::NO_INT => {
                        Some(format!(" {}={}", column.name, values[row]))
                    }
                    _ => None,
                });
                format!("{time} {}{}", batch.level[row].name(), fields.collect::<String>())
            })
            .collect()
    }

    #[test]
    fn message_is_read_as_its_format_and_the_header_as_syslog() {
        let lines = "<13>1 2026-03-01T14:05:00Z web-1 shop 7 - - {\"level\":\"error\",\"ms\":12,\"message\":\"slow\"}\n\
            <13>1 2026-03-01T14:05:01Z web-1 shop 7 - - {\"time\":\"2026-03-01T14:04:59Z\",\"ms\":3}\n\
            <11>1 2026-03-01T14:05:02Z web-1 shop 7 - - out of memory\n";
        let found = read("syslog+json", "UTC", lines);
        let has = |event: &str, parts: &[&str]| {
            for part in parts {
                assert!(event.contains(part), "{part} in {event}");
            }
        };
        has(
            &found[0],
            &["1772373900 error", " ms=12", " message=slow", " host=web-1", " app=shop", " pid=7"],
        );
        // The program knows best when it was.
        has(&found[1], &["1772373899 notice", " ms=3", " facility=user"]);
        has(&found[2], &["1772373902 error", " message=out of memory", " host=web-1"]);
        assert!(!found[2].contains(" ms="), "{}", found[2]);
    }

    #[test]
    fn times_of_messages_are_in_the_zone_that_was_chosen() {
        let lines = "<13>Mar  1 15:05:01 web-1 nginx: 2026/03/01 15:05:00 [error] 7#7: *1 open() failed\n";
        let found = read("syslog+nginx-error", "Europe/Berlin", lines);
        assert!(found[0].starts_with("1772373900 error"), "{found:?}");
        assert!(found[0].contains(" app=nginx") && found[0].contains(" host=web-1"), "{found:?}");
    }

    #[test]
    fn program_is_the_tag_or_the_name() {
        let of = |event: &str| {
            program_of(event.as_bytes()).map(String::from_utf8_lossy).map(std::borrow::Cow::into_owned)
        };
        assert_eq!(of("<13>Mar  1 14:06:00 host cron[3]: one").as_deref(), Some("cron"));
        assert_eq!(of("<13>Mar  1 14:06:00 cron: one").as_deref(), Some("cron"));
        assert_eq!(of("<34>1 2026-03-01T14:05:00Z host app 7 - - x").as_deref(), Some("app"));
        for none in ["<34>1 2026-03-01T14:05:00Z host - 7 - - x", "plain text", "", "<34>1 ", "<13>"] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn messages_of_syslog_are_no_format_of_messages() {
        let options = |format: &str| Options { format: Some(format.to_owned()), ..Options::default() };
        let stream =
            StreamInfo { path: std::path::Path::new("a"), name: "a", modified_ns: None, compression: "none" };
        let place = ResumePoint { offset: 0, line: 1, heading: Vec::new() };
        for format in ["syslog+syslog", "syslog+", "syslog+nothing"] {
            assert!(Source::resume(&stream, b"x\n", &place, &options(format)).is_err(), "{format}");
        }
    }
}
