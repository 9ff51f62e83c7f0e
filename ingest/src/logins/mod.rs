//! The binary files in which Unix records logins: utmp, wtmp and btmp, whose records have one layout, and
//! lastlog, which has a record for each user id.
//!
//! [`detect`] finds the layout by the first bytes: the width of times and the byte order of the machine that
//! wrote them. [`batch()`] reads whole records, each of them an event whose text is made here. Of a long lastlog only
//! the records that are used come here, as [`UsedRecords`].

mod batch;
mod describe;
mod layout;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod used;

pub(crate) use batch::{batch, cut, text};
pub(crate) use layout::{LoginLayout, detect};
pub(crate) use used::{Holes, UsedRecords, has_unused_records};
