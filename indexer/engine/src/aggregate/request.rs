//! Requests for aggregation, and their answers.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::interval::Interval;
use store::Scalar;

/// Measures of events grouped by up to a few axes: none for one figure over all, time for a curve, time and a
/// field for a curve per value, time and bins for a heatmap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    pub by: Vec<By>,
    /// Events are always counted; these aggregates are computed as well.
    pub measures: Vec<Measure>,
}

/// A group key.
#[derive(Clone, Debug, PartialEq)]
pub enum By {
    Time {
        interval: Interval,
        zone: TimeZone,
    },
    /// The values of a field, up to this many; the remaining values form one more key, and so do missing
    /// values.
    Terms {
        field: String,
        top: usize,
        order: TermOrder,
    },
    /// The numbers of a field.
    Bins {
        field: String,
        bins: Bins,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum TermOrder {
    Most,
    /// The rarest first.
    Fewest,
    Value,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Bins {
    /// All of one round width, at most this many.
    Linear { most: usize },
    /// All of this width.
    Width { width: f64 },
    /// Each bin wider than the previous one by this factor; numbers that are not above zero are in the first
    /// bin.
    Logarithmic { most: usize },
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Measure {
    /// Count of numbers, sum, mean, minimum, maximum, and the standard deviation of the sample.
    Stats {
        field: String,
    },
    /// Exact percentiles, 0 to 100, interpolated between two numbers.
    Percentiles {
        field: String,
        at: Vec<f64>,
    },
    /// The distinct count.
    Distinct {
        field: String,
    },
    /// The value of the earliest event that has one, or of the latest.
    First {
        field: String,
    },
    Last {
        field: String,
    },
    /// Events per this many nanoseconds.
    Rate {
        #[serde(rename = "per", with = "base::json::nanos")]
        #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
        per_ns: i64,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Answer {
    pub axes: Vec<Axis>,
    /// Events in each cell. The last axis varies fastest; without axes there is one cell.
    pub counts: Vec<u64>,
    pub measured: Vec<Measured>,
    /// Matching events.
    pub total: u64,
    /// Matching events without a time, if there is a time axis.
    pub untimed: u64,
}

/// One figure per cell.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(as = "super::measured_json::MeasuredJson"))]
pub struct Measured {
    /// Such as `p95(duration_ms)`.
    pub name: String,
    pub values: Vec<Option<Scalar>>,
    /// Matching events without the field, and those whose value is not a number if one is needed.
    pub missing: u64,
    pub mistyped: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Axis {
    /// Each bucket extends from its edge to the next one.
    Time {
        #[serde(with = "base::json::nanos")]
        #[cfg_attr(feature = "typescript", ts(as = "Vec<base::json::Nanos>"))]
        edges: Vec<i64>,
    },
    /// One key per value, then one for all other values and one for events without a value.
    Terms { field: String, values: Vec<Scalar>, distinct: u64 },
    /// Each bin extends from its edge to the next one; the last bin includes its end.
    Bins { field: String, edges: Vec<f64>, missing: u64, mistyped: u64 },
}

impl Axis {
    #[must_use]
    pub fn places(&self) -> usize {
        match self {
            Axis::Time { edges } => edges.len().saturating_sub(1),
            Axis::Terms { values, .. } => values.len() + 2,
            Axis::Bins { edges, .. } => edges.len().saturating_sub(1),
        }
    }
}

impl Request {
    /// The fields it names.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let by = self.by.iter().filter_map(|by| match by {
            By::Time { .. } => None,
            By::Terms { field, .. } | By::Bins { field, .. } => Some(field.as_str()),
        });
        by.chain(self.measures.iter().filter_map(Measure::field))
    }
}

impl Measure {
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Measure::Rate { .. } => None,
            Measure::Stats { field }
            | Measure::Percentiles { field, .. }
            | Measure::Distinct { field }
            | Measure::First { field }
            | Measure::Last { field } => Some(field),
        }
    }
}
