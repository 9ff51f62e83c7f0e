//! Running a filter: which rows of which segments match, in which order, and their text.

mod cache;
mod codes;
mod explain;
mod field;
mod keys;
mod matcher;
mod order;
mod part;
mod phrase;
mod pool;
mod prepared;
mod ranks;
mod rows;
mod select;
mod sort;
mod template;
mod texts;
mod tokens_of;
mod values;

pub(crate) use cache::{FrameCache, MatchCache};
pub(crate) use explain::Trace;
pub use explain::{Path, Step};
pub(crate) use field::{level_passes, passing_values};
pub(crate) use keys::{Domain, ToKey};
pub(crate) use matcher::Matcher;
pub use order::Direction;
pub(crate) use order::{Key, Position, Selection};
pub(crate) use part::{Part, RowSet};
pub(crate) use pool::in_order;
pub(crate) use prepared::Prepared;
pub(crate) use ranks::{Narrowed, Ranks, bucket};
pub(crate) use rows::Rows;
pub(crate) use select::{Question, select_segment};
pub(crate) use sort::sort_rows;
pub(crate) use template::Templates;
pub(crate) use values::ValueTest;
