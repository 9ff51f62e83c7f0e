//! Reading and parsing, off the landing thread: one thread reads the files in order, workers parse and
//! compress chunks beside each other, and the results come out in the order of the files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread::Scope;

use crossbeam_channel::{Receiver, Sender, bounded};
use ingest::{Batch, Chunk, Detection, Found, Opened, Parser, Settler, Source};
use sha2::{Digest, Sha256};

use crate::Cancel;
use crate::error::Error;
use crate::limits::CHUNKS_WAITING;
use crate::storage::compress;

/// What comes out, in order: each stream is found, begins, lands in parts, and ends.
pub enum Step {
    /// A stream was found in a file: the file itself, or a member of it.
    Found(Box<Stream>),
    Begin {
        detection: Box<Detection>,
        settler: Box<Settler>,
        /// How many of its first bytes told what it is.
        sample_bytes: usize,
    },
    Part(Box<Part>),
    /// The reason is there when not all of the stream could be read.
    End {
        problem: Option<Error>,
    },
}

pub struct Stream {
    /// The file it lies in, by its place in the list.
    pub file: usize,
    pub path: PathBuf,
    pub name: String,
    /// Its length, where something tells it.
    pub bytes: Option<u64>,
    /// When it was last changed.
    pub modified_ns: Option<i64>,
}

pub struct Part {
    pub batch: Batch,
    pub compressed: std::io::Result<Vec<u8>>,
    /// Hash of the source up to the end of this part.
    pub hash: Sha256,
}

enum Job {
    Parse { chunk: Chunk, parser: Parser, hash: Sha256 },
    Pass(Step),
}

/// Steps in order of the files, as the workers finish them.
pub struct Steps {
    results: Receiver<(u64, Step)>,
    early: BTreeMap<u64, Step>,
    next: u64,
}

pub enum Next {
    Step(Step),
    /// Nothing came within the time.
    Waiting,
    End,
}

impl Steps {
    pub fn next(&mut self, patience: std::time::Duration) -> Next {
        loop {
            if let Some(step) = self.early.remove(&self.next) {
                self.next += 1;
                return Next::Step(step);
            }
            match self.results.recv_timeout(patience) {
                Ok((sequence, step)) => {
                    self.early.insert(sequence, step);
                }
                Err(crossbeam_channel::RecvTimeoutError::Timeout) => return Next::Waiting,
                Err(crossbeam_channel::RecvTimeoutError::Disconnected) => return Next::End,
            }
        }
    }
}

/// Starts the reader and the workers. They end by themselves when the files do, when the cancel flag is
/// set, or when the receiver is dropped.
pub fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    files: &'scope [Found],
    options: &'scope ingest::Options,
    workers: usize,
    cancel: &'scope Cancel,
) -> Steps {
    let (jobs, queue) = bounded::<(u64, Job)>(workers * CHUNKS_WAITING);
    let (done, results) = bounded(workers * CHUNKS_WAITING);
    scope.spawn(move || {
        let mut sequence = 0;
        let mut send = |job| {
            sequence += 1;
            !cancel.is_set() && jobs.send((sequence - 1, job)).is_ok()
        };
        for (index, found) in files.iter().enumerate() {
            if !read_file(index, found, options, &mut send) {
                break;
            }
        }
    });
    for _ in 0..workers {
        let (queue, done) = (queue.clone(), done.clone());
        scope.spawn(move || work(&queue, &done));
    }
    Steps { results, early: BTreeMap::new(), next: 0 }
}

/// Reads one file to its end, with everything in it. False when nobody waits for the rest any more.
fn read_file(
    file: usize,
    found: &Found,
    options: &ingest::Options,
    send: &mut impl FnMut(Job) -> bool,
) -> bool {
    let mut wanted = true;
    ingest::open(found, options, &mut |opened| {
        let Opened { path, name, bytes, modified_ns, source } = opened;
        wanted = send(Job::Pass(Step::Found(Box::new(Stream { file, path, name, bytes, modified_ns }))))
            && match source {
                Ok(source) => read_stream(source, send),
                Err(error) => send(Job::Pass(Step::End { problem: Some(error.into()) })),
            };
        wanted
    });
    wanted
}

fn read_stream(mut source: Source<'_>, send: &mut impl FnMut(Job) -> bool) -> bool {
    let detection = Box::new(source.detection().clone());
    let settler = Box::new(source.settler());
    let sample_bytes = source.sample_bytes();
    if !send(Job::Pass(Step::Begin { detection, settler, sample_bytes })) {
        return false;
    }
    let parser = source.parser();
    let mut hash = Sha256::new();
    loop {
        match source.next_chunk() {
            Ok(Some(chunk)) => {
                hash.update(&chunk.bytes);
                if !send(Job::Parse { chunk, parser: parser.clone(), hash: hash.clone() }) {
                    return false;
                }
            }
            Ok(None) => return send(Job::Pass(Step::End { problem: None })),
            Err(error) => return send(Job::Pass(Step::End { problem: Some(error.into()) })),
        }
    }
}

fn work(queue: &Receiver<(u64, Job)>, done: &Sender<(u64, Step)>) {
    for (sequence, job) in queue {
        let step = match job {
            Job::Pass(step) => step,
            Job::Parse { chunk, parser, hash } => {
                let compressed = compress(&chunk.bytes);
                Step::Part(Box::new(Part { batch: parser.parse(chunk), compressed, hash }))
            }
        };
        if done.send((sequence, step)).is_err() {
            return;
        }
    }
}
