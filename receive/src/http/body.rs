//! Bodies as they arrive: piece by piece, unpacked, within their limits of time and size.

use std::future::{Future, poll_fn};
use std::io::Write;
use std::pin::pin;
use std::task::Poll;
use std::time::Instant;

use flate2::write::MultiGzDecoder;
use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::{Body as _, Bytes, Incoming};
use tokio::sync::watch;
use tokio::time::timeout;

use super::answer::Problem;
use super::limits::{MEMORY_PATIENCE, PACKED_STEP_BYTES};
use super::memory::HeldMemory;
use super::{Host, Patience};
use crate::Refused;

/// The pieces of one body.
pub struct Pieces {
    body: Incoming,
    gzip: Option<MultiGzDecoder<Vec<u8>>>,
    /// What of the last packed piece is still to be unpacked.
    packed: Bytes,
    started: Instant,
    patience: Patience,
    /// Changes when the server ends.
    stopping: watch::Receiver<()>,
    limit: u64,
    read: u64,
    ended: bool,
}

impl Pieces {
    /// A body of at most so many bytes, unpacked.
    pub fn new(body: Incoming, is_gzip: bool, limit: u64, host: &Host) -> Result<Pieces, Problem> {
        let pieces = Pieces {
            gzip: is_gzip.then(|| MultiGzDecoder::new(Vec::new())),
            packed: Bytes::new(),
            started: Instant::now(),
            patience: host.options.patience,
            stopping: host.ending.subscribe(),
            limit,
            read: 0,
            ended: false,
            body,
        };
        if host.stop.is_set() {
            return Err(Refused::Closed.into());
        }
        if pieces.body.size_hint().lower() > limit {
            return Err(pieces.too_large());
        }
        Ok(pieces)
    }

    /// The next piece; nothing after the last.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        loop {
            let piece = if self.gzip.is_some() { self.unpacked().await? } else { self.frame().await? };
            let Some(piece) = piece else { return Ok(None) };
            self.read += piece.len() as u64;
            if self.read > self.limit {
                return Err(self.too_large());
            }
            if !piece.is_empty() {
                return Ok(Some(piece));
            }
        }
    }

    /// All pieces together, which are held in memory from then on.
    pub async fn whole(mut self, memory: &HeldMemory) -> Result<Vec<u8>, Problem> {
        let mut whole = Vec::new();
        while let Some(piece) = self.next().await? {
            whole.extend_from_slice(&piece);
            memory.set(whole.capacity(), MEMORY_PATIENCE).await?;
        }
        Ok(whole)
    }

    /// What arrives next, as it was sent. Where the server ends before the body is there, nothing of it is stored.
    async fn frame(&mut self) -> Result<Option<Bytes>, Problem> {
        let slow = || {
            Problem::new(StatusCode::REQUEST_TIMEOUT, "timeout_exception", "the body did not arrive in time")
        };
        if self.started.elapsed() > self.patience.body {
            return Err(slow());
        }
        let mut arrives = pin!(timeout(self.patience.pause, self.body.frame()));
        let mut stopping = pin!(self.stopping.changed());
        let first = poll_fn(|context| match arrives.as_mut().poll(context) {
            Poll::Ready(frame) => Poll::Ready(Some(frame)),
            Poll::Pending => stopping.as_mut().poll(context).map(|_| None),
        });
        match first.await {
            None => Err(Refused::Closed.into()),
            Some(Err(_)) => Err(slow()),
            Some(Ok(None)) => Ok(None),
            Some(Ok(Some(Ok(frame)))) => Ok(Some(frame.into_data().unwrap_or_default())),
            Some(Ok(Some(Err(error)))) => Err(Problem::parsing(format!("the body cannot be read: {error}"))),
        }
    }

    /// Unpacks a little at a time, so that a bomb is noticed before it is in memory.
    async fn unpacked(&mut self) -> Result<Option<Bytes>, Problem> {
        let wrong = |error: std::io::Error| Problem::parsing(format!("the body is not gzip: {error}"));
        if self.packed.is_empty() {
            match self.frame().await? {
                Some(frame) => self.packed = frame,
                None if self.ended => return Ok(None),
                None => {
                    self.ended = true;
                    let Some(gzip) = &mut self.gzip else { return Ok(None) };
                    gzip.try_finish().map_err(wrong)?;
                    return Ok(Some(Bytes::from(std::mem::take(gzip.get_mut()))));
                }
            }
        }
        let step = self.packed.split_to(self.packed.len().min(PACKED_STEP_BYTES));
        let Some(gzip) = &mut self.gzip else { return Ok(Some(step)) };
        gzip.write_all(&step).map_err(wrong)?;
        Ok(Some(Bytes::from(std::mem::take(gzip.get_mut()))))
    }

    fn too_large(&self) -> Problem {
        Problem::too_large(format!("the body is longer than {} bytes; send it in parts", self.limit))
    }
}
