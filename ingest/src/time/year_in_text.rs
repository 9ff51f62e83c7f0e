//! The year of stamps without one, if messages repeat them with it
//! (`Apr 14 16:17:20 ns1 named[2588]: 14-Apr-2022 16:17:20.046 client …`) or lines between them have it.

use super::digits::digit_run;
use super::epoch;
use super::find::{FoundTime, find, is_delimited, scan};
use super::numeric_date::DateOrder;
use super::provisional::{ProvisionalTime, YEARLESS, decode_provisional};
use super::rules::TimeRules;
use super::year::{Years, in_year, year_near};
use super::{SECOND_NS, When};

/// The furthest that zones move the same time.
const FURTHEST_NS: i64 = 26 * 3_600 * SECOND_NS;
/// Zones differ by multiples of this.
const ZONE_STEP_NS: u64 = 900 * SECOND_NS as u64;
/// The time from an event to the line that tells of it.
const DELAY_NS: u64 = 90 * SECOND_NS as u64;
/// The text of a line that is searched, and the lines of a sample.
const WITHIN_BYTES: usize = 2_000;
const MOST_LINES: usize = 500;

/// Where the year is from, for a person.
pub(crate) const REASON: &str = "from times with their year in or between the events";

/// The year of the first stamp of a sample that has these times, if some are without one.
pub(crate) fn learn(sample: &[u8], times: &[i64], rules: &TimeRules) -> Option<i16> {
    let is_yearless = |&time: &i64| matches!(decode_provisional(time), Some(ProvisionalTime::Yearless(_)));
    if times.iter().any(is_yearless) { first_year(sample, rules) } else { None }
}

fn first_year(sample: &[u8], rules: &TimeRules) -> Option<i16> {
    let mut years = Years::starting(0);
    let mut found: Vec<(i32, usize)> = Vec::new();
    let mut last: Option<i64> = None;
    for line in sample.split(|&byte| byte == b'\n').take(MOST_LINES) {
        let Some(FoundTime { when: When::Stamp(stamp), end, .. }) = find(line, rules) else { continue };
        let year = if stamp.year.is_some() {
            last.and_then(|last| year_near(last, stamp.wall_ns(0), FURTHEST_NS))
        } else {
            let yearless = stamp.wall_ns(YEARLESS);
            years.resolve(ProvisionalTime::Yearless(yearless));
            last = Some(yearless);
            let rest = &line[end..line.len().min(end + WITHIN_BYTES)];
            complete_times(rest).find_map(|ns| year_of_same_time(yearless, ns))
        };
        let Some(year) = year else { continue };
        let first_year = year - years.year;
        match found.iter_mut().find(|(known, _)| *known == first_year) {
            Some((_, lines)) => *lines += 1,
            None => found.push((first_year, 1)),
        }
    }
    let (year, _) = found.into_iter().max_by_key(|&(_, lines)| lines)?;
    i16::try_from(year).ok()
}

/// The year in which a stamp without one is the same time as a complete one, in some zone.
fn year_of_same_time(yearless: i64, complete: i64) -> Option<i32> {
    year_near(yearless, complete, FURTHEST_NS).filter(|&year| {
        let distance = in_year(yearless, year).abs_diff(complete);
        let beyond_zone = distance % ZONE_STEP_NS;
        beyond_zone.min(ZONE_STEP_NS - beyond_zone) <= DELAY_NS
    })
}

/// The stamps with a year and the numbers since 1970 in a text.
fn complete_times(text: &[u8]) -> impl Iterator<Item = i64> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let from = at;
            let length = digit_run(text, from);
            at += length.max(1);
            if length == 0 || !is_delimited(text, from) {
                continue;
            }
            if let Some((ns, end)) = epoch::delimited(text, from) {
                at = end;
                return Some(ns);
            }
            let rest = &text[from..];
            if let Some((FoundTime { when: When::Stamp(stamp), start: 0, end }, _)) =
                scan(rest, 0, DateOrder::Customary)
                && stamp.year.is_some()
            {
                at = from + end;
                return Some(stamp.wall_ns(0));
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::super::rules;
    use super::*;

    fn check(lines: &[&str], expected: Option<i16>) {
        let sample = lines.join("\n");
        let learned = rules::learn(sample.as_bytes().split(|&byte| byte == b'\n'));
        assert_eq!(first_year(sample.as_bytes(), &learned), expected, "{sample}");
    }

    #[test]
    fn a_message_that_repeats_the_time_has_its_year() {
        check(&["Apr 14 16:17:20 ns1 named[2588]: 14-Apr-2022 16:17:20.046 client 10.0.0.1"], Some(2022));
        check(
            &["May 10 15:19:05 fw fw1 (2024-05-10T09:49:05) firewall[10]: the feature expired"],
            Some(2024),
        );
        check(
            &[
                r#"Apr 26 16:48:37 box audit -: {"user": "me", "when": "1682552917"}"#,
                r#"Apr 26 16:48:39 box health -: {"user": "me"}"#,
            ],
            Some(2023),
        );
        check(
            &[
                "Dec 31 23:59:58 ns1 named[1]: listening",
                "Jan  1 00:00:03 ns1 named[1]: 01-Jan-2023 00:00:03.001 client 10.0.0.1",
            ],
            Some(2022),
        );
    }

    #[test]
    fn other_dates_in_a_message_do_not_count() {
        check(&["Apr 14 16:17:20 web app[1]: the certificate expires 2027-04-14 00:00:00"], None);
        check(&["Apr 14 16:17:20 web app[1]: copied 1649952740 of 1649953999 bytes"], None);
        check(&["2021-04-14 16:17:20 app: 2022-04-14 16:17:20"], None);
    }

    #[test]
    fn lines_between_have_the_year() {
        let request = r#"10.0.0.1 - - [24/Mar/2013:08:58:32 GMT] "POST /connect HTTP/1.1" 403 34"#;
        let line = "Mar 24 08:58:32 sogod [26818]: Login from '10.0.0.1' for user 'a' might not have worked";
        check(&[line, line, request, line, line, request], Some(2013));
    }
}
