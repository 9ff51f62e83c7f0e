//! OpenVPN's own log file: the client, and what happened to it.

use std::sync::LazyLock;

use super::{Format, Learned};
use crate::endpoint::is_address;
use crate::layout::{LineLayouts, time_at};

pub(crate) static FORMAT: Format = Format {
    name: "openvpn",
    title: "OpenVPN log lines",
    weight: 0.9,
    learn: |_, _| {
        Learned::starting(|line| {
            time_at(line, 0).is_some() || line.get(4..).is_some_and(|line| time_at(line, 0).is_some())
        })
    },
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of OpenVPN",
        &[
            "{time} {client_ip}:{client_port:int} [{user}] {message:rest}",
            "{time} {client_ip}:{client_port:int}/{user:word} {message:rest}",
            "{time} {client_ip}:{client_port:int} {message:rest}",
            "{:word} {time} {client_ip}:{client_port:int} {message:rest}",
            "{time} {user}/{client_ip}:{client_port:int} {message:rest}",
            "{:word} {time} {user}/{client_ip}:{client_port:int} {message:rest}",
            "{time} {message:rest}",
        ],
    )
    .requiring("client_ip", is_address)
    .with_last_partly()
});

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "2026-11-21 03:04:05 10.1.2.3:52234 [laptop] Peer Connection Initiated with [AF_INET]10.1.2.3:52234",
                r#"2026-11-21T03:04:05Z - client_ip="10.1.2.3" client_port=52234 user="laptop" message="Peer Connection Initiated with [AF_INET]10.1.2.3:52234""#,
            ),
            (
                "2026-11-21 03:04:05 10.1.2.3:52234 TLS Error: TLS handshake failed",
                r#"2026-11-21T03:04:05Z - client_ip="10.1.2.3" client_port=52234 message="TLS Error: TLS handshake failed""#,
            ),
            (
                "2026-11-21 03:04:05 laptop/10.1.2.3:52234 MULTI: Learn: 10.8.0.2 -> laptop",
                r#"2026-11-21T03:04:05Z - user="laptop" client_ip="10.1.2.3" client_port=52234 message="MULTI: Learn: 10.8.0.2 -> laptop""#,
            ),
            (
                "Sat Nov 21 03:04:05 2026 10.1.2.3:52234 VERIFY OK: depth=0, CN=laptop",
                r#"2026-11-21T03:04:05Z - client_ip="10.1.2.3" client_port=52234 message="VERIFY OK: depth=0, CN=laptop""#,
            ),
            (
                "2026-11-21 03:04:05 Initialization Sequence Completed",
                r#"2026-11-21T03:04:05Z - message="Initialization Sequence Completed""#,
            ),
            ("hello", "unparsed: it precedes the first event"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
