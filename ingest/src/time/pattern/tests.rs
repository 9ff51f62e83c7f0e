use proptest::prelude::*;

use super::*;
use crate::time::Clock;
use crate::time::zone::Zone;

#[track_caller]
fn check(pattern: &Result<TimePattern, String>, text: &str, expected: &str) {
    let pattern = pattern.as_ref().expect("it compiles");
    let shown = match pattern.whole_time(text.as_bytes()) {
        None => "none".to_string(),
        Some(When::TimeOfDay(ns)) => format!("day time {ns}"),
        Some(When::Uptime(ns)) => format!("uptime {ns}"),
        Some(when) => {
            let ns = Clock::new(Zone::UTC).ns(&when);
            jiff::Timestamp::from_nanosecond(i128::from(ns)).expect("in range").to_string()
        }
    };
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn strptime_formats() {
    let strptime = |format, text, expected| check(&TimePattern::strptime(format), text, expected);
    strptime("%Y-%m-%d %H:%M:%S.%f", "2026-11-21 03:04:05.123456", "2026-11-21T03:04:05.123456Z");
    strptime("%Y-%m-%dT%H:%M:%S,%L%z", "2026-11-21T03:04:05,123+01:00", "2026-11-21T02:04:05.123Z");
    strptime("%d/%b/%Y:%H:%M:%S %z", "21/Nov/2026:03:04:05 -0500", "2026-11-21T08:04:05Z");
    strptime("%F %T %Z", "2026-11-21 03:04:05 CET", "2026-11-21T02:04:05Z");
    strptime("%b %e %H:%M:%S", "Feb  9 03:04:05", "1680-02-09T03:04:05Z");
    strptime("%y%m%d %k:%M:%S", "161209  9:05:03", "2016-12-09T09:05:03Z");
    strptime("%I:%M:%S %p", "3:04:05 PM", "day time 54245000000000");
    strptime("%Y%m%d%H%M%S", "20261121030405", "2026-11-21T03:04:05Z");
    strptime("%Y.%j %H:%M", "2026.325 03:04", "2026-11-21T03:04:00Z");
    strptime("%G-W%V-%u", "2026-W47-6", "2026-11-21T00:00:00Z");
    strptime("%s.%f", "1716723772.6014802", "2024-05-26T11:42:52.6014802Z");
    strptime("%i", "1428634687123", "2015-04-10T02:58:07.123Z");
    strptime("%s", "-86400", "1969-12-31T00:00:00Z");
    strptime("%s", "-3000000000", "none");
    strptime("%6", "1615650027387860", "2021-03-13T15:40:27.38786Z");
    strptime("%A, %d. %B %Y %H:%M", "Samstag, 21. November 2026 03:04", "2026-11-21T03:04:00Z");
    strptime("%c", "Sat Nov 21 03:04:05 2026", "2026-11-21T03:04:05Z");
    strptime("%m/%d/%Y 100%%", "11/21/2026 100%", "2026-11-21T00:00:00Z");
    strptime("%Y-%m-%d", "2026-02-29", "none");
    strptime("%Y-%m-%d %H:%M", "2026-11-21 24:00", "none");
}

#[test]
fn joda_patterns() {
    let joda = |pattern, text, expected| check(&TimePattern::joda(pattern), text, expected);
    joda("yyyy-MM-dd HH:mm:ss,SSS", "2026-11-21 03:04:05,123", "2026-11-21T03:04:05.123Z");
    joda("yyyy-MM-dd'T'HH:mm:ss.SSSZZ", "2026-11-21T03:04:05.123+01:00", "2026-11-21T02:04:05.123Z");
    joda("MMM dd HH:mm:ss", "Nov 21 03:04:05", "1680-11-21T03:04:05Z");
    joda("MMM  d HH:mm:ss", "Nov  9 03:04:05", "1680-11-09T03:04:05Z");
    joda("dd/MMM/yyyy:HH:mm:ss Z", "21/Nov/2026:03:04:05 +0100", "2026-11-21T02:04:05Z");
    joda("yyyyMMddHHmmss", "20261121030405", "2026-11-21T03:04:05Z");
    joda("EEE, d MMM yyyy h:mm a", "Sat, 21 Nov 2026 3:04 p.m.", "2026-11-21T15:04:00Z");
    joda("M/d/yy 'at' H.mm 'o''clock'", "11/21/26 at 3.04 o'clock", "2026-11-21T03:04:00Z");
    joda("ISO8601", "2026-11-21T03:04:05.5Z", "2026-11-21T03:04:05.5Z");
    joda("UNIX", "1428634687.5", "2015-04-10T02:58:07.5Z");
    joda("UNIX_MS", "1428634687123", "2015-04-10T02:58:07.123Z");
    joda("TAI64N", "@40000000433225833b6e1a8c", "2005-09-22T03:31:05.9970715Z");
    joda("UPTIME", "[   12.345678]", "none");
}

#[test]
fn invalid_formats_explain_the_error() {
    let error = |result: Result<TimePattern, String>| result.expect_err("it means nothing");
    assert!(error(TimePattern::strptime("%Y-%Ü")).contains("unknown conversion"));
    assert!(error(TimePattern::strptime("%Y %")).contains("ends within"));
    assert!(error(TimePattern::strptime("no time")).contains("neither"));
    assert!(error(TimePattern::joda("yyyy-MM-dd'T")).contains("not closed"));
    assert!(error(TimePattern::joda("yyyy-qq")).contains("unknown letter"));
}

proptest! {
    #[test]
    fn no_format_and_no_text_stop_anything(
        format in "[%a-zA-Z0-9 .:'-]{0,12}",
        text in "[0-9A-Za-z :.,+@年-]{0,24}",
        at in 0..30_usize,
    ) {
        for pattern in [TimePattern::strptime(&format), TimePattern::joda(&format)].into_iter().flatten() {
            if let Some((when, end)) = pattern.read(text.as_bytes(), at) {
                prop_assert!(end <= text.len());
                Clock::new(Zone::UTC).ns(&when);
            }
        }
    }

    #[test]
    fn what_strptime_writes_it_reads(second in 0..3_092_601_600_i64, nanos in 0..1_000_000_000_i32) {
        let written = jiff::Timestamp::new(second, nanos).expect("in range");
        for format in ["%Y-%m-%d %H:%M:%S.%9f%z", "%A %d %B %y %I:%M:%S %p.%9f %:z", "%s.%9f", "%Y%j%H%M%S%9f%z"] {
            let text = written.to_zoned(jiff::tz::TimeZone::UTC).strftime(format).to_string();
            let pattern = TimePattern::strptime(format).expect("it compiles");
            let ns = pattern.whole_time(text.as_bytes()).map(|when| Clock::new(Zone::UTC).ns(&when));
            prop_assert_eq!(ns.map(i128::from), Some(written.as_nanosecond()), "{}", text);
        }
    }
}
