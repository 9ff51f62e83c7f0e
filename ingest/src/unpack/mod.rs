//! From a file on disk to the readable streams in it: whatever is compressed or packed, and however deep,
//! is unpacked while it is read.
//!
//! [`unpack`] walks a file and hands each stream out as a [`Member`]. Containers are recognised by their
//! bytes; each has a file of its own here. Data that is cut off or damaged comes out as far as it can be
//! read and then fails with the reason; what cannot be read at all is handed out as an error with its name.

mod bzip2;
mod container_kind;
mod frame_decoder;
mod gzip;
mod input;
mod lz4;
mod member_path;
mod meter;
mod problem;
mod sevenz;
mod spool;
mod tar;
mod xz;
mod zip;
mod zstd;

use std::fs::File;
use std::io::{Read, Seek};
use std::path::PathBuf;
use std::sync::Arc;

use self::container_kind::{ContainerKind, HEAD_BYTES, kind};
use self::frame_decoder::FrameDecoder;
use self::input::{Input, Peek};
pub use self::meter::Packed;
use self::meter::{Followed, Meter, Metered};
use self::problem::Problem;
pub(crate) use self::problem::carried;
use self::spool::{Storage, spool};
use crate::discover::InputFile;
use crate::error::{Error, ErrorKind};
use crate::limits;

/// How much unpacking may take. The defaults suit logs of any usual kind; who trusts a file may raise them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnpackLimits {
    /// How many times its size on disk a file may unpack to, all members and levels together.
    pub expansion_ratio: u64,
    /// Up to so many unpacked bytes the ratio is not asked for.
    pub expansion_free_bytes: u64,
    /// How many containers may be inside one another.
    pub deepest_nesting: u32,
    /// How many members one file may have.
    pub most_members: u64,
    /// What a decoder may take for its window; one inside another gets half.
    pub decoder_memory_bytes: u64,
    /// Archives inside archives that must be put aside go to a temporary file beyond this size.
    pub spool_memory_bytes: u64,
}

impl Default for UnpackLimits {
    fn default() -> UnpackLimits {
        UnpackLimits {
            expansion_ratio: limits::EXPANSION_RATIO,
            expansion_free_bytes: limits::EXPANSION_FREE_BYTES,
            deepest_nesting: limits::DEEPEST_NESTING,
            most_members: limits::MOST_MEMBERS,
            decoder_memory_bytes: limits::DECODER_MEMORY_BYTES,
            spool_memory_bytes: limits::SPOOL_MEMORY_BYTES,
        }
    }
}

/// Whether a file is something to be unpacked, by its first bytes.
pub(crate) fn is_container(head: &[u8]) -> bool {
    kind(head) != ContainerKind::Plain
}

/// One readable stream: a plain file, the content of a compressed one, or a member of an archive.
pub struct Member<'a> {
    /// The file's path, with the member's path inside it behind.
    pub path: PathBuf,
    /// The file's name for people, with the member's path inside it behind.
    pub name: String,
    /// When it was last written, in nanoseconds since 1970 UTC, as the innermost archive tells it.
    pub modified_ns: Option<i64>,
    /// How many bytes there are, where something tells it.
    pub bytes: Option<u64>,
    /// How far the file is read, where this is all that it holds and it must be unpacked to be counted.
    pub packed: Option<Arc<Packed>>,
    /// The containers around it, outermost first: `none`, `gzip`, `xz+tar`.
    pub compression: String,
    /// The bytes, or why there are none. Reading fails with an `io::Error` where the data is cut off or
    /// damaged or reaches a limit, after everything before that was read; `Error::io` keeps the reason.
    pub input: Result<Box<dyn Read + Send + 'a>, Error>,
}

