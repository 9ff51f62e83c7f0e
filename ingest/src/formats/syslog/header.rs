//! The text before the message in RFC 3164 and everything like it. No part of it is certain: relays drop the
//! host, devices count their messages, journalctl writes the time in its own ways.

use memchr::memchr;

use super::cisco;
use super::{APP, ColumnNumbers, FACILITY, HOST, MSGID, PID, PID_TEXT};
use crate::batch::Level;
use crate::byte_table::ByteTable;
use crate::endpoint::TextRange;
use crate::layout::time_at;
use crate::level;
use crate::rows::Rows;
use crate::time::When;
use crate::time::month_names::month_name;
use crate::time::rare_formats::year_first;
use crate::time::stamp::{Stamp, iso, month_day};

/// The header of one event, and where its message begins.
#[derive(Default)]
pub(super) struct SyslogHeader {
    when: Option<When>,
    facility: Option<TextRange>,
    level: Option<Level>,
    host: Option<TextRange>,
    pub app: Option<TextRange>,
    pid: Option<TextRange>,
    msgid: Option<TextRange>,
    pub message: usize,
    /// No other log looks like this.
    pub is_certain: bool,
    /// There is nothing but a priority before the message.
    pub is_bare: bool,
}

/// How likely a time is one of syslog: an ISO date with a space is common everywhere.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StampTrust {
    Own,
    Shared,
    Missing,
}

const NO_TIME: &str = "no syslog time at the start";
const NO_HOST: &str = "no host or program after the time";

