//! Answers questions about the events of a snapshot: filters, pages, aggregates, pipes, SQL, patterns, notes.
//!
//! An [`Engine`] reads one case folder. It owns what answers share (decoded columns, matching rows, mined templates);
//! what is asked is a [`View`], and what it is asked about is a [`Snapshot`].

pub mod aggregate;
mod calculated;
pub mod compare;
mod decimal;
pub mod exec;
mod frame;
mod language;
pub mod links;
pub mod notes;
pub mod pages;
mod percentile;
pub mod pipe;
mod rows;
pub mod seismograph;
pub mod service_map;
pub mod templates;
#[cfg(test)]
mod test_case;
mod view;
mod words;

use std::borrow::Borrow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::Cancel;
use base::error::{Error, Result};
use base::limits::{COLUMN_CACHE_BYTES, COLUMN_CACHE_SHARE};
use store::{ColumnCache, RawCursor, RawFolder, Readings, Shared, Snapshot, frames_of};

pub use calculated::Calculated;
pub use exec::{ClauseStep as AnswerStep, Direction, Path as AnswerPath, Selection};
pub use frame::{SqlOptions, is_sql};
pub use language::Explanation;
pub use pages::{
    Around, Context, Event, Evidence, FieldValue, Page, Seek, Shown, SortBy, Strip, Timeline, Walk,
};
pub use pipe::{
    Cell, Column, ColumnKind, FileAccess, KeptQuery, Partial, RunOptions, Table, TableStages,
    percentile_of_counted,
};
pub use query::Checked;
pub use rows::{CodedColumn, RowTimes, SnapshotSegment};
pub use templates::{Pattern, PatternOptions, PatternVariable, Patterns, ValueCount};
pub use view::View;
pub use words::{KnownWord, UnknownWord};

use exec::MatchCache;
use links::LinkCache;
use notes::NotedCache;
use templates::TemplateCache;

/// Reads one case folder, with the caches that its answers share. Shared freely between threads.
#[derive(Debug)]
pub struct Engine {
    folder: PathBuf,
    raw: RawFolder,
    shared: Shared,
    matches: MatchCache,
    templates: TemplateCache,
    noted: NotedCache,
    links: LinkCache,
    /// Damaged notes stay where they are.
    only_looks: bool,
}

impl Engine {
    #[must_use]
    pub fn new(folder: &Path) -> Engine {
        let readings = Arc::new(Readings::new(folder));
        let columns = Arc::new(ColumnCache::new(column_budget_bytes()));
        Engine {
            folder: folder.to_path_buf(),
            raw: RawFolder::new(folder),
            shared: Shared { readings, columns },
            matches: MatchCache::default(),
            templates: TemplateCache::default(),
            noted: NotedCache::default(),
            links: LinkCache::default(),
            only_looks: false,
        }
    }

    /// The same for whoever must change nothing: damaged notes are an error, and are not kept aside.
    #[must_use]
    pub fn only_looking(folder: &Path) -> Engine {
        Engine { only_looks: true, ..Engine::new(folder) }
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Forgets what depends on the names of sources.
    pub fn forget_names(&self) {
        self.matches.clear();
        self.shared.columns.clear();
    }

    /// Passes all stored bytes of a source on, in order.
    pub fn read_source(
        &self,
        snapshot: &Snapshot,
        source: u32,
        cancel: &Cancel,
        each: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut cursor = self.raw.cursor();
        for frame in frames_of(&snapshot.segments, source) {
            if cancel.is_set() {
                return Err(Error::cancelled());
            }
            each(&cursor.frame(source, &frame)?)?;
        }
        Ok(())
    }

    /// What the segments share.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The cache of decoded columns and of values computed from them.
    pub fn columns(&self) -> &ColumnCache {
        &self.shared.columns
    }

    /// Runs a query. If segments turn out to be damaged, it runs again without them, and
    /// [`Snapshot::missing`] then lists what the answer lacks.
    pub fn without_damaged<S: Borrow<Snapshot> + From<Snapshot>, T>(
        snapshot: &S,
        mut ask: impl FnMut(&S) -> Result<T>,
    ) -> Result<T> {
        let mut answer = ask(snapshot);
        let snapshot = snapshot.borrow();
        let mut asked = snapshot.segments.len();
        while answer.as_ref().is_err_and(|error| error.kind().is_of_files()) {
            let whole = snapshot.without_failed();
            if whole.segments.len() == asked {
                break;
            }
            asked = whole.segments.len();
            answer = ask(&S::from(whole));
        }
        answer
    }

    /// Keeps no more than so many bytes from now on of what was read for queries, where that is little of what a program
    /// does.
    pub fn limit_caches(&self, bytes: usize) {
        self.shared.columns.limit(bytes / 2);
        self.raw.limit(bytes / 4);
        self.matches.limit(bytes / 4);
    }

    pub fn raw_cursor(&self) -> RawCursor<'_> {
        self.raw.cursor()
    }

    pub fn raw(&self) -> &RawFolder {
        &self.raw
    }
}

/// The share of the machine's memory that decoded columns may take.
fn column_budget_bytes() -> usize {
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = memory.lines().find_map(|line| {
        line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()
    });
    total.map_or(COLUMN_CACHE_BYTES, |kilobytes| kilobytes / COLUMN_CACHE_SHARE * 1_024)
}
