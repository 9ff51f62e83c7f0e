//! The log of BIND: categories, levels, and the queries of clients.

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "bind",
    title: "BIND log lines",
    weight: 0.9,
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> =
    LazyLock::new(|| {
        LineLayouts::new("no line of BIND", &[
        "{time} {category}: {level}: client «@{:word} »{client_ip+client_port:endpoint}« ({})»:« view \
         {view}:» query: {query} {class} {type} {flags:word}« ({server_ip})»",
        "{time} {category}: {level}: client «@{:word} »{client_ip+client_port:endpoint}« ({})»:« view \
         {view}:» {operation:words} '{query}/{type}/{class}' {action:rest}",
        "{time} {category}: {level}: {message:rest}",
        "{time} client «@{:word} »{client_ip+client_port:endpoint}« ({})»:« view {view}:» query: {query} \
         {class} {type} {flags:word}« ({server_ip})»",
    ]).requiring("category", is_category)
    });

/// Other programs also write a time, a word and a level.
fn is_category(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| CATEGORIES.contains(&word))
}

const CATEGORIES: [&str; 38] = [
    "client",
    "cname",
    "config",
    "database",
    "default",
    "delegation-only",
    "dispatch",
    "dnssec",
    "dnstap",
    "edns-disabled",
    "eventlib",
    "general",
    "insist",
    "lame-servers",
    "load",
    "maintenance",
    "network",
    "notify",
    "nsid",
    "os",
    "packet",
    "parser",
    "panic",
    "queries",
    "query-errors",
    "rate-limit",
    "resolver",
    "rpz",
    "rpz-passthru",
    "security",
    "serve-stale",
    "spill",
    "statistics",
    "unmatched",
    "update",
    "update-security",
    "xfer-in",
    "xfer-out",
];

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "21-Nov-2026 03:04:05.123 queries: info: client @0x7f65 10.1.2.3#53211 (example.com): query: example.com IN A +E(0)K (10.1.2.4)",
                r#"2026-11-21T03:04:05.123Z info category="queries" client_ip="10.1.2.3" client_port=53211 query="example.com" class="IN" type="A" flags="+E(0)K" server_ip="10.1.2.4""#,
            ),
            (
                "21-Nov-2026 03:04:05.123 security: error: client 10.1.2.3#53211 (example.com): zone transfer 'example.com/AXFR/IN' denied",
                r#"2026-11-21T03:04:05.123Z error category="security" client_ip="10.1.2.3" client_port=53211 operation="zone transfer" query="example.com" type="AXFR" class="IN" action="denied""#,
            ),
            (
                "21-Nov-2026 03:04:05.123 general: notice: running",
                r#"2026-11-21T03:04:05.123Z notice category="general" message="running""#,
            ),
            (
                "21-Nov-2026 03:04:05.123 client 10.1.2.3#53211: query: example.com IN AAAA + (10.1.2.4)",
                r#"2026-11-21T03:04:05.123Z - client_ip="10.1.2.3" client_port=53211 query="example.com" class="IN" type="AAAA" flags="+" server_ip="10.1.2.4""#,
            ),
            ("21-Nov-2026 03:04:05.123 general: up", "unparsed: no line of BIND"),
            ("Nov 21 03:04:05 imap-login: Info: Login: user=<bob>", "unparsed: no line of BIND"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
