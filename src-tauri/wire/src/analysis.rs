//! The data of calculations that crosses the boundary.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::types::{EventId, FieldKind, Level, Nanos, Row, View};

/// One value: as it is written, and as a number where it is one. Whole numbers beyond 2^53 are exact in the
/// text only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Scalar {
    pub kind: ScalarKind,
    pub text: String,
    pub number: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ScalarKind {
    Text,
    Int,
    Float,
    Bool,
    Time,
}

/// Counts and measures of the matching events, grouped by axes.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AggregateRequest {
    pub view: View,
    pub by: Vec<By>,
    pub measures: Vec<Measure>,
}

/// What events are grouped by.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum By {
    /// Buckets of time in a zone such as `Europe/Berlin`; `UTC` where none is named.
    Time {
        interval: Interval,
        zone: Option<String>,
    },
    /// The values of a field, so many of them; then all others, then events without any.
    Terms {
        field: String,
        top: u32,
        order: TermOrder,
    },
    Bins {
        field: String,
        bins: Bins,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Interval {
    /// The narrowest that a person can name and that needs at most so many buckets.
    Auto {
        buckets: u32,
    },
    Fixed {
        ns: Nanos,
    },
    Calendar {
        count: u32,
        unit: CalendarUnit,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum CalendarUnit {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum TermOrder {
    Most,
    Fewest,
    Value,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Bins {
    Linear { most: u32 },
    Width { width: f64 },
    Logarithmic { most: u32 },
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Measure {
    Stats {
        field: String,
    },
    /// Exact; 0 to 100.
    Percentiles {
        field: String,
        at: Vec<f64>,
    },
    Distinct {
        field: String,
    },
    First {
        field: String,
    },
    Last {
        field: String,
    },
    /// Events in so much time.
    Rate {
        per: Nanos,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Aggregate {
    pub revision: u64,
    pub axes: Vec<Axis>,
    /// Events in each cell; the last axis runs fastest.
    pub counts: Vec<u64>,
    /// Empty while partial.
    pub measured: Vec<Measured>,
    pub total: u64,
    /// Matching events without a time, where time is an axis.
    pub untimed: u64,
    /// Share of the case's events that are done: 1 when this is the whole answer.
    pub fraction: f64,
    pub elapsed_ms: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Axis {
    /// Where buckets begin, and the end of the last.
    Time { edges: Vec<Nanos> },
    /// A place for each value, one for all others, one for events without any.
    Terms { field: String, values: Vec<Scalar>, distinct: u64 },
    /// Where bins begin, and the end of the last; events without a number are in none.
    Bins { field: String, edges: Vec<f64>, missing: u64, mistyped: u64 },
}

/// One figure a cell, such as `p95(duration_ms)`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Measured {
    pub name: String,
    pub values: Vec<Option<f64>>,
    /// The same as text, where they are no numbers or whole ones beyond 2^53.
    pub texts: Option<Vec<Option<String>>>,
    /// Matching events without the field, and those whose value is no number.
    pub missing: u64,
    pub mistyped: u64,
}

/// Facets of fields; of all where none is named.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FacetsRequest {
    pub view: View,
    pub fields: Vec<String>,
    pub top: u32,
    pub buckets: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Facets {
    pub revision: u64,
    pub total: u64,
    pub edges: Vec<Nanos>,
    pub fields: Vec<Facet>,
    /// Share of the fields that are done.
    pub fraction: f64,
    pub elapsed_ms: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Facet {
    pub field: String,
    pub kinds: Vec<FieldKind>,
    pub present: u64,
    /// Null where the values are too many to be counted.
    pub distinct: Option<u64>,
    pub top: Vec<ScalarCount>,
    pub numbers: Option<NumberFacet>,
    /// Events that have it, in each bucket.
    pub sparkline: Vec<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ScalarCount {
    pub value: Scalar,
    pub count: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NumberFacet {
    pub count: u64,
    pub least: Option<f64>,
    pub greatest: Option<f64>,
    pub average: Option<f64>,
    pub percentiles: Vec<PercentileValue>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PercentileValue {
    pub percent: f64,
    pub value: Option<f64>,
}

/// What is frequent in a selection and rare in the rest of a background that holds it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SignificantRequest {
    pub selection: View,
    pub background: View,
    /// All but the text where none is named. The values of `raw` are the words of the text.
    pub fields: Vec<String>,
    pub most: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SignificantTerms {
    pub terms: Vec<SignificantTerm>,
    pub selected: u64,
    pub others: u64,
    /// Fields with too many values to be weighed.
    pub left_out: Vec<String>,
    pub elapsed_ms: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SignificantTerm {
    pub field: String,
    pub value: Scalar,
    pub selected: u64,
    pub others: u64,
    pub score: f64,
}

/// Rows of the result sorted by a field; events without it come last. Where no field is called so, `relevance` sorts by how
/// well events match what the filter looks for in their text.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SortedPageRequest {
    pub view: View,
    pub field: String,
    pub descending: bool,
    pub first: u64,
    pub count: u32,
    /// Fields whose values come with each row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub columns: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextRequest {
    pub case: String,
    pub id: EventId,
    pub around: Around,
    pub before: u32,
    pub after: u32,
    /// Fields whose values come with each row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub columns: Vec<String>,
}

/// Whose neighbours are wanted.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Around {
    File,
    Everywhere,
    /// Events that have the value it has in a field.
    Sharing {
        field: String,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    pub before: Vec<Row>,
    pub event: Row,
    pub after: Vec<Row>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FollowRequest {
    pub case: String,
    pub value: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Trails {
    pub trails: Vec<Trail>,
    pub elapsed_ms: f64,
}

/// A field of a source that holds the value; `raw` where only the text of events does.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Trail {
    pub source: u32,
    pub source_name: String,
    pub field: String,
    pub events: u64,
    pub first: Option<Nanos>,
    pub last: Option<Nanos>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TransactionsRequest {
    pub view: View,
    /// The field whose values are ids.
    pub field: String,
    pub order: TransactionOrder,
    pub most: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum TransactionOrder {
    Longest,
    MostEvents,
    Worst,
    Earliest,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Transactions {
    pub shown: Vec<Transaction>,
    pub total: u64,
    /// Durations of all: median, 95th and 99th percentile, greatest.
    pub durations_ns: Vec<Nanos>,
    /// Matching events without an id.
    pub without: u64,
    pub elapsed_ms: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Transaction {
    pub id: Scalar,
    pub events: u64,
    pub first: Option<Nanos>,
    pub last: Option<Nanos>,
    pub duration_ns: Nanos,
    pub level: Level,
    pub gap_ns: Nanos,
}
