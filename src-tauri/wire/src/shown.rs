//! Snapshots that questions were answered from last, so that a held view stays as it is while the case gets more.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use indexer::{Case, Snapshot};

/// So many publications may be asked for again: a window that stops to follow asks soon.
const ANSWERED: usize = 8;
/// So many are held at once, each by a window.
const HELD: usize = 8;

type KeptAnswer = VecDeque<(PathBuf, Arc<Snapshot>)>;

/// Old snapshots keep the files of their segments on disk, so there are few.
#[derive(Debug, Default)]
pub(crate) struct ShownSnapshots {
    answered: KeptAnswer,
    held: KeptAnswer,
}

impl ShownSnapshots {
    /// The snapshot of a revision that was answered from before, otherwise the present one.
    pub fn snapshot(&mut self, case: &Case, revision: Option<u64>) -> Arc<Snapshot> {
        let folder = case.folder();
        let held = revision.and_then(|revision| {
            let kept = self.held.iter().rev().chain(&self.answered);
            let mut of_case = kept.filter(|(of, _)| of == folder).map(|(_, snapshot)| snapshot);
            of_case.find(|snapshot| snapshot.revision() == revision).cloned()
        });
        let is_held = held.is_some();
        let snapshot = held.unwrap_or_else(|| case.snapshot());
        let (kept, most) = if is_held { (&mut self.held, HELD) } else { (&mut self.answered, ANSWERED) };
        // The one that was wanted last is dropped last.
        kept.retain(|(of, other)| of != folder || other.revision() != snapshot.revision());
        kept.push_back((folder.to_owned(), Arc::clone(&snapshot)));
        if kept.len() > most {
            kept.pop_front();
        }
        snapshot
    }
}
