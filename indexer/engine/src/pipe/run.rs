//! What every stage of a run shares: the clock, the memory it may take, the request to stop.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::tz::TimeZone;

use super::calendar::Width;
use super::charge::Charge;
use super::file_access::FileAccess;
use super::messages::KeptMessages;
use crate::Engine;
use crate::aggregate::timeline::width_for;
use crate::view::View;
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use base::limits::{AUTOMATIC_BINS, QUERY_MEMORY_BYTES};
use query::Span;
use query::time::TimeExpr;
use store::Snapshot;

/// How a query is run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The zone of days, and of times that name none.
    pub zone: TimeZone,
    /// What stages may keep in memory together.
    pub memory_bytes: usize,
    /// The files that `lookup`, `join` and SQL may read.
    pub files: FileAccess,
    /// Every stage reads tables of rows, also where the codes of columns would give the same. Tests compare both.
    #[doc(hidden)]
    pub by_rows: bool,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            zone: TimeZone::UTC,
            memory_bytes: QUERY_MEMORY_BYTES,
            files: FileAccess::default(),
            by_rows: false,
        }
    }
}

impl RunOptions {
    /// In a zone by its name, such as `Europe/Berlin`.
    pub fn in_zone(name: &str) -> Result<RunOptions> {
        let zone = TimeZone::get(name).map_err(|_| {
            Error::new(ErrorKind::BadRequest, format!("there is no time zone `{name}`"))
                .hint("zones have names such as Europe/Berlin or UTC")
        })?;
        Ok(RunOptions { zone, ..RunOptions::default() })
    }
}

/// What names and times of a query mean: `now`, the zone, the times that are looked at, the files.
#[derive(Clone, Debug)]
pub struct RunClock {
    /// The end of the data.
    pub now: i64,
    pub zone: TimeZone,
    /// First and last time that is looked at.
    pub range: Option<(i64, i64)>,
    /// The files that `lookup` and `join` may read.
    pub files: FileAccess,
}

impl RunClock {
    /// An instant of the language.
    pub fn time(&self, text: &str, span: Span) -> Result<i64> {
        let plain = text.trim_start_matches('@');
        let period = TimeExpr::parse(plain).and_then(|time| time.period(self.now, &self.zone));
        period.map(|period| period.from).ok_or_else(|| {
            Error::new(ErrorKind::QueryInvalid, format!("not a valid time: `{text}`"))
                .spanning(span.start, span.end)
                .hint("write it like @2026-03-01T14:05 or now-15m")
        })
    }

    /// Bins that suit the range.
    #[must_use]
    pub fn automatic(&self) -> Width {
        let (first, last) = self.range.unwrap_or((0, 0));
        Width::automatic(width_for(first, last, AUTOMATIC_BINS))
    }
}

/// Shared by all stages, on all threads.
pub struct Run<'a> {
    pub clock: RunClock,
    pub cancel: Cancel,
    pub budget: Arc<Budget>,
    /// What is asked; nothing where stages run over a table alone.
    pub scope: Option<Scope<'a>>,
    /// Nothing is calculated from the codes of columns.
    pub by_rows: bool,
    /// The messages that stages read.
    pub messages: KeptMessages,
    notes: Mutex<Vec<String>>,
}

#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub case: &'a Engine,
    pub snapshot: &'a Snapshot,
    pub view: &'a View,
}

impl<'a> Run<'a> {
    #[must_use]
    pub fn new(clock: RunClock, options: &RunOptions, cancel: &Cancel, scope: Option<Scope<'a>>) -> Run<'a> {
        Run {
            clock,
            cancel: cancel.clone(),
            budget: Arc::new(Budget::new(options.memory_bytes)),
            scope,
            by_rows: options.by_rows,
            messages: KeptMessages::default(),
            notes: Mutex::default(),
        }
    }

    /// Memory of this run, none yet; the stage is named where there is too little.
    #[must_use]
    pub fn charge(&self, stage: &'static str) -> Charge {
        Charge::new(&self.budget, stage)
    }

    /// Something that people should know of the result.
    pub fn note(&self, notes: Vec<String>) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).extend(notes);
    }

    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn check(&self) -> Result<()> {
        if self.cancel.is_set() { Err(Error::cancelled()) } else { Ok(()) }
    }
}

/// The memory of a run.
#[derive(Debug)]
pub struct Budget {
    most: usize,
    taken: AtomicUsize,
}

impl Budget {
    #[must_use]
    pub fn new(most: usize) -> Budget {
        Budget { most, taken: AtomicUsize::new(0) }
    }

    /// A stage keeps so much more; refused where it is too much, with what could be done.
    pub fn take(&self, stage: &str, bytes: usize) -> Result<()> {
        let taken = self.taken.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if taken <= self.most {
            return Ok(());
        }
        let message = format!(
            "`{stage}` would need more than the {} of memory that a query may take",
            megabytes(self.most)
        );
        Err(Error::new(ErrorKind::Limit, message)
            .hint("filter more, keep fewer columns, group by fewer values, or put a limit before it"))
    }

    /// All that may be taken.
    pub fn most(&self) -> usize {
        self.most
    }

    /// What is left of it.
    pub fn left(&self) -> usize {
        self.most.saturating_sub(self.taken.load(Ordering::Relaxed))
    }

    pub fn give_back(&self, bytes: usize) {
        let _ = self
            .taken
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| Some(taken.saturating_sub(bytes)));
    }
}

/// Bytes as people read them.
pub fn megabytes(bytes: usize) -> String {
    if bytes >= 1 << 20 { format!("{} MB", bytes >> 20) } else { format!("{} kB", bytes >> 10) }
}
