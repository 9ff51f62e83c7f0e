//! Fortinet and similar firewalls: pairs that begin with the date and the time, after a syslog priority or
//! header if they came over the network.

use memchr::memmem;

use super::{Fit, Format, Reader, Setup};
use crate::level;
use crate::limits;
use crate::named_columns::NamedColumns;
use crate::pairs::Style;
use crate::rows::Rows;
use crate::time::When;
use crate::time::epoch;
use crate::time::joined::{in_zone, joined_time};

pub(crate) static FORMAT: Format =
    Format { name: "fortinet", title: "Fortinet log lines", reader, ..Format::LINES };

const STYLE: Style = Style { escapes: false, single_quotes: false };

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(FortinetReader { named: NamedColumns::default() })
}

struct FortinetReader {
    named: NamedColumns,
}

impl Reader for FortinetReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let head = &event[..event.len().min(limits::DEVICE_PREFIX_BYTES)];
        let date = memmem::find(head, b"date=").ok_or("no date and time of a firewall")?;
        // Sophos begins with the device.
        let start = memmem::find(&head[..date], b"device=").unwrap_or(date);
        let is_header =
            |before: &[u8]| before.is_empty() || matches!(before.last(), Some(b'>' | b' ' | b':'));
        if !is_header(&event[..start]) || head[..start].contains(&b'=') {
            return Err("no date and time of a firewall");
        }
        let (mut date, mut time, mut zone, mut instant) = (None, None, None, None);
        let mut at = start;
        self.named.begin();
        while let Some(item) = STYLE.next(event, at) {
            at = item.end;
            let Some(value) = item.value(event) else { continue };
            match item.key(event) {
                b"date" => date = Some(value),
                b"time" => time = Some(value),
                b"tz" | b"timezone" => {
                    zone = Some(value);
                    item.put(item.key(event), event, &mut self.named, rows);
                }
                key @ b"eventtime" => {
                    instant = epoch::number(value).or(instant);
                    item.put(key, event, &mut self.named, rows);
                }
                key @ (b"level" | b"pri" | b"priority" | b"severity") => match level::from_word(value) {
                    Some(level) if key != b"severity" => rows.set_level(level),
                    _ => item.put(key, event, &mut self.named, rows),
                },
                key => item.put(key, event, &mut self.named, rows),
            }
        }
        let (Some(date), Some(time)) = (date, time) else { return Err("no date and time of a firewall") };
        match joined_time(&[date, time]).or(instant.map(When::Instant)) {
            Some(when) => rows.when(&zone.map_or(when, |zone| in_zone(when, zone))),
            None => return Err("no date and time of a firewall"),
        }
        Ok(Fit::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(render(&FORMAT, line), expected, "{line}");
    }

    #[test]
    fn sample_lines() {
        check(
            r#"<188>date=2026-11-21 time=03:04:05 devname="fw-1" logid="0316" type="utm" level="warning" eventtime=1795233845052907555 tz="-0100" srcip=10.1.2.3 srcport=61930 msg="a \"b\" c""#,
            r#"2026-11-21T04:04:05Z warn devname="fw-1" logid="0316" type="utm" eventtime="1795233845052907555" tz="-0100" srcip="10.1.2.3" srcport=61930 msg="a \\\"b\\\" c""#,
        );
        check(
            r#"<30>device="SFW" date=2026-11-21 time=03:04:05 device_name="fw-1" priority=Warning src_ip=10.1.2.3"#,
            r#"2026-11-21T03:04:05Z warn device="SFW" device_name="fw-1" src_ip="10.1.2.3""#,
        );
        check(
            "Nov 21 03:04:05 fw-1 date=2026-11-21 time=03:04:05 level=notice subtype=system",
            r#"2026-11-21T03:04:05Z notice subtype="system""#,
        );
        // Read as any list of pairs.
        check(
            "x=1 date=2026-11-21 time=03:04:05",
            r#"2026-11-21T03:04:05Z - x=1 date="2026-11-21" time="03:04:05""#,
        );
        check("date=2026-11-21 level=notice", "unparsed: no date and time of a firewall");
        check("update=2026-11-21 time=03:04:05", "unparsed: no date and time of a firewall");
    }
}
