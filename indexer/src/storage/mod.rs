//! The case on disk: `indexer/FORMAT.md` describes it, and this module is the only one that writes it.

mod derive;
mod files;
mod intern;
mod kept;
mod lock;
mod manifest;
mod parquet;
mod places;
mod profile;
mod raw;
mod reading;
mod rollup;
mod segment;
mod table;
mod templates;
mod text;
mod texts;

pub(crate) use files::{folder_bytes, remove_where};
pub(crate) use intern::TextColumn;
pub(crate) use kept::{keep_ids, kept_ids};
pub(crate) use lock::{Lock, is_locked};
pub use manifest::{FormatFile, Reading, SourceEntry};
pub(crate) use manifest::{Manifest, ManifestStamp, SegmentEntry};
pub(crate) use parquet::Values;
pub(crate) use places::Places;
pub use profile::Profile;
pub(crate) use raw::{
    Frame, Packer, RawCursor, RawFolder, RawWriter, compress, of_raw_name, raw_frames, raw_path, recover_raw,
    sync_raw,
};
pub(crate) use reading::Readings;
pub(crate) use rollup::Rollup;
pub(crate) use segment::{Outlived, Segment, SegmentField, SegmentMeta, SegmentSource, WrittenSegment};
pub(crate) use table::{Builder as TableBuilder, Columns, field_name};
pub(crate) use templates::{Messages, Mined, has_templates, verify_templates};
pub(crate) use text::TokenRows;