impl SyslogHeader {
    #[inline]
    pub(super) fn read(event: &[u8], at: usize, has_priority: bool) -> Result<SyslogHeader, &'static str> {
        let mut header = SyslogHeader::default();
        let (stamp, mut at) = header.time(event, at, has_priority)?;
        if stamp == StampTrust::Missing {
            return header.without_time(event, at);
        }
        match event.get(at) {
            Some(b' ') => at += 1,
            // Devices end the time with a colon.
            Some(b':') if event.get(at + 1) == Some(&b' ') => at += 2,
            _ => return Err(NO_HOST),
        }
        let severity = if event.get(at) == Some(&b'<') { header.severity(event, at + 1, b'>') } else { None };
        if let Some(end) = severity {
            at = end + 1 + usize::from(event.get(end + 1) == Some(&b' '));
        }
        if let Some(end) = header.vmware_priority(event, at) {
            if !header.tag(event, end) && !header.dashed_tag(event, end) {
                header.message = end;
            }
            header.is_certain = true;
            return Ok(header);
        }
        if header.device(event, at) {
            return Ok(header);
        }
        // An empty host leaves its two spaces.
        at += usize::from(event.get(at) == Some(&b' '));
        if stamp == StampTrust::Own && header.bracketed(event, at) {
            return Ok(header);
        }
        if header.tag(event, at) && header.may_lack_host(event, stamp) {
            return Ok(header);
        }
        header.with_host(event, at, stamp, has_priority)?;
        header.is_certain |= severity.is_some();
        Ok(header)
    }

    pub(super) fn put(&self, event: &[u8], numbers: &ColumnNumbers, rows: &mut Rows) {
        if let Some(when) = &self.when {
            rows.when(when);
        } else if let Some(when) = super::time_at_end(event) {
            rows.when(&when);
        }
        if let Some(level) = self.level {
            rows.set_level(level);
        }
        let columns = [(FACILITY, self.facility), (HOST, self.host), (APP, self.app), (MSGID, self.msgid)];
        for (column, place) in columns {
            if let Some((from, to)) = place {
                rows.text(numbers[column], from, to);
            }
        }
        if let Some((from, to)) = self.pid {
            put_pid(event, (from, to), numbers, rows);
        }
    }

    /// The time at the start, in any of syslog's spellings, and the position after it.
    #[inline]
    fn time(
        &mut self,
        event: &[u8],
        at: usize,
        has_priority: bool,
    ) -> Result<(StampTrust, usize), &'static str> {
        let mut at = at;
        let first = event.get(at).copied().unwrap_or(b' ');
        if first.is_ascii_digit() {
            if let Some((stamp, end)) = iso(event, at) {
                self.when = Some(When::Stamp(stamp));
                let own = event.get(at + 10) == Some(&b'T') && stamp.zone.is_some();
                let end = if own { skip_inner_time(event, end) } else { end };
                return Ok((if own || has_priority { StampTrust::Own } else { StampTrust::Shared }, end));
            }
            at = skip_count(event, at);
        }
        // Devices mark a clock that was never set, or that lost its source.
        at += usize::from(matches!(event.get(at), Some(b'*' | b'.')));
        if has_priority {
            at = skip_origin(event, at);
        }
        // NX-OS writes the year before the month.
        if let Some((stamp, end)) = year_and_month(event, at) {
            self.when = Some(When::Stamp(stamp));
            return Ok((StampTrust::Shared, skip_zone(event, end)));
        }
        if let Some((stamp, end)) = month_day(event, at) {
            // Twelve-hour times are written for people, as `java.util.logging` does.
            if matches!(event[end - 1], b'M' | b'm') {
                return Err(NO_TIME);
            }
            self.when = Some(When::Stamp(stamp));
            return Ok((StampTrust::Own, skip_zone(event, end)));
        }
        if first == b'[' || first.is_ascii_digit() {
            return self.number(event, at).ok_or(NO_TIME);
        }
        if is_weekday(event, at)
            && let Some((when, end)) = time_at(event, at + 4)
        {
            self.when = Some(when);
            let own = month_name(event, at + 4).is_none();
            return Ok((if own { StampTrust::Own } else { StampTrust::Shared }, skip_zone(event, end)));
        }
        if has_priority { Ok((StampTrust::Missing, at)) } else { Err(NO_TIME) }
    }

    /// Seconds since 1970 or since the start, as `journalctl -o short-unix` and `short-monotonic` write them.
    fn number(&mut self, event: &[u8], at: usize) -> Option<(StampTrust, usize)> {
        if event.get(at) != Some(&b'[') {
            let (when, end) = time_at(event, at)?;
            self.when = Some(when);
            return Some((StampTrust::Shared, end));
        }
        let close = at + memchr(b']', &event[at..event.len().min(at + 24)])?;
        let digits = event[at + 1..close].trim_ascii_start();
        let is_uptime = digits.contains(&b'.') && digits.iter().all(|b| b.is_ascii_digit() || *b == b'.');
        if !is_uptime || event.get(close + 1) != Some(&b' ') {
            return None;
        }
        self.when = time_at(event, at).map(|(when, _)| when);
        Some((StampTrust::Shared, close + 1))
    }

    /// A message with only a priority: a tag follows, or only a message.
    fn without_time(mut self, event: &[u8], at: usize) -> Result<SyslogHeader, &'static str> {
        if matches!(event.get(at), None | Some(b'[' | b'{')) {
            return Err(NO_TIME);
        }
        if !self.device(event, at) && !self.tag(event, at) {
            self.message = at;
            self.is_bare = true;
        }
        Ok(self)
    }

    /// `host app[pid]: message`, where the program may be missing.
    fn with_host(
        &mut self,
        event: &[u8],
        host: usize,
        stamp: StampTrust,
        has_priority: bool,
    ) -> Result<(), &'static str> {
        (self.app, self.pid, self.is_certain) = (None, None, false);
        if is_repeat(&event[host..]) {
            (self.message, self.is_certain) = (host, true);
            return Ok(());
        }
        let end = host + memchr(b' ', &event[host..]).ok_or(NO_HOST)?;
        if end == host || !is_host(&event[host..end]) {
            // Between lines with another word in the host's place, a level there is the line's own.
            let has_level = stamp == StampTrust::Shared && self.leveled_tag(event, host);
            return if has_level { Ok(()) } else { Err(NO_HOST) };
        }
        // A level in capitals in the host's place is of another log.
        let word = &event[host..end];
        if stamp == StampTrust::Own
            && !has_priority
            && word.iter().all(u8::is_ascii_uppercase)
            && level::from_word(word).is_some()
        {
            return Err(NO_HOST);
        }
        let mut at = end + 1;
        if let Some(severity_end) = self.severity(event, at, b' ') {
            // OpenWrt writes no host, but the facility and severity.
            self.is_certain = true;
            at = severity_end + 1;
        } else if let Some(severity_end) = self.severity(event, host, b' ') {
            self.is_certain = true;
            at = severity_end + 1;
            if !self.tag(event, at) {
                self.message = at;
            }
            return Ok(());
        }
        self.host = Some((host, end));
        if self.device(event, at) || self.topics(event, at) {
            return Ok(());
        }
        if self.tag(event, at) {
            self.is_certain = stamp == StampTrust::Own || self.pid.is_some() || self.is_kernel(event);
            if stamp == StampTrust::Shared && !self.is_certain && !has_priority {
                return Err(NO_HOST);
            }
            return Ok(());
        }
        if self.leveled_tag(event, at) || self.spaced_tag(event, at) {
            self.is_certain = true;
            return Ok(());
        }
        if stamp == StampTrust::Own && self.versioned(event, at) {
            return Ok(());
        }
        if stamp == StampTrust::Shared && !self.is_certain && !has_priority {
            return Err(NO_HOST);
        }
        self.message = at.min(event.len());
        Ok(())
    }

    /// Whether a word that looks like the program may be one although no host precedes it.
    fn may_lack_host(&mut self, event: &[u8], stamp: StampTrust) -> bool {
        let Some((from, to)) = self.app else { return false };
        let name = &event[from..to];
        // An IPv6 address in the host's place does not end with colon and space, and a level word is of
        // another log.
        let may = stamp == StampTrust::Own && level::from_word(name).is_none() && !name.contains(&b':');
        self.is_certain = may
            && (self.pid.is_some()
                || self.is_kernel(event)
                || name.contains(&b'-')
                || begins_with_level(&event[self.message..]));
        may
    }

    fn is_kernel(&self, event: &[u8]) -> bool {
        self.app.is_some_and(|(from, to)| &event[from..to] == b"kernel")
    }

    /// `daemon.notice`, or AIX's `daemon|notice`, up to the closing character.
    fn severity(&mut self, event: &[u8], from: usize, close: u8) -> Option<usize> {
        let is_dot = |byte: &u8| matches!(byte, b'.' | b'|' | b':');
        let text = &event[from..event.len().min(from + LONGEST_SEVERITY)];
        let dot = text.iter().position(|&byte| !OF_FACILITY.contains(byte))?;
        if !is_dot(&text[dot]) {
            return None;
        }
        let word = &text[..memchr(close, text)?];
        let level = level::from_word(word.rsplit(is_dot).next().unwrap_or_default())?;
        let facility = &word[..dot];
        if !super::FACILITIES.contains(&facility) && facility != b"security" {
            return None;
        }
        self.level = Some(level);
        self.facility = Some((from, from + dot));
        Some(from + word.len())
    }

    /// A message of Cisco's devices, with its own tag: `%ASA-6-302013: `, perhaps after a count and another
    /// time.
    fn device(&mut self, event: &[u8], at: usize) -> bool {
        let Some(mnemonic) = cisco::mnemonic(event, at) else { return false };
        self.when = mnemonic.when.or(self.when.take());
        self.app = Some(mnemonic.facility);
        self.msgid = Some(mnemonic.name);
        self.level = level::from_severity(i64::from(mnemonic.severity));
        self.message = mnemonic.message;
        self.is_certain = true;
        true
    }

    /// `app[pid]: `, `app: `, and on a Mac `app[pid] (label) <Info>: `.
    #[inline]
    fn tag(&mut self, event: &[u8], from: usize) -> bool {
        self.try_tag(event, from).is_some()
    }

    /// `notice mcpd[58]: `: the level before the program, as F5's devices write it.
    fn leveled_tag(&mut self, event: &[u8], from: usize) -> bool {
        let rest = event.get(from..).unwrap_or_default();
        let length = rest.iter().take(level::LONGEST_WORD + 1).position(|byte| *byte == b' ');
        let level = length.and_then(|length| level::from_word(&rest[..length]));
        let (Some(length), Some(level)) = (length, level) else { return false };
        let is_tag = self.tag(event, from + length + 1) && self.pid.is_some();
        if is_tag {
            self.level = Some(level);
        } else {
            (self.app, self.pid) = (None, None);
        }
        is_tag
    }

    /// `Installer Progress[58]: `: a program of macOS with spaces in its name.
    fn spaced_tag(&mut self, event: &[u8], from: usize) -> bool {
        let tag = event.get(from..).unwrap_or_default();
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b" ._-".contains(byte);
        let length = tag.iter().take(LONGEST_TAG).take_while(|byte| is_name(byte)).count();
        let Some(number) = tag[length..].strip_prefix(b"[") else { return false };
        let digits = number.iter().take(LONGEST_PID).take_while(|byte| byte.is_ascii_digit()).count();
        let is_tag =
            length > 0 && digits > 0 && tag[length - 1] != b' ' && number[digits..].starts_with(b"]: ");
        if is_tag {
            let pid = from + length + 1;
            self.app = Some((from, from + length));
            self.pid = Some((pid, pid + digits));
            self.message = pid + digits + 3;
        }
        is_tag
    }

    /// `In(182) `, the severity and the priority that ESXi writes in the host's place.
    fn vmware_priority(&mut self, event: &[u8], at: usize) -> Option<usize> {
        let [b'A'..=b'Z', b'a'..=b'z', b'(', rest @ ..] = event.get(at..)? else { return None };
        let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=3).contains(&digits) || !rest[digits..].starts_with(b") ") {
            return None;
        }
        let priority = rest[..digits].iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
        // The number of a virtual machine's own log is not a priority of syslog.
        self.level = level::from_letter(event[at]).or_else(|| level::from_severity(priority % 8));
        Some(at + 3 + digits + 2)
    }

    /// `vmx - `: the part of a virtual machine that wrote the line.
    fn dashed_tag(&mut self, event: &[u8], from: usize) -> bool {
        let tag = event.get(from..).unwrap_or_default();
        let length = tag.iter().take(LONGEST_TAG).position(|byte| *byte == b' ').unwrap_or(0);
        let is_tag = length > 0 && tag[length..].starts_with(b" - ");
        if is_tag {
            self.app = Some((from, from + length));
            self.message = from + length + 3;
        }
        is_tag
    }

    #[inline]
    fn try_tag(&mut self, event: &[u8], from: usize) -> Option<()> {
        let tag = event.get(from..event.len().min(from + LONGEST_TAG))?;
        let end = tag.iter().position(|&byte| AFTER_NAME.contains(byte))?;
        if end == 0 {
            return None;
        }
        let mut at = from + end;
        let mut pid = None;
        let mut level = None;
        if event[at] == b'[' {
            let pid_end = at + memchr(b']', &event[at..event.len().min(at + LONGEST_PID)])?;
            pid = Some((at + 1, pid_end));
            at = pid_end + 1;
            match event.get(at) {
                Some(b' ') => (at, level) = label_and_level(event, at)?,
                // Kerberos writes the level there: `krb5kdc[63](info): `.
                Some(b'(') => {
                    let close = at + memchr(b')', &event[at..event.len().min(at + LONGEST_PID)])?;
                    level = Some(level::from_word(&event[at + 1..close])?);
                    at = close + 1;
                }
                _ => {}
            }
        }
        let after = event.get(at + 1);
        if event.get(at) != Some(&b':') || !after.is_none_or(|&byte| byte == b' ' || byte == b'\t') {
            return None;
        }
        self.app = Some((from, from + end));
        self.pid = pid;
        self.level = level.or(self.level);
        self.message = (at + 1 + usize::from(after.is_some())).min(event.len());
        match event.get(self.message) {
            Some(b'[') => self.solaris(event),
            Some(b'%') => self.relayed(event),
            _ => {}
        }
        Some(())
    }

    /// `[app]: ` and `[app] ` of metalog, which writes no host.
    fn bracketed(&mut self, event: &[u8], at: usize) -> bool {
        let Some(name) = event[at..].strip_prefix(b"[") else { return false };
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/');
        let length = name.iter().take(LONGEST_TAG).take_while(|byte| is_name(byte)).count();
        let close = at + 1 + length;
        if length == 0 || event.get(close) != Some(&b']') || level::from_word(&name[..length]).is_some() {
            return false;
        }
        let after = close + 1 + usize::from(event.get(close + 1) == Some(&b':'));
        if event.get(after) != Some(&b' ') {
            return false;
        }
        self.app = Some((at + 1, close));
        self.message = after + 1;
        true
    }

    /// `syslogd 1.4.1: `, a program that names its version.
    fn versioned(&mut self, event: &[u8], from: usize) -> bool {
        let rest = event.get(from..).unwrap_or_default();
        let length = rest.iter().take(LONGEST_TAG).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let Some(version) = rest[length..].strip_prefix(b" ") else { return false };
        let is_version = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
        let version_length = version.iter().take(LONGEST_TAG).take_while(is_version).count();
        let is_one = length > 0
            && version.first().is_some_and(u8::is_ascii_digit)
            && version[..version_length].contains(&b'.')
            && version[version_length..].starts_with(b": ");
        if is_one {
            self.app = Some((from, from + length));
            self.message = from + length + 1 + version_length + 2;
            self.is_certain = true;
        }
        is_one
    }

    /// A device's own tag after the tag of the program that relays it.
    fn relayed(&mut self, event: &[u8]) {
        if let Some(mnemonic) = cisco::mnemonic(event, self.message) {
            self.msgid = Some(mnemonic.name);
            self.level = level::from_severity(i64::from(mnemonic.severity));
        }
    }

    /// `firewall,info `: the topics of RouterOS in the program's place, including the level.
    fn topics(&mut self, event: &[u8], from: usize) -> bool {
        let Some((end, level)) = topics(event, from) else { return false };
        self.app = Some((from, end));
        self.level = level.or(self.level);
        self.message = (end + 1).min(event.len());
        self.is_certain = true;
        true
    }

    /// `[ID 702911 auth.info] ` of Solaris before the message.
    fn solaris(&mut self, event: &[u8]) {
        let rest = &event[self.message..];
        if rest.starts_with(b"[ID ")
            && let Some(word) = memchr(b' ', &rest[4..])
            && let Some(end) = self.severity(event, self.message + 4 + word + 1, b']')
        {
            self.message = (end + 1 + usize::from(event.get(end + 1) == Some(&b' '))).min(event.len());
        }
    }
}

