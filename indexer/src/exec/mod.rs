//! Running a filter: which rows of which segments match, in which order, and their text.

mod cache;
mod explain;
mod field;
mod matcher;
mod order;
mod rows;
mod select;
mod template;
mod tokens_of;

pub(crate) use cache::{FrameCache, MatchCache};
pub(crate) use explain::Trace;
pub use explain::{Path, Step};
pub use order::Direction;
pub(crate) use order::{Position, Selection};
pub(crate) use select::{Part, PartRows, select_segment};
pub(crate) use template::Templates;
