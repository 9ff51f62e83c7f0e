//! The error log of Apache 2.2 and 2.4; the latter also has the module and the process.

use std::sync::LazyLock;

use super::{Format, Learned};
use crate::batch::Level;
use crate::layout::{LineLayouts, time_at};
use crate::level;

pub(crate) static FORMAT: Format = Format {
    name: "apache-error",
    title: "lines of an Apache error log",
    learn: |_, _| {
        Learned::starting(|line| {
            line.len() > 4
                && line[0] == b'['
                && line[4] == b' '
                && line[1..4].iter().all(u8::is_ascii_alphabetic)
                || time_at(line, 0).is_some()
        })
    },
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of an Apache error log",
        &[
            "[{:word} {time}] [{pid:int}:{thread}] [{level}] {message:rest}",
            "[{:word} {time}] [{level}] «[pid {pid:int}«:tid {thread}»] »«[client \
             {client_ip+client_port:endpoint}] »«AH{code:word}: »{message:rest}",
            "[{:word} {time}] [«{module}»:{level}] «[pid {pid:int}«:tid {thread}»] »«[{} \
             {client_ip+client_port:endpoint}] »«AH{code}: »{message:rest}",
        ],
    )
    .with_levels(level)
});

/// `trace1` to `trace8` in addition to the usual words.
fn level(word: &[u8]) -> Option<Level> {
    level::from_word(word.trim_ascii_end().strip_suffix(b"1").unwrap_or(word))
        .or_else(|| word.starts_with(b"trace").then_some(Level::Trace))
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "[Sat Nov 21 03:04:05 2026] [error] [client 10.1.2.3] File does not exist: /srv/x",
                r#"2026-11-21T03:04:05Z error client_ip="10.1.2.3" message="File does not exist: /srv/x""#,
            ),
            (
                "[Sat Nov 21 03:04:05.123456 2026] [core:error] [pid 17512:tid 140123104306944] [client 10.1.2.3:51380] AH00124: Request exceeded the limit",
                r#"2026-11-21T03:04:05.123456Z error module="core" pid=17512 thread="140123104306944" client_ip="10.1.2.3" client_port=51380 code="00124" message="Request exceeded the limit""#,
            ),
            (
                "[Sat Nov 21 03:04:05.123456 2026] [:error] [pid 7] [remote 2001:db8::1:443] x: y",
                r#"2026-11-21T03:04:05.123456Z error pid=7 client_ip="2001:db8::1" client_port=443 message="x: y""#,
            ),
            (
                "[Sat Nov 21 03:04:05.123 2026] [1234:307] [warn] ajp_get_reply::jk_ajp.c (2102): Timeout",
                r#"2026-11-21T03:04:05.123Z warn pid=1234 thread="307" message="ajp_get_reply::jk_ajp.c (2102): Timeout""#,
            ),
            (
                "[Sat Nov 21 03:04:05 2026] [notice] caught SIGTERM, shutting down",
                r#"2026-11-21T03:04:05Z notice message="caught SIGTERM, shutting down""#,
            ),
            (
                "[Sat Nov 21 03:04:05.123456 2026] [ssl:trace1] [pid 7:tid 9] up",
                r#"2026-11-21T03:04:05.123456Z trace module="ssl" pid=7 thread="9" message="up""#,
            ),
            ("[Sat Nov 21 03:04:05 2026] usb 1-1: new device", "unparsed: no line of an Apache error log"),
            ("hello", "unparsed: it precedes the first event"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
