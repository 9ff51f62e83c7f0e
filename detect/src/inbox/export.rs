//! The alerts of an inbox as a file: CSV, NDJSON or SARIF, each with its decisions.

use std::io::{self, Write};

use indexer::export::{Formulas, Records};
use indexer::triage::{CloseReason, TriageEntry};
use indexer::{Cell, stamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{AlertFilter, Inbox, InboxAlert};
use crate::sarif::sarif;

/// How alerts are written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum InboxFormat {
    Csv,
    Ndjson,
    Sarif,
}

const COLUMNS: [&str; 16] = [
    "start",
    "end",
    "severity",
    "title",
    "detector",
    "origin",
    "entity",
    "events",
    "value",
    "expected",
    "state",
    "reason",
    "since_closed",
    "muted_until",
    "comments",
    "query",
];

impl Inbox {
    /// The alerts that a filter lets through, in the order of their times.
    #[must_use]
    pub fn all(&self, filter: &AlertFilter, now_ns: i64) -> Vec<InboxAlert> {
        let mut rows: Vec<_> = self.matching(filter, now_ns).collect();
        rows.sort_by_key(|row| (row.alert.start, row.key));
        rows.into_iter().map(|row| Inbox::shown(row, now_ns)).collect()
    }
}

/// Writes alerts. Texts that a spreadsheet would calculate get an apostrophe in CSV.
pub fn write_alerts(alerts: &[InboxAlert], format: InboxFormat, out: &mut dyn Write) -> io::Result<()> {
    match format {
        InboxFormat::Csv => {
            let mut records = Records::new(Formulas::Escape, out);
            records.write(COLUMNS.into_iter().map(Cell::text))?;
            for alert in alerts {
                records.write(cells(alert).into_iter())?;
            }
            records.finish()
        }
        InboxFormat::Ndjson => {
            for alert in alerts {
                serde_json::to_writer(&mut *out, &fields(alert))?;
                out.write_all(b"\n")?;
            }
            Ok(())
        }
        InboxFormat::Sarif => {
            let mut document = sarif(alerts.iter().map(|one| (&one.alert, fields(one))));
            let results = document.pointer_mut("/runs/0/results").and_then(Value::as_array_mut);
            for (result, alert) in results.into_iter().flatten().zip(alerts) {
                if let Some(suppression) = suppression(alert) {
                    result["suppressions"] = json!([suppression]);
                }
            }
            serde_json::to_writer_pretty(&mut *out, &document)?;
            out.write_all(b"\n")
        }
    }
}

/// SARIF's suppression: tools list a finding that somebody closed as dealt with.
fn suppression(alert: &InboxAlert) -> Option<Value> {
    let reason = alert.reason?;
    let comments = comments(alert).join("; ");
    let text = if comments.is_empty() { String::new() } else { format!(": {comments}") };
    Some(json!({
        "kind": "external",
        "status": "accepted",
        "justification": format!("{}{text}", reason.label()),
    }))
}

fn comments(alert: &InboxAlert) -> Vec<&str> {
    alert.history.iter().map(|entry| entry.text.as_str()).filter(|text| !text.is_empty()).collect()
}

fn cells(one: &InboxAlert) -> [Cell; 16] {
    let time = |time: Option<i64>| time.map_or(Cell::Missing, |time| Cell::text(&stamp::to_rfc3339(time)));
    let number = |value: Option<f64>| value.map_or(Cell::Missing, Cell::Float);
    let alert = &one.alert;
    [
        time(alert.start),
        time(alert.end),
        Cell::text(alert.severity.name()),
        Cell::text(&alert.title),
        Cell::text(&alert.detector),
        Cell::text(one.origin.name()),
        Cell::text(&super::entity_of(alert)),
        Cell::Int(alert.events as i64),
        number(alert.value),
        number(alert.expected),
        Cell::text(one.status.label()),
        one.reason.map_or(Cell::Missing, |reason| Cell::text(reason.label())),
        one.since_closed.map_or(Cell::Missing, |events| Cell::Int(events as i64)),
        time(one.muted_until.map(|until| until.0)),
        Cell::text(&comments(one).join("; ")),
        Cell::text(&alert.query),
    ]
}

/// An alert as `check` writes it, with its state and its history.
fn fields(one: &InboxAlert) -> Value {
    let mut all = one.alert.fields();
    all["key"] = one.key.to_string().into();
    all["origin"] = one.origin.name().into();
    all["state"] = one.status.label().into();
    all["reason"] = one.reason.map(CloseReason::label).into();
    all["since_closed"] = one.since_closed.into();
    all["muted_until"] = one.muted_until.map(|until| stamp::to_rfc3339(until.0)).into();
    let entry = |entry: &TriageEntry| {
        json!({
            "at": stamp::to_rfc3339(entry.at.0),
            "did": entry.verb,
            "reason": entry.reason.map(CloseReason::label),
            "until": entry.until.map(|until| stamp::to_rfc3339(until.0)),
            "text": entry.text,
        })
    };
    all["history"] = one.history.iter().map(entry).collect();
    all
}
