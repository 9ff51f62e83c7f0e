//! Calculations: requests and answers of the engine's façade.

use std::path::Path;
use std::time::Instant;

use indexer::aggregate::{self as engine, Bins, CalendarUnit, Measure, TermOrder, TransactionOrder};
use indexer::{Around, EventId, Nanos};
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, milliseconds, view};
use crate::events::{page_of_rows, row, shown};
use crate::session::{Call, Session};
use crate::types::{Empty, Page, RemoteSays, Row, View};

/// Counts and measures of the matching events, grouped by axes.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AggregateRequest {
    pub view: View,
    pub by: Vec<By>,
    pub measures: Vec<Measure>,
}

/// What events are grouped by. A screen names a zone; the engine has its rules.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum By {
    /// Buckets of time in a zone such as `Europe/Berlin`; `UTC` where none is named.
    Time {
        interval: Interval,
        zone: Option<String>,
    },
    /// The values of a field, so many of them; then all others, then events without any.
    Terms {
        field: String,
        top: u32,
        order: TermOrder,
    },
    Bins {
        field: String,
        bins: Bins,
    },
}

/// The width of buckets, whose numbers have names.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Interval {
    /// The narrowest that a person can name and that needs at most so many buckets.
    Auto {
        buckets: u32,
    },
    Fixed {
        ns: Nanos,
    },
    Calendar {
        count: u32,
        unit: CalendarUnit,
    },
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Aggregate {
    pub revision: u64,
    #[serde(flatten)]
    pub answer: engine::Answer,
    /// Share of the case's events that are done: 1 when this is the whole answer.
    pub fraction: f64,
    pub elapsed_ms: f64,
    /// What a cluster says of its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub remote: Option<RemoteSays>,
}

/// Facets of fields; of all where none is named.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FacetsRequest {
    pub view: View,
    pub fields: Vec<String>,
    pub top: u32,
    pub buckets: u32,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Facets {
    pub revision: u64,
    #[serde(flatten)]
    pub found: engine::Facets,
    /// Share of the fields that are done.
    pub fraction: f64,
    pub elapsed_ms: f64,
    /// What a cluster says of its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub remote: Option<RemoteSays>,
}

