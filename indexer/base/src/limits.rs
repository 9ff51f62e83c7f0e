//! The engine's limits, each with the reason for its value.

use std::time::Duration;

/// The first commit of an import: so small a segment is written fast enough that the timeline appears
/// well within a second of the drop.
pub const FIRST_PUBLICATION: Duration = Duration::from_millis(100);

/// Later commits. Each costs a Parquet file and an fsync; a second is what a person feels as live.
pub const PUBLICATION: Duration = Duration::from_secs(1);

/// A segment is closed at this many bytes of raw text even before its second is over, which bounds the
/// memory that a pending segment takes.
pub const SEGMENT_RAW_BYTES: usize = 128 << 20;

/// Rows a segment may have; row numbers are 32 bits wide with room to spare.
pub const SEGMENT_ROWS: usize = 4_000_000;

/// Events of a segment that is opened at most: one is closed with the chunk that reaches [`SEGMENT_ROWS`]. A damaged or
/// crafted one claims any number, and rows are allocated by it.
pub const MOST_SEGMENT_ROWS: usize = 2 * SEGMENT_ROWS;

/// Values a segment's table may have, missing ones included. Each takes up to 16 bytes while the table is
/// built, so this bounds it to some 400 MB even for JSON with thousands of keys.
pub const SEGMENT_CELLS: usize = 24_000_000;

/// Columns that a table is filled up to with those that other tables of the case have and it has no values for, so
/// that other programs read all of them as one. Each takes some 100 bytes, which a segment of a moment should not
/// have a thousand times.
pub const MOST_FILLED_COLUMNS: usize = 128;

/// The least a segment is closed at however little memory there is: smaller ones cost more than they save.
pub const LEAST_SEGMENT_RAW_BYTES: usize = 4 << 20;

/// What an import takes of memory at least; below this nothing is planned.
pub const LEAST_BUDGET_BYTES: u64 = 128 << 20;

/// More memory than this makes no import faster.
pub const LARGEST_BUDGET_BYTES: u64 = 8 << 30;

/// An import of fewer bytes ends before it pays to measure the disk.
pub const DISK_TRIAL_BYTES: u64 = 256 << 20;

/// Chunks that may wait between reading and parsing, a worker. Two keep a worker busy while the next is read.
pub const CHUNKS_WAITING: usize = 2;

/// Chunks that may also wait to land, where there is memory. More of them fall out of the processor's caches
/// before their turn, and gain nothing.
pub const MOST_CHUNKS_WAITING: usize = 192;

/// The most bytes a raw frame unpacks to: twice what a chunk of an import has at most. A frame of a damaged or crafted case
/// claims up to four gigabytes.
pub const MOST_FRAME_BYTES: usize = 128 << 20;

/// Decompressed raw frames kept for pages and exports: about as many as a segment has, because events that
/// are neighbours in time can lie anywhere in it.
pub const FRAME_CACHE_FRAMES: usize = 640;

/// And bytes of them: frames of what is received are as long as what came between two refreshes.
pub const FRAME_CACHE_BYTES: usize = 160 << 20;

/// What rows kept from earlier filters may take, over all segments. A filter that many events match takes an
/// eighth of a byte an event, so this holds some fifty filters over ten million events.
pub const MATCH_CACHE_BYTES: usize = 64 << 20;

/// The interval at which a query checks for cancellation while it waits for the result of another one.
pub const CANCEL_POLL: Duration = Duration::from_micros(500);

/// The share of the machine's memory that decoded columns may take: a quarter leaves the page cache, which
/// holds the files themselves, its place.
pub const COLUMN_CACHE_SHARE: usize = 4;

/// What decoded columns may take where the machine does not tell its memory.
pub const COLUMN_CACHE_BYTES: usize = 1 << 30;

/// Longer tokens are not in the text index; a search for one scans.
pub const LONGEST_TOKEN_BYTES: usize = 256;

/// Sections of a text index that are not larger are read once and kept: some hundred kilobytes a segment.
pub const SMALL_SECTION_BYTES: u64 = 16 << 10;

/// How deep parentheses and NOTs may nest in a query, so that a hostile one cannot exhaust the stack.
pub const QUERY_DEPTH: usize = 64;

/// Operators of SQL within one another: a few hundred conditions that a program writes in a row fit. polars walks its
/// expressions by recursion.
pub const SQL_DEPTH: usize = 1_024;

