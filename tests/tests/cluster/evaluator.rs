//! Query DSL over documents, as strictly as the servers do it: an unknown clause, option or type is a panic.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::IpAddr;

use regex::Regex;
use serde_json::{Map, Value};

/// Documents and the types of their fields, by path.
pub struct Documents {
    pub types: Vec<(&'static str, &'static str)>,
    pub all: Vec<Value>,
    /// Whether clauses on analysed text are answered; they are never exact.
    pub is_analysed: bool,
    /// Expressions that were compiled before.
    expressions: RefCell<HashMap<String, Regex>>,
}

fn only(object: &Value) -> (&str, &Value) {
    let object = object.as_object().expect("an object");
    assert_eq!(object.len(), 1, "{object:?}");
    let (key, value) = object.iter().next().expect("one entry");
    (key, value)
}

fn allowed<'v>(object: &'v Value, names: &[&str]) -> &'v Map<String, Value> {
    let object = object.as_object().expect("an object");
    for name in object.keys() {
        assert!(names.contains(&name.as_str()), "[{name}] is not known: {object:?}");
    }
    object
}

/// A value by its path.
pub fn value_at<'v>(document: &'v Value, path: &str) -> Option<&'v Value> {
    // A name with dots is a path too.
    let found =
        document.get(path).or_else(|| path.split('.').try_fold(document, |value, key| value.get(key)));
    found.filter(|value| !value.is_null())
}

impl Documents {
    pub fn new(types: &[(&'static str, &'static str)], all: Vec<Value>) -> Documents {
        Documents { types: types.to_vec(), all, is_analysed: false, expressions: RefCell::default() }
    }

    pub fn matching(&self, query: &Value) -> Vec<&Value> {
        self.all.iter().filter(|document| self.passes(document, query)).collect()
    }

