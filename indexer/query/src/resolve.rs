//! Resolves a filter for one case: names become the case's fields, times become instants, levels get their
//! own names. What has no meaning there is reported.

use jiff::tz::TimeZone;

use super::ast::{Amount, Bound, Filter, NoteClause, Op, Pattern, Range, Span, Test};
use super::diagnostic::{Diagnostic, nearest};
use super::habits::{IGNORED, SOURCE_TYPE, source_as_shown};
use super::notes::{NoteField, states};
use super::time::{Period, TIME_HINT, TimeExpr, stretch};
use super::{ecs, levels};
use base::FieldKind;
use base::stamp::to_rfc3339;

/// Fields that every event has.
pub const BUILT_IN: [&str; 6] = ["time", "level", "source", "line", "raw", "template"];

/// The case that a query is resolved for.
#[derive(Clone, Debug)]
pub struct QueryContext {
    /// The fields of the case besides the built-in ones.
    pub fields: Vec<KnownField>,
    /// The end of the data, in nanoseconds since 1970 UTC.
    pub now: i64,
    /// The zone of days, and of times that name none.
    pub zone: TimeZone,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownField {
    pub name: String,
    /// The types that its values have, each once.
    pub kinds: Vec<FieldKind>,
}

#[derive(Clone, Debug)]
pub struct Resolved {
    /// Names only built-in and known fields. Tests on `time` are ranges of instants.
    pub filter: Filter,
    pub diagnostics: Vec<Diagnostic>,
}

/// Looks up what a filter names.
#[must_use]
pub fn resolve(filter: &Filter, context: &QueryContext) -> Resolved {
    let mut resolver = Resolver { context, diagnostics: Vec::new() };
    let filter = resolver.filter(filter);
    Resolved { filter, diagnostics: resolver.diagnostics }
}

impl QueryContext {
    /// The zone that is taken where nobody names one.
    #[must_use]
    pub fn utc() -> TimeZone {
        TimeZone::UTC
    }

    /// The names of all fields, built-in ones first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        BUILT_IN.into_iter().chain(self.fields.iter().map(|field| field.name.as_str()))
    }

    #[must_use]
    pub fn field(&self, name: &str) -> Option<&KnownField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The fields that a name refers to: the one with this name, or else those with this ECS name.
    #[must_use]
    pub fn fields_of<'n>(&self, name: &'n str) -> Vec<&'n str> {
        let is_known = |name: &str| BUILT_IN.contains(&name) || self.field(name).is_some();
        if is_known(name) {
            return vec![name];
        }
        let mut found: Vec<&str> = ecs::fields_of(name).filter(|field| is_known(field)).collect();
        // Without messages of their own, events are their text.
        if found.is_empty() && matches!(name, "message" | "_msg") {
            found.push("raw");
        }
        found.dedup();
        found
    }
}

struct Resolver<'c> {
    context: &'c QueryContext,
    diagnostics: Vec<Diagnostic>,
}

