//! HAProxy's lines without the syslog header, as on its standard output.

use std::sync::LazyLock;

use super::Format;
use super::syslog::proxy::SESSIONS;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "haproxy",
    title: "HAProxy lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

/// The time of the client's connection is the only one here. The layouts are compiled once.
static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    let layouts: Vec<&'static str> = SESSIONS
        .iter()
        .map(|layout| &*format!("«haproxy[{{pid:int}}]: »{}", layout.replace("{accepted}", "{time}")).leak())
        .filter(|layout| layout.contains("{time}"))
        .collect();
    LineLayouts::new("no session of HAProxy", &layouts).with_http_status()
});

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                r#"haproxy[7]: 10.1.2.3:53332 [21/Nov/2026:03:04:04.143] web~ shop/app-1 0/0/7/1457/1487 503 11394 - - ---- 2/1/0/0/0 0/0 "GET /cart HTTP/1.1""#,
                r#"2026-11-21T03:04:04.143Z error pid=7 client_ip="10.1.2.3" client_port=53332 frontend="web~" backend="shop" server="app-1" request_ms=0 queue_ms=0 connect_ms=7 response_ms=1457 duration_ms=1487 status=503 bytes=11394 termination="----" connections=2 retries=0 method="GET" path="/cart" protocol="HTTP/1.1""#,
            ),
            (
                "10.1.2.3:53332 [21/Nov/2026:03:04:04.143] ssh git/git-1 1/0/1487 11394 -- 2/1/0/0/0 0/0",
                r#"2026-11-21T03:04:04.143Z - client_ip="10.1.2.3" client_port=53332 frontend="ssh" backend="git" server="git-1" queue_ms=1 connect_ms=0 duration_ms=1487 bytes=11394 termination="--" connections=2 retries=0"#,
            ),
            ("10.1.2.3:53332 [21/Nov/2026:03:04:04.143] ssh", "unparsed: no session of HAProxy"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
