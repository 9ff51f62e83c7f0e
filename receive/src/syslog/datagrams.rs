//! Syslog in datagrams. One thread does nothing but take them from the system, which drops what it has no room
//! for; another appends them.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::net::{IpAddr, UdpSocket};
use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use indexer::Cancel;
use socket2::SockRef;

use super::framing::of_datagram;
use super::tcp::is_timeout;
use super::{LOOK, Senders};
use crate::intake::Intake;
use crate::limits::{
    DATAGRAM_BYTES, DATAGRAMS_AT_ONCE, DATAGRAMS_AT_ONCE_BYTES, DATAGRAMS_WAITING, SOCKET_BYTES,
};
use crate::networks::Networks;
use crate::readings::Readings;

type Datagrams = Vec<(Option<IpAddr>, Vec<u8>)>;

/// Receives datagrams of UDP until it is to stop.
pub fn serve_udp(
    socket: &UdpSocket,
    (intake, readings): (&Arc<dyn Intake>, &Arc<Readings>),
    networks: &Networks,
    stop: &Cancel,
) {
    // What the system allows is less, mostly.
    let _ = SockRef::from(socket).set_recv_buffer_size(SOCKET_BYTES);
    let port = socket.local_addr().map_or(0, |address| address.port());
    let senders = Senders::new("udp", readings);
    let source = intake.counters().source("syslog/udp");
    let take = |buffer: &mut [u8]| {
        let (length, from) = socket.recv_from(buffer)?;
        if networks.allow(from.ip()) {
            return Ok(Some((Some(from.ip()), length)));
        }
        source.rejected("network not allowed", 1);
        Ok(None)
    };
    let mut dropped = dropped_by_system(port);
    let each_look = || {
        let now = dropped_by_system(port);
        if now > dropped {
            source.rejected("dropped by the kernel", now - dropped);
        }
        dropped = now;
    };
    if socket.set_read_timeout(Some(LOOK)).is_ok() {
        serve(&take, &senders, each_look, &**intake, stop);
    }
}

/// Receives datagrams of a Unix socket until it is to stop. Their senders wait where there is no room.
#[cfg(unix)]
pub fn serve_unix(
    socket: &std::os::unix::net::UnixDatagram,
    (intake, readings): (&Arc<dyn Intake>, &Arc<Readings>),
    stop: &Cancel,
) {
    let take = |buffer: &mut [u8]| socket.recv(buffer).map(|length| Some((None, length)));
    let senders = Senders::new("unix", readings);
    if socket.set_read_timeout(Some(LOOK)).is_ok() {
        serve(&take, &senders, || {}, &**intake, stop);
    }
}

type Take<'a> = dyn Fn(&mut [u8]) -> io::Result<Option<(Option<IpAddr>, usize)>> + Sync + 'a;

fn serve(
    take: &Take<'_>,
    senders: &Senders,
    mut each_look: impl FnMut(),
    intake: &dyn Intake,
    stop: &Cancel,
) {
    let (sender, waiting) = bounded(DATAGRAMS_WAITING);
    std::thread::scope(|scope| {
        scope.spawn(move || append_all(&waiting, senders, intake, stop));
        let mut looked = Instant::now();
        let mut buffer = vec![0; DATAGRAM_BYTES];
        while let Some(datagrams) = taken(take, &mut buffer, stop) {
            if !datagrams.is_empty() && !handed_on(&sender, datagrams, intake) {
                break;
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                each_look();
            }
        }
        each_look();
        drop(sender);
    });
}

/// What there is to take, up to a batch. Nothing when it is to stop and there is nothing more.
fn taken(take: &Take<'_>, buffer: &mut [u8], stop: &Cancel) -> Option<Datagrams> {
    let mut datagrams = Vec::new();
    let mut bytes = 0;
    let began = Instant::now();
    while datagrams.len() < DATAGRAMS_AT_ONCE
        && bytes < DATAGRAMS_AT_ONCE_BYTES
        && (datagrams.is_empty() || began.elapsed() < LOOK / 20)
    {
        match take(buffer) {
            Ok(Some((from, length))) => {
                bytes += length;
                datagrams.push((from, of_datagram(&buffer[..length]).to_vec()));
            }
            Err(error) if is_timeout(&error) => {
                return (!datagrams.is_empty() || !stop.is_set()).then_some(datagrams);
            }
            // A port that a datagram of ours could not reach is no matter of what we receive.
            Err(_) if stop.is_set() => return None,
            Ok(None) | Err(_) => {}
        }
    }
    Some(datagrams)
}

fn handed_on(sender: &Sender<Datagrams>, datagrams: Datagrams, intake: &dyn Intake) -> bool {
    if sender.is_full() {
        intake.counters().stall();
    }
    sender.send(datagrams).is_ok()
}

fn append_all(waiting: &Receiver<Datagrams>, senders: &Senders, intake: &dyn Intake, stop: &Cancel) {
    loop {
        let mut batch = match waiting.recv_timeout(LOOK) {
            Ok(datagrams) => datagrams,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        batch.extend(waiting.try_iter().flatten());
        let mut by_sender: HashMap<Option<IpAddr>, Vec<Vec<u8>>> = HashMap::new();
        for (from, datagram) in batch {
            if !datagram.is_empty() {
                by_sender.entry(from).or_default().push(datagram);
            }
        }
        for (from, frames) in by_sender {
            if senders.append(intake, from, frames, stop).is_err() {
                return;
            }
        }
    }
}

/// How many datagrams the system has dropped for want of room, of the sockets that are bound to a port.
fn dropped_by_system(port: u16) -> u64 {
    let tables = ["/proc/net/udp", "/proc/net/udp6"];
    tables.iter().filter_map(|table| fs::read_to_string(table).ok()).map(|table| drops(&table, port)).sum()
}

fn drops(table: &str, port: u16) -> u64 {
    let bound = format!(":{port:04X}");
    let lines = table
        .lines()
        .skip(1)
        .filter(|line| line.split_ascii_whitespace().nth(1).is_some_and(|address| address.ends_with(&bound)));
    lines.filter_map(|line| line.split_ascii_whitespace().last()?.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_those_of_the_port() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n\
            100: 0100007F:158A 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 18000 2 0000000000000000 41\n\
            101: 0100007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 18001 2 0000000000000000 7\n";
        assert_eq!((drops(table, 5514), drops(table, 53), drops(table, 80)), (41, 7, 0));
    }
}
