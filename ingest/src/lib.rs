//! From files to events: finds the files below the given paths, detects their format, and converts their bytes
//! to typed columns. Has no knowledge of storage, queries or screens.
//!
//! An [`InputFile`] is opened as the [`Source`]s in it, which return [`Chunk`]s of whole events; a [`Parser`]
//! converts each to a [`Batch`] on any thread; a [`Settler`] sees the batches in order and resolves what only
//! the order determines (missing years, missing times).
//!
//! ```
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("app.jsonl");
//! std::fs::write(&path, "{\"ts\":\"2026-11-21T03:04:05Z\",\"level\":\"warn\",\"status\":503}\n")?;
//!
//! let discovery = ingest::discover(&[path]);
//! ingest::open(&discovery.files[0], &ingest::Options::default(), &mut |opened| {
//!     let mut source = opened.source.expect("it is readable");
//!     assert_eq!(source.detection().format, "json");
//!     let (parser, mut settler) = (source.parser(), source.settler());
//!     while let Some(chunk) = source.next_chunk().expect("it reads to its end") {
//!         let mut batch = parser.parse(chunk);
//!         settler.settle(&mut batch);
//!         assert_eq!(batch.level[0], ingest::Level::Warn);
//!         assert_eq!(&*batch.columns[0].name, "status");
//!     }
//!     true
//! });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod buffer;
mod byte_table;
pub mod custom;
mod decoded;
mod detect;
mod discover;
mod encoding;
mod endpoint;
mod error;
mod event_starts;
mod evtx;
mod field_limit;
mod formats;
mod frame;
mod glob;
mod heading;
mod inner_reader;
mod json_escapes;
mod late_layouts;
mod layout;
mod layout_counts;
mod level;
mod level_words;
pub mod limits;
mod login_events;
mod logins;
mod named_columns;
mod open_file;
mod other_lines;
mod pairs;
mod parser;
mod problem;
mod rare_values;
mod replay;
mod rotation;
mod rows;
mod settler;
mod source;
mod table;
mod text_decoder;
mod time;
mod unpack;
mod xml;

pub use batch::{Batch, BatchColumn, Chunk, LeftOut, NO_INT, Span, Values};
pub use detect::{Alternative, Detection};
pub(crate) use discover::natural_order;
pub use discover::{Discovery, Filter, InputFile, discover, discover_some};
pub use encoding::{BYTE_ORDER_MARK, Encoding};
pub use error::{Error, ErrorKind};
pub use formats::format_names;
pub use formats::syslog::{SYSLOG_PREFIX, message_format, program_of};
pub use glob::Glob;
pub use level::Level;
pub use open_file::open_file;
pub use parser::{CUT, Parser};
pub use replay::Replay;
pub use rotation::{Rotated, group_rotation_sets, rotated};
pub use settler::{Settler, SettlerState};
pub use source::{
    Opened, Options, ResumePoint, Source, StreamInfo, Succession, encoding_of_lines, members, open,
    open_stream, read_all,
};
pub use text_decoder::TextDecoder;
pub use time::field::TimeFieldOption;
pub use time::gap_tracker::TimeStep;
pub use time::report::TimeReport;
pub use time::zone::is_zone;
pub use time::{NO_TIME, TimeTally};
pub use unpack::{Member, Packed, Stop, UnpackLimits, unpack, unpack_stream};