/// Opens a file and hands every readable stream in it to `visit`, in the archive's order. What cannot be
/// read is handed out too, with the error in place of the input. `visit` may read as much of each as it
/// likes; when it returns false, nothing more is handed out.
pub fn unpack(found: &InputFile, limits: &UnpackLimits, visit: &mut dyn FnMut(Member<'_>) -> bool) {
    let (mut walk, place) = UnpackWalk::new(found, limits, visit);
    let opened = File::open(&found.path).and_then(|mut file| {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        Read::by_ref(&mut file).take(HEAD_BYTES as u64).read_to_end(&mut head)?;
        file.rewind()?;
        let bytes = file.metadata()?.len();
        walk.meter.add_packed(bytes);
        Ok((kind(&head), file, bytes))
    });
    match opened {
        Err(error) => walk.visit(&place, Err(Error::io(&place.path, error))),
        Ok((kind @ (ContainerKind::Zip | ContainerKind::SevenZ), file, _)) => {
            walk.archive(place.clone(), kind, Storage::File(file));
        }
        Ok((_, file, bytes)) => {
            let packed = Arc::new(Packed::new(bytes));
            walk.packed = Some(Arc::clone(&packed));
            walk.open(place.clone(), Input::new(Followed { inner: file, packed }));
        }
    }
    walk.finish(&place);
}

/// As [`unpack`], for bytes that come from elsewhere than a file: `found` says what to call them.
pub fn unpack_stream<'a>(
    found: &InputFile,
    input: impl Read + Send + 'a,
    limits: &UnpackLimits,
    visit: &mut dyn FnMut(Member<'_>) -> bool,
) {
    let (mut walk, mut place) = UnpackWalk::new(found, limits, visit);
    place.bytes = None;
    let counted = meter::MeteredSource { inner: input, meter: walk.meter() };
    walk.open(place.clone(), Input::new(counted));
    walk.finish(&place);
}

/// Where the walk is: what will be the member's, once its bytes turn out to be no container.
#[derive(Clone)]
struct StreamPlace {
    path: PathBuf,
    name: String,
    modified_ns: Option<i64>,
    bytes: Option<u64>,
    containers: Vec<&'static str>,
    /// Whether an archive is among the containers, so that there may be other members.
    in_archive: bool,
}

struct UnpackWalk<'w> {
    limits: &'w UnpackLimits,
    meter: Arc<Meter>,
    packed: Option<Arc<Packed>>,
    visit: &'w mut dyn FnMut(Member<'_>) -> bool,
    visited: u64,
    stopped: bool,
}

