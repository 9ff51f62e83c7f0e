//! Tests: a table of every spelling that is read, texts that are no times, and properties for any input.

#![allow(clippy::unwrap_used)]

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, fmt::strtime};
use proptest::prelude::*;

use super::find::{FoundTime, Spelling, find, is_delimited, whole_time};
use super::numeric_date::DateOrder;
use super::rules::{TimeRules, learn};
use super::zone::Zone;
use super::{Clock, When};

fn rfc3339(ns: i64) -> String {
    Timestamp::from_nanosecond(i128::from(ns)).unwrap().to_string()
}

fn shown(when: When) -> String {
    match when {
        When::TimeOfDay(ns) => format!("day time {}", ns as f64 / 1e9),
        When::Uptime(ns) => format!("uptime {}", ns as f64 / 1e9),
        when => rfc3339(Clock::new(Zone::UTC).ns(&when)),
    }
}

#[track_caller]
fn check(line: &str, expected: &str) {
    let found = find(line.as_bytes(), &TimeRules::default()).map(|found| shown(found.when));
    assert_eq!(found.as_deref().unwrap_or("none"), expected, "{line}");
}

/// The time that the learned rules find in the first of some lines.
#[track_caller]
fn learned(lines: &[&str], expected: &[&str]) {
    let rules = learn(lines.iter().map(|line| line.as_bytes()));
    let times: Vec<_> = lines
        .iter()
        .map(|line| find(line.as_bytes(), &rules).map_or("none".to_string(), |found| shown(found.when)))
        .collect();
    assert_eq!(times, expected, "{rules:?}");
}

