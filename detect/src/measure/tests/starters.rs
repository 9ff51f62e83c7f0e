//! Each detector that comes with the program over lines that are made for it, and over the same without what it finds.

use std::fmt::Write;

use indexer::Cancel;

use super::Bench;
use crate::{Detectors, Outcome, ReadOptions, Scope};

/// Lines by the second of the first of March 2026 that they are of.
type Lines = Vec<(i64, String)>;

fn time(second: i64) -> String {
    let start = indexer::stamp::parse("2026-03-01T00:00:00Z").expect("a time");
    indexer::stamp::to_rfc3339(start + second * super::SECOND)
}

fn request(second: i64, status: u16, client: &str) -> (i64, String) {
    let (day, hour, minute) = (1 + second / 86_400, second / 3_600 % 24, second / 60 % 60);
    let at = format!("{day:02}/Mar/2026:{hour:02}:{minute:02}:{:02} +0000", second % 60);
    (second, format!("{client} - - [{at}] \"GET /cart HTTP/1.1\" {status} 512 \"-\" \"curl/8\""))
}

fn syslog(second: i64, host: &str, message: &str) -> (i64, String) {
    (second, format!("<38>1 {} {host} daemon 17 - - {message}", time(second)))
}

fn json(second: i64, fields: &str) -> (i64, String) {
    (second, format!("{{\"time\":\"{}\",{fields}}}", time(second)))
}

fn error(second: i64, message: &str) -> (i64, String) {
    json(second, &format!("\"level\":\"error\",\"message\":\"{message}\""))
}

fn windows(second: i64, channel: &str, event: u32) -> (i64, String) {
    let line = format!(
        "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='Windows'/>\
         <EventID>{event}</EventID><Level>0</Level><TimeCreated SystemTime='{}'/><Channel>{channel}</Channel>\
         <Computer>ws-1</Computer></System><EventData><Data Name='TargetUserName'>ann</Data></EventData></Event>",
        time(second)
    );
    (second, line)
}

/// Kernel-General's event 1: the clock was set back by so many seconds.
fn clock_set(second: i64, back: i64) -> (i64, String) {
    let line = format!(
        "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System>\
         <Provider Name='Microsoft-Windows-Kernel-General'/><EventID>1</EventID><Level>4</Level>\
         <TimeCreated SystemTime='{0}'/><Channel>System</Channel><Computer>ws-1</Computer></System><EventData>\
         <Data Name='NewTime'>{0}</Data><Data Name='OldTime'>{1}</Data><Data Name='Reason'>1</Data></EventData></Event>",
        time(second),
        time(second + back)
    );
    (second, line)
}

/// A line for each of so many steps.
fn each(count: i64, step: i64, line: impl Fn(i64) -> (i64, String)) -> Lines {
    (0..count).map(|index| line(index * step)).collect()
}

/// So many slow requests in each of some bins of five minutes, next to fast ones in forty.
fn durations(slow: std::ops::Range<i64>) -> Lines {
    let took = |second: i64, ms: i64| json(second, &format!("\"duration_ms\":{ms}.5,\"path\":\"/cart\""));
    let fast = each(1_200, 10, |second| took(second, 10 + second / 30 % 3));
    [fast, slow.flat_map(|bin| (1..9).map(move |at| took(bin * 300 + at, 900))).collect()].concat()
}

/// Requests of forty bins of five minutes, another number in some of them.
fn traffic(changed: std::ops::Range<i64>, to: i64) -> Lines {
    volume(changed, to, |second| request(second, 200, "10.0.0.1"))
}

fn volume(changed: std::ops::Range<i64>, to: i64, line: impl Fn(i64) -> (i64, String)) -> Lines {
    let count = |bin: i64| if changed.contains(&bin) { to } else { 100 + bin % 7 };
    let seconds = |bin: i64| (0..count(bin)).map(move |at| bin * 300 + at % 300);
    (0..40).flat_map(seconds).map(line).collect()
}

