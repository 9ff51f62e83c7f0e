use std::collections::BTreeSet;

use indexer::Case;
use indexer::triage::{Decision, TriageVerb};
use proptest::prelude::*;

use super::*;

const HOUR: i64 = 3_600_000_000_000;
/// 2026-03-01T14:00:00Z.
const T0: i64 = 1_772_373_600_000_000_000;

fn alert(detector: &str, severity: Severity, start: i64, host: &str) -> Alert {
    Alert {
        detector: detector.to_owned(),
        title: format!("Title of {detector}"),
        severity,
        start: Some(start),
        end: Some(start + 60),
        peak: None,
        events: 3,
        group: vec![("host".to_owned(), host.to_owned())],
        value: Some(3.0),
        expected: Some(1.0),
        basis: None,
        query: format!("host:{host}"),
        wider: false,
    }
}

fn case() -> (tempfile::TempDir, Case) {
    let folder = tempfile::tempdir().expect("a folder");
    let case = Case::create(&folder.path().join("a.case")).expect("a case");
    (folder, case)
}

fn inbox(case: &Case) -> Inbox {
    let mut inbox = Inbox::new(case.folder().to_path_buf());
    inbox.took_run(
        "f busy",
        "busy",
        vec![alert("busy", Severity::High, T0, "web-1"), alert("busy", Severity::High, T0 + HOUR, "web-2")],
        &LiveSizes::default(),
    );
    inbox.took_rules(vec![alert("logon", Severity::Low, T0 + 1, "web-1")], &LiveSizes::default());
    inbox.refresh(case, 0).expect("refreshed");
    inbox
}

/// These alerts, each with so many events.
fn seen(keys: &[AlertKey], events: Option<u64>) -> AlertChoice {
    AlertChoice::Keys(keys.iter().map(|&key| SeenAlert { key, events }).collect())
}

/// All alerts of a filter, as the list has them now.
fn matching(inbox: &mut Inbox, filter: &AlertFilter) -> AlertChoice {
    let page = inbox.list(&InboxRequest { filter: filter.clone(), ..InboxRequest::default() }, 0);
    AlertChoice::Matching { filter: filter.clone(), expected: page.matching, digest: page.digest }
}

fn decide(case: &Case, inbox: &Inbox, id: &str, verb: TriageVerb, keys: &[AlertKey], now: i64) {
    let decision = Decision { verb, reason: None, until: Some(now + 100), text: "seen by <me>".to_owned() };
    let alerts = inbox.chosen(&seen(keys, None), now).expect("chosen");
    case.triage(id, &decision, &alerts, now).expect("a decision");
}

fn titles(inbox: &mut Inbox, request: &InboxRequest) -> Vec<String> {
    let page = inbox.list(&InboxRequest { count: 100, ..request.clone() }, 0);
    let name = |line: InboxLine| match (line.alert, line.group) {
        (Some(one), _) => format!("{} {}", one.alert.detector, entity_of(&one.alert)),
        (None, Some(group)) => format!("[{} {}]", group.key, group.alerts),
        (None, None) => String::new(),
    };
    page.lines.into_iter().map(name).collect()
}

