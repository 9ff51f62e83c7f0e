//! Every bound the reader keeps, each with the reason for its value. Beyond a bound input is split or
//! left in the raw text; it is never refused and never lost.

/// A longer line is split into events of this size. Stored blocks, the text index and the screen all hold
/// an event whole, so one line of a gigabyte must not become one value of a gigabyte.
pub const LONGEST_EVENT_BYTES: usize = 1 << 20;

/// What is looked at to tell formats apart: some hundred lines of any usual log, read in one disk access.
pub const SAMPLE_BYTES: usize = 64 << 10;

/// The chunk size unless told otherwise: large enough that work per chunk is nothing, small enough that
/// the first events are on the screen at once.
pub const CHUNK_BYTES: usize = 1 << 20;

/// A span holds 31 bits of position; chunks stay far below that, and so do memory peaks.
pub const LARGEST_CHUNK_BYTES: usize = 64 << 20;

/// Objects nested deeper stay JSON text in one field. Nobody names a field by more than twelve parts.
pub const DEEPEST_JSON: usize = 12;

/// More distinct fields in one chunk stay in the raw text. Keys that are data (ids used as keys) would
/// otherwise make a column an event.
pub const MOST_COLUMNS: usize = 2_000;

/// A batch keeps this many unparsed rows as examples; a person reads a few, the count tells the rest.
pub const UNPARSED_EXAMPLES: usize = 5;

/// A general line's own time stands within its first bytes; a later one is part of the message.
pub const STAMP_WITHIN_BYTES: usize = 64;

/// Where most lines of a sample begin with their time, others must too: this allows for a bracket or quote.
pub const STAMP_ANCHORED_BYTES: usize = 2;

/// A level word stands within this many bytes after the time, with a thread and a logger name before it.
pub const LEVEL_WITHIN_BYTES: usize = 80;

/// Folders nested deeper are not entered; real log folders are a few levels deep.
pub const DEEPEST_FOLDER: usize = 64;

/// An event of more lines is split: a dump that was written into a log must not become one event, and no
/// stack trace is so long.
pub const MOST_EVENT_LINES: usize = 4_096;

/// So much of a line tells whether it begins an event; times, levels and brackets stand at its start.
pub const START_WITHIN_BYTES: usize = 512;

/// An event whose end is not found within this (a quote or bracket that is never closed) is cut here, and
/// reading goes on behind it.
pub const LARGEST_BLOCK_BYTES: usize = 16 << 20;

/// Where fewer lines than one in so many begin with a time, the others are not its continuation.
pub const LINES_PER_STAMP: usize = 20;

/// What wraps a list of JSON events, up to the list: a kind, a version, some metadata. A list further in is
/// a part of an event.
pub const LONGEST_LIST_OPENING_BYTES: usize = 4 << 10;

/// The name of a container or a program that stands before JSON on its line is no longer than this.
pub const JSON_PREFIX_BYTES: usize = 96;

/// What a syslog server puts before the line of a device: a priority, a time, a host, a program.
pub const DEVICE_PREFIX_BYTES: usize = 256;

/// A date, a time of day and a zone, in any spelling, with spaces between.
pub const LONGEST_JOINED_TIME_BYTES: usize = 96;

/// Rows of the sample that are looked at for the shape of a table; more would say the same.
pub const TABLE_SAMPLE_ROWS: usize = 100;

/// A longer value in the first row is no name of a column.
pub const LONGEST_HEADER_NAME_BYTES: usize = 80;
