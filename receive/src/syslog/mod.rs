//! Syslog over UDP, TCP and a Unix datagram socket. The messages are stored as they came; the format of each
//! sender's stream is learned as that of a file is.

mod datagrams;
mod framing;
mod tcp;

pub use datagrams::{serve_udp, serve_unix};
pub use framing::Framer;
pub use tcp::serve_tcp;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use indexer::Cancel;

use crate::intake::{Intake, OwnStreams, Record, Refused, Stream};
use crate::readings::Readings;

/// How often a thread that waits looks whether it is to stop.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// The senders of a listener, and which of their messages have a stream of their own.
pub(crate) struct Senders {
    kind: &'static str,
    own: OwnStreams,
    readings: Arc<Readings>,
}

impl Senders {
    pub fn new(kind: &'static str, readings: &Arc<Readings>) -> Senders {
        Senders { kind, own: OwnStreams::default(), readings: Arc::clone(readings) }
    }

    /// The stream of a sender, or of those messages of it that have a tag which something is chosen for; of one too
    /// many, that of all others.
    pub fn stream(&self, sender: Option<IpAddr>, tag: Option<&str>) -> Stream {
        let sender = sender.map(|address| address.to_canonical());
        let mut name = format!("syslog/{}", self.kind);
        let mut stream = Stream::new("");
        if let Some(address) = sender {
            let is_own = self.own.has(address, tag);
            name.push('/');
            name.push_str(&if is_own { address.to_string() } else { "others".to_owned() });
            stream.sender = is_own.then(|| address.to_string());
        }
        if let Some(tag) = tag {
            name.push('/');
            name.push_str(tag);
        }
        stream.name = name;
        let chosen = self.readings.chosen(stream, tag);
        match (&chosen.format, &chosen.zone) {
            (None, None) => chosen,
            // Another listener may read what the same sender sends to it in another way.
            (format, zone) => {
                let words = [format, zone].map(|word| word.as_deref().unwrap_or("-"));
                let parted = Stream::with_part(&chosen.name, &words.join(" "));
                Stream { name: parted.name, ..chosen }
            }
        }
    }

    /// Appends messages of a sender, and waits as long as there is no room for them. Gives up when it is to stop.
    pub fn append(
        &self,
        intake: &dyn Intake,
        sender: Option<IpAddr>,
        frames: Vec<Vec<u8>>,
        stop: &Cancel,
    ) -> Result<(), Refused> {
        if !self.readings.has_tags() {
            return append(intake, &self.stream(sender, None), frames, stop);
        }
        let mut by_tag: BTreeMap<Option<String>, Vec<Vec<u8>>> = BTreeMap::new();
        for frame in frames {
            let tag = self.readings.tag_of(&frame).map(str::to_owned);
            by_tag.entry(tag).or_default().push(frame);
        }
        for (tag, frames) in by_tag {
            append(intake, &self.stream(sender, tag.as_deref()), frames, stop)?;
        }
        Ok(())
    }
}

/// Appends messages, and waits as long as there is no room for them. Gives up when it is to stop.
fn append(intake: &dyn Intake, stream: &Stream, frames: Vec<Vec<u8>>, stop: &Cancel) -> Result<(), Refused> {
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
