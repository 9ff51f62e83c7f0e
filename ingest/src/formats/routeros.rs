//! RouterOS's own log: topics separated by commas, including the level.

use std::sync::LazyLock;

use super::Format;
use crate::batch::Level;
use crate::layout::LineLayouts;
use crate::level;

pub(crate) static FORMAT: Format = Format {
    name: "routeros",
    title: "RouterOS log lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of RouterOS",
        &[
            "{when} {topics:word} user {user} {action:words} from {client_ip:word} via {service:word}",
            "{when} {topics:word} login failure for user {user} from {client_ip:word} via {service:word}",
            "{when} {topics:word} {message:rest}",
        ],
    )
    .with_levels(level)
    .requiring("topics", |word| level(word).is_some())
    .with_level_field("topics")
});

/// The most severe of the topics that are levels.
fn level(topics: &[u8]) -> Option<Level> {
    let words = topics.contains(&b',').then(|| topics.split(|byte| *byte == b','));
    words?.filter_map(level::from_word).max()
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "2026-11-21 03:04:05 system,info,account user admin logged in from 10.1.2.3 via winbox",
                r#"2026-11-21T03:04:05Z info topics="system,info,account" user="admin" action="logged in" client_ip="10.1.2.3" service="winbox""#,
            ),
            (
                "2026-11-21 03:04:05 system,error,critical login failure for user root from 10.1.2.3 via ssh",
                r#"2026-11-21T03:04:05Z fatal topics="system,error,critical" user="root" client_ip="10.1.2.3" service="ssh""#,
            ),
            (
                "2026-11-21 03:04:05 interface,info ether1 link up",
                r#"2026-11-21T03:04:05Z info topics="interface,info" message="ether1 link up""#,
            ),
            ("2026-11-21 03:04:05 one,two x", "unparsed: no line of RouterOS"),
            ("2026-11-21 03:04:05 up", "unparsed: no line of RouterOS"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
