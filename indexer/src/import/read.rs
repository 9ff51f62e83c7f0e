//! Reading and parsing, outside the landing thread: one thread reads the streams in order, workers parse and
//! pack chunks in parallel, and the results come out in the order of the streams.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::Scope;

use crossbeam_channel::{Receiver, Sender, bounded};
use ingest::{Batch, Chunk, Detection, InputFile, Packed, Parser, Settler, Source};
use sha2::{Digest, Sha256};

use super::held::ReplacedAt;
use super::known::Ticket;
use super::open::{self, Opening};
use super::stages::{Counters, Stages};
use crate::tune::{Plan, give_way};
use base::Cancel;
use base::error::Error;
use base::limits::CHUNKS_WAITING;
use store::{FormatFile, Reading, Resume, pack};

/// The output, in order: each stream is found, begins, lands in batches, and ends.
pub enum ReadStep {
    /// A stream was found in a file: the file itself, or a member of it.
    Found(Box<FileStream>),
    /// All of it is in the case already.
    Known {
        source: u32,
        is_whole: bool,
        /// Its current path and name, if it was rotated since.
        moved: Option<(PathBuf, String)>,
    },
    Begin(Box<Begin>),
    ReadBatch(Box<ReadBatch>),
    /// With the reason if not all of the stream could be read.
    End {
        problem: Option<Error>,
    },
    /// The stream was an archive. What was read of it may be damaged, although each member was read to its end.
    Doubtful {
        problem: Error,
    },
}

pub struct FileStream {
    /// The index of its file in the list.
    pub file: usize,
    pub path: PathBuf,
    pub name: String,
    /// Its length, if known.
    pub bytes: Option<u64>,
    /// The rotated set it is a part of.
    pub set: Option<String>,
}

pub struct Begin {
    pub detection: Detection,
    pub settler: Settler,
    pub modified_ns: Option<i64>,
    /// Fingerprint of its first bytes.
    pub head: String,
    pub reading: Reading,
    /// The file that defines its format, where a person did.
    pub definition: Option<FormatFile>,
    /// The stream is read like the previous one; the header lines in effect at its end.
    pub followed: Option<String>,
    pub state: SourceState,
    /// A remark for the user.
    pub note: Option<String>,
}

/// How a stream relates to the sources of the case.
pub enum SourceState {
    New {
        ticket: Ticket,
    },
    /// This source is read again from its first byte. Its earlier events stay until the new ones replace them.
    Reread {
        source: u32,
        replaced_at: ReplacedAt,
    },
    /// It continues this source, from the start of its last chunk.
    Resumed {
        source: u32,
        resume: Box<Resume>,
    },
}

pub struct ReadBatch {
    pub batch: Batch,
    pub packed: std::io::Result<Vec<u8>>,
    /// Hash of the source up to the end of this part.
    pub hash: Sha256,
    /// The length of the source, if it is known only after unpacking.
    pub expected: Option<u64>,
}

enum Job {
    Parse { chunk: Chunk, parser: Parser, hash: Sha256, expected: Option<u64> },
    Pass(ReadStep),
}

/// The inputs.
pub enum Input {
    File(InputFile, Option<String>),
    /// Text without a file: its name, and the time of its arrival.
    Text {
        name: String,
        bytes: Vec<u8>,
        now_ns: Option<i64>,
    },
    /// The stored bytes of a source, by its id, to be read in another way.
    Stored {
        source: u32,
        options: Box<ingest::Options>,
    },
}

/// Steps in order of the files, as the workers finish them.
pub struct Steps {
    results: Receiver<(u64, ReadStep)>,
    room: usize,
    stages: Stages,
    early: BTreeMap<u64, ReadStep>,
    next: u64,
}

pub enum Next {
    ReadStep(ReadStep),
    /// Nothing arrived in time.
    Waiting,
    End,
}

