//! `timberline query CASE --with remote:NAME`: a case and clusters, asked together.

use std::io::Write;
use std::sync::Mutex;

use anyhow::Result;
use indexer::export::Records;
use indexer::query::{Filter, Query, parse_query};
use indexer::{Case, Cell, Direction, Error, ErrorKind, Event, FieldValue, Shown};
use remote::{
    Answer, Both, Cluster, Here, Lane, MergedEvent, MergedListing, Remotes, new_listing, only_by_time,
};

use crate::Outcome;
use crate::allowed::typed_files;
use crate::args::{self, Format};
use crate::events::{Row, source_name, time_in};
use crate::remotes::{checked_query, explain, interrupted, line, options, outcome, record};
use crate::{out, pipes};

/// Rows of one page.
const PAGE: usize = 1_000;

pub fn query(arguments: &args::Query) -> Result<Outcome> {
    let text = arguments.filter.as_str();
    let asked = checked_query(text, parse_query(text).map_err(Error::from))?;
    let zone = arguments.zone.as_deref();
    let range = (time_in(arguments.from.as_ref(), zone)?, time_in(arguments.to.as_ref(), zone)?);
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    let cancel = interrupted()?;
    let remotes = Remotes::read(&wire::home())?;
    let mut lanes = Vec::new();
    for name in &arguments.cluster.with {
        let named = Remotes::name_in(name).ok_or_else(|| {
            Error::new(ErrorKind::BadRequest, format!("\"{name}\" names no cluster"))
                .hint("write it as --with remote:NAME; timberline remote list shows them")
        })?;
        let options = options(arguments.cluster.timeout.as_deref())?;
        let cluster = Cluster::connect(remotes.get(named)?, options, &cancel)?;
        let times = cluster.overview()?.times;
        lanes.push(Lane { cluster, times });
    }
    let both = Both { case: &case, snapshot: &snapshot, lanes, zone: zone.unwrap_or("UTC"), cancel: &cancel };
    let result = answered(&both, arguments, &asked, range);
    if arguments.explain {
        both.lanes.iter().for_each(|lane| explain(&lane.cluster.client));
    }
    // What is damaged in the case is missing too.
    let of_case = crate::events::outcome(&snapshot);
    result.map(|outcome| if matches!(of_case, Outcome::Done) { outcome } else { of_case })
}

type Range = (Option<i64>, Option<i64>);

fn answered(both: &Both<'_>, arguments: &args::Query, query: &Query, range: Range) -> Result<Outcome> {
    let text = arguments.filter.as_str();
    let mut stdout = out::stdout();
    if !query.stages.is_empty() {
        if arguments.sort.is_some() {
            let error = Error::new(ErrorKind::BadRequest, "--sort orders events, not tables");
            return Err(error.hint("sort in the query: … | sort -count").into());
        }
        let here = Here { files: typed_files()?, ..Here::default() };
        let answer = checked_query(text, both.run(query, range, &here))?;
        let table = answer.value.first(arguments.limit.unwrap_or(usize::MAX));
        if arguments.count {
            writeln!(stdout, "{}", table.rows())?;
        } else {
            pipes::print(&table, arguments.format, arguments.formulas.into(), &mut stdout)?;
        }
        stdout.flush()?;
        return Ok(outcome(&answer));
    }
    if arguments.count {
        let answer = checked_query(text, both.count(&query.filter, range))?;
        writeln!(stdout, "{}", answer.value)?;
        stdout.flush()?;
        return Ok(outcome(&answer));
    }
    let answer = printed(both, arguments, &query.filter, range, &mut stdout)?;
    stdout.flush()?;
    Ok(outcome(&answer))
}

/// Prints the events of all in the order of time.
fn printed(
    both: &Both<'_>,
    arguments: &args::Query,
    filter: &Filter,
    range: Range,
    out: &mut dyn Write,
) -> Result<Answer<()>> {
    let sort = arguments.sort();
    if sort.field != "time" {
        return Err(only_by_time().into());
    }
    if matches!(arguments.format, Format::Parquet | Format::Arrow) {
        let error = Error::new(ErrorKind::BadRequest, "events of a cluster are not written as a table");
        return Err(error.hint("take --format ndjson or csv, or a query that ends with stats").into());
    }
    let direction = if sort.descending { Direction::NewestFirst } else { Direction::OldestFirst };
    let splits = Mutex::default();
    let listing = MergedListing::new(both, filter, range, direction, &splits, &|_, lane, asked, sort| {
        new_listing(lane, asked, sort)
    });
    let mut listing = checked_query(&arguments.filter, listing)?;
    let columns: Vec<String> = both.context().fields.into_iter().map(|field| field.name).collect();
    if arguments.format == Format::Csv {
        let names: Vec<&str> = columns.iter().map(String::as_str).collect();
        let mut records = Records::new(arguments.formulas.into(), out);
        let header = ["time", "source", "line", "level", "raw"].iter().chain(&names);
        records.write(header.map(|name| Cell::text(name)))?;
        pages(both, arguments, &mut listing, &mut |event, fields| match event {
            MergedEvent::OfCase(event) => case_row(both, event, fields).write_record(&names, &mut records),
            MergedEvent::OfLane(_, event) => records.write(record(event, &columns).into_iter()),
        })?;
        records.finish()?;
        return Ok(listing.answer(()));
    }
    pages(both, arguments, &mut listing, &mut |event, fields| match event {
        MergedEvent::OfCase(event) => case_row(both, event, fields).write(arguments.format, out),
        MergedEvent::OfLane(_, event) => line(event, arguments.format, out),
    })?;
    Ok(listing.answer(()))
}

fn case_row<'a>(both: &'a Both<'_>, event: &'a Event, fields: &'a [FieldValue]) -> Row<'a> {
    Row { event, fields, source: source_name(both.snapshot, event) }
}

/// Hands over all rows of the list, those of the case with their fields.
fn pages(
    both: &Both<'_>,
    arguments: &args::Query,
    listing: &mut MergedListing<'_>,
    each: &mut dyn FnMut(&MergedEvent, &[FieldValue]) -> std::io::Result<()>,
) -> Result<()> {
    let limit = arguments.limit.unwrap_or(usize::MAX);
    let mut done = 0;
    while done < limit {
        let shown = Shown { cut: usize::MAX, columns: &[] };
        let page = listing.page(done as u64, PAGE.min(limit - done), &shown);
        let events = checked_query(&arguments.filter, page)?;
        if events.is_empty() {
            break;
        }
        let of_case: Vec<(u32, u64)> = events
            .iter()
            .filter_map(|event| match event {
                MergedEvent::OfCase(event) => Some((event.source, event.offset)),
                MergedEvent::OfLane(..) => None,
            })
            .collect();
        let with_fields = matches!(arguments.format, Format::Csv | Format::Ndjson);
        let mut fields = if with_fields {
            both.case.events(both.snapshot, &of_case, 0, both.cancel)?.into_iter()
        } else {
            Vec::new().into_iter()
        };
        for event in &events {
            let own = match event {
                MergedEvent::OfCase(_) => fields.next().map(|(_, fields)| fields).unwrap_or_default(),
                MergedEvent::OfLane(..) => Vec::new(),
            };
            each(event, &own)?;
        }
        done += events.len();
    }
    Ok(())
}
