//! Alerts of Snort and Suricata: the rule and the two endpoints, on one line (fast) or several (full).

use std::sync::LazyLock;

use super::{Format, Learned};
use crate::batch::Level;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "snort",
    title: "Snort or Suricata alerts",
    // An alert in the full form has lines that look independent of it.
    weight: 2.0,
    learn: |sample, _| {
        let is_full = sample.split(|&byte| byte == b'\n').take(FULL_WITHIN_LINES).any(begins_full);
        if is_full { Learned::starting(begins_full) } else { Learned::default() }
    },
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

/// This many lines of a sample show whether alerts are in the full form.
const FULL_WITHIN_LINES: usize = 20;

/// `[**] [1:1000001:1] ICMP test [**]`, the first line of an alert in the full form.
fn begins_full(line: &[u8]) -> bool {
    line.starts_with(b"[**] [")
}

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no alert of Snort",
        &[
            "{when} [**] [{gid:int}:{signature_id:int}:{rev:int}] {signature:words} [**] «[Classification: \
             {category}] »«[Priority: {priority:int}] »{{{transport}} {source_ip+source_port:endpoint} -> \
             {destination_ip+destination_port:endpoint}",
            "{when} [{action}] [**] [{gid:int}:{signature_id:int}:{rev:int}] {signature:words} [**] \
             «[Classification: {category}] »«[Priority: {priority:int}] »{{{transport}} \
             {source_ip+source_port:endpoint} -> {destination_ip+destination_port:endpoint}",
            "[**] [{gid:int}:{signature_id:int}:{rev:int}] {signature:words} [**]« »\n«[Classification: \
             {category}] »«[Priority: {priority:int}]»« »\n{when} «{source_mac:word} -> \
             {destination_mac:word} {:words}\n»{source_ip+source_port:endpoint} -> \
             {destination_ip+destination_port:endpoint}",
        ],
    )
    .with_levels(level)
    .with_level_field("priority")
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
                "[**] [1:1000001:1] ICMP test [**]\n[Classification: Misc activity] [Priority: 3] \n11/21-03:04:05.123456 10.1.2.3:5 -> 10.1.2.4:22\nTCP TTL:64 TOS:0x0 ID:1 IpLen:20 DgmLen:84\n\n",
                r#"1680-11-21T03:04:05.123456Z notice gid=1 signature_id=1000001 rev=1 signature="ICMP test" category="Misc activity" priority=3 source_ip="10.1.2.3" source_port=5 destination_ip="10.1.2.4" destination_port=22"#,
            ),
            (
                "[**] [1:2:1] ET SCAN [**]\n[Priority: 2]\n11/21-03:04:05.123456 10.1.2.3 -> 10.1.2.4\n",
                r#"1680-11-21T03:04:05.123456Z warn gid=1 signature_id=2 rev=1 signature="ET SCAN" priority=2 source_ip="10.1.2.3" destination_ip="10.1.2.4""#,
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
