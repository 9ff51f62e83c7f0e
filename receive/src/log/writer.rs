//! The thread that writes the log: it takes all that was appended since the last sync, writes and syncs it,
//! and lets the appenders go on.

use std::fs::File;
use std::io::{self, Write};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use indexer::files;

use super::record::{MAGIC, file_path, ids_in};
use super::{Log, Position};
use crate::limits::{LOG_FILE_BYTES, QUEUE_BYTES};

/// How often the free space of the disk is looked at while nothing is written.
const LOOK: Duration = Duration::from_millis(250);

/// Syncs whose events are not visible yet that the time is measured of.
const MOST_MARKS: usize = 1 << 16;

/// The file that is being written.
struct Current {
    file: File,
    position: Position,
}

impl Log {
    /// Writes until the log is closed and everything is synced.
    pub fn write(&self) {
        let mut current: Option<Current> = None;
        let mut bytes = Vec::new();
        loop {
            let free_bytes = fs4::available_space(&self.folder);
            let mut state = self.state();
            if let Ok(free_bytes) = free_bytes {
                state.free_bytes = free_bytes;
            }
            let (waited, _) = self
                .changed
                .wait_timeout_while(state, LOOK, |state| state.is_idle())
                .unwrap_or_else(PoisonError::into_inner);
            state = waited;
            if state.queue.is_empty() {
                // Appends of nothing but duplicates wait for what is synced already.
                if state.submitted > state.synced.max(state.failed) {
                    state.synced = state.submitted;
                    self.changed.notify_all();
                }
                if state.is_closed {
                    return;
                }
                continue;
            }
            bytes.clear();
            // An append that is longer than the queue is rare.
            bytes.shrink_to(QUEUE_BYTES);
            std::mem::swap(&mut bytes, &mut state.queue);
            let (ticket, file) = (state.submitted, state.file);
            let queued = state.queued.take();
            state.streams.values_mut().for_each(|stream| stream.writing = stream.next);
            let before = current.as_ref().map_or(0, |current| current.position.offset);
            if before + bytes.len() as u64 >= LOG_FILE_BYTES {
                // What is queued from here on defines its streams for the next file.
                state.file += 1;
            }
            drop(state);
            // Appenders that wait for room have it now.
            self.changed.notify_all();
            let began = Instant::now();
            let written = self.append(&mut current, file, &bytes);
            self.counters.synced(began.elapsed());
            let mut state = self.state();
            match written {
                Ok(position) => {
                    state.synced = ticket;
                    state.readable = position;
                    state.marks.extend(queued.map(|queued| (position, queued)));
                    state.marks.truncate(MOST_MARKS);
                    self.counters.set_waiting(state.marks.first().map(|(_, since)| *since));
                    state.streams.values_mut().for_each(|stream| stream.synced = stream.writing);
                }
                Err(error) => {
                    // What was queued meanwhile follows what failed, so it fails with it.
                    (state.failed, state.failure) = (state.submitted, error.to_string());
                    for ids in [ids_in(&bytes), ids_in(&state.queue)] {
                        for id in ids {
                            state.ids.remove(id);
                        }
                    }
                    state.queue.clear();
                    state.queued = None;
                    state.streams.values_mut().for_each(|stream| stream.next = stream.synced);
                    state.file += 1;
                    current = None;
                }
            }
            self.counters.set_queue(state.queue.len() as u64);
            self.changed.notify_all();
        }
    }

    fn append(&self, current: &mut Option<Current>, file: u64, bytes: &[u8]) -> io::Result<Position> {
        if current.as_ref().is_none_or(|current| current.position.file != file) {
            let path = file_path(&self.folder, file);
            let mut created = files::create(&path)?;
            created.write_all(MAGIC)?;
            files::sync_folder(&self.folder)?;
            let position = Position { file, offset: MAGIC.len() as u64 };
            *current = Some(Current { file: created, position });
        }
        let Some(current) = current else { return Err(io::Error::other("no file is open")) };
        let written = current.file.write_all(bytes).and_then(|()| current.file.sync_data());
        match written {
            Ok(()) => {
                current.position.offset += bytes.len() as u64;
                Ok(current.position)
            }
            Err(error) => {
                // Nothing that was refused may be read at the next start.
                let cut = current.file.set_len(current.position.offset);
                cut.and_then(|()| current.file.sync_all()).map_err(|cut| {
                    io::Error::new(error.kind(), format!("{error}; and it could not be taken back: {cut}"))
                })?;
                Err(error)
            }
        }
    }
}
