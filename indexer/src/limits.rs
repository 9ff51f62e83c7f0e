//! The engine's limits, each with the reason for its value.

use std::time::Duration;

/// The first publication of an import: so small a segment is written fast enough that the timeline stands
/// well within a second of the drop.
pub const FIRST_PUBLICATION: Duration = Duration::from_millis(100);

/// Later publications. Each costs a Parquet file and an fsync; a second is what a person feels as live.
pub const PUBLICATION: Duration = Duration::from_secs(1);

/// A segment is closed at this many bytes of raw text even before its second is over, which bounds the
/// memory that a pending segment takes.
pub const SEGMENT_RAW_BYTES: usize = 128 << 20;

/// Rows a segment may have; row numbers are 32 bits wide with room to spare.
pub const SEGMENT_ROWS: usize = 4_000_000;

/// Values a segment's table may have, missing ones included. Each takes up to 16 bytes while the table is
/// built, so this bounds it to some 400 MB even for JSON with thousands of keys.
pub const SEGMENT_CELLS: usize = 24_000_000;

/// Chunks that may wait between reading and parsing, a worker. Two keep a worker busy while the next is read.
pub const CHUNKS_WAITING: usize = 2;

/// Decompressed raw frames kept for pages and exports: about as many as a segment has, because events that
/// are neighbours in time can lie anywhere in it.
pub const FRAME_CACHE_FRAMES: usize = 160;

/// What rows kept from earlier filters may take, over all segments. A filter that many events match takes an
/// eighth of a byte an event, so this holds some fifty filters over ten million events.
pub const MATCH_CACHE_BYTES: usize = 64 << 20;

/// How often a question looks whether it is cancelled while it waits for what another one makes.
pub const CANCEL_POLL: Duration = Duration::from_micros(500);

/// The share of the machine's memory that decoded columns may take: a quarter leaves the page cache, which
/// holds the files themselves, its place.
pub const COLUMN_CACHE_SHARE: usize = 4;

/// What decoded columns may take where the machine does not tell its memory.
pub const COLUMN_CACHE_BYTES: usize = 1 << 30;

/// Longer tokens are not in the text index; a search for one scans.
pub const LONGEST_TOKEN_BYTES: usize = 256;

/// How deep parentheses and NOTs may nest in a query, so that a hostile one cannot exhaust the stack.
pub const QUERY_DEPTH: usize = 64;

/// Rows looked at between two looks at the cancel flag.
pub const CANCEL_ROWS: usize = 4_096;

/// How often a partial answer is told while the rest is worked on: fast enough to look alive, slow enough to
/// cost nothing.
pub const PARTIAL_EVERY: Duration = Duration::from_millis(50);

/// The most different values of a field that are counted by value. Each takes some fifty bytes while the field
/// is looked at, so this bounds them to some 800 MB.
pub const DISTINCT_VALUES: usize = 16_000_000;

/// The most rows one page may ask for; the screen shows some fifty.
pub const PAGE_ROWS: usize = 10_000;

/// The most buckets of a timeline: more than a screen has pixels across.
pub const TIMELINE_BUCKETS: usize = 8_192;

/// Pairs of a group and a value that are kept while different values are counted by group: 256 MB.
pub const DISTINCT_PAIRS: usize = 32_000_000;

/// The most cells of an answer: what its axes' places multiply to. A screen shows some thousands.
pub const ANSWER_CELLS: usize = 1 << 20;

/// The most values one axis of terms may ask for.
pub const TERMS: usize = 10_000;

/// Counters of one pass of percentiles in one segment: 1 MB, which the nearest caches hold.
pub const PERCENTILE_COUNTERS: usize = 1 << 18;

/// Numbers that are gathered to be picked from, once counting has narrowed them down: 32 MB.
pub const PERCENTILE_CANDIDATES: u64 = 4_000_000;

/// The longest query in bytes. A person writes hundreds; lists of ids that are pasted in run to thousands.
pub const QUERY_BYTES: usize = 256 << 10;

/// Mistakes told of one query; a text that has more is no query.
pub const QUERY_ERRORS: usize = 24;

/// Operators of one strength in a row in an expression. Each makes the tree one deeper, and trees are walked
/// by recursion.
pub const EXPRESSION_CHAIN: usize = 128;

/// Memory that a compiled regular expression may take. Those that people write take kilobytes; repetitions
/// nested to explode are refused.
pub const REGEX_BYTES: usize = 8 << 20;

/// How deep groups may nest in a regular expression.
pub const REGEX_NESTING: u32 = 64;

/// Rows that `limit`, `tail`, `top` and `rare` give unless told.
pub const DEFAULT_ROWS: u64 = 10;
