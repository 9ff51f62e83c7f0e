//! Syslog over TCP: a thread a connection. A sender that is not acknowledged waits, because nothing more is
//! read from it.

use std::io::{self, ErrorKind, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded};
use indexer::Cancel;
use socket2::{SockRef, TcpKeepalive};

use super::framing::Framer;
use super::{LOOK, Senders};
use crate::intake::Intake;
use crate::limits::{
    FRAME_PATIENCE, HELD_BYTES, KEEPALIVE, MOST_CONNECTIONS, READ_BYTES, READERS, SPARE_CONNECTIONS,
};
use crate::networks::Networks;
use crate::places::{Place, Places};
use crate::readings::Readings;

/// Receives until it is to stop. What was read then is appended.
pub fn serve_tcp(
    listener: &TcpListener,
    (intake, readings): (&Arc<dyn Intake>, &Arc<Readings>),
    networks: &Networks,
    stop: &Cancel,
) {
    let shared = Shared::new(readings);
    let (places, threads) = (Places::new(MOST_CONNECTIONS), AtomicUsize::new(0));
    if listener.set_nonblocking(true).is_err() {
        return;
    }
    std::thread::scope(|scope| {
        while !stop.is_set() {
            // Those whose place was given to another one end within a moment.
            if threads.load(Ordering::Relaxed) >= MOST_CONNECTIONS + SPARE_CONNECTIONS {
                std::thread::sleep(LOOK / 5);
                continue;
            }
            let Ok((connection, address)) = listener.accept() else {
                std::thread::sleep(LOOK / 5);
                continue;
            };
            let source = intake.counters().source("syslog/tcp");
            if !networks.allow(address.ip()) {
                source.rejected("network not allowed", 1);
                continue;
            }
            let Some(place) = places.take(address.ip().to_canonical()) else {
                source.rejected("too many connections", 1);
                continue;
            };
            threads.fetch_add(1, Ordering::Relaxed);
            let (shared, threads) = (&shared, &threads);
            let receive = move || {
                // A connection that breaks off is shown by its sender's counters, not ours.
                let _ = receive(&connection, address, &place, &**intake, shared, stop);
                threads.fetch_sub(1, Ordering::Relaxed);
            };
            if std::thread::Builder::new().name("syslog".to_owned()).spawn_scoped(scope, receive).is_err() {
                threads.fetch_sub(1, Ordering::Relaxed);
                source.rejected("too many connections", 1);
            }
        }
    });
}

/// What the connections of a listener share.
struct Shared {
    senders: Senders,
    /// Bytes of messages that have not ended.
    held: AtomicUsize,
    /// Buffers to read into. Who has none waits, so that few connections at one time take memory.
    free: Receiver<Vec<u8>>,
    used: Sender<Vec<u8>>,
}

impl Shared {
    fn new(readings: &Arc<Readings>) -> Shared {
        let (used, free) = bounded(READERS);
        // There is room for all of them.
        (0..READERS).for_each(|_| drop(used.try_send(Vec::new())));
        Shared { senders: Senders::new("tcp", readings), held: AtomicUsize::new(0), free, used }
    }
}

/// A connection's part of what all hold.
struct HeldFrame<'s> {
    all: &'s AtomicUsize,
    own: usize,
}

impl HeldFrame<'_> {
    fn set(&mut self, bytes: usize) {
        self.all.fetch_add(bytes, Ordering::Relaxed);
        self.all.fetch_sub(self.own, Ordering::Relaxed);
        self.own = bytes;
    }

    fn is_too_much(&self) -> bool {
        self.all.load(Ordering::Relaxed) > HELD_BYTES
    }
}

impl Drop for HeldFrame<'_> {
    fn drop(&mut self) {
        self.set(0);
    }
}

fn receive(
    mut connection: &TcpStream,
    address: SocketAddr,
    place: &Place,
    intake: &dyn Intake,
    shared: &Shared,
    stop: &Cancel,
) -> io::Result<()> {
    connection.set_nonblocking(false)?;
    connection.set_read_timeout(Some(LOOK))?;
    // A half-open connection, whose sender is gone without a word, ends by this.
    SockRef::from(connection).set_tcp_keepalive(&TcpKeepalive::new().with_time(KEEPALIVE))?;
    let from = Some(address.ip());
    let (mut framer, mut messages) = (Framer::default(), Vec::new());
    let mut held = HeldFrame { all: &shared.held, own: 0 };
    let mut began: Option<Instant> = None;
    let mut split = 0;
    loop {
        let is_silent = match connection.peek(&mut [0]) {
            Ok(_) => false,
            Err(error) if is_timeout(&error) => true,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        if !is_silent {
            let Ok(mut buffer) = shared.free.recv() else { break };
            buffer.resize(READ_BYTES, 0);
            let read = connection.read(&mut buffer);
            place.heard();
            framer.set_short(held.is_too_much());
            framer.push(&buffer[..*read.as_ref().unwrap_or(&0)], &mut messages);
            held.set(framer.pending_bytes());
            if framer.split() > split {
                let source = intake.counters().source(shared.senders.stream(from, None).title());
                source.rejected("too long, split", framer.split() - split);
                split = framer.split();
            }
            let mut appended = Ok(());
            if !messages.is_empty() {
                began = None;
                appended = shared.senders.append(intake, from, std::mem::take(&mut messages), stop);
            }
            // Only now another connection may be read from.
            let _ = shared.used.send(buffer);
            match (appended, read) {
                (Err(_), _) => return Ok(()),
                (_, Ok(0)) => break,
                (_, Err(error)) if !is_timeout(&error) && error.kind() != ErrorKind::Interrupted => break,
                _ => {}
            }
        }
        if !framer.is_within() {
            began = None;
        } else if began.get_or_insert_with(Instant::now).elapsed() > FRAME_PATIENCE {
            // A frame that never ends is what it is so far.
            intake
                .counters()
                .source(shared.senders.stream(from, None).title())
                .rejected("frame without end", 1);
            break;
        }
        if is_silent && place.is_revoked() {
            let source = intake.counters().source("syslog/tcp");
            source.rejected("silent, closed for another connection", 1);
            break;
        }
        if stop.is_set() && is_silent {
            break;
        }
    }
    framer.finish(&mut messages);
    if !messages.is_empty() {
        let _ = shared.senders.append(intake, from, messages, stop);
    }
    Ok(())
}

pub(crate) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