/// Two services in forty bins; in some of these the first has another number of events.
fn of_services(changed: std::ops::Range<i64>, to: i64) -> Lines {
    let of = |name: &'static str| {
        move |second| json(second, &format!("\"service\":\"{name}\",\"message\":\"ok\""))
    };
    [volume(changed, to, of("cart")), volume(0..0, 0, of("mail"))].concat()
}

/// Errors for two thousand minutes, one kind of them now and then.
fn errors(surge: i64) -> Lines {
    let usual = each(2_000, 60, |second| error(second, "request timed out"));
    let rare = each(40, 3_000, |second| error(second, "cache is not reachable"));
    let more = (0..surge).map(|second| error(60_000 + second, "cache is not reachable"));
    [usual, rare, more.collect()].concat()
}

/// For each detector lines in which it finds nothing, and lines in which it finds something.
fn table() -> Vec<(&'static str, Lines, Lines)> {
    let ok = || each(150, 2, |second| request(second, 200, "10.0.0.1"));
    let failing = |status: u16, count: i64| {
        move |second: i64| (0..count).map(move |_| request(second, status, "10.0.0.1"))
    };
    let with = |lines: Lines, more: Lines| [lines, more].concat();
    let calm = || each(3, 60, |second| syslog(second, "web-1", "all is well"));
    let says = |count: i64, message: &'static str| {
        with(calm(), each(count, 5, |second| syslog(second, "web-1", message)))
    };
    let minutes =
        |host: &'static str, minutes: i64| each(minutes, 60, |second| syslog(second, host, "alive"));
    let gap = |pause: i64| {
        let after = (0..5).map(|minute| syslog(20 * 60 + pause + minute * 60, "web-1", "alive"));
        with(minutes("web-1", 21), after.collect())
    };
    let new_error = |count: i64| {
        let refused = (0..count).map(|second| error(26 * 3_600 + second, "payment gateway refused the card"));
        with(each(28, 3_600, |second| error(second, "request timed out")), refused.collect())
    };
    let logins = |count: i64| each(count, 20, |second| windows(second, "Security", 4_625));
    let login_after = |pause: i64| vec![windows(0, "Security", 4_625), windows(pause, "Security", 4_624)];
    vec![
        (
            "starter.error-ratio",
            with(ok(), failing(500, 1)(70).collect()),
            with(ok(), [60, 120].into_iter().flat_map(failing(500, 5)).collect()),
        ),
        ("starter.5xx-burst", failing(503, 50)(7).collect(), failing(503, 51)(7).collect()),
        ("starter.latency-p95", durations(0..0), durations(30..31)),
        ("starter.latency-p99", durations(30..32), durations(30..33)),
        ("starter.traffic-drop", traffic(30..31, 2), traffic(30..32, 2)),
        ("starter.traffic-surge", traffic(30..31, 600), traffic(30..32, 600)),
        ("starter.source-drop", minutes("web-1", 200), traffic(30..32, 2)),
        ("starter.source-surge", traffic(30..32, 2), traffic(30..32, 600)),
        ("starter.service-drop", of_services(30..32, 0), of_services(30..32, 2)),
        ("starter.service-surge", of_services(30..31, 600), of_services(30..32, 600)),
        (
            "starter.not-found-scan",
            with(failing(404, 100)(9).collect(), each(90, 1, |second| request(second, 404, "10.0.0.2"))),
            failing(404, 101)(9).collect(),
        ),
        (
            "starter.certificate-errors",
            says(2, "x509: certificate signed by unknown authority"),
            says(3, "x509: certificate signed by unknown authority"),
        ),
        ("starter.silent-source", gap(9 * 60), gap(11 * 60)),
        (
            "starter.silent-host",
            with(minutes("web-1", 40), minutes("web-2", 38)),
            with(minutes("web-1", 40), minutes("web-2", 20)),
        ),
        ("starter.new-error", new_error(2), new_error(3)),
        ("starter.error-surge", errors(0), errors(60)),
        ("starter.out-of-memory", calm(), says(1, "Out of memory: Killed process 4242 (java)")),
        ("starter.disk-full", calm(), says(1, "write failed: No space left on device")),
        (
            "starter.restart-loop",
            says(4, "shop.service: Scheduled restart job, restart counter is at 4."),
            says(5, "shop.service: Scheduled restart job, restart counter is at 5."),
        ),
        ("starter.clock-jump", calm(), says(1, "System clock wrong by 3.214512 seconds, adjustment started")),
        (
            "starter.clock-jump-windows",
            vec![clock_set(0, 3), clock_set(400, -20)],
            vec![clock_set(0, 3), clock_set(400, 36_000)],
        ),
        (
            "starter.brute-force-ssh",
            says(10, "Failed password for root from 10.0.0.9 port 4242 ssh2"),
            says(11, "Failed password for root from 10.0.0.9 port 4242 ssh2"),
        ),
        ("starter.brute-force-windows", logins(10), logins(11)),
        ("starter.login-after-failures", login_after(90), login_after(30)),
        ("starter.privileges", calm(), says(1, "add 'eve' to group 'sudo'")),
        (
            "starter.log-cleared",
            vec![windows(0, "Security", 4_624), windows(9, "Application", 104)],
            vec![windows(0, "Security", 4_624), windows(9, "System", 104)],
        ),
    ]
}

