//! The log of cloud-init, with the level after the module.

use std::sync::LazyLock;

use super::{Format, Learned};
use crate::layout::{LineLayouts, time_at};

pub(crate) static FORMAT: Format = Format {
    name: "cloud-init",
    title: "cloud-init log lines",
    learn: |_, _| Learned::starting(|line| time_at(line, 0).is_some()),
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new("no line of cloud-init", &["{time} - {module}[{level}]: {message:rest}"])
});

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "2026-11-21 03:04:05,519 - util.py[DEBUG]: Running command",
                r#"2026-11-21T03:04:05.519Z debug module="util.py" message="Running command""#,
            ),
            (
                "2026-11-21 03:04:05,519 - stages.py[WARNING]: failed\nTraceback (most recent call last):\n  x",
                r#"2026-11-21T03:04:05.519Z warn module="stages.py" message="failed\nTraceback (most recent call last):\n  x""#,
            ),
            ("2026-11-21 03:04:05,519 - x", "unparsed: no line of cloud-init"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
