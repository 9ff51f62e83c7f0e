//! Tables of polars: the bridge between them and the tables of pipes, and the events of a case as one.
//!
//! This module, `pipe/`, the store and `export/` name polars; above them are [`crate::Table`] and text.

mod bounds;
mod comparisons;
mod complete;
mod convert;
mod depth;
mod functions;
mod guards;
mod lower;
mod memory;
mod mistakes;
mod nested;
pub mod order;
mod push;
mod scan;
mod sql;
mod sums;
mod tables;
mod texts;
mod thread;
pub mod window;
mod words;

pub use sql::{SqlOptions, is_sql};

use polars::prelude::PolarsError;

use base::error::{Error, ErrorKind};

/// What polars refused that should have worked.
fn internal(error: &PolarsError) -> Error {
    Error::new(ErrorKind::Internal, format!("a table could not be made: {error}"))
}

/// What polars refused because of what was asked.
fn refused(error: &PolarsError) -> Error {
    let said = error.to_string();
    // polars appends the plan, which does not help the person who wrote the query.
    let said = said.split("\n\n").next().unwrap_or_default();
    Error::new(ErrorKind::QueryInvalid, said.lines().map(str::trim).collect::<Vec<_>>().join(" "))
}

/// The same of a run: an error of a scan is returned as the scan reported it.
fn failure(error: &PolarsError, shared: &scan::Shared) -> Error {
    shared.take_failure().unwrap_or_else(|| refused(error))
}
