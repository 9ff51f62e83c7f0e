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

/// Groups and classes of a pattern nest this deep; the deepest of the Logstash library nests about thirty.
pub const DEEPEST_PATTERN: usize = 200;

/// A pattern within a pattern within a pattern: more is a pattern that contains itself.
pub const DEEPEST_GROK: usize = 40;

/// A Grok pattern written out is at most this long; the longest of the library is a quarter of it.
pub const LONGEST_PATTERN_BYTES: usize = 1 << 20;

/// A repeat in a pattern counts no further: it would be written out as often in the automaton.
pub const MOST_REPEATS: u32 = 1_000;

/// Groups of one pattern. Every group is a place to remember for every event.
pub const MOST_GROUPS: usize = 1_000;

/// Cases of what can stand before a pattern; the automaton holds the pattern once for each.
pub const MOST_STARTS: usize = 6;

/// An automaton of a pattern is at most this large. All patterns of the library stay under a third.
pub const LARGEST_AUTOMATON_BYTES: usize = 32 << 20;

/// The automaton for one field of a pattern is this large at most; one that is larger would not stay in the
/// processor's cache, and is run another way.
pub const LARGEST_FIELD_AUTOMATON_BYTES: usize = 1 << 20;

/// A pattern that needs backtracking may take this many steps for one event, some milliseconds, before the
/// event is given up as unparsed.
pub const MOST_BACKTRACKS: usize = 100_000;

/// Tags of one format: which of them an event has is kept in the bits of one number.
pub const MOST_TAGS: usize = 64;

/// A definition file is read whole; the largest of lnav's own formats has a tenth of this.
pub const LARGEST_DEFINITION_BYTES: u64 = 4 << 20;
