//! One file that is followed.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use memchr::{memchr, memrchr};

use super::watch::{Watched, Watcher};
use crate::intake::{Intake, Stream};
use crate::limits::{FILE_HEAD_BYTES, LONGEST_FRAME_BYTES, READ_BYTES, ROTATED_PATIENCE};
use crate::tally::Tally;

/// Endings of files that are packed, and so were written before.
const PACKED: &[&str] = &[".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip", ".7z", ".tar", ".tgz", ".Z", ".evtx"];

/// A device and a file's number on it.
type Number = (u64, u64);

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)] // Elsewhere there may be none.
pub fn number(meta: &Metadata) -> Option<Number> {
    use std::os::unix::fs::MetadataExt;
    Some((meta.dev(), meta.ino()))
}

/// Elsewhere nothing tells a file from another one of its name but when it was made.
#[cfg(not(unix))]
pub fn number(meta: &Metadata) -> Option<Number> {
    let created = meta.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some((0, created.as_nanos() as u64))
}

/// Whether a file is of a kind that is not followed.
pub fn is_packed(path: &Path) -> bool {
    let name = path.to_string_lossy();
    if PACKED.iter().any(|ending| name.ends_with(ending)) {
        return true;
    }
    let mut head = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read(&mut head)).unwrap_or_default();
    let marks: [&[u8]; 6] = [b"\x1F\x8B", b"\x28\xB5\x2F\xFD", b"BZh", b"\xFD7zX", b"\xFF\xFE", b"\xFE\xFF"];
    marks.iter().any(|mark| head[..read].starts_with(mark))
}

/// Whether a file is what another one of the same folder was renamed to: `app.log.1` next to `app.log`.
pub fn is_rotation(path: &Path, known: &BTreeSet<PathBuf>) -> bool {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else { return false };
    let places = name.match_indices(['.', '-']).map(|(at, _)| at);
    places.skip_while(|&at| at == 0).any(|at| {
        let (base, rest) = (&name[..at], &name[at + 1..]);
        let is_number = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        is_number && known.contains(&path.with_file_name(base))
    })
}

/// What tells a file from others: its number and its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    number: Number,
    head: Vec<u8>,
    /// So many NUL bytes come before its text, which a crash leaves there.
    nul: u64,
    length: u64,
}

impl Identity {
    /// Nothing while its first line is not there.
    pub fn from_path(path: &Path) -> Option<Identity> {
        Identity::of_file(&mut File::open(path).ok()?).ok()?
    }

    fn of_file(file: &mut File) -> io::Result<Option<Identity>> {
        let meta = file.metadata()?;
        file.seek(SeekFrom::Start(0))?;
        let mut first = Vec::new();
        file.take(READ_BYTES as u64).read_to_end(&mut first)?;
        let nul = first.iter().position(|&byte| byte != 0).unwrap_or(first.len());
        let text = &first[nul..];
        let head = match memchr(b'\n', text) {
            Some(end) => &text[..(end + 1).min(FILE_HEAD_BYTES)],
            None if text.len() >= FILE_HEAD_BYTES => &text[..FILE_HEAD_BYTES],
            None => return Ok(None),
        };
        let Some(number) = number(&meta) else { return Ok(None) };
        Ok(Some(Identity { number, head: head.to_vec(), nul: nul as u64, length: meta.len() }))
    }

    pub fn number(&self) -> Number {
        self.number
    }

    /// Whether a file is this one still. A new file gets the number of one that was deleted.
    pub fn is_of(&self, path: &Path) -> bool {
        Identity::from_path(path).is_some_and(|now| {
            (now.number, &now.head, now.nul) == (self.number, &self.head, self.nul)
                && now.length >= self.length
        })
    }

    /// What tells its streams from those of other files; files that were cut off have one each time.
    fn key(&self) -> String {
        let (device, number) = self.number;
        format!("{device:x}-{number:x}-{:08x}-", crc32fast::hash(&self.head))
    }
}

/// A file that is open, and how far it was read.
pub struct Followed {
    path: PathBuf,
    file: File,
    identity: Identity,
    stream: Stream,
    position: u64,
    /// What was read last, before its position: it tells the file from others that begin alike.
    tail: Vec<u8>,
    /// It was cut off, and its first line was not there yet.
    is_cut_off: bool,
    /// What it was copied to before it was cut off, with lines that were not read.
    copy: Option<Box<Followed>>,
    /// It is such a copy, which was written up to here.
    copied: Option<u64>,
    /// How often it was cut off since it was made.
    cut: u32,
    /// When it was first seen that another file, or none, is at its path.
    gone: Option<Instant>,
    /// By this it is known when something is written to it.
    watched: Option<Watched>,
    /// Something was written to it, or was not read yet.
    is_due: bool,
}

