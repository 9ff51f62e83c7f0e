//! Opens the streams of an import: each is compared with the sources of the case and read from where they
//! end; a stored source is read from its own bytes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ingest::{InputFile, Member, ResumePoint, Source, Stop, Succession, UnpackLimits};
use sha2::{Digest, Sha256};

use super::ImportOptions;
use super::held::ReplacedAt;
use super::known::{Compared, Comparison, Known, begins_as, fingerprint};
use super::read::{Begin, FileStream, Input, Out, ReadStep, SourceState};
use crate::writing::KnownSource;
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use base::limits::HEAD_BYTES;
use store::{Accounts, FormatFile, Reading, Resume, bytes_as_text};

/// The input of the reader.
pub struct Opening<'s> {
    pub case: &'s Path,
    pub inputs: &'s [Input],
    pub options: &'s ImportOptions,
    pub known: &'s Known,
}

impl Opening<'_> {
    /// How a stream is read.
    fn options_of(&self, path: &Path) -> &ingest::Options {
        self.options.chosen.get(path).unwrap_or(&self.options.ingest)
    }
}

/// Reads every input to its end.
pub fn read_all(opening: &Opening<'_>, out: &mut Out<'_>, cancel: &Cancel) {
    let reader = Reader { opening, cancel, before: RefCell::default(), accounts: RefCell::default() };
    for (index, input) in opening.inputs.iter().enumerate() {
        let wanted = match input {
            Input::File(found, set) => reader.file(index, found, set.as_deref(), out),
            Input::Text { name, bytes, now_ns } => reader.text(index, name, bytes, *now_ns, out),
            Input::Stored { source, options } => reader.stored(index, *source, options, out),
        };
        if !wanted {
            break;
        }
    }
}

struct Reader<'s> {
    opening: &'s Opening<'s>,
    cancel: &'s Cancel,
    /// The state that the last file of a rotated set hands to the next.
    before: RefCell<Option<(String, Succession)>>,
    /// Cached files of accounts.
    accounts: RefCell<HashMap<u64, Arc<Accounts>>>,
}

/// A stream of a file, and what is known of it.
struct OpenedSource {
    path: PathBuf,
    name: String,
    modified_ns: Option<i64>,
    compression: String,
    head: Vec<u8>,
}

type Bytes<'a> = Box<dyn Read + Send + 'a>;

