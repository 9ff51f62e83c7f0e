//! The calls of the contract that a cluster answers.

use std::sync::Arc;
use std::time::Instant;

use indexer::aggregate as engine;
use indexer::query::{Completion, Diagnostic, Reading, Span, time::Period};
use indexer::{Engine, FileAccess, RunOptions, Table as Rows, is_sql};
use remote::{Here, Remotes};
use serde::Serialize;

use crate::analysis::{Aggregate, AggregateRequest, Facets, FacetsRequest, engine_by};
use crate::calls::{Answer, milliseconds};
use crate::contract::Command;
use crate::events::FieldList;
use crate::language::{CheckRequest, CompleteRequest, QueryCheck, StretchRequest, UnknownWords, check_reply};
use crate::live::LiveStatus;
use crate::notes::Notes;
use crate::places::not_available;
use crate::remotes::{OpenRemotes, RemoteCase, asked, opened, rows, trails};
use crate::session::{Call, Session};
use crate::tables::{RunRequest, Table, keep, kept, page_of_table};
use crate::types::{Empty, RemoteSays, Timeline, TimelineRequest, WireError};

/// What is said of how a table came about.
const CALCULATED: &str = "The cluster calculated it.";

type Json = Result<serde_json::Value, WireError>;

fn json<T: Serialize>(reply: Answer<T>) -> Json {
    serde_json::to_value(reply?).map_err(|error| WireError::internal(&error))
}

/// Answers a call for a remote case; nothing where it is about a case, or about none.
pub(crate) fn remote_answer(session: &Session, call: &Call<'_>, command: &Command) -> Option<Json> {
    let path = match command {
        Command::OpenCase(request)
        | Command::ForgetCase(request)
        | Command::Fields(request)
        | Command::Live(request)
        | Command::StopLive(request) => &request.path,
        Command::Check(request) => &request.case,
        Command::Complete(request) => &request.case,
        Command::UnknownWords(request) => &request.case,
        Command::Stretch(request) => &request.case,
        Command::Notes(request) => &request.case,
        Command::Event(request) => &request.case,
        Command::Events(request) => &request.case,
        Command::Context(request) => &request.case,
        Command::Timeline(request) => &request.view.case,
        Command::Page(request) => &request.view.case,
        Command::SortedPage(request) => &request.view.case,
        Command::Locate(request) => &request.view.case,
        Command::Seek(request) => &request.view.case,
        Command::Aggregate(request) => &request.view.case,
        Command::Facets(request) => &request.view.case,
        Command::Run(request) => &request.view.case,
        Command::Patterns(request) => &request.view.case,
        Command::Follow(request) => &request.case,
        Command::Linked(request) => &request.case,
        _ => return None,
    };
    let name = Remotes::name_in(path)?;
    Some(answer(session, call, name, command))
}

fn answer(session: &Session, call: &Call<'_>, name: &str, command: &Command) -> Json {
    // These need no connection.
    match command {
        Command::ForgetCase(_) => return json(Ok(Empty {})),
        Command::Live(_) => return json(Ok(LiveStatus::default())),
        // Somebody closes it.
        Command::StopLive(_) => {
            session.part::<OpenRemotes>().close_one(name);
            return json(Ok(LiveStatus::default()));
        }
        _ => {}
    }
    let case = opened(session, call, name, matches!(command, Command::OpenCase(_)))?;
    match command {
        Command::OpenCase(_) => json(Ok(case.summary())),
        Command::Fields(_) => json(fields(&case, call)),
        Command::Check(request) => json(Ok(check(&case, call, request))),
        Command::Complete(request) => json(Ok(complete(&case, call, request))),
        Command::UnknownWords(_) => json(Ok(UnknownWords { words: Vec::new() })),
        Command::Stretch(request) => json(stretch(&case, request)),
        Command::Notes(_) => json(Ok(no_notes())),
        Command::Timeline(request) => json(timeline(&case, call, request)),
        Command::Aggregate(request) => json(aggregate(&case, call, request)),
        Command::Facets(request) => json(facets(&case, call, request)),
        Command::Run(request) => json(run(session, &case, call, request)),
        Command::Follow(request) => json(trails::follow(&case, call, request)),
        // Which fields hold the same ids is only known of a case.
        Command::Linked(_) => json(Ok(None::<Empty>)),
        Command::Patterns(request) => json(trails::patterns(&case, call, request)),
        Command::Page(request) => json(rows::page(&case, call, request)),
        Command::SortedPage(request) => json(rows::sorted_page(&case, call, request)),
        Command::Locate(request) => json(rows::locate(&case, call, request)),
        Command::Seek(request) => json(rows::seek(&case, call, request)),
        Command::Event(request) => json(rows::event(&case, call, request)),
        Command::Events(request) => json(rows::events(&case, call, request)),
        Command::Context(request) => json(rows::context(&case, call, request)),
        _ => Err(not_available()),
    }
}

