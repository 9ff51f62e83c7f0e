//! Job logs of GitLab: a time, which stream, and whether a line goes on.

use std::sync::LazyLock;

use super::Format;
use crate::layout::Layouts;

pub(crate) static FORMAT: Format = Format {
    name: "gitlab",
    title: "GitLab job log lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<Layouts> = LazyLock::new(|| {
    Layouts::new("no line of a GitLab job", &["{time} {stream:word} {message:rest}"]).requiring("stream", |word| matches!(word, [a, b, b'O' | b'E'] | [a, b, b'O' | b'E', b'+'] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit()))
});

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "2026-11-21T03:04:05.123456Z 00O Running with gitlab-runner",
                r#"2026-11-21T03:04:05.123456Z - stream="00O" message="Running with gitlab-runner""#,
            ),
            (
                "2026-11-21T03:04:05.123456Z 01E fatal: x",
                r#"2026-11-21T03:04:05.123456Z - stream="01E" message="fatal: x""#,
            ),
            ("2026-11-21T03:04:05.123456Z x y", "unparsed: no line of a GitLab job"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
