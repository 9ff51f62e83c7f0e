//! tar: ustar, pax and GNU long names, read as a stream. The `tar` crate parses the headers; its own iterator
//! is not used, because its entries cannot cross threads and it gives up at the first damaged header.

use std::io::{self, BufRead, Read};

use tar::{EntryType, Header, PaxExtensions};

use super::container_kind::{TAR_BLOCK, tar_header};
use super::input::{Bounded, Input, Peek, skip};
use super::{StreamPlace, UnpackWalk};
use crate::error::ErrorKind;
use crate::limits::LONGEST_TAR_EXTENSION_BYTES;
use crate::problem::Problem;

const NAME: &str = "tar";

/// The values of extension headers for the next member.
#[derive(Default)]
struct Extension {
    path: Option<Vec<u8>>,
    bytes: Option<u64>,
    modified_ns: Option<i64>,
    sparse: bool,
}

/// What the loop reads where a header should be.
enum TarBlock {
    Header(Box<Header>),
    Zeros,
    Other,
    /// Less than a block is left; whether it contains anything but zeros.
    Short {
        content: bool,
    },
}

pub fn read_tar(walk: &mut UnpackWalk<'_>, place: &StreamPlace, mut input: Input<'_>) {
    let mut extension = Extension::default();
    let mut ended = false;
    let mut skipped: u64 = 0;
    let opened_before = walk.opened;
    // Reading goes on after the end mark: what verifies compressed data follows at its end.
    while walk.wants_more() {
        match next_block(&mut input) {
            TarBlock::Zeros => {
                ended = true;
                input.consume(TAR_BLOCK);
            }
            TarBlock::Other if ended => {
                let members = walk.opened - opened_before;
                return leftover(walk, place, &mut input, members);
            }
            TarBlock::Other => {
                skipped += TAR_BLOCK as u64;
                input.consume(TAR_BLOCK);
            }
            TarBlock::Header(header) => {
                input.consume(TAR_BLOCK);
                report_skipped(walk, place, std::mem::take(&mut skipped));
                ended = false;
                member(walk, place, &mut input, &header, &mut extension);
            }
            TarBlock::Short { content } => {
                report_skipped(walk, place, skipped);
                if let Some(error) = input.take_error() {
                    walk.refuse(place, doubtful(&error, walk.opened - opened_before));
                } else if !ended || content {
                    let message =
                        "the tar archive ends too early: what came before is kept, more may be missing";
                    walk.refuse(place, Problem::new(ErrorKind::Corrupt, message));
                }
                return;
            }
        }
    }
}

fn report_skipped(walk: &mut UnpackWalk<'_>, place: &StreamPlace, bytes: u64) {
    if bytes > 0 {
        let message = format!("{bytes} bytes of the tar archive are damaged and were skipped");
        walk.refuse(place, Problem::new(ErrorKind::Corrupt, message));
    }
}

/// A problem of the compression around the whole archive, once some of its members were passed on.
fn doubtful(error: &io::Error, members: u64) -> Problem {
    let problem = Problem::from_error(error);
    if problem.kind != ErrorKind::Corrupt || members == 0 {
        return problem;
    }
    let what = if members == 1 { "1 member" } else { &*format!("{members} members") };
    let message = format!(
        "{}; {what} of the archive were read and are kept, but any of them may be damaged and others may be missing; \
         import an undamaged copy of it",
        problem.message
    );
    Problem::new(ErrorKind::Doubtful, message)
}

fn next_block(input: &mut Input<'_>) -> TarBlock {
    let block = input.peek(TAR_BLOCK);
    if block.len() < TAR_BLOCK {
        let content = block.iter().any(|byte| *byte != 0);
        if !content {
            let zeros = block.len();
            input.consume(zeros);
        }
        return TarBlock::Short { content };
    }
    if block.iter().all(|byte| *byte == 0) {
        return TarBlock::Zeros;
    }
    tar_header(block).map_or(TarBlock::Other, |header| TarBlock::Header(Box::new(header.clone())))
}

/// Data that is not tar follows the end mark.
fn leftover(walk: &mut UnpackWalk<'_>, place: &StreamPlace, input: &mut Input<'_>, members: u64) {
    let problem = match io::copy(input, &mut io::sink()) {
        Ok(bytes) => {
            let message = format!("{bytes} bytes after the tar archive do not belong to it and were skipped");
            Problem::new(ErrorKind::Leftover, message)
        }
        Err(error) => doubtful(&error, members),
    };
    walk.refuse(place, problem);
}