/// Rows of the result sorted by a field; events without it come last. Where no field is called so, `relevance` sorts by how
/// well events match what the filter looks for in their text.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SortedPageRequest {
    pub view: View,
    pub field: String,
    pub descending: bool,
    pub first: u64,
    pub count: u32,
    /// Fields whose values come with each row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<String>>"))]
    pub columns: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ContextRequest {
    pub case: String,
    pub id: EventId,
    pub around: Around,
    pub before: u32,
    pub after: u32,
    /// Fields whose values come with each row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<String>>"))]
    pub columns: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Context {
    pub before: Vec<Row>,
    pub event: Row,
    pub after: Vec<Row>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FollowRequest {
    pub case: String,
    pub value: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Followed {
    pub trails: Vec<Trail>,
    pub elapsed_ms: f64,
    /// What a cluster says of its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub remote: Option<RemoteSays>,
}

/// A field of a source that holds the value; `raw` where only the text of events does.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Trail {
    #[serde(flatten)]
    pub trail: engine::Trail,
    pub source_name: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TransactionsRequest {
    pub view: View,
    /// The field whose values are ids.
    pub field: String,
    pub order: TransactionOrder,
    pub most: u32,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Transactions {
    #[serde(flatten)]
    pub found: engine::Transactions,
    pub elapsed_ms: f64,
}

pub fn aggregate(
    session: &Session,
    call: &Call<'_>,
    request: &AggregateRequest,
    report: &dyn Fn(Aggregate),
) -> Answer<Aggregate> {
    let started = Instant::now();
    let (case, snapshot, view) = view(session, &request.view)?;
    let by = request.by.iter().map(engine_by).collect::<Answer<_>>()?;
    let asked = engine::Request { by, measures: request.measures.clone() };
    let reply = |answer: engine::Answer, fraction: f64| Aggregate {
        revision: snapshot.revision(),
        answer,
        fraction,
        elapsed_ms: milliseconds(started),
        remote: None,
    };
    let mut partial = |answer: &engine::Answer, fraction: f64| report(reply(answer.clone(), fraction));
    let answer = case.aggregate(&snapshot, &view, &asked, &mut partial, &call.cancel)?;
    Ok(reply(answer, 1.0))
}

pub(crate) fn engine_by(by: &By) -> Answer<engine::By> {
    Ok(match by {
        By::Time { interval, zone } => engine::By::Time {
            interval: match interval {
                Interval::Auto { buckets } => engine::Interval::Auto(*buckets as usize),
                Interval::Fixed { ns } => engine::Interval::Fixed(ns.0),
                Interval::Calendar { count, unit } => engine::Interval::Calendar(*count, *unit),
            },
            zone: engine::zone(zone.as_deref().unwrap_or("UTC"))?,
        },
        By::Terms { field, top, order } => {
            engine::By::Terms { field: field.clone(), top: *top as usize, order: *order }
        }
        By::Bins { field, bins } => engine::By::Bins { field: field.clone(), bins: bins.clone() },
    })
}

pub fn facets(
    session: &Session,
    call: &Call<'_>,
    request: &FacetsRequest,
    report: &dyn Fn(Facets),
) -> Answer<Facets> {
    let started = Instant::now();
    let (case, snapshot, view) = view(session, &request.view)?;
    let asked = engine::FacetsRequest {
        fields: request.fields.clone(),
        top: request.top as usize,
        buckets: request.buckets as usize,
        edges: None,
    };
    let reply = |found: engine::Facets, fraction: f64| Facets {
        revision: snapshot.revision(),
        found,
        fraction,
        elapsed_ms: milliseconds(started),
        remote: None,
    };
    let mut partial = |facets: &engine::Facets, fraction: f64| report(reply(facets.clone(), fraction));
    let facets = case.facets(&snapshot, &view, &asked, &mut partial, &call.cancel)?;
    Ok(reply(facets, 1.0))
}

pub fn sorted_page(
    session: &Session,
    call: &Call<'_>,
    request: &SortedPageRequest,
    _: &dyn Fn(Empty),
) -> Answer<Page> {
    let started = Instant::now();
    let (case, snapshot, view) = view(session, &request.view)?;
    let rows = (request.first as usize, request.count as usize);
    let sort = indexer::SortBy { field: request.field.clone(), descending: request.descending };
    let page = case.page_by(&snapshot, &view, &sort, rows, &shown(&request.columns), &call.cancel)?;
    Ok(page_of_rows(page, request.first, &snapshot, started))
}

pub fn context(
    session: &Session,
    call: &Call<'_>,
    request: &ContextRequest,
    _: &dyn Fn(Empty),
) -> Answer<Context> {
    let case = session.case(Path::new(&request.case))?;
    let snapshot = case.snapshot();
    let wanted = (request.before as usize, request.after as usize);
    let (id, columns) = (request.id.place(), shown(&request.columns));
    let found = case.around(&snapshot, id, &request.around, wanted, &columns, &call.cancel)?;
    let rows = |events: &[indexer::Event]| events.iter().map(|event| row(event, &snapshot)).collect();
    Ok(Context {
        before: rows(&found.before),
        event: row(&found.event, &snapshot),
        after: rows(&found.after),
    })
}

pub fn follow(
    session: &Session,
    call: &Call<'_>,
    request: &FollowRequest,
    _: &dyn Fn(Empty),
) -> Answer<Followed> {
    let started = Instant::now();
    let case = session.case(Path::new(&request.case))?;
    let snapshot = case.snapshot();
    let found = case.follow(&snapshot, &request.value, &call.cancel)?;
    let named = |trail: engine::Trail| {
        let source = snapshot.sources().get(trail.source as usize);
        Trail { source_name: source.map_or(String::new(), |source| source.name.clone()), trail }
    };
    Ok(Followed {
        trails: found.into_iter().map(named).collect(),
        elapsed_ms: milliseconds(started),
        remote: None,
    })
}

pub fn transactions(
    session: &Session,
    call: &Call<'_>,
    request: &TransactionsRequest,
    _: &dyn Fn(Empty),
) -> Answer<Transactions> {
    let started = Instant::now();
    let (case, snapshot, view) = view(session, &request.view)?;
    let asked = (request.field.as_str(), request.order, request.most as usize);
    let found = case.transactions(&snapshot, &view, asked, &call.cancel)?;
    Ok(Transactions { found, elapsed_ms: milliseconds(started) })
}
