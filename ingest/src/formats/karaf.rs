//! Apache Karaf and ActiveMQ, which have bars between the values of a line.

use std::sync::LazyLock;

use super::{Format, Learned};
use crate::layout::{LineLayouts, time_at};

pub(crate) static KARAF: Format = Format {
    name: "karaf",
    title: "Karaf lines",
    learn: |_, _| Learned::starting(|line| time_at(line, 0).is_some()),
    reader: |setup| Box::new(KARAF_LAYOUTS.reader(setup)),
    ..Format::LINES
};

pub(crate) static ACTIVEMQ: Format = Format {
    name: "activemq",
    title: "ActiveMQ lines",
    reader: |setup| Box::new(ACTIVEMQ_LAYOUTS.reader(setup)),
    ..KARAF
};

static KARAF_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of Karaf",
        &[
            "{time} | {level} | {thread:words} | {logger:words} | {bundle_id:int} - {bundle} - {version:word} | \
             {message:rest}",
            "{time} | {level} | {thread:words} | {logger:words} | - - | {message:rest}",
        ],
    )
});

static ACTIVEMQ_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of ActiveMQ",
        &["{time} | {level} | {message:words} | {logger:word} | {thread:rest}"],
    )
    .requiring("logger", |name| {
        let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'$');
        name.iter().all(is_of_name)
    })
    // Elsewhere a thread or a class is in this place.
    .requiring("message", |text| text.trim_ascii().contains(&b' '))
});

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::{ACTIVEMQ, KARAF};

    #[test]
    fn sample_lines() {
        for (format, line, expected) in [
            (
                &KARAF,
                "2026-11-21 03:04:05,123 | INFO  | pool-1-thread-7 | ThingUpdated                     | 167 - org.example.monitor - 0.8.0.a1 | 'a' | b",
                r#"2026-11-21T03:04:05.123Z info thread="pool-1-thread-7" logger="ThingUpdated" bundle_id=167 bundle="org.example.monitor" version="0.8.0.a1" message="'a' | b""#,
            ),
            (
                &KARAF,
                "2026-11-21T03:04:05,123 | WARN  | main             | Main | - - | up",
                r#"2026-11-21T03:04:05.123Z warn thread="main" logger="Main" message="up""#,
            ),
            (&KARAF, "2026-11-21 03:04:05,123 | INFO | a | b", "unparsed: no line of Karaf"),
            (
                &ACTIVEMQ,
                "2026-11-21 03:04:05,123 | ERROR | Failed to start (a, b) | org.example.Broker | main",
                r#"2026-11-21T03:04:05.123Z error message="Failed to start (a, b)" logger="org.example.Broker" thread="main""#,
            ),
            (
                &ACTIVEMQ,
                "2026-11-21 03:04:05,123 | INFO | main | org.example.Shop | up again",
                "unparsed: no line of ActiveMQ",
            ),
        ] {
            assert_eq!(render(format, line), expected, "{line}");
        }
    }
}
