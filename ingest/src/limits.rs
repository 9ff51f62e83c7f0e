//! Every limit of the reader, each with the reason for its value. Input beyond a limit is split or left in
//! the raw text; it is never refused and never lost. The limits on unpacking, from `EXPANSION_RATIO` on, stop
//! reading instead, with a message; `UnpackLimits` raises them.

/// A longer line is split into events of this size. Stored blocks, the text index and the screen all hold
/// whole events, so one line of a gigabyte must not become one value of a gigabyte.
pub const LONGEST_EVENT_BYTES: usize = 1 << 20;

/// The bytes that format detection reads: some hundred lines of any usual log, read in one disk access.
pub const SAMPLE_BYTES: usize = 64 << 10;

/// The lines that the first quote of a table may enclose when it comes after the sample. Each line with an open quote looks
/// this far.
pub const LATE_QUOTE_BYTES: usize = 8 << 10;

/// A lastlog up to this length is kept byte by byte, and its empty records cost nothing. A great user id makes one of a
/// terabyte of holes: only the records that are used are read then.
pub const LONGEST_WHOLE_LASTLOG_BYTES: u64 = 1 << 30;

/// The default chunk size: large enough that the overhead per chunk is negligible, small enough that any
/// event in a case is unpacked in a fifth of a millisecond, because each chunk is compressed by itself.
pub const CHUNK_BYTES: usize = 256 << 10;

/// A span holds 31 bits of position; chunks stay far below that, and so do memory peaks.
pub const LARGEST_CHUNK_BYTES: usize = 64 << 20;

/// Objects nested deeper stay JSON text in one field. Nobody uses a field name of more than twelve parts.
pub const DEEPEST_JSON: usize = 12;

/// The fields of a source, the first ones that occur; values of others stay in the raw text. Keys that are data (ids
/// used as keys) would otherwise make one column per event. Elasticsearch maps 1,000 fields of an index by default.
pub const MOST_FIELDS: usize = 2_000;

/// So many names of fields that are left out are shown as examples.
pub const LEFT_OUT_EXAMPLES: usize = 3;

/// The columns of one chunk before the fields of its source are known. An event of a megabyte has fewer keys, so
/// that the chunks make no difference.
pub const MOST_COLUMNS: usize = 1 << 18;

/// The columns of a chunk have so many entries, missing values included; columns beyond that have one entry a value.
/// Eight bytes each are as much as a chunk and its other columns take.
pub const WHOLE_CELLS: usize = 1 << 17;

/// So many columns of a chunk always have an entry for each row: more than lines have that are so short.
pub const LEAST_WHOLE_COLUMNS: usize = 64;

/// A batch keeps this many unparsed rows as examples: as many as a preview has lines, so that it can mark
/// each of them. The rest are only counted.
pub const UNPARSED_EXAMPLES: usize = 200;

/// A general line's own time begins within its first bytes; a later one is part of the message.
pub const STAMP_WITHIN_BYTES: usize = 64;

/// If no line of a sample has a time so early, it is searched this far: uWSGI puts an address and a count of
/// variables before it, proxies a chain of addresses.
pub const FAR_STAMP_WITHIN_BYTES: usize = 256;

/// If there is none either, a time after its name is searched this far.
pub const LABELLED_TIME_WITHIN_BYTES: usize = 4_096;

/// If most lines of a sample begin with their time, other lines must too: this allows for a bracket or quote.
pub const STAMP_ANCHORED_BYTES: usize = 2;

/// A level word begins within this many bytes after the time, with a thread and a logger name before it.
pub const LEVEL_WITHIN_BYTES: usize = 80;

/// Folders nested deeper are not entered; real log folders are a few levels deep.
pub const DEEPEST_FOLDER: usize = 64;

/// An event of more lines is split: a dump that was written into a log must not become one event, and no
/// stack trace is so long.
pub const MOST_EVENT_LINES: usize = 4_096;

/// This much of a line is enough to decide whether it begins an event; times, levels and brackets are at its
/// start.
pub const START_WITHIN_BYTES: usize = 512;

/// An event whose end is not found within this size (a quote or bracket that is never closed) is cut here,
/// and reading continues after it.
pub const LARGEST_BLOCK_BYTES: usize = 16 << 20;

/// If fewer than one line in this many begins with a time, the others are not its continuation.
pub const LINES_PER_STAMP: usize = 20;
/// The same if a level follows each time.
pub const LINES_PER_LEVEL: usize = 100;

/// A file is not unpacked to more than this many times its size. Logs compress twenty to a hundred times, a
/// line that repeats for ever some hundred times; a ratio beyond a thousand is nothing but zeros.
pub const EXPANSION_RATIO: u64 = 1_000;

/// The ratio is not checked below this size, which any disk has room for: small files of one repeated line
/// pass.
pub const EXPANSION_FREE_BYTES: u64 = 256 << 20;

/// More nested containers are not opened. A support bundle of bundles with compressed logs in it (zip, xz,
/// tar, zip, tar, gzip) has six; a file that unpacks to itself has no end.
pub const DEEPEST_NESTING: u32 = 12;

/// More members of one file are not read. Dumps of whole machines have some ten thousand files.
pub const MOST_MEMBERS: u64 = 100_000;

