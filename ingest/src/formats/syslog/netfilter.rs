//! The kernel's firewall: `IN=eth0 OUT= MAC=… SRC=… DST=… PROTO=TCP SPT=… DPT=… SYN`, of iptables, nftables,
//! UFW and Shorewall.

use memchr::{memchr, memmem};

use crate::named_columns::NamedColumns;
use crate::rows::Rows;

#[derive(Default)]
pub(super) struct Netfilter {
    named: NamedColumns,
}

impl Netfilter {
    /// The pairs keep the kernel's names; the addresses and ports also get the conventional ones.
    pub(super) fn read(&mut self, event: &[u8], message: usize, rows: &mut Rows) -> bool {
        let Some(start) = memmem::find(&event[message..], b"IN=").map(|at| message + at) else {
            return false;
        };
        if memmem::find(&event[start..], b"SRC=").is_none() {
            return false;
        }
        self.named.begin();
        let before = &event[..start];
        let prefix = start_of_prefix(before, message);
        let prefix_end = prefix + before[prefix..].trim_ascii_end().len();
        if prefix_end > prefix {
            self.named.text(b"prefix", prefix, prefix_end, rows);
        }
        let mut at = start;
        while at < event.len() {
            let end = at + memchr(b' ', &event[at..]).unwrap_or(event.len() - at);
            if let Some(equals) = memchr(b'=', &event[at..end])
                && at + equals + 1 < end
            {
                let name = conventional(&event[at..at + equals]);
                self.named.value(name, event, at + equals + 1, end, rows);
            }
            at = end + 1;
        }
        true
    }
}

/// Where the text of a rule's log prefix begins; the kernel's uptime precedes it.
fn start_of_prefix(before: &[u8], message: usize) -> usize {
    match before.get(message) {
        Some(b'[') if before.get(message + 1).is_some_and(|byte| matches!(byte, b' ' | b'0'..=b'9')) => {
            let close = memchr(b']', &before[message..]).map_or(message, |at| message + at + 1);
            close + usize::from(before.get(close) == Some(&b' '))
        }
        _ => message,
    }
}

fn conventional(name: &[u8]) -> &[u8] {
    match name {
        b"SRC" => b"source_ip",
        b"DST" => b"destination_ip",
        b"SPT" => b"source_port",
        b"DPT" => b"destination_port",
        b"PROTO" => b"transport",
        other => other,
    }
}