/// Reads the content after one header: an extension of the next, or a member.
fn member(
    walk: &mut UnpackWalk<'_>,
    place: &StreamPlace,
    input: &mut Input<'_>,
    header: &Header,
    extension: &mut Extension,
) {
    let Ok(stated) = header.entry_size() else {
        let message = "a size in the tar archive cannot be read; its member was skipped";
        return walk.refuse(place, Problem::new(ErrorKind::Corrupt, message));
    };
    let kind = header.entry_type();
    let mut left = stated;
    let padding = |bytes: u64| bytes.next_multiple_of(TAR_BLOCK as u64) - bytes;
    if kind.is_pax_local_extensions() || kind.is_gnu_longname() {
        let name = kind.is_gnu_longname();
        if let Some(bytes) = extension_bytes(walk, place, input, &mut left) {
            if name { extension.long_name(bytes) } else { extension.pax(&bytes) }
        }
    } else if !(kind.is_pax_global_extensions() || kind.is_gnu_longlink()) {
        let extension = std::mem::take(extension);
        left = extension.bytes.unwrap_or(stated).min(u64::MAX >> 1);
        let bytes = left;
        hand_out(walk, place, header, extension, Bounded { input, left: &mut left, what: NAME });
        skip(input, left.saturating_add(padding(bytes)));
        return;
    }
    skip(input, left.saturating_add(padding(stated.min(u64::MAX >> 1))));
}

fn hand_out(
    walk: &mut UnpackWalk<'_>,
    place: &StreamPlace,
    header: &Header,
    extension: Extension,
    mut body: Bounded<'_, '_>,
) {
    let kind = header.entry_type();
    let path = extension.path.unwrap_or_else(|| header.path_bytes().into_owned());
    let path = String::from_utf8_lossy(&path);
    if kind.is_dir() || kind == EntryType::new(b'V') || path.ends_with('/') {
        return;
    }
    let modified_ns = extension.modified_ns.or_else(|| {
        let seconds = i64::try_from(header.mtime().ok()?).ok()?;
        seconds.checked_mul(1_000_000_000)
    });
    let Some(member) = walk.member(place, &path, false, modified_ns, Some(*body.left)) else { return };
    let refused = match kind {
        EntryType::Link | EntryType::Symlink => "a link in an archive is not followed",
        EntryType::Char | EntryType::Block | EntryType::Fifo => "a device in an archive is not read",
        EntryType::GNUSparse => "a sparse member of a tar archive is not supported; unpack it first",
        _ if extension.sparse => "a sparse member of a tar archive is not supported; unpack it first",
        _ if kind.as_byte() == b'M' => "the member is continued from another part of the tar archive",
        _ => {
            if *body.left > 0 {
                walk.open(member, Input::new(&mut body));
            }
            return;
        }
    };
    walk.refuse(&member, Problem::new(ErrorKind::Refused, refused));
}

fn extension_bytes(
    walk: &mut UnpackWalk<'_>,
    place: &StreamPlace,
    input: &mut Input<'_>,
    left: &mut u64,
) -> Option<Vec<u8>> {
    if *left > LONGEST_TAR_EXTENSION_BYTES {
        let message = format!("a header of {left} bytes in the tar archive is too long and was skipped");
        walk.refuse(place, Problem::new(ErrorKind::Corrupt, message));
        return None;
    }
    let mut bytes = Vec::new();
    // If it fails, the loop meets the same failure and reports it.
    Bounded { input, left, what: NAME }.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

impl Extension {
    fn long_name(&mut self, mut bytes: Vec<u8>) {
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        self.path = Some(bytes);
    }

    fn pax(&mut self, bytes: &[u8]) {
        for pair in PaxExtensions::new(bytes).flatten() {
            match pair.key_bytes() {
                // The path of a sparse member is one that GNU tar made up.
                b"path" if self.sparse => {}
                b"path" => self.path = Some(pair.value_bytes().to_vec()),
                b"GNU.sparse.name" => {
                    self.path = Some(pair.value_bytes().to_vec());
                    self.sparse = true;
                }
                b"size" => self.bytes = pair.value().ok().and_then(|value| value.parse().ok()),
                b"mtime" => self.modified_ns = pair.value().ok().and_then(nanoseconds),
                key if key.starts_with(b"GNU.sparse.") => self.sparse = true,
                _ => {}
            }
        }
    }
}

/// Seconds with a fraction, as pax writes them.
fn nanoseconds(value: &str) -> Option<i64> {
    let (seconds, fraction) = value.split_once('.').unwrap_or((value, ""));
    let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    let fraction: i64 = digits.parse().ok()?;
    let whole = seconds.parse::<i64>().ok()?.checked_mul(1_000_000_000)?;
    if value.starts_with('-') { whole.checked_sub(fraction) } else { whole.checked_add(fraction) }
}

#[cfg(test)]
mod tests {
    use super::nanoseconds;

    #[test]
    fn pax_times_keep_their_fraction() {
        assert_eq!(nanoseconds("1795230245"), Some(1_795_230_245_000_000_000));
        assert_eq!(nanoseconds("1795230245.5"), Some(1_795_230_245_500_000_000));
        assert_eq!(nanoseconds("-1.25"), Some(-1_250_000_000));
        assert_eq!((nanoseconds("x"), nanoseconds("99999999999999")), (None, None));
    }
}
