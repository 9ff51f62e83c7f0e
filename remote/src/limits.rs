//! Bounds on what is sent to a cluster and taken from it.

use std::time::Duration;

/// One answer, unpacked. A page of 1,000 events of 60 KB fits.
pub const ANSWER_BYTES: u64 = 64 << 20;

/// The head of an answer.
pub const HEAD_BYTES: usize = 64 << 10;

/// How long one question may take with all its attempts, unless somebody asks for another time.
pub const DEADLINE: Duration = Duration::from_mins(1);

/// Opening a connection; an address that does not answer is reported after it.
pub const CONNECT: Duration = Duration::from_secs(10);

/// The pause before the second attempt; it doubles with each further one.
pub const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// No pause is longer, unless the cluster asks for it.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Attempts of one request, within its deadline.
pub const ATTEMPTS: u32 = 8;

/// How often a waiting thread looks whether it is cancelled.
pub const POLL: Duration = Duration::from_millis(20);

/// How often a push that waits says how far it is.
pub const REPORT: Duration = Duration::from_millis(250);

/// How long a measured index may be merged.
pub const MERGING: Duration = Duration::from_mins(5);

/// How long ending a question at the cluster may take.
pub const CANCEL: Duration = Duration::from_secs(3);

/// Tasks of one question that are ended.
pub const CANCELLED_TASKS: usize = 20;

/// Text of a cluster that is repeated in a message.
pub const QUOTED_CHARACTERS: usize = 300;

/// Fields that are read from a mapping. One of 5,000 is known in practice.
pub const FIELDS: usize = 50_000;

/// The name of a field.
pub const NAME_BYTES: usize = 1_024;

/// Objects within objects that are read from a mapping or an event.
pub const DEPTH: usize = 60;

/// Events of one page.
pub const PAGE_EVENTS: usize = 1_000;

/// Events that stages without counterpart at a cluster run over; they take some minutes to fetch.
pub const FETCHED_EVENTS: usize = 1_000_000;

/// Events of one page that has a few of their fields only, and of one with all of them.
pub const NARROW_PAGE_EVENTS: usize = 5_000;

/// Fields of a page that has a few only.
pub const NARROW_FIELDS: usize = 8;

/// How long a cluster keeps a point in time between two pages.
pub const KEEP_ALIVE: &str = "2m";

/// Groups that a first aggregation may have.
pub const GROUPS: usize = 100_000;

/// Groups of one page of a composite aggregation.
pub const PAGE_GROUPS: usize = 1_000;

/// Bins of one chart; Elasticsearch refuses answers with more than 65,536 buckets.
pub const BINS: usize = 20_000;

/// Buckets of one answer, `search.max_buckets` of both servers.
pub const BUCKETS: usize = 65_000;

/// Series of a chart.
pub const SERIES: usize = 100;

/// Fields that words without a field are looked for in.
pub const WORD_FIELDS: usize = 50;

/// The longest regular expression that a cluster takes, `index.max_regex_length`.
pub const REGEX_CHARACTERS: usize = 1_000;

/// Ranges of a character class that are still written out.
pub const CLASS_RANGES: usize = 60;

/// A keyword of more bytes than this cannot be indexed.
pub const KEYWORD_BYTES: usize = 32_766;

/// The largest bulk request, before it is packed; `http.max_content_length` is 100 MB.
pub const BULK_BYTES: usize = 16 << 20;

/// The first and the smallest bulk request.
pub const FIRST_BULK_BYTES: usize = 1 << 20;
pub const LEAST_BULK_BYTES: usize = 64 << 10;

/// Rows that a search reaches by their number, `index.max_result_window` of both servers.
pub const WINDOW: u64 = 10_000;

/// A time is narrow enough to count the rows in it one by one.
pub const NARROWED_EVENTS: u64 = 5_000;

/// The same, where the times of these rows are fetched to merge them with those of others.
pub const MERGED_EVENTS: u64 = 1_000;

/// Pages of merged rows whose ends are known.
pub const KNOWN_SPLITS: usize = 10_000;

/// Requests that go on over rows nobody looks at.
pub const WALKS: usize = 20;

/// Pages of a listing whose ends are known.
pub const ANCHORS: usize = 10_000;

/// Indexes that are shown as sources.
pub const LISTED_INDEXES: usize = 1_000;

/// Fields that one call has facets of.
pub const FACETS: usize = 1_000;

/// Values of a field that each of several lists to merge them.
pub const LISTED_VALUES: usize = 1_000;

/// Fields that a value is looked for in.
pub const FOLLOWED_FIELDS: usize = 1_000;

/// Patterns that the stage lists unless more are asked for, as in a case.
pub const LISTED_PATTERNS: usize = 50;

/// Events of a sample, as many as a page of a cluster may have; and of one whose events are long.
pub const SAMPLED_EVENTS: usize = 10_000;
pub const SMALL_SAMPLE: usize = 1_000;

/// Fields whose coverage is counted, in requests of so many.
pub const COVERED_FIELDS: usize = 300;
pub const PAGE_FIELDS: usize = 100;
