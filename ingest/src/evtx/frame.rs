//! Cuts the bytes of an EVTX file into its header and its chunks.

use memchr::memmem;

use super::record::{CHUNK_BYTES, CHUNK_SIGNATURE, begins_chunk};

const FILE_SIGNATURE: &[u8; 8] = b"ElfFile\0";
const FILE_HEADER_BYTES: usize = 4096;

/// The kind of the next bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// The file's header; it contains no event.
    Header,
    /// A chunk, which is read on its own; short if the file ends within it.
    Chunk,
    /// A chunk that was never used.
    Unused,
    /// Neither; reading it like a chunk may still find records.
    Damaged(&'static str),
}

/// A run of bytes of the file. All frames together are the whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EvtxFrame {
    pub kind: FrameKind,
    pub length: usize,
}

/// Whether a file that begins like this is a binary Windows event log. If the file header is lost, the first
/// chunk shows it.
pub(crate) fn looks_like_evtx(sample: &[u8]) -> bool {
    sample.starts_with(FILE_SIGNATURE)
        || sample.starts_with(CHUNK_SIGNATURE)
        || sample.get(FILE_HEADER_BYTES..).is_some_and(|rest| rest.starts_with(CHUNK_SIGNATURE))
}

/// The frame at this offset of the file, where `bytes` begin. `None` if more bytes are needed, which is never
/// the case at the end of the file or with twice 64 KiB available.
pub(crate) fn next_frame(offset: u64, bytes: &[u8], at_end: bool) -> Option<EvtxFrame> {
    let frame = |kind, length: usize| Some(EvtxFrame { kind, length: length.min(bytes.len()) });
    if bytes.is_empty() || (!at_end && bytes.len() < 2 * CHUNK_BYTES) {
        return None;
    }
    if bytes.starts_with(CHUNK_SIGNATURE) {
        // If bytes were lost, the next chunk begins early, and must not be read as part of this one.
        let within = &bytes[1..bytes.len().min(CHUNK_BYTES)];
        let mut early = memmem::find_iter(within, CHUNK_SIGNATURE).map(|at| at + 1);
        let length = early.find(|&at| begins_chunk(&bytes[at..])).unwrap_or(CHUNK_BYTES);
        return frame(FrameKind::Chunk, length);
    }
    if offset == 0 && bytes.starts_with(FILE_SIGNATURE) {
        return frame(FrameKind::Header, FILE_HEADER_BYTES);
    }
    let near = &bytes[..bytes.len().min(CHUNK_BYTES + CHUNK_SIGNATURE.len())];
    let length = match memmem::find(near, CHUNK_SIGNATURE) {
        Some(next) => next,
        None if offset == 0 => FILE_HEADER_BYTES,
        None => CHUNK_BYTES,
    };
    let length = length.min(bytes.len());
    let kind = match offset {
        0 => FrameKind::Damaged("the file's header is damaged; its chunks were read all the same"),
        _ if bytes[..length].iter().all(|&byte| byte == 0) => FrameKind::Unused,
        _ => FrameKind::Damaged("these bytes are no chunk; records in them were searched for"),
    };
    frame(kind, length)
}