    pub fn type_of(&self, field: &str) -> &'static str {
        let found = self.types.iter().find(|(name, _)| *name == field);
        found.unwrap_or_else(|| panic!("no field [{field}]")).1
    }

    /// The value of a field; a multi-field has that of its text.
    pub fn value<'v>(&self, document: &'v Value, field: &str) -> Option<&'v Value> {
        value_at(document, field.strip_suffix(".keyword").unwrap_or(field))
    }

    pub fn passes(&self, document: &Value, query: &Value) -> bool {
        let (clause, body) = only(query);
        match clause {
            "match_all" => true,
            "match_none" => false,
            "bool" => {
                let parts = allowed(body, &["filter", "must_not", "should", "minimum_should_match"]);
                let list =
                    |key: &str| parts.get(key).map_or(&[][..], |list| list.as_array().expect("a list"));
                let any_of = list("should");
                assert_eq!(any_of.is_empty(), !parts.contains_key("minimum_should_match"), "{body}");
                assert!(any_of.is_empty() || parts["minimum_should_match"] == 1, "{body}");
                list("filter").iter().all(|part| self.passes(document, part))
                    && !list("must_not").iter().any(|part| self.passes(document, part))
                    && (any_of.is_empty() || any_of.iter().any(|part| self.passes(document, part)))
            }
            "exists" => {
                let field = allowed(body, &["field"])["field"].as_str().expect("a field");
                self.type_of(field);
                self.value(document, field).is_some()
            }
            "ids" => {
                let wanted = allowed(body, &["values"])["values"].as_array().expect("ids");
                wanted.contains(&document["_id"])
            }
            "term" => {
                let (field, wanted) = only(body);
                self.value(document, field).is_some_and(|value| self.is_term(field, value, wanted))
            }
            "terms" if self.is_analysed => {
                let (field, list) = only(body);
                let value = self.value(document, field);
                value.is_some_and(|value| list.as_array().expect("a list").contains(value))
            }
            "range" => {
                let (field, ends) = only(body);
                self.value(document, field).is_some_and(|value| self.is_between(field, value, ends))
            }
            "regexp" => {
                let (field, options) = only(body);
                assert_eq!(self.type_of(field), "keyword", "[{field}] has no whole values");
                let expression = allowed(options, &["value"])["value"].as_str().expect("text");
                assert!(expression.chars().count() <= 1_000, "[{expression}] exceeds index.max_regex_length");
                let text = self.value(document, field).and_then(Value::as_str);
                let mut known = self.expressions.borrow_mut();
                let regex = known.entry(expression.to_owned()).or_insert_with(|| lucene(expression));
                text.is_some_and(|text| regex.is_match(text))
            }
            "match_phrase" if self.is_analysed => {
                let (field, words) = only(body);
                self.has_phrase(document, field, words)
            }
            "multi_match" if self.is_analysed => {
                assert_eq!(body["type"], "phrase");
                let fields = body["fields"].as_array().expect("fields").iter().filter_map(Value::as_str);
                fields.into_iter().any(|field| self.has_phrase(document, field, &body["query"]))
            }
            other => panic!("[{other}] is no clause that is claimed exact: {query}"),
        }
    }

    fn has_phrase(&self, document: &Value, field: &str, words: &Value) -> bool {
        assert_eq!(self.type_of(field), "text");
        let text = self.value(document, field).and_then(Value::as_str).unwrap_or_default();
        let words = indexer::tokens::folded(words.as_str().expect("text").as_bytes());
        indexer::tokens::folded(text.as_bytes()).windows(words.len()).any(|window| window == words)
    }

    fn is_term(&self, field: &str, value: &Value, wanted: &Value) -> bool {
        match self.type_of(field) {
            "keyword" => value.as_str().expect("text") == wanted.as_str().expect("text"),
            "long" => value.as_i64().expect("whole") == wanted.as_i64().expect("whole"),
            "double" => {
                value.as_f64().expect("a number").total_cmp(&wanted.as_f64().expect("a number")).is_eq()
            }
            "boolean" => value.as_bool().expect("truth") == wanted.as_bool().expect("truth"),
            "ip" => {
                let address: IpAddr = value.as_str().expect("text").parse().expect("an address");
                let wanted = wanted.as_str().expect("text");
                match wanted.split_once('/') {
                    Some((start, length)) => in_network(address, start, length.parse().expect("a length")),
                    None => address == wanted.parse::<IpAddr>().expect("an address"),
                }
            }
            other => panic!("[term] on [{field}] of type [{other}]"),
        }
    }

    fn is_between(&self, field: &str, value: &Value, ends: &Value) -> bool {
        use std::cmp::Ordering;
        let kind = self.type_of(field);
        let ends = allowed(
            ends,
            if kind == "date" { &["gte", "gt", "lte", "lt", "format"] } else { &["gte", "gt", "lte", "lt"] },
        );
        let compare = |end: &Value| -> Ordering {
            match kind {
                "keyword" => {
                    value.as_str().expect("text").as_bytes().cmp(end.as_str().expect("text").as_bytes())
                }
                "long" => value.as_i64().expect("whole").cmp(&end.as_i64().expect("a whole end")),
                "double" => value.as_f64().expect("a number").total_cmp(&end.as_f64().expect("a number")),
                "ip" => {
                    let number =
                        |value: &Value| match value.as_str().expect("text").parse().expect("an address") {
                            IpAddr::V4(v4) => v4.to_ipv6_mapped().to_bits(),
                            IpAddr::V6(v6) => v6.to_bits(),
                        };
                    number(value).cmp(&number(end))
                }
                "date" => {
                    assert_eq!(ends["format"], "epoch_millis");
                    let ns = indexer::stamp::parse(value.as_str().expect("text")).expect("a time");
                    let end: i64 = end.as_str().expect("text").parse().expect("milliseconds");
                    ns.div_euclid(1_000_000).cmp(&end)
                }
                other => panic!("[range] on [{field}] of type [{other}]"),
            }
        };
        ends.iter().filter(|(key, _)| *key != "format").all(|(key, end)| match key.as_str() {
            "gte" => compare(end).is_ge(),
            "gt" => compare(end).is_gt(),
            "lte" => compare(end).is_le(),
            _ => compare(end).is_lt(),
        })
    }
}

fn in_network(address: IpAddr, start: &str, length: u32) -> bool {
    let (IpAddr::V4(address), IpAddr::V4(start)) = (address, start.parse().expect("an address")) else {
        return false;
    };
    let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
    (address.to_bits() ^ start.to_bits()) & mask == 0
}

/// Lucene's syntax read strictly: what it reserves must have a backslash, and a letter or digit must have none.
pub fn lucene(expression: &str) -> Regex {
    let mut translated = String::from("^(?s:");
    let mut characters = expression.chars();
    let mut in_class = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let literal = characters.next().expect("a character after a backslash");
                assert!(!literal.is_ascii_alphanumeric(), "\\{literal} is a class of characters");
                translated.push_str(&regex::escape(&literal.to_string()));
                if in_class
                    && !regex::escape(&literal.to_string()).starts_with('\\')
                    && "-^]&~".contains(literal)
                {
                    panic!("{literal} is not escaped in a class");
                }
            }
            '"' | '#' | '@' | '&' | '<' | '>' | '~' => panic!("{character} is an operator: {expression}"),
            '[' => {
                assert!(!in_class, "a class in a class: {expression}");
                in_class = true;
                translated.push('[');
            }
            ']' => {
                assert!(in_class, "a class ends that did not begin: {expression}");
                in_class = false;
                translated.push(']');
            }
            '^' if !in_class => translated.push_str("\\^"),
            '$' => translated.push_str("\\$"),
            other => translated.push(other),
        }
    }
    translated.push_str(")$");
    // A `$` of Rust's is before a line end too only with `m`.
    Regex::new(&translated).unwrap_or_else(|error| panic!("{expression}: {error}"))
}
