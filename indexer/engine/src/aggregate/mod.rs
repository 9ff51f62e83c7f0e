//! Aggregation of the rows that a filter matched. A [`Request`] names axes (group keys) and measures
//! (aggregates); one pass over the matching rows serves all of them. Kernels work on the codes of columns:
//! per distinct code if possible, otherwise per row, and hardly ever per value.

mod bins;
mod block;
mod count;
mod cube;
mod dictionary;
mod distinct;
mod ends;
mod facets;
mod field;
mod follow;
mod interval;
mod measure;
mod measured_json;
mod percentiles;
mod plan;
mod rate;
mod request;
mod stats;
mod terms;
pub mod timeline;
mod transactions;

pub use bins::{Extent, edges as bin_edges};
pub use facets::{
    Facet, Facets, FacetsRequest, KnownField, NumberFacet, PERCENTILES, PercentileValue, ScalarCount,
};
pub use follow::Trail;
pub use interval::{CalendarUnit, Interval, edges as time_edges, zone};
pub use jiff::tz::TimeZone;
pub use request::{Answer, Axis, Bins, By, Measure, Measured, Request, TermOrder};
pub use transactions::{Transaction, TransactionOrder, Transactions};

pub use block::{AxisKeys, Block, BlockCells, Lookup, RowsOf, each_block_of};
pub use count::Counting;
pub use dictionary::{Coded, GlobalValues};
pub use field::{DENSE, FieldNumbers, coded, columns, missing, numbers};
pub use follow::rows_with_value;
pub use measure::domain;
pub use terms::{TermCounts, counts_of_codes};

use crate::Engine;
use crate::exec::SegmentRows;
use crate::view::{View, range};
use base::Cancel;
use base::error::Result;
use store::Snapshot;

/// The common parameters of every aggregation.
pub struct AggregateScope<'a> {
    pub case: &'a Engine,
    pub snapshot: &'a Snapshot,
    pub view: &'a View,
    pub cancel: &'a Cancel,
}

impl AggregateScope<'_> {
    /// The matching rows of a segment.
    pub fn part(&self, index: usize) -> Result<Option<SegmentRows>> {
        self.case.part(self.snapshot, index, self.view, self.cancel)
    }

    /// The time range of the view, intersected with that of the data.
    #[must_use]
    pub fn range(&self) -> Option<(i64, i64)> {
        range(self.snapshot, self.view)
    }

    /// The share of the events that is done when this segment is.
    #[must_use]
    pub fn share(&self, index: usize) -> f64 {
        let events = |upto: usize| {
            self.snapshot.segments[..upto].iter().map(|segment| segment.meta.events).sum::<u64>()
        };
        events(index + 1) as f64 / events(self.snapshot.segments.len()).max(1) as f64
    }
}

impl Engine {
    /// Counts and measures the matching events. `partial` is called with the current counts and the share of
    /// the events done; only the final answer contains measures.
    pub fn aggregate(
        &self,
        snapshot: &Snapshot,
        view: &View,
        request: &Request,
        partial: &mut dyn FnMut(&Answer, f64),
        cancel: &Cancel,
    ) -> Result<Answer> {
        Self::without_damaged(snapshot, |snapshot| {
            self.aggregate_of(snapshot, view, request, partial, cancel)
        })
    }

    fn aggregate_of(
        &self,
        snapshot: &Snapshot,
        view: &View,
        request: &Request,
        partial: &mut dyn FnMut(&Answer, f64),
        cancel: &Cancel,
    ) -> Result<Answer> {
        let view = &self.resolved(snapshot, view)?;
        for field in request.fields() {
            Self::check_known(snapshot, field)?;
        }
        cube::run(&AggregateScope { case: self, snapshot, view, cancel }, request, partial)
    }
}
