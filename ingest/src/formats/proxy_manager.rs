//! The access log of Nginx Proxy Manager: a layout of its own, which includes the upstream server and its
//! answer.

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "proxy_manager",
    title: "Nginx Proxy Manager access log lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no access log line of Nginx Proxy Manager",
        &[
            "[{time}] {cache:word} {upstream_status:word} {status:int} - {method:word} {scheme:word} \
             {vhost:word} {path:quoted} [Client {client_ip}] [Length {bytes:int}] [Gzip {}]« [Sent-to \
             {upstream}]» {user_agent:quoted} {referer:quoted}«{:rest}»",
            "[{time}] {status:int} - {method:word} {scheme:word} {vhost:word} {path:quoted} [Client \
             {client_ip}] [Length {bytes:int}] [Gzip {}]« [Sent-to {upstream}]» {user_agent:quoted} \
             {referer:quoted}«{:rest}»",
        ],
    )
    .with_http_status()
});

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                r#"[21/Nov/2026:03:04:05 +0000] HIT 200 404 - GET https shop.example "/cart" [Client 10.1.2.3] [Length 192] [Gzip 3.10] [Sent-to 10.0.0.3:80] "curl/8.0" "-""#,
                r#"2026-11-21T03:04:05Z warn cache="HIT" upstream_status="200" status=404 method="GET" scheme="https" vhost="shop.example" path="/cart" client_ip="10.1.2.3" bytes=192 upstream="10.0.0.3:80" user_agent="curl/8.0""#,
            ),
            (
                r#"[21/Nov/2026:03:04:05 +0000] 200 - GET http shop.example "/" [Client 10.1.2.3] [Length 0] [Gzip -] "curl/8.0" "http://shop.example/""#,
                r#"2026-11-21T03:04:05Z info status=200 method="GET" scheme="http" vhost="shop.example" path="/" client_ip="10.1.2.3" bytes=0 user_agent="curl/8.0" referer="http://shop.example/""#,
            ),
            (
                "[21/Nov/2026:03:04:05 +0000] 200 - GET /",
                "unparsed: no access log line of Nginx Proxy Manager",
            ),
            ("hello", "unparsed: no access log line of Nginx Proxy Manager"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
