//! Relevance of an event: the sum of the weights of the filter's terms that its text contains. Rare terms
//! weigh more, as in BM25; term frequency and document length count nothing, because in log lines both vary
//! for no reason that matters to a reader.

use std::fmt::Write;
use std::sync::Arc;

use super::sorted::SortBy;
use crate::aggregate::AggregateScope;
use crate::view::View;
use base::error::Result;
use query::{Filter, Pattern, Test};
use store::Snapshot;

/// The name that asks for this order, unless a field has it.
const NAME: &str = "relevance";

/// Weights are compared with this precision.
const WEIGHT_UNITS: f64 = 10_000.0;

/// So many clauses count; the sum of more would not fit.
const MOST_CLAUSES: usize = 1_024;

/// The clauses of a filter and what they weigh.
pub struct Relevance {
    clauses: Vec<(View, u32)>,
    /// Tells these scores from others.
    name: String,
}

/// Whether a result is sorted by how well events match.
pub fn is_relevance(snapshot: &Snapshot, sort: &SortBy) -> bool {
    let mut fields = snapshot.segments.iter().flat_map(|segment| &segment.meta.fields);
    sort.field == NAME && !fields.any(|field| field.name == NAME)
}

impl Relevance {
    pub fn new(asked: &AggregateScope<'_>) -> Result<Relevance> {
        let mut patterns = Vec::new();
        collect(&asked.view.filter, &mut patterns);
        patterns.truncate(MOST_CLAUSES);
        let events = asked.snapshot.events() as f64;
        let mut clauses = Vec::with_capacity(patterns.len());
        let mut name = "#relevance".to_owned();
        for pattern in patterns {
            let view = View { filter: Filter::Text(pattern.clone()), from: None, to: None };
            let having = asked.case.count(asked.snapshot, &view, asked.cancel)? as f64;
            let weight = (1.0 + (events - having + 0.5) / (having + 0.5)).ln();
            let weight = (weight * WEIGHT_UNITS) as u32;
            // Writing to a text cannot fail.
            let _ = write!(name, " {}={weight}", view.filter);
            clauses.push((view, weight));
        }
        Ok(Relevance { clauses, name })
    }

    /// The highest score there may be.
    pub fn largest(&self) -> u64 {
        self.clauses.iter().map(|(_, weight)| u64::from(*weight)).sum()
    }

    /// The score of each row of a segment.
    pub fn scores(&self, asked: &AggregateScope<'_>, index: usize) -> Result<Arc<Vec<u32>>> {
        let segment = &asked.snapshot.segments[index];
        asked.case.columns().get_or_stop(segment.meta.id, &self.name, asked.cancel, || {
            let mut scores = vec![0_u32; segment.meta.events as usize];
            for (view, weight) in &self.clauses {
                if let Some(part) = asked.case.part(asked.snapshot, index, view, asked.cancel)? {
                    part.for_each(|row| scores[row] += weight);
                }
            }
            let bytes = scores.len() * 4;
            Ok((scores, bytes))
        })
    }
}

/// What a filter looks for in the text, but for what must not be there; each once.
fn collect<'f>(filter: &'f Filter, patterns: &mut Vec<&'f Pattern>) {
    let mut add = |pattern: &'f Pattern| {
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    };
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().for_each(|part| collect(part, patterns)),
        Filter::Text(pattern) => add(pattern),
        Filter::Field { field, test: Test::Matches(all), .. } if field == "raw" => all.iter().for_each(add),
        Filter::Everything | Filter::Not(_) | Filter::Field { .. } | Filter::Noted(_) => {}
    }
}
