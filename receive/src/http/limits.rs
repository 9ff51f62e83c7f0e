//! Every bound of the HTTP server, each with the reason for its value.

use std::time::Duration;

/// Connections at once. Each shipper keeps a few; more than these are a flood.
pub const CONNECTIONS: usize = 512;

/// A request that asks to see its documents is answered after this, visible or not: clients give up after a minute.
pub const REFRESH_TIME: Duration = Duration::from_secs(30);

/// The head of a request arrives within this, and an idle connection is closed after it: the time that
/// proxies keep idle connections for.
pub const HEAD_TIME: Duration = Duration::from_secs(75);

/// The next bytes of a body arrive within this. A sender that trickles is cut off.
pub const BODY_PAUSE: Duration = Duration::from_secs(15);

/// A whole body arrives within this, however steadily it comes.
pub const BODY_TIME: Duration = Duration::from_mins(5);

/// The longest bulk body, unpacked: Elasticsearch's own limit.
pub const BULK_BYTES: u64 = 100 << 20;

/// The longest body of any other request, unpacked. Templates of Filebeat have two megabytes.
pub const BODY_BYTES: usize = 16 << 20;

/// The most items of one bulk request; its answer has a line for each.
pub const BULK_ITEMS: usize = 200_000;

/// The longest document. Readers split longer events, and half of a document is no document.
pub const DOCUMENT_BYTES: usize = 1 << 20;

/// The longest action line; ids have at most 512 bytes.
pub const ACTION_BYTES: usize = 8 << 10;

/// The longest id, as Elasticsearch has it.
pub const ID_BYTES: usize = 512;

/// The longest name of an index, as Elasticsearch has it.
pub const INDEX_NAME_BYTES: usize = 255;

/// Packed bytes that are unpacked at once: a thousand times as many may come of them.
pub const PACKED_STEP_BYTES: usize = 4 << 10;

/// What all bodies together may hold in memory before senders have to wait: the longest bulk body, and others with it.
pub const MEMORY_BYTES: usize = 128 << 20;

/// A body of at most so many bytes never waits for room: those of all connections together take as much as one long one.
pub const SMALL_BYTES: usize = 256 << 10;

/// How long a sender waits for room in memory before it is asked to come again.
pub const MEMORY_PATIENCE: Duration = Duration::from_secs(5);

/// How often the server looks whether it is to end.
pub const STOP_EVERY: Duration = Duration::from_millis(50);

/// How long requests whose body is there may take to end when the server does. Searches end at once, and what is appended
/// waits for one sync.
pub const ENDING_TIME: Duration = Duration::from_secs(10);

/// How long a request is worked on, from when its body is there. Clients give up after a minute.
pub const ANSWER_TIME: Duration = Duration::from_mins(1);

/// Threads that wait for disks and calculations. An append waits a tenth of a second at most.
pub const BLOCKING_THREADS: usize = 64;

/// Searches at one time. Each uses all cores, and may hold two answers of [`ANSWER_BYTES`].
pub const SEARCHES: usize = 4;

/// Requests at one time that wait until what they stored is visible: half of the threads.
pub const REFRESHES: usize = 32;

/// What the trees of OTLP bodies may take in memory, all of them together. JSON takes up to ninety times its bytes.
pub const TREE_BYTES: usize = 256 << 20;

/// The most log records of one OTLP request, as many as items of a bulk request.
pub const OTLP_RECORDS: usize = BULK_ITEMS;

/// The lines of one OTLP request: each has the attributes of its resource, which were sent once for all of them.
pub const OTLP_LINES_BYTES: usize = 64 << 20;

/// The most names and stars in the paths of a filter. Each is compared with each name in an answer.
pub const FILTER_PARTS: usize = 1_024;

/// The longest answer, all searches of an `_msearch` together; more is fetched in smaller pages.
pub const ANSWER_BYTES: usize = 32 << 20;

/// The longest search, as text. Dashboards send some kilobytes.
pub const SEARCH_BYTES: usize = 1 << 20;

/// The most clauses of one search, in all of its filters and aggregations.
pub const SEARCH_CLAUSES: usize = 4_096;

/// The longest list in a search: of fields, percentiles and keys.
pub const SEARCH_LIST: usize = 1_024;

/// The longest list of indices in one search. Each name is compared with each source.
pub const INDICES_BYTES: usize = 16 << 10;

/// The most buckets of one search, as Elasticsearch has it.
pub const SEARCH_BUCKETS: usize = 65_536;

/// Names of templates, policies and indices that clients set up and the server remembers.
pub const REMEMBERED_NAMES: usize = 1_000;

/// How deep clauses and aggregations of a search nest.
pub const SEARCH_DEPTH: usize = 32;

/// The most hits that one answer reaches to, as Elasticsearch has it.
pub const RESULT_WINDOW: usize = 10_000;

/// The most searches of one `_msearch`.
pub const MULTI_SEARCHES: usize = 100;

/// Values of a field that are counted for `terms` before the greatest of each bucket are taken.
pub const TERM_VALUES: usize = 1_000;

/// The most bytes of one event in an answer.
pub const HIT_BYTES: usize = 1 << 20;

/// Scrolls that are open at once.
pub const SCROLLS: usize = 64;

/// The longest time between two pages of a scroll.
pub const SCROLL_TIME: Duration = Duration::from_hours(1);

/// Buckets of one page of a composite aggregation, as many as hits of a search.
pub const COMPOSITE_BUCKETS: usize = 10_000;

/// Combinations of the last composite aggregation that are kept for its next page: some tens of megabytes.
pub const COMPOSITE_KEPT: usize = 200_000;
