//! Transfers as wu-ftpd, ProFTPD and vsftpd list them in xferlog(5).

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "xferlog",
    title: "xferlog lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> =
    LazyLock::new(|| {
        LineLayouts::new("no line of an xferlog", &[
        "{:word} {time} {duration_s:int} {client_ip:word} {bytes:int} {path:words} {transfer_type:word} \
         {:word} {direction:word} {access_mode:word} {user:word} {service:word} {:int} {:word} \
         {completion:word}",
    ]).requiring("direction", |word| matches!(word, b"i" | b"o" | b"d"))
    });

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "Sat Nov 21 03:04:05 2026 12 10.1.2.3 1884648 /home/bob/a.png b _ i r bob ftp 0 * c",
                r#"2026-11-21T03:04:05Z - duration_s=12 client_ip="10.1.2.3" bytes=1884648 path="/home/bob/a.png" transfer_type="b" direction="i" access_mode="r" user="bob" service="ftp" completion="c""#,
            ),
            (
                "Sat Nov 21 03:04:05 2026 1 10.1.2.3 0 /home/bob/a.png b _ o a ? ftp 0 * i",
                r#"2026-11-21T03:04:05Z - duration_s=1 client_ip="10.1.2.3" bytes=0 path="/home/bob/a.png" transfer_type="b" direction="o" access_mode="a" user="?" service="ftp" completion="i""#,
            ),
            ("Sat Nov 21 03:04:05 2026 1 x", "unparsed: no line of an xferlog"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
