//! `filter_path`: which parts of an answer the client wants, such as `errors,items.*.error`. A JSON text is filtered
//! while it is read, so that it takes no more memory than what is kept of it.

use std::fmt;

use indexer::Cancel;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::answer::Problem;
use super::limits::FILTER_PARTS;

/// Paths to keep and, after a `-`, to leave out. `*` is any part of a name, `**` any number of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterPath {
    paths: Vec<Path>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Path {
    parts: Vec<String>,
    leaves_out: bool,
}

/// How far each path goes along the names that lead to a value. Each part of a path is in it at most once, so that a
/// step along a name takes as long as there are parts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reached {
    /// Paths, and the part of each that the next name is compared with.
    open: Vec<(usize, usize)>,
    /// A path that keeps values ends here or above.
    keeps: bool,
    leaves_out: bool,
}

impl FilterPath {
    pub fn parse(text: &str) -> Result<FilterPath, Problem> {
        let mut paths = Vec::new();
        for path in text.split(',').map(str::trim).filter(|path| !path.is_empty()) {
            let kept = path.strip_prefix('-');
            let mut parts: Vec<String> = kept.unwrap_or(path).split('.').map(str::to_owned).collect();
            // Any number of names, twice, is any number of names.
            parts.dedup_by(|part, before| part == "**" && before == "**");
            paths.push(Path { parts, leaves_out: kept.is_some() });
        }
        if paths.iter().map(|path| path.parts.len()).sum::<usize>() > FILTER_PARTS {
            return Err(Problem::argument(format!(
                "the paths of a filter have more than {FILTER_PARTS} parts"
            )));
        }
        Ok(FilterPath { paths })
    }

    pub fn is_everything(&self) -> bool {
        self.paths.is_empty()
    }

    /// Whether a value at this path is kept, with all that is in it.
    pub fn keeps(&self, path: &[&str]) -> bool {
        path.iter().fold(self.root(), |reached, name| self.step(&reached, name)).is_kept()
    }

    /// The JSON text with what is kept of it; objects and lists that nothing is left of go. It stays as it is where it
    /// is nested too deep, and when nobody wants it any more.
    pub fn apply(&self, json: &[u8], cancel: &Cancel) -> Vec<u8> {
        let mut out = Vec::new();
        let reached = self.root();
        let whole = Kept { filter: self, reached: &reached, out: &mut out, cancel };
        match whole.deserialize(&mut serde_json::Deserializer::from_slice(json)) {
            Ok(true) => out,
            Ok(false) => b"{}".to_vec(),
            Err(_) => json.to_vec(),
        }
    }

    fn root(&self) -> Reached {
        let mut root = Reached { open: Vec::new(), keeps: true, leaves_out: false };
        root.keeps = self.paths.iter().all(|path| path.leaves_out);
        (0..self.paths.len()).for_each(|path| self.reach(&mut root, path, 0));
        root
    }

    /// Adds a part of a path, and the next one where it may be no name at all.
    fn reach(&self, reached: &mut Reached, path: usize, part: usize) {
        let Path { parts, leaves_out } = &self.paths[path];
        match parts.get(part).map(String::as_str) {
            None if *leaves_out => reached.leaves_out = true,
            None => reached.keeps = true,
            Some("**") => {
                reached.open.push((path, part));
                self.reach(reached, path, part + 1);
            }
            Some(_) => reached.open.push((path, part)),
        }
    }

    fn step(&self, before: &Reached, name: &str) -> Reached {
        let mut reached = Reached { open: Vec::new(), ..*before };
        for &(path, part) in &before.open {
            match self.paths[path].parts[part].as_str() {
                "**" => self.reach(&mut reached, path, part),
                pattern if is_like(pattern, name) => self.reach(&mut reached, path, part + 1),
                _ => {}
            }
        }
        reached.open.sort_unstable();
        reached.open.dedup();
        reached
    }
}

impl Reached {
    fn is_kept(&self) -> bool {
        self.keeps && !self.leaves_out
    }

    /// Whether nothing of a value is kept, whatever is in it.
    fn is_nothing(&self) -> bool {
        self.leaves_out || !self.keeps && self.open.is_empty()
    }
}

