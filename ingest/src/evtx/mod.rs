//! Windows event logs in their binary form (EVTX): a file header, then chunks of 64 KiB, which can each be
//! read on its own.
//!
//! [`frame::next_frame`] cuts a stream of bytes into frames, [`record::EvtxReader`] reads the events of a frame and
//! calls a [`record::Visitor`]. Damage is local: a record that cannot be read is an event with the readable parts of it, and
//! the search for the next record continues after it.

mod batch;
mod bytes;
pub(crate) mod columns;
pub(crate) mod fields;
pub(crate) mod flatten;
mod frame;
pub(crate) mod names;
mod record;
mod render;
mod tokens;
pub(crate) mod value;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
#[cfg(test)]
pub(crate) mod writer;

pub(crate) use batch::{RecordTexts, batch, cut};
pub(crate) use fields::FieldId;
pub(crate) use frame::looks_like_evtx;
#[cfg(test)]
pub(crate) use frame::{EvtxFrame, FrameKind, next_frame};
#[cfg(test)]
pub(crate) use record::{ChunkSummary, EventEnd, EvtxReader, Visitor};
