//! Tests on the fields of a mapping, by what the field is there.

use indexer::query::network::{Network, address_number};
use indexer::query::{Amount, Op, Pattern, Range, Test};
use indexer::{Result, tokens};
use serde_json::{Value, json};

use super::lucene::{self, Within};
use super::numbers::different;
use super::{Translator, any, none, regex};
use crate::schema::{Field, MappedKind};

const ANALYSED: &str = "analysed text matches by the tokens of the index";

impl Translator<'_> {
    pub(super) fn test(&mut self, field: &Field, test: &Test) -> Result<Value> {
        let name = field.name.as_str();
        if *test == Test::Exists && !matches!(field.kind, MappedKind::Keyword | MappedKind::Text) {
            return Ok(json!({"exists": {"field": name}}));
        }
        match &field.kind {
            MappedKind::Text => self.analysed(field, test),
            MappedKind::Keyword => self.keyword(field, test),
            MappedKind::Whole(..) | MappedKind::Double | MappedKind::Rounded => self.numbers(field, test),
            MappedKind::Bool => self.truth(name, test),
            MappedKind::Ip => self.addresses(name, test),
            MappedKind::Date | MappedKind::DateNanos => self.dates(name, test),
            MappedKind::Other(kind) => Err(self.unable(
                &format!("`{name}` is of the type {kind} there"),
                &format!("only {name}:* can be asked, whether it is there"),
            )),
            MappedKind::Mixed(kinds) => {
                let kinds = kinds.join(" and ");
                Err(self.unable(
                    &format!("`{name}` is {kinds}, depending on the index"),
                    "add a cluster with an index pattern that takes in only one of them",
                ))
            }
        }
    }

    /// Tests on whole values.
    fn keyword(&mut self, field: &Field, test: &Test) -> Result<Value> {
        let name = field.name.as_str();
        if field.normalized && *test != Test::Exists {
            self.approximate(format!("values of `{name}` are changed by a normalizer there"));
        }
        let there = exists(field);
        match test {
            Test::Exists | Test::Range(Range { from: None, to: None }) => Ok(there),
            Test::Matches(patterns) => {
                let mut parts = Vec::new();
                for pattern in patterns {
                    match self.whole_values(field, pattern, Within::Value)? {
                        Some(query) => {
                            if field.ignore_above.is_some() {
                                self.long_values(field);
                            }
                            parts.push(query);
                        }
                        None => parts.push(there.clone()),
                    }
                }
                Ok(any(parts))
            }
            Test::Compare(Op::Equal, value) => {
                if field.ignore_above.is_some_and(|above| value.chars().count() as u64 > above) {
                    self.long_values(field);
                }
                Ok(json!({"term": {name: value}}))
            }
            Test::Compare(Op::NotEqual, value) => {
                if field.ignore_above.is_some_and(|above| value.chars().count() as u64 > above) {
                    self.long_values(field);
                }
                Ok(json!({"bool": {"filter": [there], "must_not": [{"term": {name: value}}]}}))
            }
            Test::Compare(op, value) => {
                self.in_order(field, [value.as_str()]);
                Ok(json!({"range": {name: {key(*op): value}}}))
            }
            Test::Range(range) => {
                self.in_order(field, range.from.iter().chain(&range.to).map(|bound| bound.value.as_str()));
                Ok(json!({"range": {name: ends(range)}}))
            }
        }
    }

    fn long_values(&mut self, field: &Field) {
        let above = field.ignore_above.unwrap_or_default();
        self.approximate(format!("values of more than {above} characters are not in `{}` there", field.name));
    }

    /// Texts compare as texts there, where the language compares numbers and addresses by their meaning.
    fn in_order<'v>(&mut self, field: &Field, values: impl IntoIterator<Item = &'v str>) {
        if values.into_iter().any(|value| Amount::parse(value).is_some() || address_number(value).is_some()) {
            self.approximate(format!("`{}` is in the order of texts there", field.name));
        }
        if field.ignore_above.is_some() {
            self.long_values(field);
        }
    }

    /// A pattern on whole values; nothing where every value matches.
    pub(super) fn whole_values(
        &mut self,
        field: &Field,
        pattern: &Pattern,
        within: Within,
    ) -> Result<Option<Value>> {
        let name = field.name.as_str();
        let expression = match pattern {
            Pattern::Tokens(words) => match lucene::with_tokens(words) {
                Some(expression) => expression,
                None => return Ok(None),
            },
            Pattern::Near(words, slop) => match tokens::folded(words.as_bytes()).len() {
                0 => return Ok(None),
                1 => lucene::with_tokens(words).unwrap_or_default(),
                2 => lucene::with_near_tokens(words, *slop).unwrap_or_default(),
                _ => {
                    return Err(self.unable(
                        "only two words can be near one another there",
                        "write them as two pairs, or as a phrase",
                    ));
                }
            },
            Pattern::Substring(part) if part.is_empty() => return Ok(None),
            Pattern::Substring(part) => lucene::with_substring(part),
            Pattern::Glob(glob) if glob == "*" => return Ok(None),
            Pattern::Glob(glob) => lucene::with_glob(glob, within),
            Pattern::Regex(expression) => {
                let converted = regex::converted(expression).map_err(|why| {
                    self.unable(&format!("of the expression, {why}"), "write it without that")
                })?;
                if let Some(reason) = converted.inexact {
                    self.approximate(reason);
                }
                converted.expression
            }
            Pattern::Fuzzy(word, edits) => {
                self.approximate("edits lead to whole values there, and to a limited number of them");
                return Ok(Some(json!({"fuzzy": {name: {"value": word, "fuzziness": edits}}})));
            }
            Pattern::Network(network) if within == Within::Text => match lucene::with_tokens(network) {
                Some(expression) => expression,
                None => return Ok(None),
            },
            Pattern::Network(_) => {
                return Err(self.unable(
                    &format!("`{name}` is a text there, which knows no networks"),
                    "map it as `ip`, or write the first numbers: client_ip:10.*",
                ));
            }
        };
        Ok(Some(self.regexp(name, &expression)?))
    }

    /// Tests on analysed text. Words are looked for in it, everything else in its multi-field with whole values.
    fn analysed(&mut self, field: &Field, test: &Test) -> Result<Value> {
        let name = field.name.as_str();
        let keyword = field.keyword.as_deref().and_then(|keyword| self.schema.field(keyword));
        match test {
            Test::Exists => Ok(self.text_is_there(field, keyword)),
            Test::Matches(patterns) => {
                let parts = patterns
                    .iter()
                    .map(|pattern| self.analysed_pattern(field, keyword, pattern))
                    .collect::<Result<_>>()?;
                Ok(any(parts))
            }
            Test::Compare(Op::NotEqual, value) => {
                let equal = self.test(field, &Test::Compare(Op::Equal, value.clone()))?;
                let there = self.text_is_there(field, keyword);
                Ok(json!({"bool": {"filter": [there], "must_not": [equal]}}))
            }
            test => match keyword {
                Some(keyword) => self.keyword(keyword, test),
                None => match test {
                    Test::Compare(Op::Equal, value) => {
                        self.approximate(format!("`{name}` has no whole values there: {ANALYSED}"));
                        Ok(json!({"match_phrase": {name: value}}))
                    }
                    _ => Err(self.unable(
                        &format!("`{name}` is analysed text there, which has no order"),
                        "map it with a multi-field of the type keyword",
                    )),
                },
            },
        }
    }

    /// Whether a document has an analysed text. Some releases do not find texts without a token by themselves.
    fn text_is_there(&mut self, field: &Field, keyword: Option<&Field>) -> Value {
        let name = field.name.as_str();
        if let Some(keyword) = keyword {
            return exists(keyword);
        }
        self.approximate(format!("texts of `{name}` without a token may not be found there"));
        json!({"exists": {"field": name}})
    }

    fn analysed_pattern(
        &mut self,
        field: &Field,
        keyword: Option<&Field>,
        pattern: &Pattern,
    ) -> Result<Value> {
        let name = field.name.as_str();
        match pattern {
            Pattern::Tokens(words) | Pattern::Near(words, _)
                if tokens::folded(words.as_bytes()).is_empty() =>
            {
                Ok(self.text_is_there(field, keyword))
            }
            Pattern::Glob(glob) if glob == "*" => Ok(self.text_is_there(field, keyword)),
            Pattern::Tokens(words) => {
                self.approximate(ANALYSED);
                Ok(json!({"match_phrase": {name: words}}))
            }
            Pattern::Near(words, slop) => {
                self.approximate(format!("{ANALYSED}, and in any order"));
                Ok(json!({"match_phrase": {name: {"query": words, "slop": slop}}}))
            }
            Pattern::Fuzzy(word, edits) => {
                self.approximate(format!("{ANALYSED}, and edits lead to a limited number of them"));
                Ok(json!({"match": {name: {"query": word, "fuzziness": edits}}}))
            }
            Pattern::Network(_) => {
                Err(self
                    .unable(&format!("`{name}` is a text there, which knows no networks"), "map it as `ip`"))
            }
            Pattern::Glob(_) | Pattern::Substring(_) | Pattern::Regex(_) => {
                if let Some(keyword) = keyword {
                    return Ok(match self.whole_values(keyword, pattern, Within::Value)? {
                        Some(query) => {
                            if keyword.ignore_above.is_some() {
                                self.long_values(keyword);
                            }
                            query
                        }
                        None => self.text_is_there(field, Some(keyword)),
                    });
                }
                self.approximate(format!(
                    "`{name}` has no whole values there: the pattern must match one token"
                ));
                let expression = match pattern {
                    Pattern::Glob(glob) => lucene::with_glob(&glob.to_lowercase(), Within::Value),
                    Pattern::Substring(part) => lucene::with_substring(&part.to_lowercase()),
                    Pattern::Regex(expression) => {
                        regex::converted(expression)
                            .map_err(|why| {
                                self.unable(&format!("of the expression, {why}"), "write it without that")
                            })?
                            .expression
                    }
                    _ => String::new(),
                };
                self.regexp(name, &expression)
            }
        }
    }

    fn truth(&mut self, name: &str, test: &Test) -> Result<Value> {
        let is = |value: &str| match value {
            "true" => Some(json!({"term": {name: true}})),
            "false" => Some(json!({"term": {name: false}})),
            _ => None,
        };
        match test {
            Test::Compare(Op::Equal, value) => Ok(is(value).unwrap_or_else(none)),
            Test::Compare(Op::NotEqual, value) => Ok(different(name, &is(value).unwrap_or_else(none))),
            Test::Matches(patterns) => {
                let mut parts = Vec::new();
                for pattern in patterns {
                    parts.push(match pattern {
                        Pattern::Tokens(words) => {
                            let words = tokens::folded(words.as_bytes());
                            match words.as_slice() {
                                [] => json!({"exists": {"field": name}}),
                                [word] => is(word).unwrap_or_else(none),
                                _ => none(),
                            }
                        }
                        Pattern::Glob(glob) if glob == "*" => json!({"exists": {"field": name}}),
                        _ => {
                            return Err(
                                self.unable("it is true or false there", &format!("write {name}:true"))
                            );
                        }
                    });
                }
                Ok(any(parts))
            }
            _ => Err(self.unable("it is true or false there", &format!("write {name}:true"))),
        }
    }

    fn addresses(&mut self, name: &str, test: &Test) -> Result<Value> {
        let is_v4 = |text: &str| text.parse::<std::net::Ipv4Addr>().is_ok();
        let is_address = |text: &str| text.parse::<std::net::IpAddr>().is_ok();
        let by_value = "addresses are compared by their value there, however they are written";
        match test {
            Test::Matches(patterns) => {
                let mut parts = Vec::new();
                for pattern in patterns {
                    parts.push(match pattern {
                        Pattern::Tokens(address) if is_address(address) => {
                            if !is_v4(address) {
                                self.approximate(by_value);
                            }
                            json!({"term": {name: address}})
                        }
                        Pattern::Network(network) if Network::parse(network).is_some() => {
                            // A network of IPv6 that begins with zeros may take in IPv4 there.
                            if network.starts_with("::") {
                                self.approximate(by_value);
                            }
                            json!({"term": {name: network}})
                        }
                        Pattern::Glob(glob) if glob == "*" => json!({"exists": {"field": name}}),
                        Pattern::Glob(glob) => match network_of_glob(glob) {
                            Some(network) => json!({"term": {name: network}}),
                            None => {
                                return Err(self.unable(
                                    "it has addresses there, which have no text",
                                    "write a network: 10.0.0.0/8",
                                ));
                            }
                        },
                        Pattern::Tokens(words) if tokens::folded(words.as_bytes()).is_empty() => {
                            json!({"exists": {"field": name}})
                        }
                        _ => {
                            return Err(self.unable(
                                "it has addresses there, which have no text",
                                "write a whole address, or a network: 10.0.0.0/8",
                            ));
                        }
                    });
                }
                Ok(any(parts))
            }
            Test::Compare(op, value) if is_address(value) => {
                if !is_v4(value) {
                    self.approximate(by_value);
                }
                let equal = json!({"term": {name: value}});
                Ok(match op {
                    Op::Equal => equal,
                    Op::NotEqual => different(name, &equal),
                    op => json!({"range": {name: {key(*op): value}}}),
                })
            }
            Test::Compare(Op::Equal, _) => Ok(none()),
            Test::Compare(Op::NotEqual, _) => Ok(json!({"exists": {"field": name}})),
            Test::Range(range)
                if range.from.iter().chain(&range.to).all(|bound| is_address(&bound.value)) =>
            {
                if range.from.iter().chain(&range.to).any(|bound| !is_v4(&bound.value)) {
                    self.approximate(by_value);
                }
                Ok(json!({"range": {name: ends(range)}}))
            }
            _ => Err(self.unable(
                "it has addresses there",
                "compare it with an address, or write a network: 10.0.0.0/8",
            )),
        }
    }

    fn dates(&mut self, name: &str, test: &Test) -> Result<Value> {
        self.approximate(format!("`{name}` is compared as a time there"));
        let format = "strict_date_optional_time||epoch_millis";
        match test {
            Test::Compare(Op::Equal, value) => {
                Ok(json!({"range": {name: {"gte": value, "lte": value, "format": format}}}))
            }
            Test::Compare(Op::NotEqual, value) => {
                Ok(different(name, &json!({"range": {name: {"gte": value, "lte": value, "format": format}}})))
            }
            Test::Compare(op, value) => Ok(json!({"range": {name: {key(*op): value, "format": format}}})),
            Test::Range(range) => {
                let mut ends = ends(range);
                ends["format"] = format.into();
                Ok(json!({"range": {name: ends}}))
            }
            Test::Matches(patterns) => {
                let mut parts = Vec::new();
                for pattern in patterns {
                    let Pattern::Tokens(day) = pattern else {
                        return Err(
                            self.unable("it has times there, which have no text", "compare it with a time")
                        );
                    };
                    parts.push(json!({"range": {name: {"gte": day, "lte": day, "format": format}}}));
                }
                Ok(any(parts))
            }
            Test::Exists => Ok(json!({"exists": {"field": name}})),
        }
    }
}

