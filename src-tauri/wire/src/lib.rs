//! The contract between the engine and every screen: each command, progress report, reply and error
//! as plain data, and one [`Session::dispatch`] that answers them.
//!
//! Two hosts serve it, the desktop window and the loopback server; neither adds behaviour. The nouns:
//! a [`Command`] asks, a [`Call`] is one command under way (it can be cancelled and it reports
//! progress), a [`Session`] holds the open cases and the running calls.
//!
//! ```
//! use wire::{Command, Empty, Session, Start};
//!
//! let session = Session::new(Start::browser(std::env::temp_dir()));
//! let reply = session.dispatch("call-1", Command::Hello(Empty {}), |_progress| {}).unwrap();
//! assert_eq!(reply["host"], "browser");
//! ```

mod ahead;
mod alert_measure;
mod alerts;
mod analysis;
mod both;
mod calls;
mod cases;
mod compare;
mod contract;
mod detectors;
mod dispatch;
mod events;
mod explain;
mod files;
mod formats;
mod language;
mod links;
mod live;
mod notebook;
mod notes;
mod opening;
mod patterns;
mod places;
mod readings;
mod recent;
mod remote_answers;
mod remotes;
mod seismograph;
mod service_map;
mod session;
mod shown;
mod sigma;
mod sources;
mod tables;
mod trust;
mod types;
#[cfg(feature = "typescript")]
pub mod typescript;
mod unread;
mod upkeep;
mod works;

pub use contract::Command;
pub use formats::saved_definitions;
pub use indexer::whole_file;
pub use session::{Call, Session, Start, home};
pub use types::{Empty, ErrorCode, HostKind, WireError};
