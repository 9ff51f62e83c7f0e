//! What a case receives from, each on threads of its own: started with an address, stopped by a flag.

use std::io::{self, Read};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use indexer::{Cancel, Error, ErrorKind};

use crate::counters::Counters;
use crate::follow::follow;
use crate::http::{self, Allows, HttpOptions};
use crate::intake::{Intake, Refused, Stream};
use crate::internal::log_counters;
use crate::journal::Journal;
use crate::limits::READ_BYTES;
use crate::networks::{Networks, process_with_address};
use crate::readings::Readings;
use crate::receiver::{Notice, Receiver};
use crate::syslog::{LOOK, serve_tcp, serve_udp};
use crate::tally::Tally;

/// Something to receive from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    SyslogTcp(SocketAddr),
    SyslogUdp(SocketAddr),
    /// A Unix datagram socket at this path.
    SyslogUnix(PathBuf),
    /// Elasticsearch's interface and OTLP. Other machines need the token.
    Http {
        address: SocketAddr,
        token: Option<String>,
    },
    /// Files, folders and patterns.
    Follow(Vec<PathBuf>),
    Journal,
    Stdin,
    /// The counters of this case, this often.
    Internal(Duration),
}

/// A source that runs.
#[derive(Debug)]
pub struct Running {
    pub kind: &'static str,
    /// Where it listens or what it follows, as a person writes it.
    pub address: String,
    thread: JoinHandle<()>,
}

impl Running {
    /// Whether it came to an end by itself, as standard input does.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits until it has stopped.
    pub fn join(self) {
        let _ = self.thread.join();
    }
}

/// Starts to receive from a source until `stop` is set. What was read by then is appended.
pub fn start(
    source: &Source,
    receiver: &Receiver,
    networks: &Networks,
    stop: &Cancel,
) -> Result<Running, Error> {
    start_counted(source, receiver, (networks, stop), (&receiver.part(), &Arc::default()))
}

/// Like [`start`], and what comes from the source is counted in [`Receiver::part`] of its own too, and read as was
/// chosen.
pub fn start_counted(
    source: &Source,
    receiver: &Receiver,
    (networks, stop): (&Networks, &Cancel),
    read: (&Arc<Counters>, &Arc<Readings>),
) -> Result<Running, Error> {
    let running = run_source(source, receiver, (networks, stop), read)?;
    receiver.sources().add(running.kind, &running.address, read.0, stop);
    Ok(running)
}

fn run_source(
    source: &Source,
    receiver: &Receiver,
    (networks, stop): (&Networks, &Cancel),
    (counters, readings): (&Arc<Counters>, &Arc<Readings>),
) -> Result<Running, Error> {
    let tally = Arc::new(Tally::new(receiver.log(), Arc::clone(counters), Arc::clone(readings)));
    let readings = Arc::clone(readings);
    let intake: Arc<dyn Intake> = Arc::clone(&tally) as Arc<dyn Intake>;
    let (networks, stop) = (networks.clone(), stop.clone());
    let tell = Arc::clone(receiver.teller());
    match source {
        Source::SyslogTcp(address) => {
            check_loopback(*address, &networks)?;
            let listener = TcpListener::bind(address).map_err(|error| in_use(*address, "tcp", &error))?;
            let address = listener.local_addr().map_or(*address, |address| address);
            run("syslog/tcp", &address, move || serve_tcp(&listener, (&intake, &readings), &networks, &stop))
        }
        Source::SyslogUdp(address) => {
            check_loopback(*address, &networks)?;
            let socket = UdpSocket::bind(address).map_err(|error| in_use(*address, "udp", &error))?;
            let address = socket.local_addr().map_or(*address, |address| address);
            run("syslog/udp", &address, move || serve_udp(&socket, (&intake, &readings), &networks, &stop))
        }
        Source::SyslogUnix(path) => unix(path, (intake, readings), stop),
        Source::Http { address, token } => {
            check_loopback(*address, &networks)?;
            check_token(*address, token.as_deref())?;
            let listener = TcpListener::bind(address).map_err(|error| in_use(*address, "tcp", &error))?;
            let address = listener.local_addr().unwrap_or(*address);
            let remote = (!address.ip().is_loopback())
                .then(|| -> Allows { Arc::new(move |from| networks.allow(from)) });
            let options = HttpOptions { remote, token: token.clone(), ..HttpOptions::default() };
            let case = Arc::clone(receiver.case());
            run("http", &address, move || {
                if let Err(error) = http::serve(listener, Arc::clone(&intake), case, options, stop) {
                    let message = format!("HTTP is received no longer: {error}");
                    tell(Notice::Failing(Error::new(ErrorKind::Internal, message)));
                }
            })
        }
        Source::Follow(paths) => {
            let paths = paths.clone();
            let names: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
            let address = names.join(" ");
            run("follow", &address, move || follow(&paths, &tally, &*tell, &stop))
        }
        Source::Journal => {
            let mut journal = Journal::start(receiver.case().folder())?;
            run("journal", &"-", move || journal.follow(&intake, &stop))
        }
        Source::Stdin => run("stdin", &"-", move || stdin(&*intake, &stop)),
        Source::Internal(every) => {
            let (log, every) = (receiver.intake(), *every);
            run("internal", &"-", move || log_counters(&*log, every, &stop))
        }
    }
}

