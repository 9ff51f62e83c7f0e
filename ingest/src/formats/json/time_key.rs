//! Determines which key of a sample's objects contains their time, if no known key does, and which keys of levels have
//! numbers on a scale of their own.

use std::collections::BTreeMap;

use serde_json::Value;

use super::keys::{KeyRole, time_key_weight};
use crate::frame::Framing;
use crate::limits;
use crate::time::field::{FieldTimes, KNOWN, MOST_EVENTS, TimeField, TimeFieldOption, mark_chosen};
use crate::time::find::whole_time;
use crate::time::rules::is_complete;

/// The key that a person chose or the values determine, `None` if half of the objects have a known time key; the
/// keys to choose from; and the keys whose numbers are no levels.
pub(super) fn learn(
    sample: &[u8],
    framing: &Framing,
    chosen: Option<&str>,
) -> (Option<TimeField>, Vec<TimeFieldOption>, Vec<Box<str>>) {
    let mut times = FieldTimes::default();
    let mut numbers: BTreeMap<Box<str>, Vec<i64>> = BTreeMap::new();
    let (mut objects, mut known) = (0, 0);
    for event in events(sample, framing).into_iter().take(MOST_EVENTS) {
        let Some(Value::Object(object)) = object(event) else { continue };
        objects += 1;
        times.event();
        let mut has_known = false;
        let mut put = |path: &str, value: &[u8]| {
            let is_known = |when| KeyRole::is_certain_time_key(path) && is_complete(&when);
            has_known = has_known || whole_time(value).is_some_and(is_known);
            times.value(path.as_bytes(), value);
            if KeyRole::has_usual_scale(path)
                && let Some(number) = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok())
            {
                numbers.entry(path.into()).or_default().push(number);
            }
        };
        object.iter().for_each(|(key, value)| walk(key, value, 1, &mut put));
        known += usize::from(has_known);
    }
    let unscaled =
        numbers.into_iter().filter(|(_, numbers)| !are_levels(numbers)).map(|(path, _)| path).collect();
    let weight = |name: &[u8]| std::str::from_utf8(name).map_or(0.0, time_key_weight);
    let mut options = times.options(weight);
    if let Some(chosen) = chosen.and_then(|name| times.named(name)) {
        mark_chosen(&mut options, &chosen.name);
        return (Some(chosen), options, unscaled);
    }
    let best = if known * 2 < objects { times.best(weight) } else { None };
    let used = best.as_ref().map(|best| best.name.to_vec()).or_else(|| {
        let used = options.iter().filter(|option| KeyRole::time_rank(&option.name).is_some());
        used.min_by_key(|option| KeyRole::time_rank(&option.name))
            .map(|option| option.name.clone().into_bytes())
    });
    mark_chosen(&mut options, &used.unwrap_or_default());
    // A known top-level key is used by its name.
    (best.filter(|best| weight(&best.name) < KNOWN), options, unscaled)
}

/// Whether numbers are levels: those of syslog and Windows, up to 7, and those of pino and bunyan, in steps of ten.
/// Ratings of a danger, such as 5 and 8, rise with it.
fn are_levels(numbers: &[i64]) -> bool {
    let is_known = |number: &i64| (0..=7).contains(number) || (10..=60).contains(number) && number % 10 == 0;
    // A program may have one of its own.
    let mostly =
        |is: &dyn Fn(&i64) -> bool| numbers.iter().filter(|number| !is(number)).count() * 10 <= numbers.len();
    mostly(&is_known) || mostly(&|number| (10..70).contains(number))
}

fn events<'a>(sample: &'a [u8], framing: &Framing) -> Vec<&'a [u8]> {
    let Framing::Blocks(next) = framing else { return sample.split(|&byte| byte == b'\n').collect() };
    let (mut events, mut at) = (Vec::new(), 0);
    while let Some(block) = next(&sample[at..]).filter(|block| block.next > 0) {
        events.push(&sample[at + block.start..at + block.end]);
        at += block.next;
    }
    events
}

/// The object of an event, which may follow a name.
fn object(event: &[u8]) -> Option<Value> {
    let event = event.trim_ascii_end();
    let event = event.strip_suffix(b",").unwrap_or(event);
    let head = &event[..event.len().min(limits::JSON_PREFIX_BYTES)];
    let at = memchr::memchr(b'{', head)?;
    // Many lines contain braces, and parsing them all would cost as much as reading JSON.
    if !event[at + 1..].trim_ascii_start().starts_with(b"\"") || !event.ends_with(b"}") {
        return None;
    }
    serde_json::from_slice(&event[at..]).ok()
}

fn walk(path: &str, value: &Value, depth: usize, put: &mut dyn FnMut(&str, &[u8])) {
    match value {
        Value::String(text) => put(path, text.as_bytes()),
        Value::Number(number) => put(path, number.to_string().as_bytes()),
        Value::Object(object) if depth < limits::DEEPEST_JSON => {
            object.iter().for_each(|(key, value)| walk(&format!("{path}.{key}"), value, depth + 1, put));
        }
        _ => {}
    }
}
