//! What can be asked of the matching events, and what is answered.

use jiff::tz::TimeZone;

use super::interval::Interval;
use crate::storage::Scalar;

/// Measures of events, apart by up to a few axes: nothing for one figure over all, time for a curve, time
/// and a field for a curve a value, time and bins for a heatmap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    pub by: Vec<By>,
    /// Events are always counted; these are measured as well.
    pub measures: Vec<Measure>,
}

/// What events are put apart by.
#[derive(Clone, Debug, PartialEq)]
pub enum By {
    Time {
        interval: Interval,
        zone: TimeZone,
    },
    /// The values of a field, so many of them; the rest is one value more, and so is having none.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermOrder {
    Most,
    /// The rarest first.
    Fewest,
    Value,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Bins {
    /// Of one width that a person can name, at most so many of them.
    Linear { most: usize },
    /// Of this width.
    Width(f64),
    /// Each bin some times as wide as the one before; what is not above zero is the first bin.
    Logarithmic { most: usize },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// Count of numbers, sum, average, least, greatest, and the sample's standard deviation.
    Stats {
        field: String,
    },
    /// Exact percentiles, 0 to 100; between two numbers they are interpolated.
    Percentiles {
        field: String,
        at: Vec<f64>,
    },
    /// How many different values there are.
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
    /// Events in so many nanoseconds.
    Rate {
        per_ns: i64,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub axes: Vec<Axis>,
    /// Events in each cell. The last axis runs fastest; without axes there is one cell.
    pub counts: Vec<u64>,
    pub measured: Vec<Measured>,
    /// Matching events.
    pub total: u64,
    /// Those of them that have no time, where there is an axis of time.
    pub untimed: u64,
}

/// One figure a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Such as `p95(duration_ms)`.
    pub name: String,
    pub values: Vec<Option<Scalar>>,
    /// Matching events without the field, and those whose value is no number where one is needed.
    pub missing: u64,
    pub mistyped: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Axis {
    /// Each bucket reaches from its edge to the next one.
    Time { edges: Vec<i64> },
    /// A place for each value, then one for all other values and one for events without any.
    Terms { field: String, values: Vec<Scalar>, distinct: u64 },
    /// Each bin reaches from its edge to the next one; the last one has its end in it.
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
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        let by = self.by.iter().filter_map(|by| match by {
            By::Time { .. } => None,
            By::Terms { field, .. } | By::Bins { field, .. } => Some(field.as_str()),
        });
        by.chain(self.measures.iter().filter_map(Measure::field))
    }
}

impl Measure {
    pub(crate) fn field(&self) -> Option<&str> {
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