/// The bytes that end the name of a program.
static AFTER_NAME: ByteTable = ByteTable::new(b"[: ");
static OF_FACILITY: ByteTable = ByteTable::new(b"abcdefghijklmnopqrstuvwxyz0123456789");
/// The longest program name before a colon.
const LONGEST_TAG: usize = 64;
const LONGEST_PID: usize = 32;
/// A facility and a severity, including the closing character.
const LONGEST_SEVERITY: usize = 24;

/// Skips `4711: 000123: `, the message counts of some devices, of what they sent and wrote, and that of a relay.
fn skip_count(event: &[u8], at: usize) -> usize {
    (0..3).fold(at, |at, _| {
        let digits = event[at..].iter().take(12).take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && event[at + digits..].starts_with(b": ") { at + digits + 2 } else { at }
    })
}

/// Skips the collector's own time before the time of the line: `2026-11-21T03:04:05Z Nov 21 03:04:05 web-1 `.
#[inline]
fn skip_inner_time(event: &[u8], end: usize) -> usize {
    let inner = end + 1;
    if event.get(end) != Some(&b' ') || month_name(event, inner).is_none() {
        return end;
    }
    month_day(event, inner).map_or(end, |(_, inner_end)| inner_end)
}

/// Skips `sw-1: `, the name that a Cisco device can be configured to write between its count and the time.
fn skip_origin(event: &[u8], at: usize) -> usize {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let length = event[at..].iter().take(LONGEST_TAG).take_while(is_name).count();
    let time = at + length + 2;
    let is_origin = event[at + length..].starts_with(b": ");
    let stamp = time + usize::from(matches!(event.get(time), Some(b'*' | b'.')));
    let has_stamp = || month_day(event, stamp).is_some() || year_and_month(event, stamp).is_some();
    if is_origin && has_stamp() { stamp } else { at }
}