impl Reader<'_> {
    /// Reads one file with all of its streams. False if the receiver is gone.
    fn file(&self, file: usize, found: &InputFile, set: Option<&str>, out: &mut Out<'_>) -> bool {
        let mut wanted = true;
        let stop = self.cancel.clone();
        let unpack = UnpackLimits {
            stop: Stop::when(move || stop.is_set()),
            ..self.opening.options.ingest.unpack.clone()
        };
        ingest::members(found, &unpack, &mut |member| {
            if self.opening.options.left_out.contains(&member.path) {
                return true;
            }
            let stream = FileStream {
                file,
                path: member.path.clone(),
                name: member.name.clone(),
                bytes: member.bytes,
                // The members of an archive have an order of their own.
                set: set.filter(|_| member.name == found.name).map(str::to_owned),
            };
            let set = stream.set.clone();
            out.packed.clone_from(&member.packed);
            wanted = out.step(ReadStep::Found(Box::new(stream))) && self.member(member, set.as_deref(), out);
            wanted
        });
        wanted
    }

    /// Reads text without a file.
    fn text(&self, file: usize, name: &str, bytes: &[u8], now_ns: Option<i64>, out: &mut Out<'_>) -> bool {
        let path = PathBuf::from(name);
        let length = Some(bytes.len() as u64);
        let stream = FileStream { file, path: path.clone(), name: name.to_owned(), bytes: length, set: None };
        let member = Member {
            path,
            name: name.to_owned(),
            modified_ns: now_ns,
            bytes: length,
            packed: None,
            compression: "none".to_owned(),
            input: Ok(Box::new(Cursor::new(bytes.to_vec()))),
        };
        out.step(ReadStep::Found(Box::new(stream))) && self.member(member, None, out)
    }

    fn member(&self, member: Member<'_>, set: Option<&str>, out: &mut Out<'_>) -> bool {
        let Member { path, name, modified_ns, compression, input, .. } = member;
        let mut input = match input {
            Ok(input) => input,
            Err(error) if error.kind() == ingest::ErrorKind::Doubtful => {
                return out.step(ReadStep::Doubtful { problem: error.into() });
            }
            Err(error) => return out.end(Some(error.into())),
        };
        let mut head = Vec::with_capacity(HEAD_BYTES);
        let problem = input.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head).err();
        let mut bytes: Bytes<'_> = Box::new(Cursor::new(head.clone()).chain(ended(problem, input)));
        let stream = OpenedSource { path, name, modified_ns, compression, head };
        let path = stream.path.to_string_lossy();
        let (mut note, mut unreadable) = (None, None);
        let candidates = if self.opening.options.again {
            Vec::new()
        } else {
            self.opening.known.candidates(&stream.head, &path, self.cancel)
        };
        for candidate in candidates {
            let resume = self.resume(&candidate);
            let mark = resume.as_ref().map(|resume| resume.offset);
            let compared = self.opening.known.compare(&candidate, &mut *bytes, mark);
            match compared.found {
                Comparison::Same => {
                    let moved = self.moved(&candidate, &stream, set);
                    return is_known(&candidate, compared, moved, out);
                }
                Comparison::Grown => {
                    self.opening.known.moved(candidate.id, &path);
                    return self.grown(&stream, &candidate, resume, compared, bytes, out);
                }
                Comparison::Shorter | Comparison::Other | Comparison::Unreadable => {
                    if compared.found == Comparison::Unreadable && begins_as(&candidate.entry, &stream.head) {
                        unreadable = Some(is_unreadable(&candidate, &stream.path));
                    } else if candidate.entry.path == path {
                        note = Some(changed(&candidate, compared.found));
                    }
                    let same = self.opening.known.stored(&candidate, compared.same);
                    let rest = Cursor::new(compared.following).chain(ended(compared.problem, bytes));
                    bytes = Box::new(same.chain(rest));
                }
            }
        }
        match unreadable {
            Some(problem) => out.end(Some(problem)),
            None => self.first(&stream, set, bytes, note, out),
        }
    }

    /// The new name of a rotated source: another file may have its old name now.
    fn moved(
        &self,
        known: &KnownSource,
        stream: &OpenedSource,
        set: Option<&str>,
    ) -> Option<(PathBuf, String)> {
        let before = Path::new(&known.entry.path);
        let is_rotation = set.is_some()
            && before != stream.path
            && before.parent() == stream.path.parent()
            && base_of(before) == base_of(&stream.path);
        is_rotation.then(|| {
            self.opening.known.moved(known.id, &stream.path.to_string_lossy());
            (stream.path.clone(), stream.name.clone())
        })
    }

    /// A stream that the case does not have.
    fn first(
        &self,
        stream: &OpenedSource,
        set: Option<&str>,
        bytes: Bytes<'_>,
        note: Option<String>,
        out: &mut Out<'_>,
    ) -> bool {
        let options = self.opening.options_of(&stream.path);
        let mut source = match Source::detect(stream.member(bytes), options) {
            Ok(source) => source,
            Err(error) => return out.end(Some(error.into())),
        };
        let mut followed = None;
        if let (Some(set), Some((of, before))) = (set, &*self.before.borrow())
            && set == of
            && options.format.is_none()
            && source.follow(before)
        {
            followed = Some(bytes_as_text(&source.heading()));
        }
        let ticket = self.opening.known.opening(&stream.head);
        let begin = stream.begin(&source, options, SourceState::New { ticket }, note);
        let begin = Begin { followed, ..begin };
        let wanted = out.source(&mut source, begin, Sha256::new());
        *self.before.borrow_mut() = set.map(|set| (set.to_owned(), source.succession()));
        wanted
    }

    /// A stream that begins with all stored bytes of a source.
    fn grown(
        &self,
        stream: &OpenedSource,
        known: &KnownSource,
        resume: Option<Resume>,
        compared: Compared,
        bytes: Bytes<'_>,
        out: &mut Out<'_>,
    ) -> bool {
        let options = known.entry.reading.under(self.opening.options_of(&stream.path));
        let options = match known.reading.with_definition(options) {
            Ok(options) => options,
            Err(error) => return out.end(Some(error)),
        };
        let rest = Cursor::new(compared.following).chain(ended(compared.problem, bytes));
        if known.entry.reading.is_of(&options)
            && known.has_current_frames()
            && let (Some(resume), Some(hash)) = (resume, compared.at_mark)
            && let Some((source, settler)) = self.go_on(stream, known, &resume, &options)
        {
            let last_chunk = self.opening.known.stored_from(known, resume.offset);
            let state = SourceState::Resumed { source: known.id, resume: Box::new(resume) };
            let mut begin = Begin { settler, ..stream.begin(&source, &options, state, None) };
            begin.reading.follows = known.reading.follows(&options);
            return out.source(&mut source.reading(Box::new(last_chunk.chain(rest))), begin, hash);
        }
        let stored = self.opening.known.stored(known, known.entry.bytes);
        let replaced_at = ReplacedAt::Bytes(known.entry.bytes);
        self.reread(stream, known, &options, Box::new(stored.chain(rest)), replaced_at, out)
    }

    /// Reads a source of the case from the start, like the source that it follows if there is one.
    fn reread(
        &self,
        stream: &OpenedSource,
        known: &KnownSource,
        options: &ingest::Options,
        bytes: Bytes<'_>,
        replaced_at: ReplacedAt,
        out: &mut Out<'_>,
    ) -> bool {
        let opened = Source::detect(stream.member(bytes), options).map_err(Error::from);
        let opened = opened.and_then(|mut source| self.follow(known, options, &mut source).map(|()| source));
        match opened {
            Err(error) => out.end(Some(error)),
            Ok(mut source) => {
                let state = SourceState::Reread { source: known.id, replaced_at };
                let mut begin = stream.begin(&source, options, state, None);
                begin.reading.follows = known.reading.follows(options);
                if replaced_at == ReplacedAt::End {
                    self.as_detected(known, &mut begin);
                }
                out.source(&mut source, begin, Sha256::new())
            }
        }
    }

    /// A source that followed another one when it was first read keeps doing so.
    fn follow(&self, known: &KnownSource, options: &ingest::Options, source: &mut Source<'_>) -> Result<()> {
        let Some(follows) = known.reading.follows(options) else { return Ok(()) };
        let first = self.opening.known.source(follows.source);
        let generation = first.map_or(0, |first| first.entry.generation);
        known.reading.follow(self.opening.case, &follows, generation, source)
    }

    /// The source and its settler, if both describe the following bytes like the preceding ones.
    fn go_on<'a>(
        &self,
        stream: &OpenedSource,
        known: &KnownSource,
        resume: &Resume,
        options: &ingest::Options,
    ) -> Option<(Source<'a>, ingest::Settler)> {
        let sample_bytes = ingest::limits::SAMPLE_BYTES as u64;
        if known.entry.bytes < sample_bytes {
            // The following bytes may change what the sample shows.
            return None;
        }
        let mut sample = Vec::new();
        self.opening.known.stored(known, sample_bytes).read_to_end(&mut sample).ok()?;
        let heading = resume.heading.clone().into_bytes();
        let place = ResumePoint { offset: resume.offset, line: resume.line, heading };
        let mut source = Source::resume(&stream.stream(), &sample, &place, options).ok()?;
        self.follow(known, options, &mut source).ok()?;
        let detection = source.detection();
        if detection.format != known.entry.format || detection.encoding != known.entry.encoding {
            return None;
        }
        let mut settler = source.settler();
        settler.resume_from(&resume.settler).then_some((source, settler))
    }

    fn resume(&self, known: &KnownSource) -> Option<Resume> {
        self.accounts(known)?.of.get(&known.id)?.resume.clone()
    }

    fn accounts(&self, known: &KnownSource) -> Option<Arc<Accounts>> {
        let number = known.entry.account?;
        let mut read = self.accounts.borrow_mut();
        if let Some(accounts) = read.get(&number) {
            return Some(Arc::clone(accounts));
        }
        let accounts = Arc::new(Accounts::read(self.opening.case, number).ok()?);
        read.insert(number, Arc::clone(&accounts));
        Some(accounts)
    }

    /// A detected format and encoding stay if only the times are read in another way.
    fn as_detected(&self, known: &KnownSource, begin: &mut Begin) {
        let entry = &known.entry;
        if entry.reading.encoding.is_none() && begin.reading.encoding.as_ref() == Some(&entry.encoding) {
            begin.reading.encoding = None;
        }
        if entry.reading.format.is_some() || begin.reading.format.as_ref() != Some(&entry.format) {
            return;
        }
        begin.reading.format = None;
        if let Some(account) = self.accounts(known).and_then(|accounts| accounts.of.get(&known.id).cloned()) {
            let others = account.alternatives.into_iter();
            begin.detection.alternatives =
                others.map(|(format, score)| ingest::Alternative { format, score }).collect();
            begin.detection.time_fields = account.time_fields;
            (begin.detection.score, begin.detection.reason) = (account.score, account.reason);
        }
    }

    /// Reads the stored bytes of a source with these options.
    fn stored(&self, file: usize, source: u32, options: &ingest::Options, out: &mut Out<'_>) -> bool {
        let Some(known) = self.opening.known.source(source) else {
            return out.end(Some(Error::new(ErrorKind::NotFound, format!("there is no source {source}"))));
        };
        let entry = &known.entry;
        let mut head = Vec::new();
        let read = self.opening.known.stored(&known, HEAD_BYTES as u64).read_to_end(&mut head);
        let stream = OpenedSource {
            path: PathBuf::from(&entry.path),
            name: entry.name.clone(),
            modified_ns: entry.modified,
            compression: entry.compression.clone(),
            head,
        };
        let found = FileStream {
            file,
            path: stream.path.clone(),
            name: entry.name.clone(),
            bytes: Some(entry.bytes),
            set: entry.set.clone(),
        };
        if !out.step(ReadStep::Found(Box::new(found))) {
            return false;
        }
        if let Err(error) = read {
            return out.end(Some(Error::damaged(self.opening.case, error)));
        }
        let bytes = Box::new(self.opening.known.stored(&known, entry.bytes));
        match known.reading.with_definition(options.clone()) {
            Err(error) => out.end(Some(error)),
            Ok(options) => self.reread(&stream, &known, &options, bytes, ReplacedAt::End, out),
        }
    }
}

