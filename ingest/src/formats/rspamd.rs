//! rspamd: the process and its worker, the tag of a connection, module and function.

use std::sync::LazyLock;

use super::Format;
use crate::layout::LineLayouts;

pub(crate) static FORMAT: Format = Format {
    name: "rspamd",
    title: "rspamd lines",
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of rspamd",
        &[
            "{time} «[{level}] »#{pid:int}({worker}) «<{tag}>; »{module:words}; {function}: {message:rest}",
            "{time} «[{level}] »#{pid:int}({worker}) «<{tag}>; »{message:rest}",
        ],
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
                "2026-11-21 03:04:05 #12(fuzzy) <rznbhc>; map; rspamd_map_read_cached: read 32 bytes",
                r#"2026-11-21T03:04:05Z - pid=12 worker="fuzzy" tag="rznbhc" module="map" function="rspamd_map_read_cached" message="read 32 bytes""#,
            ),
            (
                "2026-11-21 03:04:05.12 [info] #7(normal) up",
                r#"2026-11-21T03:04:05.12Z info pid=7 worker="normal" message="up""#,
            ),
            ("2026-11-21 03:04:05 #12 up", "unparsed: no line of rspamd"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
