//! What the commands of calculations do: requests and answers of the engine's façade, reshaped.

use std::path::Path;
use std::time::Instant;

use indexer::aggregate as engine;

use crate::analysis::{
    Aggregate, AggregateRequest, Around, Axis, Bins, By, CalendarUnit, Context, ContextRequest, Facet,
    Facets, FacetsRequest, FollowRequest, Interval, Measure, Measured, NumberFacet, PercentileValue, Scalar,
    ScalarCount, ScalarKind, SignificantRequest, SignificantTerm, SignificantTerms, SortedPageRequest,
    TermOrder, Trail, Trails, Transaction, TransactionOrder, Transactions, TransactionsRequest,
};
use crate::calls::{Answer, milliseconds, shape_kind, shape_level, view};
use crate::events::{shape_page, shape_row, shown};
use crate::session::{Call, Session};
use crate::types::{Empty, Nanos, Page};

pub fn aggregate(
    session: &Session,
    call: &Call<'_>,
    request: &AggregateRequest,
    report: &dyn Fn(Aggregate),
) -> Answer<Aggregate> {
    let started = Instant::now();
    let (case, view) = view(session, &request.view)?;
    let snapshot = case.snapshot();
    let by = request.by.iter().map(engine_by).collect::<Answer<_>>()?;
    let asked = engine::Request { by, measures: request.measures.iter().map(engine_measure).collect() };
    let shape = |answer: &engine::Answer, fraction: f64| Aggregate {
        revision: snapshot.revision(),
        axes: answer.axes.iter().map(shape_axis).collect(),
        counts: answer.counts.clone(),
        measured: answer.measured.iter().map(shape_measured).collect(),
        total: answer.total,
        untimed: answer.untimed,
        fraction,
        elapsed_ms: milliseconds(started),
    };
    let mut partial = |answer: &engine::Answer, fraction: f64| report(shape(answer, fraction));
    let answer = case.aggregate(&snapshot, &view, &asked, &mut partial, &call.cancel)?;
    Ok(shape(&answer, 1.0))
}

pub fn facets(
    session: &Session,
    call: &Call<'_>,
    request: &FacetsRequest,
    report: &dyn Fn(Facets),
) -> Answer<Facets> {
    let started = Instant::now();
    let (case, view) = view(session, &request.view)?;
    let snapshot = case.snapshot();
    let asked = engine::FacetsRequest {
        fields: request.fields.clone(),
        top: request.top as usize,
        buckets: request.buckets as usize,
    };
    let shape = |facets: &engine::Facets, fraction: f64| Facets {
        revision: snapshot.revision(),
        total: facets.total,
        edges: facets.edges.iter().copied().map(Nanos).collect(),
        fields: facets.fields.iter().map(shape_facet).collect(),
        fraction,
        elapsed_ms: milliseconds(started),
    };
    let mut partial = |facets: &engine::Facets, fraction: f64| report(shape(facets, fraction));
    let facets = case.facets(&snapshot, &view, &asked, &mut partial, &call.cancel)?;
    Ok(shape(&facets, 1.0))
}

pub fn significant(
    session: &Session,
    call: &Call<'_>,
    request: &SignificantRequest,
    _: &dyn Fn(Empty),
) -> Answer<SignificantTerms> {
    let started = Instant::now();
    let (case, selection) = view(session, &request.selection)?;
    let (_, background) = view(session, &request.background)?;
    let views = (&selection, &background);
    let found =
        case.significant(&case.snapshot(), views, &request.fields, request.most as usize, &call.cancel)?;
    let shape = |term: engine::Significant| SignificantTerm {
        field: term.field,
        value: shape_scalar(&term.value),
        selected: term.selected,
        others: term.others,
        score: term.score,
    };
    Ok(SignificantTerms {
        terms: found.terms.into_iter().map(shape).collect(),
        selected: found.selected,
        others: found.others,
        left_out: found.left_out,
        elapsed_ms: milliseconds(started),
    })
}

pub fn sorted_page(
    session: &Session,
    call: &Call<'_>,
    request: &SortedPageRequest,
    _: &dyn Fn(Empty),
) -> Answer<Page> {
    let started = Instant::now();
    let (case, view) = view(session, &request.view)?;
    let snapshot = case.snapshot();
    let rows = (request.first as usize, request.count as usize);
    let sort = indexer::SortBy { field: request.field.clone(), descending: request.descending };
    let page = case.page_by(&snapshot, &view, &sort, rows, &shown(&request.columns), &call.cancel)?;
    Ok(shape_page(page, request.first, &snapshot, started))
}