fn no_notes() -> Notes {
    Notes {
        mark: String::new(),
        whole: true,
        notes: Vec::new(),
        removed: Vec::new(),
        read_only: Some("Notes are kept in cases. They are not available for a cluster.".to_owned()),
        kept_aside: Vec::new(),
    }
}

fn fields(case: &RemoteCase, call: &Call<'_>) -> Answer<FieldList> {
    Ok(FieldList::new(case.revision, known_fields(case, call)?))
}

/// The fields of the mapping, with how many events have each where that is known.
pub(crate) fn known_fields(case: &RemoteCase, call: &Call<'_>) -> Answer<Vec<engine::KnownField>> {
    let schema = case.schema();
    let mut known: Vec<engine::KnownField> = ["level", "source"]
        .into_iter()
        .filter(|name| *name != "level" || schema.level.is_some())
        .map(|name| engine::KnownField {
            name: name.to_owned(),
            kinds: vec![indexer::FieldKind::Text],
            present: None,
        })
        .collect();
    let listed =
        schema.known_fields().into_iter().filter(|field| field.name != "level" && field.name != "source");
    known.extend(listed.map(|field| engine::KnownField {
        name: field.name,
        kinds: field.kinds,
        present: None,
    }));
    let names: Vec<String> = known.iter().map(|field| field.name.clone()).collect();
    let covered = case.cluster(call).coverage(&names)?;
    // Of shards that failed nothing is known.
    if covered.missing.is_empty() {
        for (name, count) in covered.value {
            if let Some(field) = known.iter_mut().find(|field| field.name == name) {
                field.present = Some(count);
            }
        }
    }
    Ok(known)
}

fn check(case: &RemoteCase, call: &Call<'_>, request: &CheckRequest) -> QueryCheck {
    let reading = if request.kql { Reading::Kql } else { Reading::Timberline };
    let mut checked = case.cluster(call).check(&request.query, reading, case.now());
    let is_sql = is_sql(&request.query);
    if is_sql {
        let whole = Span { start: 0, end: request.query.len() };
        let hint = "write it with stages, such as * | stats count by level, or import the events";
        checked.diagnostics = vec![Diagnostic::error(whole, "SQL is not available for a cluster", hint)];
        checked.printed = None;
    }
    check_reply(&request.query, checked, is_sql)
}

fn complete(case: &RemoteCase, call: &Call<'_>, request: &CompleteRequest) -> Completion {
    case.cluster(call).complete(&request.query, request.cursor as usize, case.now())
}

fn stretch(case: &RemoteCase, request: &StretchRequest) -> Answer<Period> {
    let options = RunOptions::in_zone(request.zone.as_deref().unwrap_or("UTC"))?;
    let (from, to) = (&request.from, request.to.as_deref());
    Ok(Engine::stretch_in(case.times(), from, to, &options, request.around)?)
}

fn timeline(case: &RemoteCase, call: &Call<'_>, request: &TimelineRequest) -> Answer<Timeline> {
    let started = Instant::now();
    let asked = asked(&request.view)?;
    let answer = case.cluster(call).timeline(&asked, case.times(), request.buckets as usize)?;
    Ok(Timeline {
        revision: case.revision,
        remote: RemoteSays::from_answer(&answer),
        counted: answer.value,
        lanes: Vec::new(),
        fraction: 1.0,
        elapsed_ms: milliseconds(started),
    })
}

