//! Syslog over TCP: a thread a connection. A sender that is not acknowledged waits, because nothing more is
//! read from it.

use std::io::{self, ErrorKind, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use indexer::Cancel;
use socket2::{SockRef, TcpKeepalive};

use super::framing::Framer;
use super::{LOOK, Senders, append};
use crate::intake::Intake;
use crate::limits::{FRAME_PATIENCE, KEEPALIVE, MOST_CONNECTIONS, READ_BYTES};
use crate::networks::Networks;

/// Receives until it is to stop. What was read then is appended.
pub fn serve_tcp(listener: &TcpListener, intake: &Arc<dyn Intake>, networks: &Networks, stop: &Cancel) {
    let senders = Senders::new("tcp");
    let connections = AtomicUsize::new(0);
    if listener.set_nonblocking(true).is_err() {
        return;
    }
    std::thread::scope(|scope| {
        while !stop.is_set() {
            let Ok((connection, address)) = listener.accept() else {
                std::thread::sleep(LOOK / 5);
                continue;
            };
            let source = intake.counters().source("syslog/tcp");
            if !networks.allow(address.ip()) {
                source.rejected("network not allowed", 1);
                continue;
            }
            if connections.load(Ordering::Relaxed) >= MOST_CONNECTIONS {
                source.rejected("too many connections", 1);
                continue;
            }
            connections.fetch_add(1, Ordering::Relaxed);
            let (senders, connections) = (&senders, &connections);
            let receive = move || {
                // A connection that breaks off is shown by its sender's counters, not ours.
                let _ = receive(connection, address, &**intake, senders, stop);
                connections.fetch_sub(1, Ordering::Relaxed);
            };
            if std::thread::Builder::new().name("syslog".to_owned()).spawn_scoped(scope, receive).is_err() {
                connections.fetch_sub(1, Ordering::Relaxed);
                source.rejected("too many connections", 1);
            }
        }
    });
}

fn receive(
    connection: TcpStream,
    address: SocketAddr,
    intake: &dyn Intake,
    senders: &Senders,
    stop: &Cancel,
) -> io::Result<()> {
    let mut connection = connection;
    connection.set_nonblocking(false)?;
    connection.set_read_timeout(Some(LOOK))?;
    // A half-open connection, whose sender is gone without a word, ends by this.
    SockRef::from(&connection).set_tcp_keepalive(&TcpKeepalive::new().with_time(KEEPALIVE))?;
    let stream = senders.stream(address.ip());
    let (mut framer, mut messages) = (Framer::default(), Vec::new());
    let mut buffer = vec![0; READ_BYTES];
    let mut began: Option<Instant> = None;
    let mut split = 0;
    loop {
        let read = match connection.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if is_timeout(&error) => 0,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        framer.push(&buffer[..read], &mut messages);
        if framer.split() > split {
            intake.counters().source(stream.title()).rejected("too long, split", framer.split() - split);
            split = framer.split();
        }
        if !messages.is_empty() {
            began = None;
            if append(intake, &stream, std::mem::take(&mut messages), stop).is_err() {
                return Ok(());
            }
        }
        if !framer.is_within() {
            began = None;
        } else if began.get_or_insert_with(Instant::now).elapsed() > FRAME_PATIENCE {
            // A frame that never ends is what it is so far.
            intake.counters().source(stream.title()).rejected("frame without end", 1);
            break;
        }
        if stop.is_set() && read == 0 {
            break;
        }
    }
    framer.finish(&mut messages);
    if !messages.is_empty() {
        let _ = append(intake, &stream, messages, stop);
    }
    Ok(())
}

pub(crate) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