#[test]
fn inbox_is_filtered_sorted_and_grouped() {
    let (_folder, case) = case();
    let mut inbox = inbox(&case);
    let all = InboxRequest::default();
    assert_eq!(titles(&mut inbox, &all), ["busy host=web-1", "logon host=web-1", "busy host=web-2"]);
    let serious = InboxRequest { sort: AlertSort::Severity, descending: true, ..InboxRequest::default() };
    assert_eq!(titles(&mut inbox, &serious), ["busy host=web-2", "busy host=web-1", "logon host=web-1"]);
    let filter = AlertFilter { text: "WEB-1 busy".to_owned(), ..AlertFilter::default() };
    assert_eq!(titles(&mut inbox, &InboxRequest { filter, ..all.clone() }), ["busy host=web-1"]);
    let grouped = |grouping, unfolded: &[&str]| InboxRequest {
        grouping,
        unfolded: unfolded.iter().map(|&key| key.to_owned()).collect(),
        ..InboxRequest::default()
    };
    assert_eq!(titles(&mut inbox, &grouped(AlertGrouping::Detector, &[])), ["[busy 2]", "[logon 1]"]);
    assert_eq!(
        titles(&mut inbox, &grouped(AlertGrouping::Entity, &["host=web-2"])),
        ["[host=web-1 2]", "[host=web-2 1]", "busy host=web-2"]
    );
    let hours = [format!("[{} 1]", T0 + HOUR), format!("[{T0} 2]")];
    assert_eq!(titles(&mut inbox, &grouped(AlertGrouping::Time, &[])), hours);
    let page = inbox.list(&InboxRequest { count: 1, ..all }, 0);
    assert_eq!((page.total, page.matching, page.lines_total, page.lines.len()), (3, 3, 3, 1));
    assert_eq!(page.statuses.new, 3);
}

#[test]
fn two_windows_that_decide_about_one_alert_both_count() {
    let (_folder, case) = case();
    let (one, other) = (inbox(&case), inbox(&case));
    let key = key_of(&alert("busy", Severity::High, T0, "web-1"));
    decide(&case, &one, "a", TriageVerb::Acknowledge, &[key], 10);
    decide(&case, &other, "b", TriageVerb::Acknowledge, &[key], 11);
    let mut inbox = inbox(&case);
    let shown = inbox.get(key, 20).expect("an alert");
    assert_eq!((shown.status, shown.history.len()), (TriageStatus::Acknowledged, 2));
    case.undo_triage("a", true, 12).expect("undone");
    inbox.refresh(&case, 20).expect("refreshed");
    let shown = inbox.get(key, 20).expect("an alert");
    assert_eq!(
        (shown.status, shown.history.len()),
        (TriageStatus::Acknowledged, 1),
        "the other one still counts"
    );
    case.undo_triage("b", true, 13).expect("undone");
    case.undo_triage("a", false, 14).expect("made again");
    inbox.refresh(&case, 20).expect("refreshed");
    assert_eq!(inbox.get(key, 20).expect("an alert").history[0].at, Nanos(10));
    assert!(case.undo_triage("nobody", true, 15).is_err());
}

#[test]
fn decisions_count_in_the_order_in_which_they_were_written() {
    let (_folder, case) = case();
    let mut inbox = inbox(&case);
    let key = key_of(&alert("busy", Severity::High, T0, "web-1"));
    decide(&case, &inbox, "z", TriageVerb::Close, &[key], 1_000);
    // The clock is set back, and the decision before it is undone and made again.
    decide(&case, &inbox, "a", TriageVerb::Reopen, &[key], 10);
    case.undo_triage("z", true, 20).expect("undone");
    case.undo_triage("z", false, 30).expect("made again");
    inbox.refresh(&case, 2_000).expect("refreshed");
    let shown = inbox.get(key, 2_000).expect("an alert");
    assert_eq!(shown.status, TriageStatus::New);
    assert_eq!(shown.history.iter().map(|entry| entry.at.0).collect::<Vec<_>>(), [1_000, 10]);
}

fn timed(start: i64, end: i64, events: u64) -> Alert {
    Alert { end: Some(end), events, ..alert("busy", Severity::High, start, "web-1") }
}

/// The inbox after a run that found these alerts.
fn found(case: &Case, alerts: &[Alert]) -> Inbox {
    let mut inbox = Inbox::new(case.folder().to_path_buf());
    inbox.took_run("f busy", "busy", alerts.to_vec(), &LiveSizes::default());
    inbox.keep_runs(&HashSet::from(["f busy".to_owned()]));
    inbox.refresh(case, 0).expect("refreshed");
    inbox
}

