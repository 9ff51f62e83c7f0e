//! The calls of the contract that a case and clusters answer together.

use std::sync::Arc;
use std::time::Instant;

use indexer::aggregate as engine;
use indexer::query::{Reading, Span, time::Period};
use indexer::{Engine, Nanos, RunOptions, is_sql};
use remote::Here;
use serde::Serialize;

use super::{Together, named, nothing_from, rows};
use crate::analysis::{
    Aggregate, AggregateRequest, Facets, FacetsRequest, FollowRequest, Followed, Trail, engine_by,
};
use crate::calls::{self, Answer, milliseconds};
use crate::contract::Command;
use crate::events::FieldList;
use crate::language::{CheckRequest, QueryCheck, StretchRequest, UnknownWords, check_reply};
use crate::live::LiveStatus;
use crate::notes::Notes;
use crate::places::{named_together, not_together};
use crate::remote_answers::known_fields;
use crate::remotes::{OpenRemotes, opened_trails};
use crate::session::{Call, Session};
use crate::tables::{RunRequest, Table, keep, kept, page_of_table};
use crate::trust;
use crate::types::{
    CaseSummary, Empty, ErrorCode, RemoteSays, Timeline, TimelineLane, TimelineRequest, WireError,
};

type AnswerJson = Result<serde_json::Value, WireError>;

fn json<T: Serialize>(reply: Answer<T>) -> AnswerJson {
    serde_json::to_value(reply?).map_err(|error| WireError::internal(&error))
}

pub fn answer(session: &Session, call: &Call<'_>, path: &str, command: &Command) -> AnswerJson {
    match command {
        Command::ForgetCase(_) => return json(Ok(Empty {})),
        Command::Live(_) => return json(Ok(LiveStatus::default())),
        // Somebody closes it.
        Command::StopLive(_) => {
            let (names, _) = named_together(path).unwrap_or_default();
            for name in names {
                session.part::<OpenRemotes>().close_one(name);
            }
            return json(Ok(LiveStatus::default()));
        }
        _ => {}
    }
    let together = Together::open(session, call, path, matches!(command, Command::OpenCase(_)))?;
    let asked = (session, call);
    match command {
        Command::OpenCase(_) => json(Ok(summary(&together))),
        Command::Fields(_) => json(fields(&together, asked)),
        Command::Check(request) => json(Ok(check(&together, call, request))),
        Command::Complete(request) => {
            json(Ok(together.both(call, None).complete(&request.query, request.cursor as usize)))
        }
        Command::UnknownWords(_) => json(Ok(UnknownWords { words: Vec::new() })),
        Command::Stretch(request) => json(stretch(&together, call, request)),
        Command::Notes(_) => json(Ok(no_notes())),
        Command::Timeline(request) => json(timeline(&together, asked, request)),
        Command::Aggregate(request) => json(aggregate(&together, asked, request)),
        Command::Facets(request) => json(facets(&together, asked, request)),
        Command::Run(request) => json(run(&together, asked, request)),
        Command::Follow(request) => json(follow(&together, call, request)),
        Command::Linked(_) => json(Ok(None::<Empty>)),
        Command::Page(request) => json(rows::page(&together, asked, request)),
        Command::Locate(request) => json(rows::locate(&together, asked, request)),
        Command::Seek(request) => json(rows::seek(&together, asked, request)),
        Command::Event(request) => json(rows::event(&together, call, request.id)),
        Command::Events(request) => json(rows::events(&together, call, request)),
        Command::Context(request) => json(rows::context(&together, asked, request)),
        _ => Err(not_together()),
    }
}

type AskedBy<'a> = (&'a Session, &'a Call<'a>);

fn no_notes() -> Notes {
    Notes {
        mark: String::new(),
        whole: true,
        notes: Vec::new(),
        removed: Vec::new(),
        read_only: Some("Notes are shown and written where the case is open by itself.".to_owned()),
        kept_aside: Vec::new(),
    }
}

