//! Facets over all events: counts of the same values and bins are added.
//!
//! Each of them lists more values than are shown. Where a list has all values of a field, the counts and the distinct count
//! are exact; where one was cut, values that it does not list are counted without it, which is said.

use std::collections::BTreeMap;

use indexer::aggregate::{
    Facet, Facets, FacetsRequest, NumberFacet, PERCENTILES, PercentileValue, ScalarCount,
};
use indexer::query::Filter;
use indexer::{Cell, Result, Scalar, Timeline, percentile_of_counted};

use super::groups::{cell_of, scalar_of};
use super::{Both, Reservations};
use crate::limits::LISTED_VALUES;
use crate::questions::{Answer, estimated_distinct, estimated_percentiles};

const MILLISECOND: i64 = 1_000_000;

/// The facet of one of them, and whether its list of values was cut.
struct FacetPart {
    facet: Facet,
    is_cut: bool,
    is_cluster: bool,
}

impl Both<'_> {
    /// Facets of the named fields; of all where none is named.
    pub fn facets(
        &self,
        filter: &Filter,
        range: (Option<i64>, Option<i64>),
        request: &FacetsRequest,
    ) -> Result<Answer<Facets>> {
        let asked = self.asked(filter, range)?;
        let listed = if request.top == 0 { 0 } else { (request.top * 4).clamp(50, LISTED_VALUES) };
        let contexts = self.contexts();
        let edges = match self.times_within(range).filter(|_| request.top > 0) {
            // Sparklines of less than milliseconds are left out, as at a cluster.
            Some((first, last)) if last - first >= request.buckets as i64 * MILLISECOND => {
                Timeline::over(first, last, request.buckets).edges()
            }
            _ => Vec::new(),
        };
        // What nobody has is an error of the case's.
        let is_known = |place: usize, field: &String| {
            matches!(field.as_str(), "level" | "source") || contexts[place].field(field).is_some()
        };
        let is_known_somewhere = |field: &String| (0..contexts.len()).any(|place| is_known(place, field));
        let request_of = |place: usize| {
            let fields = request.fields.iter();
            let own =
                fields.filter(|field| is_known(place, field) || place == 0 && !is_known_somewhere(field));
            FacetsRequest {
                fields: own.cloned().collect(),
                top: listed,
                buckets: request.buckets,
                edges: Some(edges.clone()),
            }
        };
        let is_empty = |wanted: &FacetsRequest| wanted.fields.is_empty() && !request.fields.is_empty();
        let mut facets = Facets { edges: edges.clone(), ..Facets::default() };
        let mut parts: BTreeMap<String, Vec<FacetPart>> = BTreeMap::new();
        let mut order: Vec<String> = request.fields.clone();
        let mut add = |found: Facets, is_cluster: bool| {
            for facet in found.fields {
                let is_cut = facet.top.len() >= listed.max(1) || facet.distinct.is_none();
                if !order.contains(&facet.field) {
                    order.push(facet.field.clone());
                }
                parts.entry(facet.field.clone()).or_default().push(FacetPart { facet, is_cut, is_cluster });
            }
        };
        let of_case = request_of(0);
        facets.total = self.case.count(self.snapshot, &asked.view, self.cancel)? as u64;
        if !is_empty(&of_case) {
            add(self.case.facets(self.snapshot, &asked.view, &of_case, &mut |_, _| {}, self.cancel)?, false);
        }
        let mut reservations = Reservations::default();
        let requests: Vec<FacetsRequest> = (1..contexts.len()).map(request_of).collect();
        let each: Vec<_> = self.lanes.iter().zip(&asked.lanes).zip(&requests).collect();
        let found = super::at_once(each, |((lane, asked), wanted)| {
            if is_empty(wanted) {
                let counted = lane.cluster.count(asked)?;
                let value = Facets { total: counted.value, ..Facets::default() };
                return Ok(Answer {
                    value,
                    inexact: counted.inexact,
                    missing: counted.missing,
                    notes: counted.notes,
                });
            }
            lane.cluster.facets(asked, wanted, lane.times, &mut |_, _| {})
        });
        for (found, lane) in found.into_iter().zip(&self.lanes) {
            // What is estimated in each of them may be exact in the whole, and is said below.
            let found = found.map(|answer| Answer { notes: Vec::new(), ..answer });
            let Some(found) = reservations.attempt(&lane.cluster.name, found)? else { continue };
            facets.total += found.total;
            add(found, true);
        }
        for field in order {
            let Some(parts) = parts.remove(&field) else { continue };
            facets.fields.push(merged(&parts, request.top, edges.len().saturating_sub(1), &mut reservations));
        }
        Ok(reservations.answer(facets))
    }
}

