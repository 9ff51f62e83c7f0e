//! Address leases, name lookups, tunnels and firewalls: DHCP, dnsmasq, OpenVPN, RouterOS, fail2ban.

use std::sync::LazyLock;

use super::programs::Program;
use crate::layout::LineLayouts;

pub(super) static DHCPD: Program = Program { apps: &["dhcpd"], from: b"", layouts: &DHCPD_LAYOUTS };

static DHCPD_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "{action} from {client_ip+client_port:ip} via {interface:word}",
            "{action} from {mac:word}« ({client})» via {interface:word}",
            "{action} on {client_ip:word} to {mac:word}« ({client})»« via {interface:word}»",
            "{action} for {client_ip:word}« ({server_ip})» from {mac:word}« ({client})»« via {interface:word}»",
            "{action} of {client_ip:word} from {mac:word}« ({client})»« via {interface:word}»",
            "{action} to {client_ip:word} ({mac})« via {interface:word}»",
        ],
    )
});

/// Clients name the server by its address, where the server names clients by their hardware.
pub(super) static DHCLIENT: Program =
    Program { apps: &["dhclient", "dhcpcd"], from: b"", layouts: &DHCLIENT_LAYOUTS };

static DHCLIENT_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "{action} of {client_ip:word} from {server_ip:word}",
            "{action} of {client_ip:word} on {interface:word} to {server_ip:word}« port {server_port:int}»",
            "{action} on {interface:word} to {server_ip:word}« port {server_port:int}»",
            "{action} from {server_ip:word}",
            "bound to {client_ip:word}",
        ],
    )
});

pub(super) static DNSMASQ: Program =
    Program { apps: &["dnsmasq", "dnsmasq-dhcp"], from: b"", layouts: &DNSMASQ_LAYOUTS };

static DNSMASQ_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "query[{type}] {query} from {client_ip:word}",
            "forwarded {query} to {server_ip:word}",
            "{action} {query} is {answer:rest}",
            "{action}({interface}) {client_ip+client_port:ip} {mac:word}« {client:word}»",
            "{action}({interface}) {mac:word}",
        ],
    )
});

pub(super) static OPENVPN: Program =
    Program { apps: &["openvpn", "ovpn-server", "ovpn-client"], from: b"", layouts: &OPENVPN_LAYOUTS };

/// Also the text after the time in OpenVPN's own log file.
pub(crate) const OPENVPN_MESSAGES: [&str; 4] = [
    "{client_ip+client_port:ip} [{user}] {action:rest}",
    "{client_ip+client_port:ip} {action:rest}",
    "{client_ip+client_port:ip}/{user} {action:rest}",
    "{user:words}/{client_ip+client_port:ip} {action:rest}",
];

static OPENVPN_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| LineLayouts::new("", &OPENVPN_MESSAGES));

pub(super) static ROUTEROS: Program = Program { apps: &["routeros"], from: b"", layouts: &ROUTEROS_LAYOUTS };

/// The text after the topics of a line of RouterOS.
pub(crate) const ROUTEROS_MESSAGES: [&str; 5] = [
    "{chain:word} in:{in} out:{out:words}, «connection-state:{state:word} »«src-mac {mac}, »proto \
     {transport:words}, {source_ip+source_port:endpoint}->{destination_ip+destination_port:endpoint}, \
     «{:words}, »len {bytes:int}",
    "{prefix:words} {chain}: in:{in} out:{out:words}, «connection-state:{state:word} »«src-mac {mac}, »proto \
     {transport:words}, {source_ip+source_port:endpoint}->{destination_ip+destination_port:endpoint}, \
     «{:words}, »len {bytes:int}",
    "user {user} {action:words} from {client_ip:word} via {service:word}",
    "login failure for user {user} from {client_ip:word} via {service:word}",
    "{service} {action} {client_ip+client_port:ip} {to_or_from:word} {mac:word}",
];

static ROUTEROS_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| LineLayouts::new("", &ROUTEROS_MESSAGES));

pub(super) static FAIL2BAN: Program = Program {
    apps: &["fail2ban", "fail2ban.filter", "fail2ban.actions", "fail2ban-server"],
    from: b"",
    layouts: &FAIL2BAN_LAYOUTS,
};

static FAIL2BAN_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &["«{}: »[{jail}] {action:words} {client_ip+client_port:ip}", "[{jail}] {action:rest}"],
    )
});
