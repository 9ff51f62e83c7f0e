//! The stages, one a file. [`super::plan`] is the table that makes them.

pub mod bucket;
pub mod change_point;
pub mod columns;
pub mod compare;
pub mod condition;
pub mod context;
pub mod dedup;
pub mod eval;
pub mod extract;
pub mod facets;
pub mod fill;
pub mod frequent;
pub mod join;
mod join_keys;
mod keys;
pub mod limit;
pub mod lookup;
pub mod patterns;
pub mod pivot;
mod rolling;
pub mod sample;
pub mod sort;
pub mod stats;
pub mod timechart;
pub mod transaction;
pub mod unpivot;
pub mod window;
