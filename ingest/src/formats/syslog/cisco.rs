//! Cisco's devices: `%ASA-6-302013: `, `%SYS-5-CONFIG_I: ` and the fields of the most frequent messages.

use std::sync::LazyLock;

use memchr::memchr;

use super::programs::Program;
use crate::endpoint::TextRange;
use crate::layout::{LineLayouts, time_at};
use crate::time::When;
use crate::time::rules::is_complete;

/// `%FACILITY-SEVERITY-NAME: `, the start of every message.
pub(super) struct Mnemonic {
    pub facility: TextRange,
    pub severity: u8,
    pub name: TextRange,
    pub message: usize,
    /// The time of the device, if it is complete.
    pub when: Option<When>,
}

/// The longest mnemonic.
const LONGEST_MNEMONIC: usize = 80;

/// The parts that may precede a mnemonic: two counts, a name, a time, a process.
const MOST_PARTS: usize = 6;

/// The mnemonic at a position, perhaps after counts, the name and the time of the device.
pub(super) fn mnemonic(event: &[u8], at: usize) -> Option<Mnemonic> {
    let (at, own) = match event.get(at)? {
        b'%' => (at, None),
        b':' | b'0'..=b'9' | b'*' | b'.' => (tag_after_parts(event, at)?, None),
        // `RP/0/RSP0/CPU0:Mar  3 14:05:00.123 : config[65]: `, the node of IOS XR.
        b'R' | b'L' if matches!(event.get(at + 1..at + 4), Some(b"P/0" | b"C/0")) => {
            (tag_after_parts(event, at)?, None)
        }
        // `Mar  3 2026 14:05:00.123 UTC: `, after the time and the host of a collector.
        b'A'..=b'Z' if event.get(at + 3) == Some(&b' ') && event.get(at + 6) == Some(&b' ') => {
            let (when, tag) = own_time(event, at)?;
            (tag, Some(when))
        }
        _ => return None,
    };
    let tag = event.get(at..)?.strip_prefix(b"%")?;
    let colon = memchr(b':', &tag[..tag.len().min(LONGEST_MNEMONIC)])?;
    // IOS XR writes a space before the colon.
    let tag = tag[..colon].strip_suffix(b" ").unwrap_or(&tag[..colon]);
    // The facility itself may contain dashes: `%SEC_LOGIN-SW1-5-LOGIN_SUCCESS`.
    let dash =
        tag.windows(3).position(|part| part[0] == b'-' && part[2] == b'-' && part[1].is_ascii_digit())?;
    if dash == 0 || tag.iter().any(u8::is_ascii_whitespace) || tag[dash + 1] > b'7' {
        return None;
    }
    let start = at + 1;
    let message = start + colon + 1;
    Some(Mnemonic {
        facility: (start, start + dash),
        severity: tag[dash + 1] - b'0',
        name: (start + dash + 3, start + tag.len()),
        message: message + usize::from(event.get(message) == Some(&b' ')),
        when: own,
    })
}

/// Where the tag begins after parts that a colon ends: counts, the name of the device, its time, its uptime.
fn tag_after_parts(event: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    for _ in 0..MOST_PARTS {
        if event.get(at) == Some(&b'%') {
            return Some(at);
        }
        let marked = at + usize::from(matches!(event.get(at), Some(b'*' | b'.')));
        let colon = if let Some((_, end)) = time_at(event, marked) {
            end + memchr(b':', event.get(end..event.len().min(end + 8))?)?
        } else {
            let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_./[]".contains(byte);
            marked + event.get(marked..)?.iter().take(LONGEST_MNEMONIC).take_while(is_name).count()
        };
        if event.get(colon) != Some(&b':') {
            return None;
        }
        at = colon + 1 + usize::from(event.get(colon + 1) == Some(&b' '));
    }
    None
}

/// The complete time of a device, and where its tag begins.
#[cold]
fn own_time(event: &[u8], at: usize) -> Option<(When, usize)> {
    let (when, end) = time_at(event, at).filter(|(when, _)| is_complete(when))?;
    Some((when, end + memchr(b':', &event[end..event.len().min(end + 8)])? + 2))
}