fn states(inbox: &Inbox, now: i64) -> Vec<(i64, TriageStatus, Option<u64>)> {
    let all = inbox.all(&AlertFilter::default(), now);
    let state = |one: &InboxAlert| {
        assert_eq!(one.gone, None, "{one:?}");
        (one.alert.start.expect("a time"), one.status, one.since_closed)
    };
    all.iter().map(state).collect()
}

#[test]
fn closed_alert_is_new_again_when_events_came_and_others_keep_their_state() {
    let (_folder, case) = case();
    for (id, verb, status, since) in [
        ("close", TriageVerb::Close, TriageStatus::New, Some(4)),
        ("acknowledge", TriageVerb::Acknowledge, TriageStatus::Acknowledged, None),
        ("mute", TriageVerb::Mute, TriageStatus::Muted, None),
    ] {
        let before = found(&case, &[timed(10, 20, 3)]);
        decide(&case, &before, id, verb, &[key_of(&timed(10, 20, 3))], 5);
        assert_ne!(states(&found(&case, &[timed(10, 20, 3)]), 9)[0].1, TriageStatus::New, "{id}");
        let grown = found(&case, &[timed(10, 90, 7)]);
        assert_eq!(states(&grown, 9), [(10, status, since)], "{id}");
        let is_new = status == TriageStatus::New;
        assert_eq!(grown.is_quiet(&timed(10, 90, 7), 9), !is_new);
        case.undo_triage(id, true, 6).expect("undone");
    }
    let before = found(&case, &[timed(10, 20, 3)]);
    assert_eq!(states(&before, 9), [(10, TriageStatus::New, None)], "all decisions are undone");
}

fn close(case: &Case, alert: &Alert) {
    let inbox = found(case, std::slice::from_ref(alert));
    decide(case, &inbox, "a", TriageVerb::Close, &[key_of(alert)], 5);
}

#[test]
fn closed_alert_that_grows_while_the_case_receives_is_new_before_its_detector_runs_again() {
    let (_folder, case) = case();
    let closed = timed(10, 20, 3);
    close(&case, &closed);
    let with_live = |sent: Alert| {
        let mut inbox = found(&case, std::slice::from_ref(&closed));
        inbox.live = vec![(Arc::new(sent), true)];
        inbox.is_stale = true;
        inbox.refresh(&case, 6).expect("refreshed");
        let shown = inbox.get(key_of(&closed), 9).expect("an alert");
        assert_eq!((shown.origin, shown.open, inbox.rows.len()), (AlertOrigin::Detector, true, 1));
        (shown.alert.events, shown.status, shown.since_closed)
    };
    assert_eq!(with_live(timed(10, 90, 7)), (7, TriageStatus::New, Some(4)));
    assert_eq!(with_live(timed(10, 15, 2)), (3, TriageStatus::Closed, None), "the run knows more");
}

#[test]
fn newer_run_with_fewer_events_holds_against_a_live_alert_that_did_not_grow_since() {
    let (_folder, case) = case();
    let closed = timed(10, 20, 3);
    close(&case, &closed);
    let mut inbox = Inbox::new(case.folder().to_path_buf());
    inbox.live = vec![(Arc::new(timed(10, 90, 7)), false)];
    let before = inbox.live_sizes();
    inbox.took_run("f busy", "busy", vec![closed.clone()], &before);
    let mut shown = |live: Alert| {
        inbox.live = vec![(Arc::new(live), false)];
        inbox.is_stale = true;
        inbox.refresh(&case, 6).expect("refreshed");
        let shown = inbox.get(key_of(&closed), 9).expect("an alert");
        (shown.alert.events, shown.status, shown.since_closed)
    };
    assert_eq!(shown(timed(10, 90, 7)), (3, TriageStatus::Closed, None), "the person left values out");
    assert_eq!(shown(timed(10, 95, 8)), (8, TriageStatus::New, Some(5)), "it has grown since");
}

