//! The stages, one a file. [`super::plan`] is the table that makes them.

pub(crate) mod columns;
pub(crate) mod condition;
pub(crate) mod eval;
pub(crate) mod limit;
pub(crate) mod sort;
pub(crate) mod stats;