impl Resolver<'_> {
    fn filter(&mut self, filter: &Filter) -> Filter {
        match filter {
            Filter::Everything | Filter::Text(_) | Filter::Noted(_) => filter.clone(),
            Filter::And(parts) => Filter::And(parts.iter().map(|part| self.filter(part)).collect()),
            Filter::Or(parts) => Filter::Or(parts.iter().map(|part| self.filter(part)).collect()),
            Filter::Not(inner) if self.is_ignored(inner) => Filter::Everything,
            Filter::Not(inner) => Filter::Not(Box::new(self.filter(inner))),
            Filter::Field { field, test, span } => self.field(field, test, *span),
        }
    }

    /// Whether a clause says in which index to search, which a case does not have.
    fn is_ignored(&self, filter: &Filter) -> bool {
        let Filter::Field { field, .. } = filter else { return false };
        IGNORED.contains(&field.as_str()) && self.context.fields_of(field).is_empty()
    }

    fn field(&mut self, field: &str, test: &Test, span: Span) -> Filter {
        let names = self.context.fields_of(field);
        if names.is_empty() {
            if IGNORED.contains(&field) {
                return Filter::Everything;
            }
            if field == SOURCE_TYPE {
                let hint = "files are distinguished by source: write source=NAME";
                self.diagnostics.push(Diagnostic::error(span, "a case has no source types", hint));
                return Filter::Everything;
            }
            if let Some(note) = self.context.note_field(field) {
                let test = match note {
                    NoteField::Is => states(test, span, &mut self.diagnostics),
                    NoteField::Tag => test.clone(),
                };
                return Filter::Noted(NoteClause { field: note, test, span, events: None });
            }
            let unknown = Diagnostic::unknown(
                span,
                "field",
                field,
                self.context.names().chain(NoteField::ALL.map(NoteField::name)),
                "quote it to search for it as text",
            );
            let meant = ecs::fields_with_words(field).find(|field| self.context.field(field).is_some());
            self.diagnostics.push(match meant {
                Some(meant) if unknown.replacement.is_none() => {
                    Diagnostic { hint: Some(format!("did you mean `{meant}`?")), ..unknown.replacing(meant) }
                }
                _ => unknown,
            });
            return Filter::Everything;
        }
        let in_nanoseconds = field == "event.duration" && names != [field];
        let test = if in_nanoseconds { with_unit(test, "ns") } else { test.clone() };
        let mut parts: Vec<Filter> = names.iter().map(|name| self.test(name, &test, span)).collect();
        if parts.len() == 1 { parts.swap_remove(0) } else { Filter::Or(parts) }
    }

    fn test(&mut self, name: &str, test: &Test, span: Span) -> Filter {
        let of = |test| Filter::Field { field: name.to_owned(), test, span };
        match name {
            "time" => self.time(test, span),
            "level" => of(self.level(test, span)),
            "source" => source_as_shown(test, span).unwrap_or_else(|| of(test.clone())),
            "line" => {
                self.numbers(name, test, span);
                of(test.clone())
            }
            _ => {
                let kinds = self.context.field(name).map(|field| field.kinds.as_slice()).unwrap_or_default();
                if !kinds.is_empty()
                    && kinds.iter().all(|kind| matches!(kind, FieldKind::Int | FieldKind::Float))
                {
                    self.numbers(name, test, span);
                }
                of(test.clone())
            }
        }
    }

    /// A test on the time as a range of instants.
    fn time(&mut self, test: &Test, span: Span) -> Filter {
        let within = |from: Option<i64>, to: Option<i64>| Filter::Field {
            field: "time".to_owned(),
            test: Test::Range(Range {
                from: from.map(|from| Bound { value: to_rfc3339(from), inclusive: true }),
                to: to.map(|to| Bound { value: to_rfc3339(to), inclusive: false }),
            }),
            span,
        };
        match test {
            Test::Exists => Filter::Field { field: "time".to_owned(), test: Test::Exists, span },
            Test::Matches(patterns) => {
                let mut parts = Vec::new();
                for pattern in patterns {
                    let period = if let Pattern::Tokens(written) = pattern {
                        self.period(written, span, true)
                    } else {
                        self.diagnostics.push(Diagnostic::error(
                            span,
                            "a time cannot be matched with a pattern",
                            "write a day as time:2024-05-01, or a range as time:[a TO b]",
                        ));
                        None
                    };
                    parts.extend(period.map(|period| within(Some(period.from), Some(period.to))));
                }
                match parts.len() {
                    // Nothing could be read, which is already reported.
                    0 => Filter::Everything,
                    1 => parts.swap_remove(0),
                    _ => Filter::Or(parts),
                }
            }
            Test::Compare(op, value) => {
                let Some(Period { from, to }) = self.period(value, span, false) else {
                    return Filter::Everything;
                };
                match op {
                    Op::Equal => within(Some(from), Some(to)),
                    Op::NotEqual => Filter::Or(vec![within(None, Some(from)), within(Some(to), None)]),
                    Op::Less => within(None, Some(from)),
                    Op::LessOrEqual => within(None, Some(to)),
                    Op::Greater => within(Some(to), None),
                    Op::GreaterOrEqual => within(Some(from), None),
                }
            }
            Test::Range(range) => {
                let mut end = |bound: &Option<Bound>, of: fn(Period, bool) -> i64| {
                    let bound = bound.as_ref()?;
                    self.period(&bound.value, span, false).map(|period| of(period, bound.inclusive))
                };
                let from =
                    end(&range.from, |period, inclusive| if inclusive { period.from } else { period.to });
                let to = end(&range.to, |period, inclusive| if inclusive { period.to } else { period.from });
                within(from, to)
            }
        }
    }

    fn period(&mut self, text: &str, span: Span, is_match: bool) -> Option<Period> {
        let (now, zone) = (self.context.now, &self.context.zone);
        let period = if is_match {
            stretch(text, None, now, zone, None)
        } else {
            TimeExpr::parse(text).and_then(|time| time.period(now, zone))
        };
        if period.is_none() {
            self.diagnostics.push(Diagnostic::error(span, format!("not a valid time: `{text}`"), TIME_HINT));
        }
        period
    }

    /// Levels by the names that the engine knows them by.
    fn level(&mut self, test: &Test, span: Span) -> Test {
        let mut known = |word: &str| {
            if let Some(name) = levels::named(word) {
                return name.to_owned();
            }
            let names = levels::LEVELS.iter().map(|(name, _)| *name);
            let hint = match nearest(word, names) {
                Some(name) => format!("did you mean `{name}`?"),
                None => "levels are trace, debug, info, notice, warn, error and fatal".to_owned(),
            };
            self.diagnostics.push(Diagnostic::error(span, format!("no level `{word}`"), &hint));
            word.to_owned()
        };
        match test {
            Test::Exists => Test::Exists,
            Test::Matches(patterns) => Test::Matches(
                patterns
                    .iter()
                    .map(|pattern| match pattern {
                        Pattern::Tokens(word) => Pattern::Tokens(known(word)),
                        other => other.clone(),
                    })
                    .collect(),
            ),
            Test::Compare(op, word) => Test::Compare(*op, known(word)),
            Test::Range(range) => {
                let mut end = |bound: &Option<Bound>| {
                    bound
                        .as_ref()
                        .map(|bound| Bound { value: known(&bound.value), inclusive: bound.inclusive })
                };
                Test::Range(Range { from: end(&range.from), to: end(&range.to) })
            }
        }
    }

    /// Says what cannot match in a field that holds nothing but numbers.
    fn numbers(&mut self, name: &str, test: &Test, span: Span) {
        let mut report = |text: &str, must: bool| {
            let amount = Amount::parse(text);
            if amount.is_some_and(|amount| amount.in_field(name).is_some()) {
                return;
            }
            let found = match amount {
                Some(_) => Diagnostic::error(
                    span,
                    format!("the unit of `{name}` is not that of {text}"),
                    "write the number in the unit that the field has",
                ),
                None if must => Diagnostic::error(
                    span,
                    format!("`{name}` holds numbers, and `{text}` is none"),
                    "compare it with a number, or with one that has a unit: 10kb, 250ms",
                ),
                None => Diagnostic::advice(
                    span,
                    format!("`{name}` holds numbers, and `{text}` is none: nothing can match"),
                    "write a number, or leave the field out to search the text",
                ),
            };
            self.diagnostics.push(found);
        };
        match test {
            Test::Exists => {}
            Test::Compare(_, value) => report(value, true),
            Test::Range(range) => {
                range.from.iter().chain(&range.to).for_each(|bound| report(&bound.value, true));
            }
            Test::Matches(patterns) => {
                for pattern in patterns {
                    if let Pattern::Tokens(text) = pattern {
                        report(text, false);
                    }
                }
            }
        }
    }
}