/// `2026 Nov 21 03:04:05` of NX-OS.
fn year_and_month(event: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let is_year = event.get(at).is_some_and(u8::is_ascii_digit) && event.get(at + 4) == Some(&b' ');
    is_year.then(|| year_first(event, at))?
}

/// Skips the unknown name of a zone, which journalctl and devices write: ` CEST`.
fn skip_zone(event: &[u8], end: usize) -> usize {
    let letters = event.get(end + 1..).unwrap_or_default();
    let letters = letters.iter().take(6).take_while(|byte| byte.is_ascii_uppercase()).count();
    let closes = matches!(event.get(end + 1 + letters), Some(b' ' | b':'));
    let is_zone = event.get(end) == Some(&b' ') && (3..=5).contains(&letters) && closes;
    let word = event.get(end + 1..end + 1 + letters).unwrap_or_default();
    if is_zone && (word.ends_with(b"T") || word == b"UTC") && level::from_word(word).is_none() {
        end + 1 + letters
    } else {
        end
    }
}

/// The end of a word of comma-separated topics, and the level that one of them names.
pub(crate) fn topics(event: &[u8], from: usize) -> Option<(usize, Option<Level>)> {
    let word = event.get(from..)?;
    let is_topic = |byte: &u8| byte.is_ascii_lowercase() || matches!(byte, b',' | b'-' | b'!');
    let length = word.iter().take(LONGEST_TAG).position(|byte| !is_topic(byte))?;
    let (word, after) = word.split_at(length);
    if after[0] != b' ' || !word.contains(&b',') {
        return None;
    }
    let levels = word.split(|byte| *byte == b',').filter_map(level::from_word);
    Some((from + word.len(), levels.max_by_key(|level| *level as u8)))
}

