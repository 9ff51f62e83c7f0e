//! What an answer may weigh, and how much may be under way, each with the reason for its value.

use std::time::Duration;

/// The text of one answer. Assistants cut answers at some 25,000 tokens, and JSON of logs has two to three bytes a
/// token.
pub const ANSWER_BYTES: usize = 48 << 10;

/// The text of an event in a list, and a message of ours: enough to see what it is about. The tool `events` gives more
/// of one event.
pub const TEXT_BYTES: usize = 1_000;

/// The text of the one event that is asked for: a third of an answer, which leaves room for its fields and neighbours.
pub const EVENT_BYTES: usize = 16 << 10;

/// A value in a table, and of a field. Tables of many columns cut shorter, but not below the second number.
pub const CELL_BYTES: usize = 1_000;
pub const LEAST_CELL_BYTES: usize = 40;

/// Columns of a table. With so many of them a row of the shortest cells still fits into an answer.
pub const MOST_COLUMNS: usize = 200;

/// Columns that are named for a list of events.
pub const MOST_NAMES: usize = 20;

/// The values of a field by which percentiles are grouped, or over which a timeline is split.
pub const MOST_GROUPS: u64 = 50;

/// Rows of a list in one answer; more would not fit into it.
pub const MOST_ROWS: u64 = 200;

/// Buckets of a timeline: about as many rows as fit into an answer.
pub const MOST_BUCKETS: u64 = 500;

/// Seconds that a call takes unless it names another number, and the most that it may name. Assistants wait about a
/// minute for a tool.
pub const USUAL_SECONDS: f64 = 1.0;
pub const MOST_SECONDS: f64 = 60.0;

/// How long the engine may take to stop. It looks at the request to stop every few milliseconds.
pub const STOPPING: Duration = Duration::from_secs(2);

/// How long calls may run on when the assistant has closed its side. It ends the program by force after two seconds.
pub const CLOSING: Duration = Duration::from_secs(1);

/// Calls under way at once. Each takes all cores for a moment; an assistant sends a handful.
pub const MOST_CALLS: usize = 16;

/// A line of the protocol: the longest query, and room for the rest.
pub const LINE_BYTES: usize = 1 << 20;
