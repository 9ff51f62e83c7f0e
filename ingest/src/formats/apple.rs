//! The output of `log show` on a Mac, in its default and its compact style.

use std::sync::LazyLock;

use super::{Format, Learned};
use crate::batch::Level;
use crate::layout::{LineLayouts, time_at};

pub(crate) static FORMAT: Format = Format {
    name: "apple",
    title: "lines of Apple's unified log",
    learn: |_, _| Learned::starting(|line| time_at(line, 0).is_some() || line.starts_with(b"Timestamp ")),
    note: Some(|line| line.starts_with(b"Timestamp ")),
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> =
    LazyLock::new(|| {
        LineLayouts::new("no line of the unified log", &[
        "{time} 0x{thread:word} {type:word} 0x{activity:word} {pid:int} {ttl:int} {app}: «({library}) \
         »«[{logger}] »{message:rest}",
        "{time} {type:word} {app}[{pid:int}:{thread}] «({library}) »«[{logger}] »{message:rest}",
    ]).with_levels(level).requiring("type", |word| level(word).is_some()).with_level_field("type")
    });

fn level(word: &[u8]) -> Option<Level> {
    Some(match word {
        b"Debug" | b"Db" => Level::Debug,
        b"Info" | b"I" | b"In" | b"Activity" | b"A" | b"Ac" => Level::Info,
        b"Default" | b"Df" | b"Signpost" | b"St" => Level::Notice,
        b"Error" | b"E" | b"Er" => Level::Error,
        b"Fault" | b"F" | b"Ft" => Level::Fatal,
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
                "2026-11-21 03:04:05.123456+0100 0x1a2b     Error       0x0                  123    0    locationd: (CoreLocation) [com.apple.loc:core] x y",
                r#"2026-11-21T02:04:05.123456Z error thread="1a2b" type="Error" activity="0" pid=123 ttl=0 app="locationd" library="CoreLocation" logger="com.apple.loc:core" message="x y""#,
            ),
            (
                "2026-11-21 03:04:05.123456+0100 0x1a2b     Default     0x0                  0      0    kernel: up",
                r#"2026-11-21T02:04:05.123456Z notice thread="1a2b" type="Default" activity="0" pid=0 ttl=0 app="kernel" message="up""#,
            ),
            (
                "2026-11-21 03:04:05.123 Df locationd[123:1a2b] [com.apple.loc:core] x",
                r#"2026-11-21T03:04:05.123Z notice type="Df" app="locationd" pid=123 thread="1a2b" logger="com.apple.loc:core" message="x""#,
            ),
            ("2026-11-21 03:04:05.123 Zz locationd[123:1a2b] x", "unparsed: no line of the unified log"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
