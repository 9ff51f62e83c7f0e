//! Events of a case and of clusters as rows of one list, and one by one.

use std::time::Instant;

use indexer::query::{Filter, Op, Span, Test};
use indexer::{Around, Direction, Shown};
use remote::{MergedEvent, MergedListing};

use super::{OpenLane, OpenTogether, Together, named};
use crate::analysis::{Context, ContextRequest};
use crate::calls::{Answer, milliseconds};
use crate::events::{
    DETAIL_BYTES, EventsReply, EventsRequest, ROW_BYTES, SeekReply, SeekRequest, case_detail, row, shown,
};
use crate::remotes::{opened_detail, opened_row};
use crate::session::{Call, Session};
use crate::types::{
    ErrorCode, EventDetail, LocateRequest, Located, Page, PageRequest, RemoteSays, Row, View, WireError,
};

/// Events that one call opens; each may be a request.
const TOGETHER: usize = 1_000;

type Range = (Option<i64>, Option<i64>);

/// A view as its places are asked.
pub struct AskedView<'v> {
    pub filter: Filter,
    pub range: Range,
    pub zone: Option<&'v str>,
}

pub fn asked(view: &View) -> Answer<AskedView<'_>> {
    let range = (view.from.map(|time| time.0), view.to.map(|time| time.0));
    let filter = indexer::View::parse(&view.query, range.0, range.1)?.filter;
    Ok(AskedView { filter, range, zone: view.zone.as_deref() })
}

type RowsCall<'a> = (&'a Session, &'a Call<'a>);