impl OpenedSource {
    fn stream(&self) -> ingest::StreamInfo<'_> {
        ingest::StreamInfo {
            path: &self.path,
            name: &self.name,
            modified_ns: self.modified_ns,
            compression: &self.compression,
        }
    }

    fn member<'a>(&self, bytes: Bytes<'a>) -> Member<'a> {
        Member {
            path: self.path.clone(),
            name: self.name.clone(),
            modified_ns: self.modified_ns,
            bytes: None,
            packed: None,
            compression: self.compression.clone(),
            input: Ok(bytes),
        }
    }

    fn begin(
        &self,
        source: &Source<'_>,
        options: &ingest::Options,
        state: SourceState,
        note: Option<String>,
    ) -> Begin {
        let detection = source.detection().clone();
        let definition =
            options.definitions.iter().find(|known| known.name == ingest::message_format(&detection.format));
        let definition = definition.map(|known| {
            let written = known.written();
            FormatFile { name: written.file_name.clone(), text: written.text.clone() }
        });
        Begin {
            detection,
            settler: source.settler(),
            modified_ns: self.modified_ns,
            head: fingerprint(&self.head),
            reading: Reading { sample_bytes: source.sample_bytes() as u64, ..Reading::from_options(options) },
            definition,
            followed: None,
            state,
            note,
        }
    }
}