/// Tables that a statement reads, each `WITH` counted where it is used: plans are walked by recursion too, and a `WITH`
/// that reads another one twice doubles them.
pub const SQL_TABLES: usize = 512;

/// The stack of a thread that runs polars. An expression as deep as [`SQL_DEPTH`] takes some tens of megabytes in a
/// development build; what is not used takes no memory.
pub const SQL_STACK_BYTES: usize = 256 << 20;

/// Rows processed between two checks of the cancel flag.
pub const CANCEL_ROWS: usize = 4_096;

/// How often a partial answer is reported during a query: fast enough to look alive, slow enough to
/// cost nothing.
pub const PARTIAL_EVERY: Duration = Duration::from_millis(50);

/// The most different values of a field that are counted by value. Each takes some fifty bytes while the field
/// is looked at, so this bounds them to some 800 MB.
pub const DISTINCT_VALUES: usize = 16_000_000;

/// The most rows one page may ask for; the screen shows some fifty.
pub const PAGE_ROWS: usize = 10_000;

/// The most room made at once for the texts of a segment before they are read: a segment holds about as much, and
/// what a damaged one claims to hold is not believed.
pub const MOST_TEXT_RESERVED_BYTES: usize = 64 << 20;

/// Events in the order of a field are written so many at a time: each time all rows are looked at, which takes
/// some ten milliseconds for ten million, and so many places take some megabytes.
pub const SORTED_WALK_ROWS: usize = 1 << 18;

/// The most events returned whole at once: copying more than a thousand is what an export is for.
pub const SHOWN_EVENTS: usize = 1_000;

/// Values are looked for in so much of an event's text; nobody reads more of it by its colours.
pub const PIECES_BYTES: usize = 64 << 10;

/// Places of one value that are tried in an event's text, so that a text of ones takes no time for all pairs.
pub const PIECE_PLACES: usize = 256;

/// The most runs that a result is cut into; a screen has some two thousand lines of pixels.
pub const STRIP_CELLS: usize = 4_096;

/// Files are looked through in runs of so many bytes, each by one thread, and each in blocks that the nearest caches
/// of a core hold.
pub const SCAN_RUN_BYTES: u64 = 8 << 20;
pub const SCAN_BLOCK_BYTES: usize = 256 << 10;

/// Lines that are shown before their files are read: more would not be read by anyone before they are events.
pub const SCAN_LINES: usize = 100;

/// So much of a line is looked at before its file is read: no line of a log is as long.
pub const SCAN_LINE_BYTES: usize = 4 << 20;

/// So long an import waits for who looks through its files: a disk may take longer to read them than anyone waits for a
/// timeline.
pub const LONGEST_TURN: Duration = Duration::from_secs(1);

/// The most buckets of a timeline: more than a screen has pixels across.
pub const TIMELINE_BUCKETS: usize = 8_192;

/// Compacted segments hold about this much raw text: twice what one lands with at most, so that queries
/// still go over several cores, and building one takes no more memory than a few times this.
pub const COMPACT_RAW_BYTES: u64 = 256 << 20;

/// How hard compacting packs the original bytes. Above this each percent of size costs twice the time.
pub const COMPACT_RAW_LEVEL: i32 = 12;

/// How hard compacting packs columns, which are coded already and gain less.
pub const COMPACT_COLUMN_LEVEL: i32 = 9;

/// Pairs of a group and a value that are kept while different values are counted by group: 256 MB.
pub const DISTINCT_PAIRS: usize = 32_000_000;

/// The most cells of an answer: what its axes' places multiply to. A screen shows some thousands.
pub const ANSWER_CELLS: usize = 1 << 20;

/// Counters that an aggregation of a pipe takes in one segment: groups, or groups times values of a field. Where
/// more were needed, rows are grouped by their values. These are 4 MB a thread.
pub const LOWERED_CELLS: usize = 1 << 20;

/// What a value of a field takes, in addition to its text, while values are counted by codes of all segments.
pub const SHARED_VALUE_BYTES: usize = 40;

/// The most passes over a field whose values are counted part by part, because memory does not hold all. Each takes
/// about as long as counting does, and holds what half of the memory that is left does.
pub const COUNTING_PASSES: usize = 64;

/// The most values one axis of terms may ask for.
pub const TERMS: usize = 10_000;