fn run(
    kind: &'static str,
    address: &dyn ToString,
    work: impl FnOnce() + Send + 'static,
) -> Result<Running, Error> {
    let thread = std::thread::Builder::new().name(kind.to_owned()).spawn(work).map_err(|error| {
        Error::new(ErrorKind::Internal, format!("no thread could be started for {kind}: {error}"))
    })?;
    Ok(Running { kind, address: address.to_string(), thread })
}

/// An address that other machines reach is only listened on for networks that a person named.
fn check_loopback(address: SocketAddr, networks: &Networks) -> Result<(), Error> {
    if address.ip().is_loopback() || !networks.is_empty() {
        return Ok(());
    }
    let message =
        format!("{address} can be reached from other machines, and no network was named that may send");
    Err(Error::new(ErrorKind::BadRequest, message)
        .hint("name the networks: --allow-remote 10.0.0.0/8; or listen on 127.0.0.1"))
}

/// Whoever sends over HTTP from another machine shows a token.
fn check_token(address: SocketAddr, token: Option<&str>) -> Result<(), Error> {
    if address.ip().is_loopback() || token.is_some_and(|token| !token.is_empty()) {
        return Ok(());
    }
    let message = format!("{address} can be reached from other machines, and there is no token for HTTP");
    Err(Error::new(ErrorKind::BadRequest, message).hint("write one to a file and name it: --token-file FILE"))
}

/// Why an address cannot be listened on, with who has it.
#[must_use]
pub fn in_use(address: SocketAddr, protocol: &str, error: &io::Error) -> Error {
    if error.kind() != io::ErrorKind::AddrInUse {
        return Error::new(ErrorKind::NotReadable, format!("{address} cannot be listened on: {error}"));
    }
    let process = process_with_address(address, protocol).unwrap_or_else(|| "another program".to_owned());
    let message = format!("{address} is in use by {process}");
    Error::new(ErrorKind::BadRequest, message).hint("stop that program, or listen on another port")
}

#[cfg(unix)]
fn unix(
    path: &PathBuf,
    (intake, readings): (Arc<dyn Intake>, Arc<Readings>),
    stop: Cancel,
) -> Result<Running, Error> {
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::net::UnixDatagram;

    let failed = |error: io::Error| {
        Error::new(ErrorKind::NotReadable, format!("the socket cannot be made: {error}")).at(path)
    };
    // A socket that nobody answers on was left by a process that was killed.
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket());
    let is_left = is_socket && UnixDatagram::unbound().and_then(|own| own.connect(path)).is_err();
    if is_left {
        std::fs::remove_file(path).map_err(failed)?;
    }
    let socket = UnixDatagram::bind(path).map_err(failed)?;
    let bound = path.clone();
    run("syslog/unix", &path.display(), move || {
        crate::syslog::serve_unix(&socket, (&intake, &readings), &stop);
        let _ = std::fs::remove_file(bound);
    })
}

#[cfg(not(unix))]
fn unix(path: &PathBuf, _: (Arc<dyn Intake>, Arc<Readings>), _: Cancel) -> Result<Running, Error> {
    Err(Error::new(ErrorKind::BadRequest, "this system has no Unix sockets").at(path))
}

fn stdin(intake: &dyn Intake, stop: &Cancel) {
    let stream = Stream::new("stdin");
    let mut input = io::stdin().lock();
    let mut buffer = vec![0; READ_BYTES];
    let mut last = b'\n';
    loop {
        match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => {
                last = buffer[read - 1];
                if !append_bytes(intake, &stream, &buffer[..read], stop) {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    if last != b'\n' {
        append_bytes(intake, &stream, b"\n", stop);
    }
}

/// Appends, and waits as long as there is no room. False when it is to stop.
fn append_bytes(intake: &dyn Intake, stream: &Stream, bytes: &[u8], stop: &Cancel) -> bool {
    loop {
        match intake.append_lines(stream, bytes) {
            Ok(()) => return true,
            Err(Refused::Closed) => return false,
            Err(_) if stop.is_set() => return false,
            Err(_) => std::thread::sleep(LOOK),
        }
    }
}
