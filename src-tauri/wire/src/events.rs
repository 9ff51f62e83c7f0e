//! Events as rows of a result and one by one: pages, places in it, and everything about an event.

use std::path::Path;
use std::time::Instant;

use indexer::query::ecs;
use indexer::service_map::service_field;
use indexer::{Case, Direction, EventId, NO_TIME, Nanos, Shown, Snapshot, aggregate};
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, in_zone, milliseconds, sources, view};
use crate::session::{Call, Session};
use crate::types::{
    CasePath, Empty, ErrorCode, EventDetail, EventRequest, FieldValue, LocateRequest, Located, Page,
    PageRequest, Row, Source, View, WireError,
};

/// The text of an event that a list row carries; a screen is some hundred characters wide.
pub(crate) const ROW_BYTES: usize = 1_000;
/// The text of an event that is read for a list row: most stack traces name their cause within it.
const ROW_READ_BYTES: usize = 16 << 10;
/// The line that names a cause, as a list row carries it.
const CAUSE_BYTES: usize = 300;
/// The text of an event that the detail carries; more is in the source, and can be exported.
pub(crate) const DETAIL_BYTES: usize = 1 << 20;
/// The bytes of an event that are shown as such; a thousand lines of sixteen are more than anyone reads.
const HEX_BYTES: usize = 16 << 10;
/// What several events may weigh together. Those that do not fit any more are left out, and are not in the
/// answer.
const TOGETHER_BYTES: usize = 32 << 20;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EventsRequest {
    pub case: String,
    pub ids: Vec<EventId>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EventsReply {
    /// In the order asked for; those beyond a limit are not there.
    pub events: Vec<EventDetail>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SeekRequest {
    pub view: View,
    pub order: Direction,
    /// The row that is left; null for the edge of the result.
    pub from: Option<u64>,
    /// Towards the first row.
    pub backward: bool,
    /// A filter that the row has to match in addition to that of the view.
    pub wanted: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SeekReply {
    pub row: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StripRequest {
    pub view: View,
    pub order: Direction,
    /// The result is cut into so many runs of rows.
    pub cells: u32,
    /// Filters whose events are counted in each run.
    pub marks: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Strip {
    pub revision: u64,
    #[serde(flatten)]
    pub strip: indexer::Strip,
}

/// The fields of a case, without looking at any event.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FieldList {
    pub revision: u64,
    pub fields: Vec<KnownField>,
    /// The one that names the service of an event.
    pub service: Option<String>,
}

impl FieldList {
    pub(crate) fn new(revision: u64, fields: Vec<aggregate::KnownField>) -> FieldList {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        let service = service_field(&names).map(str::to_owned);
        let known = |field: aggregate::KnownField| KnownField { ecs: ecs_name(&field.name), field };
        FieldList { revision, fields: fields.into_iter().map(known).collect(), service }
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct KnownField {
    #[serde(flatten)]
    pub field: aggregate::KnownField,
    /// What the Elastic Common Schema calls it.
    pub ecs: Option<String>,
}

pub fn fields(session: &Session, _: &Call<'_>, request: &CasePath, _: &dyn Fn(Empty)) -> Answer<FieldList> {
    let snapshot = session.case(Path::new(&request.path))?.snapshot();
    Ok(FieldList::new(snapshot.revision(), indexer::Engine::fields(&snapshot)))
}

pub(crate) fn ecs_name(field: &str) -> Option<String> {
    ecs::NAMES.iter().find(|(name, _)| *name == field).map(|&(_, ecs)| ecs.to_owned())
}

pub fn page(session: &Session, call: &Call<'_>, request: &PageRequest, _: &dyn Fn(Empty)) -> Answer<Page> {
    let started = Instant::now();
    let (case, snapshot, view) = view(session, &request.view)?;
    let rows = (request.first as usize, request.count as usize);
    let shown = shown(&request.columns);
    let page = case.page(&snapshot, &view, request.order, rows, &shown, &call.cancel)?;
    Ok(page_of_rows(page, request.first, &snapshot, started))
}

pub fn locate(
    session: &Session,
    call: &Call<'_>,
    request: &LocateRequest,
    _: &dyn Fn(Empty),
) -> Answer<Located> {
    let (case, snapshot, view) = view(session, &request.view)?;
    let direction = request.order;
    let row = match request.event {
        Some(event) => case.place_of(&snapshot, &view, direction, event.place(), &call.cancel)?,
        None => None,
    };
    let row = match row {
        Some(row) => row,
        None => case.locate(&snapshot, &view, direction, request.time.0, &call.cancel)?,
    };
    Ok(Located { row: row as u64 })
}

pub fn event(
    session: &Session,
    _: &Call<'_>,
    request: &EventRequest,
    _: &dyn Fn(Empty),
) -> Answer<EventDetail> {
    let case = session.case(Path::new(&request.case))?;
    case_detail(&case, &case.snapshot(), request.id, DETAIL_BYTES)
}

/// An event of a case, with its text up to a length.
pub(crate) fn case_detail(
    case: &Case,
    snapshot: &Snapshot,
    id: EventId,
    most_bytes: usize,
) -> Answer<EventDetail> {
    let found = case.event(snapshot, id.source, id.offset, most_bytes)?;
    detail(found, &sources(snapshot), snapshot)
}

pub fn events(
    session: &Session,
    call: &Call<'_>,
    request: &EventsRequest,
    _: &dyn Fn(Empty),
) -> Answer<EventsReply> {
    let case = session.case(Path::new(&request.case))?;
    let snapshot = case.snapshot();
    let ids: Vec<_> = request.ids.iter().map(|id| id.place()).collect();
    let cut = (TOGETHER_BYTES / ids.len().max(1)).min(DETAIL_BYTES);
    let found = case.events(&snapshot, &ids, cut, &call.cancel)?;
    let sources = sources(&snapshot);
    let detail = |found| detail(found, &sources, &snapshot);
    Ok(EventsReply { events: found.into_iter().map(detail).collect::<Answer<_>>()? })
}

pub fn seek(
    session: &Session,
    call: &Call<'_>,
    request: &SeekRequest,
    _: &dyn Fn(Empty),
) -> Answer<SeekReply> {
    let (case, snapshot, view) = view(session, &request.view)?;
    let wanted = filter(&case, &request.view, &request.wanted)?;
    let seek = indexer::Seek { from: request.from.map(|row| row as usize), backward: request.backward };
    let asked = (request.order, &wanted);
    let row = case.seek(&snapshot, &view, asked, seek, &call.cancel)?;
    Ok(SeekReply { row: row.map(|row| row as u64) })
}

pub fn strip(session: &Session, call: &Call<'_>, request: &StripRequest, _: &dyn Fn(Empty)) -> Answer<Strip> {
    let (case, snapshot, view) = view(session, &request.view)?;
    let marks = request.marks.iter().map(|mark| filter(&case, &request.view, mark));
    let marks = marks.collect::<Answer<Vec<_>>>()?;
    let asked = (request.order, marks.as_slice());
    let strip = case.strip(&snapshot, &view, asked, request.cells as usize, &call.cancel)?;
    Ok(Strip { revision: snapshot.revision(), strip })
}

/// Another filter than that of a view, in its zone.
fn filter(case: &Case, view: &View, query: &str) -> Answer<indexer::query::Filter> {
    in_zone(case, indexer::View::parse(query, None, None)?.filter, view.zone.as_deref())
}

pub(crate) fn shown(columns: &[String]) -> Shown<'_> {
    Shown { cut: ROW_READ_BYTES, columns }
}

pub(crate) fn page_of_rows(page: indexer::Page, first: u64, snapshot: &Snapshot, started: Instant) -> Page {
    Page {
        revision: snapshot.revision(),
        total: page.total as u64,
        first,
        rows: page.events.into_iter().map(|event| row(&event, snapshot)).collect(),
        elapsed_ms: milliseconds(started),
        remote: None,
    }
}

/// Returns the beginning of a text, and the line that names the root cause if the text is a longer stack trace.
fn row_text(text: &str) -> String {
    let head = &text[..text.floor_char_boundary(ROW_BYTES)];
    let rest = &text[head.len()..];
    match (head.rsplit_once('\n'), cause(rest)) {
        (Some((whole_lines, _)), Some(cause)) => {
            format!("{whole_lines}\n…\n{}", &cause[..cause.floor_char_boundary(CAUSE_BYTES)])
        }
        _ => head.to_owned(),
    }
}

/// The last line that names a cause; in Python the exception is below the frames.
fn cause(rest: &str) -> Option<&str> {
    let named = rest.lines().rfind(|line| line.trim_start().starts_with("Caused by: "));
    let is_python = || rest.contains("\n  File \"");
    let is_below = |line: &&str| !line.is_empty() && !line.starts_with([' ', '\t']);
    named.or_else(|| if is_python() { rest.lines().rfind(is_below) } else { None })
}

pub(crate) fn row(event: &indexer::Event, snapshot: &Snapshot) -> Row {
    Row {
        id: EventId { source: event.source, offset: event.offset },
        time: (event.time != NO_TIME).then_some(Nanos(event.time)),
        level: event.level,
        source_name: snapshot
            .sources()
            .get(event.source as usize)
            .map(|source| source.name.clone())
            .unwrap_or_default(),
        line: event.line,
        text: row_text(&event.text),
        cut: event.text.len() > ROW_BYTES || event.cut,
        values: event.values.iter().map(|value| value.as_deref().map(row_text)).collect(),
    }
}

fn detail(
    (event, fields): (indexer::Event, Vec<indexer::FieldValue>),
    sources: &[Source],
    snapshot: &Snapshot,
) -> Answer<EventDetail> {
    let Some(source) = sources.iter().find(|source| source.id == event.source).cloned() else {
        return Err(WireError::new(ErrorCode::CaseDamaged, "The event's source is not in the case."));
    };
    let named: Vec<_> = fields.iter().map(|field| (field.name.clone(), field.value.clone())).collect();
    Ok(EventDetail {
        row: row(&event, snapshot),
        pieces: indexer::text_pieces(&event.text, &named),
        hex: hex(&event.raw[..event.raw.len().min(HEX_BYTES)]),
        text: event.text,
        text_cut: event.cut,
        bytes: u64::from(event.length),
        format: source.format.clone(),
        source,
        fields: fields.into_iter().map(|field| FieldValue { ecs: ecs_name(&field.name), field }).collect(),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|half| char::from_digit(half.into(), 16))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_of_a_long_stack_trace_keeps_its_cause() {
        let frames = "\tat com.acme.Checkout.pay(Checkout.java:88)\n".repeat(40);
        let text =
            format!("failed\n{frames}Caused by: a.B: first\n{frames}Caused by: c.D: root\n\t... 9 more");
        let shown = row_text(&text);
        assert!(shown.starts_with("failed\n\tat com.acme"));
        assert!(shown.ends_with("88)\n…\nCaused by: c.D: root"));
        assert!(shown.len() <= ROW_BYTES + CAUSE_BYTES + "\n…\n".len());
        let python = format!("Traceback\n{}KeyError: 'x'", "  File \"/a.py\", line 3, in run\n".repeat(60));
        assert!(row_text(&python).ends_with("\n…\nKeyError: 'x'"));
    }

    #[test]
    fn row_of_a_text_without_a_cause_is_its_beginning() {
        assert_eq!(row_text("short\nCaused by: x"), "short\nCaused by: x");
        let long = "ä".repeat(ROW_BYTES);
        assert_eq!(row_text(&long), "ä".repeat(ROW_BYTES / 2));
        let lines = "a line\n".repeat(ROW_BYTES);
        assert_eq!(row_text(&lines), lines[..ROW_BYTES]);
    }
}