/// The most memory a decoder may use for its window. `xz -9` needs 65 MiB and `zstd --ultra -22` 128 MiB;
/// `zstd --long=31` and files made to exhaust memory need more.
pub const DECODER_MEMORY_BYTES: u64 = 160 << 20;

/// A zip or 7z inside another archive has to be spooled before it is read; up to this size in memory.
pub const SPOOL_MEMORY_BYTES: u64 = 32 << 20;

/// The read-ahead buffer at each level of nesting.
pub const UNPACK_BUFFER_BYTES: usize = 64 << 10;

/// How many buffers the 7z thread may be ahead of the reader: enough that neither waits.
pub const SEVENZ_PIECES: usize = 4;

/// Extended headers of tar contain a path and some times; a longer one is skipped.
pub const LONGEST_TAR_EXTENSION_BYTES: u64 = 1 << 20;
/// Elements of a Windows event nested deeper make it unreadable from there on. Real events are six levels
/// deep; the limit keeps a forged one from filling the cache of elements.
pub const DEEPEST_WINDOWS_EVENT: usize = 64;

/// Nested templates and binary XML within values are followed this far. Real events use two levels; a
/// template that names itself would otherwise never end.
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

/// XML elements nested deeper end the parsing of their event; the rest stays in its text.
pub const DEEPEST_XML: usize = 64;

/// The approximate size of a Windows event in its file; only preallocation depends on it.
pub const USUAL_EVTX_RECORD_BYTES: usize = 512;
/// Groups and classes of a pattern nest this deep; the deepest of the Logstash library nests about thirty.
pub const DEEPEST_PATTERN: usize = 200;

/// Nested pattern names: more is a pattern that contains itself.
pub const DEEPEST_GROK: usize = 40;

/// The longest expanded Grok pattern; the longest of the library is a quarter of it.
pub const LONGEST_PATTERN_BYTES: usize = 1 << 20;

/// The largest count of a repeat in a pattern: the automaton contains the repeated part that many times.
pub const MOST_REPEATS: u32 = 1_000;

/// Groups of one pattern. Every group has a slot per event.
pub const MOST_GROUPS: usize = 1_000;

/// Cases of what can precede a pattern; the automaton contains the pattern once for each.
pub const MOST_STARTS: usize = 6;

/// The largest automaton of a pattern. All patterns of the library stay under a third of it.
pub const LARGEST_AUTOMATON_BYTES: usize = 32 << 20;

/// The largest automaton for one field of a pattern; a larger one would not stay in the processor's cache,
/// and is run another way.
pub const LARGEST_FIELD_AUTOMATON_BYTES: usize = 1 << 20;

/// A pattern that needs backtracking may use this many steps for one event, some milliseconds, before the
/// event becomes unparsed.
pub const MOST_BACKTRACKS: usize = 100_000;

/// Tags of one format: the tags of an event are the bits of one number.
pub const MOST_TAGS: usize = 64;

/// A definition file is read whole; the largest of lnav's own formats has a tenth of this.
pub const LARGEST_DEFINITION_BYTES: u64 = 4 << 20;

/// The layouts that are learned after the sample of a source: its programs, not its data.
pub const MOST_LATE_LAYOUTS: usize = 8;

/// The fields with times that a person is shown to choose from.
pub const MOST_TIME_FIELDS: usize = 8;

/// So much of a value is shown as an example.
pub const EXAMPLE_VALUE_BYTES: usize = 48;

/// The layouts that a general source may mix: a program's own, that of a library, and one for its start.
pub const MOST_SHAPES: usize = 3;

/// The `key=value` names that become fields of a general source, the most frequent of its sample: text with
/// ten thousand odd pairs must not become ten thousand columns.
pub const MOST_PAIR_NAMES: usize = 64;

/// This much of a general line is scanned for pairs, addresses and ids; a text search finds the rest.
pub const PAIRS_WITHIN_BYTES: usize = 4 << 10;

/// The wrapper before a list of JSON events: a kind, a version, some metadata. A later list is part of an
/// event.
pub const LONGEST_LIST_OPENING_BYTES: usize = 4 << 10;

/// More names before bars are not those of containers.
pub const MOST_CONTAINERS: usize = 64;

/// The longest name of a container before the bar.
pub const LONGEST_CONTAINER_BYTES: usize = 120;

/// The longest name of a container or program before JSON on its line.
pub const JSON_PREFIX_BYTES: usize = 96;

/// The prefix that a syslog server writes before the line of a device: a priority, a time, a host, a program.
pub const DEVICE_PREFIX_BYTES: usize = 256;

/// A date, a time of day and a zone, in any spelling, with spaces between.
pub const LONGEST_JOINED_TIME_BYTES: usize = 96;

/// Rows of the sample that are examined for the shape of a table; more would show the same.
pub const TABLE_SAMPLE_ROWS: usize = 100;

/// A longer value in the first row is not a column name.
pub const LONGEST_HEADER_NAME_BYTES: usize = 80;

/// Alternatives to the detected format; a person chooses among a few.
pub const MOST_ALTERNATIVES: usize = 5;

/// Login records of the sample that are examined for their layout; a hundred users log in no other way.
pub const LOGIN_SAMPLE_RECORDS: usize = 100;

/// If names leave the order of a rotated set open, the first times of this many files are read; each costs a
/// detection.
pub const MOST_SET_LOOKS: usize = 1_000;