#[test]
fn iso_and_similar_dates() {
    check("2026-11-21T03:04:05Z x", "2026-11-21T03:04:05Z");
    check("2026-11-21 03:04:05,123 x", "2026-11-21T03:04:05.123Z");
    check("2026-11-21T03:04:05.123456789+02:00", "2026-11-21T01:04:05.123456789Z");
    check("2026-11-21T03:04:05-0730", "2026-11-21T10:34:05Z");
    check("2026-11-21 03:04:05 +0100 x", "2026-11-21T02:04:05Z");
    check("2026-11-21 03:04:05 - INFO", "2026-11-21T03:04:05Z");
    check("2026/11/21 03:04:05 [error] x", "2026-11-21T03:04:05Z");
    check("2026.11.21 03:04:05 x", "2026-11-21T03:04:05Z");
    check("2026_11_21 03:04:05 x", "2026-11-21T03:04:05Z");
    check("2026-11-21_03:04:05 x", "2026-11-21T03:04:05Z");
    check("2026-11-21-03.04.05.123456 x", "2026-11-21T03:04:05.123456Z");
    check("2026-11-21_03-04-05 x", "2026-11-21T03:04:05Z");
    check("2026-11-21:03:04:05 x", "2026-11-21T03:04:05Z");
    check("2026:11:21-03:04:05: x", "2026-11-21T03:04:05Z");
    check("2026-11-21 03:04.05 x", "2026-11-21T03:04:05Z");
    check("2026-11-21 14h04.05 utc:7: x", "2026-11-21T14:04:05Z");
    check("11/21/26 3:04p x", "2026-11-21T15:04:00Z");
    check("2026.325.03:04:05.5;x", "2026-11-21T03:04:05.5Z");
    check("20261121:03:04:05:002731 x", "2026-11-21T03:04:05Z");
    check("[*] starting @ 03:04:05 /2026-11-21/", "2026-11-21T03:04:05Z");
    check("1.795230245123e+09 x", "2026-11-21T03:04:05.123Z");
    check("heap is 1.795230245e+09 bytes", "none");
    check("2026:11:21 03:04:05 x", "2026-11-21T03:04:05Z");
    check("[2026.11.21-03.04.05:123][ 12]x", "2026-11-21T03:04:05.123Z");
    check("20261121-3:4:5:67|x", "2026-11-21T03:04:05.067Z");
    check("20261121-0:0:0:9|x", "2026-11-21T00:00:00.009Z");
    check("20261121-3:4:5 x", "none");
    check("4711:20261121:030405.123 x", "2026-11-21T03:04:05.123Z");
    check("MainThread::INFO::2026-11-21 03:04:05,123::x", "2026-11-21T03:04:05.123Z");
    check("2026-11-21  03:04:05 x", "2026-11-21T03:04:05Z");
    check("2026-11-21, 03:04:05 x", "2026-11-21T03:04:05Z");
    check("2026-11-21 - 03:04:05 x", "2026-11-21T03:04:05Z");
    check("2026-11-21 03:04:05:123 x", "2026-11-21T03:04:05.123Z");
    check("2026-11-21 03:04:05:12 x", "2026-11-21T03:04:05Z");
    check("2026-11-21 03:04 x", "2026-11-21T03:04:00Z");
    check("1,2026/11/21 03:04:05,001234567890,x", "2026-11-21T03:04:05Z");
    check("2026-11-21 03:04:05.123456789012 x", "2026-11-21T03:04:05.123456789Z");
    check("20261121T030405Z x", "2026-11-21T03:04:05Z");
    check("20261121T030405.25+0100 x", "2026-11-21T02:04:05.25Z");
    check("20261121-03:04:05:123|x", "2026-11-21T03:04:05.123Z");
    check("20261121 03:04:05 x", "2026-11-21T03:04:05Z");
    check("20261121-030405 x", "2026-11-21T03:04:05Z");
    check("161209 14:18:50 x", "2016-12-09T14:18:50Z");
    check("161209  9:05:03 x", "2016-12-09T09:05:03Z");
    check("2026-W47-6T03:04:05Z x", "2026-11-21T03:04:05Z");
    check("2026-325T03:04:05 x", "2026-11-21T03:04:05Z");
    check("2026-11-21T03:04:05+01:00[Europe/Berlin] x", "2026-11-21T02:04:05Z");
    check("2026-11-21\t03:04:05\tx", "2026-11-21T03:04:05Z");
    check("<188>date=2026-11-21 time=03:04:05 x", "2026-11-21T03:04:05Z");
    check("logger=a t=2026-11-21T03:04:05Z", "2026-11-21T03:04:05Z");
    check("app.log.1.2017-05-16_13:53:08 2017-05-16 00:00:00.008 x", "2017-05-16T00:00:00.008Z");
    check("2026-11-21 23:59:60 x", "2026-11-22T00:00:00Z");
}

