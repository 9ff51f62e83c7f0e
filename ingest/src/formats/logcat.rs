//! Android's logcat in all its layouts; a letter is the priority.

use std::sync::LazyLock;

use super::Setup;
use super::{Format, Learned};
use crate::batch::Level;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "logcat",
    title: "Android log lines",
    weight: 0.97,
    learn,
    note: Some(|line| line.starts_with(b"--------- ")),
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of logcat",
        &[
            "« »{when} {pid:int} {thread:int} {priority:word} {tag:words}: {message:rest}",
            "« »{when} {uid:word} {pid:int} {thread:int} {priority:word} {tag:words}: {message:rest}",
            "« »{when} {pid:int} {thread:int} {priority:word} {tag}:",
            "« »{when} {priority}/{tag}(« »{pid:int}«:« »{thread:int}»): {message:rest}",
            "[ {when} {pid:int}:« »{thread:int} {priority}/{tag} ]{:rest}",
            "{priority}/{tag}(« »{pid:int}): {message:rest}",
            "{priority}(« »{pid:int}:« »{thread:int}) {message:rest}",
            "{priority}(« »{pid:int}) {message:rest}",
            "{priority}/{tag:words}: {message:rest}",
        ],
    )
    .with_levels(level)
    .requiring("priority", |word| level(word).is_some())
    .with_level_field("priority")
});

/// The letter of a priority, and nothing else.
fn level(letter: &[u8]) -> Option<Level> {
    Some(match letter {
        b"V" => Level::Trace,
        b"D" => Level::Debug,
        b"I" => Level::Info,
        b"W" => Level::Warn,
        b"E" => Level::Error,
        b"F" | b"A" | b"S" => Level::Fatal,
        _ => return None,
    })
}

fn learn(sample: &[u8], _: &Setup) -> Learned {
    let lines = || sample.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    // The long layout has its message on the following lines.
    let is_long =
        lines().find(|line| !line.starts_with(b"---------")).is_some_and(|line| line.starts_with(b"[ "));
    if is_long {
        return Learned::starting(|line| {
            line.starts_with(b"---------")
                || (line.starts_with(b"[ ") && line.trim_ascii_end().ends_with(b"]"))
        });
    }
    Learned::default()
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "2026-11-21 03:04:05.123  1234  1234 D shop: up",
                r#"2026-11-21T03:04:05.123Z debug pid=1234 thread=1234 priority="D" tag="shop" message="up""#,
            ),
            (
                "2026-11-21 03:04:05.123456 +0100  1000  1885  3066 E App  : down",
                r#"2026-11-21T02:04:05.123456Z error uid="1000" pid=1885 thread=3066 priority="E" tag="App" message="down""#,
            ),
            (
                "2026-11-21 03:04:05.123 W/App     ( 1080: 1179): slow",
                r#"2026-11-21T03:04:05.123Z warn priority="W" tag="App" pid=1080 thread=1179 message="slow""#,
            ),
            ("I/App     (  190): x", r#"- info priority="I" tag="App" pid=190 message="x""#),
            ("V/App: x", r#"- trace priority="V" tag="App" message="x""#),
            ("F( 190) x  (App)", r#"- fatal priority="F" pid=190 message="x  (App)""#),
            ("D(  190:  191) x", r#"- debug priority="D" pid=190 thread=191 message="x""#),
            ("2026-11-21 03:04:05.123  1234  1234 X shop: up", "unparsed: no line of logcat"),
            ("Q/App: x", "unparsed: no line of logcat"),
            (
                "2026-11-21 03:04:05.123  1234  1234 S shop:",
                r#"2026-11-21T03:04:05.123Z fatal pid=1234 thread=1234 priority="S" tag="shop""#,
            ),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