impl Followed {
    /// Opens a file where it was read to. Nothing while its first line is not there.
    pub fn open(path: &Path, log: &Arc<Tally>) -> Option<Followed> {
        let mut file = File::open(path).ok()?;
        let identity = Identity::of_file(&mut file).ok()??;
        let cut = last_cut(&identity, log).map_or(0, |(cut, _)| cut);
        let mut followed = Followed::new(path, file, identity, cut, log, None);
        if followed.position > followed.identity.length {
            followed.begin_again(log);
        }
        Some(followed)
    }

    /// Opens a file that has another name now, if it was followed and was not read to its end.
    pub fn rest_of(path: &Path, now: &Path, identity: &Identity, log: &Arc<Tally>) -> Option<Followed> {
        let (cut, name) = last_cut(identity, log)?;
        let file = File::open(now).ok()?;
        let followed = Followed::new(path, file, identity.clone(), cut, log, Some(name));
        (followed.position < identity.length).then_some(followed)
    }

    fn new(
        path: &Path,
        file: File,
        identity: Identity,
        cut: u32,
        log: &Arc<Tally>,
        name: Option<String>,
    ) -> Followed {
        let stream = name.map_or_else(|| stream_of(path, &identity, cut), Stream::new);
        // What came before its text was not appended.
        let position = match log.end_of(&stream.name) {
            0 => 0,
            end => end + identity.nul,
        };
        let length = position.min(FILE_HEAD_BYTES as u64);
        let tail = read_at(&file, position - length, length as usize).unwrap_or_default();
        Followed {
            path: path.to_owned(),
            file,
            identity,
            stream,
            position,
            tail,
            is_cut_off: false,
            copy: None,
            copied: None,
            cut,
            gone: None,
            watched: None,
            is_due: true,
        }
    }

    /// Watches the open file, whatever is at its path by now.
    #[cfg(unix)]
    pub fn watch(&mut self, watcher: &Watcher) {
        use std::os::fd::AsRawFd;
        let open = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        self.watched = watcher.file(Path::new(&open));
    }

    #[cfg(not(unix))]
    pub fn watch(&mut self, _: &Watcher) {}

    pub fn watched(&self) -> Option<Watched> {
        self.watched
    }

    pub fn changed(&mut self) {
        self.is_due = true;
    }

    /// Whether there may be something to read.
    pub fn is_due(&self) -> bool {
        self.is_due || self.is_gone() || self.copied.is_some() || self.watched.is_none()
    }

    /// Whether it is not at its path any more.
    pub fn is_gone(&self) -> bool {
        self.gone.is_some()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn number(&self) -> Number {
        self.identity.number
    }

    /// What it was when it was read to here.
    pub fn identity(&self) -> Identity {
        Identity { length: self.position, ..self.identity.clone() }
    }

    /// It has another name already; it is read to its end.
    pub fn is_rotated(&mut self) {
        self.gone = Some(Instant::now());
    }

    /// Whether it is not at its path any more, or never was, and was read to its end.
    pub fn has_ended(&self) -> bool {
        let is_gone = self.gone.is_some_and(|gone| gone.elapsed() >= ROTATED_PATIENCE);
        self.copied.map_or(is_gone, |until| self.position >= until)
    }

    /// Reads what was written since, and tells whether there was anything.
    pub fn read(&mut self, log: &Arc<Tally>) -> bool {
        let Ok(meta) = self.file.metadata() else { return false };
        let has_read = self.read_to(&meta, log);
        self.is_due = meta.len() != self.position;
        has_read
    }

    fn read_to(&mut self, meta: &Metadata, log: &Arc<Tally>) -> bool {
        if let Some(until) = self.copied {
            return self.read_copy(until, meta, log);
        }
        let is_shorter = meta.len() < self.position || self.is_cut_off;
        if is_shorter || meta.len() > self.position && !self.begins_alike() {
            // It was cut off, or written again from its beginning.
            return self.cut_off(log);
        }
        let has_read = meta.len() > self.position && self.read_lines(log, meta.len()).unwrap_or(false);
        if has_read {
            self.gone = self.gone.map(|_| Instant::now());
        } else if self.gone.is_none() {
            let there = fs::metadata(&self.path).ok().and_then(|meta| number(&meta));
            if there != Some(self.identity.number) {
                self.gone = Some(Instant::now());
            }
        } else if self.has_ended() && meta.len() > self.position {
            // Its last line will not be ended any more.
            let _ = self.append(log, meta.len() - self.position, true);
        }
        has_read
    }

    fn begins_alike(&self) -> bool {
        let Identity { head, nul, .. } = &self.identity;
        read_at(&self.file, *nul, head.len()).is_ok_and(|read| read == *head)
    }

    /// Another file with the rest of one that was cut off, to be read to its end.
    pub fn take_copy(&mut self) -> Option<Followed> {
        self.copy.take().map(|copy| *copy)
    }

    /// Looks in the folder of a file that was cut off for what it was copied to before: a file that has what was read last at
    /// the same place, begins alike, and goes on.
    fn find_copy(&self, log: &Arc<Tally>) -> Option<Followed> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let others = fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?.flatten().map(|entry| entry.path());
        others.into_iter().find_map(|other| {
            let meta =
                fs::metadata(&other).ok().filter(|meta| meta.is_file() && meta.len() > self.position)?;
            let mut file = File::open(&other).ok()?;
            let last = self.position - self.tail.len() as u64;
            let is_other = number(&meta) != Some(self.identity.number) && !is_packed(&other);
            if !is_other || read_at(&file, last, self.tail.len()).ok()? != self.tail {
                return None;
            }
            let identity = Identity::of_file(&mut file).ok()??;
            let begins_alike = (&identity.head, identity.nul) == (&self.identity.head, self.identity.nul);
            begins_alike.then(|| {
                let (copied, name) = (Some(identity.length), Some(self.stream.name.clone()));
                Followed { copied, ..Followed::new(&self.path, file, identity, self.cut, log, name) }
            })
        })
    }

