//! Tables of polars: the bridge between them and the tables of pipes, and the events of a case as one.
//!
//! Only this module, `storage/parquet/` and `export/` name polars; above it stand [`crate::Table`] and text.

// What is read and asked of polars comes next to it.
#[allow(dead_code)]
mod convert;

#[allow(unused_imports)]
pub(crate) use convert::{from_frame, text_frame, to_frame};
pub(crate) mod window;
