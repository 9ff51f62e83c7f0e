//! The log of lockdownd on iOS devices.

use std::sync::LazyLock;

use super::{Format, Learned};
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "lockdownd",
    title: "lines of iOS' lockdownd",
    learn: |_, _| {
        Learned::starting(|line| {
            line.len() > 8 && line[2] == b'/' && line[5] == b'/' && line[0].is_ascii_digit()
        })
    },
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of lockdownd",
        &["{when} pid={pid:int} {function:words}: {message:rest}", "{when} pid={pid:int} {message:rest}"],
    )
});

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "10/13/26 07:57:42.865446 pid=69 mglog: No IMEI in the dictionary",
                r#"2026-10-13T07:57:42.865446Z - pid=69 function="mglog" message="No IMEI in the dictionary""#,
            ),
            ("10/13/26 07:57:42.865446 pid=69 up", r#"2026-10-13T07:57:42.865446Z - pid=69 message="up""#),
            ("10/13/26 07:57:42 x", "unparsed: no line of lockdownd"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
