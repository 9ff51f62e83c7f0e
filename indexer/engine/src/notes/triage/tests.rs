use super::*;

fn alert(start: i64) -> TriagedAlert {
    let group = vec![("host".to_owned(), "web-1".to_owned())];
    TriagedAlert {
        key: AlertKey::new("busy", Some(start), &group),
        origin: "detector".to_owned(),
        detector: "busy".to_owned(),
        title: "Many requests".to_owned(),
        severity: "high".to_owned(),
        start: Some(start),
        end: Some(start + 60),
        peak: None,
        events: 7,
        group,
        value: Some(7.0),
        expected: None,
        query: "host:web-1".to_owned(),
        wider: false,
    }
}

fn note(id: &str, number: u64, verb: TriageVerb, data: &serde_json::Value) -> Note {
    let mut all = serde_json::json!({ "verb": verb, "alerts": [alert(1)] });
    all.as_object_mut().expect("a map").extend(data.as_object().expect("a map").clone());
    Note {
        kind: TRIAGE.to_owned(),
        id: id.to_owned(),
        number,
        revision: 1,
        created_ns: number as i64,
        changed_ns: number as i64,
        event: None,
        range: None,
        text: String::new(),
        data: all,
    }
}

fn status(notes: &[Note], now: i64) -> TriageStatus {
    let triage = Triage::of_notes(notes);
    triage.get(alert(1).key).map_or(TriageStatus::New, |one| one.state.status(one.alert.extent(), now))
}

