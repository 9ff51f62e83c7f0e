//! The binary files in which Unix records logins: utmp, wtmp and btmp, whose records have one layout, and
//! lastlog, which has a record for each user id.
//!
//! [`detect`] finds the layout by the first bytes: the width of times and the byte order of the machine that
//! wrote them. `login_events` reads whole records, each of them an event whose text is made there. Of a long lastlog only
//! the records that are used are read, as [`UsedRecords`].

mod layout;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod used;

pub(crate) use layout::{LoginFile, LoginLayout, cut, detect, text_field};
pub(crate) use used::{Holes, UsedRecords, has_unused_records};
