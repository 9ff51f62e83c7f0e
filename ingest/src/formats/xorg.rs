//! The log of an X server: its markers give the level of a line.

use std::sync::LazyLock;

use super::{Format, Learned};
use crate::batch::Level;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "xorg",
    title: "lines of an Xorg log",
    learn: |_, _| {
        Learned::starting(|line| {
            line.first() == Some(&b'[')
                || (line.first() == Some(&b'(') && line.get(1..3).is_some_and(is_marker))
        })
    },
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of an X server",
        &["{when} ({marker}) {message:rest}", "({marker}) {message:rest}", "{when}« {message:rest}»"],
    )
    .with_levels(level)
    .requiring("marker", is_marker)
    .with_level_field("marker")
    .with_last_partly()
});

fn level(marker: &[u8]) -> Option<Level> {
    Some(match marker {
        b"EE" => Level::Error,
        b"WW" | b"NI" => Level::Warn,
        b"!!" => Level::Notice,
        b"DB" => Level::Debug,
        b"--" | b"**" | b"==" | b"++" | b"II" => Level::Info,
        _ => return None,
    })
}

/// Two signs or two capital letters.
fn is_marker(text: &[u8]) -> bool {
    matches!(text, b"--" | b"**" | b"==" | b"++" | b"!!" | b"II" | b"WW" | b"EE" | b"NI" | b"??" | b"DB")
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                r#"[   271.804] (==) Log file: "/var/log/Xorg.0.log", Time: Sat May 23 18:37:51 2026"#,
                r#"1690-01-01T00:04:31.804Z info marker="==" message="Log file: \"/var/log/Xorg.0.log\", Time: Sat May 23 18:37:51 2026""#,
            ),
            (
                r#"[   271.804] (EE) Failed to load module "x""#,
                r#"1690-01-01T00:04:31.804Z error marker="EE" message="Failed to load module \"x\"""#,
            ),
            ("[   271.804] (WW) x", r#"1690-01-01T00:04:31.804Z warn marker="WW" message="x""#),
            ("(II) without a time", r#"- info marker="II" message="without a time""#),
            ("[   271.804] Build ID: x", r#"1690-01-01T00:04:31.804Z - message="Build ID: x""#),
            ("(x) y", "unparsed: it precedes the first event"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
