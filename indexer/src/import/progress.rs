//! Progress reports of an import.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::stages::{Stage, Stages};
use base::error::Error;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ImportPhase"))]
pub enum Phase {
    /// Files are read, and what was read is published at least once a second.
    Landing,
    /// Everything can be seen; the text index is built in the background.
    Indexing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum FileState {
    Waiting,
    Reading,
    Done,
    /// Part or all of it could not be read; the note says why and what was kept.
    Failed,
}

/// What a file is to the case that it is imported into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "FileOutcome"))]
pub enum Outcome {
    #[default]
    New,
    /// All of it is already stored.
    Known,
    /// Its start is stored, and it continues in the same source.
    Grown,
    /// Its stored bytes are read in another way.
    Reread,
}

impl Outcome {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Outcome::New => "new",
            Outcome::Known => "known",
            Outcome::Grown => "grown",
            Outcome::Reread => "reread",
        }
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FileProgress {
    /// Its place in the list of files of this import.
    pub index: usize,
    #[serde(with = "base::json::shown_path")]
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub path: PathBuf,
    pub state: FileState,
    pub format: Option<String>,
    pub events: u64,
    pub unparsed: u64,
    pub bytes_read: u64,
    pub bytes_total: u64,
    pub note: Option<Error>,
    /// What it is to the case.
    pub outcome: Outcome,
    /// That in words, where it is not simply new.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub remark: Option<String>,
    /// It is a container of other files, and holds no events itself.
    #[serde(skip)]
    pub is_archive: bool,
    #[serde(skip)]
    reported: bool,
}

impl FileProgress {
    fn new(index: usize, path: PathBuf, bytes_total: u64) -> FileProgress {
        FileProgress {
            index,
            path,
            state: FileState::Waiting,
            format: None,
            events: 0,
            unparsed: 0,
            bytes_read: 0,
            bytes_total,
            note: None,
            outcome: Outcome::New,
            remark: None,
            is_archive: false,
            reported: false,
        }
    }
}

/// One report. It contains only the files that changed since the last one.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Progress {
    pub phase: Phase,
    /// The case's revision after the last publication.
    pub revision: u64,
    pub events: u64,
    pub bytes_read: u64,
    pub bytes_total: u64,
    #[serde(rename = "elapsedMs", with = "base::json::whole_milliseconds")]
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub elapsed: Duration,
    pub files_total: usize,
    pub files_done: usize,
    /// Only the files whose state changed since the last report.
    pub changed: Vec<FileProgress>,
    /// The counters of each stage.
    pub stages: Vec<Stage>,
}

/// Collects events and reports them at most ten times a second, commits at once.
pub struct Reporter<'a> {
    files: Vec<FileProgress>,
    report: &'a dyn Fn(Progress),
    started: Instant,
    reported: Option<Instant>,
    pub phase: Phase,
    pub stages: Stages,
}

const INTERVAL: Duration = Duration::from_millis(100);

impl<'a> Reporter<'a> {
    pub fn new(files: impl Iterator<Item = (PathBuf, u64)>, report: &'a dyn Fn(Progress)) -> Reporter<'a> {
        let files =
            files.enumerate().map(|(index, (path, bytes))| FileProgress::new(index, path, bytes)).collect();
        Reporter {
            files,
            report,
            started: Instant::now(),
            reported: None,
            phase: Phase::Landing,
            stages: Stages::default(),
        }
    }

    /// The entry of a stream: that of the file if they are the same, otherwise a new one. Returns its index.
    pub fn stream(&mut self, file: usize, path: &Path, bytes: Option<u64>) -> usize {
        let index = match self.files.get_mut(file) {
            Some(entry) if entry.path == path => file,
            _ => {
                // Reading an archive means reading its members.
                self.change(file, |archive| {
                    if archive.note.is_none() {
                        archive.state = FileState::Done;
                    }
                    archive.is_archive = true;
                    archive.bytes_total = 0;
                });
                self.files.push(FileProgress::new(self.files.len(), path.to_path_buf(), 0));
                self.files.len() - 1
            }
        };
        self.change(index, |entry| entry.bytes_total = bytes.unwrap_or(entry.bytes_total));
        index
    }

    pub fn change(&mut self, index: usize, change: impl FnOnce(&mut FileProgress)) {
        if let Some(file) = self.files.get_mut(index) {
            change(file);
            // Packed bytes are more when they are read than on disk.
            file.bytes_total = file.bytes_total.max(file.bytes_read);
            file.reported = false;
        }
    }

    pub fn events(&self) -> u64 {
        self.files.iter().map(|file| file.events).sum()
    }

    pub fn bytes_read(&self) -> u64 {
        self.files.iter().map(|file| file.bytes_read).sum()
    }

    /// The known amount to read.
    pub fn bytes_total(&self) -> u64 {
        self.files.iter().map(|file| file.bytes_total).sum()
    }

    pub fn files(&self) -> &[FileProgress] {
        &self.files
    }

    pub fn started(&self) -> Instant {
        self.started
    }

    pub fn tell(&mut self, revision: u64, at_once: bool) {
        if !at_once && self.reported.is_some_and(|reported| reported.elapsed() < INTERVAL) {
            return;
        }
        self.reported = Some(Instant::now());
        let changed = self.files.iter().filter(|file| !file.reported).cloned().collect();
        self.files.iter_mut().for_each(|file| file.reported = true);
        let ended = |file: &&FileProgress| matches!(file.state, FileState::Done | FileState::Failed);
        (self.report)(Progress {
            phase: self.phase,
            revision,
            events: self.events(),
            bytes_read: self.bytes_read(),
            bytes_total: self.bytes_total(),
            elapsed: self.started.elapsed(),
            files_total: self.files.len(),
            files_done: self.files.iter().filter(ended).count(),
            changed,
            stages: self.stages.all(),
        });
    }
}
