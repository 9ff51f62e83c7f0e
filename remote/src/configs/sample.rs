//! Events of one source, spread over it, with what Timberline read in them.

use indexer::query::Filter;
use indexer::{Cancel, Case, Direction, Event, FieldValue, NO_TIME, Result, Shown, Snapshot, View};
use serde_json::Value;

use crate::push::Documents;

/// Events are taken at so many places of the source, so many at each.
const PLACES: usize = 8;
const AT_EACH: usize = 125;

/// Longer events are not sent in a test.
const TEXT_BYTES: usize = 32 << 10;

/// An event as it is written, and as it is read.
pub struct SampledEvent {
    pub text: String,
    pub time: Option<i64>,
    /// Empty where it has none.
    pub level: &'static str,
    pub fields: Vec<FieldValue>,
    /// As `timberline push` sends it.
    pub document: Value,
}

pub fn sample(case: &Case, snapshot: &Snapshot, source: u32, cancel: &Cancel) -> Result<Vec<SampledEvent>> {
    let name = snapshot.sources().get(source as usize).map_or("", |source| &source.name);
    let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
    let view = View { filter: named(&quoted)?, from: None, to: None };
    let total = case.count(snapshot, &view, cancel)?;
    let mut ids: Vec<(u32, u64)> = Vec::new();
    for place in 0..PLACES {
        let first = total * place / PLACES;
        let shown = Shown::text(1);
        let page = case.page(snapshot, &view, Direction::OldestFirst, (first, AT_EACH), &shown, cancel)?;
        let found = page.events.iter().filter(|event| event.source == source);
        for id in found.map(|event| (event.source, event.offset)) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    let documents = Documents::new(snapshot, false);
    let found = case.events(snapshot, &ids, TEXT_BYTES, cancel)?.into_iter();
    Ok(found
        .filter(|(event, _)| !event.cut)
        .map(|(event, fields)| sampled(&documents, event, fields))
        .collect())
}

fn named(quoted: &str) -> Result<Filter> {
    Ok(View::parse(&format!("source=\"{quoted}\""), None, None)?.filter)
}

fn sampled(documents: &Documents, event: Event, fields: Vec<FieldValue>) -> SampledEvent {
    let document = documents.document(&event, &fields);
    SampledEvent {
        time: (event.time != NO_TIME).then_some(event.time),
        level: event.level.name(),
        text: event.text,
        fields,
        document,
    }
}