/// Firewalls: the two endpoints, and the result.
pub(super) static ASA: Program =
    Program { apps: &["ASA", "FTD", "PIX", "FWSM"], from: b"", layouts: &ASA_LAYOUTS };

static ASA_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "Built {direction} {transport} connection {connection:int} for \
             {source_interface}:{source_ip+source_port:endpoint} \
             ({source_nat_ip+source_nat_port:endpoint})«({})» to \
             {destination_interface}:{destination_ip+destination_port:endpoint} \
             ({destination_nat_ip+destination_nat_port:endpoint})",
            "Teardown {transport} connection {connection:int} for \
             {source_interface}:{source_ip+source_port:endpoint}«({})» to \
             {destination_interface}:{destination_ip+destination_port:endpoint}«({})» duration \
             {duration:word} bytes {bytes:int}« {reason:rest}»",
            "Built {direction} {transport} connection for faddr {destination_ip+destination_port:endpoint} \
             gaddr {source_nat_ip+source_nat_port:endpoint} laddr {source_ip+source_port:endpoint}",
            "Teardown {transport} connection for faddr {destination_ip+destination_port:endpoint} gaddr \
             {source_nat_ip+source_nat_port:endpoint} laddr {source_ip+source_port:endpoint}",
            "Built {nat} {transport} translation from \
             {source_interface}:{source_ip+source_port:endpoint}«({})» to \
             {destination_interface}:{source_nat_ip+source_nat_port:endpoint}",
            "Teardown {nat} {transport} translation from \
             {source_interface}:{source_ip+source_port:endpoint}«({})» to \
             {destination_interface}:{source_nat_ip+source_nat_port:endpoint} duration {duration:word}",
            "{action} {transport} src {source_interface}:{source_ip+source_port:endpoint}«({})» dst \
             {destination_interface}:{destination_ip+destination_port:endpoint}«({})»« (type \
             {icmp_type:int}, code {icmp_code:int})» by access-group \"{access_group}\"",
            "access-list {access_group} {action} {transport} \
             {source_interface}/{source_ip}({source_port:int})«({})» -> \
             {destination_interface}/{destination_ip}({destination_port:int})",
            "{action} inbound {transport} from {source_ip+source_port:endpoint} to \
             {destination_ip+destination_port:endpoint} flags {flags:words} on interface \
             {source_interface:word}",
            "{action} {transport} (no connection) from {source_ip+source_port:endpoint} to \
             {destination_ip+destination_port:endpoint} flags {flags:words} on interface \
             {source_interface:word}",
            "{action} {transport} reverse path check from {source_ip:word} to {destination_ip:word} on \
             interface {source_interface:word}",
            "Group = {group}, Username = {user}, IP = {client_ip}, {reason:rest}",
            "Group <{group}> User <{user}> IP <{client_ip}> {reason:rest}",
            "User '{user}' executed the '{command}' command",
            "AAA user authentication {action} : reason = {reason} : server = {server}« : user = {user:word}»",
            "AAA user authentication {action} : server = {server} : user = {user:word}",
        ],
    )
});

/// Routers and switches.
pub(super) static IOS: Program = Program {
    apps: &["SYS", "LINK", "LINEPROTO", "SEC", "SEC_LOGIN", "BGP", "OSPF", "DUAL"],
    from: b"",
    layouts: &IOS_LAYOUTS,
};

static IOS_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "Interface {interface}, changed state to {state:rest}",
            "Line protocol on Interface {interface}, changed state to {state:rest}",
            "Configured from {} by {user} on {tty} ({client_ip})",
            "list {access_group} {action} {transport} {source_ip}({source_port:int}) -> \
             {destination_ip}({destination_port:int}), {packets:int} packet",
            "list {access_group} {action} {transport} {source_ip}({source_port:int}) {} -> \
             {destination_ip}({destination_port:int}), {packets:int} packet",
            "list {access_group} {action} {transport} {source_ip} -> {destination_ip}, {packets:int} packet",
            "Login {action} [user: {user}] [Source: {client_ip}] [localport: {}]",
            "neighbor {peer_ip:word} {state:rest}",
        ],
    )
});
