//! The stages, one a file. [`super::plan`] is the table that makes them.

pub(crate) mod bucket;
pub(crate) mod change_point;
pub(crate) mod columns;
pub(crate) mod compare;
pub(crate) mod condition;
pub(crate) mod context;
pub(crate) mod dedup;
pub(crate) mod eval;
pub(crate) mod extract;
pub(crate) mod facets;
pub(crate) mod fill;
pub(crate) mod frequent;
pub(crate) mod join;
mod join_keys;
mod keys;
pub(crate) mod limit;
pub(crate) mod lookup;
pub(crate) mod patterns;
pub(crate) mod pivot;
mod rolling;
pub(crate) mod sample;
pub(crate) mod sort;
pub(crate) mod stats;
pub(crate) mod timechart;
pub(crate) mod transaction;
pub(crate) mod unpivot;
pub(crate) mod window;