#[test]
fn months_by_name() {
    check("[21/Nov/2026:03:04:05 -0500] x", "2026-11-21T08:04:05Z");
    check("21-Nov-2026 03:04:05.5 x", "2026-11-21T03:04:05.5Z");
    check("[21-Nov-2026 03:04:05 Europe/Berlin] PHP x", "2026-11-21T02:04:05Z");
    check("[21-Jul-2026 03:04:05 America/New_York] PHP x", "2026-07-21T07:04:05Z");
    check("[21-Nov-2026 03:04:05 Mars/Olympus] PHP x", "2026-11-21T03:04:05Z");
    check("21-Nov-2026 03:04:05 Shop/Cart x", "2026-11-21T03:04:05Z");
    check("[21Nov2026 03:04:05.123] x", "2026-11-21T03:04:05.123Z");
    check(&format!("2026-11-21 03:04:05{}", "(".repeat(100_000)), "2026-11-21T03:04:05Z");
    check("[2111月2026 03:04:05.123] x", "2026-11-21T03:04:05.123Z");
    check("[212月2026 03:04:05.123] x", "2026-02-21T03:04:05.123Z");
    check("Sat, 21 Nov 2026 03:04:05 +0100", "2026-11-21T02:04:05Z");
    check("Saturday, 21-Nov-26 03:04:05 GMT", "2026-11-21T03:04:05Z");
    check("[Sat Nov 21 03:04:05 2026] [error]", "2026-11-21T03:04:05Z");
    check("[Sat Nov 21 03:04:05.123456 2026] [error]", "2026-11-21T03:04:05.123456Z");
    check("Sat Nov 21 03:04:05 UTC 2026", "2026-11-21T03:04:05Z");
    check("Sat Nov 21 03:04:05 CET 2026", "2026-11-21T02:04:05Z");
    check("Sat Nov 21 03:04:05 2026 +0100 x", "2026-11-21T02:04:05Z");
    check("Sat Nov 21 2026 03:04:05 GMT+0100 (CET)", "2026-11-21T02:04:05Z");
    check("Nov 21, 2026 3:04:05 PM java", "2026-11-21T15:04:05Z");
    check("November 21, 2026 at 3:04:05 AM x", "2026-11-21T03:04:05Z");
    check("Nov 21, 2026, 12:04:05 a.m. x", "2026-11-21T00:04:05Z");
    check("Nov 21 2026 03:04:05 fw-1 x", "2026-11-21T03:04:05Z");
    check("Nov 21 03:04:05.123 UTC: %SYS-5-CONFIG_I: x", "1684-11-21T03:04:05.123Z");
    check("Feb 29 03:04:05 x", "1680-02-29T03:04:05Z");
    check("[4711] 21 Nov 03:04:05.123 # x", "1680-11-21T03:04:05.123Z");
    check("2026 Nov 21 03:04:05 x", "2026-11-21T03:04:05Z");
    check("2026-Nov-21 03:04:05 x", "2026-11-21T03:04:05Z");
    check("Samstag, 21. November 2026 um 03:04:05 x", "2026-11-21T03:04:05Z");
    check("Di 09 Mär 2027 03:04:05 x", "2027-03-09T03:04:05Z");
    check("sam. 21 août 2027 03:04:05 x", "2027-08-21T03:04:05Z");
    check("sábado, 21 de noviembre de 2026 3:04:05 x", "2026-11-21T03:04:05Z");
    check("21 dic 2026 03:04:05 x", "2026-12-21T03:04:05Z");
    check("21 fev 2026 03:04:05 x", "2026-02-21T03:04:05Z");
    check("21 mei 2026 03:04:05 x", "2026-05-21T03:04:05Z");
    check("21 ноября 2026 03:04:05 x", "2026-11-21T03:04:05Z");
    check("dec 31 21:11:55 --> x", "1680-12-31T21:11:55Z");
    check("Nov-21-26 03:04:05 x", "2026-11-21T03:04:05Z");
    check("nov/21/2026 03:04:05 x", "2026-11-21T03:04:05Z");
    check("nov/21 03:04:05 x", "1680-11-21T03:04:05Z");
    check("21-Nov 03:04 x", "1680-11-21T03:04:00Z");
    check("Nov-2126 03:04:05 x", "none");
    check("2026年11月21日 03:04:05 x", "2026-11-21T03:04:05Z");
    check("2026年11月21日 3時04分05秒 x", "2026-11-21T03:04:05Z");
    check("2026년 11월 21일 03:04:05 x", "2026-11-21T03:04:05Z");
}

#[test]
fn numbers_and_labels() {
    check("11/21/2026 03:04:05 x", "2026-11-21T03:04:05Z");
    check("11/21/26 03:04:05.865446 x", "2026-11-21T03:04:05.865446Z");
    check("21/11/2026 03:04:05 x", "2026-11-21T03:04:05Z");
    check("21/11/26 03:04:05 x", "2026-11-21T03:04:05Z");
    check("21.11.2026 03:04:05,5 x", "2026-11-21T03:04:05.5Z");
    check("5.11.2026, 03:04 x", "2026-11-05T03:04:00Z");
    check("05.06.26 03:04:05 x", "2026-06-05T03:04:05Z");
    check("5/6/2026 3:04:05 PM x", "2026-05-06T15:04:05Z");
    check("17/06/09 20:10:40 INFO storage.Block: x", "2017-06-09T20:10:40Z");
    check("11-21 03:04:05.123  1702  2395 D Tag: x", "1680-11-21T03:04:05.123Z");
    check("[10.30 16:49:06] chrome.exe - x", "1680-10-30T16:49:06Z");
    check("I1121 03:04:05.123456 7 a.cc:1] x", "1680-11-21T03:04:05.123456Z");
    check("W20261121 03:04:05.123456 7 a.cc:1] x", "2026-11-21T03:04:05.123456Z");
    check("1428634687123 Hello", "2015-04-10T02:58:07.123Z");
    check("1428634687.5 Hello", "2015-04-10T02:58:07.5Z");
    check("1428634687123456789 Hello", "2015-04-10T02:58:07.123456789Z");
    check("@40000000433225833b6e1a8c tcpserver", "2005-09-22T03:31:05.9970715Z");
}

