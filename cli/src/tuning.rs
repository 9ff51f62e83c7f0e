//! What a person wants otherwise than `timberline tune` plans it.

use clap::Args;

/// What is to differ from the plan that `tune` prints.
#[derive(Args)]
#[command(next_help_heading = "Instead of the plan of `timberline tune`")]
pub struct Tuning {
    /// Plan as on a machine with so many cores
    #[arg(long, value_name = "N")]
    pub cores: Option<usize>,
    /// Plan as on a machine with so many megabytes of memory available
    #[arg(long, value_name = "MB")]
    pub available: Option<u64>,
    /// Megabytes of memory to stay under
    #[arg(long, value_name = "MB")]
    pub memory: Option<u64>,
    /// Threads that parse
    #[arg(long, value_name = "N")]
    pub parsers: Option<usize>,
    /// Threads that build the text index
    #[arg(long, value_name = "N")]
    pub indexers: Option<usize>,
    /// Megabytes of text at which a segment is closed
    #[arg(long, value_name = "MB")]
    pub segment: Option<usize>,
    /// How hard the original bytes are packed: 1 to 19
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=19))]
    pub level: Option<i32>,
    /// Milliseconds between publications
    #[arg(long, value_name = "MS")]
    pub publish: Option<u64>,
}

impl Tuning {
    pub fn overrides(&self) -> indexer::Overrides {
        let bytes = |megabytes: u64| megabytes.saturating_mul(1 << 20);
        indexer::Overrides {
            cores: self.cores,
            available_bytes: self.available.map(bytes),
            budget_bytes: self.memory.map(bytes),
            parsers: self.parsers,
            indexers: self.indexers,
            segment_bytes: self.segment.map(|megabytes| megabytes.saturating_mul(1 << 20)),
            level: self.level,
            publication_ms: self.publish,
        }
    }
}
