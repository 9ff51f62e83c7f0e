//! 7z. The library returns members through a callback, as readers that cannot cross threads; so it runs on a
//! thread of its own and sends the unpacked bytes, which also isolates a panic in it.

use std::io::{self, Cursor, Read, Seek};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use sevenz_rust2::{Archive, ArchiveEntry, Block, BlockDecoder, EncoderMethod, Error, Password};

use super::input::Input;
use super::meter::Meter;
use super::spool::Storage;
use super::{StreamPlace, UnpackWalk};
use crate::error::ErrorKind;
use crate::limits::{SEVENZ_PIECES, UNPACK_BUFFER_BYTES};
use crate::problem::Problem;

const NAME: &str = "7z";

/// Windows attributes: a link, and the flag for Unix modes in the upper half.
const REPARSE_POINT: u32 = 0x400;
const UNIX_MODES: u32 = 0x8000;
const FILE_KIND: u32 = 0o170_000;
const USUAL_FILE: u32 = 0o100_000;
/// Units of 100 ns from 1601, the epoch of 7z, to 1970.
const EPOCH_TICKS: i128 = 116_444_736_000_000_000;

/// The messages of the unpacking thread: each member begins, comes in pieces and ends.
enum UnpackEvent {
    Begin(MemberHead),
    Data(Vec<u8>),
    End(Option<Problem>),
    /// A problem of the archive as a whole, or of members that cannot be started.
    Failed(Problem),
}

struct MemberHead {
    path: String,
    bytes: u64,
    modified_ns: Option<i64>,
    attributes: u32,
}

pub fn read_7z(walk: &mut UnpackWalk<'_>, place: &StreamPlace, storage: Storage) {
    let memory_bytes = walk.decoder_memory_bytes(place);
    thread::scope(|scope| {
        let (sender, pieces) = sync_channel(SEVENZ_PIECES);
        let unpacking = scope.spawn(move || match storage {
            Storage::Memory(bytes) => unpack_all(Cursor::new(bytes), memory_bytes, &sender),
            Storage::File(file) => unpack_all(io::BufReader::new(file), memory_bytes, &sender),
        });
        receive(walk, place, pieces);
        if unpacking.join().is_err() {
            walk.refuse(place, Problem::damaged(NAME, "it cannot be understood"));
        }
    });
}

/// Passes on the members that arrive. Dropping the receiver, at the end, stops the other side.
fn receive(walk: &mut UnpackWalk<'_>, place: &StreamPlace, mut pieces: Receiver<UnpackEvent>) {
    while walk.wants_more() {
        match pieces.recv() {
            Err(_) => return,
            Ok(UnpackEvent::Failed(problem)) => walk.refuse(place, problem),
            Ok(UnpackEvent::Begin(head)) => {
                let mut content = Content {
                    pieces: &mut pieces,
                    piece: Vec::new(),
                    at: 0,
                    ended: None,
                    meter: walk.meter(),
                };
                hand_out(walk, place, &head, &mut content);
                if walk.wants_more()
                    && let Err(problem) = content.skip_member()
                {
                    // The rest would be unpacked for nothing.
                    return walk.refuse(place, problem);
                }
            }
            Ok(UnpackEvent::Data(_) | UnpackEvent::End(_)) => {}
        }
    }
}

fn hand_out(walk: &mut UnpackWalk<'_>, place: &StreamPlace, head: &MemberHead, content: &mut Content<'_>) {
    let Some(member) = walk.member(place, &head.path, true, head.modified_ns, Some(head.bytes)) else {
        return;
    };
    let mode = if head.attributes & UNIX_MODES == 0 { USUAL_FILE } else { head.attributes >> 16 };
    if head.attributes & REPARSE_POINT != 0 || ![0, USUAL_FILE].contains(&(mode & FILE_KIND)) {
        let message = "a link or device in an archive is not followed";
        return walk.refuse(&member, Problem::new(ErrorKind::Refused, message));
    }
    walk.open(member, Input::new(content));
}

/// The content of one member, as its pieces arrive.
struct Content<'p> {
    pieces: &'p mut Receiver<UnpackEvent>,
    piece: Vec<u8>,
    at: usize,
    ended: Option<Result<(), Problem>>,
    meter: Arc<Meter>,
}

impl Content<'_> {
    fn next_piece(&mut self) {
        match self.pieces.recv() {
            Ok(UnpackEvent::Data(piece)) => (self.piece, self.at) = (piece, 0),
            Ok(UnpackEvent::End(problem)) => self.ended = Some(problem.map_or(Ok(()), Err)),
            Ok(UnpackEvent::Failed(problem)) => self.ended = Some(Err(problem)),
            Ok(UnpackEvent::Begin(_)) => self.ended = Some(Ok(())),
            Err(_) => self.ended = Some(Err(Problem::truncated(NAME))),
        }
    }

    /// Skips the rest of the member, which counts as unpacked too. Fails if unpacking is to end.
    fn skip_member(&mut self) -> Result<(), Problem> {
        while self.ended.is_none() {
            self.piece.clear();
            self.next_piece();
            let skipped = self.piece.len();
            self.meter.metered(|| Ok(skipped)).map_err(|error| Problem::from_error(&error))?;
        }
        Ok(())
    }
}

