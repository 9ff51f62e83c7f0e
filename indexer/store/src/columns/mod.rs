//! Columns in memory: as codes of the necessary width, cached within a budget.

mod cache;
mod column;
mod packed;
mod prints;
mod scalar_json;
mod times;

pub use cache::ColumnCache;
pub use column::Scalar;
pub use column::{ColumnValues, StoredColumn, Unit};
pub use packed::{Code, Packed};
pub use prints::{Prints, Sequence};
pub use scalar_json::scalar_number;
pub use times::Times;
