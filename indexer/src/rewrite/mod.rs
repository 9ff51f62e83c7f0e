//! Changes to an existing case: another profile, smaller files, deleted sources. Segments are immutable, so
//! each change writes new ones and commits them in one step; a crash leaves the old ones or the new ones.

mod compact;
mod delete;
mod manifest;
mod merge;
mod repair;
mod reprofile;
mod restore;
mod whole_case;

use serde::Serialize;

use base::Cancel;
use base::error::{Error, Result};

pub use compact::CompactReport;
pub(crate) use compact::{PackedAgain, current_files, pack_again};
pub(crate) use delete::put_in_place;
pub(crate) use merge::{Gone, Merge, unlisted};
pub use repair::RepairReport;
pub(crate) use reprofile::{BackgroundIndexing, catch_up};
pub use restore::{Restored, TrashState};

/// Reports progress: how many segments are done, of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Rewriting {
    pub done: usize,
    pub of: usize,
}

fn unless_cancelled(cancel: &Cancel) -> Result<()> {
    if cancel.is_set() { Err(Error::cancelled()) } else { Ok(()) }
}