pub fn context(
    session: &Session,
    call: &Call<'_>,
    request: &ContextRequest,
    _: &dyn Fn(Empty),
) -> Answer<Context> {
    let case = session.case(Path::new(&request.case))?;
    let snapshot = case.snapshot();
    let around = match &request.around {
        Around::File => indexer::Around::File,
        Around::Everywhere => indexer::Around::Everywhere,
        Around::Sharing { field } => indexer::Around::Sharing { field: field.clone() },
    };
    let id = (request.id.source, request.id.offset);
    let wanted = (request.before as usize, request.after as usize);
    let found = case.around(&snapshot, id, &around, wanted, &shown(&request.columns), &call.cancel)?;
    let rows = |events: &[indexer::Event]| events.iter().map(|event| shape_row(event, &snapshot)).collect();
    Ok(Context {
        before: rows(&found.before),
        event: shape_row(&found.event, &snapshot),
        after: rows(&found.after),
    })
}

pub fn follow(
    session: &Session,
    call: &Call<'_>,
    request: &FollowRequest,
    _: &dyn Fn(Empty),
) -> Answer<Trails> {
    let started = Instant::now();
    let case = session.case(Path::new(&request.case))?;
    let snapshot = case.snapshot();
    let found = case.follow(&snapshot, &request.value, &call.cancel)?;
    let shape = |trail: engine::Trail| Trail {
        source: trail.source,
        source_name: snapshot
            .sources()
            .get(trail.source as usize)
            .map_or(String::new(), |source| source.name.clone()),
        field: trail.field,
        events: trail.events,
        first: trail.first.map(Nanos),
        last: trail.last.map(Nanos),
    };
    Ok(Trails { trails: found.into_iter().map(shape).collect(), elapsed_ms: milliseconds(started) })
}

pub fn transactions(
    session: &Session,
    call: &Call<'_>,
    request: &TransactionsRequest,
    _: &dyn Fn(Empty),
) -> Answer<Transactions> {
    let started = Instant::now();
    let (case, view) = view(session, &request.view)?;
    let order = match request.order {
        TransactionOrder::Longest => engine::TransactionOrder::Longest,
        TransactionOrder::MostEvents => engine::TransactionOrder::MostEvents,
        TransactionOrder::Worst => engine::TransactionOrder::Worst,
        TransactionOrder::Earliest => engine::TransactionOrder::Earliest,
    };
    let asked = (request.field.as_str(), order, request.most as usize);
    let found = case.transactions(&case.snapshot(), &view, asked, &call.cancel)?;
    let shape = |one: &engine::Transaction| Transaction {
        id: shape_scalar(&one.id),
        events: one.events,
        first: one.first.map(Nanos),
        last: one.last.map(Nanos),
        duration_ns: Nanos(one.duration_ns()),
        level: shape_level(one.level),
        gap_ns: Nanos(one.gap_ns),
    };
    Ok(Transactions {
        shown: found.shown.iter().map(shape).collect(),
        total: found.total,
        durations_ns: found.durations_ns.into_iter().flatten().map(Nanos).collect(),
        without: found.without,
        elapsed_ms: milliseconds(started),
    })
}

fn engine_by(by: &By) -> Answer<engine::By> {
    Ok(match by {
        By::Time { interval, zone } => engine::By::Time {
            interval: engine_interval(interval),
            zone: engine::zone(zone.as_deref().unwrap_or("UTC"))?,
        },
        By::Terms { field, top, order } => engine::By::Terms {
            field: field.clone(),
            top: *top as usize,
            order: match order {
                TermOrder::Most => engine::TermOrder::Most,
                TermOrder::Fewest => engine::TermOrder::Fewest,
                TermOrder::Value => engine::TermOrder::Value,
            },
        },
        By::Bins { field, bins } => engine::By::Bins {
            field: field.clone(),
            bins: match bins {
                Bins::Linear { most } => engine::Bins::Linear { most: *most as usize },
                Bins::Width { width } => engine::Bins::Width(*width),
                Bins::Logarithmic { most } => engine::Bins::Logarithmic { most: *most as usize },
            },
        },
    })
}

