//! Columns in memory: as codes of the necessary width, cached within a budget.

mod cache;
mod column;
mod packed;
mod prints;
mod times;

pub(crate) use cache::ColumnCache;
pub use column::Scalar;
pub(crate) use column::{Column, Dictionary, Unit};
pub(crate) use packed::{Code, Packed, with_codes};
pub(crate) use prints::{Prints, Sequence};
pub(crate) use times::Times;
