//! The journal of this machine, through `journalctl`. It is followed from the entry after the last one that was
//! stored, whose cursor is in `wal/journal.cursor`. An entry's cursor is its id too, so nothing is stored twice.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use indexer::{Cancel, Error, ErrorKind, files};

use crate::intake::{Intake, Record, Refused, Stream, hash_of};
use crate::limits::{LONGEST_ENTRY_BYTES, READ_BYTES};
use crate::syslog::LOOK;

/// Entries that are appended together.
const ENTRIES_AT_ONCE: usize = 1_000;

pub struct Journal {
    reader: Child,
    cursor_file: PathBuf,
    /// It was started after a cursor, which may be of a journal that is gone.
    has_cursor: bool,
}

impl Journal {
    pub fn start(case: &Path) -> Result<Journal, Error> {
        let cursor_file = case.join("wal/journal.cursor");
        let cursor = files::read(&cursor_file).ok().and_then(|cursor| String::from_utf8(cursor).ok());
        let cursor = cursor.filter(|cursor| !cursor.is_empty());
        let reader = spawn(cursor.as_deref())?;
        Ok(Journal { reader, cursor_file, has_cursor: cursor.is_some() })
    }

    /// Follows it until `stop` is set, or journalctl ends.
    pub fn follow(&mut self, intake: &Arc<dyn Intake>, stop: &Cancel) {
        let has_read = self.read(intake, stop);
        if has_read || stop.is_set() || !self.has_cursor {
            return;
        }
        // journalctl does not know the cursor: what it has of the end is compared by ids.
        if let Ok(reader) = spawn(None) {
            self.reader = reader;
            self.read(intake, stop);
        }
    }

    /// Reads until journalctl ends or is ended. Tells whether there was anything.
    fn read(&mut self, intake: &Arc<dyn Intake>, stop: &Cancel) -> bool {
        let Some(output) = self.reader.stdout.take() else { return false };
        let (stopping, intake, file) = (stop.clone(), Arc::clone(intake), self.cursor_file.clone());
        let reading = std::thread::spawn(move || read_entries(output, &*intake, &stopping, &file));
        while !stop.is_set() && !reading.is_finished() {
            std::thread::sleep(LOOK);
        }
        let _ = self.reader.kill();
        let _ = self.reader.wait();
        reading.join().unwrap_or_default()
    }
}

fn spawn(cursor: Option<&str>) -> Result<Child, Error> {
    let mut command = Command::new("journalctl");
    // Without `--all`, fields of more than 4096 bytes are null.
    command.args(["--output=json", "--all", "--follow", "--quiet"]);
    match cursor {
        // Without `--no-tail`, following begins with the last ten entries.
        Some(cursor) => command.arg("--no-tail").arg(format!("--after-cursor={cursor}")),
        None => command.arg(format!("--lines={ENTRIES_AT_ONCE}")),
    };
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    spawned.map_err(|error| {
        Error::new(ErrorKind::NotFound, format!("journalctl cannot be started: {error}"))
            .hint("the journal is read where systemd runs")
    })
}

fn read_entries(output: impl Read, intake: &dyn Intake, stop: &Cancel, cursor_file: &Path) -> bool {
    let stream = Stream { format: Some("json".to_owned()), ..Stream::new("journal") };
    let mut lines = BufReader::with_capacity(READ_BYTES, output);
    let (mut line, mut records, mut last) = (Vec::new(), Vec::new(), None);
    let mut has_read = false;
    while lines.by_ref().take(LONGEST_ENTRY_BYTES).read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        has_read = true;
        if !line.ends_with(b"\n") && line.len() as u64 == LONGEST_ENTRY_BYTES {
            intake.counters().source(stream.title()).rejected("too long, cut", 1);
            if lines.skip_until(b'\n').is_err() {
                return has_read;
            }
        }
        let bytes = line.trim_ascii_end().to_vec();
        line.clear();
        let cursor = cursor_of(&bytes);
        // One that was cut is no JSON; its cursor is among its first bytes.
        let id = hash_of(cursor.as_ref().map_or(&bytes[..], |cursor| cursor.as_bytes()));
        records.push(Record { bytes, id: Some(id) });
        last = cursor.or(last);
        if lines.buffer().is_empty() || records.len() >= ENTRIES_AT_ONCE {
            if !append(intake, &stream, &std::mem::take(&mut records), stop) {
                return has_read;
            }
            if let Some(cursor) = last.take() {
                keep(cursor_file, &cursor);
            }
        }
    }
    has_read
}

/// Appends, and waits as long as there is no room. False when it is to stop.
fn append(intake: &dyn Intake, stream: &Stream, records: &[Record], stop: &Cancel) -> bool {
    loop {
        match intake.append(stream, records.to_vec()) {
            Ok(_) => return true,
            Err(Refused::Closed) => return false,
            Err(_) if stop.is_set() => return false,
            Err(_) => std::thread::sleep(LOOK),
        }
    }
}

/// An older cursor, or none, only means that entries are read again and recognised.
fn keep(file: &Path, cursor: &str) {
    let new = file.with_extension("cursor.new");
    let _ = files::replace(file, &new, cursor.as_bytes());
}

/// The cursor of an entry, which names it for ever.
fn cursor_of(entry: &[u8]) -> Option<String> {
    let entry: serde_json::Value = serde_json::from_slice(entry).ok()?;
    entry.get("__CURSOR")?.as_str().map(str::to_owned)
}