impl<'w> UnpackWalk<'w> {
    fn new(
        found: &InputFile,
        limits: &'w UnpackLimits,
        visit: &'w mut dyn FnMut(Member<'_>) -> bool,
    ) -> (UnpackWalk<'w>, StreamPlace) {
        let place = StreamPlace {
            path: found.path.clone(),
            name: found.name.clone(),
            modified_ns: found.modified_ns,
            bytes: Some(found.bytes),
            containers: Vec::new(),
            in_archive: false,
        };
        let meter = Arc::new(Meter::new(limits.expansion_free_bytes, limits.expansion_ratio));
        (UnpackWalk { limits, meter, packed: None, visit, visited: 0, stopped: false }, place)
    }

    /// Says so when nothing was handed out.
    fn finish(&mut self, place: &StreamPlace) {
        if self.visited == 0 && self.goes_on() {
            self.refuse(place, Problem::new(ErrorKind::Empty, "there is no file with content in it"));
        }
    }

    /// Looks at the next bytes and unpacks them, or hands them out as they are.
    fn open(&mut self, mut place: StreamPlace, mut input: Input<'_>) {
        let kind = kind(input.peek(HEAD_BYTES));
        match kind {
            ContainerKind::Plain => self.plain(&place, input),
            ContainerKind::Unread(what) => {
                let message = format!("it is {what}, which is not read; unpack it first");
                self.refuse(&place, Problem::new(ErrorKind::Unsupported, message));
            }
            _ if !self.may_enter(&place) => {}
            ContainerKind::Tar => {
                place.enter("tar", true);
                tar::read_tar(self, &place, input);
            }
            ContainerKind::Zip | ContainerKind::SevenZ => {
                let (storage, error) = spool(&mut input, self.limits.spool_memory_bytes);
                self.archive(place.clone(), kind, storage);
                if let Some(error) = error {
                    self.refuse(&place, Problem::from_error(&error));
                }
            }
            ContainerKind::Gzip
            | ContainerKind::Bzip2
            | ContainerKind::Xz
            | ContainerKind::Zstd
            | ContainerKind::Lz4 => self.stream(place, kind, input),
        }
    }

    /// Goes through one layer of compression.
    fn stream(&mut self, mut place: StreamPlace, kind: ContainerKind, mut input: Input<'_>) {
        let memory_bytes = self.decoder_memory_bytes(&place);
        let (name, inner): (_, Box<dyn Read + Send + '_>) = match kind {
            ContainerKind::Gzip => {
                place.written_by(gzip::written_ns(input.peek(HEAD_BYTES)));
                ("gzip", Box::new(FrameDecoder::new(input, gzip::Gzip::new())))
            }
            ContainerKind::Bzip2 => ("bzip2", Box::new(FrameDecoder::new(input, bzip2::Bzip2::new()))),
            ContainerKind::Xz => ("xz", Box::new(FrameDecoder::new(input, xz::Xz::new(memory_bytes)))),
            ContainerKind::Lz4 => ("lz4", Box::new(lz4::Lz4::new(input))),
            _ => match zstd::Zstd::new(memory_bytes) {
                Ok(codec) => ("zstd", Box::new(FrameDecoder::new(input, codec))),
                Err(problem) => return self.refuse(&place, problem),
            },
        };
        place.enter(name, false);
        place.bytes = None;
        let meter = self.meter();
        self.open(place, Input::new(Metered { inner, meter }));
    }

    /// Goes into an archive that is read at any position.
    fn archive(&mut self, mut place: StreamPlace, kind: ContainerKind, storage: Storage) {
        if !self.may_enter(&place) {
            return;
        }
        if kind == ContainerKind::Zip {
            place.enter("zip", true);
            zip::read_zip(self, &place, storage);
        } else {
            place.enter("7z", true);
            sevenz::read_7z(self, &place, storage);
        }
    }

    /// Hands out bytes that are no container. Empty members are usual and say nothing.
    fn plain(&mut self, place: &StreamPlace, mut input: Input<'_>) {
        if !input.peek(1).is_empty() {
            return self.visit(place, Ok(Box::new(input)));
        }
        match input.take_error() {
            Some(error) => self.visit(place, Err(Error::io(&place.path, error))),
            None if place.in_archive => {}
            None => self.refuse(place, Problem::new(ErrorKind::Empty, "it is empty")),
        }
    }

    /// The place of a member; `None` for one that is passed over, or refused because of its path.
    fn member(
        &mut self,
        archive: &StreamPlace,
        raw_path: &str,
        backslash_separates: bool,
        modified_ns: Option<i64>,
        bytes: Option<u64>,
    ) -> Option<StreamPlace> {
        let (path, name, refused) = match member_path::plain(raw_path, backslash_separates) {
            Ok(plain) if member_path::is_macos_extra(&plain) => return None,
            Ok(plain) => (archive.path.join(&plain), format!("{}/{plain}", archive.name), None),
            Err(why) => (archive.path.clone(), format!("{}/{raw_path}", archive.name), Some(why)),
        };
        let member = StreamPlace {
            path,
            name,
            modified_ns,
            bytes,
            containers: archive.containers.clone(),
            in_archive: true,
        };
        match refused {
            None => Some(member),
            Some(why) => {
                let message =
                    format!("the path \"{}\" {why}, so this member is not read", raw_path.escape_debug());
                self.refuse(&member, Problem::new(ErrorKind::Refused, message));
                None
            }
        }
    }

    fn may_enter(&mut self, place: &StreamPlace) -> bool {
        let deeper = place.containers.len() < self.limits.deepest_nesting as usize;
        if !deeper {
            let message = format!(
                "more than {} archives are inside one another; raise the limit \"deepest_nesting\" to read this one",
                self.limits.deepest_nesting
            );
            self.refuse(place, Problem::new(ErrorKind::Limit, message));
        }
        deeper
    }

    fn refuse(&mut self, place: &StreamPlace, problem: Problem) {
        self.visit(place, Err(Error::new(problem.kind, &place.path, problem.message)));
    }

    fn visit(&mut self, place: &StreamPlace, input: Result<Box<dyn Read + Send + '_>, Error>) {
        if self.stopped {
            return;
        }
        let mut input = input;
        if self.visited == self.limits.most_members {
            let message = format!(
                "it has more than {} members; raise the limit \"most_members\" to read the others",
                self.limits.most_members
            );
            input = Err(Error::new(ErrorKind::Limit, &place.path, message));
            self.stopped = true;
        }
        self.visited += 1;
        let compression =
            if place.containers.is_empty() { "none".to_string() } else { place.containers.join("+") };
        let wanted = (self.visit)(Member {
            path: place.path.clone(),
            name: place.name.clone(),
            modified_ns: place.modified_ns,
            bytes: place.bytes,
            packed: self.packed.clone().filter(|_| place.bytes.is_none() && !place.in_archive),
            compression,
            input,
        });
        self.stopped |= !wanted;
    }

    fn goes_on(&self) -> bool {
        !self.stopped
    }

    fn meter(&self) -> Arc<Meter> {
        Arc::clone(&self.meter)
    }

    /// What the next decoder may take: less and less, so that all of them together stay below twice as much.
    fn decoder_memory_bytes(&self, place: &StreamPlace) -> u64 {
        let decoders =
            place.containers.iter().filter(|name| matches!(**name, "xz" | "zstd" | "zip" | "7z")).count();
        self.limits.decoder_memory_bytes >> decoders.min(63)
    }
}

impl StreamPlace {
    fn enter(&mut self, container: &'static str, archive: bool) {
        self.containers.push(container);
        self.in_archive |= archive;
    }

    /// A compressed file may tell when the original was written; copying the file does not change that.
    fn written_by(&mut self, written_ns: Option<i64>) {
        if let Some(written_ns) = written_ns {
            self.modified_ns = Some(self.modified_ns.map_or(written_ns, |known| known.min(written_ns)));
        }
    }
}
