//! A zip archive without a usable table of contents: truncated, or damaged at its end. Every member has a
//! header of its own before it, and those are read one after another.

use std::io::{self, BufRead, Read};

use memchr::memmem::Finder;
use rawzip::CompressionMethod;
use rawzip::extra_fields::{ExtraFieldId, ExtraFields};

use super::{Expected, NAME, ZipEntry, unpacked, usual_member};
use crate::error::ErrorKind;
use crate::problem::Problem;
use crate::unpack::input::{Bounded, Input, Peek, skip};
use crate::unpack::{StreamPlace, UnpackWalk};

const SIGNATURE: [u8; 4] = *b"PK\x03\x04";
const HEADER_BYTES: usize = 30;
const ENCRYPTED: u16 = 1;
/// Length and checksum follow the content.
const DESCRIPTOR: u16 = 1 << 3;

struct Local {
    entry: ZipEntry,
    /// The packed length of the content, if the header has it.
    packed_bytes: Option<u64>,
}

pub fn read_by_headers(walk: &mut UnpackWalk<'_>, place: &StreamPlace, mut input: Input<'_>) {
    while walk.wants_more() && find_signature(&mut input) {
        if let Some(local) = read_header(&mut input) {
            hand_out(walk, place, &mut input, &local);
        }
    }
    let problem = match input.take_error() {
        Some(error) => Problem::from_error(&error),
        None => Problem::new(
            ErrorKind::Corrupt,
            "the zip archive is damaged or ends too early: its members were read one by one, more may be missing",
        ),
    };
    walk.refuse(place, problem);
}

/// Skips to the next header. False at the end.
fn find_signature(input: &mut Input<'_>) -> bool {
    let finder = Finder::new(&SIGNATURE);
    loop {
        // Three more bytes than are skipped, for a signature that spans two reads.
        if input.peek(SIGNATURE.len()).len() < SIGNATURE.len() {
            return false;
        }
        let Ok(buffered) = input.fill_buf() else { return false };
        if let Some(at) = finder.find(buffered) {
            input.consume(at);
            return true;
        }
        let passed = buffered.len() - (SIGNATURE.len() - 1);
        input.consume(passed);
    }
}

fn read_header(input: &mut Input<'_>) -> Option<Local> {
    let mut header = [0; HEADER_BYTES];
    let head = input.peek(HEADER_BYTES);
    header.get_mut(..head.len())?.copy_from_slice(head);
    let whole = head.len() == HEADER_BYTES;
    input.consume(if whole { HEADER_BYTES } else { SIGNATURE.len() });
    if !whole {
        return None;
    }
    let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let long = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (flags, name_bytes, extra_bytes) = (short(6), usize::from(short(26)), usize::from(short(28)));
    let mut name = vec![0; name_bytes];
    let mut extra = vec![0; extra_bytes];
    input.read_exact(&mut name).and_then(|()| input.read_exact(&mut extra)).ok()?;
    let (mut packed, mut bytes) = (u64::from(long(18)), u64::from(long(22)));
    zip64_sizes(&extra, &mut packed, &mut bytes);
    let known = flags & DESCRIPTOR == 0;
    let entry = ZipEntry {
        path: String::from_utf8_lossy(&name).into_owned(),
        encrypted: flags & ENCRYPTED != 0,
        method: CompressionMethod::from(short(8)),
        modified_ns: None,
        mode: 0,
        expected: known.then_some(Expected { bytes, crc: long(14) }),
    };
    Some(Local { entry, packed_bytes: known.then_some(packed) })
}

fn zip64_sizes(extra: &[u8], packed: &mut u64, bytes: &mut u64) {
    let Some((_, mut field)) = ExtraFields::new(extra).find(|(id, _)| *id == ExtraFieldId::ZIP64) else {
        return;
    };
    for size in [bytes, packed] {
        if *size == u64::from(u32::MAX)
            && let Some((value, rest)) = field.split_first_chunk()
        {
            *size = u64::from_le_bytes(*value);
            field = rest;
        }
    }
}

fn hand_out(walk: &mut UnpackWalk<'_>, place: &StreamPlace, input: &mut Input<'_>, local: &Local) {
    let member = usual_member(walk, place, &local.entry);
    let mut left = local.packed_bytes.unwrap_or_default();
    let Some(member) = member else { return skip(input, left) };
    if local.packed_bytes.is_some() {
        let raw = Input::new(Bounded { input, left: &mut left, what: NAME });
        match unpacked(walk, &member, &local.entry, raw) {
            Ok(mut content) => walk.open(member, Input::new(&mut content)),
            Err(problem) => walk.refuse(&member, problem),
        }
        return skip(input, left);
    }
    if local.entry.method == CompressionMethod::STORE {
        let message = "nothing says where this member of the damaged zip archive ends";
        return walk.refuse(&member, Problem::new(ErrorKind::Corrupt, message));
    }
    match unpacked(walk, &member, &local.entry, input) {
        Ok(mut content) => {
            walk.open(member, Input::new(&mut content));
            // The position of the next header is known only when the content has been unpacked to its end; a
            // failure was already reported to its reader.
            let _ = io::copy(&mut content, &mut io::sink());
        }
        Err(problem) => walk.refuse(&member, problem),
    }
}
