//! The basic format of WebSphere: thread, shortened logger and the kind of event after the time.

use std::sync::LazyLock;

use super::{Format, Learned};
use crate::batch::Level;
use crate::layout::{LineLayouts, time_at};

pub(crate) static FORMAT: Format = Format {
    name: "websphere",
    title: "WebSphere messages",
    learn: |_, _| Learned::starting(|line| line.first() == Some(&b'[') && time_at(line, 1).is_some()),
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no message of WebSphere",
        &[
            "[{time}] {thread:word} {logger:word} {kind:word} {code}: {message:rest}",
            "[{time}] {thread:word} {logger:word} {kind:word} {message:rest}",
        ],
    )
    .with_levels(level)
    .with_level_field("kind")
    .requiring("thread", |thread| thread.len() == 8 && thread.iter().all(u8::is_ascii_hexdigit))
    .requiring("kind", |kind| level(kind).is_some())
    .requiring("code", is_code)
});

fn level(kind: &[u8]) -> Option<Level> {
    Some(match kind {
        b"F" => Level::Fatal,
        b"E" => Level::Error,
        b"W" => Level::Warn,
        b"A" => Level::Notice,
        b"I" | b"C" | b"D" | b"O" | b"R" | b"Z" => Level::Info,
        b"1" | b"<" | b">" => Level::Debug,
        b"2" | b"3" => Level::Trace,
        _ => return None,
    })
}

/// `WSVR0001I`.
fn is_code(code: &[u8]) -> bool {
    let letters = code.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let digits = code[letters..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    (4..=5).contains(&letters)
        && digits == 4
        && matches!(code[letters + digits..], [b'A' | b'E' | b'I' | b'W'])
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "[11/21/26 3:04:05:123 EST] 0000000a WsServerImpl  A   WSVR0001I: Server server1 open",
                r#"2026-11-21T08:04:05.123Z notice thread="0000000a" logger="WsServerImpl" kind="A" code="WSVR0001I" message="Server server1 open""#,
            ),
            (
                "[11/21/26 3:04:05:123 EST] 0000000a WorkManagerIm >  execute Entry\n\tmore",
                "2026-11-21T08:04:05.123Z debug thread=\"0000000a\" logger=\"WorkManagerIm\" kind=\">\" message=\"execute Entry\\n\\tmore\"",
            ),
            ("[11/21/26 3:04:05:123 EST] main Shop up", "unparsed: no message of WebSphere"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