impl Read for Content<'_> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() {
            match &self.ended {
                None => self.next_piece(),
                Some(Ok(())) => return Ok(0),
                Some(Err(problem)) => return Err(problem.clone().into()),
            }
        }
        let rest = &self.piece[self.at..];
        let read = rest.len().min(output.len());
        self.meter.metered(|| {
            output[..read].copy_from_slice(&rest[..read]);
            Ok(read)
        })?;
        self.at += read;
        Ok(read)
    }
}

/// Unpacks every block and sends its members. A block that fails leaves the others readable.
fn unpack_all(mut input: impl Read + Seek, memory_bytes: u64, pieces: &SyncSender<UnpackEvent>) {
    let password = Password::empty();
    let archive = match Archive::read(&mut input, &password) {
        Ok(archive) => archive,
        // The receiver may be gone, here and below: then the result is not needed.
        Err(error) => return drop(pieces.send(UnpackEvent::Failed(unreadable(&error)))),
    };
    for (index, block) in archive.blocks.iter().enumerate() {
        let decoder = BlockDecoder::new(1, index, &archive, &password, &mut input);
        if let Err(problem) = affordable(block, memory_bytes) {
            for entry in decoder.entries().iter().filter(|entry| entry.has_stream()) {
                if pieces.send(UnpackEvent::Begin(head(entry))).is_err()
                    || pieces.send(UnpackEvent::End(Some(problem.clone()))).is_err()
                {
                    return;
                }
            }
            continue;
        }
        let mut unwanted = false;
        let result = decoder.for_each_entries(&mut |entry, content| {
            let usual = entry.has_stream() && !entry.is_directory();
            unwanted = usual && !send_member(entry, content, pieces);
            Ok(!unwanted)
        });
        if unwanted || result.is_err_and(|error| pieces.send(UnpackEvent::Failed(explain(&error))).is_err()) {
            return;
        }
    }
}

/// Returns false if no more is needed.
fn send_member(entry: &ArchiveEntry, content: &mut dyn Read, pieces: &SyncSender<UnpackEvent>) -> bool {
    if pieces.send(UnpackEvent::Begin(head(entry))).is_err() {
        return false;
    }
    loop {
        let mut piece = vec![0; UNPACK_BUFFER_BYTES];
        let (sent, ended) = match content.read(&mut piece) {
            Ok(0) => (pieces.send(UnpackEvent::End(None)), true),
            Ok(read) => {
                piece.truncate(read);
                (pieces.send(UnpackEvent::Data(piece)), false)
            }
            Err(error) => (pieces.send(UnpackEvent::End(Some(Problem::damaged(NAME, error)))), true),
        };
        if sent.is_err() || ended {
            return sent.is_ok();
        }
    }
}

fn head(entry: &ArchiveEntry) -> MemberHead {
    let ticks = i128::from(u64::from(entry.last_modified_date()));
    MemberHead {
        path: entry.name().to_string(),
        bytes: entry.size(),
        modified_ns: (ticks > 0).then(|| i64::try_from((ticks - EPOCH_TICKS) * 100).ok()).flatten(),
        attributes: entry.windows_attributes(),
    }
}

/// The library allocates the memory that a block declares, so that is checked first.
fn affordable(block: &Block, memory_bytes: u64) -> Result<(), Problem> {
    for coder in &block.coders {
        let properties = coder.properties();
        let word = || properties.get(1..5)?.first_chunk().map(|word| u64::from(u32::from_le_bytes(*word)));
        let asked = match coder.encoder_method_id() {
            EncoderMethod::ID_AES256_SHA256 => return Err(Problem::encrypted()),
            EncoderMethod::ID_LZMA | EncoderMethod::ID_PPMD => word(),
            EncoderMethod::ID_LZMA2 => properties.first().map(|bits| {
                let bits = u32::from(*bits).min(40);
                u64::from(2 | (bits & 1)) << (bits / 2 + 11)
            }),
            _ => None,
        };
        if asked.is_some_and(|asked| asked > memory_bytes) {
            return Err(Problem::needs_memory(NAME));
        }
    }
    Ok(())
}

/// Why the table of contents could not be read.
fn unreadable(error: &Error) -> Problem {
    match explain(error) {
        problem if problem.kind == ErrorKind::Encrypted => problem,
        problem => Problem::new(
            ErrorKind::Corrupt,
            format!("{}; its table of contents is at its end, so nothing of it can be read", problem.message),
        ),
    }
}

fn explain(error: &Error) -> Problem {
    match error {
        Error::PasswordRequired | Error::MaybeBadPassword(_) => Problem::encrypted(),
        Error::UnsupportedCompressionMethod(method) if method.contains("AES") => Problem::encrypted(),
        Error::UnsupportedCompressionMethod(method) => Problem::new(
            ErrorKind::Unsupported,
            format!("7z members packed with {method} are not supported; unpack them first"),
        ),
        Error::MaxMemLimited { .. } => Problem::needs_memory(NAME),
        Error::Io(error, _) if error.kind() == io::ErrorKind::UnexpectedEof => Problem::truncated(NAME),
        error => Problem::damaged(NAME, error),
    }
}
