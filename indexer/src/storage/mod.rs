//! The case on disk: `indexer/FORMAT.md` describes it, and this module is the only one that writes it.

mod account;
mod byte_ranges;
mod columns;
mod derive;
mod fields;
mod files;
mod intern;
mod lock;
mod manifest;
mod names;
pub(crate) mod notes;
mod packing;
mod parquet;
mod profile;
mod raw;
mod reading;
mod rollup;
mod segment;
mod table;
mod template_ids;
mod templates;
mod text;
mod texts;

pub use account::{Account, Example, Unparsed};
pub(crate) use account::{Accounts, Resume};
pub(crate) use byte_ranges::ByteRanges;
pub use columns::Scalar;
pub(crate) use columns::{
    Code, Column, ColumnCache, Dictionary, Packed, Prints, Sequence, Times, Unit, with_codes,
};
pub(crate) use fields::EventKeys;
pub(crate) use files::{folder_bytes, folder_is_read_only, remove_where};
pub(crate) use intern::{Interner, TextColumn};
pub(crate) use lock::{Lock, is_locked};
pub(crate) use manifest::{
    FORMAT_VERSION, Follows, FormatFile, LiveEntry, Manifest, ManifestStamp, SegmentEntry, bytes_as_text,
};
pub use manifest::{Reading, SourceEntry};
pub(crate) use names::Names;
pub use notes::{Note, NoteChange, NoteDraft, NoteRemoval, Notes, NotesChanged};
pub(crate) use packing::pack;
#[cfg(test)]
pub(crate) use parquet::File as ParquetFile;
pub(crate) use parquet::others as other_parquet;
pub(crate) use parquet::{NO_CODE, NumberKind as ParquetKind, Texts, Values, Writer as ParquetWriter};
pub use profile::Profile;
pub(crate) use raw::{
    Frame, RawCursor, RawFolder, RawWriter, abandon_raw_frames, of_raw_name, raw_frames, raw_path,
    recover_raw, sync_raw,
};
pub(crate) use reading::{Readings, SourceReading};
pub(crate) use rollup::Rollup;
pub(crate) use segment::{
    Outlived, Segment, SegmentField, SegmentMeta, SegmentSource, Shared, WrittenSegment,
};
pub(crate) use table::{Builder as TableBuilder, Columns, field_name, level_of};
pub(crate) use template_ids::{keep_ids, kept_ids};
pub(crate) use templates::{MESSAGES, Messages, Mined, Shaper, has_templates, verify_templates};
pub(crate) use text::{
    ColumnLayout, Fuzzy, TermFilter, TextIndex, TokenPart, TokenPostings, TokenValues, WordCount, WordCounts,
};
pub(crate) use texts::Find;