#[test]
fn dates_of_devices_and_other_languages() {
    check("2026-11-21.03:04:05 zpool create x", "2026-11-21T03:04:05Z");
    check("2026:325:03:04:05.678 x", "2026-11-21T03:04:05.678Z");
    check("2026/325 03:04:05 x", "2026-11-21T03:04:05Z");
    check("2026/2/8 3:04:05 x", "2026-02-08T03:04:05Z");
    check("2026. 2. 8. 오후 3:04:05 x", "2026-02-08T15:04:05Z");
    check("2026-11-21 오전 12:04:05 x", "2026-11-21T00:04:05Z");
    check("2026年11月21日 下午3:04:05 x", "2026-11-21T15:04:05Z");
    check("26-2-8 03:04:05.1|Info|x", "2026-02-08T03:04:05.1Z");
    check("(3) Nov21 03:04:05 2026 x", "2026-11-21T03:04:05Z");
    check("UPID:n1:0002E096:0E10F08E:6A6BC9C5:qmstart:100:root@pam: OK", "2026-07-30T22:01:41Z");
    check("(6A6BC9C5.0000-1:a.c,72,\"f\") x", "2026-07-30T22:01:41Z");
    // An hour of 13 is none of a half of the day.
    check("2026-11-21 오후 13:04:05 x", "none");
}

#[test]
fn numbers_that_are_dates_count_if_most_lines_have_them() {
    learned(&["SU 02/28 12:30 + x", "SU 02/28 12:35 - y"], &["1680-02-28T12:30:00Z", "1680-02-28T12:35:00Z"]);
    learned(&["1 261121030405 up", "2 261121030500 down"], &["2026-11-21T03:04:05Z", "2026-11-21T03:05:00Z"]);
    learned(
        &["N 1 26325 03:04:05.67 JOB1", "N 2 26325 03:04:06.00 JOB1"],
        &["2026-11-21T03:04:05.67Z", "2026-11-21T03:04:06Z"],
    );
    let far = "0123456789abcdef0123456789abcdef01234567 89abcdef0123456789abcdef0123456789abcdef A <a@b>";
    learned(
        &[&format!("{far} 1795230245 +0100\tx"), &format!("{far} 1795230345 +0100\ty")],
        &["2026-11-21T03:04:05Z", "2026-11-21T03:05:45Z"],
    );
}

#[test]
fn texts_that_are_not_times() {
    for line in [
        "2026-02-29 03:04:05",
        "2026-11-21 25:04:05",
        "pid 1428634687 x",
        "12345 items",
        "",
        "version 1.2.2026 of 3.4",
        "listening on 10.11.12.13:8080",
        "peer 10.11.2026.1 12:00",
        "00:1a:2b:3c:4d:5e is up",
        "21:08:50 a time of day alone",
        "[   12.345678] an uptime alone",
        "took 12.345s in all",
        "run 20261121030405 and 20261121 030405",
        "ratio 3/4 1:02 of 12/13",
        "/srv/2026-11-21 03:04:05/x",
        "May 5 people of 12:30 rows",
        "Error 1234 03:04",
        "mode 100644 12:13",
        "build 8.0.28.0 Mar 2026",
        "Sat on 5 chairs",
        "at com.example.Cart.add(Cart.java:7)",
        "1.5 03:04:05 and 3-4 03:04:05",
    ] {
        check(line, "none");
    }
}