/// Counters of one pass of percentiles in one segment: 1 MB, which the nearest caches hold.
pub const PERCENTILE_COUNTERS: usize = 1 << 18;

/// Numbers that are gathered to be picked from, once counting has narrowed them down: 32 MB.
pub const PERCENTILE_CANDIDATES: u64 = 4_000_000;

/// Reasons why events of a source were not understood that are counted separately; formats have a handful.
pub const UNPARSED_REASONS: usize = 16;

/// Events that are kept as examples of a reason; a person reads a few.
pub const EXAMPLES: usize = 3;

/// So much of an example is kept; the event itself has the rest.
pub const EXAMPLE_BYTES: usize = 240;

/// First bytes of a source by which it is found again. Logs that begin alike for so long are compared byte by
/// byte, which ends where they first differ.
pub const HEAD_BYTES: usize = 4_096;

/// Bytes of a message that its template is made from. The message of a program comes first; longer texts
/// are data, and would fill the memory with shapes.
pub const LONGEST_MINED_BYTES: usize = 4_096;

/// Words of a message that its template is made from, for the same reason.
pub const MOST_MINED_WORDS: usize = 192;

/// A longer run without a space is no word but data: a key, a document in base64.
pub const LONGEST_MINED_WORD_BYTES: usize = 96;

/// The longest quoted value. The search for the end of a stray apostrophe must be bounded.
pub const LONGEST_MINED_QUOTE_BYTES: usize = 1_024;

/// Times, levels and dashes before a message; events have fewer.
pub const MOST_HEADING_WORDS: usize = 6;

/// Shapes kept of a segment. Programs have some thousand statements; where there are more shapes, the log is
/// free text, and places with many words are taken together.
pub const MOST_SHAPES_OF_A_SEGMENT: usize = 65_536;

/// Shapes that the templates of a case are made from: some 30 MB.
pub const MOST_SHAPES_OF_A_CASE: usize = 131_072;

/// Rows whose templates are kept in memory, over all segments: 32 million are 128 MB. The others are read again.
pub const MINED_CACHE_ROWS: usize = 32_000_000;

/// The most templates that one answer lists; a person reads some hundred.
pub const MOST_PATTERNS: usize = 10_000;

/// The most buckets a template's counts over time have: a sparkline is some hundred pixels wide, a row of the seismograph
/// a thousand, with at least a pixel and a half a bucket.
pub const PATTERN_BUCKETS: usize = 600;

/// Events with an id that a service map is made of; of more, a sample of the ids is taken. Each takes 40 bytes.
pub const MOST_MAP_EVENTS: usize = 4_000_000;

/// The most services of a map: more boxes than these are not read. The others share one.
pub const MOST_MAP_NODES: usize = 40;

/// The most rows of the seismograph: putting them in order takes the correlation of each with each.
pub const SEISMOGRAPH_ROWS: usize = 500;

/// Events named as examples of a template.
pub const MOST_PATTERN_EXAMPLES: usize = 100;

/// Different values counted of one variable part. Ids differ in every event, and nobody reads more of them.
pub const MOST_COUNTED_VALUES: usize = 100_000;

/// Bytes of such a value; a longer one is cut.
pub const LONGEST_COUNTED_VALUE_BYTES: usize = 1_024;

/// Words of a phrase that are looked up, the longest ones: they leave few events, whose texts decide. Adjacent words of a
/// longer phrase are not looked for in columns.
pub const LOOKED_UP_WORDS: usize = 64;

/// Bytes of events that are tested between two checks of the cancel flag.
pub const CANCEL_BYTES: usize = 1 << 20;

/// The longest query in bytes. A person writes hundreds; lists of ids that are pasted in run to thousands.
pub const QUERY_BYTES: usize = 256 << 10;

/// Diagnostics reported for one query; a text with more is not a query.
pub const QUERY_ERRORS: usize = 24;

/// Operators of one strength in a row in an expression. Each makes the tree one deeper, and trees are walked
/// by recursion.
pub const EXPRESSION_CHAIN: usize = 128;

/// Memory that a compiled regular expression may take. Those that people write take kilobytes; repetitions
/// nested to explode are refused.
pub const REGEX_BYTES: usize = 8 << 20;

/// How deep groups may nest in a regular expression.
pub const REGEX_NESTING: u32 = 64;

/// Rows that `limit`, `tail`, `top` and `rare` give by default.
pub const DEFAULT_ROWS: u64 = 10;

