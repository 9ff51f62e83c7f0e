//! `filter_path`: which parts of an answer the client wants, such as `errors,items.*.error`.

use serde_json::{Map, Value};

/// Paths to keep and, after a `-`, to leave out. `*` is any part of a name, `**` any number of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterPath {
    keep: Vec<Vec<String>>,
    leave: Vec<Vec<String>>,
}

impl FilterPath {
    pub fn parse(text: &str) -> FilterPath {
        let mut paths = FilterPath::default();
        for path in text.split(',').map(str::trim).filter(|path| !path.is_empty()) {
            let (list, path) = match path.strip_prefix('-') {
                Some(path) => (&mut paths.leave, path),
                None => (&mut paths.keep, path),
            };
            list.push(path.split('.').map(str::to_owned).collect());
        }
        paths
    }

    pub fn is_everything(&self) -> bool {
        self.keep.is_empty() && self.leave.is_empty()
    }

    /// Whether a value at this path is kept, with all that is in it.
    pub fn keeps(&self, path: &[&str]) -> bool {
        (self.keep.is_empty() || self.keep.iter().any(|wanted| reaches(wanted, path)))
            && !self.leave.iter().any(|left| reaches(left, path))
    }

    /// The value with what is kept of it; objects and lists that nothing is left of go.
    pub fn apply(&self, value: &Value) -> Value {
        if self.is_everything() {
            return value.clone();
        }
        self.kept(value, &mut Vec::new()).unwrap_or_else(|| Value::Object(Map::new()))
    }

    fn kept<'v>(&self, value: &'v Value, path: &mut Vec<&'v str>) -> Option<Value> {
        match value {
            Value::Object(fields) => {
                let mut kept = Map::new();
                for (name, field) in fields {
                    path.push(name);
                    if let Some(field) = self.kept(field, path) {
                        kept.insert(name.clone(), field);
                    }
                    path.pop();
                }
                (!kept.is_empty() || fields.is_empty() && self.keeps(path)).then_some(Value::Object(kept))
            }
            Value::Array(values) => {
                let kept: Vec<Value> = values.iter().filter_map(|value| self.kept(value, path)).collect();
                (!kept.is_empty() || values.is_empty() && self.keeps(path)).then_some(Value::Array(kept))
            }
            _ => self.keeps(path).then(|| value.clone()),
        }
    }
}

/// Whether the pattern names the path or something that it lies in.
fn reaches(pattern: &[String], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, _) => true,
        (Some((first, rest)), _) if first == "**" => {
            reaches(rest, path) && !rest.is_empty()
                || rest.is_empty()
                || path.split_first().is_some_and(|(_, inner)| reaches(pattern, inner))
        }
        (Some(_), None) => false,
        (Some((first, rest)), Some((name, inner))) => is_like(first, name) && reaches(rest, inner),
    }
}

/// Whether a name fits a pattern in which `*` is any run of characters.
pub fn is_like(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match name.find(part) {
            Some(at) => name = &name[at + part.len()..],
            None => return false,
        }
    }
    name.ends_with(last)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_shippers_ask_for_is_kept() {
        let answer = json!({
            "took": 3,
            "errors": true,
            "items": [
                {"index": {"_index": "a", "status": 201}},
                {"create": {"_index": "a", "status": 400, "error": {"type": "x", "reason": "y"}}},
            ],
        });
        for (paths, expected) in [
            ("errors", json!({"errors": true})),
            (
                "errors,items.*.error",
                json!({"errors": true, "items": [{"create": {"error": {"type": "x", "reason": "y"}}}]}),
            ),
            ("items.*.status", json!({"items": [{"index": {"status": 201}}, {"create": {"status": 400}}]})),
            ("**.reason", json!({"items": [{"create": {"error": {"reason": "y"}}}]})),
            ("-items,-took", json!({"errors": true})),
            ("it*.ind*._in*", json!({"items": [{"index": {"_index": "a"}}]})),
            ("nothing", json!({})),
            ("", answer.clone()),
        ] {
            assert_eq!(FilterPath::parse(paths).apply(&answer), expected, "{paths}");
        }
    }

    #[test]
    fn stars_match_any_run() {
        for (pattern, name) in
            [("*", ""), ("a*c", "abc"), ("a*c", "ac"), ("*b*", "abc"), ("a", "a"), ("a*b*c", "a.b.b.c")]
        {
            assert!(is_like(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("a", "b"), ("a*c", "abd"), ("a*aa", "aa"), ("", "a")] {
            assert!(!is_like(pattern, name), "{pattern} {name}");
        }
    }
}
