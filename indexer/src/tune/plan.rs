//! The plan of an import: threads, sizes and levels.

use std::time::Duration;

use ingest::limits::CHUNK_BYTES;

use super::Host;
use base::limits::{
    CHUNKS_WAITING, FIRST_PUBLICATION, LARGEST_BUDGET_BYTES, LEAST_BUDGET_BYTES, LEAST_SEGMENT_RAW_BYTES,
    MOST_CHUNKS_WAITING, PUBLICATION, SEGMENT_CELLS, SEGMENT_RAW_BYTES, SEGMENT_ROWS,
};

/// What an import takes in memory besides what grows with its segments: the program, buffers of unpacking, the
/// manifest, and most of it what the allocator keeps between pieces that are still used. That was up to 90 MB where logs
/// of several kinds followed each other.
const BASE_BYTES: u64 = 128 << 20;

/// A chunk under way: its bytes, packed and parsed.
const CHUNK_COST_BYTES: u64 = 4 * CHUNK_BYTES as u64;

/// What a byte of a pending segment costs at most until it is written: the bytes, their columns, and the table.
const SEGMENT_COST: u64 = 5;

/// What building the index of a segment costs for a byte of it, at most. Tenths.
const INDEX_COST_TENTHS: u64 = 25;

/// What a row costs while its segment is written or indexed; lines of a few bytes cost more by this than by their bytes.
const ROW_COST_BYTES: u64 = 200;

/// What a value of a segment costs at most while its table is built.
const CELL_COST_BYTES: u64 = 24;

/// Packed bytes that a core makes of logs in a second. A disk that takes less is what an import waits for, and
/// packing harder costs nothing then.
const PACKED_A_CORE: u64 = 30 << 20;

/// Overrides of the plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Another machine: this many cores, and this much available memory.
    pub cores: Option<usize>,
    pub available_bytes: Option<u64>,
    pub parsers: Option<usize>,
    pub indexers: Option<usize>,
    pub segment_bytes: Option<usize>,
    pub budget_bytes: Option<u64>,
    pub level: Option<i32>,
    /// The interval of commits, in milliseconds.
    pub publication_ms: Option<u64>,
}

/// The plan of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Threads that parse and pack in parallel.
    pub parsers: usize,
    /// Threads that build the text index in the background.
    pub indexers: usize,
    /// A segment is closed at this many bytes of raw text.
    pub segment_bytes: usize,
    /// And at this many rows, or values.
    pub segment_rows: usize,
    pub segment_cells: usize,
    /// Events that would have more columns together are written in more segments.
    pub segment_columns: usize,
    /// The memory limit of the process.
    pub budget_bytes: u64,
    /// Compression of the original bytes.
    pub level: i32,
    pub publication_ms: u64,
}

impl Plan {
    /// The plan for a machine. A quarter of the memory that is there is the budget, and the sizes follow
    /// from it.
    #[must_use]
    pub fn for_host(host: &Host, wishes: &Overrides) -> Plan {
        let quarter = (host.memory_bytes() / 4).min(LARGEST_BUDGET_BYTES);
        let budget_bytes = wishes.budget_bytes.unwrap_or(quarter).max(LEAST_BUDGET_BYTES);
        let parsers = wishes.parsers.unwrap_or(host.usable_cores).max(1);
        let for_segment = budget_bytes.saturating_sub(BASE_BYTES + under_way_bytes(parsers));
        let segment_bytes = wishes.segment_bytes.unwrap_or((for_segment / SEGMENT_COST) as usize);
        let segment_bytes = segment_bytes.clamp(LEAST_SEGMENT_RAW_BYTES, SEGMENT_RAW_BYTES);
        let segment_cells = (for_segment / CELL_COST_BYTES) as usize;
        let index_cost = segment_bytes as u64 * INDEX_COST_TENTHS / 10;
        let indexers = (budget_bytes.saturating_sub(BASE_BYTES) / index_cost.max(1)) as usize;
        let indexers = wishes.indexers.unwrap_or(indexers.min(host.usable_cores)).max(1);
        let segment_rows = (for_segment / (ROW_COST_BYTES * indexers as u64)) as usize;
        let slow = host.disk_bytes_a_second.is_some_and(|rate| rate < PACKED_A_CORE * parsers as u64);
        Plan {
            parsers,
            indexers,
            segment_bytes,
            segment_rows: segment_rows.clamp(SEGMENT_ROWS / 64, SEGMENT_ROWS),
            segment_cells: segment_cells.clamp(SEGMENT_CELLS / 64, SEGMENT_CELLS),
            segment_columns: usize::MAX,
            budget_bytes,
            level: wishes.level.unwrap_or(if slow { 3 } else { 1 }),
            publication_ms: wishes.publication_ms.unwrap_or(PUBLICATION.as_millis() as u64),
        }
    }
}