#[test]
fn whole_values() {
    let ns = |text: &str| whole_time(text.as_bytes()).map(shown);
    assert_eq!(ns("Sat, 21 Nov 2026 03:04:05 +0100 (CET)").unwrap(), "2026-11-21T02:04:05Z");
    assert_eq!(ns("1716723772.6014802").unwrap(), "2024-05-26T11:42:52.6014802Z");
    assert_eq!(ns("1615650027387860").unwrap(), "2021-03-13T15:40:27.38786Z");
    assert_eq!(ns(" 20261121030405 ").unwrap(), "2026-11-21T03:04:05Z");
    assert_eq!(ns("20261121030405123").unwrap(), "2026-11-21T03:04:05.123Z");
    assert_eq!(ns("2026-11-21T03:04:05Z and more"), None);
    assert_eq!(ns("12.5"), None);
    assert_eq!(ns("8.0.28.0"), None);
}

#[test]
fn named_zones_follow_their_clock_changes() {
    let mut clock = Clock::new(Zone::named("Europe/Berlin").unwrap());
    let mut ns = |line: &str| rfc3339(clock.ns(&find(line.as_bytes(), &TimeRules::default()).unwrap().when));
    assert_eq!(ns("2026-01-01 12:00:00"), "2026-01-01T11:00:00Z");
    assert_eq!(ns("2026-07-01 12:00:00"), "2026-07-01T10:00:00Z");
    assert!(Zone::named("Mars/Olympus").is_none());
    assert!(matches!(Zone::named("WET"), Some(Zone::Named(_))), "it has a summer time");
    assert!(matches!(Zone::named("+02:00"), Some(Zone::Fixed(7_200))));
}

#[test]
fn the_order_of_dates_is_learned() {
    let order = |lines: &[&str]| learn(lines.iter().map(|line| line.as_bytes())).order;
    assert_eq!(order(&["05/06/2026 1:00:00 a", "13/06/2026 1:00:00 b"]), DateOrder::DayFirst);
    assert_eq!(order(&["05.06.2026 1:00:00 a", "05.13.2026 1:00:00 b"]), DateOrder::MonthFirst);
    let rising = ["05/06/2026 23:00:00 a", "06/06/2026 1:00:00 b", "01/07/2026 1:00:00 b"];
    assert_eq!(order(&rising), DateOrder::DayFirst);
    assert_eq!(order(&["05/06/2026 1:00:00 a"]), DateOrder::MonthFirst);
    assert_eq!(order(&["05.06.2026 1:00:00 a"]), DateOrder::DayFirst);
    assert_eq!(order(&["26/05/30 1:00:00 a", "26/06/01 1:00:00 b"]), DateOrder::YearFirst);
    assert_eq!(order(&["2026-05-06 01:00:00 a"]), DateOrder::Customary);
    learned(
        &["05/06/26 01:00:00 a", "13/06/26 01:00:00 b"],
        &["2026-06-05T01:00:00Z", "2026-06-13T01:00:00Z"],
    );
}