fn summary(together: &Together) -> CaseSummary {
    let mut summary = calls::summary(&together.case);
    summary.path.clone_from(&together.path);
    summary.revision = together.revision();
    summary.read_only = Some("A case that is shown with clusters is only read here.".to_owned());
    let nothing = |what: &String| WireError::new(ErrorCode::NotReadable, indexer::sentence(what));
    summary.missing.extend(together.missing.iter().map(nothing));
    for lane in &together.lanes {
        let of_lane = lane.case.summary();
        summary.name = format!("{} + {}", summary.name, lane.name);
        summary.events += of_lane.events;
        summary.first = earliest(summary.first, of_lane.first);
        summary.last = latest(summary.last, of_lane.last);
        summary.sources.extend(of_lane.sources.into_iter().map(|source| Together::source(lane, source)));
        summary.missing.extend(of_lane.missing);
        summary.shown_with.extend(of_lane.remote);
    }
    summary
}

fn earliest(one: Option<Nanos>, other: Option<Nanos>) -> Option<Nanos> {
    one.into_iter().chain(other).min_by_key(|time| time.0)
}

fn latest(one: Option<Nanos>, other: Option<Nanos>) -> Option<Nanos> {
    one.into_iter().chain(other).max_by_key(|time| time.0)
}

fn fields(together: &Together, (_, call): AskedBy<'_>) -> Answer<FieldList> {
    let mut all = Engine::fields(&together.snapshot);
    for lane in &together.lanes {
        for field in known_fields(&lane.case, call)? {
            match all.iter_mut().find(|known| known.name == field.name) {
                Some(known) => {
                    let new: Vec<_> =
                        field.kinds.into_iter().filter(|kind| !known.kinds.contains(kind)).collect();
                    known.kinds.extend(new);
                    known.present = known.present.zip(field.present).map(|(one, other)| one + other);
                }
                None => all.push(field),
            }
        }
    }
    Ok(FieldList::new(together.revision(), all))
}

fn check(together: &Together, call: &Call<'_>, request: &CheckRequest) -> QueryCheck {
    let reading = if request.kql { Reading::Kql } else { Reading::Timberline };
    let mut checked = together.both(call, None).check(&request.query, reading);
    let is_sql = is_sql(&request.query);
    if is_sql {
        let whole = Span { start: 0, end: request.query.len() };
        let hint = "write it with stages, such as * | stats count by level, or show the case by itself";
        let message = "SQL is not available for a case that is shown with clusters";
        checked.diagnostics = vec![indexer::query::Diagnostic::error(whole, message, hint)];
        checked.printed = None;
    }
    check_reply(&request.query, checked, is_sql)
}

fn stretch(together: &Together, call: &Call<'_>, request: &StretchRequest) -> Answer<Period> {
    let options = RunOptions::in_zone(request.zone.as_deref().unwrap_or("UTC"))?;
    let (data, to) = (together.both(call, None).times(), request.to.as_deref());
    Ok(Engine::stretch_in(data, &request.from, to, &options, request.around)?)
}

fn timeline(
    together: &Together,
    (session, call): AskedBy<'_>,
    request: &TimelineRequest,
) -> Answer<Timeline> {
    let started = Instant::now();
    let asked = rows::asked(&request.view)?;
    let buckets = request.buckets as usize;
    let (merged, remote) =
        together.ask(session, call, asked.zone, |both| both.timeline(&asked.filter, asked.range, buckets))?;
    let lane = |lane: remote::LaneCounts| TimelineLane { remote: lane.cluster, counted: lane.counted };
    Ok(Timeline {
        revision: together.revision(),
        counted: merged.all,
        lanes: merged.lanes.into_iter().map(lane).collect(),
        fraction: 1.0,
        elapsed_ms: milliseconds(started),
        remote,
    })
}

fn aggregate(
    together: &Together,
    (session, call): AskedBy<'_>,
    request: &AggregateRequest,
) -> Answer<Aggregate> {
    let started = Instant::now();
    let asked = rows::asked(&request.view)?;
    let by = request.by.iter().map(engine_by).collect::<Answer<_>>()?;
    let wanted = engine::Request { by, measures: request.measures.clone() };
    let (answer, remote) = together
        .ask(session, call, asked.zone, |both| both.aggregate(&asked.filter, asked.range, &wanted))?;
    Ok(Aggregate {
        revision: together.revision(),
        answer,
        fraction: 1.0,
        elapsed_ms: milliseconds(started),
        remote,
    })
}

