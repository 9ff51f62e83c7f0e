//! Envoy's access log in its default format, and in that of Istio.

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "envoy",
    title: "Envoy access log lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no access log line of Envoy",
        &[
            "[{time}] \"{method:word} {path} {protocol}\" {status:int} {response_flags:word} \
             {request_bytes:int} {bytes:int} {duration_ms:int} {upstream_ms:word} {forwarded_for:quoted} \
             {user_agent:quoted} {request_id:quoted} {vhost:quoted} {upstream:quoted}«{:rest}»",
            "[{time}] \"{method:word} {path} {protocol}\" {status:int} {response_flags:word} \
             {response_details:word} {:word} {:quoted} {request_bytes:int} {bytes:int} {duration_ms:int} \
             {upstream_ms:word} {forwarded_for:quoted} {user_agent:quoted} {request_id:quoted} \
             {vhost:quoted} {upstream:quoted}« {cluster:word}»«{:rest}»",
            "[{time}] \"{method:word} {path} {protocol}\" {status:int} {response_flags:word} {:rest}",
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
                r#"[2026-11-21T03:04:05.123Z] "GET /cart HTTP/1.1" 503 UF 0 89 5 4 "10.1.2.3" "curl/8.0" "c219f6da-2b7f" "shop.example" "10.0.0.3:80""#,
                r#"2026-11-21T03:04:05.123Z error method="GET" path="/cart" protocol="HTTP/1.1" status=503 response_flags="UF" request_bytes=0 bytes=89 duration_ms=5 upstream_ms="4" forwarded_for="10.1.2.3" user_agent="curl/8.0" request_id="c219f6da-2b7f" vhost="shop.example" upstream="10.0.0.3:80""#,
            ),
            (
                r#"[2026-11-21T03:04:05.123Z] "- - -" 0 - 87 254 4 - "-" "-" "-" "-" "10.0.0.2:80""#,
                r#"2026-11-21T03:04:05.123Z info status=0 request_bytes=87 bytes=254 duration_ms=4 upstream="10.0.0.2:80""#,
            ),
            (
                r#"[2026-11-21T03:04:05.123Z] "GET / HTTP/2" 200 - via_upstream - "-" 0 89 5 4 "-" "curl/8.0" "c219" "shop.example" "10.0.0.3:80" outbound|80||shop.example 10.0.0.9:1 - - default"#,
                r#"2026-11-21T03:04:05.123Z info method="GET" path="/" protocol="HTTP/2" status=200 response_details="via_upstream" request_bytes=0 bytes=89 duration_ms=5 upstream_ms="4" user_agent="curl/8.0" request_id="c219" vhost="shop.example" upstream="10.0.0.3:80" cluster="outbound|80||shop.example""#,
            ),
            (r#"[2026-11-21T03:04:05.123Z] "GET / HTTP/2" 200"#, "unparsed: no access log line of Envoy"),
            ("hello", "unparsed: no access log line of Envoy"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
