//! The access logs of Atlassian's servers: those of Jira and Confluence, which contain the thread and no
//! quotes, and that of Bitbucket with bars between the values.

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "atlassian",
    title: "access log lines of Jira, Confluence or Bitbucket",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> =
    LazyLock::new(|| {
        LineLayouts::new("no access log line of Jira, Confluence or Bitbucket", &[
        "[{time}] {user:word} {thread:word} {client_ip:word} {method:word} {path:word} \
         HTTP/{protocol:word} {status:int} {duration_ms:int}ms {bytes:word} {referer:word} \
         {user_agent:rest}",
        "[{time}] {forwarded_for:word} {user:word} {thread:word} {client_ip:word} {method:word} \
         {path:word} HTTP/{protocol:word} {status:int} {duration_ms:int}ms {bytes:word} {referer:word} \
         {user_agent:rest}",
        "{client_ip:word} | {scheme:word} | {request_id:word} | {user:word} | {time} | {request:quoted} \
         | {referer:quoted} {user_agent:quoted} | {status:int} | {request_bytes:word} | {bytes:word} | \
         {labels:words} | {duration_ms:int} | {session_id:word} |{:rest}",
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
                "[21/Nov/2026:03:04:05 +0000] bob http-exec-1 10.1.2.3 GET /cart HTTP/1.1 200 100ms 1000 http://shop.example/ Mozilla/5.0 (X11)",
                r#"2026-11-21T03:04:05Z info user="bob" thread="http-exec-1" client_ip="10.1.2.3" method="GET" path="/cart" protocol="1.1" status=200 duration_ms=100 bytes="1000" referer="http://shop.example/" user_agent="Mozilla/5.0 (X11)""#,
            ),
            (
                "[21/Nov/2026:03:04:05 +0000] 10.1.2.9 - http-exec-6 10.1.2.3 GET / HTTP/1.1 503 12ms - - curl",
                r#"2026-11-21T03:04:05Z error forwarded_for="10.1.2.9" thread="http-exec-6" client_ip="10.1.2.3" method="GET" path="/" protocol="1.1" status=503 duration_ms=12 user_agent="curl""#,
            ),
            (
                r#"10.1.2.9,10.1.2.3 | https | o@9K7 | bob | 2026-11-21 03:04:05,123 | "GET /shop.git HTTP/1.1" | "" "git/2.44" | 200 | 13 | 0 | refs, cache:hit | 101 | tmp1 |"#,
                r#"2026-11-21T03:04:05.123Z info client_ip="10.1.2.9,10.1.2.3" scheme="https" request_id="o@9K7" user="bob" request="GET /shop.git HTTP/1.1" user_agent="git/2.44" status=200 request_bytes="13" bytes="0" labels="refs, cache:hit" duration_ms=101 session_id="tmp1""#,
            ),
            (
                "[21/Nov/2026:03:04:05 +0000] x",
                "unparsed: no access log line of Jira, Confluence or Bitbucket",
            ),
            ("hello", "unparsed: no access log line of Jira, Confluence or Bitbucket"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
