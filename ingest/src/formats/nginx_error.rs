//! The error log of nginx: the error, the client and its request.

use std::sync::LazyLock;

use super::{Format, Learned};
use crate::layout::{LineLayouts, time_at};

pub(crate) static FORMAT: Format = Format {
    name: "nginx-error",
    title: "lines of an nginx error log",
    learn: |_, _| Learned::starting(|line| time_at(line, 0).is_some()),
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of an nginx error log",
        &[
            r#"{time} [{level}] {pid:int}#{thread:int}: «*{connection:int} »{message:words}, client: {client_ip+client_port:endpoint}, server: «{server:words}», request: "{method} {path} {protocol}"«, subrequest: {:quoted}»«, upstream: {upstream:quoted}»«, host: {vhost:quoted}»«, referrer: {referer:quoted}»"#,
            "{time} [{level}] {pid:int}#{thread:int}: «*{connection:int} »{message:words}, client: \
             {client_ip+client_port:endpoint}, server: «{server:words}», {:rest}",
            "{time} [{level}] {pid:int}#{thread:int}: «*{connection:int} »{message:words}, client: \
             {client_ip+client_port:endpoint}«, server: {server:rest}»",
            "{time} [{level}] {pid:int}#{thread:int}: «*{connection:int} »{message:rest}",
        ],
    )
});

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                r#"2026/11/21 03:04:05 [error] 54053#0: *1 open() "/srv/favicon.ico" failed (2: No such file or directory), client: 10.1.2.3, server: shop.example, request: "GET /favicon.ico HTTP/1.1", host: "shop.example:8080", referrer: "http://shop.example/""#,
                r#"2026-11-21T03:04:05Z error pid=54053 thread=0 connection=1 message="open() \"/srv/favicon.ico\" failed (2: No such file or directory)" client_ip="10.1.2.3" server="shop.example" method="GET" path="/favicon.ico" protocol="HTTP/1.1" vhost="shop.example:8080" referer="http://shop.example/""#,
            ),
            (
                r#"2026/11/21 03:04:05 [crit] 7#7: *9 connect() to unix:/run/php.sock failed, client: 2001:db8::1, server: , request: "POST /x HTTP/2.0", upstream: "fastcgi://unix:/run/php.sock:", host: "shop.example""#,
                r#"2026-11-21T03:04:05Z fatal pid=7 thread=7 connection=9 message="connect() to unix:/run/php.sock failed" client_ip="2001:db8::1" method="POST" path="/x" protocol="HTTP/2.0" upstream="fastcgi://unix:/run/php.sock:" vhost="shop.example""#,
            ),
            (
                "2026/11/21 03:04:05 [info] 7#7: *9 client timed out, client: 10.1.2.3, server: 0.0.0.0:443",
                r#"2026-11-21T03:04:05Z info pid=7 thread=7 connection=9 message="client timed out" client_ip="10.1.2.3" server="0.0.0.0:443""#,
            ),
            (
                "2026/11/21 03:04:05 [notice] 7#7: signal process started",
                r#"2026-11-21T03:04:05Z notice pid=7 thread=7 message="signal process started""#,
            ),
            ("2026/11/21 03:04:05 [error] up", "unparsed: no line of an nginx error log"),
            ("hello", "unparsed: it precedes the first event"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
