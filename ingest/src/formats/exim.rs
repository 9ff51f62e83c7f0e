//! Exim's main log: arrivals, deliveries and refusals.

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "exim",
    title: "Exim main log lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of Exim",
        &[
            "{time} «[{pid:int}] »{queue_id} <= {from:word}« H={client:words} \
             [{client_ip}]«:{client_port:int}»»«{:words}P={mail_protocol:word}»«{:words}S={bytes:int}»« \
             id={message_id:word}»«{:rest}»",
            "{time} «[{pid:int}] »{queue_id} => {to:word}«{:words}R={router:word}»« \
             T={transport:word}»«{:words}H={relay:words} [{relay_ip}]»«{:rest}»",
            "{time} «[{pid:int}] »{queue_id} {action} {to:word}« R={router:word}»« T={transport}»: \
             {reason:rest}",
            "{time} «[{pid:int}] »{queue_id} {action} {to:word}«{:words}R={router:word}»« \
             T={transport:word}»«{:words}: {reason:rest}»«{:rest}»",
            "{time} «[{pid:int}] »H={client:words} [{client_ip}]«:{client_port:int}» «F=<{from}> \
             »«{:words} F=<{from}> »{action} {:words}: {reason:rest}",
            "{time} «[{pid:int}] »{queue_id} H={client:words} [{client_ip}]«:{client_port:int}» \
             «F=<{from}> »«{:words} F=<{from}> »{action} {:words}: {reason:rest}",
            "{time} «[{pid:int}] »{queue_id} {action:word}",
            "{time} «[{pid:int}] »{message:words} H={client:words} [{client_ip}]«:{client_port:int}»«{:rest}»",
            "{time} «[{pid:int}] »{message:words} SMTP connection from «{client:word} »[{client_ip}]«:{client_port:int}»«{:rest}»",
            "{time} «[{pid:int}] »{message:rest}",
        ],
    )
    .requiring("queue_id", is_queue_id)
    .with_last_partly()
});

/// `1tE0aB-0000ab-Cd`, and since 4.97 `1tE0aB-000000000ab-CdEf`.
fn is_queue_id(text: &[u8]) -> bool {
    let lengths: Vec<usize> = text.split(|byte| *byte == b'-').map(<[u8]>::len).collect();
    matches!(lengths[..], [6, 6, 2] | [6, 11, 4])
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "2026-11-21 03:04:05 1tE0aB-0000ab-Cd <= bob@example.com H=mx.example.com (helo) [10.1.2.3]:25 P=esmtps S=1234 id=a@b",
                r#"2026-11-21T03:04:05Z - queue_id="1tE0aB-0000ab-Cd" from="bob@example.com" client="mx.example.com (helo)" client_ip="10.1.2.3" client_port=25 mail_protocol="esmtps" bytes=1234 message_id="a@b""#,
            ),
            (
                r#"2026-11-21 03:04:05 1tE0aB-0000ab-Cd => eve@example.org R=dnslookup T=remote_smtp S=2000 H=mx.example.org [192.0.2.1] C="250 OK""#,
                r#"2026-11-21T03:04:05Z - queue_id="1tE0aB-0000ab-Cd" to="eve@example.org" router="dnslookup" transport="remote_smtp" relay="mx.example.org" relay_ip="192.0.2.1""#,
            ),
            (
                "2026-11-21 03:04:05 1tE0aB-0000ab-Cd ** eve@example.org R=dnslookup T=remote_smtp: 550 no such user",
                r#"2026-11-21T03:04:05Z - queue_id="1tE0aB-0000ab-Cd" action="**" to="eve@example.org" router="dnslookup" transport="remote_smtp" reason="550 no such user""#,
            ),
            (
                "2026-11-21 03:04:05 1tE0aB-0000ab-Cd Completed",
                r#"2026-11-21T03:04:05Z - queue_id="1tE0aB-0000ab-Cd" action="Completed""#,
            ),
            (
                "2026-11-21 03:04:05 H=(helo) [10.1.2.3] F=<bob@example.com> rejected RCPT <eve@example.org>: relay not permitted",
                r#"2026-11-21T03:04:05Z - client="(helo)" client_ip="10.1.2.3" from="bob@example.com" action="rejected" reason="relay not permitted""#,
            ),
            (
                "2026-11-21 03:04:05 Start queue run: pid=7",
                r#"2026-11-21T03:04:05Z - message="Start queue run: pid=7""#,
            ),
            ("hello", "unparsed: no line of Exim"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
