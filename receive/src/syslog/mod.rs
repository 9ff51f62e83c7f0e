//! Syslog over UDP, TCP and a Unix datagram socket. The messages are stored as they came; the format of each
//! sender's stream is learned as that of a file is.

mod datagrams;
mod framing;
mod tcp;

pub use datagrams::{serve_udp, serve_unix};
pub use framing::Framer;
pub use tcp::serve_tcp;

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indexer::Cancel;

use crate::intake::{Intake, Record, Refused, Stream};
use crate::limits::MOST_SENDERS;

/// How often a thread that waits looks whether it is to stop.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// The senders of a listener that have a stream of their own.
pub(crate) struct Senders {
    kind: &'static str,
    known: Mutex<HashSet<IpAddr>>,
}

impl Senders {
    pub fn new(kind: &'static str) -> Senders {
        Senders { kind, known: Mutex::default() }
    }

    /// The stream of a sender; of one too many, that of all others.
    pub fn stream(&self, address: IpAddr) -> Stream {
        let address = address.to_canonical();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains(&address) && known.len() >= MOST_SENDERS {
            return Stream::new(format!("syslog/{}/others", self.kind));
        }
        known.insert(address);
        let sender = address.to_string();
        Stream { sender: Some(sender.clone()), ..Stream::new(format!("syslog/{}/{sender}", self.kind)) }
    }
}

/// Appends messages, and waits as long as there is no room for them. Gives up when it is to stop.
pub(crate) fn append(
    intake: &dyn Intake,
    stream: &Stream,
    frames: Vec<Vec<u8>>,
    stop: &Cancel,
) -> Result<(), Refused> {
    let mut records: Vec<Record> = frames.into_iter().map(Record::new).collect();
    loop {
        // A copy is only needed where it may have to be sent again.
        match intake.append(stream, records.clone()) {
            Ok(_) => return Ok(()),
            Err(Refused::Closed) => return Err(Refused::Closed),
            Err(refused) if stop.is_set() => return Err(refused),
            Err(_) => {
                records.shrink_to_fit();
                std::thread::sleep(LOOK);
            }
        }
    }
}
