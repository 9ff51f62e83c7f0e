//! The requests that uWSGI logs: process and count, the client with its number of variables, and the result.

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "uwsgi",
    title: "uWSGI request lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no request line of uWSGI",
        &[
            "[pid: {pid:int}|app: {}|req: {}] {client_ip} («{user}») {{{}} [{time}] {method:word} \
             {path:word} => generated {bytes:int} bytes in {duration_ms:int} msecs ({protocol:word} \
             {status:int}){:rest}",
            "[pid: {pid:int}|app: {}|req: {}] {client_ip} («{user}») {{{}} [{time}] {method:word} \
             {path:word} => generated {bytes:int} bytes in {duration_us:int} micros ({protocol:word} \
             {status:int}){:rest}",
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
                "[pid: 4711|app: 0|req: 1/2] 10.1.2.3 () {38 vars in 696 bytes} [Sat Nov 21 03:04:05 2026] POST /cart => generated 47 bytes in 129 msecs (HTTP/1.1 200) 9 headers in 378 bytes (1 switches on core 3)",
                r#"2026-11-21T03:04:05Z info pid=4711 client_ip="10.1.2.3" method="POST" path="/cart" bytes=47 duration_ms=129 protocol="HTTP/1.1" status=200"#,
            ),
            (
                "[pid: 4711|app: 0|req: 3/3] 10.1.2.3 (bob) {34 vars in 617 bytes} [Sat Nov 21 03:04:05 2026] GET /x?a=1 => generated 0 bytes in 68 micros (HTTP/1.1 404) 1 headers in 3 bytes",
                r#"2026-11-21T03:04:05Z warn pid=4711 client_ip="10.1.2.3" user="bob" method="GET" path="/x?a=1" bytes=0 duration_us=68 protocol="HTTP/1.1" status=404"#,
            ),
            ("[pid: 4711|app: 0] x", "unparsed: no request line of uWSGI"),
            ("hello", "unparsed: no request line of uWSGI"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