fn engine_interval(interval: &Interval) -> engine::Interval {
    match interval {
        Interval::Auto { buckets } => engine::Interval::Auto(*buckets as usize),
        Interval::Fixed { ns } => engine::Interval::Fixed(ns.0),
        Interval::Calendar { count, unit } => {
            let unit = match unit {
                CalendarUnit::Day => engine::CalendarUnit::Day,
                CalendarUnit::Week => engine::CalendarUnit::Week,
                CalendarUnit::Month => engine::CalendarUnit::Month,
                CalendarUnit::Quarter => engine::CalendarUnit::Quarter,
                CalendarUnit::Year => engine::CalendarUnit::Year,
            };
            engine::Interval::Calendar(*count, unit)
        }
    }
}

fn engine_measure(measure: &Measure) -> engine::Measure {
    match measure {
        Measure::Stats { field } => engine::Measure::Stats { field: field.clone() },
        Measure::Percentiles { field, at } => {
            engine::Measure::Percentiles { field: field.clone(), at: at.clone() }
        }
        Measure::Distinct { field } => engine::Measure::Distinct { field: field.clone() },
        Measure::First { field } => engine::Measure::First { field: field.clone() },
        Measure::Last { field } => engine::Measure::Last { field: field.clone() },
        Measure::Rate { per } => engine::Measure::Rate { per_ns: per.0 },
    }
}

fn shape_axis(axis: &engine::Axis) -> Axis {
    match axis {
        engine::Axis::Time { edges } => Axis::Time { edges: edges.iter().copied().map(Nanos).collect() },
        engine::Axis::Terms { field, values, distinct } => Axis::Terms {
            field: field.clone(),
            values: values.iter().map(shape_scalar).collect(),
            distinct: *distinct,
        },
        engine::Axis::Bins { field, edges, missing, mistyped } => {
            Axis::Bins { field: field.clone(), edges: edges.clone(), missing: *missing, mistyped: *mistyped }
        }
    }
}

fn shape_measured(measured: &engine::Measured) -> Measured {
    /// Whole numbers up to here are exact as JSON numbers.
    const EXACT: u64 = 1 << 53;
    let as_text = measured.values.iter().flatten().any(|value| match value {
        indexer::Scalar::Float(_) => false,
        indexer::Scalar::Int(value) => value.unsigned_abs() > EXACT,
        _ => true,
    });
    let text = |value: &Option<indexer::Scalar>| value.as_ref().map(ToString::to_string);
    Measured {
        name: measured.name.clone(),
        values: measured.values.iter().map(|value| number(value.as_ref())).collect(),
        texts: as_text.then(|| measured.values.iter().map(text).collect()),
        missing: measured.missing,
        mistyped: measured.mistyped,
    }
}

fn number(value: Option<&indexer::Scalar>) -> Option<f64> {
    value.and_then(indexer::Scalar::number).filter(|number| number.is_finite())
}

fn shape_scalar(value: &indexer::Scalar) -> Scalar {
    Scalar {
        kind: match value {
            indexer::Scalar::Text(_) => ScalarKind::Text,
            indexer::Scalar::Int(_) => ScalarKind::Int,
            indexer::Scalar::Float(_) => ScalarKind::Float,
            indexer::Scalar::Bool(_) => ScalarKind::Bool,
            indexer::Scalar::Time(_) => ScalarKind::Time,
        },
        text: value.to_string(),
        number: value.number().filter(|number| number.is_finite()),
    }
}

fn shape_facet(facet: &engine::Facet) -> Facet {
    let count =
        |(value, count): &(indexer::Scalar, u64)| ScalarCount { value: shape_scalar(value), count: *count };
    let percentiles = |values: &[Option<indexer::Scalar>]| {
        let each = engine::PERCENTILES.iter().zip(values);
        each.map(|(&percent, value)| PercentileValue { percent, value: number(value.as_ref()) }).collect()
    };
    Facet {
        field: facet.field.clone(),
        kinds: facet.kinds.iter().copied().map(shape_kind).collect(),
        present: facet.present,
        distinct: facet.distinct,
        top: facet.top.iter().map(count).collect(),
        numbers: facet.numbers.as_ref().map(|numbers| NumberFacet {
            count: numbers.count,
            least: number(numbers.least.as_ref()),
            greatest: number(numbers.greatest.as_ref()),
            average: number(numbers.average.as_ref()),
            percentiles: percentiles(&numbers.percentiles),
        }),
        sparkline: facet.sparkline.clone(),
    }
}
