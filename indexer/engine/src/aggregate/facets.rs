//! All fields at once: for each its event count, values, numbers and distribution over time.

use std::collections::HashMap;
use std::time::Instant;

use serde::Serialize;

use super::dictionary::GlobalValues;
use super::request::{By, Measure, Request, TermOrder};
use super::terms::{self, TermCounts};
use super::{AggregateScope, Interval, cube, interval};
use crate::Engine;
use crate::exec::{SegmentRows, in_order};
use crate::view::View;
use base::error::{ErrorKind, Result};
use base::limits::PARTIAL_EVERY;
use base::{Cancel, FieldKind};
use jiff::tz::TimeZone;
use store::Snapshot;
use store::{Scalar, StoredColumn, with_codes};

/// Percentiles of a numeric facet.
pub const PERCENTILES: [f64; 5] = [5.0, 50.0, 90.0, 95.0, 99.0];

#[derive(Clone, Debug)]
pub struct FacetsRequest {
    /// These fields; all of them if empty.
    pub fields: Vec<String>,
    /// GlobalValues listed for each field.
    pub top: usize,
    /// The most buckets of a sparkline.
    pub buckets: usize,
    /// The edges of those buckets, where they are those of events from elsewhere too.
    pub edges: Option<Vec<i64>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Facets {
    /// Matching events.
    pub total: u64,
    /// The starts of the sparkline buckets, and the end of the last.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Vec<base::json::Nanos>"))]
    pub edges: Vec<i64>,
    pub fields: Vec<Facet>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Facet {
    pub field: String,
    /// The types of its values in the case.
    pub kinds: Vec<FieldKind>,
    /// Matching events that have it.
    pub present: u64,
    /// The distinct count; `None` if there are too many values.
    pub distinct: Option<u64>,
    pub top: Vec<ScalarCount>,
    pub numbers: Option<NumberFacet>,
    /// Events that have it, over time.
    pub sparkline: Vec<u32>,
}

/// A value and the matching events that have it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ScalarCount {
    pub value: Scalar,
    pub count: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NumberFacet {
    /// The events with the field whose value is a number.
    pub count: u64,
    #[serde(with = "store::scalar_number")]
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub least: Option<Scalar>,
    #[serde(with = "store::scalar_number")]
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub greatest: Option<Scalar>,
    #[serde(with = "store::scalar_number")]
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub average: Option<Scalar>,
    /// The values at [`PERCENTILES`].
    pub percentiles: Vec<PercentileValue>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PercentileValue {
    pub percent: f64,
    #[serde(with = "store::scalar_number")]
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub value: Option<Scalar>,
}

/// A field of the case, and the types of its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct KnownField {
    pub name: String,
    pub kinds: Vec<FieldKind>,
    /// Events that have it, in the whole case. `None` if a segment does not tell: it was written by a former
    /// version, or stores no columns.
    pub present: Option<u64>,
}

impl Engine {
    /// The fields that facets can be built for, without reading any event: level and source, then those of
    /// the formats in order of first use.
    #[must_use]
    pub fn fields(snapshot: &Snapshot) -> Vec<KnownField> {
        let text = |name: &str| KnownField {
            name: name.to_owned(),
            kinds: vec![FieldKind::Text],
            present: Some(snapshot.events()),
        };
        let mut fields = vec![text("level"), text("source")];
        let mut places: HashMap<&str, usize> = HashMap::new();
        for field in snapshot.segments.iter().flat_map(|segment| &segment.meta.fields) {
            let place = *places.entry(&field.name).or_insert_with(|| {
                fields.push(KnownField { name: field.name.clone(), kinds: Vec::new(), present: Some(0) });
                fields.len() - 1
            });
            let known = &mut fields[place];
            if !known.kinds.contains(&field.kind) {
                known.kinds.push(field.kind);
            }
            // A column without any value is not written, so zero means that the segment has no count.
            known.present = known.present.filter(|_| field.rows > 0).map(|present| present + field.rows);
        }
        fields
    }

    /// Facets of fields over the matching events. `partial` is called with the new ones since its last call,
    /// and the share of the fields done.
    pub fn facets(
        &self,
        snapshot: &Snapshot,
        view: &View,
        request: &FacetsRequest,
        partial: &mut dyn FnMut(&Facets, f64),
        cancel: &Cancel,
    ) -> Result<Facets> {
        Self::without_damaged(snapshot, |snapshot| self.facets_of(snapshot, view, request, partial, cancel))
    }

    fn facets_of(
        &self,
        snapshot: &Snapshot,
        view: &View,
        request: &FacetsRequest,
        partial: &mut dyn FnMut(&Facets, f64),
        cancel: &Cancel,
    ) -> Result<Facets> {
        terms::check(request.top)?;
        let view = &self.resolved(snapshot, view)?;
        let asked = AggregateScope { case: self, snapshot, view, cancel };
        let mut fields = request.fields.clone();
        if fields.is_empty() {
            fields = Self::field_names(snapshot);
            // Nobody counts times and line numbers, and the raw text is not a field.
            fields.retain(|field| !matches!(field.as_str(), "time" | "line" | "raw" | "template"));
        }
        fields.iter().try_for_each(|field| Self::check_known(snapshot, field))?;
        let edges = match (&request.edges, asked.range()) {
            (Some(edges), _) => edges.clone(),
            (None, Some((first, last))) => {
                interval::edges(first, last, &Interval::Auto(request.buckets), &TimeZone::UTC)?
            }
            (None, None) => Vec::new(),
        };
        let mut facets = Facets { edges, ..Facets::default() };
        let mut order: Vec<usize> = (0..fields.len()).collect();
        order.sort_by_key(|&place| rarely_repeats(snapshot, &fields[place]));
        let mut found: Vec<(usize, Facet)> = Vec::with_capacity(fields.len());
        let mut reported: Option<(usize, Instant)> = None;
        for place in order {
            let facet = facet(&asked, &fields[place], request.top, &facets.edges, &mut facets.total)?;
            found.push((place, facet));
            if reported.is_none_or(|(_, at)| at.elapsed() >= PARTIAL_EVERY) {
                let new = &found[reported.map_or(0, |(count, _)| count)..];
                let new = new.iter().map(|(_, facet)| facet.clone()).collect();
                let share = found.len() as f64 / fields.len() as f64;
                partial(&Facets { edges: facets.edges.clone(), fields: new, ..facets }, share);
                reported = Some((found.len(), Instant::now()));
            }
        }
        found.sort_unstable_by_key(|(place, _)| *place);
        facets.fields = found.into_iter().map(|(_, facet)| facet).collect();
        Ok(facets)
    }
}

fn facet(
    asked: &AggregateScope<'_>,
    field: &str,
    top: usize,
    edges: &[i64],
    total: &mut u64,
) -> Result<Facet> {
    let kinds = kinds(asked.snapshot, field);
    let is_number = kinds.iter().any(|kind| matches!(kind, FieldKind::Int | FieldKind::Float));
    let numbers = is_number.then(|| number_facet(asked, field)).transpose()?;
    let facet = Facet {
        field: field.to_owned(),
        kinds,
        present: 0,
        distinct: None,
        top: Vec::new(),
        numbers,
        sparkline: Vec::new(),
    };
    let counted = match TermCounts::count(asked, field) {
        Ok(counted) => counted,
        Err(error) if error.kind() == ErrorKind::Limit => return Ok(facet),
        Err(error) => return Err(error),
    };
    *total = counted.total;
    let codes = counted.top(top, TermOrder::Most);
    let counts = codes.iter().map(|&code| u64::from(counted.counts[code as usize])).collect::<Vec<_>>();
    let values = counted.values.values(codes).into_iter().flatten();
    Ok(Facet {
        present: counted.total - counted.missing(),
        distinct: Some(counted.distinct()),
        top: values.zip(counts).map(|(value, count)| ScalarCount { value, count }).collect(),
        sparkline: sparkline(asked, &counted.values, edges)?,
        ..facet
    })
}

/// Ids and whole sentences are slow and say little, so they come last.
fn rarely_repeats(snapshot: &Snapshot, field: &str) -> bool {
    let mut known = snapshot.segments.iter().flat_map(|segment| &segment.meta.fields);
    known.any(|known| known.name == field && known.placed)
}

/// The types of a field's values, over all segments.
fn kinds(snapshot: &Snapshot, field: &str) -> Vec<FieldKind> {
    if matches!(field, "level" | "source") {
        return vec![FieldKind::Text];
    }
    let all = snapshot.segments.iter().flat_map(|segment| &segment.meta.fields);
    let mut kinds: Vec<FieldKind> = all.filter(|known| known.name == field).map(|known| known.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

fn number_facet(asked: &AggregateScope<'_>, field: &str) -> Result<NumberFacet> {
    let measures = vec![
        Measure::Stats { field: field.to_owned() },
        Measure::Percentiles { field: field.to_owned(), at: PERCENTILES.to_vec() },
    ];
    let answer = cube::run(asked, &Request { by: Vec::<By>::new(), measures }, &mut |_, _| {})?;
    let figure = |name: &str| {
        let found = answer.measured.iter().find(|measured| measured.name == format!("{name}({field})"));
        found.and_then(|measured| measured.values.first().cloned().flatten())
    };
    let count = match figure("count") {
        Some(Scalar::Int(count)) => count as u64,
        _ => 0,
    };
    Ok(NumberFacet {
        count,
        least: figure("min"),
        greatest: figure("max"),
        average: figure("avg"),
        percentiles: PERCENTILES
            .map(|percent| PercentileValue { percent, value: figure(&format!("p{percent}")) })
            .into(),
    })
}

fn sparkline(asked: &AggregateScope<'_>, values: &GlobalValues, edges: &[i64]) -> Result<Vec<u32>> {
    let mut line = vec![0; edges.len().saturating_sub(1)];
    let count = |index: usize| -> Result<Vec<(usize, u32)>> {
        let Some(coded) = &values.segments[index] else { return Ok(Vec::new()) };
        let Some(part) = asked.part(index)? else { return Ok(Vec::new()) };
        let times = part.segment.times()?;
        let mut counts = Vec::new();
        times.for_each_bucket(part.rows(), edges, |bucket, rows| {
            counts.push((bucket, rows_with_value(&coded.column, &part, rows)));
        });
        Ok(counts)
    };
    in_order(asked.snapshot.segments.len(), asked.cancel, count, |_, counts| {
        for (bucket, count) in counts {
            line[bucket] += count;
        }
        Ok(())
    })?;
    Ok(line)
}

fn rows_with_value(column: &StoredColumn, part: &SegmentRows, rows: std::ops::Range<usize>) -> u32 {
    if column.missing == 0 {
        return part.count_in(rows) as u32;
    }
    let mut count = 0;
    with_codes!(&column.codes, codes => {
        part.for_each_in(rows, |row| count += u32::from(u64::from(codes[row]) > 0));
    });
    count
}