#[test]
fn undated_times_count_if_most_lines_have_them() {
    learned(
        &["[21:08:50] [a/INFO]: x", "[21:08:51] [b/INFO]: y", "\tat z"],
        &["day time 76130", "day time 76131", "none"],
    );
    learned(
        &["21:08:50.123 x", "23:59:59.5 y", "00:00:01 z"],
        &["day time 76130.123", "day time 86399.5", "day time 1"],
    );
    learned(
        &["[    0.000000] a", "[  271.794] b", "x", "[12345.678901] c"],
        &["uptime 0", "uptime 271.794", "none", "uptime 12345.678901"],
    );
    learned(&["[0.009s][info][gc] a", "[10.020s][info][gc] b"], &["uptime 0.009", "uptime 10.02"]);
    learned(
        &["7 1697048351.000001 open()", "10000 1697048351.000541 read()"],
        &["2023-10-11T18:19:11.000001Z", "2023-10-11T18:19:11.000541Z"],
    );
    learned(&["20100720 183814 a", "20100720 183818 b"], &["2010-07-20T18:38:14Z", "2010-07-20T18:38:18Z"]);
    learned(
        &["type=A msg=audit(1481076983.819:7798): x", "type=LONGER msg=audit(1481076983.864:6): y"],
        &["2016-12-07T02:16:23.819Z", "2016-12-07T02:16:23.864Z"],
    );
    // Numbers that fall as often as they rise are no times, and neither are those of a single line in many.
    learned(&["[12.345678] a", "[3.141592] b", "[9.000001] c", "[1.000001] d"], &["none"; 4]);
    learned(&["one", "two", "[21:08:50] x", "three"], &["none"; 4]);
    // A complete stamp is more specific.
    learned(
        &["2026-11-21 03:04:05 21:08:50 x", "2026-11-21 03:04:06 21:08:51 y"],
        &["2026-11-21T03:04:05Z", "2026-11-21T03:04:06Z"],
    );
}

#[test]
fn epoch_next_to_a_stamp_needs_no_zone() {
    learned(
        &[
            "- 1117838570 2005.06.03 R02 2005-06-03-15.42.50.675872 x",
            "APPREAD 1117838571 2005.06.03 R02 2005-06-03-15.42.51 y",
        ],
        &["2005-06-03T22:42:50Z", "2005-06-03T22:42:51Z"],
    );
    let id = "1117838570 2026-06-03 15:42:50 x";
    assert_eq!(learn([id.as_bytes()].into_iter()).usual_position(id.as_bytes()), Some((Spelling::Iso, 11)));
}

#[test]
fn a_line_that_ends_where_others_have_their_time_was_read_beyond_its_end() {
    assert!(!is_delimited(b"cpu1:", 5));
    assert!(Spelling::DayTime.read(b"ab2999-01-01", 13, DateOrder::Customary).is_none());
    let line = "cpu1:2026-11-21 03:04:05 x";
    learned(&[line, line, "cpu1:"], &["2026-11-21T03:04:05Z", "2026-11-21T03:04:05Z", "none"]);
}

#[test]
fn zones_in_other_spellings() {
    check("2026-11-21 03:04:05 (+0100) x", "2026-11-21T02:04:05Z");
    check("2026-11-21 03:04:05 (GMT-1:00) x", "2026-11-21T04:04:05Z");
    check("2026-11-21 03:04:05 (+12) x", "2026-11-21T03:04:05Z");
    check("2026-11-21 03:04:05 +01 - x", "2026-11-21T02:04:05Z");
    check("2026-11-21 03:04:05 +23 C", "2026-11-21T03:04:05Z");
    check("2026-11-21 03:04:05 +01.5 C", "2026-11-21T03:04:05Z");
    // A zone that is cut short ended in a panic.
    for cut in ["UTC+", "GMT-1:", "(GMT+", "(+01"] {
        check(
            &format!("2026-11-21 03:04:05 {cut}"),
            if cut == "GMT-1:" { "2026-11-21T04:04:05Z" } else { "2026-11-21T03:04:05Z" },
        );
    }
}

#[test]
fn heading_provides_the_date_of_its_lines() {
    learned(
        &["**** BEGIN LOGGING AT Mon Dec 31 21:11:55 2012", "dec 31 21:11:55 --> a", "dec 31 21:12:00 <b> c"],
        &["2012-12-31T21:11:55Z", "1680-12-31T21:11:55Z", "1680-12-31T21:12:00Z"],
    );
    learned(
        &[
            "--- Log opened Mon Dec 31 21:11:55 2012",
            "21:11 -!- a",
            "21:12 <b> c",
            "21:13 <b> since 2011-01-01 00:00:00",
            "21:13 <b> d",
            "21:14 <b> e",
            "21:15 <b> f",
            "21:16 <b> g",
        ],
        &[
            "2012-12-31T21:11:55Z",
            "day time 76260",
            "day time 76320",
            "day time 76380",
            "day time 76380",
            "day time 76440",
            "day time 76500",
            "day time 76560",
        ],
    );
}