/// `Error: `, the start of messages in Dovecot's own log.
fn begins_with_level(message: &[u8]) -> bool {
    let word = message.iter().take(level::LONGEST_WORD).take_while(|byte| byte.is_ascii_alphabetic()).count();
    message[word..].starts_with(b": ") && level::from_word(&message[..word]).is_some()
}

fn is_weekday(event: &[u8], at: usize) -> bool {
    let names = [b"Mon ", b"Tue ", b"Wed ", b"Thu ", b"Fri ", b"Sat ", b"Sun "];
    event.get(at..at + 4).is_some_and(|start| names.iter().any(|name| *name == start))
}

/// ` (com.example.label[12])` and ` <Info>` after a program's id; returns the position of the colon.
fn label_and_level(event: &[u8], at: usize) -> Option<(usize, Option<Level>)> {
    let mut at = at;
    if event.get(at + 1) == Some(&b'(') {
        at += 1 + memchr(b')', &event[at + 1..event.len().min(at + 200)])? + 1;
    }
    if event.get(at..at + 2) != Some(b" <") {
        return Some((at, None));
    }
    let close = at + memchr(b'>', &event[at..event.len().min(at + 20)])?;
    Some((close + 1, Some(level::from_word(&event[at + 2..close])?)))
}

static OF_HOST: ByteTable = ByteTable::alphanumeric_and(b".-_:/@%,");

/// A name or address, and not the level word that other logs have in this place. Access points join their model and
/// address by commas.
fn is_host(word: &[u8]) -> bool {
    word.iter().all(|&byte| OF_HOST.contains(byte))
        && word.last() != Some(&b':')
        && word.split(|&byte| byte == b',').all(|part| level::from_word(part).is_none())
        && (!word.contains(&b',') || word[0].is_ascii_alphabetic() && word.iter().any(u8::is_ascii_digit))
}

pub(super) fn is_daemons_own(message: &[u8]) -> bool {
    let starts = [&b"last message repeated"[..], b"message repeated", b"-- MARK --", b"exiting on signal"];
    starts.iter().any(|start| message.starts_with(start))
}

fn is_repeat(text: &[u8]) -> bool {
    text.starts_with(b"--- last message repeated") || text.starts_with(b"last message repeated")
}

pub(super) fn put_pid(event: &[u8], (from, to): TextRange, numbers: &ColumnNumbers, rows: &mut Rows) {
    let digits = &event[from..to];
    if (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
        rows.int(numbers[PID], digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')));
    } else if from < to {
        rows.text(numbers[PID_TEXT], from, to);
    }
}
