//! Every bound that receiving keeps, each with the reason for its value.

use std::time::Duration;

/// Bytes that may wait for one sync. More would be memory that no disk empties faster.
pub const QUEUE_BYTES: usize = 16 << 20;

/// How long an append waits for room in the queue before its sender is asked to come again.
pub const QUEUE_PATIENCE: Duration = Duration::from_secs(5);

/// An append is logged in records of about this size, so that reading the log takes little memory.
pub const LONGEST_APPEND_BYTES: usize = 1 << 20;

/// A file of the log ends at this size. What is in it is removed when all of it is in segments.
pub const LOG_FILE_BYTES: u64 = 64 << 20;

/// Streams of a session. Each has an open file and the state of its parser.
pub const MOST_STREAMS: usize = 768;

/// Sources with counters of their own. There are more names than streams where senders are refused.
pub const MOST_COUNTED: usize = 4 * MOST_STREAMS;

/// Ids in a generation: two of them are known, which take up to 40 MB.
pub const MOST_IDS: usize = 900_000;

/// Bytes that are read from the log before their events are made: work of some ten milliseconds.
pub const LANDED_AT_ONCE: usize = 8 << 20;

/// How often it is looked whether there is more than is to be kept.
pub const RETENTION: Duration = Duration::from_secs(10);

/// After a disk has failed, it is tried again so much later.
pub const RETRY: Duration = Duration::from_secs(1);

/// So much of a disk is left free by default: room for segments of what was accepted, and for
/// whoever else writes to it.
pub const RESERVE_BYTES: u64 = 512 << 20;

/// A longer message is split, as a line of a file that is imported is.
pub const LONGEST_FRAME_BYTES: usize = 1 << 20;

/// What all connections together may hold of messages that have not ended, before each is split into pieces of
/// [`SHORT_FRAME_BYTES`]: with as many connections as there may be, 16 MB.
pub const HELD_BYTES: usize = 32 << 20;
pub const SHORT_FRAME_BYTES: usize = 64 << 10;

/// Connections that are read from at one time, until what they sent is synced. Short messages take fifty times their
/// bytes until then.
pub const READERS: usize = 16;

/// Senders of a listener with a stream of their own, over HTTP one for each index: each takes an open file. Those beyond
/// share one.
pub const MOST_SENDERS: usize = 256;

/// Connections at one time; each has a thread.
pub const MOST_CONNECTIONS: usize = 256;

/// Threads of connections that end, because their places were given to others.
pub const SPARE_CONNECTIONS: usize = 64;

/// Bytes that are read from a connection or a file at once, and synced together.
pub const READ_BYTES: usize = 256 << 10;

/// A longer entry of the journal is cut: a field may have a core dump of hundreds of megabytes.
pub const LONGEST_ENTRY_BYTES: u64 = 1 << 20;

/// How long a message may take from its first byte to its last before its connection is closed.
pub const FRAME_PATIENCE: Duration = Duration::from_secs(30);

/// After this time without a byte the system asks whether a connection's other end is still there.
pub const KEEPALIVE: Duration = Duration::from_mins(1);

/// The largest datagram.
pub const DATAGRAM_BYTES: usize = 64 << 10;

/// Datagrams that are handed on together, and bytes of them.
pub const DATAGRAMS_AT_ONCE: usize = 1_024;
pub const DATAGRAMS_AT_ONCE_BYTES: usize = 1 << 20;

/// Batches of datagrams that may wait to be appended.
pub const DATAGRAMS_WAITING: usize = 48;

/// What the system is asked for as room for datagrams that were not taken yet.
pub const SOCKET_BYTES: usize = 16 << 20;

/// How often followed files are looked at: what makes a line visible within the shortest refresh.
pub const FOLLOW_LOOK: Duration = Duration::from_millis(25);

/// How often all files are looked at although the system says what changes: mapped memory that is written to changes a
/// file without a word.
pub const SWEEP: Duration = Duration::from_secs(1);

/// The same for folders and patterns. The system says of all new files; this is for what it forgets.
pub const FOLDER_SWEEP: Duration = Duration::from_secs(10);

/// How often folders and patterns are looked at for new files where the system does not say it.
pub const FOLDER_LOOK: Duration = Duration::from_millis(500);

/// How long a file that is no longer at its path is read on: its writer may not have opened the new one yet.
pub const ROTATED_PATIENCE: Duration = Duration::from_secs(5);

/// So much of the beginning of a file, at most its first line, tells it from others.
pub const FILE_HEAD_BYTES: usize = 256;

/// How often other processes are given the counters: as often as a person looks.
pub const STATUS: Duration = Duration::from_secs(1);

/// Files that are followed at one time.
pub const MOST_FOLLOWED: usize = 512;
