//! Checks the samples of a definition: each is read as a file would be, and compared with the expected
//! values.

use std::sync::Arc;

use super::definition::{Definition, Fault};
use crate::batch::{Batch, Chunk, NO_INT, NO_TIME, Values};
use crate::formats::{self, Learned, Setup};
use crate::frame::{EventBlock, Framing};
use crate::parser::Parser;
use crate::time::zone::Zone;

/// A line, and the expected text of each name; `time`, `level` and `tags` among them.
pub(super) struct Sample {
    pub line: String,
    pub expected: Vec<(String, String)>,
}

/// Returns the definition if all samples give the expected values.
pub(super) fn check(definition: Definition, samples: &[Sample]) -> Result<Definition, Vec<Fault>> {
    let definition = Arc::new(definition);
    let mut faults = Vec::new();
    for (at, sample) in samples.iter().enumerate() {
        let key = format!("samples[{}]", at + 1);
        let mut fault = |key: String, message: String| faults.push(Fault { key, message });
        let line = sample.line.trim_end_matches(['\n', '\r']);
        let batch = definition.parse_event(line);
        if batch.rows() == 0 {
            fault(format!("{key}.line"), "it is empty: give a line as it is in a file".to_string());
            continue;
        }
        if let Some((_, reason)) = batch.unparsed_examples.first() {
            fault(format!("{key}.line"), format!("{reason}: `{line}`"));
            continue;
        }
        for (name, expected) in &sample.expected {
            let found = value(&batch, name);
            if found.as_deref() == Some(expected) || same_instant(found.as_deref(), name, expected) {
                continue;
            }
            let found = found.map_or("nothing".to_string(), |found| format!("`{found}`"));
            fault(format!("{key}.{name}"), format!("should be `{expected}`, but the line gives {found}"));
        }
    }
    match Arc::try_unwrap(definition) {
        Ok(definition) if faults.is_empty() => Ok(definition),
        _ => Err(faults),
    }
}

fn same_instant(found: Option<&str>, name: &str, expected: &str) -> bool {
    let parse = |text: &str| text.parse::<jiff::Timestamp>().ok();
    name == "time" && found.and_then(parse).is_some_and(|found| Some(found) == parse(expected))
}

/// The value of a row under a name, as text.
pub(super) fn value(batch: &Batch, name: &str) -> Option<String> {
    if name == "time" {
        let ns = *batch.time.first().filter(|&&ns| ns != NO_TIME)?;
        return jiff::Timestamp::from_nanosecond(i128::from(ns)).ok().map(|time| time.to_string());
    }
    if name == "level" {
        let name = batch.level.first()?.name();
        return (!name.is_empty()).then(|| name.to_string());
    }
    let mut columns = batch.columns.iter().filter(|column| &*column.name == name);
    columns.find_map(|column| match &column.values {
        Values::Text(spans) if !spans[0].is_missing() => {
            Some(String::from_utf8_lossy(batch.text(spans[0])).into_owned())
        }
        Values::Int(values) if values[0] != NO_INT => Some(values[0].to_string()),
        Values::Float(values) if !values[0].is_nan() => Some(values[0].to_string()),
        Values::Bool(values) => values[0].map(|value| value.to_string()),
        _ => None,
    })
}

impl Definition {
    /// One event, which may have several lines.
    pub(super) fn parse_event(self: &Arc<Self>, event: &str) -> Batch {
        let whole = |text: &[u8]| Some(EventBlock { start: 0, end: text.len(), next: text.len() });
        let learned = Learned { framing: Framing::blocks(whole), ..Learned::default() };
        let setup = Setup { learned, ..self.setup(&Setup::new(Zone::UTC)) };
        Parser::new(&formats::CUSTOM, setup).parse(Chunk::whole(event.as_bytes().to_vec()))
    }

    /// Reads a chunk, in the definition's own zone or UTC.
    #[must_use]
    pub fn parse(self: &Arc<Self>, chunk: Chunk) -> Batch {
        Parser::new(&formats::CUSTOM, self.setup(&Setup::new(Zone::UTC))).parse(chunk)
    }
}
