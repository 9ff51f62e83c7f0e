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

/// The most header lines of a request. Clients send some ten.
pub const HEADERS: usize = 64;

/// What a connection reads at once. The head of a request has to fit in it.
pub const BUFFER_BYTES: usize = 128 << 10;

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

/// So many bytes of documents are appended before the rest of a body is read.
pub const FLUSH_BYTES: usize = 4 << 20;

/// Packed bytes that are unpacked at once: a thousand times as many may come of them.
pub const PACKED_STEP_BYTES: usize = 4 << 10;

/// What all bodies together may hold in memory before senders have to wait.
pub const MEMORY_BYTES: usize = 96 << 20;

/// How often the server looks whether it is to end.
pub const STOP_EVERY: Duration = Duration::from_millis(50);

/// How long requests that are being answered may take to end when the server does.
pub const ENDING_TIME: Duration = Duration::from_secs(10);

/// Threads that wait for disks and calculations. An append waits a tenth of a second at most.
pub const BLOCKING_THREADS: usize = 64;

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
