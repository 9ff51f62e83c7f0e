//! The log of lockdownd on iOS devices.

use std::sync::LazyLock;

use super::{Format, Learned};
use crate::layout::Layouts;

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

static LAYOUTS: LazyLock<Layouts> = LazyLock::new(|| {
    Layouts::new(
        "no line of lockdownd",
        &["{when} pid={pid:int} {function:words}: {message:rest}", "{when} pid={pid:int} {message:rest}"],
    )
});

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    /// Without the time, whose spelling is read and tested with all others.
    fn behind_time(line: &str) -> String {
        let rendered = render(&FORMAT, line);
        match rendered.split_once(' ') {
            Some((time, rest)) if time != "unparsed:" => rest.to_string(),
            _ => rendered,
        }
    }

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "10/13/26 07:57:42.865446 pid=69 mglog: No IMEI in the dictionary",
                r#"- pid=69 function="mglog" message="No IMEI in the dictionary""#,
            ),
            ("10/13/26 07:57:42.865446 pid=69 up", r#"- pid=69 message="up""#),
            ("10/13/26 07:57:42 x", "unparsed: no line of lockdownd"),
        ] {
            assert_eq!(behind_time(line), expected, "{line}");
        }
    }
}
