//! `filter_path`: the first line is the paths, the rest is the answer. A filter keeps what looking at each value keeps,
//! and filtering again keeps all of that.
#![no_main]

use std::path::PathBuf;

use indexer::Cancel;
use libfuzzer_sys::fuzz_target;
use receive::http::fuzzing::FilterPath;
use serde_json::{Map, Value, json};

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let Some(end) = bytes.iter().position(|&byte| byte == b'\n') else { return };
    let (paths, answer) = (String::from_utf8_lossy(&bytes[..end]), &bytes[end + 1..]);
    let Ok(filter) = FilterPath::parse(&paths) else { return };
    let cancel = Cancel::default();
    let filtered = filter.apply(answer, &cancel);
    let Ok(answer) = serde_json::from_slice::<Value>(answer) else { return };
    assert!(serde_json::from_slice::<Value>(&filtered).is_ok(), "no JSON comes of JSON");

    // As a server writes it: no name is twice in an object.
    let kept = filter.apply(answer.to_string().as_bytes(), &cancel);
    let again = filter.apply(&kept, &cancel);
    let parse = |text: &[u8]| serde_json::from_slice::<Value>(text).expect("JSON");
    let paths: Vec<&str> = paths.split(',').map(str::trim).filter(|path| !path.is_empty()).collect();
    let expected = naive(&paths, &answer, &mut Vec::new()).unwrap_or_else(|| json!({}));
    assert!(is_same(&parse(&kept), &expected), "{paths:?} keeps\n{}\nnot\n{expected}", parse(&kept));
    assert!(is_same(&parse(&again), &expected), "{paths:?} keeps at the second time\n{}", parse(&again));
});

/// What is kept of a value, looked at value by value.
fn naive<'v>(paths: &[&str], value: &'v Value, names: &mut Vec<&'v str>) -> Option<Value> {
    let reached = |path: &&str| {
        let parts: Vec<&str> = path.strip_prefix('-').unwrap_or(path).split('.').collect();
        // A path that ends above a value reaches it too.
        (0..=names.len()).any(|end| fits(&parts, &names[..end], &|part| *part == "**", &|part, name| is_like(part, name)))
    };
    let (leave, keep): (Vec<&str>, Vec<&str>) = paths.iter().partition(|path| path.starts_with('-'));
    let is_kept = (keep.is_empty() || keep.iter().any(|path| reached(path))) && !leave.iter().any(|path| reached(path));
    match value {
        Value::Object(fields) => {
            let mut kept = Map::new();
            for (name, field) in fields {
                names.push(name);
                kept.extend(naive(paths, field, names).map(|field| (name.clone(), field)));
                names.pop();
            }
            (!kept.is_empty() || fields.is_empty() && is_kept).then_some(Value::Object(kept))
        }
        Value::Array(values) => {
            let kept: Vec<Value> = values.iter().filter_map(|value| naive(paths, value, names)).collect();
            (!kept.is_empty() || values.is_empty() && is_kept).then_some(Value::Array(kept))
        }
        value => is_kept.then(|| value.clone()),
    }
}

fn is_like(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    fits(&pattern, &name, &|&character| character == '*', &|one, other| one == other)
}

/// Whether a pattern fits a list, where some of its parts fit any number of others.
fn fits<P, N>(pattern: &[P], list: &[N], is_any: &dyn Fn(&P) -> bool, fits: &dyn Fn(&P, &N) -> bool) -> bool {
    // The lengths of beginnings of the list that the pattern fits so far.
    let mut fitting: Vec<bool> = (0..=list.len()).map(|length| length == 0).collect();
    for part in pattern {
        let mut next = vec![false; fitting.len()];
        for length in 0..fitting.len() {
            next[length] = if is_any(part) {
                fitting[length] || length > 0 && next[length - 1]
            } else {
                length > 0 && fitting[length - 1] && fits(part, &list[length - 1])
            };
        }
        fitting = next;
    }
    fitting[list.len()]
}

/// Reading a number with a fraction may change its last digit.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other
                || one.as_f64().zip(other.as_f64()).is_some_and(|(one, other)| (one - other).abs() <= one.abs() * 1e-12)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| is_same(one, other)))
        }
        (one, other) => one == other,
    }
}

fn write_seeds() {
    let Some(folder) = std::env::var_os("SEEDS").map(PathBuf::from) else { return };
    let answer = r#"{"took":3,"errors":true,"items":[{"index":{"_index":"a","status":201}},{"create":{"error":{"type":"x"},"n":[1.5,null,{},[]]}}]}"#;
    for (number, paths) in
        ["errors", "errors,items.*.error", "**.type", "-items,-took", "it*.ind*._in*", "**.**.*.a*b*c,-**.n", "*"]
            .iter()
            .enumerate()
    {
        std::fs::write(folder.join(format!("paths-{number}")), format!("{paths}\n{answer}")).expect("seeds can be written");
    }
}