/// Writes what is kept of a value. Tells whether that is anything; otherwise what was written is to be taken back.
struct Kept<'f> {
    filter: &'f FilterPath,
    reached: &'f Reached,
    out: &'f mut Vec<u8>,
    cancel: &'f Cancel,
}

impl Kept<'_> {
    fn scalar<E: Error>(self, value: impl serde::Serialize) -> Result<bool, E> {
        if self.reached.is_kept() {
            serde_json::to_writer(self.out, &value).map_err(E::custom)?;
        }
        Ok(self.reached.is_kept())
    }

    fn check<E: Error>(&self) -> Result<(), E> {
        if self.cancel.is_set() { Err(E::custom("nobody waits for it")) } else { Ok(()) }
    }

    fn inner<'i>(&'i mut self, reached: &'i Reached) -> Kept<'i> {
        Kept { filter: self.filter, reached, out: self.out, cancel: self.cancel }
    }
}

impl<'de> DeserializeSeed<'de> for Kept<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        if self.reached.is_nothing() {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| false);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Kept<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<bool, E> {
        self.scalar(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<bool, E> {
        self.scalar(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<bool, E> {
        self.scalar(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<bool, E> {
        self.scalar(value)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<bool, E> {
        self.scalar(value)
    }

    fn visit_unit<E: Error>(self) -> Result<bool, E> {
        self.scalar(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut values: A) -> Result<bool, A::Error> {
        let (start, mut is_empty) = (self.out.len(), true);
        self.out.push(b'[');
        loop {
            self.check()?;
            let before = self.out.len();
            if before > start + 1 {
                self.out.push(b',');
            }
            let reached = self.reached;
            match values.next_element_seed(self.inner(reached))? {
                Some(true) => {}
                Some(false) => self.out.truncate(before),
                None => {
                    self.out.truncate(before);
                    break;
                }
            }
            is_empty = false;
        }
        let is_kept = self.out.len() > start + 1 || is_empty && self.reached.is_kept();
        self.out.push(b']');
        Ok(is_kept)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut fields: A) -> Result<bool, A::Error> {
        let (start, mut is_empty) = (self.out.len(), true);
        self.out.push(b'{');
        while let Some(name) = fields.next_key::<std::borrow::Cow<'de, str>>()? {
            self.check()?;
            is_empty = false;
            let before = self.out.len();
            if before > start + 1 {
                self.out.push(b',');
            }
            super::bulk::push_text(self.out, &name);
            self.out.push(b':');
            let reached = self.filter.step(self.reached, &name);
            if !fields.next_value_seed(self.inner(&reached))? {
                self.out.truncate(before);
            }
        }
        let is_kept = self.out.len() > start + 1 || is_empty && self.reached.is_kept();
        self.out.push(b'}');
        Ok(is_kept)
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
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn filtered(paths: &str, answer: &Value) -> Value {
        let filter = FilterPath::parse(paths).unwrap_or_else(|problem| panic!("{paths}: {problem:?}"));
        let kept = filter.apply(answer.to_string().as_bytes(), &Cancel::default());
        serde_json::from_slice(&kept).expect("JSON")
    }

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
            assert_eq!(filtered(paths, &answer), expected, "{paths}");
        }
    }

    #[test]
    fn what_is_empty_stays_where_it_is_asked_for() {
        let answer =
            json!({"a": {}, "b": [], "c": {"d": [{}, {"e": null}]}, "f": [[1, "x\"y"], [2.5, true]]});
        for (paths, expected) in [
            ("a", json!({"a": {}})),
            ("b,-a", json!({"b": []})),
            ("c.d", json!({"c": {"d": [{}, {"e": null}]}})),
            ("c.d.e", json!({"c": {"d": [{"e": null}]}})),
            ("**.e,f", json!({"c": {"d": [{"e": null}]}, "f": [[1, "x\"y"], [2.5, true]]})),
            ("**", answer.clone()),
            ("**,-c.**", json!({"a": {}, "b": [], "f": [[1, "x\"y"], [2.5, true]]})),
        ] {
            assert_eq!(filtered(paths, &answer), expected, "{paths}");
        }
    }

    #[test]
    fn a_filter_of_many_stars_takes_as_long_as_it_is() {
        // Each of the names can be in any of the stars: 2^200 ways that all lead to nothing.
        let names: Vec<String> = (0..100).map(|_| "a".to_owned()).collect();
        let answer = names.iter().fold(json!({"end": 1}), |inner, name| json!({ name: inner }));
        for pattern in ["**.", "**.*.", "**.a.", "*.**."] {
            let paths = pattern.repeat(200) + "b";
            assert_eq!(filtered(&paths, &answer), json!({}), "{pattern}");
            let many = vec![pattern.repeat(10) + "b"; 30].join(",");
            assert_eq!(filtered(&many, &answer), json!({}), "{pattern}");
        }
        assert!(FilterPath::parse(&"**.a.".repeat(FILTER_PARTS)).is_err());
        assert!(FilterPath::parse(&"a,".repeat(FILTER_PARTS)).is_ok());
    }

    #[test]
    fn filtering_ends_when_nobody_waits_for_it() {
        let (answer, cancel) = (json!({"a": [1, 2]}).to_string(), Cancel::default());
        cancel.set();
        let filter = FilterPath::parse("a").expect("few parts");
        assert_eq!(filter.apply(answer.as_bytes(), &cancel), answer.as_bytes());
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

    /// What a path reaches, by trying every number of names for each `**`.
    fn reaches(pattern: &[&str], path: &[String]) -> bool {
        match (pattern.split_first(), path.split_first()) {
            (None, _) => true,
            (Some((&"**", rest)), _) => {
                reaches(rest, path) || path.split_first().is_some_and(|(_, inner)| reaches(pattern, inner))
            }
            (Some(_), None) => false,
            (Some((first, rest)), Some((name, inner))) => is_like(first, name) && reaches(rest, inner),
        }
    }

    /// What is kept of a value, looked at value by value.
    fn naive(patterns: &[&str], value: &Value, path: &mut Vec<String>) -> Option<Value> {
        let reached =
            |pattern: &&&str| reaches(&pattern.trim_start_matches('-').split('.').collect::<Vec<_>>(), path);
        let (leave, keep): (Vec<&str>, Vec<&str>) =
            patterns.iter().partition(|pattern| pattern.starts_with('-'));
        let is_kept = (keep.is_empty() || keep.iter().any(|pattern| reached(&pattern)))
            && !leave.iter().any(|pattern| reached(&pattern));
        match value {
            Value::Object(fields) => {
                let mut kept = serde_json::Map::new();
                for (name, field) in fields {
                    path.push(name.clone());
                    kept.extend(naive(patterns, field, path).map(|field| (name.clone(), field)));
                    path.pop();
                }
                (!kept.is_empty() || fields.is_empty() && is_kept).then_some(Value::Object(kept))
            }
            Value::Array(values) => {
                let kept: Vec<Value> =
                    values.iter().filter_map(|value| naive(patterns, value, path)).collect();
                (!kept.is_empty() || values.is_empty() && is_kept).then_some(Value::Array(kept))
            }
            value => is_kept.then(|| value.clone()),
        }
    }

    fn answer() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(1)),
            Just(json!("x")),
            Just(json!({})),
            Just(json!([])),
            Just(json!(null))
        ];
        leaf.prop_recursive(5, 40, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[abc]{1,2}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_filter_keeps_what_looking_at_each_value_does(
            answer in answer(),
            paths in prop::collection::vec("-?(\\*\\*|\\*|a|b|c|a\\*|\\*b)(\\.(\\*\\*|\\*|a|b|c|a\\*)){0,4}", 0..4),
        ) {
            let patterns: Vec<&str> = paths.iter().map(String::as_str).collect();
            let kept = naive(&patterns, &answer, &mut Vec::new()).unwrap_or_else(|| json!({}));
            prop_assert_eq!(filtered(&paths.join(","), &answer), kept);
            let filter = FilterPath::parse(&paths.join(",")).expect("few parts");
            for path in [&["a"][..], &["a", "b"], &["b", "ab", "c"]] {
                let one = path.iter().rev().fold(json!(1), |inner, name| json!({ *name: inner }));
                let is_there = naive(&patterns, &one, &mut Vec::new()).is_some();
                prop_assert_eq!(filter.keeps(path), is_there, "{:?}", path);
            }
        }
    }
}