fn aggregate(case: &RemoteCase, call: &Call<'_>, request: &AggregateRequest) -> Answer<Aggregate> {
    let started = Instant::now();
    let by = request.by.iter().map(engine_by).collect::<Answer<_>>()?;
    let wanted = engine::Request { by, measures: request.measures.clone() };
    let answer = case.cluster(call).aggregate(&asked(&request.view)?, &wanted, case.times())?;
    Ok(Aggregate {
        revision: case.revision,
        remote: RemoteSays::from_answer(&answer),
        answer: answer.value,
        fraction: 1.0,
        elapsed_ms: milliseconds(started),
    })
}

fn facets(case: &RemoteCase, call: &Call<'_>, request: &FacetsRequest) -> Answer<Facets> {
    let started = Instant::now();
    let wanted = engine::FacetsRequest {
        fields: request.fields.clone(),
        top: request.top as usize,
        buckets: request.buckets as usize,
        edges: None,
    };
    let mut partial = |found: &engine::Facets, fraction: f64| {
        call.report(&Facets {
            revision: case.revision,
            found: found.clone(),
            fraction,
            elapsed_ms: milliseconds(started),
            remote: None,
        });
    };
    let asked = asked(&request.view)?;
    let answer = case.cluster(call).facets(&asked, &wanted, case.times(), &mut partial)?;
    Ok(Facets {
        revision: case.revision,
        remote: RemoteSays::from_answer(&answer),
        found: answer.value,
        fraction: 1.0,
        elapsed_ms: milliseconds(started),
    })
}

fn run(session: &Session, case: &RemoteCase, call: &Call<'_>, request: &RunRequest) -> Answer<Table> {
    let started = Instant::now();
    let view = &request.view;
    if is_sql(&view.query) {
        return Err(not_available());
    }
    let zone = request.zone.as_deref().unwrap_or("UTC");
    let query = indexer::query::parse_query(&view.query).map_err(indexer::Error::from)?;
    let times = (view.from.map(|time| time.0), view.to.map(|time| time.0));
    let exact = request.exact;
    let key = format!("{}\0{}\0{query:?}\0{times:?}\0{zone}\0{exact}", view.case, case.revision);
    let estimated = |table: &Rows| table.notes.iter().any(|note| note.contains(remote::ESTIMATED));
    if let Some(table) = kept(session, &key) {
        let remote = (!table.notes.is_empty())
            .then(|| RemoteSays { notes: table.notes.clone(), ..RemoteSays::default() });
        let page = page_of_table(&table, request, case.revision, started);
        let calculated = Some(CALCULATED.to_owned());
        return Ok(Table { calculated, remote, estimated: estimated(&table), ..page });
    }
    // A cluster has no queries of its own: the person typed this one.
    let files = FileAccess::everywhere(&session.start.home);
    let here = Here { is_exact: exact, files, ..Here::default() };
    let answer = case.cluster(call).run_with(&query, times, zone, &here)?;
    // What is said of the whole table is kept with it for its other pages.
    let said = RemoteSays::from_answer(&answer).unwrap_or_default();
    let mut table = answer.value;
    table.notes.extend(said.inexact.iter().map(|clause| format!("not exact: {clause}")));
    table.notes.extend(said.notes);
    let says = RemoteSays { missing: said.missing, inexact: Vec::new(), notes: table.notes.clone() };
    let remote = (says != RemoteSays::default()).then_some(says);
    let table = Arc::new(table);
    // What lacks something is asked again for its next page.
    if remote.as_ref().is_none_or(|says| says.missing.is_empty()) {
        keep(session, key, &table);
    }
    let calculated = Some(CALCULATED.to_owned());
    let page = page_of_table(&table, request, case.revision, started);
    Ok(Table { calculated, remote, estimated: estimated(&table), ..page })
}