#[test]
fn a_time_in_the_message_is_not_the_line_s_own() {
    let first = "2026-03-01 12:00:00 a";
    let rules = learn([first, "2026-03-01 12:00:01 b"].iter().map(|line| line.as_bytes()));
    assert_eq!(find(b"since 2025-01-01 00:00:00", &rules), None);
    let found = FoundTime { start: 0, end: 19, ..find(first.as_bytes(), &rules).unwrap() };
    assert_eq!(find(first.as_bytes(), &rules), Some(found));
    let rules = learn(["host-1 app 2026-03-01 12:00:00 a"].iter().map(|line| line.as_bytes()));
    assert!(find(b"host-12 app 2026-03-01 12:00:00 a", &rules).is_some());
}

/// Formats of jiff that are read back exactly, with the number of fraction digits they keep.
const ZONELESS: [(&str, i32); 22] = [
    ("%Y-%m-%d %H:%M:%S.%9f x", 1),
    ("%Y-%m-%dT%H:%M:%S,%3f x", 1_000_000),
    ("[%Y/%m/%d %H:%M:%S] x", 1_000_000_000),
    ("%Y.%m.%d_%H:%M:%S x", 1_000_000_000),
    ("%Y-%m-%d-%H.%M.%S.%6f x", 1_000),
    ("%Y-%m-%d %H:%M:%S:%3f x", 1_000_000),
    ("%Y%m%dT%H%M%S.%9f x", 1),
    ("%Y%m%d %H:%M:%S x", 1_000_000_000),
    ("%Y-%jT%H:%M:%S x", 1_000_000_000),
    ("%G-W%V-%uT%H:%M:%S x", 1_000_000_000),
    ("%d/%b/%Y:%H:%M:%S x", 1_000_000_000),
    ("%d-%b-%Y %H:%M:%S.%3f x", 1_000_000),
    ("[%d%b%Y %H:%M:%S.%3f] x", 1_000_000),
    ("%e %B %Y %H:%M:%S x", 1_000_000_000),
    ("%a %b %e %H:%M:%S %Y x", 1_000_000_000),
    ("%A, %d-%b-%y %H:%M:%S x", 1_000_000_000),
    ("%b %e, %Y %I:%M:%S %p x", 1_000_000_000),
    ("%b %d %Y %H:%M:%S.%6f x", 1_000),
    ("%m/%d/%Y %H:%M:%S x", 1_000_000_000),
    ("%m/%d/%y %I:%M:%S.%3f %p x", 1_000_000),
    ("%d.%m.%Y %H:%M:%S,%3f x", 1_000_000),
    ("%y%m%d %H:%M:%S x", 1_000_000_000),
];

const ZONED: [&str; 6] = [
    "%Y-%m-%dT%H:%M:%S.%9f%:z x",
    "%Y-%m-%d %H:%M:%S.%9f %z x",
    "%a, %d %b %Y %H:%M:%S.%9f %z",
    "[%d/%b/%Y:%H:%M:%S.%9f %z] x",
    "%b %e %Y %H:%M:%S.%9f %z x",
    "%Y%m%dT%H%M%S.%9f%z x",
];

fn seconds_of_1970_to_2068() -> impl Strategy<Value = i64> {
    0..3_092_601_600_i64
}

