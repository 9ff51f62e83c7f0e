//! Bacula and Bareos: the daemon and its job after a time without a year.

use std::sync::LazyLock;

use super::{Format, Learned};
use crate::batch::Level;
use crate::layout::{LineLayouts, time_at};

pub(crate) static FORMAT: Format = Format {
    name: "bacula",
    title: "messages of Bacula or Bareos",
    learn: |_, _| Learned::starting(|line| time_at(line, 0).is_some()),
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no message of Bacula or Bareos",
        &[
            "{time} {daemon:word} JobId {job_id:int}: {severity}: {message:rest}",
            "{time} {daemon:word} JobId {job_id:int}: {message:rest}",
        ],
    )
    .with_levels(level)
    .with_level_field("severity")
    .requiring("severity", |words| level(words).is_some())
});

/// The words before the message of what went wrong.
fn level(words: &[u8]) -> Option<Level> {
    Some(match words {
        b"Warning" => Level::Warn,
        b"Error" => Level::Error,
        b"Fatal error" => Level::Fatal,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "21-Nov 03:04 backup-dir JobId 12: Using Device \"FileStorage\"\n  more",
                "1680-11-21T03:04:00Z - daemon=\"backup-dir\" job_id=12 message=\"Using Device \\\"FileStorage\\\"\\n  more\"",
            ),
            (
                "21-Nov 03:04 backup-dir JobId 12: Fatal error: Bad response",
                "1680-11-21T03:04:00Z fatal daemon=\"backup-dir\" job_id=12 severity=\"Fatal error\" message=\"Bad response\"",
            ),
            ("21-Nov 03:04 backup-dir: up", "unparsed: no message of Bacula or Bareos"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
