//! Sources whose events are JSON objects: where they have their time and level.

use indexer::aggregate::TimeZone;
use indexer::query::levels::named;
use serde_json::Value;

use super::sample::SampledEvent;
use super::shapes::{instant, time_shape_of};

/// Objects are looked into so deep.
const DEPTH: usize = 8;

/// What a source of JSON lines has outside of its fields.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct JsonLines {
    /// The key of the time, with dots where it is nested, and how it is written.
    pub time: Option<(String, usize)>,
    pub level: Option<String>,
}

/// Nothing where most events are no JSON objects.
pub fn learn(sample: &[&SampledEvent], zone: &TimeZone) -> Option<JsonLines> {
    let objects: Vec<(&SampledEvent, Vec<(String, String)>)> =
        sample.iter().filter_map(|event| Some((*event, keys(&event.text)?))).collect();
    if objects.is_empty() || objects.len() * 10 < sample.len() * 9 {
        return None;
    }
    let is_field =
        |name: &str| sample.iter().any(|event| event.fields.iter().any(|field| field.name == name));
    // The key that most events have it in.
    let most = |has: &dyn Fn(&SampledEvent, &str) -> bool| -> Option<String> {
        let mut counts: Vec<(usize, &str)> = Vec::new();
        for (event, keys) in &objects {
            let found = keys.iter().filter(|(name, value)| !is_field(name) && has(event, value));
            for (name, _) in found {
                match counts.iter_mut().find(|(_, known)| *known == name.as_str()) {
                    Some((count, _)) => *count += 1,
                    None => counts.push((1, name.as_str())),
                }
            }
        }
        counts.into_iter().max_by_key(|(count, _)| *count).map(|(_, name)| name.to_owned())
    };
    let is_time = |event: &SampledEvent, value: &str| {
        event.time.is_some_and(|time| instant(value, time.saturating_add(1), zone) == Some(time))
    };
    let time = most(&is_time).and_then(|name| {
        let value =
            objects.iter().find_map(|(_, keys)| keys.iter().find(|(key, _)| *key == name))?.1.as_str();
        let shape = time_shape_of(value)?;
        Some((name, shape))
    });
    let is_level =
        |event: &SampledEvent, value: &str| !event.level.is_empty() && named(value) == Some(event.level);
    Some(JsonLines { time, level: most(&is_level) })
}

impl JsonLines {
    /// Whether an event is an object with its time, its level and all its fields where they were learned to be.
    pub fn reads_all(&self, event: &SampledEvent, zone: &TimeZone) -> bool {
        let Some(keys) = keys(&event.text) else { return false };
        let value = |name: &String| keys.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let time = self.time.as_ref().and_then(|(name, _)| {
            instant(value(name)?, event.time.unwrap_or_default().saturating_add(1), zone)
        });
        let level = self.level.as_ref().and_then(|name| named(value(name)?)).unwrap_or_default();
        time == event.time
            && (self.level.is_none() || level == event.level)
            && event.fields.iter().all(|field| value(&field.name).is_some())
    }
}

/// The values of an object by their keys; nothing if the text is no object.
fn keys(text: &str) -> Option<Vec<(String, String)>> {
    let parsed: Value = serde_json::from_str(text).ok()?;
    let mut found = Vec::new();
    parsed.as_object()?;
    flatten(&parsed, "", DEPTH, &mut |name, value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        found.push((name.to_owned(), text));
    });
    Some(found)
}

/// Calls `each` with every value that is no object, and its path with dots.
pub fn flatten(value: &Value, path: &str, depth: usize, each: &mut dyn FnMut(&str, &Value)) {
    match value.as_object().filter(|_| depth > 0) {
        None => each(path, value),
        Some(object) => {
            for (name, inner) in object {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                flatten(inner, &path, depth - 1, each);
            }
        }
    }
}
