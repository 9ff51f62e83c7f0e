//! Events of a cluster as rows of a list and one by one.

use std::time::Instant;

use indexer::query::{Filter, Op, Span, Test};
use indexer::{Around, Direction, EventId, FieldValue as Value, SortBy, text_pieces};
use remote::{Cluster, RemoteEvent};

use super::asked;
use super::opened::RemoteCase;
use crate::analysis::{Context, ContextRequest, SortedPageRequest};
use crate::calls::{Answer, milliseconds};
use crate::events::{DETAIL_BYTES, EventsReply, EventsRequest, ROW_BYTES, SeekReply, SeekRequest, ecs_name};
use crate::session::{Call, locked};
use crate::types::{
    ErrorCode, EventDetail, EventRequest, FieldValue, LocateRequest, Located, Page, PageRequest, RemoteSays,
    Row, View, WireError,
};

/// Events that one call opens; each is a request.
const TOGETHER: usize = 1_000;

fn by_time(order: Direction) -> SortBy {
    SortBy { field: "time".to_owned(), descending: order == Direction::NewestFirst }
}

pub fn page(case: &RemoteCase, call: &Call<'_>, request: &PageRequest) -> Answer<Page> {
    listed(
        case,
        call,
        &request.view,
        &by_time(request.order),
        (request.first, request.count),
        &request.columns,
    )
}

pub fn sorted_page(case: &RemoteCase, call: &Call<'_>, request: &SortedPageRequest) -> Answer<Page> {
    let sort = SortBy { field: request.field.clone(), descending: request.descending };
    listed(case, call, &request.view, &sort, (request.first, request.count), &request.columns)
}

fn listed(
    case: &RemoteCase,
    call: &Call<'_>,
    view: &View,
    sort: &SortBy,
    (first, count): (u64, u32),
    columns: &[String],
) -> Answer<Page> {
    let started = Instant::now();
    let cluster = case.cluster(call);
    let listing = case.listing(&cluster, &asked(view)?, sort)?;
    let mut listing = locked(&listing);
    let answer = listing.page(&cluster, first, count as usize)?;
    Ok(Page {
        revision: case.revision,
        total: listing.total(),
        first,
        remote: RemoteSays::from_answer(&answer),
        rows: answer.value.iter().map(|event| row(case, &cluster, event, columns)).collect(),
        elapsed_ms: milliseconds(started),
    })
}

pub fn locate(case: &RemoteCase, call: &Call<'_>, request: &LocateRequest) -> Answer<Located> {
    let cluster = case.cluster(call);
    let listing = case.listing(&cluster, &asked(&request.view)?, &by_time(request.order))?;
    let mut listing = locked(&listing);
    if let Some(event) = request.event {
        let (index, id) = case.document(event)?;
        if let Some(row) = listing.row_of_event(&cluster, (&index, &id))?.value {
            return Ok(Located { row });
        }
    }
    Ok(Located { row: listing.row_of_time(&cluster, request.time.0)?.value })
}

pub fn seek(case: &RemoteCase, call: &Call<'_>, request: &SeekRequest) -> Answer<SeekReply> {
    let cluster = case.cluster(call);
    let wanted = indexer::View::parse(&request.wanted, None, None)?.filter;
    let listing = case.listing(&cluster, &asked(&request.view)?, &by_time(request.order))?;
    let mut listing = locked(&listing);
    let answer = listing.next_row(&cluster, &wanted, request.from, request.backward)?;
    complete(&answer)?;
    Ok(SeekReply { row: answer.value })
}

pub fn event(case: &RemoteCase, call: &Call<'_>, request: &EventRequest) -> Answer<EventDetail> {
    detail_of(case, call, request.id, DETAIL_BYTES)
}

/// An event that was listed, with its text up to a length.
pub fn detail_of(case: &RemoteCase, call: &Call<'_>, id: EventId, most_bytes: usize) -> Answer<EventDetail> {
    let (index, id) = case.document(id)?;
    let cluster = case.cluster(call);
    let answer = cluster.event_of((&index, &id))?;
    complete(&answer)?;
    Ok(detail(case, &cluster, &answer.value, most_bytes))
}

