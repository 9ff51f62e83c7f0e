//! Alerts as SARIF 2.1.0, which code review and CI systems show.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::alert::{Alert, Severity};

/// The document. `fields` makes an alert's own fields of it.
#[must_use]
pub fn sarif(alerts: &[Alert], fields: impl Fn(&Alert) -> Value) -> Value {
    let mut rules: BTreeMap<&str, Value> = BTreeMap::new();
    for alert in alerts {
        rules.entry(&alert.detector).or_insert_with(|| {
            json!({
                "id": alert.detector,
                "shortDescription": { "text": alert.title },
                "defaultConfiguration": { "level": level(alert.severity) },
            })
        });
    }
    let result = |alert: &Alert| {
        json!({
            "ruleId": alert.detector,
            "level": level(alert.severity),
            "message": { "text": format!("{}: {} events", alert.title, alert.events) },
            "locations": [{ "logicalLocations": [{ "fullyQualifiedName": alert.query, "kind": "query" }] }],
            "properties": fields(alert),
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "timberline", "rules": rules.into_values().collect::<Vec<_>>() } },
            "results": alerts.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Informational | Severity::Low => "note",
        Severity::Medium => "warning",
        Severity::High | Severity::Critical => "error",
    }
}