/// The numbers of a text.
fn digits(text: &str) -> Vec<&str> {
    text.split(|letter: char| !letter.is_ascii_digit()).filter(|part| !part.is_empty()).collect()
}

#[test]
fn texts_of_starters_name_no_number_that_a_person_can_change() {
    const WORDS: &str = "two three four five six seven eight nine ten twelve fifteen twenty thirty fifty hundred \
        thousand quarter half dozen second minute hour seconds minutes";
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let (mut tried, unit) = (0, "The value is the step in seconds.");
    for (file, text) in crate::starters() {
        let read = Detectors::of_texts([(*file, *text)]);
        for (detector, _) in read.measures() {
            let written = crate::measure::text_of(text, detector);
            let is_condition = |line: &&str| line.starts_with(&format!("{} = ", detector.kind()));
            let condition = written.lines().find(is_condition).expect("a condition on one line");
            // The part of a share and the end of a sequence are filters, as the query is.
            let filter = ["\", above", "\", within"].into_iter().find_map(|end| condition.split_once(end));
            let condition = filter.map_or(condition, |(_, rest)| rest);
            let said = format!("{} {}", detector.title, detector.description.as_deref().unwrap_or_default());
            let said = said.replace(unit, "").to_lowercase();
            let numbers = digits(&said);
            assert!(digits(condition).iter().all(|number| !numbers.contains(number)), "{said}: {condition}");
            let named =
                said.split(|letter: char| !letter.is_alphanumeric()).find(|word| words.contains(word));
            assert_eq!(named, None, "{said}");
            tried += 1;
        }
    }
    assert_eq!(tried, table().len());
}

