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

/// Elements of a Windows event nested deeper make it unreadable from there on. Real events are six levels
/// deep; the bound keeps a forged one from piling up places.
pub const DEEPEST_WINDOWS_EVENT: usize = 64;

/// Templates within templates and binary XML within values are followed this far. Real events use two
/// levels; a template that names itself would otherwise never end.
pub const DEEPEST_EVTX_TEMPLATE: usize = 8;

/// One record of a binary Windows event log is walked for this many tokens and array items. The largest
/// real ones have some thousand; a forged template of 64 KiB could otherwise repeat itself for hours.
pub const MOST_EVTX_TOKENS: u32 = 16_384;

/// All records of one 64 KiB chunk together give at most this much text. Honest chunks stay under a
/// megabyte; a forged one could repeat one large value in every record.
pub const LARGEST_EVTX_TEXT_BYTES: usize = 8 << 20;

/// Names of elements, attributes and data items that are longer do not become fields. Windows' own have
/// fewer than fifty characters.
pub const LONGEST_FIELD_NAME_BYTES: usize = 256;

/// Different names of elements and attributes, and different places of elements, that are remembered while
/// Windows events are read. Real logs have some hundred of each.
pub const MOST_XML_NAMES: usize = 16_384;

/// XML elements nested deeper end the reading of their event; the rest stays in its text.
pub const DEEPEST_XML: usize = 64;
