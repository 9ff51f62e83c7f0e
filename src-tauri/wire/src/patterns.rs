//! Message templates across the boundary: requests and answers.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::calls::{Answer, milliseconds, shape_level, view};
use crate::session::{Call, Session};
use crate::types::{ErrorCode, EventId, Level, Nanos, View, WireError};

/// How much of what differs between messages is taken together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Granularity {
    /// Messages whose words are all alike.
    Shape,
    #[default]
    Template,
    Group,
    Family,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PatternsRequest {
    pub view: View,
    pub granularity: Granularity,
    /// Templates listed at most, the most frequent first.
    pub limit: u32,
    /// The most buckets of a sparkline.
    pub buckets: u32,
    /// Events named as examples of each, the earliest.
    pub examples: u32,
    /// Counts outside of the view's times too: what is new in it, what is gone.
    pub compare: bool,
    /// The times that it is compared with; all others where none are given.
    #[serde(default)]
    #[ts(optional)]
    pub against: Option<TimeSpan>,
    /// Ids of listed templates whose variable parts are listed.
    pub variables: Vec<String>,
    /// The most frequent values listed of a variable part.
    pub values: u32,
}

/// Times from inclusive, to exclusive.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TimeSpan {
    pub from: Nanos,
    pub to: Nanos,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Patterns {
    pub revision: u64,
    pub patterns: Vec<Pattern>,
    /// Templates that occur, listed or not.
    pub distinct: u64,
    /// Matching events, and those of them that have no message.
    pub total: u64,
    pub without: u64,
    /// Start of the first bucket of the sparklines.
    pub start: Nanos,
    pub bucket_ns: Nanos,
    /// Share of the work done: 1 when this is the whole answer.
    pub fraction: f64,
    pub elapsed_ms: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Pattern {
    /// Names the template for ever; `template:ID` is a filter.
    pub id: String,
    /// The template of the next granularity that it lies in.
    pub parent: Option<String>,
    /// What its messages share, `<num>` and the like for what varies.
    pub text: String,
    pub count: u64,
    /// Of the matching events.
    pub share: f64,
    pub first: Option<Nanos>,
    pub last: Option<Nanos>,
    pub counts: Vec<u32>,
    /// Levels that occur, the lowest first.
    pub levels: Vec<LevelCount>,
    pub examples: Vec<EventId>,
    /// Matching events outside of the view's times, where asked for.
    pub elsewhere: Option<u64>,
    pub variables: Vec<PatternVariable>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LevelCount {
    pub level: Level,
    pub count: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PatternVariable {
    /// What it is called in the template: `num`, `ip`, `*`.
    pub kind: String,
    pub count: u64,
    /// Different values, as counted up to the limit.
    pub distinct: u64,
    /// There were more different values than are counted.
    pub more: bool,
    pub top: Vec<ValueCount>,
    /// Of numbers; of durations in milliseconds, of sizes in bytes.
    pub min: Option<f64>,
    pub max: Option<f64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ValueCount {
    pub value: String,
    pub count: u64,
}

pub fn patterns(
    session: &Session,
    call: &Call<'_>,
    request: &PatternsRequest,
    report: &dyn Fn(Patterns),
) -> Answer<Patterns> {
    let started = Instant::now();
    let (case, view) = view(session, &request.view)?;
    let snapshot = case.snapshot();
    let revision = snapshot.revision();
    let options = options(request)?;
    let mut partial = |patterns: &indexer::Patterns, fraction: f64| {
        report(shape(patterns, revision, fraction, started));
    };
    let patterns = case.patterns(&snapshot, &view, &options, &mut partial, &call.cancel)?;
    Ok(shape(&patterns, revision, 1.0, started))
}

fn options(request: &PatternsRequest) -> Answer<indexer::PatternOptions> {
    let id = |text: &String| {
        let unknown = || WireError::new(ErrorCode::BadRequest, format!("`{text}` is no id of a template."));
        text.parse().map_err(|()| unknown())
    };
    Ok(indexer::PatternOptions {
        granularity: match request.granularity {
            Granularity::Shape => indexer::Granularity::Shape,
            Granularity::Template => indexer::Granularity::Template,
            Granularity::Group => indexer::Granularity::Group,
            Granularity::Family => indexer::Granularity::Family,
        },
        limit: request.limit as usize,
        buckets: request.buckets as usize,
        examples: request.examples as usize,
        compare: request.compare,
        against: request.against.map(|span| (span.from.0, span.to.0)),
        variables: request.variables.iter().map(id).collect::<Result<_, _>>()?,
        values: request.values as usize,
    })
}

fn shape(patterns: &indexer::Patterns, revision: u64, fraction: f64, started: Instant) -> Patterns {
    Patterns {
        revision,
        patterns: patterns.patterns.iter().map(shape_pattern).collect(),
        distinct: patterns.distinct as u64,
        total: patterns.total,
        without: patterns.without,
        start: Nanos(patterns.start),
        bucket_ns: Nanos(patterns.width_ns),
        fraction,
        elapsed_ms: milliseconds(started),
    }
}

fn shape_pattern(pattern: &indexer::Pattern) -> Pattern {
    let levels = indexer::Level::ALL.into_iter().zip(pattern.levels).filter(|(_, count)| *count > 0);
    Pattern {
        id: pattern.id.to_string(),
        parent: pattern.parent.map(|parent| parent.to_string()),
        text: pattern.text.clone(),
        count: pattern.count,
        share: pattern.share,
        first: pattern.first.map(Nanos),
        last: pattern.last.map(Nanos),
        counts: pattern.counts.clone(),
        levels: levels.map(|(level, count)| LevelCount { level: shape_level(level), count }).collect(),
        examples: pattern.examples.iter().map(|&(source, offset)| EventId { source, offset }).collect(),
        elsewhere: pattern.elsewhere,
        variables: pattern.variables.iter().map(shape_variable).collect(),
    }
}

fn shape_variable(variable: &indexer::PatternVariable) -> PatternVariable {
    let value = |value: &indexer::ValueCount| ValueCount { value: value.value.clone(), count: value.count };
    PatternVariable {
        kind: variable.kind.clone(),
        count: variable.count,
        distinct: variable.distinct,
        more: variable.more,
        top: variable.top.iter().map(value).collect(),
        min: variable.min,
        max: variable.max,
    }
}
