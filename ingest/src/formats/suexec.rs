//! The log of Apache's suEXEC: the program it ran, and the user.

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "suexec",
    title: "suEXEC log lines",
    weight: 0.95,
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of suEXEC",
        &[
            "[{time}]: uid: ({uid}/{user}) gid: ({gid}/{group}) cmd: {command:rest}",
            "[{time}]: {message:rest}",
        ],
    )
    .with_last_partly()
});

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "[2026-11-21 03:04:05]: uid: (10000/bob) gid: (1003/web) cmd: cgi wrapper",
                r#"2026-11-21T03:04:05Z - uid="10000" user="bob" gid="1003" group="web" command="cgi wrapper""#,
            ),
            (
                "[2026-11-21 03:04:05]: target uid/gid mismatch",
                r#"2026-11-21T03:04:05Z - message="target uid/gid mismatch""#,
            ),
            ("[2026-11-21 03:04:05] x", "unparsed: no line of suEXEC"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
