//! OTLP's messages in JSON: names in camel case, 64-bit numbers as text or as numbers, ids in hexadecimal.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::record::{LogRecord, TakeRecord};

type JsonResult<T> = Result<T, String>;

/// Hands on all log records of an `ExportLogsServiceRequest`.
pub fn decode(request: &[u8], take: TakeRecord<'_>) -> JsonResult<()> {
    let request: Value =
        serde_json::from_slice(request).map_err(|error| format!("the body is not JSON: {error}"))?;
    if !request.is_object() {
        return Err("the body is not an OTLP message: an object is expected".to_owned());
    }
    for resource_logs in list(&request, "resourceLogs")? {
        let resource = Arc::new(attributes(&resource_logs["resource"])?);
        for scope_logs in list(resource_logs, "scopeLogs")? {
            let scope = &scope_logs["scope"];
            for log in list(scope_logs, "logRecords")? {
                take(Some(&LogRecord {
                    time: number(&log["timeUnixNano"])?,
                    observed: number(&log["observedTimeUnixNano"])?,
                    severity_number: number(&log["severityNumber"])? as i64,
                    severity_text: text(&log["severityText"]),
                    body: log.get("body").map(any_value).transpose()?,
                    attributes: attributes(log)?,
                    resource: Arc::clone(&resource),
                    scope_name: text(&scope["name"]),
                    scope_version: text(&scope["version"]),
                    trace_id: text(&log["traceId"]).to_ascii_lowercase(),
                    span_id: text(&log["spanId"]).to_ascii_lowercase(),
                    event_name: text(&log["eventName"]),
                }))?;
            }
        }
    }
    Ok(())
}

fn list<'v>(value: &'v Value, name: &str) -> JsonResult<&'v [Value]> {
    match &value[name] {
        Value::Null => Ok(&[]),
        Value::Array(list) => Ok(list),
        _ => Err(format!("the body is not an OTLP message: {name} is not a list")),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn number(value: &Value) -> JsonResult<u64> {
    let wrong = || format!("the body is not an OTLP message: {value} is not a number");
    match value {
        Value::Null => Ok(0),
        Value::Number(number) => number.as_u64().ok_or_else(wrong),
        Value::String(text) => text.parse().map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}

fn attributes(value: &Value) -> JsonResult<Map<String, Value>> {
    pairs(list(value, "attributes")?)
}

fn pairs(list: &[Value]) -> JsonResult<Map<String, Value>> {
    list.iter().map(|pair| Ok((text(&pair["key"]), any_value(&pair["value"])?))).collect()
}

/// The parser of JSON bounds how deep values nest.
fn any_value(value: &Value) -> JsonResult<Value> {
    let Some((kind, inner)) = value.as_object().and_then(|fields| fields.iter().next()) else {
        return Ok(Value::Null);
    };
    Ok(match kind.as_str() {
        "intValue" => match inner {
            Value::String(text) => text.parse::<i64>().map_or_else(|_| json!(text), |number| json!(number)),
            other => other.clone(),
        },
        "arrayValue" => {
            Value::Array(list(inner, "values")?.iter().map(any_value).collect::<JsonResult<_>>()?)
        }
        "kvlistValue" => Value::Object(pairs(list(inner, "values")?)?),
        "stringValue" | "boolValue" | "doubleValue" | "bytesValue" => inner.clone(),
        other => return Err(format!("the body is not an OTLP message: there is no value of kind {other}")),
    })
}