#[test]
fn state_of_an_alert_follows_from_all_decisions_about_it() {
    use TriageVerb::{Acknowledge, Close, Mute, Reopen};
    let none = serde_json::json!({});
    let mut notes = vec![note("a", 1, Acknowledge, &none)];
    assert_eq!(status(&notes, 9), TriageStatus::Acknowledged);
    notes.push(note("b", 2, Mute, &serde_json::json!({ "until": 10 })));
    assert_eq!((status(&notes, 9), status(&notes, 10)), (TriageStatus::Muted, TriageStatus::Acknowledged));
    notes.push(note("c", 3, Close, &serde_json::json!({ "reason": "falsePositive" })));
    notes.push(note("d", 4, Acknowledge, &none));
    assert_eq!(
        status(&notes, 9),
        TriageStatus::Closed,
        "a window that had not seen it closed acknowledges it"
    );
    notes.push(note("e", 5, Reopen, &none));
    assert_eq!(status(&notes, 9), TriageStatus::New);
    let triage = Triage::of_notes(&notes);
    let history = &triage.get(alert(1).key).expect("it was triaged").state.history;
    assert_eq!(history.iter().map(|entry| entry.at.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(history[2].reason, Some(CloseReason::FalsePositive));
}

#[test]
fn decision_made_after_the_clock_was_set_back_is_the_later_one() {
    let close = note("z", 1, TriageVerb::Close, &serde_json::json!({ "reason": "resolved" }));
    let reopen = note("a", 2, TriageVerb::Reopen, &serde_json::json!({}));
    let notes = [Note { created_ns: 9_000, ..close }, Note { created_ns: 50, ..reopen }];
    assert_eq!(status(&notes, 9_001), TriageStatus::New);
    let triage = Triage::of_notes(&notes);
    let history = &triage.get(alert(1).key).expect("it was triaged").state.history;
    assert_eq!(history.iter().map(|entry| entry.at.0).collect::<Vec<_>>(), [9_000, 50], "as the clock said");
}

fn decision(number: u64, verb: TriageVerb, alerts: &[(i64, i64, u64)]) -> Note {
    let held =
        |&(start, end, events): &(i64, i64, u64)| TriagedAlert { end: Some(end), events, ..alert(start) };
    let alerts: Vec<TriagedAlert> = alerts.iter().map(held).collect();
    note(&number.to_string(), number, verb, &serde_json::json!({ "alerts": alerts }))
}

/// The state of the one alert that these decisions are about, if it has so many events.
fn united_status(notes: &[Note], events: u64) -> (TriageStatus, Option<u64>) {
    let united = Triage::of_notes(notes).united(|_| true);
    assert_eq!(united.len(), 1, "{united:?}");
    let state = &united[0].state;
    let extent = AlertExtent { events, ..united[0].alert.extent() };
    (state.status(extent, 9), state.since_closed(extent))
}

#[test]
fn closed_alert_that_grows_is_new_and_an_acknowledged_one_is_not() {
    use TriageVerb::{Acknowledge, Close, Comment};
    let mut notes = vec![decision(1, Acknowledge, &[(1, 9, 5)])];
    assert_eq!(united_status(&notes, 8), (TriageStatus::Acknowledged, None));
    notes.push(decision(2, Close, &[(1, 9, 5)]));
    assert_eq!(united_status(&notes, 5), (TriageStatus::Closed, None));
    assert_eq!(united_status(&notes, 4), (TriageStatus::Closed, None));
    assert_eq!(united_status(&notes, 8), (TriageStatus::New, Some(3)));
    notes.push(decision(3, Acknowledge, &[(1, 9, 5)]));
    assert_eq!(united_status(&notes, 8), (TriageStatus::New, Some(3)), "it had not seen the close");
    notes.push(decision(4, Comment, &[(1, 9, 8)]));
    assert_eq!(united_status(&notes, 8), (TriageStatus::New, Some(3)));
    let mut closed_again = notes.clone();
    closed_again.push(decision(5, Close, &[(1, 9, 8)]));
    assert_eq!(united_status(&closed_again, 8), (TriageStatus::Closed, None));
    notes.push(decision(5, Acknowledge, &[(1, 9, 8)]));
    assert_eq!(united_status(&notes, 12), (TriageStatus::Acknowledged, None));
    notes[4].data["undone"] = true.into();
    assert_eq!(united_status(&notes, 12), (TriageStatus::New, Some(7)), "undone, it is what it was before");
}

#[test]
fn closed_alert_without_events_is_new_if_it_goes_on_for_a_tenth_of_its_length() {
    use TriageVerb::Close;
    let triage = Triage::of_notes(&[decision(1, Close, &[(1_000, 2_000, 0)])]);
    let state = &triage.alerts().next().expect("it was triaged").state;
    let state_at = |end| {
        let extent = AlertExtent { events: 0, end: Some(end) };
        (state.status(extent, 9), state.since_closed(extent))
    };
    for end in [1_500, 2_000, 2_100] {
        assert_eq!(state_at(end), (TriageStatus::Closed, None), "{end}");
    }
    assert_eq!(state_at(2_101), (TriageStatus::New, Some(0)));
    let untimed = AlertExtent { events: 0, end: None };
    assert_eq!(state.since_closed(untimed), None);
    // The length of an alert with events says nothing.
    let of_events = Triage::of_notes(&[decision(1, Close, &[(1_000, 2_000, 5)])]);
    let state = &of_events.alerts().next().expect("it was triaged").state;
    assert_eq!(state.since_closed(AlertExtent { events: 5, end: Some(9_000) }), None);
}

#[test]
fn alerts_that_became_one_are_closed_by_what_was_closed_of_each() {
    use TriageVerb::{Close, Comment};
    let both = [decision(1, Close, &[(1, 9, 5), (20, 29, 7)]), decision(2, Comment, &[(1, 29, 12)])];
    assert_eq!(united_status(&both, 12), (TriageStatus::Closed, None));
    assert_eq!(united_status(&both, 15), (TriageStatus::New, Some(3)));
    let united = Triage::of_notes(&both).united(|_| true);
    assert_eq!(united[0].state.history.len(), 2, "one decision about both is listed once");
    // The first close is of the same alert before it moved.
    let moved = [decision(1, Close, &[(5, 9, 5)]), decision(2, Close, &[(1, 9, 7)])];
    assert_eq!(united_status(&moved, 8), (TriageStatus::New, Some(1)));
    let one = [decision(1, Close, &[(1, 9, 5)]), decision(2, Comment, &[(1, 29, 12)])];
    assert_eq!(united_status(&one, 12), (TriageStatus::New, Some(7)));
    let others = [decision(1, Close, &[(1, 9, 5)]), decision(2, Close, &[(10, 12, 5)])];
    assert_eq!(Triage::of_notes(&others).united(|_| true).len(), 2);
}

#[test]
fn decision_in_several_notes_is_listed_once_in_the_history_of_alerts_that_became_one() {
    use TriageVerb::{Close, Comment};
    let part = |id: &str, number, alerts: &[(i64, i64, u64)]| Note {
        id: id.to_owned(),
        created_ns: 1,
        ..decision(number, Close, alerts)
    };
    let (first, last) = (part("all", 1, &[(1, 9, 5)]), part("all.1", 3, &[(20, 29, 7)]));
    // Another window wrote meanwhile; the alerts became one later.
    let between = decision(2, Comment, &[(1, 9, 5)]);
    let notes = [first, between, last, decision(4, Comment, &[(1, 29, 12)])];
    assert_eq!(united_status(&notes, 12), (TriageStatus::Closed, None), "both notes count");
    let united = Triage::of_notes(&notes).united(|_| true);
    let listed: Vec<_> = united[0].state.history.iter().map(|entry| (entry.verb, entry.at.0)).collect();
    assert_eq!(listed, [(Close, 1), (Comment, 2), (Comment, 4)]);
    // Ids of other decisions may have a dot, too.
    let other = [part("v1.2-a", 1, &[(1, 9, 5)]), part("v1.2-b", 2, &[(1, 9, 5)])];
    assert_eq!(Triage::of_notes(&other).united(|_| true)[0].state.history.len(), 2);
}

#[test]
fn undone_decision_counts_no_more_and_notes_of_strangers_decide_nothing() {
    let undone = serde_json::json!({ "undone": true });
    assert_eq!(status(&[note("a", 1, TriageVerb::Close, &undone)], 9), TriageStatus::New);
    let strange = note("a", 1, TriageVerb::Close, &serde_json::json!({ "alerts": "all" }));
    assert_eq!(status(&[strange], 9), TriageStatus::New);
}

#[test]
fn key_of_an_alert_depends_on_detector_start_and_group() {
    let group = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
    let key = AlertKey::new("busy", Some(1), &group("a", "bc"));
    assert_eq!(key, AlertKey::new("busy", Some(1), &group("a", "bc")));
    let others = [
        AlertKey::new("busy", Some(1), &group("ab", "c")),
        AlertKey::new("busy", None, &group("a", "bc")),
        AlertKey::new("busy", Some(2), &group("a", "bc")),
        AlertKey::new("idle", Some(1), &group("a", "bc")),
    ];
    assert!(!others.contains(&key));
    let written = serde_json::to_string(&key).expect("JSON");
    assert_eq!((written.len(), serde_json::from_str::<AlertKey>(&written).expect("read")), (18, key));
}
