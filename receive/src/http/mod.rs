//! The HTTP server: Elasticsearch's interface as shippers, clients and dashboards use it, and OTLP.
//!
//! What is appended goes through an [`Intake`] and is answered when it is synced; what is asked is answered
//! from the [`Case`]. A request is a [`request::Head`] with a body, handlers are functions of them, and only
//! `crate::connections` knows sockets. [docs/receiving-http.md] lists what is answered and for which clients.

mod answer;
mod body;
mod bulk;
mod cluster;
mod document;
mod filter_path;
mod guard;
mod indices;
pub(crate) mod limits;
mod memory;
mod queues;
mod request;
mod respond;
mod routes;
mod search;
mod single;

use std::io;
use std::net::{IpAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use indexer::{Cancel, Case};
use tokio::sync::watch;

use crate::intake::{Intake, OwnStreams, Stream};

pub(crate) use answer::{Answer, Body, Problem};
pub(crate) use request::{Head, Request};

/// Whether an address that is not of this machine may connect.
pub type Allows = Arc<dyn Fn(IpAddr) -> bool + Send + Sync>;

/// Who may come in.
#[derive(Clone, Default)]
pub struct HttpOptions {
    /// Other machines that may connect; none without it, and with it a token is needed.
    pub remote: Option<Allows>,
    /// What clients have to send: as a bearer token, as an API key, or as the password of any user.
    pub token: Option<String>,
    pub patience: Patience,
}

/// How long is waited for senders. Those that trickle are cut off, so that they take no place from others.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the whole head of a request, and on an idle connection for the next one.
    pub head: Duration,
    /// For the next bytes of a body.
    pub pause: Duration,
    /// For a whole body, however steadily it comes.
    pub body: Duration,
    /// For the work on a request whose body is there.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            head: limits::HEAD_TIME,
            pause: limits::BODY_PAUSE,
            body: limits::BODY_TIME,
            answer: limits::ANSWER_TIME,
        }
    }
}

/// What every handler shares.
pub(crate) struct Host {
    pub intake: Arc<dyn Intake>,
    pub case: Arc<Case>,
    pub options: HttpOptions,
    /// The port that it listens on.
    pub port: u16,
    pub stop: Cancel,
    /// Dropped when no more requests are taken.
    pub ending: watch::Sender<()>,
    pub ids: bulk::Ids,
    pub memory: Arc<memory::Memory>,
    pub queues: queues::Queues,
    pub settings: indices::Settings,
    own: OwnStreams,
    pub scrolls: search::Scrolls,
    pub composites: search::Composites,
}

impl Host {
    pub fn new(
        intake: Arc<dyn Intake>,
        case: Arc<Case>,
        options: HttpOptions,
        port: u16,
        stop: Cancel,
    ) -> io::Result<Host> {
        let ids = bulk::Ids::new().map_err(|error| io::Error::other(error.to_string()))?;
        let (ending, memory, queues, settings) = Default::default();
        let (own, scrolls, composites) = Default::default();
        Ok(Host {
            intake,
            case,
            options,
            port,
            stop,
            ending,
            ids,
            memory,
            queues,
            settings,
            own,
            scrolls,
            composites,
        })
    }

    /// The stream that what a client sends to a source belongs to.
    pub fn stream(&self, source: &str, sender: IpAddr) -> Stream {
        let format = Some("json".to_owned());
        if !self.own.has(sender, Some(source)) {
            return Stream { format, ..Stream::new(source) };
        }
        let address = sender.to_string();
        let stream = Stream::with_part(source, &address);
        Stream { sender: Some(address), format, ..stream }
    }

    /// Waits until what was stored is visible, if the request asks for that: `refresh=true` at once, `refresh=wait_for`
    /// with the next refresh.
    pub fn refresh_asked(&self, head: &request::Head, cancel: &Cancel) {
        match head.parameter("refresh") {
            Some("true" | "") => drop(self.intake.refresh(true, limits::REFRESH_TIME, cancel)),
            Some("wait_for") => drop(self.intake.refresh(false, limits::REFRESH_TIME, cancel)),
            _ => {}
        }
    }
}

/// Serves until `stop` is set; then searches end at once, and requests whose body is there are answered first. Fails where the address is not
/// of this machine alone and the options let no other machine in, or have no token.
pub fn serve(
    listener: TcpListener,
    intake: Arc<dyn Intake>,
    case: Arc<Case>,
    options: HttpOptions,
    stop: Cancel,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    guard::check_options(&options, address.ip())?;
    let host = Arc::new(Host::new(intake, case, options, address.port(), stop)?);
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(limits::BLOCKING_THREADS)
        .thread_name("http")
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        respond::serve(tokio::net::TcpListener::from_std(listener)?, host).await;
        Ok(())
    });
    // Work that still goes on is for nobody. What it appends is kept or refused as a whole.
    runtime.shutdown_background();
    served
}

/// What fuzz targets reach without a connection.
#[cfg(fuzzing)]
pub mod fuzzing {
    pub use super::filter_path::FilterPath;
}

#[cfg(test)]
mod cost_tests;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
