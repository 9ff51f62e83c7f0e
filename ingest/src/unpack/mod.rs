//! From a file on disk to the readable streams in it: anything compressed or packed, at any depth, is
//! unpacked while it is read.
//!
//! [`unpack`] walks a file and passes each stream on as a [`Member`]. Containers are recognised by their
//! bytes; each has a file of its own here. Truncated or damaged data is read as far as possible and then
//! fails with the reason; a member that cannot be read at all is passed on as an error with its name.

mod bzip2;
mod container_kind;
mod frame_decoder;
mod gzip;
mod input;
mod lz4;
mod member_path;
mod meter;
mod sevenz;
mod spool;
mod tar;
mod watched_file;
mod xz;
mod zip;
mod zstd;

use std::io::{Read, Seek};
use std::path::PathBuf;
use std::sync::Arc;

use self::container_kind::{ContainerKind, HEAD_BYTES, kind};
use self::frame_decoder::FrameDecoder;
use self::input::{Input, Peek};
use self::meter::{Meter, Metered};
pub use self::meter::{Packed, Stop};
use self::spool::{Storage, spool};
use self::watched_file::WatchedFile;
use crate::discover::InputFile;
use crate::error::{Error, ErrorKind};
use crate::limits;
use crate::logins::{UsedRecords, has_unused_records};
use crate::open_file::open_file;
use crate::problem::Problem;

/// The limits on unpacking. The defaults suit usual logs; they can be raised for a trusted file.
#[derive(Clone, Debug)]
pub struct UnpackLimits {
    /// The largest ratio of unpacked to packed size of a file, all members and levels together.
    pub expansion_ratio: u64,
    /// The ratio is not checked up to this many unpacked bytes.
    pub expansion_free_bytes: u64,
    /// The largest number of nested containers.
    pub deepest_nesting: u32,
    /// The largest number of members in one file.
    pub most_members: u64,
    /// The most memory a decoder may use for its window; a nested one gets half.
    pub decoder_memory_bytes: u64,
    /// Archives inside archives that must be spooled go to a temporary file beyond this size.
    pub spool_memory_bytes: u64,
    /// Ends reading early, within members and between them.
    pub stop: Stop,
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
            stop: Stop::default(),
        }
    }
}

/// Whether the first bytes of a file are those of a container.
pub(crate) fn is_container(head: &[u8]) -> bool {
    kind(head) != ContainerKind::Plain
}

/// One readable stream: a plain file, the content of a compressed one, or a member of an archive.
pub struct Member<'a> {
    /// The file's path, followed by the member's path inside it.
    pub path: PathBuf,
    /// The file's name for people, followed by the member's path inside it.
    pub name: String,
    /// When it was last written, in nanoseconds since 1970 UTC, by the innermost archive.
    pub modified_ns: Option<i64>,
    /// The number of bytes, if known.
    pub bytes: Option<u64>,
    /// How far the file is read, if it contains only this stream and must be unpacked to be counted.
    pub packed: Option<Arc<Packed>>,
    /// The containers around it, outermost first: `none`, `gzip`, `xz+tar`.
    pub compression: String,
    /// The bytes, or an error. Reading fails with an `io::Error` if the data is truncated or damaged or
    /// reaches a limit, after everything before that was read; `Error::io` recovers the reason.
    pub input: Result<Box<dyn Read + Send + 'a>, Error>,
}

/// Opens a file and passes every readable stream in it to `visit`, in the archive's order. A stream that
/// cannot be read is passed on too, with the error in place of the input. `visit` may read as much of each as
/// it likes; when it returns false, unpacking stops.
pub fn unpack(found: &InputFile, limits: &UnpackLimits, visit: &mut dyn FnMut(Member<'_>) -> bool) {
    let (mut walk, place) = UnpackWalk::new(found, limits, visit);
    let opened = open_file(found).and_then(|mut file| {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        Read::by_ref(&mut file).take(HEAD_BYTES as u64).read_to_end(&mut head)?;
        file.rewind()?;
        let bytes = file.metadata()?.len();
        walk.meter.add_packed(bytes);
        let has_holes = has_unused_records(&found.name, bytes, &mut file)?;
        file.rewind()?;
        Ok((kind(&head), file, bytes, has_holes))
    });
    match opened {
        Err(error) => walk.visit(&place, Err(Error::io(&place.path, error))),
        Ok((kind @ (ContainerKind::Zip | ContainerKind::SevenZ), file, ..)) => {
            walk.archive(place.clone(), kind, Storage::File(file));
        }
        Ok((_, file, bytes, has_holes)) => {
            let packed = Arc::new(Packed::new(bytes));
            walk.packed = Some(Arc::clone(&packed));
            let file = WatchedFile::new(file, found.path.clone(), packed, walk.meter());
            if has_holes {
                let mut place = place.clone();
                place.enter("sparse", false);
                place.bytes = None;
                walk.plain(&place, Input::new(UsedRecords::new(file)));
            } else {
                walk.open(place.clone(), Input::new(file));
            }
        }
    }
    walk.finish(&place);
}

/// Like [`unpack`], for bytes that do not come from the file itself: `found` provides the names.
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

/// The state of the walk: the properties of the future member, if its bytes turn out to be no container.
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
    /// Those of them that could be opened.
    opened: u64,
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
        let meter = Arc::new(Meter::new(limits));
        (UnpackWalk { limits, meter, packed: None, visit, visited: 0, opened: 0, stopped: false }, place)
    }

    /// Reports an error if there was no member.
    fn finish(&mut self, place: &StreamPlace) {
        if self.visited == 0 && self.wants_more() {
            self.refuse(place, Problem::new(ErrorKind::Empty, "there is no file with content in it"));
        }
    }

    /// Examines the next bytes and unpacks them, or passes them on as they are.
    fn open(&mut self, mut place: StreamPlace, mut input: Input<'_>) {
        let kind = kind(input.peek(HEAD_BYTES));
        match kind {
            ContainerKind::Plain => self.plain(&place, input),
            ContainerKind::Unread(what) => {
                let message = format!("it is {what}, which is not supported; unpack it first");
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

    /// Unpacks one layer of compression.
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

    /// Unpacks an archive that needs random access.
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

    /// Passes on bytes that are not a container. Empty members are usual and are skipped.
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

    /// The place of a member; `None` if it is skipped.
    // A walk is what an archive asks, for members as for everything else.
    #[allow(clippy::unused_self)]
    fn member(
        &mut self,
        archive: &StreamPlace,
        raw_path: &str,
        backslash_separates: bool,
        modified_ns: Option<i64>,
        bytes: Option<u64>,
    ) -> Option<StreamPlace> {
        let plain = member_path::plain(raw_path, backslash_separates);
        if member_path::is_macos_extra(&plain) {
            return None;
        }
        Some(StreamPlace {
            path: archive.path.join(&plain),
            name: format!("{}/{plain}", archive.name),
            modified_ns,
            bytes,
            containers: archive.containers.clone(),
            in_archive: true,
        })
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
        self.opened += u64::from(input.is_ok());
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

    fn wants_more(&self) -> bool {
        !self.stopped
    }

    fn meter(&self) -> Arc<Meter> {
        Arc::clone(&self.meter)
    }

    /// The most memory for the next decoder: less and less, so that all of them together stay below twice as
    /// much.
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

    /// A compressed file may contain the time when the original was written; copying the file does not change
    /// that.
    fn written_by(&mut self, written_ns: Option<i64>) {
        if let Some(written_ns) = written_ns {
            self.modified_ns = Some(self.modified_ns.map_or(written_ns, |known| known.min(written_ns)));
        }
    }
}
