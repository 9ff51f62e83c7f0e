//! The interface between what receives records and what keeps them.

use std::collections::HashSet;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indexer::Cancel;

use crate::counters::Counters;
use crate::limits::MOST_SENDERS;

/// One event as it was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The bytes of its line or document, without the line end.
    pub bytes: Vec<u8>,
    /// A hash of the client's own id. A record whose id the source already has is acknowledged and not
    /// stored again.
    pub id: Option<u128>,
}

impl Record {
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Record {
        Record { bytes, id: None }
    }
}

/// What a record belongs to. It becomes a source of the case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stream {
    /// The source's name, such as `http/logs-app` or `syslog/tcp/10.0.0.7`.
    pub name: String,
    /// The address that all of its records came from: the field `sender` of their events.
    pub sender: Option<String>,
    /// The format to read the records as; learned from their bytes where there is none.
    pub format: Option<String>,
    /// The zone of times without one, where it was chosen.
    pub zone: Option<String>,
}

impl Stream {
    #[must_use]
    pub fn new(name: impl Into<String>) -> Stream {
        Stream { name: name.into(), sender: None, format: None, zone: None }
    }

    /// A stream of a name that there were others of: its source is called by the name alone.
    #[must_use]
    pub fn with_part(name: &str, by: &str) -> Stream {
        Stream::new(format!("{name}{}{by}", indexer::STREAM_PART))
    }

    /// What its source is called.
    #[must_use]
    pub fn title(&self) -> &str {
        self.name.split(indexer::STREAM_PART).next().unwrap_or_default()
    }
}

/// The streams of a listener that are of one sender each, by its address and by what else parts them: a tag, an index.
#[derive(Debug, Default)]
pub(crate) struct OwnStreams(Mutex<HashSet<(IpAddr, Option<String>)>>);

impl OwnStreams {
    /// Whether a sender has a stream of its own. Those beyond [`MOST_SENDERS`] share one.
    pub fn has(&self, sender: IpAddr, part: Option<&str>) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let stream = (sender, part.map(str::to_owned));
        known.contains(&stream) || known.len() < MOST_SENDERS && known.insert(stream)
    }
}

/// A hash for ids (FNV-1a).
pub(crate) fn hash_of(bytes: &[u8]) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(BASIS, |print, &byte| (print ^ u128::from(byte)).wrapping_mul(PRIME))
}

/// Why an append was refused. Nothing of the batch is stored; the sender is to wait and to send it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// More is being appended than the disk takes.
    Busy { retry_after: Duration },
    /// Storing the batch would take the last of the space that is kept free on the disk.
    DiskNearlyFull { free_bytes: u64 },
    /// The intake is being closed.
    Closed,
    /// The disk failed, or a record exceeds a limit.
    Failed(String),
}

impl Refused {
    /// A word for it, by which it is counted.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Refused::Busy { .. } => "busy",
            Refused::DiskNearlyFull { .. } => "disk nearly full",
            Refused::Closed => "closed",
            Refused::Failed(_) => "failed",
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Busy { retry_after } => {
                write!(out, "too much is being received: send it again in {} ms", retry_after.as_millis())
            }
            Refused::DiskNearlyFull { free_bytes } => {
                write!(
                    out,
                    "the disk is nearly full ({free_bytes} bytes are free): nothing is accepted until there is room"
                )
            }
            Refused::Closed => write!(out, "the case is being closed"),
            Refused::Failed(reason) => write!(out, "the records could not be stored: {reason}"),
        }
    }
}

impl std::error::Error for Refused {}

/// What an append did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Appended {
    pub stored: usize,
    pub duplicates: usize,
    /// Whether each record, in the order given, was new.
    pub is_new: Vec<bool>,
}

/// Appends whole batches durably.
///
/// Any thread may append at any time. An append blocks until the bytes of the batch are synced to disk (group
/// commit: at most 100 ms or 1 MB are gathered for one sync) and then survives the end of the process at any
/// instant. A refused batch leaves nothing that a later start would show. Within a stream, batches keep
/// the order in which their appends returned; the events become visible within the refresh interval.
pub trait Intake: Send + Sync {
    /// Appends batches of several streams together: all of them, or none. A batch whose stream would be one too many is
    /// refused alone.
    fn append_all(
        &self,
        batches: Vec<(Stream, Vec<Record>)>,
    ) -> Result<Vec<Result<Appended, Refused>>, Refused>;

    /// Appends records, each an event of its own.
    fn append(&self, stream: &Stream, records: Vec<Record>) -> Result<Appended, Refused> {
        self.append_all(vec![(stream.clone(), records)])?.pop().unwrap_or_else(|| Ok(Appended::default()))
    }

    /// Appends bytes of a stream whose events are lines. The bytes end anywhere in a line; events that span
    /// lines are put together by the stream's format.
    fn append_lines(&self, stream: &Stream, bytes: &[u8]) -> Result<(), Refused>;

    /// Waits until all records that were appended before are visible, at most so long and until `cancel` is set; with
    /// `at_once` they become visible without waiting for the next refresh. Tells whether they are.
    fn refresh(&self, at_once: bool, patience: Duration, cancel: &Cancel) -> bool;

    /// The counters that `append` keeps for each stream, and to which callers add what they receive and
    /// reject before it comes to an append.
    fn counters(&self) -> &Arc<Counters>;
}
