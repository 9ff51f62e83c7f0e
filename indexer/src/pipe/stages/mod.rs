//! The stages, one a file. [`super::plan`] is the table that makes them.

pub(crate) mod change_point;
pub(crate) mod columns;
pub(crate) mod compare;
pub(crate) mod condition;
pub(crate) mod context;
pub(crate) mod dedup;
pub(crate) mod eval;
pub(crate) mod extract;
pub(crate) mod facets;
pub(crate) mod frequent;
mod keys;
pub(crate) mod limit;
pub(crate) mod lookup;
pub(crate) mod patterns;
pub(crate) mod sample;
pub(crate) mod sort;
pub(crate) mod stats;
pub(crate) mod timechart;
pub(crate) mod transaction;