#[test]
fn detectors_by_service_use_the_field_that_names_it_in_the_case_and_say_which() {
    let detectors = Detectors::read(&["starter".into()], &ReadOptions::default());
    let mut lines = of_services(30..32, 600);
    lines.sort();
    let lines = lines.into_iter().fold(String::new(), |text, (_, line)| text + &line + "\n");
    let surge = |named: &str| {
        let bench = Bench::of_log(&lines.replace("\"service\"", &format!("\"{named}\"")));
        let snapshot = bench.case.snapshot();
        let fields = indexer::Engine::field_names(&snapshot);
        let (detector, _) = detectors
            .measures()
            .find(|(one, _)| one.name == "starter.service-surge")
            .expect("it comes along");
        let said = detector.for_fields(&fields).description.unwrap_or_default();
        let (scope, cancel) = (Scope::default(), Cancel::default());
        let report = detectors.check(&bench.case, &snapshot, &scope, &cancel).expect("checked");
        let verdict = report.verdicts.into_iter().find(|(name, _)| name == "starter.service-surge");
        let alert = report.alerts.into_iter().find(|alert| alert.detector == "starter.service-surge");
        (verdict.expect("it was run").1, alert.map(|alert| alert.group), said)
    };
    for named in indexer::service_map::SERVICE_FIELDS {
        let (verdict, group, said) = surge(named);
        assert_eq!(verdict.outcome, Outcome::Fired, "{named}");
        assert_eq!(group, Some(vec![(named.to_owned(), "cart".to_owned())]));
        assert!(said.contains(&format!("by the field `{named}`")), "{said}");
    }
    let (verdict, group, _) = surge("squad");
    assert_eq!((verdict.outcome, group), (Outcome::CannotSay, None));
    assert_eq!(
        verdict.sentence,
        "none of the fields that name a service is in any event: `service`, `service.name`, `service_name`, `serviceName`"
    );
}

#[test]
fn volume_with_too_little_history_is_no_quiet_volume() {
    let short = |count: i64| {
        let of = |second| json(second, "\"service\":\"cart\",\"status\":200");
        let bins = (0..count).flat_map(|bin| (0..100 + bin % 7).map(move |at| bin * 300 + at));
        bins.map(of).fold(String::new(), |text, (_, line)| text + &line + "\n")
    };
    let detectors = Detectors::read(&["starter".into()], &ReadOptions::default());
    let said = |text: &str| {
        let bench = Bench::of_log(text);
        let (scope, cancel) = (Scope::default(), Cancel::default());
        let report = detectors.check(&bench.case, &bench.case.snapshot(), &scope, &cancel).expect("checked");
        let is_volume = |name: &str| name.ends_with("-drop") || name.ends_with("-surge");
        let verdicts =
            report.verdicts.into_iter().filter(|(name, _)| is_volume(name) && !name.contains("error"));
        verdicts.map(|(_, verdict)| (verdict.outcome, verdict.sentence)).collect::<Vec<_>>()
    };
    let lacks = "it needs 14 bins with values, twelve of them to know what is usual, and the data has 12";
    assert_eq!(said(&short(12)), vec![(Outcome::CannotSay, lacks.to_owned()); 6]);
    assert!(said(&short(13)).iter().all(|(outcome, _)| *outcome == Outcome::CannotSay));
    assert!(said(&short(14)).iter().all(|(outcome, _)| *outcome == Outcome::Quiet));
}

#[test]
fn each_starter_fires_on_its_lines_and_not_without_them() {
    let detectors = Detectors::read(&["starter".into()], &ReadOptions::default());
    let names: Vec<String> = detectors.measures().map(|(detector, _)| detector.name.clone()).collect();
    let mut tried: Vec<&str> = Vec::new();
    for (name, quiet, loud) in table() {
        let outcome = |mut lines: Lines| {
            lines.sort();
            let text = lines.iter().fold(String::new(), |mut text, (_, line)| {
                writeln!(text, "{line}").expect("text grows");
                text
            });
            let bench = Bench::of_log(&text);
            let report = detectors
                .check(&bench.case, &bench.case.snapshot(), &Scope::default(), &Cancel::default())
                .expect("checked");
            let is_of_it = |problem: &&crate::Problem| problem.message.contains(name);
            assert_eq!(report.problems.iter().find(is_of_it), None, "{name}");
            let said = report.verdicts.iter().find(|(other, _)| other == name);
            said.map(|(_, verdict)| verdict.outcome)
        };
        assert_eq!(outcome(quiet), Some(Outcome::Quiet), "{name}");
        assert_eq!(outcome(loud), Some(Outcome::Fired), "{name}");
        tried.push(name);
    }
    assert!(names.iter().all(|name| tried.contains(&name.as_str())), "each of {names:?}");
}
