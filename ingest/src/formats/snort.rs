//! Alerts of Snort and Suricata in their fast format: the rule and who spoke with whom.

use std::sync::LazyLock;

use super::Format;
use crate::batch::Level;
use crate::layout::Layouts;

pub(crate) static FORMAT: Format = Format {
    name: "snort",
    title: "Snort or Suricata alerts",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<Layouts> = LazyLock::new(|| {
    Layouts::new("no alert of Snort", &["{when} [**] [{gid:int}:{signature_id:int}:{rev:int}] {signature:words} [**] «[Classification: {category}] »«[Priority: {priority:int}] »{{{transport}} {source_ip+source_port:endpoint} -> {destination_ip+destination_port:endpoint}","{when} [{action}] [**] [{gid:int}:{signature_id:int}:{rev:int}] {signature:words} [**] «[Classification: {category}] »«[Priority: {priority:int}] »{{{transport}} {source_ip+source_port:endpoint} -> {destination_ip+destination_port:endpoint}"]).with_levels(level).with_level_field("priority")
});

/// A priority of 1 is the highest.
fn level(priority: &[u8]) -> Option<Level> {
    match priority {
        b"1" => Some(Level::Error),
        b"2" => Some(Level::Warn),
        b"3" => Some(Level::Notice),
        _ => None,
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
                "11/21/26-03:04:05.123456  [**] [1:2019401:3] ET POLICY x y [**] [Classification: Misc activity] [Priority: 1] {TCP} 192.0.2.7:80 -> 10.1.2.3:51234",
                r#"2026-11-21T03:04:05.123456Z error gid=1 signature_id=2019401 rev=3 signature="ET POLICY x y" category="Misc activity" priority=1 transport="TCP" source_ip="192.0.2.7" source_port=80 destination_ip="10.1.2.3" destination_port=51234"#,
            ),
            (
                "11/21-03:04:05.123456  [**] [116:150:1] (decode) Bad Traffic [**] [Priority: 3] {ICMP} 192.0.2.7 -> 10.1.2.3",
                r#"1680-11-21T03:04:05.123456Z notice gid=116 signature_id=150 rev=1 signature="(decode) Bad Traffic" priority=3 transport="ICMP" source_ip="192.0.2.7" destination_ip="10.1.2.3""#,
            ),
            (
                "11/21/2026-03:04:05.123456  [Drop] [**] [1:2:3] x [**] [Classification: (null)] [Priority: 2] {UDP} 2001:db8::1:53 -> 2001:db8::2:53",
                r#"2026-11-21T03:04:05.123456Z warn action="Drop" gid=1 signature_id=2 rev=3 signature="x" category="(null)" priority=2 transport="UDP" source_ip="2001:db8::1" source_port=53 destination_ip="2001:db8::2" destination_port=53"#,
            ),
            ("11/21/26-03:04:05.123456  [**] x", "unparsed: no alert of Snort"),
            ("hello", "unparsed: no alert of Snort"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