proptest! {
    #[test]
    fn every_spelling_reads_back(
        second in seconds_of_1970_to_2068(),
        nanos in 0..1_000_000_000_i32,
        (format, unit) in prop::sample::select(&ZONELESS[..]),
    ) {
        let written = Timestamp::new(second, nanos / unit * unit).unwrap();
        let wall: DateTime = TimeZone::UTC.to_datetime(written);
        let text = strtime::format(format, wall).unwrap();
        let found = find(text.as_bytes(), &TimeRules::default()).map(|found| shown(found.when));
        prop_assert_eq!(found, Some(written.to_string()), "{}", text);
    }

    #[test]
    fn every_spelling_with_a_zone_reads_back(
        second in seconds_of_1970_to_2068(),
        nanos in 0..1_000_000_000_i32,
        quarters in -48..56_i32,
        format in prop::sample::select(&ZONED[..]),
    ) {
        let written = Timestamp::new(second, nanos).unwrap();
        let zone = TimeZone::fixed(Offset::from_seconds(quarters * 900).unwrap());
        let text = strtime::format(format, &written.to_zoned(zone)).unwrap();
        let found = find(text.as_bytes(), &TimeRules::default()).map(|found| shown(found.when));
        prop_assert_eq!(found, Some(written.to_string()), "{}", text);
    }

    #[test]
    fn any_bytes_can_be_read_and_no_time_extends_past_its_line(
        mut lines in prop::collection::vec("[0-9A-Za-z:./,+@年 \\[\\]()TZ-]{0,40}", 1..6),
        stamp in prop::sample::select(vec!["2026-11-21 03:04:05.1", "Nov 21 03:04:05", "21.11.26 3:04 PM", "[  1.5"]),
        cut in 0..24_usize,
    ) {
        lines.push(stamp.chars().take(cut).collect());
        let rules = learn(lines.iter().map(String::as_bytes));
        for line in &lines {
            for rules in [&rules, &TimeRules::default()] {
                if let Some(found) = find(line.as_bytes(), rules) {
                    prop_assert!(found.start < found.end && found.end <= line.len(), "{line}: {found:?}");
                }
            }
            whole_time(line.as_bytes());
        }
    }

    #[test]
    fn raw_bytes_stop_nothing(line in prop::collection::vec(any::<u8>(), 0..60)) {
        let rules = learn([&line[..], b"[21:08:50] x"].into_iter());
        if let Some(found) = find(&line, &rules) {
            prop_assert!(found.end <= line.len());
        }
    }
}

#[test]
fn late_stamps_and_numbers_out_of_order() {
    let request = "10.0.0.1 () {30 vars in 500 bytes} of a long request with words";
    let lines = [
        format!("[pid: 1|app: 0|req: 1/1] {request} [Sat Nov 21 03:04:05 2026] GET /"),
        format!("[pid: 1|app: 0|req: 2/2] {request}s [Sat Nov 21 03:04:06 2026] GET /b"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    learned(&lines, &["2026-11-21T03:04:05Z", "2026-11-21T03:04:06Z"]);
    // Most lines must have it: one late stamp is part of a message.
    learned(&[lines[0], "another line", "and one more"], &["none", "none", "none"]);
    learned(
        &[
            "17 node-1 unix.hw down 1795230245 1 fan",
            "12 node-2 unix.hw down 1790230245 1 fan",
            "9 node-30 unix.hw up 1795230245 1 fan",
            "5 node-1 disk full 1792230245 1 fan",
        ],
        &["2026-11-21T03:04:05Z", "2026-09-24T06:10:45Z", "2026-11-21T03:04:05Z", "2026-10-17T09:44:05Z"],
    );
    // Ids of the same length may have any value.
    learned(
        &["a 1795230245 x", "a 6190230245 x", "a 2095230245 x", "a 1192230245 x"],
        &["none", "none", "none", "none"],
    );
    learned(
        &["  12:20261121:030405.123 x", " 124:20261121:030406.5 y"],
        &["2026-11-21T03:04:05.123Z", "2026-11-21T03:04:06.5Z"],
    );
    learned(
        &["261121030405.123 9051 00005 x", "261121030404.5 9051 00005 y"],
        &["2026-11-21T03:04:05.123Z", "2026-11-21T03:04:04.5Z"],
    );
    // The time of day of a date that cannot be is not one of today.
    learned(
        &["2999-01-01 00:00:01 INFO a", "2999-01-01 00:00:02 INFO b", "0000-00-00 00:00:00 INFO c"],
        &["none", "none", "none"],
    );
}