/// Rows that go through a pipeline at once: few enough that cancelling waits for none of its stages, and many
/// enough that what is done once for each costs nothing.
pub const PIPE_ROWS: usize = 16_384;

/// Bytes of events that go through it at once, where their text is read: few rows of a log have so much, but documents
/// of a megabyte each are not read sixteen thousand at a time.
pub const PIPE_TEXT_BYTES: usize = 16 << 20;

/// Memory that the stages of one query may take together. A quarter of a small machine's; a case of ten
/// million events is grouped, and a million of its rows sorted, in much less.
pub const QUERY_MEMORY_BYTES: usize = 1 << 30;

/// Bins that `span=auto` and `bin(time, auto)` aim at: as many as a chart shows well.
pub const AUTOMATIC_BINS: usize = 100;

/// The most values that `values` lists for a group; a cell with more is no use to anybody.
pub const LISTED_VALUES: usize = 1_000;

/// The most rows of a partial result; it is shown for a moment only.
pub const PARTIAL_ROWS: usize = 10_000;

/// Values of each field that `facets` returns by default.
pub const FACET_VALUES: usize = 10;

/// Templates that `patterns` lists by default.
pub const PATTERNS: usize = 50;

/// Series of a `timechart … by` by default; more lines are not distinguishable.
pub const SERIES: usize = 10;

/// The longest series that `change_point` looks at; charts have a hundredth of it.
pub const SERIES_POINTS: usize = 1_000_000;

/// The largest file that `lookup` reads; it is held in memory.
pub const LOOKUP_BYTES: u64 = 64 << 20;

/// The most rows that a `join` makes: more than any case has that fits its memory, and a sign of keys that many
/// rows of both sides share.
pub const JOINED_ROWS: u64 = 1 << 30;

/// Columns that `pivot` makes of a field's values by default; a wider table is not read by anyone.
pub const PIVOT_COLUMNS: u64 = 100;

/// The most columns that `pivot` can make: each takes its own memory and its own name.
pub const MOST_PIVOT_COLUMNS: u64 = 10_000;

/// The fewest rows of one group that `window` cuts into parts for several threads: below this a part costs more
/// than it saves, because each begins by reading a window that another one read already.
pub const ROLLING_PART_ROWS: usize = 1 << 18;

/// So much of each stream is looked at for a preview: more than a detection needs, so that a rate can be measured.
pub const PREVIEWED_BYTES: u64 = 1 << 20;

/// So much of all streams together is imported in every profile to measure what the import will take; under a second.
pub const MEASURED_BYTES: u64 = 8 << 20;

/// Where less is free, nothing is measured on that disk: the sample and a case of it in each profile fit in this well.
pub const LEAST_ROOM_TO_MEASURE: u64 = 16 * MEASURED_BYTES;

/// How many times its size a packed log is guessed to have, where nothing tells.
pub const USUAL_EXPANSION: u64 = 12;

/// The share of a disk that an import leaves free by default, and what it leaves at most: systems slow down or fail on
/// full disks, and 15 % of 252 GB refused a case of 6 GB while 40 GB were free.
pub const RESERVED_SHARE: f64 = 0.05;
pub const MOST_RESERVED_BYTES: u64 = 10 << 30;

/// An import that takes at most one part in so many of what is free is not refused for the reserve: it does not make
/// a disk fuller than it is, and a full disk is where small logs are looked at.
pub const UNNOTICED_PART: u64 = 100;

/// Suggestions of one completion: more than a list shows without scrolling for long.
pub const COMPLETIONS: usize = 60;

/// Words of the text among them: the most frequent ones, which are all counted.
pub const COMPLETED_WORDS: usize = 12;

/// Words that a word which no event has may be meant for, at most.
pub const NEAREST_WORDS: usize = 3;

/// Terms that an explanation names of those that a clause matches: a wildcard may match thousands.
pub const EXPLAINED_TERMS: usize = 20;

/// Rows whose values are counted for a completion, the newest segments first. Counting so many takes some
/// milliseconds, and who types does not wait.
pub const COMPLETION_ROWS: u64 = 2_000_000;

/// How long a note waits for another process that writes notes. A change takes some milliseconds; one that takes
/// longer is a stopped process or a slow network disk.
pub const NOTES_PATIENCE: Duration = Duration::from_secs(5);

