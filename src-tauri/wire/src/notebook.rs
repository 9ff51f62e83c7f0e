//! The notebook: pages read as Markdown, and all of it written out.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use indexer::export::replaced;
use indexer::notebook::{self, Cell, Node, What};
use indexer::{EventId, Nanos};
use serde::{Deserialize, Serialize};

use crate::calls::Answer;
use crate::session::{Call, Session};
use crate::tables::options;
use crate::types::{Empty, ErrorCode, WireError};

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MarkdownRequest {
    pub text: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MarkdownPage {
    pub nodes: Vec<MarkdownNode>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum MarkdownKind {
    /// `level` is 1 to 6.
    Heading,
    Paragraph,
    Quote,
    /// `level` is the number it begins with, null where it is not numbered.
    List,
    /// `done` tells of a task.
    Item,
    Table,
    /// Of a table; `done` is true in its head.
    Row,
    /// A cell of a table; `level` is 0 at the start, 1 in the middle, 2 at the end.
    Column,
    CodeBlock,
    /// `cell` asks the case.
    Cell,
    Rule,
    Text,
    Code,
    Strong,
    Emphasis,
    Strike,
    /// `text` is where it leads: https, http, mailto, or `event:` with a source, `@` and an offset.
    Link,
    Break,
}

/// A piece of a page, all kinds alike, so that the screen walks one type. What does not belong to its kind is null
/// or empty.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MarkdownNode {
    pub kind: MarkdownKind,
    pub text: String,
    pub level: Option<u64>,
    pub done: Option<bool>,
    pub cell: Option<NotebookCell>,
    pub children: Vec<MarkdownNode>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum CellKind {
    Query,
    Chart,
    Seismograph,
    Map,
    Event,
}

/// What a service map is made of.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CellMap {
    /// The field that holds the id.
    pub id: String,
    /// The field whose values are the services.
    pub by: String,
}

/// A fenced block that asks the case, all kinds alike.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NotebookCell {
    pub kind: CellKind,
    pub title: Option<String>,
    /// Of a query, a chart, a seismograph or a map.
    pub query: String,
    pub from: Option<Nanos>,
    pub to: Option<Nanos>,
    /// The zone of days, and of times that name none.
    pub zone: Option<String>,
    pub rows: u32,
    pub map: Option<CellMap>,
    pub events: Vec<CellEvent>,
    /// What of it could not be understood.
    pub problem: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CellEvent {
    pub id: EventId,
    pub caption: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum NotebookFormat {
    Html,
    Markdown,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ExportNotesRequest {
    pub case: String,
    /// The ids of the pages; null for all.
    pub pages: Option<Vec<String>>,
    pub format: NotebookFormat,
    pub zone: Option<String>,
    /// A file of this machine, one that is there is replaced; null for the text itself.
    pub path: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NotebookProgress {
    pub cells_done: u32,
    pub cells: u32,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ExportedNotes {
    /// A name for the file.
    pub name: String,
    pub bytes: u64,
    /// Null where it was written to a file.
    pub text: Option<String>,
}

/// The longest page that is read; the store keeps none that is longer.
const PAGE_BYTES: usize = 4 << 20;

pub fn markdown(
    _: &Session,
    _: &Call<'_>,
    request: &MarkdownRequest,
    _: &dyn Fn(Empty),
) -> Answer<MarkdownPage> {
    if request.text.len() > PAGE_BYTES {
        return Err(WireError::new(ErrorCode::Limit, "The page is too long to be shown."));
    }
    Ok(MarkdownPage { nodes: notebook::parse(&request.text).into_iter().map(node).collect() })
}

fn node(from: Node) -> MarkdownNode {
    use MarkdownKind as Kind;
    let all = |children: Vec<Node>| children.into_iter().map(node).collect();
    let plain = |kind, children: Vec<Node>| MarkdownNode {
        kind,
        text: String::new(),
        level: None,
        done: None,
        cell: None,
        children: all(children),
    };
    let of = |kind| plain(kind, Vec::new());
    match from {
        Node::Heading { level, children } => {
            MarkdownNode { level: Some(u64::from(level)), ..plain(Kind::Heading, children) }
        }
        Node::Paragraph { children } => plain(Kind::Paragraph, children),
        Node::Quote { children } => plain(Kind::Quote, children),
        Node::List { start, children } => MarkdownNode { level: start, ..plain(Kind::List, children) },
        Node::Item { done, children } => MarkdownNode { done, ..plain(Kind::Item, children) },
        Node::Table { children } => plain(Kind::Table, children),
        Node::Row { head, children } => MarkdownNode { done: Some(head), ..plain(Kind::Row, children) },
        Node::Column { align, children } => {
            MarkdownNode { level: Some(align as u64), ..plain(Kind::Column, children) }
        }
        Node::CodeBlock { text, .. } => MarkdownNode { text, ..of(Kind::CodeBlock) },
        Node::Cell { cell } => MarkdownNode { cell: Some(NotebookCell::from(cell)), ..of(Kind::Cell) },
        Node::Rule => of(Kind::Rule),
        Node::Text { text } => MarkdownNode { text, ..of(Kind::Text) },
        Node::Code { text } => MarkdownNode { text, ..of(Kind::Code) },
        Node::Strong { children } => plain(Kind::Strong, children),
        Node::Emphasis { children } => plain(Kind::Emphasis, children),
        Node::Strike { children } => plain(Kind::Strike, children),
        Node::Link { to, children } => MarkdownNode { text: to, ..plain(Kind::Link, children) },
        Node::Break => of(Kind::Break),
    }
}

impl From<Cell> for NotebookCell {
    fn from(cell: Cell) -> NotebookCell {
        let (mut events, mut map) = (Vec::new(), None);
        let (kind, query) = match cell.what {
            What::Query(query) => (CellKind::Query, query),
            What::Chart(query) => (CellKind::Chart, query),
            What::Seismograph(query) => (CellKind::Seismograph, query),
            What::ServiceMap(cell) => {
                map = Some(CellMap { id: cell.id, by: cell.by });
                (CellKind::Map, cell.query)
            }
            What::Events(places) => {
                events = places;
                (CellKind::Event, String::new())
            }
        };
        let event = |place: notebook::EventPlace| CellEvent {
            id: EventId { source: place.source, offset: place.offset },
            caption: place.caption,
        };
        NotebookCell {
            kind,
            title: cell.title,
            query,
            from: cell.from.map(Nanos),
            to: cell.to.map(Nanos),
            zone: cell.zone.and_then(|zone| zone.iana_name().map(str::to_owned)),
            rows: cell.rows as u32,
            map,
            events: events.into_iter().map(event).collect(),
            problem: cell.problem,
        }
    }
}

pub fn export_notes(
    session: &Session,
    call: &Call<'_>,
    request: &ExportNotesRequest,
    report: &dyn Fn(NotebookProgress),
) -> Answer<ExportedNotes> {
    let path = request.path.as_deref().map(Path::new);
    if path.is_some_and(|path| !path.is_absolute()) {
        return Err(WireError::new(ErrorCode::BadRequest, "The file needs its whole path."));
    }
    let case = session.case(Path::new(&request.case))?;
    let options = options(session, &case, request.zone.as_ref())?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ns = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
    let mut report_cells = |done: usize, all: usize| {
        report(NotebookProgress { cells_done: done as u32, cells: all as u32 });
    };
    let book = case.notebook(request.pages.as_deref(), &options, now_ns, &mut report_cells, &call.cancel)?;
    let (text, ending) = match request.format {
        NotebookFormat::Html => (book.to_html(), "html"),
        NotebookFormat::Markdown => (book.to_markdown(), "md"),
    };
    let name = format!("{} notes.{ending}", book.case);
    let bytes = text.len() as u64;
    let Some(path) = path else { return Ok(ExportedNotes { name, bytes, text: Some(text) }) };
    replaced(path, &mut |file| {
        std::io::Write::write_all(file, text.as_bytes())
            .map_err(|error| indexer::Error::writing(path, &error))
    })?;
    Ok(ExportedNotes { name, bytes, text: None })
}