pub fn events(case: &RemoteCase, call: &Call<'_>, request: &EventsRequest) -> Answer<EventsReply> {
    let ids = request.ids.iter().take(TOGETHER);
    let events = ids.map(|id| detail_of(case, call, *id, ROW_BYTES * 10)).collect::<Answer<_>>()?;
    Ok(EventsReply { events })
}

pub fn context(case: &RemoteCase, call: &Call<'_>, request: &ContextRequest) -> Answer<Context> {
    let document = case.document(request.id)?;
    let place = (document.0.as_str(), document.1.as_str());
    let cluster = case.cluster(call);
    let filter = match &request.around {
        Around::Everywhere => Filter::Everything,
        // What a file is to a case is the source to a cluster.
        Around::File => sharing(&cluster, place, "source")?,
        Around::Sharing { field } => sharing(&cluster, place, field)?,
    };
    let wanted = (request.before as usize, request.after as usize);
    let answer = cluster.around(place, &filter, wanted)?;
    complete(&answer)?;
    let found = answer.value;
    let rows = |events: &[RemoteEvent]| {
        events.iter().map(|event| row(case, &cluster, event, &request.columns)).collect()
    };
    Ok(Context {
        before: rows(&found.before),
        event: row(case, &cluster, &found.event, &request.columns),
        after: rows(&found.after),
    })
}

/// The filter of the events that share a value with one.
fn sharing(cluster: &Cluster, place: (&str, &str), field: &str) -> Answer<Filter> {
    let event = cluster.event_of(place)?.value;
    let Some(value) = cluster.value(&event, field) else {
        return Err(WireError::new(ErrorCode::BadRequest, format!("The event has no value in `{field}`.")));
    };
    let test = Test::Compare(Op::Equal, value);
    Ok(Filter::Field { field: field.to_owned(), test, span: Span::default() })
}

/// One event is there or not: an answer that lacks shards does not say which.
fn complete<T>(answer: &remote::Answer<T>) -> Answer<()> {
    let Some(missing) = answer.missing.0.first() else { return Ok(()) };
    Err(WireError {
        hint: Some("Try it again when the cluster is whole.".to_owned()),
        ..WireError::new(ErrorCode::NotReadable, format!("The cluster answered in part: {missing}."))
    })
}

/// An event as a row of a list.
pub fn row(case: &RemoteCase, cluster: &Cluster, event: &RemoteEvent, columns: &[String]) -> Row {
    let shown = &event.text[..event.text.floor_char_boundary(ROW_BYTES)];
    Row {
        id: case.id_of(event),
        time: event.time.map(indexer::Nanos),
        level: Cluster::level_named(event.level.as_deref()),
        source_name: event.source.clone(),
        line: event.line.unwrap_or(0),
        text: shown.to_owned(),
        cut: shown.len() < event.text.len(),
        values: columns.iter().map(|column| cluster.value(event, column)).collect(),
    }
}

fn detail(case: &RemoteCase, cluster: &Cluster, event: &RemoteEvent, most_bytes: usize) -> EventDetail {
    let row = row(case, cluster, event, &[]);
    let text = event.text[..event.text.floor_char_boundary(most_bytes)].to_owned();
    let kind = |name: &str, value: &serde_json::Value| match cluster.schema.field(name) {
        Some(field) if !value.is_array() && !value.is_object() => field.language_kind(),
        _ => indexer::FieldKind::Text,
    };
    let own = cluster.schema.text.as_deref();
    let fields: Vec<Value> = event
        .fields
        .iter()
        // The text is shown as such.
        .filter(|(name, _)| Some(name.as_str()) != own)
        .map(|(name, value)| Value {
            name: name.clone(),
            value: remote::text_of(value),
            kind: kind(name, value),
        })
        .collect();
    let named: Vec<_> = fields.iter().map(|field| (field.name.clone(), field.value.clone())).collect();
    EventDetail {
        pieces: text_pieces(&text, &named),
        text_cut: text.len() < event.text.len(),
        bytes: event.text.len() as u64,
        format: case.server(),
        source: case.source_of(row.id, event),
        fields: fields.into_iter().map(|field| FieldValue { ecs: ecs_name(&field.name), field }).collect(),
        // A cluster keeps documents, and no bytes of a log.
        hex: String::new(),
        row,
        text,
    }
}
