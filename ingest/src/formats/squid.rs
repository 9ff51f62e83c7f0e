//! Squid's own access log: the time, the duration, the result of the cache.

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "squid",
    title: "Squid access log lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> =
    LazyLock::new(|| {
        LineLayouts::new("no access log line of Squid", &[
        "{time} {duration_ms:int} {client_ip:word} {cache_result}/{status:int} {bytes:int} {method:word} \
         {path:word} {user:word} {hierarchy}/{upstream:word} {content_type:word}«{:rest}»",
    ]).with_http_status()
    });

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "1763694245.123    187 10.1.2.3 TCP_MISS/200 5012 GET http://shop.example/cart - HIER_DIRECT/192.0.2.1 text/html",
                r#"2025-11-21T03:04:05.123Z info duration_ms=187 client_ip="10.1.2.3" cache_result="TCP_MISS" status=200 bytes=5012 method="GET" path="http://shop.example/cart" hierarchy="HIER_DIRECT" upstream="192.0.2.1" content_type="text/html""#,
            ),
            (
                "1763694245.123      5 10.1.2.3 TCP_DENIED/407 3912 CONNECT shop.example:443 bob HIER_NONE/- text/html",
                r#"2025-11-21T03:04:05.123Z warn duration_ms=5 client_ip="10.1.2.3" cache_result="TCP_DENIED" status=407 bytes=3912 method="CONNECT" path="shop.example:443" user="bob" hierarchy="HIER_NONE" content_type="text/html""#,
            ),
            ("1763694245.123 x", "unparsed: no access log line of Squid"),
            ("hello", "unparsed: no access log line of Squid"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