/// Whether a document has a value, too long ones too.
fn exists(field: &Field) -> Value {
    let name = field.name.as_str();
    let there = json!({"exists": {"field": name}});
    match field.ignore_above {
        Some(_) => any(vec![there, json!({"term": {"_ignored": name}})]),
        None => there,
    }
}

fn key(op: Op) -> &'static str {
    match op {
        Op::Less => "lt",
        Op::LessOrEqual => "lte",
        Op::Greater => "gt",
        _ => "gte",
    }
}

fn ends(range: &Range) -> Value {
    let mut ends = serde_json::Map::new();
    if let Some(from) = &range.from {
        ends.insert(if from.inclusive { "gte" } else { "gt" }.to_owned(), from.value.as_str().into());
    }
    if let Some(to) = &range.to {
        ends.insert(if to.inclusive { "lte" } else { "lt" }.to_owned(), to.value.as_str().into());
    }
    Value::Object(ends)
}

/// `10.1.*` as `10.1.0.0/16`.
fn network_of_glob(glob: &str) -> Option<String> {
    let numbers = glob.strip_suffix(".*")?;
    let parts: Vec<u8> = numbers
        .split('.')
        .map(|part| part.parse().ok().filter(|n: &u8| n.to_string() == part))
        .collect::<Option<_>>()?;
    (parts.len() < 4).then(|| {
        let mut all = parts.clone();
        all.resize(4, 0);
        let address: Vec<String> = all.iter().map(u8::to_string).collect();
        format!("{}/{}", address.join("."), 8 * parts.len())
    })
}
