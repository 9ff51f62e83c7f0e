//! The programs whose messages are parsed, by their names.

use std::collections::HashMap;
use std::sync::LazyLock;

use memchr::memmem;

use super::{cisco, filterlog, ise, mail, named, netfilter, network, proxy, session, snare};
use crate::formats::Setup;
use crate::formats::json::JsonBody;
use crate::layout::{LayoutReader, LineLayouts};
use crate::named_columns::NamedColumns;
use crate::pairs;
use crate::rows::Rows;
use crate::time::zone::Zone;

/// Programs with the same message layouts.
pub(super) struct Program {
    /// Their names, in lower case unless they are Cisco's.
    pub apps: &'static [&'static str],
    /// The layouts begin where this text occurs in a message, not at its start.
    pub from: &'static [u8],
    pub layouts: &'static LazyLock<LineLayouts>,
}

static PROGRAMS: [&Program; 18] = [
    &session::SSHD,
    &session::SUDO,
    &session::CRON,
    &session::PAM,
    &session::LOGIN,
    &mail::POSTFIX,
    &mail::DOVECOT,
    &mail::SENDMAIL,
    &named::NAMED,
    &proxy::HAPROXY,
    &network::DHCPD,
    &network::DHCLIENT,
    &network::OPENVPN,
    &network::DNSMASQ,
    &network::ROUTEROS,
    &network::FAIL2BAN,
    &cisco::ASA,
    &cisco::IOS,
];

/// The reader of a program's messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    Layouts(usize),
    Netfilter,
    Filterlog,
    Nothing,
}

/// Readers for the programs that occurred in one chunk.
#[derive(Default)]
pub(super) struct Programs {
    known: Vec<(Box<[u8]>, Reads)>,
    places: HashMap<Box<[u8]>, usize>,
    /// The program of the event before.
    last: usize,
    readers: [Option<LayoutReader>; PROGRAMS.len()],
    json: JsonBody,
    netfilter: netfilter::Netfilter,
    filterlog: filterlog::Filterlog,
    ise: ise::Ise,
    snare: snare::Snare,
    /// For the pairs of other programs.
    named: NamedColumns,
}

impl Programs {
    /// Puts the fields of the message into the row; an unknown message adds none.
    #[inline]
    pub(super) fn read(&mut self, app: &[u8], event: &[u8], message: usize, rows: &mut Rows) {
        if matches!(event[message], b'{' | b'@') && self.json.read(event, message, rows) {
            return;
        }
        if self.ise.read(event, message, rows) || self.snare.read(event, message, rows) {
            return;
        }
        // Cisco's devices are also recognised if another program relays them.
        let (app, message) = match cisco::mnemonic(event, message) {
            Some(mnemonic) => (&event[mnemonic.facility.0..mnemonic.facility.1], mnemonic.message),
            None => (app, message),
        };
        match self.reads(app) {
            Reads::Nothing => pairs::read_leading(event, message, &mut self.named, rows),
            Reads::Layouts(program) => {
                let reader = self.readers[program]
                    .get_or_insert_with(|| PROGRAMS[program].layouts.reader(&Setup::new(Zone::UTC)));
                let text = &event[message..];
                let start = match PROGRAMS[program].from {
                    b"" => text.iter().position(|byte| *byte != b' '),
                    from => memmem::find(text, from),
                };
                if let Some(start) = start {
                    reader.read_at(event, message + start, rows);
                }
            }
            Reads::Netfilter => {
                if !self.netfilter.read(event, message, rows) {
                    pairs::read_leading(event, message, &mut self.named, rows);
                }
            }
            Reads::Filterlog => self.filterlog.read(event, message, rows),
        }
    }

    /// Most sources have few programs, so these are compared before any is hashed.
    #[inline]
    fn reads(&mut self, app: &[u8]) -> Reads {
        if let Some((last, reads)) = self.known.get(self.last)
            && **last == *app
        {
            return *reads;
        }
        let near = self.known.iter().take(COMPARED).position(|(known, _)| **known == *app);
        self.last = near.unwrap_or_else(|| self.place(app));
        self.known[self.last].1
    }

    fn place(&mut self, app: &[u8]) -> usize {
        if let Some(&place) = self.places.get(app) {
            return place;
        }
        self.known.push((app.into(), reads(app)));
        self.places.insert(app.into(), self.known.len() - 1);
        self.known.len() - 1
    }
}

/// This many programs are compared by name alone.
const COMPARED: usize = 12;

fn reads(app: &[u8]) -> Reads {
    // `/usr/sbin/cron`, `postfix/smtpd`, `sshd(pam_unix)`, `dovecot:`.
    let name = match app.strip_prefix(b"/") {
        Some(path) => path.rsplit(|&byte| byte == b'/').next().unwrap_or_default(),
        None => app,
    };
    if name.contains(&b',') {
        return PROGRAMS
            .iter()
            .position(|p| p.apps == network::ROUTEROS.apps)
            .map_or(Reads::Nothing, Reads::Layouts);
    }
    let is_pam = name.ends_with(b"(pam_unix)");
    let name = name.split(|byte| matches!(byte, b'/' | b'(' | b':')).next().unwrap_or_default();
    match name {
        b"kernel" | b"ulogd" | b"firewall" => return Reads::Netfilter,
        b"filterlog" => return Reads::Filterlog,
        _ => {}
    }
    let is_it = |known: &&str| {
        if is_pam { *known == "pam_unix" } else { known.as_bytes().eq_ignore_ascii_case(name) }
    };
    let program = PROGRAMS.iter().position(|program| program.apps.iter().any(&is_it));
    program.map_or(Reads::Nothing, Reads::Layouts)
}
