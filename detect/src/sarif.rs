//! Alerts as SARIF 2.1.0, which code review and CI systems show.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::alert::{Alert, Severity};

/// The document: each alert as a result with these properties.
#[must_use]
pub fn sarif<'a>(alerts: impl Iterator<Item = (&'a Alert, Value)>) -> Value {
    let mut rules: BTreeMap<&str, Value> = BTreeMap::new();
    let mut results = Vec::new();
    for (alert, properties) in alerts {
        rules.entry(&alert.detector).or_insert_with(|| {
            json!({
                "id": alert.detector,
                "shortDescription": { "text": alert.title },
                "defaultConfiguration": { "level": level(alert.severity) },
            })
        });
        results.push(json!({
            "ruleId": alert.detector,
            "level": level(alert.severity),
            "message": { "text": format!("{}: {} events", alert.title, alert.events) },
            "locations": [{ "logicalLocations": [{ "fullyQualifiedName": alert.query, "kind": "query" }] }],
            "properties": properties,
        }));
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "timberline", "rules": rules.into_values().collect::<Vec<_>>() } },
            "results": results,
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
