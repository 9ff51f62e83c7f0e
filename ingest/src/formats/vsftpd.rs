//! The log of vsftpd: what clients did, and whether it succeeded.

use std::sync::LazyLock;

use super::Format;
use crate::batch::Level;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "vsftpd",
    title: "vsftpd log lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of vsftpd",
        &[
            "{:word} {time} [pid {pid:int}] «[{user}] »{action:words}: Client \"{client_ip}\"«, \
             \"{path}\"»«, {bytes:int} bytes»«, {kbyte_per_second:float}Kbyte/sec»«, {:rest}»",
            "{:word} {time} [pid {pid:int}] «[{user}] »{message:rest}",
        ],
    )
    .with_levels(level)
    .with_level_field("action")
});

fn level(action: &[u8]) -> Option<Level> {
    action.starts_with(b"FAIL").then_some(Level::Warn)
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                r#"Sat Nov 21 03:04:05 2026 [pid 3] [bob] OK UPLOAD: Client "10.1.2.3", "/home/bob/a b.png", 1884648 bytes, 41264.44Kbyte/sec"#,
                r#"2026-11-21T03:04:05Z - pid=3 user="bob" action="OK UPLOAD" client_ip="10.1.2.3" path="/home/bob/a b.png" bytes=1884648 kbyte_per_second=41264.44"#,
            ),
            (
                r#"Sat Nov 21 03:04:05 2026 [pid 3] [bob] FAIL DOWNLOAD: Client "10.1.2.3", "/x.jpg", 0.00Kbyte/sec"#,
                r#"2026-11-21T03:04:05Z warn pid=3 user="bob" action="FAIL DOWNLOAD" client_ip="10.1.2.3" path="/x.jpg" kbyte_per_second=0.0"#,
            ),
            (
                r#"Sat Nov 21 03:04:05 2026 [pid 2] CONNECT: Client "::ffff:10.1.2.3""#,
                r#"2026-11-21T03:04:05Z - pid=2 action="CONNECT" client_ip="::ffff:10.1.2.3""#,
            ),
            (
                r#"Sat Nov 21 03:04:05 2026 [pid 2] FTP command: Client "10.1.2.3", "USER bob""#,
                r#"2026-11-21T03:04:05Z - pid=2 action="FTP command" client_ip="10.1.2.3" path="USER bob""#,
            ),
            ("Sat Nov 21 03:04:05 2026 x", "unparsed: no line of vsftpd"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