#[test]
fn decision_holds_no_event_that_came_after_the_person_looked() {
    let (_folder, case) = case();
    let grown = found(&case, &[timed(10, 900, 700)]);
    let key = key_of(&timed(10, 900, 700));
    let events = |saw| grown.chosen(&seen(&[key], saw), 0).expect("chosen")[0].events;
    assert_eq!([events(Some(7)), events(Some(900)), events(None)], [7, 700, 700]);
    let chosen = grown.chosen(&seen(&[key], Some(7)), 0).expect("chosen");
    let decision = Decision { verb: TriageVerb::Close, reason: None, until: None, text: String::new() };
    case.triage("a", &decision, &chosen, 5).expect("a decision");
    let after = found(&case, &[timed(10, 900, 700)]);
    assert_eq!(states(&after, 9), [(10, TriageStatus::New, Some(693))]);
}

#[test]
fn unknown_keys_are_refused_by_name_and_old_and_new_key_of_an_alert_are_one() {
    let (_folder, case) = case();
    let (old, new) = (key_of(&timed(10, 20, 3)), key_of(&timed(4, 20, 5)));
    decide(&case, &found(&case, &[timed(10, 20, 3)]), "a", TriageVerb::Acknowledge, &[old], 5);
    let moved = found(&case, &[timed(4, 20, 5)]);
    let chosen = moved.chosen(&seen(&[old, new, old], None), 9).expect("chosen");
    assert_eq!(chosen.iter().map(|one| one.key).collect::<Vec<_>>(), [new]);
    let unknown: Vec<AlertKey> = (100..107).map(|start| key_of(&timed(start, 200, 1))).collect();
    let one = moved.chosen(&seen(&[new, unknown[0]], None), 9).expect_err("one is unknown");
    let message = format!("there is no alert with the key {}; nothing was changed", unknown[0]);
    assert_eq!((one.kind(), one.message()), (ErrorKind::BadRequest, &*message));
    let several = moved.chosen(&seen(&unknown, None), 9).expect_err("all are unknown");
    assert!(several.message().contains(&format!("{} and 2 more;", unknown[4])), "{several}");
}

#[test]
fn closed_silence_that_goes_on_is_new_again() {
    let (_folder, case) = case();
    let silence = timed(1_000, 2_000, 0);
    decide(
        &case,
        &found(&case, std::slice::from_ref(&silence)),
        "a",
        TriageVerb::Close,
        &[key_of(&silence)],
        5,
    );
    assert_eq!(states(&found(&case, &[timed(1_000, 2_050, 0)]), 9), [(1_000, TriageStatus::Closed, None)]);
    let longer = found(&case, &[timed(1_000, 9_000, 0)]);
    assert_eq!(states(&longer, 9), [(1_000, TriageStatus::New, Some(0))]);
    assert!(!longer.is_quiet(&timed(1_000, 9_000, 0), 9));
}

