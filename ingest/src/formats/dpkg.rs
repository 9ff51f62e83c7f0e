//! The log of dpkg: what it did with which package.

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "dpkg",
    title: "dpkg log lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of dpkg",
        &[
            "{time} {action:word} {state:word} {package:word} {version:word}",
            "{time} {action:word} {package:word} {old_version:word} {version:word}",
            "{time} {action:word} {package:word} {decision:rest}",
        ],
    )
    .requiring("action", is_action)
    .requiring("state", is_state)
});

fn is_state(word: &[u8]) -> bool {
    matches!(
        word,
        b"not-installed"
            | b"config-files"
            | b"half-installed"
            | b"unpacked"
            | b"half-configured"
            | b"installed"
            | b"triggers-awaited"
            | b"triggers-pending"
    )
}

fn is_action(word: &[u8]) -> bool {
    matches!(
        word,
        b"startup"
            | b"install"
            | b"upgrade"
            | b"remove"
            | b"purge"
            | b"configure"
            | b"trigproc"
            | b"triggers-pending"
            | b"triggers-awaited"
            | b"conffile"
            | b"disappear"
            | b"status"
    )
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "2026-11-21 03:04:05 status half-installed bash:amd64 5.2-1",
                r#"2026-11-21T03:04:05Z - action="status" state="half-installed" package="bash:amd64" version="5.2-1""#,
            ),
            (
                "2026-11-21 03:04:05 upgrade bash:amd64 5.1-9 5.2-1",
                r#"2026-11-21T03:04:05Z - action="upgrade" package="bash:amd64" old_version="5.1-9" version="5.2-1""#,
            ),
            (
                "2026-11-21 03:04:05 install bash:amd64 <none> 5.2-1",
                r#"2026-11-21T03:04:05Z - action="install" package="bash:amd64" old_version="<none>" version="5.2-1""#,
            ),
            (
                "2026-11-21 03:04:05 startup archives install",
                r#"2026-11-21T03:04:05Z - action="startup" package="archives" decision="install""#,
            ),
            (
                "2026-11-21 03:04:05 conffile /etc/bashrc keep",
                r#"2026-11-21T03:04:05Z - action="conffile" package="/etc/bashrc" decision="keep""#,
            ),
            ("2026-11-21 03:04:05 stopped the server now", "unparsed: no line of dpkg"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
