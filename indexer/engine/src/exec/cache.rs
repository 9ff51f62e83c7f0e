//! A cache that outlives a query: row sets of filters.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::prepared::Prepared;
use super::segment_rows::RowSet;
use base::Cancel;
use base::error::Result;
use base::limits::MATCH_CACHE_BYTES;
use query::Filter;
use store::ColumnCache;

/// Row sets by segment and printed filter. Segments are immutable, so an entry never expires. Concurrent
/// queries with the same filter wait for the first and share its result.
#[derive(Debug)]
pub struct MatchCache {
    kept: ColumnCache,
    /// The most recent filters by their text. All segments use the same compiled filter.
    prepared: Mutex<VecDeque<(String, Arc<Prepared>)>>,
}

/// What an entry takes besides its rows. Of filters that are asked once most are empty.
const ENTRY_BYTES: usize = 256;

/// The number of compiled filters kept: as many as a screen runs at once.
const PREPARED: usize = 8;

impl Default for MatchCache {
    fn default() -> MatchCache {
        MatchCache { kept: ColumnCache::new(MATCH_CACHE_BYTES), prepared: Mutex::default() }
    }
}

impl MatchCache {
    /// Keeps no more than that from now on.
    pub fn limit(&self, bytes: usize) {
        self.kept.limit(bytes);
    }

    /// Drops all entries, because the names of sources changed.
    pub fn clear(&self) {
        self.kept.clear();
    }

    /// The compiled filter. `printed` is its text.
    pub fn prepared(&self, filter: &Filter, printed: &str) -> Arc<Prepared> {
        let mut kept = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, prepared)) = kept.iter().find(|(text, _)| text == printed) {
            return Arc::clone(prepared);
        }
        let prepared = Arc::new(Prepared::new(filter));
        kept.push_front((printed.to_owned(), Arc::clone(&prepared)));
        kept.truncate(PREPARED);
        prepared
    }

    pub fn get(
        &self,
        segment: u64,
        filter: &str,
        cancel: &Cancel,
        find: impl FnOnce() -> Result<RowSet>,
    ) -> Result<RowSet> {
        let found = self.kept.get_or_stop(segment, filter, cancel, || {
            let rows = find()?;
            let bytes = rows.bytes() + filter.len() + ENTRY_BYTES;
            Ok((rows, bytes))
        })?;
        Ok(found.as_ref().clone())
    }
}