/// Plain numbers of a test with a unit after them.
fn with_unit(test: &Test, unit: &str) -> Test {
    let with = |value: &String| match Amount::parse(value) {
        Some(Amount::Whole(_) | Amount::Float(_)) => format!("{}{unit}", value.trim()),
        _ => value.clone(),
    };
    let bound = |bound: &Option<Bound>| {
        bound.as_ref().map(|bound| Bound { value: with(&bound.value), inclusive: bound.inclusive })
    };
    match test {
        Test::Exists => Test::Exists,
        Test::Compare(op, value) => Test::Compare(*op, with(value)),
        Test::Range(range) => Test::Range(Range { from: bound(&range.from), to: bound(&range.to) }),
        Test::Matches(patterns) => Test::Matches(
            patterns
                .iter()
                .map(|pattern| match pattern {
                    Pattern::Tokens(words) => Pattern::Tokens(with(words)),
                    other => other.clone(),
                })
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn context() -> QueryContext {
        let field =
            |name: &str, kinds: &[FieldKind]| KnownField { name: name.to_owned(), kinds: kinds.to_vec() };
        QueryContext {
            fields: vec![
                field("status", &[FieldKind::Int]),
                field("duration_ms", &[FieldKind::Float]),
                field("code", &[FieldKind::Text]),
                field("sqlstate", &[FieldKind::Text]),
            ],
            now: 1_715_782_000_000_000_000,
            zone: TimeZone::UTC,
        }
    }

    #[test]
    fn name_with_the_words_of_an_ecs_name_suggests_its_field() {
        let suggested = |query: &str| {
            let found = resolve(&parse(query).expect(query), &context()).diagnostics;
            found.into_iter().next().and_then(|found| found.replacement)
        };
        assert_eq!(suggested("http.status_code:500").as_deref(), Some("status"));
        assert_eq!(suggested("http.status_text:500"), None);
    }

    fn resolved(query: &str) -> String {
        let filter = parse(query).expect(query);
        let Resolved { filter, diagnostics } = resolve(&filter, &context());
        let report = diagnostics.iter().map(|found| {
            let hint = found.hint.as_deref().unwrap_or_default();
            format!("{} ({hint}) at {}..{}", found.message, found.start, found.end)
        });
        report.reduce(|one, other| format!("{one}; {other}")).unwrap_or_else(|| filter.to_string())
    }

    #[test]
    fn names_times_and_levels_become_those_of_the_case() {
        for (query, expected) in [
            ("http.response.status_code:500", "status:500"),
            ("error.code:x1", "code:x1 OR sqlstate:x1"),
            ("NOT error.code:*", "NOT (code:* OR sqlstate:*)"),
            ("event.duration>5000000", "duration_ms>5000000ns"),
            ("message:timeout", "raw:timeout"),
            ("@timestamp:2024-05-15", "time:[2024-05-15T00:00:00Z TO 2024-05-16T00:00:00Z}"),
            ("time>2024-05-15", "time:[2024-05-16T00:00:00Z TO *]"),
            ("time!=2024-05-15", "time:[* TO 2024-05-15T00:00:00Z} OR time:[2024-05-16T00:00:00Z TO *]"),
            ("_time:5m", "time:[2024-05-15T14:01:40Z TO 2024-05-15T14:06:40.000000001Z}"),
            ("time:[now-1h TO now}", "time:[2024-05-15T13:06:40Z TO 2024-05-15T14:06:40Z}"),
            ("is:Starred OR tag:*x", "note.is:starred OR note.tag:*x"),
            ("is!=noted NOT is:*", "note.is!=noted AND NOT note.is:*"),
            ("is:stared", "no such state as `stared` (did you mean `starred`?) at 0..2"),
            (
                "note.is>tagged",
                "states of events have no order \
                 (write is:starred, is:tagged, is:commented or is:noted) at 0..7",
            ),
            ("note.tags:x", "no field `note.tags` (did you mean `note.tag`?) at 0..9"),
            ("level>=warning", "level>=warn"),
            ("level:(err OR crit)", "level:(error OR fatal)"),
            ("staus:1", "no field `staus` (did you mean `status`?) at 0..5"),
            (
                "time>soon",
                "not a valid time: `soon` (write 2024-05-01 14:05, 14:05, now-15m, last 15 minutes, yesterday, or two times as a/b) at 0..4",
            ),
            ("level>=wran", "no level `wran` (did you mean `warn`?) at 0..5"),
            (
                "status>abc",
                "`status` holds numbers, and `abc` is none \
                 (compare it with a number, or with one that has a unit: 10kb, 250ms) at 0..6",
            ),
            (
                "status>5s",
                "the unit of `status` is not that of 5s (write the number in the unit that the field has) at 0..6",
            ),
            ("duration_ms>5s", "duration_ms>5s"),
        ] {
            assert_eq!(resolved(query), expected, "{query}");
        }
    }
}
