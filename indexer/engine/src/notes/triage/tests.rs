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
    triage.get(alert(1).key).map_or(TriageStatus::New, |one| one.state.status(now))
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
