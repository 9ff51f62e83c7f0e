//! Random notes on events.

use proptest::prelude::*;
use proptest::sample::select;

/// What somebody writes or takes back.
#[derive(Clone, Debug)]
pub struct WrittenNote {
    /// Which note it is: the same id again replaces or removes what was there.
    pub id: u8,
    pub kind: &'static str,
    /// Which of the events, and whether a byte within it instead of its first.
    pub event: prop::sample::Index,
    pub is_within: bool,
    pub text: &'static str,
    pub is_removed: bool,
}

fn one() -> impl Strategy<Value = WrittenNote> {
    let text = select(vec!["evidence", "Root cause", "root", "done", "to do", "Größe", "a*b"]);
    let kind = select(vec!["star", "tag", "tag", "comment", "page"]);
    (0..12u8, kind, any::<prop::sample::Index>(), prop::bool::weighted(0.2), text, prop::bool::weighted(0.2))
        .prop_map(|(id, kind, event, is_within, text, is_removed)| WrittenNote {
            id,
            kind,
            event,
            is_within,
            text,
            is_removed,
        })
}

pub fn notes() -> impl Strategy<Value = Vec<WrittenNote>> {
    prop::collection::vec(one(), 0..16)
}