fn merged(parts: &[FacetPart], top: usize, bins: usize, reservations: &mut Reservations) -> Facet {
    let field = parts.first().map_or_else(String::new, |part| part.facet.field.clone());
    let is_whole = parts.iter().all(|part| !part.is_cut) && top > 0;
    let is_alone = parts.len() == 1;
    let mut counts: BTreeMap<Cell, u64> = BTreeMap::new();
    let mut sparkline = vec![0_u32; bins];
    let mut kinds = Vec::new();
    for part in parts {
        for value in &part.facet.top {
            *counts.entry(cell_of(&field, &value.value)).or_default() += value.count;
        }
        sparkline
            .iter_mut()
            .zip(&part.facet.sparkline)
            .for_each(|(sum, count)| *sum = sum.saturating_add(*count));
        kinds.extend(part.facet.kinds.iter().copied());
    }
    kinds.sort_unstable();
    kinds.dedup();
    let lists_less = top > 0 && !is_whole && (!is_alone || parts.iter().any(|part| part.is_cluster));
    if lists_less {
        reservations.note(format!(
            "values of `{field}` are counted over the most frequent ones of each, and may be too low"
        ));
    }
    let distinct = match parts {
        _ if is_whole => Some(counts.len() as u64),
        [part] => {
            if part.is_cluster && part.facet.distinct.is_some() {
                reservations.note(estimated_distinct("distinct counts are"));
            }
            part.facet.distinct
        }
        // Estimates of two sets do not say how many values they share.
        _ => None,
    };
    let numbers = numbers(parts, is_whole.then_some(&counts), reservations);
    let mut values: Vec<(Cell, u64)> = counts.into_iter().collect();
    values.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    values.truncate(top);
    Facet {
        field,
        kinds,
        present: parts.iter().map(|part| part.facet.present).sum(),
        distinct,
        top: values.into_iter().map(|(cell, count)| ScalarCount { value: scalar_of(&cell), count }).collect(),
        numbers,
        sparkline,
    }
}

fn numbers(
    parts: &[FacetPart],
    values: Option<&BTreeMap<Cell, u64>>,
    reservations: &mut Reservations,
) -> Option<NumberFacet> {
    let found: Vec<&NumberFacet> = parts.iter().filter_map(|part| part.facet.numbers.as_ref()).collect();
    let number = |value: &Option<Scalar>| value.as_ref().and_then(|value| cell_of("", value).number());
    let ends = |of: fn(&NumberFacet) -> &Option<Scalar>, pick: fn(f64, f64) -> f64| {
        let all = found.iter().filter_map(|facet| number(of(facet)));
        all.reduce(pick).map(|value| scalar_of(&Cell::float(value)))
    };
    if let ([one], [part]) = (found.as_slice(), parts) {
        if part.is_cluster && values.is_none() {
            reservations.note(estimated_percentiles("percentiles are"));
            return Some((*one).clone());
        }
        if !part.is_cluster {
            return Some((*one).clone());
        }
    }
    let count: u64 = found.iter().map(|facet| facet.count).sum();
    if count == 0 {
        return found.first().map(|facet| (*facet).clone());
    }
    let sum: f64 = found.iter().filter_map(|facet| Some(number(&facet.average)? * facet.count as f64)).sum();
    let counted: Option<Vec<(Cell, u64)>> = values.map(|values| {
        values
            .iter()
            .filter(|(cell, _)| cell.number().is_some())
            .map(|(cell, count)| (cell.clone(), *count))
            .collect()
    });
    if counted.is_none() {
        reservations.note(
            "percentiles of numbers with many values are not merged: … | stats p95(field) calculates them",
        );
    }
    let percentile = |percent: f64| {
        let value = percentile_of_counted(counted.as_ref()?, percent);
        (!value.is_missing()).then(|| scalar_of(&value))
    };
    Some(NumberFacet {
        count,
        least: ends(|facet| &facet.least, f64::min),
        greatest: ends(|facet| &facet.greatest, f64::max),
        average: Some(Scalar::Float(sum / count as f64)),
        percentiles: PERCENTILES
            .into_iter()
            .map(|percent| PercentileValue { percent, value: percentile(percent) })
            .collect(),
    })
}
