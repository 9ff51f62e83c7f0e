//! Logs that are still being written: what takes them from the network and from files that grow, and appends
//! them to a case.
//!
//! The nouns: a [`Stream`] is where records come from and becomes a source of the case; a [`Record`] is one
//! event's bytes; an [`Intake`] appends records durably; a [`Receiver`] keeps them in the case's log and makes
//! events of them; [`Counters`] say how each source and stage does.
//!
//! ```
//! use std::sync::Arc;
//!
//! use indexer::Case;
//! use receive::{Options, Receiver, Record, Stream};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let case = Arc::new(Case::create(&folder.path().join("live.case"))?);
//! let receiver = Receiver::start(Arc::clone(&case), Options::default(), Arc::new(|_notice| {}))?;
//! let record = Record::new(b"{\"message\":\"started\"}".to_vec());
//! assert_eq!(receiver.intake().append(&Stream::new("http/logs-app"), vec![record])?.stored, 1);
//! receiver.finish()?;
//! assert_eq!(case.snapshot().events(), 1);
//! # Ok(())
//! # }
//! ```

pub mod connections;
mod counters;
mod follow;
pub mod http;
mod intake;
mod internal;
mod journal;
mod limits;
mod log;
mod networks;
mod otlp;
mod places;
mod readings;
mod receiver;
mod sources;
mod status;
mod syslog;
mod tally;
mod turn;

pub use counters::{Counters, Latency, SourceCounters, SourceStatistics, Stage, StageStatistics, Statistics};
pub use follow::{folder_of, why_nothing};
pub use intake::{Appended, Intake, Record, Refused, Stream};
pub use internal::INTERNAL;
pub use networks::{Networks, process_with_address};
pub use readings::Readings;
pub use receiver::{Notice, Options, Pace, Receiver, Tell};
pub use sources::{Running, Source, in_use, start, start_counted};
pub use status::{SourceStatus, Status};
pub use syslog::Framer;
pub use turn::Yielded;