impl Steps {
    pub fn next(&mut self, patience: std::time::Duration) -> Next {
        loop {
            if let Some(step) = self.early.remove(&self.next) {
                self.next += 1;
                return Next::ReadStep(step);
            }
            self.stages.land.set_queue(self.results.len() + self.early.len(), self.room);
            match self.stages.land.idle(|| self.results.recv_timeout(patience)) {
                Ok((sequence, step)) => {
                    self.early.insert(sequence, step);
                }
                Err(crossbeam_channel::RecvTimeoutError::Timeout) => return Next::Waiting,
                Err(crossbeam_channel::RecvTimeoutError::Disconnected) => return Next::End,
            }
        }
    }
}

/// Starts the reader and the workers. They end when the inputs end, when the cancel flag is set, or when the
/// receiver is dropped.
pub fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    opening: Opening<'scope>,
    (plan, stages): (&Plan, &Stages),
    cancel: &'scope Cancel,
) -> Steps {
    let room = plan.parsers * CHUNKS_WAITING;
    let (jobs, queue) = bounded::<(u64, Job)>(room);
    let (done, results) = bounded(plan.chunks_waiting());
    let (reading, parsing) = (Arc::clone(&stages.read), Arc::clone(&stages.parse));
    scope.spawn(move || {
        let mut thread = reading.thread();
        let mut sequence = 0;
        let mut out = Out {
            packed: None,
            send: &mut |job| {
                if let Job::Parse { chunk, .. } = &job {
                    reading.done(0, chunk.bytes.len() as u64);
                    thread.count();
                }
                parsing.set_queue(jobs.len(), room);
                sequence += 1;
                let send = || jobs.send((sequence - 1, job)).is_ok();
                !cancel.is_set() && reading.hand_on(jobs.is_full(), send)
            },
        };
        open::read_all(&opening, &mut out, cancel);
    });
    let level = plan.level;
    for _ in 0..plan.parsers {
        let (queue, done, counters) = (queue.clone(), done.clone(), Arc::clone(&stages.parse));
        scope.spawn(move || work(&queue, &done, level, &counters));
    }
    Steps { results, room: plan.chunks_waiting(), stages: stages.clone(), early: BTreeMap::new(), next: 0 }
}

/// The output of the reader. Every call returns whether the receiver still waits for more.
pub struct Out<'s> {
    /// The position in the file up to which the next source is unpacked.
    pub packed: Option<Arc<Packed>>,
    send: &'s mut dyn FnMut(Job) -> bool,
}

impl Out<'_> {
    pub fn step(&mut self, step: ReadStep) -> bool {
        (self.send)(Job::Pass(step))
    }

    pub fn end(&mut self, problem: Option<Error>) -> bool {
        self.step(ReadStep::End { problem })
    }

    /// Sends a source to its end. `hash` is that of the preceding bytes.
    pub fn source(&mut self, source: &mut Source<'_>, begin: Begin, mut hash: Sha256) -> bool {
        if !self.step(ReadStep::Begin(Box::new(begin))) {
            return false;
        }
        let parser = source.parser();
        loop {
            match source.next_chunk() {
                Ok(Some(chunk)) => {
                    hash.update(&*chunk.bytes);
                    let end = chunk.offset + chunk.bytes.len() as u64;
                    let expected = self.packed.as_ref().map(|packed| packed.expected(end));
                    let (parser, hash) = (parser.clone(), hash.clone());
                    if !(self.send)(Job::Parse { chunk, parser, hash, expected }) {
                        return false;
                    }
                }
                Ok(None) => return self.end(None),
                Err(error) => return self.end(Some(error.into())),
            }
        }
    }
}

fn work(queue: &Receiver<(u64, Job)>, done: &Sender<(u64, ReadStep)>, level: i32, counters: &Arc<Counters>) {
    let mut thread = counters.thread();
    while let Ok((sequence, job)) = counters.idle(|| queue.recv()) {
        let step = match job {
            Job::Pass(step) => step,
            Job::Parse { chunk, parser, hash, expected } => {
                give_way();
                let packed = pack(&chunk.bytes, level);
                let batch = parser.parse(chunk);
                counters.done(batch.rows() as u64, batch.chunk.bytes.len() as u64);
                thread.count();
                ReadStep::ReadBatch(Box::new(ReadBatch { batch, packed, hash, expected }))
            }
        };
        if counters.hand_on(done.is_full(), || done.send((sequence, step)).is_err()) {
            return;
        }
    }
}