/// Asks the merged list of a filter.
fn listed<T>(
    together: &Together,
    (session, call): RowsCall<'_>,
    AskedView { filter, range, zone }: &AskedView<'_>,
    direction: Direction,
    ask: impl FnOnce(&mut MergedListing<'_>) -> indexer::Result<T>,
) -> Answer<(T, Option<RemoteSays>)> {
    let key =
        format!("{}\0{}\0{filter:?}\0{range:?}\0{zone:?}\0{direction:?}", together.path, together.revision());
    let splits = session.part::<OpenTogether>().splits(key);
    together.ask(session, call, *zone, |both| {
        let mut listing =
            MergedListing::new(both, filter, *range, direction, &splits, &|place, lane, asked, sort| {
                together.lanes[place].case.listing(&lane.cluster, asked, sort)
            })?;
        let value = ask(&mut listing)?;
        Ok(listing.answer(value))
    })
}

pub fn page(together: &Together, by: RowsCall<'_>, request: &PageRequest) -> Answer<Page> {
    let started = Instant::now();
    let asked = asked(&request.view)?;
    let shown = shown(&request.columns);
    let ((rows, total), remote) = listed(together, by, &asked, request.order, |listing| {
        Ok((listing.page(request.first, request.count as usize, &shown)?, listing.total()))
    })?;
    Ok(Page {
        revision: together.revision(),
        total,
        first: request.first,
        rows: rows.iter().map(|event| merged_row(together, by.1, event, &request.columns)).collect(),
        elapsed_ms: milliseconds(started),
        remote,
    })
}

/// An event as a row, whoever has it.
fn merged_row(together: &Together, call: &Call<'_>, event: &MergedEvent, columns: &[String]) -> Row {
    match event {
        MergedEvent::OfCase(event) => row(event, &together.snapshot),
        MergedEvent::OfLane(place, event) => {
            let lane = &together.lanes[*place];
            of_lane(lane, opened_row(&lane.case, &lane.case.cluster(call), event, columns))
        }
    }
}

fn of_lane(lane: &OpenLane, row: Row) -> Row {
    Row { id: Together::outside(lane, row.id), source_name: named(lane, &row.source_name), ..row }
}

pub fn locate(together: &Together, by: RowsCall<'_>, request: &LocateRequest) -> Answer<Located> {
    let asked = asked(&request.view)?;
    let event = request.event.map(|id| together.inside(id)).transpose()?;
    let document = match event {
        Some((Some(lane), id)) => Some(lane.case.document(id)?),
        _ => None,
    };
    let (row, _) = listed(together, by, &asked, request.order, |listing| {
        let found = match (&event, &document) {
            (Some((Some(lane), _)), Some((index, id))) => {
                let place = together.lanes.iter().position(|open| open.number == lane.number);
                match place {
                    Some(place) => listing.row_of_lane_event(place, (index, id), request.time.0)?,
                    None => None,
                }
            }
            (Some((None, id)), _) => listing.row_of_case_event(id.place())?,
            _ => None,
        };
        match found {
            Some(row) => Ok(row),
            None => listing.row_of_time(request.time.0),
        }
    })?;
    Ok(Located { row })
}

pub fn seek(together: &Together, by: RowsCall<'_>, request: &SeekRequest) -> Answer<SeekReply> {
    let asked = asked(&request.view)?;
    let wanted = indexer::View::parse(&request.wanted, None, None)?.filter;
    let (row, says) = listed(together, by, &asked, request.order, |listing| {
        listing.next_row(&wanted, request.from, request.backward)
    })?;
    // The next row is there or not: an answer that lacks events does not say which.
    if let Some(missing) = says.as_ref().and_then(|says| says.missing.first()) {
        return Err(WireError {
            hint: Some("Reload when the cluster answers, and try it again.".to_owned()),
            ..WireError::new(ErrorCode::NotReadable, format!("A part of the events is missing: {missing}."))
        });
    }
    Ok(SeekReply { row })
}

pub fn event(together: &Together, call: &Call<'_>, id: indexer::EventId) -> Answer<EventDetail> {
    detail(together, call, id, DETAIL_BYTES)
}

pub fn events(together: &Together, call: &Call<'_>, request: &EventsRequest) -> Answer<EventsReply> {
    let ids = request.ids.iter().take(TOGETHER);
    let events = ids.map(|id| detail(together, call, *id, ROW_BYTES * 10)).collect::<Answer<_>>()?;
    Ok(EventsReply { events })
}

fn detail(together: &Together, call: &Call<'_>, id: indexer::EventId, cut: usize) -> Answer<EventDetail> {
    match together.inside(id)? {
        (None, id) => case_detail(&together.case, &together.snapshot, id, cut),
        (Some(lane), id) => {
            let detail = opened_detail(&lane.case, call, id, cut)?;
            Ok(EventDetail {
                row: of_lane(lane, detail.row),
                source: Together::source(lane, detail.source),
                ..detail
            })
        }
    }
}

pub fn context(together: &Together, by: RowsCall<'_>, request: &ContextRequest) -> Answer<Context> {
    let call = by.1;
    let event = detail(together, call, request.id, ROW_BYTES)?;
    let filter = match &request.around {
        Around::Everywhere => Filter::Everything,
        // What a file is to a case is the source to a cluster; both are named by it.
        Around::File => sharing("source", &source_of(together, &event)?),
        Around::Sharing { field } => {
            let value = event.fields.iter().find(|known| known.field.name == *field);
            let value = value.map(|value| value.field.value.clone()).or_else(|| built_in(&event, field));
            let value = value.ok_or_else(|| {
                WireError::new(ErrorCode::BadRequest, format!("The event has no value in `{field}`."))
            })?;
            sharing(field, &value)
        }
    };
    let (id, time) = (request.id, event.row.time);
    let (lane, inside) = together.inside(id)?;
    let document = lane.map(|lane| lane.case.document(inside)).transpose()?;
    let place = lane.and_then(|lane| together.lanes.iter().position(|open| open.number == lane.number));
    let shown = Shown { cut: ROW_BYTES, columns: &request.columns };
    let (before, after) = (u64::from(request.before), request.after as usize);
    let asked = AskedView { filter, range: (None, None), zone: None };
    let (found, _) = listed(together, by, &asked, Direction::OldestFirst, |listing| {
        let row = match (place, &document, time) {
            (Some(place), Some((index, id)), Some(time)) => {
                listing.row_of_lane_event(place, (index, id), time.0)?
            }
            (None, _, _) => listing.row_of_case_event(inside.place())?,
            _ => None,
        };
        let Some(row) = row else { return Ok(None) };
        let first = row.saturating_sub(before);
        let earlier = (row - first) as usize;
        Ok(Some((listing.page(first, earlier + 1 + after, &shown)?, earlier)))
    })?;
    let Some((events, earlier)) = found.filter(|(events, earlier)| events.len() > *earlier) else {
        return Err(WireError::new(ErrorCode::NotFound, "The event is not in the list."));
    };
    let mut rows = events.iter().map(|event| merged_row(together, call, event, &request.columns));
    let before: Vec<Row> = rows.by_ref().take(earlier).collect();
    let Some(event) = rows.next() else {
        return Err(WireError::new(ErrorCode::NotFound, "The event is not in the list."));
    };
    Ok(Context { before, event, after: rows.collect() })
}

fn sharing(field: &str, value: &str) -> Filter {
    let test = Test::Compare(Op::Equal, value.to_owned());
    Filter::Field { field: field.to_owned(), test, span: Span::default() }
}

/// The source of an event as filters name it.
fn source_of(together: &Together, event: &EventDetail) -> Answer<String> {
    let (lane, _) = together.inside(event.row.id)?;
    let name = event.row.source_name.clone();
    Ok(match lane {
        Some(lane) => name.strip_prefix(&named(lane, "")).unwrap_or(&name).to_owned(),
        None => name,
    })
}

fn built_in(event: &EventDetail, field: &str) -> Option<String> {
    match field {
        "level" => Some(event.row.level.name().to_owned()),
        "source" => Some(event.row.source_name.clone()),
        _ => None,
    }
}