/// How often it looks whether it is its turn: a change is synced in some milliseconds.
pub const NOTES_RETRY: Duration = Duration::from_millis(2);

/// The most notes of a case. A window holds them all; people write thousands.
pub const MOST_NOTES: usize = 100_000;

/// The most notes of one change: as many events as anybody selects to tag them.
pub const MOST_NOTES_AT_ONCE: usize = 10_000;

/// The longest note with its data; a page of a notebook with this much text is a book.
pub const LONGEST_NOTE_BYTES: usize = 4 << 20;

/// The longest name or kind of a note; names are made of a source, an offset and a tag.
pub const LONGEST_NOTE_NAME_BYTES: usize = 400;

/// So much of an event is read to show it as evidence and to hash it; longer ones are documents in a log.
pub const EVIDENCE_BYTES: usize = 1 << 20;

/// How deep a page of a notebook may nest quotes and lists; its tree is walked by recursion.
pub const MARKDOWN_DEPTH: usize = 24;

/// Rows that a cell of a notebook shows by default.
pub const CELL_ROWS: usize = 20;

/// The most rows of a cell, and events that it names: a page is read, and a longer table is exported as a file.
pub const MOST_CELL_ROWS: usize = 1_000;

/// Buckets of a timeline on a page: a bar has some six pixels.
pub const CHART_BUCKETS: usize = 150;

/// Rows of a result that a chart on a page draws; more points than it has pixels say nothing more.
pub const CHART_POINTS: usize = 4_000;

/// Names that a chart on a page has bars for.
pub const CHART_NAMES: usize = 30;

/// A source that was received goes on at the next start where so much of it at most must be read once more for
/// that: a second's work. A larger one ends, and its stream goes on in another.
pub const RESUMED_BYTES: u64 = 64 << 20;

/// What is received is written at this many bytes of text, rows or values even before its refresh. Unlike an import it
/// goes on for days next to other work, so it takes little memory, and small segments are merged anyway.
pub const LIVE_SEGMENT_RAW_BYTES: usize = 24 << 20;
pub const LIVE_SEGMENT_ROWS: usize = 262_144;
pub const LIVE_SEGMENT_CELLS: usize = 4_000_000;

/// Of what was published last, so many bytes stay unpacked, because whoever watches the case reads them at once.
pub const LIVE_FRESH_BYTES: usize = 8 << 20;

/// Columns of such a segment: each takes some kilobytes while its table is written, however few values it has.
pub const LIVE_SEGMENT_COLUMNS: usize = 8_192;

/// Segments of live sources of about the same size are merged when there are so many at most: then their number grows
/// by the logarithm of what was received, and each event is written again once for each power of it.
pub const MERGED_SEGMENTS: usize = 8;

/// So many are merged at once at most where there are more, because merging was slower than what came.
pub const MOST_MERGED_SEGMENTS: usize = 64;

/// Segments of live sources with fewer events are in one size class; they cost about the same to search.
pub const SMALL_SEGMENT_EVENTS: u64 = 1_024;

/// Events, bytes of text and values of a merged segment of live sources at most. Merging that many takes some 150 MB,
/// and 72 million events are in some forty such segments.
pub const MERGED_EVENTS: u64 = 2_000_000;
pub const MERGED_RAW_BYTES: u64 = 256 << 20;
pub const MERGED_CELLS: u64 = 24_000_000;

/// And columns: for each the list of all columns of a segment is read. Segments that have more together stay separate.
pub const MERGED_COLUMNS: usize = 4_096;

/// A merged segment with fewer events gets no text index: scanning it takes less than a question notices, and it
/// will be merged again.
pub const INDEXED_EVENTS: u64 = 131_072;

/// Values kept of one field or word while fields that hold the same ones are looked for: a sample by hash beyond that.
/// Each takes 48 bytes.
pub const MOST_LINK_VALUES: usize = 200_000;

/// Fields and words of messages that are compared with each other, those with the most values. Together with the limit
/// above a bound on memory; a case of a hundred sources has some hundreds.
pub const MOST_LINK_PLACES: usize = 1_000;

/// What a change replaced or deleted can be had back until the next change, or the first writer after this time.
pub const TRASH_AGE: Duration = Duration::from_hours(7 * 24);

/// The trash keeps a change that replaces or deletes at most so much: the indexes and columns of some hundred million
/// events, or the packed bytes of a day of logs.
pub const TRASH_BYTES: u64 = 2 << 30;