fn facets(together: &Together, (session, call): AskedBy<'_>, request: &FacetsRequest) -> Answer<Facets> {
    let started = Instant::now();
    let asked = rows::asked(&request.view)?;
    let wanted = engine::FacetsRequest {
        fields: request.fields.clone(),
        top: request.top as usize,
        buckets: request.buckets as usize,
        edges: None,
    };
    let (found, remote) =
        together.ask(session, call, asked.zone, |both| both.facets(&asked.filter, asked.range, &wanted))?;
    Ok(Facets {
        revision: together.revision(),
        found,
        fraction: 1.0,
        elapsed_ms: milliseconds(started),
        remote,
    })
}

fn run(together: &Together, (session, call): AskedBy<'_>, request: &RunRequest) -> Answer<Table> {
    let started = Instant::now();
    let view = &request.view;
    if is_sql(&view.query) {
        return Err(not_together());
    }
    let zone = request.zone.as_deref();
    let query = indexer::query::parse_query(&view.query).map_err(indexer::Error::from)?;
    let times = (view.from.map(|time| time.0), view.to.map(|time| time.0));
    let revision = together.revision();
    let key = format!("{}\0{revision}\0{query:?}\0{times:?}\0{zone:?}", view.case);
    if let Some(table) = kept(session, &key) {
        let notes = table.notes.clone();
        let remote = (!notes.is_empty()).then(|| RemoteSays { notes, ..RemoteSays::default() });
        return Ok(Table { remote, ..page_of_table(&table, request, revision, started) });
    }
    let here = Here { files: trust::files(session, &together.case), ..Here::default() };
    let (mut table, said) = together.ask(session, call, zone, |both| both.run(&query, times, &here))?;
    let said = said.unwrap_or_default();
    // What is said of the whole table is kept with it for its other pages.
    table.notes.extend(said.inexact.iter().map(|clause| format!("not exact: {clause}")));
    table.notes.extend(said.notes);
    let says = RemoteSays { missing: said.missing, inexact: Vec::new(), notes: table.notes.clone() };
    let is_whole = says.missing.is_empty();
    let table = Arc::new(table);
    if is_whole {
        keep(session, key, &table);
    }
    let remote = (says != RemoteSays::default()).then_some(says);
    Ok(Table { remote, ..page_of_table(&table, request, revision, started) })
}

fn follow(together: &Together, call: &Call<'_>, request: &FollowRequest) -> Answer<Followed> {
    let started = Instant::now();
    let found = together.case.follow(&together.snapshot, &request.value, &call.cancel)?;
    let sources = together.snapshot.sources();
    let of_case = |trail: engine::Trail| Trail {
        source_name: sources.get(trail.source as usize).map_or(String::new(), |source| source.name.clone()),
        trail,
    };
    let mut trails: Vec<Trail> = found.into_iter().map(of_case).collect();
    let mut says = RemoteSays { missing: together.missing.clone(), ..RemoteSays::default() };
    for lane in &together.lanes {
        match opened_trails(&lane.case, call, request) {
            Ok(found) => {
                let of_lane = |trail: Trail| {
                    let id = indexer::EventId { source: trail.trail.source, offset: 0 };
                    let source = Together::outside(lane, id).source;
                    let source_name = named(lane, &trail.source_name);
                    Trail { trail: engine::Trail { source, ..trail.trail }, source_name }
                };
                trails.extend(found.trails.into_iter().map(of_lane));
                says.add(&lane.name, found.remote.unwrap_or_default());
            }
            Err(error) if error.code == ErrorCode::Cancelled => return Err(error),
            Err(error) => says.missing.push(nothing_from(&lane.name, &error)),
        }
    }
    let remote = (says != RemoteSays::default()).then_some(says);
    Ok(Followed { trails, elapsed_ms: milliseconds(started), remote })
}
