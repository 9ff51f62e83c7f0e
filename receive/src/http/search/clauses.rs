//! The query DSL: each clause becomes a filter of our language. What the language cannot say is refused by the
//! clause's name; a field that no event has matches nothing, as in Elasticsearch.

use std::cell::Cell;

use indexer::query::{Bound, Filter, Pattern, Range, Test, ecs, levels};
use indexer::stamp::to_rfc3339;
use indexer::{Case, Engine, FieldKind, Snapshot, tokens};
use serde_json::Value;

use super::dates::{SearchClock, zone};
use super::lucene;
use super::names::{all, any, equal, field_test, index_of, names_index, nothing, parse_hit_id};
use super::options::{IGNORED, object, of_field, one_field, text_of, unsupported};
use super::patterns::{escaped, fuzzy_pattern, glob, glob_escaped, regex, wildcard};
use crate::http::answer::Problem;
use crate::http::limits::{SEARCH_CLAUSES, SEARCH_DEPTH};

/// The most values of one `terms` clause.
const MOST_TERMS: usize = 1_024;

/// What clauses are translated with: the fields of the case, its sources, and the clock.
pub struct Translator<'a> {
    pub case: &'a Case,
    pub snapshot: &'a Snapshot,
    pub clock: SearchClock,
    fields: Vec<(String, Vec<FieldKind>)>,
    /// Clauses of the search so far, and the words in them.
    clauses: Cell<usize>,
}

type Translated = Result<Filter, Problem>;

/// What a field holds, as far as clauses treat it separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    Time,
    Level,
    Numbers,
    /// Text that is searched by words: the message and the whole line.
    Words,
    Values,
}

