//! The log of yum: packages installed, updated and erased.

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "yum",
    title: "yum log lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new("no line of yum", &["{time} {action:words}: {package:word}"])
        .requiring("action", is_action)
});

fn is_action(word: &[u8]) -> bool {
    matches!(
        word.strip_prefix(b"Dep-").unwrap_or(word),
        b"Installed" | b"Updated" | b"Erased" | b"Obsoleted" | b"Reinstalled" | b"Downgraded"
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
                "Nov 21 03:04:05 Installed: bash-5.2-1.x86_64",
                r#"1680-11-21T03:04:05Z - action="Installed" package="bash-5.2-1.x86_64""#,
            ),
            (
                "Nov 21 03:04:05 Dep-Installed: libx-1.0-1.noarch",
                r#"1680-11-21T03:04:05Z - action="Dep-Installed" package="libx-1.0-1.noarch""#,
            ),
            ("Nov 21 03:04:05 kernel: up", "unparsed: no line of yum"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
