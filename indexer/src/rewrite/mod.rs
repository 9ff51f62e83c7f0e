//! Changing what a case has already: another profile, smaller files, a source less. Segments never change, so
//! each of these writes new ones and names them in one step; a crash leaves the old ones or the new ones.

mod compact;
mod delete;
mod merge;
mod repair;
mod reprofile;

use crate::Cancel;
use crate::error::{Error, Result};

pub use compact::CompactReport;
pub(crate) use merge::{Gone, Merge};
pub use repair::RepairReport;
pub(crate) use reprofile::{Behind, catch_up};

/// What is told while this runs: how many segments are done, of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewriting {
    pub done: usize,
    pub of: usize,
}

fn unless_cancelled(cancel: &Cancel) -> Result<()> {
    if cancel.is_set() { Err(Error::cancelled()) } else { Ok(()) }
}
