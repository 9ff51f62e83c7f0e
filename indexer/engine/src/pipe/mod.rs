//! Pipes: what is done with the matching events, stage by stage, in tables of typed columns.
//!
//! [`answer`] reads events ([`source`]) and sends them through the steps that [`plan`] makes of a query's
//! stages ([`stages`]). A stage either works on each row alone, and then on several threads, or remembers what
//! it saw; what stages keep is counted against one budget. The first aggregation is calculated from the codes of
//! columns where that gives the same ([`lower`]). Expressions are in [`expr`], over arrays of polars ([`mod@column`]).

mod answer;
mod best;
mod calendar;
mod cell;
mod charge;
mod column;
mod dictionary;
mod expr;
mod file_access;
mod intern;
mod kept;
mod line;
mod lower;
mod messages;
mod names;
mod over_tables;
mod plan;
mod plan_larger;
mod plan_tables;
mod run;
mod source;
mod stages;
mod step;
mod table;
#[cfg(test)]
mod tests;

pub use answer::Partial;
pub use calendar::Width;
pub use cell::Cell;
pub use column::{Column, ColumnKind};
pub use column::{Data as ColumnData, filled};
pub use dictionary::{Dictionary, TextBuilder};
pub use file_access::FileAccess;
pub use kept::KeptQuery;
pub use over_tables::TableStages;
pub use run::RunOptions;
pub use run::{Budget, Run, RunClock};
pub use source::{ColumnRequest, Piece, Reader, clusters, in_time_order};
pub use stages::lookup::table_of_file;
pub use stages::stats::percentile_of_counted;
pub use table::Table;