#[test]
fn decisions_follow_an_alert_whose_start_moves() {
    let (_folder, case) = case();
    let old = key_of(&timed(10, 20, 3));
    decide(&case, &found(&case, &[timed(10, 20, 3)]), "a", TriageVerb::Acknowledge, &[old], 5);
    // An earlier file was imported; another alert of the group touches the old times.
    let moved = [timed(4, 20, 5), timed(20, 40, 9)];
    let after = found(&case, &moved);
    let acknowledged = [(4, TriageStatus::Acknowledged, None), (20, TriageStatus::New, None)];
    assert_eq!(states(&after, 9), acknowledged);
    assert_eq!(after.get(old, 9).expect("by its old key").alert.start, Some(4));
    // The next decision has the new key, and those before belong to it.
    decide(&case, &after, "b", TriageVerb::Close, &[old], 6);
    let after = found(&case, &moved);
    assert_eq!(states(&after, 9), [(4, TriageStatus::Closed, None), (20, TriageStatus::New, None)]);
    let history = after.get(key_of(&moved[0]), 9).expect("found").history;
    assert_eq!(history.iter().map(|entry| entry.at.0).collect::<Vec<_>>(), [5, 6]);
    case.undo_triage("b", true, 7).expect("undone");
    assert_eq!(states(&found(&case, &moved), 9), acknowledged);
    case.undo_triage("b", false, 8).expect("made again");
    // It moves once more, and has more events than when it was closed.
    assert_eq!(states(&found(&case, &[timed(2, 19, 8)]), 9), [(2, TriageStatus::New, Some(3))]);
    // Nothing has run yet, and it is one alert all the same.
    let mut unread = Inbox::new(case.folder().to_path_buf());
    unread.refresh(&case, 9).expect("refreshed");
    assert_eq!(states(&unread, 9), [(4, TriageStatus::Closed, None)]);
    // Another time or another group is another alert.
    let ungrouped = Alert { group: Vec::new(), ..timed(10, 20, 3) };
    let others = found(&case, &[timed(21, 30, 3), ungrouped]).all(&AlertFilter::default(), 9);
    let gone: Vec<_> = others.iter().map(|one| (one.gone, one.status)).collect();
    let none = (None, TriageStatus::New);
    assert_eq!(gone, [(Some(AlertGone::Alert), TriageStatus::Closed), none, none]);
}

/// The query of an alert of a detector: its times, and the condition.
fn query_of(start: i64, end: i64, condition: &str) -> String {
    let filter = indexer::query::parse(condition).expect("a query");
    crate::evidence::within(filter, Some(start), Some(end)).to_string()
}

#[test]
fn decisions_stay_with_an_alert_whose_time_is_only_touched_or_whose_detector_was_edited() {
    let (_folder, case) = case();
    let measured = |start, end, condition: &str| Alert {
        query: query_of(start, end, condition),
        ..timed(start, end, 3)
    };
    let old = measured(10, 20, "status>=500");
    decide(&case, &found(&case, std::slice::from_ref(&old)), "a", TriageVerb::Close, &[key_of(&old)], 5);
    let of_old = |after: Alert| found(&case, &[after]).get(key_of(&old), 9).expect("it is kept").alert.start;
    assert_eq!(of_old(measured(4, 20, "status>=500")), Some(4), "the same condition at other times");
    assert_eq!(of_old(measured(20, 40, "status>=500")), Some(10), "it only touches");
    assert_eq!(of_old(measured(4, 20, "status>=400")), Some(10), "the detector was edited");
    let named = Alert { query: "source=web.log line:7".to_owned(), ..timed(4, 20, 3) };
    assert_eq!(of_old(named), Some(4), "its query does not say what the condition is");
    let edited = found(&case, &[measured(4, 20, "status>=400")]);
    assert!(!edited.is_quiet(&measured(4, 20, "status>=400"), 9));

    let instant = measured(30, 30, "status>=500");
    let keys = [key_of(&instant)];
    decide(&case, &found(&case, std::slice::from_ref(&instant)), "b", TriageVerb::Close, &keys, 5);
    let longer = found(&case, &[measured(25, 30, "status>=500")]);
    assert_eq!(longer.get(key_of(&instant), 9).expect("it moved").alert.start, Some(25));
}

