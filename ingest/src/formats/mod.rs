//! The formats, one a file, and the table that lists them.
//!
//! A format is a name, a table of columns and a reader for one event. Detection asks the same reader, so a
//! new format is one new file (with its sample lines as its test) and one new line in [`FORMATS`].

pub(crate) mod access;
pub(crate) mod json;
pub(crate) mod syslog;
pub(crate) mod text;
#[allow(dead_code, reason = "it joins the table once events over many lines are framed")]
pub(crate) mod windows_xml;

use crate::rows::{Rows, Schema};
use crate::time::zone::Zone;

/// Every format, in the order in which they are preferred when two fit equally well.
pub(crate) static FORMATS: [&Format; 4] = [&access::FORMAT, &json::FORMAT, &syslog::FORMAT, &text::FORMAT];

/// A kind of log.
pub(crate) struct Format {
    /// Short name for options, columns and files.
    pub name: &'static str,
    /// What its lines are, in the plural, for a person: "access log lines".
    pub title: &'static str,
    /// How much a fitting line says for this format, 0 to 1: little where nearly any line would fit.
    pub weight: f32,
    /// The columns it always has; readers may add others.
    pub columns: Schema,
    /// A reader for the events of one chunk.
    pub reader: fn(&Setup) -> Box<dyn Reader>,
}

/// What is known of a source before its events are read; the same for every chunk of it, so that a chunk
/// reads the same wherever it was cut.
#[derive(Clone)]
pub(crate) struct Setup {
    pub zone: Zone,
    /// A line's own time begins within this many bytes.
    pub stamp_within: usize,
}

/// Reads one event after the other. It may remember things for speed, but what it makes of an event must
/// not depend on the events before.
pub(crate) trait Reader {
    /// Puts the event's time, level and values into the current row. On an error whatever was put is taken
    /// back, and the event is kept as unparsed for the reason given (lower-case, for a person).
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str>;
}

/// How well an event that was read is of the format; a partial fit counts less in detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Whole,
    Partly,
}

pub(crate) fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

/// The names and titles of all formats, for a menu or a message.
pub fn format_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    FORMATS.iter().map(|format| (format.name, format.title))
}

/// Renders what a format makes of one line, for the sample tests that every format carries.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) fn render(format: &'static Format, line: &str) -> String {
    use crate::batch::{Chunk, NO_INT, NO_TIME, Values};
    use std::fmt::Write;

    let setup = Setup { zone: Zone::UTC, stamp_within: crate::limits::STAMP_WITHIN_BYTES };
    let chunk = Chunk { bytes: line.as_bytes().to_vec(), offset: 0, first_line: 1 };
    let batch = crate::parser::Parser::new(format, setup).parse(chunk);
    if let Some((_, reason)) = batch.unparsed_examples.first() {
        return format!("unparsed: {reason}");
    }
    let mut out = match batch.time[0] {
        NO_TIME => "-".to_string(),
        ns => jiff::Timestamp::from_nanosecond(i128::from(ns)).unwrap().to_string(),
    };
    write!(out, " {}", if batch.level[0].name().is_empty() { "-" } else { batch.level[0].name() }).unwrap();
    for column in &batch.columns {
        let name = &column.name;
        match &column.values {
            Values::Text(spans) if !spans[0].is_missing() => {
                write!(out, " {name}={:?}", String::from_utf8_lossy(batch.text(spans[0]))).unwrap();
            }
            Values::Int(values) if values[0] != NO_INT => write!(out, " {name}={}", values[0]).unwrap(),
            Values::Float(values) if !values[0].is_nan() => write!(out, " {name}={:?}", values[0]).unwrap(),
            Values::Bool(values) if values[0].is_some() => {
                write!(out, " {name}={}", values[0].unwrap()).unwrap();
            }
            _ => {}
        }
    }
    out
}
