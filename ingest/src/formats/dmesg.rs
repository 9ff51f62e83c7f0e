//! The kernel's messages, with the seconds since boot, or with the time that `dmesg -T` computes.

use std::sync::LazyLock;

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::layout::{LayoutReader, LineLayouts};
use crate::level;
use crate::limits;
use crate::named_columns::{Number, number};
use crate::rows::Rows;
use crate::time::month_names::month_name;

pub(crate) static FORMAT: Format = Format {
    name: "dmesg",
    title: "kernel messages",
    weight: 0.8,
    learn: |_, _| {
        Learned::starting(|line| {
            matches!(line.first(), Some(b'[' | b'<'))
                || line.windows(3).take(10).any(|part| part == b" :[")
                || line.starts_with(b"kern ")
        })
    },
    reader: |setup| Box::new(KernelReader(LAYOUTS.reader(setup))),
    ..Format::LINES
};

struct KernelReader(LayoutReader);

impl Reader for KernelReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        if !has_kernel_time(event) || has_level_in_brackets(event) {
            return Err(REASON);
        }
        let fit = self.0.read(event, rows)?;
        let after_time = memchr::memchr(b']', event).map_or(0, |close| close + 1);
        if rows.level() == Level::None
            && let Some(word) = level::find(event, after_time, after_time + limits::LEVEL_WITHIN_BYTES)
        {
            rows.set_level(word.level);
        }
        Ok(fit)
    }
}

const REASON: &str = "no kernel message";

/// Whether the first bracket contains seconds with microseconds, or the weekday and month of `dmesg -T`: many
/// other lines begin with a time in brackets.
fn has_kernel_time(event: &[u8]) -> bool {
    let Some(open) = memchr::memchr(b'[', &event[..event.len().min(FACILITY_AND_LEVEL_BYTES)]) else {
        return false;
    };
    let inner = event[open + 1..].trim_ascii_start();
    let seconds = inner.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let fraction = inner[seconds..].iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
    // More digits are the seconds since 1970.
    let is_uptime = (1..10).contains(&seconds) && fraction == 6 && inner[seconds] == b'.';
    // The kernel's clock time has no fraction.
    let is_clock = || is_weekday(inner) && month_name(inner, 4).is_some() && inner.get(19) == Some(&b' ');
    is_uptime || is_clock()
}

/// Emulators write their class and its level after the time: `[   3.920139] Loader <Info> `.
fn has_level_in_brackets(event: &[u8]) -> bool {
    let Some(word) = event.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).nth(3) else {
        return false;
    };
    let inner = word.strip_prefix(b"<").and_then(|word| word.strip_suffix(b">"));
    inner.is_some_and(|inner| level::from_word(inner).is_some())
}

/// Monit has a zone in this place.
fn is_weekday(inner: &[u8]) -> bool {
    let names = [b"Mon ", b"Tue ", b"Wed ", b"Thu ", b"Fri ", b"Sat ", b"Sun "];
    names.iter().any(|name| inner.starts_with(*name))
}

/// The longest prefix that `dmesg -x` writes before the time.
const FACILITY_AND_LEVEL_BYTES: usize = 20;

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        REASON,
        &[
            "«<{level}>»{when} {message:rest}",
            "{facility:word} :{level} : {when} {message:rest}",
            "[{:word} {time}] {message:rest}",
        ],
    )
    .with_levels(level)
});

/// The number of `dmesg -r`, whose last three bits are the severity, or the word of `dmesg -x`.
fn level(word: &[u8]) -> Option<Level> {
    match number(word) {
        Some(Number::Int(priority)) => level::from_severity(priority % 8),
        _ => level::from_word(word),
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            ("[Sat Nov 21 03:04:05.123 2026] [ 7] up", "unparsed: no kernel message"),
            ("[    0.000000] Linux version 6.8.0", r#"1690-01-01T00:00:00Z - message="Linux version 6.8.0""#),
            (
                "<6>[   12.345678] usb 1-1: new device",
                r#"1690-01-01T00:00:12.345678Z info message="usb 1-1: new device""#,
            ),
            (
                "<11>[   12.345678] eth0: failed",
                r#"1690-01-01T00:00:12.345678Z error message="eth0: failed""#,
            ),
            (
                "kern  :warn  : [    1.234567] ACPI: x",
                r#"1690-01-01T00:00:01.234567Z warn facility="kern" message="ACPI: x""#,
            ),
            ("[Sat Nov 21 03:04:05 2026] eth0: link up", r#"2026-11-21T03:04:05Z - message="eth0: link up""#),
            ("[CET Nov 21 03:04:05] error    : x", "unparsed: no kernel message"),
            ("[12] x", "unparsed: no kernel message"),
            ("<6>x", "unparsed: no kernel message"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