#[test]
fn one_part_of_an_alert_that_was_split_gets_its_decisions() {
    let (_folder, case) = case();
    let whole = timed(10, 100, 30);
    decide(&case, &found(&case, std::slice::from_ref(&whole)), "a", TriageVerb::Close, &[key_of(&whole)], 5);
    let parts = found(&case, &[timed(12, 30, 8), timed(40, 90, 20), timed(95, 200, 2)]);
    let (new, closed) = (TriageStatus::New, TriageStatus::Closed);
    assert_eq!(states(&parts, 9), [(12, new, None), (40, closed, None), (95, new, None)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn decisions_go_to_the_longest_overlap(
        lost in proptest::collection::vec((0..60_i64, 0..30_i64), 0..12),
        kept in proptest::collection::vec((0..60_i64, 0..30_i64), 0..12),
    ) {
        let (_folder, case) = case();
        let alerts = |times: &[(i64, i64)]| {
            times.iter().map(|&(start, long)| timed(start, start + long, 1)).collect::<Vec<_>>()
        };
        let before = found(&case, &alerts(&lost));
        let keys: Vec<AlertKey> = before.rows.iter().map(|row| row.key).collect();
        if !keys.is_empty() {
            decide(&case, &before, "a", TriageVerb::Acknowledge, &keys, 5);
        }
        let after = found(&case, &alerts(&kept));
        let is_kept = |key| after.rows.iter().any(|row| row.gone.is_none() && row.key == key);
        for row in before.rows.iter().filter(|row| !is_kept(row.key)) {
            let span = |alert: &Alert| (alert.start.expect("a time"), alert.end.expect("a time"));
            let (start, end) = span(&row.alert);
            let overlap = |other: &InboxRow| {
                let (from, to) = span(&other.alert);
                to.min(end) - from.max(start)
            };
            let there = after.rows.iter().filter(|other| other.gone.is_none());
            let has_instant = |other: &InboxRow| {
                [&row.alert, &other.alert].iter().any(|alert| alert.start == alert.end)
            };
            let overlaps = |other: &&InboxRow| overlap(other) >= i64::from(!has_instant(other));
            let most = there.filter(overlaps).map(overlap).max();
            let heir = &after.rows[after.places[&row.key]];
            prop_assert_eq!(heir.gone.is_none().then(|| overlap(heir)), most);
            prop_assert_eq!(heir.status(9), TriageStatus::Acknowledged);
        }
    }
}

#[test]
fn decided_alert_of_a_deleted_detector_stays_and_a_mute_ends() {
    let (_folder, case) = case();
    let before = inbox(&case);
    let key = key_of(&alert("busy", Severity::High, T0, "web-1"));
    decide(&case, &before, "a", TriageVerb::Mute, &[key], 10);
    let mut after = Inbox::new(case.folder().to_path_buf());
    after.refresh(&case, 20).expect("refreshed");
    assert_eq!(after.get(key, 20).expect("kept").gone, None, "nothing has run yet");
    after.took_run("f other", "other", Vec::new(), &LiveSizes::default());
    after.refresh(&case, 20).expect("refreshed");
    let gone = after.get(key, 20).expect("kept").gone;
    assert_eq!(gone, None, "not all detectors have run");
    after.keep_runs(&HashSet::from(["f other".to_owned()]));
    after.refresh(&case, 20).expect("refreshed");
    let shown = after.get(key, 20).expect("kept");
    assert_eq!((shown.gone, shown.status), (Some(AlertGone::Detector), TriageStatus::Muted));
    assert_eq!(shown.alert.query, "host:web-1");
    assert_eq!(after.flags(9, 20).wakes, Some(Nanos(110)));
    assert_eq!((after.flags(9, 20).flags.len(), after.flags(9, 110).flags.len()), (0, 1));
    after.took_run("f busy", "busy", Vec::new(), &LiveSizes::default());
    after.refresh(&case, 20).expect("refreshed");
    assert_eq!(after.get(key, 20).expect("kept").gone, Some(AlertGone::Alert));
}

#[test]
fn decision_by_filter_is_refused_if_other_alerts_came_meanwhile() {
    let (_folder, case) = case();
    let mut inbox = inbox(&case);
    let filter = AlertFilter { detector: Some("busy".to_owned()), ..AlertFilter::default() };
    let seen = matching(&mut inbox, &filter);
    assert_eq!(inbox.chosen(&seen, 0).expect("as many as were seen").len(), 2);
    let refusal = |inbox: &Inbox| {
        let refused = inbox.chosen(&seen, 0).expect_err("others than were seen");
        assert_eq!(refused.kind(), ErrorKind::BadRequest);
        refused.message().to_owned()
    };
    let others =
        "the alerts that match are others than you decided about, or have other events; nothing was changed";
    let [first, second, third] = [("web-1", T0), ("web-2", T0 + HOUR), ("web-3", T0)]
        .map(|(host, start)| alert("busy", Severity::High, start, host));
    for (alerts, what) in [
        (vec![first.clone(), third], "one went, and another came"),
        (vec![Alert { events: 4, ..first.clone() }, second.clone()], "one has more events"),
    ] {
        inbox.took_run("f busy", "busy", alerts, &LiveSizes::default());
        inbox.refresh(&case, 0).expect("refreshed");
        assert_eq!(refusal(&inbox), others, "{what}");
    }
    inbox.took_run("f busy", "busy", vec![second, first], &LiveSizes::default());
    inbox.refresh(&case, 0).expect("refreshed");
    assert_eq!(inbox.chosen(&seen, 0).expect("the same in another order").len(), 2);
    let more = (0..3).map(|at| alert("busy", Severity::High, T0 + at * HOUR, "web-1")).collect();
    inbox.took_run("f busy", "busy", more, &LiveSizes::default());
    inbox.refresh(&case, 0).expect("refreshed");
    assert_eq!(refusal(&inbox), "3 alerts match now, not the 2 that you decided about; nothing was changed");
    let seen_again = matching(&mut inbox, &filter);
    assert_eq!(inbox.chosen(&seen_again, 0).expect("seen again").len(), 3);
}

#[test]
fn groups_have_the_digest_of_their_alerts() {
    let (_folder, case) = case();
    let mut inbox = inbox(&case);
    let request = InboxRequest { grouping: AlertGrouping::Detector, count: 9, ..InboxRequest::default() };
    let groups: Vec<InboxGroup> =
        inbox.list(&request, 0).lines.into_iter().filter_map(|line| line.group).collect();
    assert_eq!(groups.len(), 2);
    for group in groups {
        let filter = AlertFilter { detector: Some(group.key), ..AlertFilter::default() };
        let choice = AlertChoice::Matching { filter, expected: group.alerts, digest: group.digest };
        assert_eq!(inbox.chosen(&choice, 0).expect("chosen").len() as u64, group.alerts);
    }
}

#[test]
fn thousands_of_alerts_are_closed_at_once_and_opened_again() {
    let (_folder, case) = case();
    let mut inbox = Inbox::new(case.folder().to_path_buf());
    let long = "x".repeat(700);
    let many = (0..5_000).map(|at| alert("busy", Severity::High, T0 + at, &format!("{long}{at}"))).collect();
    inbox.took_run("f busy", "busy", many, &LiveSizes::default());
    inbox.refresh(&case, 0).expect("refreshed");
    let decision = Decision {
        verb: TriageVerb::Close,
        reason: Some(CloseReason::Expected),
        until: None,
        text: String::new(),
    };
    let all = matching(&mut inbox, &AlertFilter::default());
    let all = inbox.chosen(&all, 0).expect("chosen");
    case.triage("bulk", &decision, &all, 1).expect("a decision over several notes");
    inbox.refresh(&case, 2).expect("refreshed");
    assert_eq!(inbox.flags(9, 2).counts.closed, 5_000);
    case.undo_triage("bulk", true, 3).expect("undone");
    inbox.refresh(&case, 4).expect("refreshed");
    assert_eq!(inbox.flags(9, 4).counts.new, 5_000);
}

#[test]
fn export_has_states_and_keeps_hostile_texts_harmless() {
    let (_folder, case) = case();
    let mut inbox = inbox(&case);
    let key = key_of(&alert("busy", Severity::High, T0, "web-1"));
    let reason = Some(CloseReason::FalsePositive);
    let decision =
        Decision { verb: TriageVerb::Close, reason, until: None, text: "=cmd()\n\"quoted\"".to_owned() };
    let chosen = inbox.chosen(&seen(&[key], None), 0).expect("chosen");
    case.triage("a", &decision, &chosen, 10).expect("a decision");
    inbox.refresh(&case, 20).expect("refreshed");
    let all = inbox.all(&AlertFilter::default(), 20);
    let written = |format| {
        let mut bytes = Vec::new();
        write_alerts(&all, format, &mut bytes).expect("written");
        String::from_utf8(bytes).expect("text")
    };
    let csv = written(InboxFormat::Csv);
    let row =
        "2026-03-01T14:00:00Z,2026-03-01T14:00:00.00000006Z,high,Title of busy,busy,detector,host=web-1,3,3";
    assert!(csv.lines().nth(1).is_some_and(|line| line.starts_with(row)), "{csv}");
    assert!(csv.contains("closed,false positive,,,\"'=cmd()\n\"\"quoted\"\"\",host:web-1"), "{csv}");
    let lines: Vec<serde_json::Value> =
        written(InboxFormat::Ndjson).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!((&lines[0]["state"], &lines[0]["history"][0]["did"]), (&"closed".into(), &"close".into()));
    let sarif: serde_json::Value = serde_json::from_str(&written(InboxFormat::Sarif)).expect("JSON");
    let results = &sarif["runs"][0]["results"];
    assert_eq!(results[0]["suppressions"][0]["status"], "accepted");
    assert!(results[1].get("suppressions").is_none());
}

proptest! {
    #[test]
    fn parts_of_the_list_are_the_list_and_groups_lose_no_alert(
        found in proptest::collection::vec((0..4_u8, 0..5_usize, 0..90_i64, 0..3_u8), 0..60),
        part in 1..7_u32,
        sort in 0..6_usize,
        descending: bool,
    ) {
        let mut inbox = Inbox::new(PathBuf::new());
        let alerts: Vec<Alert> = found
            .iter()
            .map(|&(detector, severity, hour, host)| {
                alert(&detector.to_string(), Severity::ALL[severity], T0 + hour * HOUR, &host.to_string())
            })
            .collect();
        let keys: BTreeSet<AlertKey> = alerts.iter().map(key_of).collect();
        inbox.took_run("f", "d", alerts, &LiveSizes::default());
        inbox.rebuild();
        let sorts = [
            AlertSort::Time, AlertSort::Severity, AlertSort::Title, AlertSort::Entity, AlertSort::Events,
            AlertSort::Status,
        ];
        let request = InboxRequest { sort: sorts[sort], descending, ..InboxRequest::default() };
        let whole = inbox.list(&InboxRequest { count: 1_000, ..request.clone() }, 0);
        let mut lines = Vec::new();
        while lines.len() < whole.lines.len() {
            let request = InboxRequest { first: lines.len() as u64, count: part, ..request.clone() };
            lines.extend(inbox.list(&request, 0).lines);
        }
        prop_assert_eq!(&lines, &whole.lines);
        let listed: BTreeSet<AlertKey> = lines.iter().filter_map(|line| Some(line.alert.as_ref()?.key)).collect();
        prop_assert_eq!(&listed, &keys);
        prop_assert_eq!(lines.len(), keys.len());
        for grouping in [AlertGrouping::Detector, AlertGrouping::Entity, AlertGrouping::Time] {
            let request = InboxRequest { grouping, count: 1_000, ..request.clone() };
            let groups: Vec<InboxGroup> =
                inbox.list(&request, 0).lines.into_iter().filter_map(|line| line.group).collect();
            prop_assert_eq!(groups.iter().map(|group| group.alerts).sum::<u64>(), keys.len() as u64);
            let unfolded = groups.iter().map(|group| group.key.clone()).collect();
            let open = inbox.list(&InboxRequest { unfolded, ..request }, 0);
            let rows: BTreeSet<AlertKey> =
                open.lines.iter().filter_map(|line| Some(line.alert.as_ref()?.key)).collect();
            prop_assert_eq!(&rows, &keys);
            prop_assert_eq!(open.lines.len(), keys.len() + groups.len());
        }
    }
}
