//! The case on disk: `indexer/FORMAT.md` describes it, and this module is the only one that writes it.

mod account;
mod byte_ranges;
mod columns;
mod derive;
mod fields;
mod files;
mod frame_cache;
mod intern;
mod lock;
mod manifest;
mod names;
pub mod notes;
mod packing;
mod parquet;
mod profile;
mod raw;
mod reading;
mod rollup;
mod segment;
mod since;
mod snapshot;
mod table;
mod template_ids;
mod templates;
mod text;
mod texts;
mod trash;
#[cfg(test)]
mod true_checksums_tests;

pub use account::{Account, Example, Unparsed};
pub use account::{Accounts, Resume, number_of as account_number};
pub use byte_ranges::ByteRanges;
pub use columns::Scalar;
pub use columns::{
    Code, ColumnCache, ColumnValues, Packed, Prints, Sequence, StoredColumn, Times, Unit, scalar_number,
};
pub use fields::{EventKeys, Levels};
pub use files::{folder_bytes, folder_is_read_only, remove_folder};
pub use intern::{Interner, TextColumn};
pub use lock::{Lock, is_locked, other_writer};
pub use manifest::{
    FORMAT_VERSION, FolderUse, Follows, FormatFile, LiveEntry, Manifest, ManifestStamp, SegmentEntry,
    bytes_as_text, folder_use,
};
pub use manifest::{Reading, SourceEntry};
pub use names::Names;
pub use notes::{Note, NoteChange, NoteDraft, NoteRemoval, Notes, NotesChanged};
pub use packing::pack;
#[cfg(feature = "other-parquet")]
pub use parquet::others as other_parquet;
pub use parquet::{
    File as ParquetFile, NO_CODE, NumberKind as ParquetKind, Texts, Values, Writer as ParquetWriter,
};
pub use profile::Profile;
pub use raw::{
    Frame, KeptFrames, RawCursor, RawFile, RawFolder, RawWriter, abandon_raw_frames, has_tail, raw_frames,
    raw_frames_that_are_left, recover_raw, sync_raw,
};
pub use reading::{Readings, SourceReading};
pub use rollup::Rollup;
pub use segment::{
    Outlived, Segment, SegmentField, SegmentMeta, SegmentSource, Shared, WrittenSegment, remove_segment,
};
pub use since::{Marks, News};
pub use snapshot::{EventCount, Missing, Snapshot, count_events, frames_by_source, frames_of};
pub use table::{Columns, TableBuilder, field_name, level_of};
pub use template_ids::{keep_ids, kept_ids, verify_ids};
pub use templates::{MESSAGES, Messages, Mined, Shaper, has_templates, verify_templates};
pub use text::{
    ColumnLayout, Fuzzy, TermFilter, TextIndex, TokenPart, TokenPostings, TokenValues, WordCount, WordCounts,
};
pub use texts::Find;
pub use trash::{TrashSet, case_bytes, empty_trash, find_in_trash, next_generation, trash_sets};