impl Plan {
    /// The plan where nobody wishes for anything.
    pub(crate) fn of_this_machine() -> Plan {
        let wishes = Overrides::default();
        Plan::for_host(&Host::look(&wishes), &wishes)
    }

    /// Chunks that may wait to land. If the budget leaves room next to a segment, parsing continues while one is
    /// written.
    pub(crate) fn chunks_waiting(&self) -> usize {
        let taken = BASE_BYTES + under_way_bytes(self.parsers) + self.segment_bytes as u64 * SEGMENT_COST;
        let spare = self.budget_bytes.saturating_sub(taken) / 4 / CHUNK_COST_BYTES;
        self.parsers * CHUNKS_WAITING + (spare as usize).min(MOST_CHUNKS_WAITING)
    }

    /// How long the first that has landed waits for its publication. Whoever sets the interval means this one too.
    #[must_use]
    pub fn first_publication(&self) -> Duration {
        if self.publication() == PUBLICATION { FIRST_PUBLICATION } else { self.publication() }
    }

    /// How long what has landed waits for its publication.
    #[must_use]
    pub fn publication(&self) -> Duration {
        Duration::from_millis(self.publication_ms)
    }
}

/// What the chunks take that are under way with so many parsers, at the least.
fn under_way_bytes(parsers: usize) -> u64 {
    parsers as u64 * (2 * CHUNKS_WAITING as u64 + 2) * CHUNK_COST_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(cores: usize, memory: u64, disk: Option<u64>) -> Host {
        Host {
            cores,
            usable_cores: cores,
            available_bytes: memory,
            limit_bytes: None,
            disk_bytes_a_second: disk,
            load: None,
        }
    }

    #[test]
    fn sizes_follow_from_available_memory() {
        let plan = |memory: u64| Plan::for_host(&host(2, memory, None), &Overrides::default());
        let (small, middle, large) = (plan(1 << 30), plan(4 << 30), plan(64 << 30));
        assert_eq!(small.budget_bytes, 256 << 20);
        assert!(small.segment_bytes < middle.segment_bytes && middle.segment_bytes <= large.segment_bytes);
        assert_eq!(large.segment_bytes, SEGMENT_RAW_BYTES);
        assert_eq!(small.chunks_waiting(), 2 * CHUNKS_WAITING);
        assert_eq!(large.chunks_waiting(), 2 * CHUNKS_WAITING + MOST_CHUNKS_WAITING);
        assert!(large.budget_bytes <= LARGEST_BUDGET_BYTES);
        // A group's limit counts like memory that is not there.
        let limited = Host { limit_bytes: Some(1 << 30), ..host(2, 64 << 30, None) };
        assert_eq!(Plan::for_host(&limited, &Overrides::default()), small);
    }

    #[test]
    fn overrides_beat_the_plan_and_a_slow_disk_gets_harder_packing() {
        let wishes = Overrides { parsers: Some(7), segment_bytes: Some(9 << 20), ..Overrides::default() };
        let plan = Plan::for_host(&host(2, 8 << 30, Some(5 << 20)), &wishes);
        assert_eq!((plan.parsers, plan.segment_bytes, plan.level), (7, 9 << 20, 3));
        assert_eq!(Plan::for_host(&host(2, 8 << 30, Some(2 << 30)), &wishes).level, 1);
    }
}