impl<'a> Translator<'a> {
    pub fn new(case: &'a Case, snapshot: &'a Snapshot) -> Translator<'a> {
        let fields = Engine::fields(snapshot).into_iter().map(|field| (field.name, field.kinds)).collect();
        Translator { case, snapshot, clock: SearchClock::new(), fields, clauses: Cell::default() }
    }

    /// Counts what takes a look at the case each.
    pub fn count(&self, clauses: usize) -> Result<(), Problem> {
        self.clauses.set(self.clauses.get().saturating_add(clauses));
        if self.clauses.get() > SEARCH_CLAUSES {
            let reason = format!("a search has at most {SEARCH_CLAUSES} clauses, words and values");
            return Err(Problem::new(hyper::StatusCode::BAD_REQUEST, "too_many_clauses", reason));
        }
        Ok(())
    }

    /// The field of the case that a name means; nothing where no event has it.
    pub fn field(&self, name: &str) -> Option<String> {
        let known = |name: &str| {
            matches!(name, "time" | "level" | "source" | "line" | "raw")
                || self.fields.iter().any(|(field, _)| field == name)
        };
        let named = |name: &str| {
            if known(name) {
                return Some(name.to_owned());
            }
            let found = ecs::fields_of(name).find(|field| known(field));
            // Without messages of their own, events are their text.
            found.or((name == "message").then_some("raw")).map(str::to_owned)
        };
        named(name).or_else(|| named(name.strip_suffix(".keyword")?))
    }

    pub fn holds(&self, field: &str) -> Holds {
        let kinds = self.fields.iter().find(|(name, _)| name == field).map_or(&[][..], |(_, kinds)| kinds);
        let is_number = |kind: &FieldKind| matches!(kind, FieldKind::Int | FieldKind::Float);
        match field {
            "time" => Holds::Time,
            "level" => Holds::Level,
            "line" => Holds::Numbers,
            "message" | "raw" => Holds::Words,
            _ if !kinds.is_empty() && kinds.iter().all(is_number) => Holds::Numbers,
            _ => Holds::Values,
        }
    }

    /// A clause with its name: `{"match": {…}}`.
    pub fn clause(&self, clause: &Value, depth: usize) -> Translated {
        if depth > SEARCH_DEPTH {
            return Err(Problem::parsing(format!("clauses are nested deeper than {SEARCH_DEPTH} levels")));
        }
        self.count(1)?;
        let Some(fields) = clause.as_object() else {
            return Err(Problem::parsing("[_na] query malformed, must start with start_object"));
        };
        let mut entries = fields.iter();
        let Some((name, body)) = entries.next() else {
            return Err(Problem::parsing("query malformed, empty clause found"));
        };
        if let Some((second, _)) = entries.next() {
            let reason = format!("[{name}] malformed query, expected [END_OBJECT] but found [{second}]");
            return Err(Problem::parsing(reason));
        }
        match name.as_str() {
            "match_all" => Ok(Filter::Everything),
            "match_none" => Ok(nothing()),
            "match" => self.match_words(body),
            "match_phrase" => self.match_phrase(body),
            "match_phrase_prefix" | "match_bool_prefix" => self.match_prefix(name, body),
            "multi_match" => self.multi_match(body),
            "term" => self.term(body),
            "terms" => self.terms(body),
            "range" => self.range(body),
            "bool" => self.boolean(body, depth),
            "prefix" | "wildcard" | "regexp" => self.patterns(name, body),
            "fuzzy" => self.fuzzy(body),
            "exists" => self.exists(body),
            "ids" => self.ids(body),
            "query_string" | "simple_query_string" => self.query_string(name, body),
            "constant_score" => {
                let options = object("constant_score", body, &["filter"])?;
                self.clause(options.get("filter").unwrap_or(&Value::Null), depth + 1)
            }
            "dis_max" => {
                let options = object("dis_max", body, &["queries", "tie_breaker"])?;
                self.several(options.get("queries"), depth).map(any)
            }
            other => Err(Problem::parsing(format!("[{other}] query is not supported"))),
        }
    }

    fn several(&self, clauses: Option<&Value>, depth: usize) -> Result<Vec<Filter>, Problem> {
        match clauses {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(list)) => list.iter().map(|clause| self.clause(clause, depth + 1)).collect(),
            Some(one) => Ok(vec![self.clause(one, depth + 1)?]),
        }
    }

    fn boolean(&self, body: &Value, depth: usize) -> Translated {
        let parts = ["must", "filter", "should", "must_not", "minimum_should_match", "adjust_pure_negative"];
        let options = object("bool", body, &parts)?;
        let mut needed = self.several(options.get("must"), depth)?;
        needed.extend(self.several(options.get("filter"), depth)?);
        let should = self.several(options.get("should"), depth)?;
        let least = match options.get("minimum_should_match") {
            None | Some(Value::Null) => i64::from(needed.is_empty() && !should.is_empty()),
            Some(value) => {
                let number = value.as_i64().or_else(|| value.as_str()?.parse().ok());
                number.ok_or_else(|| unsupported("bool", &format!("minimum_should_match of {value}")))?
            }
        };
        match usize::try_from(least).unwrap_or(0) {
            // They would only be scored.
            0 => {}
            1 => needed.push(any(should)),
            least if least == should.len() => needed.extend(should),
            least if least > should.len() => needed.push(nothing()),
            least => return Err(unsupported("bool", &format!("minimum_should_match of {least}"))),
        }
        for filter in self.several(options.get("must_not"), depth)? {
            needed.push(Filter::Not(Box::new(filter)));
        }
        Ok(all(needed))
    }

    fn match_words(&self, body: &Value) -> Translated {
        let allowed = [
            "query",
            "operator",
            "fuzziness",
            "lenient",
            "zero_terms_query",
            "auto_generate_synonyms_phrase_query",
        ];
        let (name, value, options) = of_field("match", body, "query", &allowed)?;
        let is_and =
            options.is_some_and(|options| text_of(options.get("operator")).eq_ignore_ascii_case("and"));
        let fuzziness = options.and_then(|options| options.get("fuzziness"));
        self.words(name, &value, is_and, fuzziness)
    }

    fn words(&self, name: &str, value: &str, is_and: bool, fuzziness: Option<&Value>) -> Translated {
        let tests = |field: Option<&str>| -> Translated {
            let tokens = tokens::folded(value.as_bytes());
            self.count(tokens.len())?;
            let filters = tokens.into_iter().map(|token| {
                let pattern = fuzzy_pattern(&token, fuzziness)?;
                Ok(match field {
                    Some(field) => field_test(field, Test::Matches(vec![pattern])),
                    None => Filter::Text(pattern),
                })
            });
            let filters: Vec<Filter> = filters.collect::<Result<_, Problem>>()?;
            Ok(if is_and && !filters.is_empty() { all(filters) } else { any(filters) })
        };
        if matches!(name, "*" | "_all") {
            return tests(None);
        }
        let Some(field) = self.field(name) else {
            return Ok(self.special(name, value).unwrap_or_else(nothing));
        };
        match self.holds(&field) {
            Holds::Words | Holds::Values => tests(Some(&field)),
            Holds::Time | Holds::Level | Holds::Numbers => self.is_value(&field, value),
        }
    }

    fn match_phrase(&self, body: &Value) -> Translated {
        let (name, value, options) =
            of_field("match_phrase", body, "query", &["query", "slop", "zero_terms_query"])?;
        let slop = options.and_then(|options| options.get("slop")?.as_u64()).unwrap_or(0);
        Ok(self.phrase(name, &value, slop))
    }

    fn phrase(&self, name: &str, value: &str, slop: u64) -> Filter {
        let pattern = match u32::try_from(slop) {
            Ok(0) | Err(_) => Pattern::Tokens(value.to_owned()),
            Ok(slop) => Pattern::Near(value.to_owned(), slop),
        };
        if matches!(name, "*" | "_all") {
            return Filter::Text(pattern);
        }
        match self.field(name) {
            None => self.special(name, value).unwrap_or_else(nothing),
            Some(field) if self.holds(&field) == Holds::Time => {
                self.is_value(&field, value).unwrap_or_else(|_| nothing())
            }
            Some(field) => field_test(&field, Test::Matches(vec![pattern])),
        }
    }

    fn match_prefix(&self, clause: &str, body: &Value) -> Translated {
        let (name, value, _) = of_field(clause, body, "query", &["query"])?;
        let tokens = tokens::folded(value.as_bytes());
        let [token] = tokens.as_slice() else { return Err(unsupported(clause, "more than one word")) };
        let pattern = Pattern::Glob(format!("{token}*"));
        Ok(self.field(name).map_or_else(nothing, |field| {
            if field == "raw" {
                Filter::Text(pattern)
            } else {
                field_test(&field, Test::Matches(vec![pattern]))
            }
        }))
    }

    fn multi_match(&self, body: &Value) -> Translated {
        let allowed = ["query", "fields", "type", "operator", "fuzziness", "lenient", "slop", "tie_breaker"];
        let options = object("multi_match", body, &allowed)?;
        let value = text_of(options.get("query"));
        let is_and = text_of(options.get("operator")).eq_ignore_ascii_case("and");
        let kind = text_of(options.get("type"));
        let one = |name: &str| match kind.as_str() {
            "" | "best_fields" | "most_fields" => self.words(name, &value, is_and, options.get("fuzziness")),
            "phrase" => {
                Ok(self.phrase(name, &value, options.get("slop").and_then(Value::as_u64).unwrap_or(0)))
            }
            other => Err(unsupported("multi_match", &format!("type [{other}]"))),
        };
        self.named_fields(options.get("fields"))?
            .iter()
            .map(|name| one(name))
            .collect::<Result<_, _>>()
            .map(any)
    }

    /// Fields by names and patterns, without boosts; `*` where none are given.
    fn named_fields(&self, fields: Option<&Value>) -> Result<Vec<String>, Problem> {
        let names: Vec<&str> = match fields {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(name)) => vec![name],
            _ => vec!["*"],
        };
        self.count(names.len())?;
        let mut found = Vec::new();
        for name in names {
            let name = name.split('^').next().unwrap_or(name);
            if name == "*" || !name.contains('*') {
                found.push(name.to_owned());
            } else {
                let like =
                    self.fields.iter().filter(|(field, _)| crate::http::filter_path::is_like(name, field));
                found.extend(like.map(|(field, _)| field.clone()));
            }
        }
        Ok(found)
    }

    fn term(&self, body: &Value) -> Translated {
        let (name, value, options) = of_field("term", body, "value", &["value", "case_insensitive"])?;
        let ignores_case =
            options.is_some_and(|options| options.get("case_insensitive") == Some(&Value::Bool(true)));
        let Some(field) = self.field(name) else {
            return Ok(self.special(name, &value).unwrap_or_else(nothing));
        };
        if ignores_case && self.holds(&field) == Holds::Values {
            return regex(&field, &format!("^(?:{})$", escaped(&value)), true);
        }
        self.is_value(&field, &value)
    }

    fn terms(&self, body: &Value) -> Translated {
        let options = body.as_object().ok_or_else(|| Problem::parsing("[terms] query malformed"))?;
        let mut named = options.iter().filter(|(name, _)| !IGNORED.contains(&name.as_str()));
        let (Some((name, values)), None) = (named.next(), named.next()) else {
            return Err(Problem::parsing("[terms] query requires one field"));
        };
        let Some(values) = values.as_array() else {
            return Err(unsupported("terms", "a lookup in another index"));
        };
        if values.len() > MOST_TERMS {
            return Err(Problem::argument(format!("[terms] has more than {MOST_TERMS} values")));
        }
        self.count(values.len())?;
        let field = self.field(name);
        let one = |value: &Value| -> Translated {
            let value = text_of(Some(value));
            match &field {
                Some(field) => self.is_value(field, &value),
                None => Ok(self.special(name, &value).unwrap_or_else(nothing)),
            }
        };
        values.iter().map(one).collect::<Result<_, _>>().map(any)
    }

    /// Fields that documents have in addition to their own.
    fn special(&self, name: &str, value: &str) -> Option<Filter> {
        match name {
            "_index" => {
                let sources = self.snapshot.sources().iter().filter(|source| !source.deleted);
                let named = sources.filter(|source| names_index(value, index_of(&source.name)));
                Some(any(named.map(|source| equal("source", &source.name)).collect()))
            }
            "_id" => self.id(value),
            _ => None,
        }
    }

    /// The value as a whole.
    fn is_value(&self, field: &str, value: &str) -> Translated {
        Ok(match self.holds(field) {
            Holds::Time => {
                let period = self.clock.period(value, None).ok_or_else(|| no_date(value))?;
                between(Some(period.from), Some(period.to))
            }
            Holds::Level if levels::named(value).is_none() => nothing(),
            Holds::Level | Holds::Values | Holds::Numbers => equal(field, value),
            Holds::Words => field_test(field, Test::Matches(vec![Pattern::Tokens(value.to_owned())])),
        })
    }

    fn range(&self, body: &Value) -> Translated {
        let allowed = [
            "gt",
            "gte",
            "lt",
            "lte",
            "from",
            "to",
            "include_lower",
            "include_upper",
            "format",
            "time_zone",
            "relation",
        ];
        let (name, options) = one_field("range", body, &allowed)?;
        let Some(options) = options.as_object() else {
            return Err(Problem::parsing("[range] query malformed"));
        };
        let Some(field) = self.field(name) else { return Ok(nothing()) };
        let end = |open: &str, closed: &str, legacy: &str, include: &str| -> Option<(String, bool)> {
            let given = |name: &str| {
                options.get(name).filter(|value| !value.is_null()).map(|value| text_of(Some(value)))
            };
            let inclusive = options.get(include) != Some(&Value::Bool(false));
            given(open)
                .map(|value| (value, false))
                .or_else(|| given(closed).map(|value| (value, true)))
                .or_else(|| given(legacy).map(|value| (value, inclusive)))
        };
        let from = end("gt", "gte", "from", "include_lower");
        let to = end("lt", "lte", "to", "include_upper");
        if self.holds(&field) == Holds::Time {
            let mut clock = self.clock.clone();
            if let Some(name) = options.get("time_zone").and_then(Value::as_str) {
                clock.zone = zone(name)?;
            }
            let format = options.get("format").and_then(Value::as_str);
            let period = |date: &str| clock.period(date, format).ok_or_else(|| no_date(date));
            let from =
                from.map(|(date, inclusive)| period(&date).map(|at| if inclusive { at.from } else { at.to }));
            let to =
                to.map(|(date, inclusive)| period(&date).map(|at| if inclusive { at.to } else { at.from }));
            return Ok(between(from.transpose()?, to.transpose()?));
        }
        let bound = |end: Option<(String, bool)>| end.map(|(value, inclusive)| Bound { value, inclusive });
        let range = Range { from: bound(from), to: bound(to) };
        Ok(match (&range.from, &range.to) {
            (None, None) => field_test(&field, Test::Exists),
            _ => field_test(&field, Test::Range(range)),
        })
    }

    fn patterns(&self, clause: &str, body: &Value) -> Translated {
        let allowed = [
            "value",
            "wildcard",
            "prefix",
            "case_insensitive",
            "rewrite",
            "flags",
            "max_determinized_states",
        ];
        let (name, options) = one_field(clause, body, &allowed)?;
        let value = match options {
            Value::Object(options) => text_of(["value", clause].iter().find_map(|key| options.get(*key))),
            value => text_of(Some(value)),
        };
        let ignores_case = options.get("case_insensitive") == Some(&Value::Bool(true));
        let Some(field) = self.field(name) else { return Ok(nothing()) };
        // Of text each word is looked at, of other fields the whole value.
        let is_text = self.holds(&field) == Holds::Words;
        match clause {
            "prefix" if is_text => Ok(glob(&field, format!("{}*", glob_escaped(&value)))),
            "wildcard" if is_text => Ok(glob(&field, value)),
            "prefix" => regex(&field, &format!("^(?:{})", escaped(&value)), ignores_case),
            "wildcard" => regex(&field, &wildcard(&value), ignores_case),
            _ if is_text => regex(&field, &format!("\\b(?:{value})\\b"), true),
            _ => regex(&field, &format!("^(?:{value})$"), ignores_case),
        }
    }

    fn fuzzy(&self, body: &Value) -> Translated {
        let allowed = ["value", "fuzziness", "transpositions", "max_expansions", "rewrite"];
        let (name, value, options) = of_field("fuzzy", body, "value", &allowed)?;
        let auto = Value::from("AUTO");
        let fuzziness = options.and_then(|options| options.get("fuzziness")).unwrap_or(&auto);
        let Some(field) = self.field(name) else { return Ok(nothing()) };
        Ok(field_test(&field, Test::Matches(vec![fuzzy_pattern(&value, Some(fuzziness))?])))
    }

    fn exists(&self, body: &Value) -> Translated {
        let options = object("exists", body, &["field"])?;
        let name = text_of(options.get("field"));
        Ok(self.field(&name).map_or_else(nothing, |field| field_test(&field, Test::Exists)))
    }

    fn ids(&self, body: &Value) -> Translated {
        let options = object("ids", body, &["values"])?;
        let values = options.get("values").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        self.count(values.len())?;
        Ok(any(values.iter().filter_map(|value| self.id(value.as_str()?)).collect()))
    }

    /// The event that a hit's id names.
    fn id(&self, id: &str) -> Option<Filter> {
        let (source, offset) = parse_hit_id(id)?;
        let name = &self.snapshot.sources().get(source as usize)?.name;
        let (event, _) = self.case.event(self.snapshot, source, offset, 0).ok()?;
        // Several sources may have one name; its time tells one of the same line from the other.
        let time = Some(event.time).filter(|&time| time != indexer::NO_TIME);
        let time = time.map_or(Filter::Everything, |time| between(Some(time), Some(time.saturating_add(1))));
        Some(all(vec![equal("source", name), equal("line", &event.line.to_string()), time]))
    }

    fn query_string(&self, clause: &str, body: &Value) -> Translated {
        let allowed = [
            "query",
            "default_field",
            "default_operator",
            "fields",
            "analyze_wildcard",
            "lenient",
            "allow_leading_wildcard",
            "time_zone",
            "flags",
            "auto_generate_synonyms_phrase_query",
            "enable_position_increments",
            "escape",
            "type",
            "rewrite",
            "max_determinized_states",
        ];
        let options = object(clause, body, &allowed)?;
        let query = text_of(options.get("query"));
        let is_and = text_of(options.get("default_operator")).eq_ignore_ascii_case("and");
        let fields = options.get("fields").or_else(|| options.get("default_field"));
        self.text_query(&query, is_and, fields, clause == "simple_query_string")
    }

    /// A query in Lucene's syntax, with bare words in these fields.
    pub fn text_query(
        &self,
        query: &str,
        is_and: bool,
        fields: Option<&Value>,
        is_simple: bool,
    ) -> Translated {
        let names = self.named_fields(fields)?;
        self.count(query.split_whitespace().count().saturating_mul(names.len()))?;
        let text = lucene::to_own(query, is_and, is_simple);
        if text.trim().is_empty() || text.trim() == "*" {
            return Ok(if text.trim().is_empty() && !query.trim().is_empty() {
                nothing()
            } else {
                Filter::Everything
            });
        }
        let filter = indexer::query::parse(&text).map_err(|error| {
            let hint = error.hint.map_or(String::new(), |hint| format!("; {hint}"));
            Problem::new(
                hyper::StatusCode::BAD_REQUEST,
                "query_shard_exception",
                format!("Failed to parse query [{query}]: {}{hint}", error.message),
            )
        })?;
        Ok(self.in_case(filter, &names))
    }

    /// Names become fields of the case, and bare text is looked for in the given fields.
    fn in_case(&self, filter: Filter, fields: &[String]) -> Filter {
        let each =
            |filters: Vec<Filter>| filters.into_iter().map(|filter| self.in_case(filter, fields)).collect();
        match filter {
            Filter::And(parts) => Filter::And(each(parts)),
            Filter::Or(parts) => Filter::Or(each(parts)),
            Filter::Not(inner) => Filter::Not(Box::new(self.in_case(*inner, fields))),
            Filter::Text(pattern) if !fields.iter().any(|field| field == "*") => {
                let known = fields.iter().filter_map(|field| self.field(field));
                any(known.map(|field| field_test(&field, Test::Matches(vec![pattern.clone()]))).collect())
            }
            Filter::Field { field, test, span } => match self.field(&field) {
                Some(field) => Filter::Field { field, test, span },
                None => match (&test, field.as_str()) {
                    (Test::Matches(patterns), "_index" | "_id") => {
                        let values = patterns.iter().filter_map(|pattern| match pattern {
                            Pattern::Tokens(value) | Pattern::Glob(value) => self.special(&field, value),
                            _ => None,
                        });
                        any(values.collect())
                    }
                    _ => nothing(),
                },
            },
            other => other,
        }
    }
}

fn no_date(date: &str) -> Problem {
    Problem::new(
        hyper::StatusCode::BAD_REQUEST,
        "parse_exception",
        format!(
            "failed to parse date field [{date}]; write 2026-03-01T14:05:00Z, milliseconds since 1970, or now-15m"
        ),
    )
}

/// Events from a time on and before another one.
pub fn between(from: Option<i64>, to: Option<i64>) -> Filter {
    if from.is_none() && to.is_none() {
        return field_test("time", Test::Exists);
    }
    let bound = |at: Option<i64>, inclusive| at.map(|at| Bound { value: to_rfc3339(at), inclusive });
    field_test("time", Test::Range(Range { from: bound(from, true), to: bound(to, false) }))
}
