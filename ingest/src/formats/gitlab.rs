//! Job logs of GitLab: a time, the stream, and a plus where a line continues the one before it.

use std::sync::LazyLock;

use super::{Fit, Format, Reader};
use crate::layout::{LayoutReader, LineLayouts};
use crate::level;
use crate::limits;
use crate::rows::Rows;

pub(crate) static FORMAT: Format = Format {
    name: "gitlab",
    title: "GitLab job log lines",
    reader: |setup| Box::new(GitlabJobReader(LAYOUTS.reader(setup))),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of a GitLab job",
        &["{time} {stream:word} {message:rest}", "{time} {stream}+{message:rest}"],
    )
    .requiring(
        "stream",
        |word| matches!(word, [a, b, b'O' | b'E'] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit()),
    )
});

struct GitlabJobReader(LayoutReader);

impl Reader for GitlabJobReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let fit = self.0.read(event, rows)?;
        if let Some((from, _)) = self.0.place("message")
            && let Some(word) = level::find(event, from, from + limits::LEVEL_WITHIN_BYTES)
        {
            rows.set_level(word.level);
        }
        Ok(fit)
    }
}

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
                r#"2026-11-21T03:04:05.123456Z fatal stream="01E" message="fatal: x""#,
            ),
            (
                "2026-11-21T03:04:05.123456Z 01E ERROR: Job failed: exit code 1",
                r#"2026-11-21T03:04:05.123456Z error stream="01E" message="ERROR: Job failed: exit code 1""#,
            ),
            (
                "2026-11-21T03:04:05.123456Z 00O+section_start:1790797104:sources",
                r#"2026-11-21T03:04:05.123456Z - stream="00O" message="section_start:1790797104:sources""#,
            ),
            ("2026-11-21T03:04:05.123456Z x y", "unparsed: no line of a GitLab job"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