fn base_of(path: &Path) -> Option<String> {
    Some(ingest::rotated(&path.file_name()?.to_string_lossy()).base)
}

/// All of a stream is in the case.
fn is_known(
    known: &KnownSource,
    compared: Compared,
    moved: Option<(PathBuf, String)>,
    out: &mut Out<'_>,
) -> bool {
    let problem =
        compared.problem.map(|error| Error::from(ingest::Error::io(Path::new(&known.entry.path), error)));
    out.step(ReadStep::Known { source: known.id, is_whole: problem.is_none(), moved }) && out.end(problem)
}

/// A stream that a damaged source may hold already. Repair would bring its events back next to new ones.
fn is_unreadable(known: &KnownSource, path: &Path) -> Error {
    let (id, name) = (known.id, &known.entry.name);
    let message = format!(
        "nothing of it was imported, because it begins as source {id} ({name}) does, whose stored bytes are damaged, and \
         its events would be twice in the case"
    );
    Error::new(ErrorKind::CaseDamaged, message).at(path).hint(
        "repair the case with `timberline verify --repair` and import the file again; if damage is left, delete the \
         source first",
    )
}

fn changed(known: &KnownSource, how: Comparison) -> String {
    let what = if how == Comparison::Shorter { "is shorter than when" } else { "was replaced since" };
    let (bytes, id) = (known.entry.bytes, known.id);
    format!(
        "it {what} it was imported; what it was then ({bytes} bytes) stays source {id}, and what it is now is a source of its own"
    )
}

/// After a failed read the failure is returned, not the rest.
fn ended(problem: Option<io::Error>, rest: Bytes<'_>) -> Bytes<'_> {
    match problem {
        None => rest,
        Some(error) => Box::new(Failing(Some(error))),
    }
}

struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
