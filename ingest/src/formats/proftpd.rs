//! The system log of ProFTPD.

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "proftpd",
    title: "ProFTPD log lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of ProFTPD",
        &[
            "{time} {host:word} proftpd[{pid:int}] {server:word} ({client}[{client_ip}]): USER {user}: {action:rest}",
            "{time} {host:word} proftpd[{pid:int}] {server:word} ({client}[{client_ip}]): «USER {user}: \
             »{message:rest}",
            "{time} {host:word} proftpd[{pid:int}]«:»« {server}:» {message:rest}",
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
                "2026-11-21 03:04:05,123 ftp-1 proftpd[7] ftp.example (client.example[10.1.2.3]): USER bob: Login successful.",
                r#"2026-11-21T03:04:05.123Z - host="ftp-1" pid=7 server="ftp.example" client="client.example" client_ip="10.1.2.3" user="bob" action="Login successful.""#,
            ),
            (
                "2026-11-21 03:04:05,123 ftp-1 proftpd[7] ftp.example (client.example[10.1.2.3]): FTP session opened.",
                r#"2026-11-21T03:04:05.123Z - host="ftp-1" pid=7 server="ftp.example" client="client.example" client_ip="10.1.2.3" message="FTP session opened.""#,
            ),
            (
                "2026-11-21 03:04:05,123 ftp-1 proftpd[7] ftp.example: ProFTPD 1.3.8 standalone mode STARTUP",
                r#"2026-11-21T03:04:05.123Z - host="ftp-1" pid=7 server="ftp.example" message="ProFTPD 1.3.8 standalone mode STARTUP""#,
            ),
            ("hello", "unparsed: no line of ProFTPD"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
