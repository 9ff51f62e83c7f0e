//! The text of a record and the fields in it.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use crate::batch::Level;
use crate::logins::{LoginFile, LoginLayout, text_field};
use crate::rows::{ColumnKind, Schema};

pub(super) const COLUMNS: Schema = &[
    ("action", ColumnKind::Text),
    ("user", ColumnKind::Text),
    ("terminal", ColumnKind::Text),
    ("client_host", ColumnKind::Text),
    ("client_ip", ColumnKind::Text),
    ("pid", ColumnKind::Int),
    ("uid", ColumnKind::Int),
    ("session", ColumnKind::Int),
    ("exit_status", ColumnKind::Int),
    ("termination", ColumnKind::Int),
    ("kernel", ColumnKind::Text),
];
const ACTION: usize = 0;
const USER: usize = 1;
const TERMINAL: usize = 2;
const CLIENT_HOST: usize = 3;
const CLIENT_IP: usize = 4;
const PID: usize = 5;
const UID: usize = 6;
const SESSION: usize = 7;
const EXIT_STATUS: usize = 8;
const TERMINATION: usize = 9;
const KERNEL: usize = 10;

/// The fields of a record. Texts are ranges of the text that it was described in.
pub(super) struct Described {
    pub texts: Vec<(usize, Range<usize>)>,
    pub numbers: Vec<(usize, i64)>,
    pub when_ns: Option<i64>,
    pub level: Level,
}

/// Writes a record as a sentence. `index` is its place in the file.
pub(super) fn describe(
    layout: LoginLayout,
    record: &[u8],
    index: u64,
    text: &mut Vec<u8>,
) -> Result<Described, &'static str> {
    if record.len() < layout.record_bytes() {
        text.extend_from_slice(b"a record that is cut short");
        return Err("the record is cut short");
    }
    if !layout.fits(record) {
        text.extend_from_slice(b"a record that is damaged");
        return Err("the record is damaged");
    }
    let mut sentence = Sentence { text, texts: Vec::new() };
    let mut numbers = Vec::new();
    let mut level = Level::None;
    if let Some(terminal) = layout.last_terminal_at() {
        let user = layout.user(record).unwrap_or(index);
        sentence.put(b"", ACTION, b"last login");
        numbers.push((UID, i64::try_from(user).unwrap_or(i64::MAX)));
        let _ = write!(sentence.text, " of user id {user}");
        sentence.put(b" on ", TERMINAL, text_field(record, terminal, 32));
        sentence.put(b" from ", CLIENT_HOST, text_field(record, terminal + 32, 256));
    } else {
        level = login(layout, record, &mut sentence, &mut numbers);
    }
    let ns = i64::try_from(layout.seconds(record) * 1_000_000_000 + layout.micros(record) * 1_000);
    let when_ns = ns.ok().filter(|ns| *ns > 0);
    Ok(Described { texts: sentence.texts, numbers, when_ns, level })
}

fn login(
    layout: LoginLayout,
    record: &[u8],
    sentence: &mut Sentence<'_>,
    numbers: &mut Vec<(usize, i64)>,
) -> Level {
    let kind = layout.number(record, 0, 2);
    let pid = layout.number(record, 4, 4);
    let user = text_field(record, 44, 32);
    let host = text_field(record, 76, 256);
    let has_failed = layout.file == LoginFile::Failed && matches!(kind, 6 | 7);
    let action: &[u8] = match kind {
        1 if user == b"shutdown" => b"shutdown",
        1 => b"run level",
        2 => b"boot",
        3 => b"clock after it was set",
        4 => b"clock before it was set",
        5 => b"start of init",
        _ if has_failed => b"failed login",
        6 => b"login prompt",
        7 => b"login",
        8 => b"logout",
        9 => b"accounting",
        _ => b"unused",
    };
    sentence.put(b"", ACTION, action);
    if kind == 1
        && let Some(run_level) = u8::try_from(pid & 0xFF).ok().filter(u8::is_ascii_graphic)
    {
        sentence.text.extend_from_slice(&[b' ', run_level]);
    }
    // The system's own records have the kernel in the place of the host.
    let is_system = matches!(kind, 1 | 2);
    if !is_system {
        sentence.put(b" of ", USER, user);
    }
    if kind > 2 {
        sentence.put(b" on ", TERMINAL, text_field(record, 8, 32));
    }
    if is_system {
        sentence.put(b" of kernel ", KERNEL, host);
    } else {
        sentence.put(b" from ", CLIENT_HOST, host);
    }
    if let Some(address) = address(record, layout.address_at()) {
        let address = address.to_string();
        let is_host = host == address.as_bytes();
        match sentence.texts.last().cloned() {
            Some((CLIENT_HOST, range)) if is_host => sentence.texts.push((CLIENT_IP, range)),
            _ => sentence.put(b" at ", CLIENT_IP, address.as_bytes()),
        }
    }
    if kind != 1 && pid > 0 {
        let pid = i64::from(pid as u32 as i32);
        numbers.push((PID, pid));
        let _ = write!(sentence.text, ", process {pid}");
    }
    let session = layout.number(record, 336, 4) as i64;
    if session > 0 {
        numbers.push((SESSION, session));
    }
    let (signal, status) = (layout.number(record, 332, 2) as i64, layout.number(record, 334, 2) as i64);
    if kind == 8 && (signal, status) != (0, 0) {
        numbers.extend([(TERMINATION, signal), (EXIT_STATUS, status)]);
        let _ = write!(sentence.text, ", status {status}");
    }
    if has_failed { Level::Warn } else { Level::None }
}

/// The address of a client: four bytes, or sixteen.
fn address(record: &[u8], at: usize) -> Option<IpAddr> {
    let bytes: [u8; 16] = record.get(at..at + 16)?.try_into().ok()?;
    let [a, b, c, d, rest @ ..] = bytes;
    if bytes == [0; 16] {
        return None;
    }
    Some(if rest == [0; 12] {
        Ipv4Addr::new(a, b, c, d).into()
    } else {
        Ipv6Addr::from(bytes).to_canonical()
    })
}

struct Sentence<'a> {
    text: &'a mut Vec<u8>,
    texts: Vec<(usize, Range<usize>)>,
}

impl Sentence<'_> {
    /// Writes a value after the words before it, if there is one. Control characters are escaped: whoever tries to
    /// log in types what he likes, and a terminal would obey it.
    fn put(&mut self, before: &[u8], column: usize, value: &[u8]) {
        if value.is_empty() {
            return;
        }
        self.text.extend_from_slice(before);
        let start = self.text.len();
        for &byte in value {
            if byte.is_ascii_control() {
                let _ = write!(self.text, "\\x{byte:02x}");
            } else {
                self.text.push(byte);
            }
        }
        self.texts.push((column, start..self.text.len()));
    }
}