    /// Reads on in a copy. It may be written over at any time.
    fn read_copy(&mut self, until: u64, meta: &Metadata, log: &Arc<Tally>) -> bool {
        if meta.len() < until || !self.begins_alike() {
            self.position = until;
            return false;
        }
        let left = until - self.position;
        self.append(log, left.min(READ_BYTES as u64 * 4), left <= READ_BYTES as u64 * 4).unwrap_or(false)
    }

    fn cut_off(&mut self, log: &Arc<Tally>) -> bool {
        if !self.tail.is_empty() {
            self.copy = self.find_copy(log).map(Box::new);
            self.tail.clear();
        }
        let found = Identity::of_file(&mut self.file).ok().flatten();
        self.is_cut_off = found.is_none();
        if let Some(identity) = found {
            self.identity = identity;
            self.begin_again(log);
        }
        !self.is_cut_off
    }

    fn begin_again(&mut self, log: &Arc<Tally>) {
        self.cut += 1;
        self.stream = stream_of(&self.path, &self.identity, self.cut);
        while log.end_of(&self.stream.name) > 0 {
            self.cut += 1;
            self.stream = stream_of(&self.path, &self.identity, self.cut);
        }
        self.position = 0;
    }

    fn read_lines(&mut self, log: &Arc<Tally>, length: u64) -> io::Result<bool> {
        self.append(log, (length - self.position).min(READ_BYTES as u64 * 4), false)
    }

    /// Appends whole lines, or all of it. A line beyond the limit comes in pieces.
    fn append(&mut self, log: &Arc<Tally>, wanted: u64, all: bool) -> io::Result<bool> {
        self.file.seek(SeekFrom::Start(self.position))?;
        let mut bytes = Vec::with_capacity(wanted as usize);
        self.file.by_ref().take(wanted).read_to_end(&mut bytes)?;
        let end = match memrchr(b'\n', &bytes) {
            Some(newline) => newline + 1,
            None if all || bytes.len() >= LONGEST_FRAME_BYTES => bytes.len(),
            None => return Ok(false),
        };
        // While there is no room nothing is read; the lines are safe in their file.
        if log.append_lines(&self.stream, &bytes[..end]).is_err() {
            return Ok(false);
        }
        self.position += end as u64;
        self.tail.extend_from_slice(&bytes[end.saturating_sub(FILE_HEAD_BYTES)..end]);
        self.tail.drain(..self.tail.len().saturating_sub(FILE_HEAD_BYTES));
        Ok(true)
    }
}

fn read_at(mut file: &File, position: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(position))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn stream_of(path: &Path, identity: &Identity, cut: u32) -> Stream {
    Stream::with_part(&path.to_string_lossy(), &format!("{}{cut}", identity.key()))
}

/// How often a file was cut off, and its last stream, as far as the case knows it.
fn last_cut(identity: &Identity, log: &Arc<Tally>) -> Option<(u32, String)> {
    let key = format!("{}{}", indexer::STREAM_PART, identity.key());
    let streams = log.stream_names().into_iter();
    let cuts = streams.filter_map(|name| {
        let at = name.find(&key)? + key.len();
        Some((name[at..].parse().ok()?, name))
    });
    cuts.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotated_files_are_known_by_the_file_they_were() {
        let known: BTreeSet<PathBuf> = ["/l/app.log", "/l/a-b.log"].iter().map(PathBuf::from).collect();
        let is = |name: &str| is_rotation(Path::new(name), &known);
        assert!(is("/l/app.log.1") && is("/l/app.log-20260301") && is("/l/a-b.log.12"));
        assert!(!is("/l/app.log") && !is("/l/other.log.1") && !is("/l/app.log.old") && !is("/k/app.log.1"));
    }
}
