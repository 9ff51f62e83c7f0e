//! Completion: what could be written at a position in a query.

use serde::Serialize;

use super::ast::{Filter, JoinKind, Pattern, Span, Test};
use super::functions::{Aggregation, Function};
use super::highlight::{Class, SeenToken, Within, walk};
use super::lexer::{TokenKind, is_field_name, is_plain_name};
use super::notes::{NoteField, STATES};
use super::resolve::{BUILT_IN, QueryContext};
use super::stages::StageName;
use super::{ecs, levels};
use base::limits::COMPLETIONS;
use base::tokens;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SuggestionKind"))]
pub enum Suggested {
    Field,
    Value,
    Function,
    Stage,
    Time,
    Keyword,
    /// A word of the text of events.
    Word,
}

/// One thing that could be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Suggestion {
    pub kind: Suggested,
    /// The displayed label.
    pub label: String,
    /// The text that replaces the word at the cursor.
    pub insert: String,
    /// A short description.
    pub detail: String,
    /// How many events have this value or word.
    pub count: Option<u64>,
}

/// What could replace these bytes of the query, the likeliest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Completion {
    pub start: usize,
    pub end: usize,
    pub suggestions: Vec<Suggestion>,
}

/// Looks up values of a field that begin so, with how many events have each, the most frequent first.
pub type ValueLookup<'a> = &'a mut dyn FnMut(&str, &str) -> Vec<(String, u64)>;

/// Looks up words of the text that begin so, with how many events have each, the most frequent first.
pub type WordLookup<'a> = &'a mut dyn FnMut(&str) -> Vec<(String, u64)>;

const TIMES: [(&str, &str); 10] = [
    ("now-15m", "the last quarter of an hour"),
    ("now-1h", "the last hour"),
    ("now-24h", "the last 24 hours"),
    ("now-7d", "the last seven days"),
    ("today", "the day of the last event"),
    ("yesterday", "the day before it"),
    ("now/h", "the hour of the last event"),
    ("now/d", "its day"),
    ("-1h@h", "the whole hour before"),
    ("now", "the end of the data"),
];

const KINDS_OF_JOIN: [(JoinKind, &str); 4] = [
    (JoinKind::Inner, "rows with a partner, once for each"),
    (JoinKind::Left, "all rows, those without a partner too"),
    (JoinKind::Semi, "rows with a partner, as they are"),
    (JoinKind::Anti, "rows without a partner"),
];

const WINDOW_FUNCTIONS: [(&str, &str, &str); 8] = [
    ("lag", "lag(", "the value of the row before"),
    ("lead", "lead(", "the value of the next row"),
    ("rank", "rank(", "the place of a value among all, equal ones alike"),
    ("row_number", "row_number()", "the number of the row"),
    ("running_sum", "running_sum(", "the running sum"),
    ("running_count", "running_count(", "the running count"),
    ("rolling_avg", "rolling_avg(", "the mean of the last so long"),
    ("rolling_p95", "rolling_p95(", "the 95th percentile of the last so long"),
];

/// Completions at the cursor, given as a byte offset in the query.
pub fn complete(
    query: &str,
    cursor: usize,
    context: &QueryContext,
    values: ValueLookup<'_>,
    words: WordLookup<'_>,
) -> Completion {
    let cursor = query.floor_char_boundary(cursor.min(query.len()));
    let (mut seen, mut within) = walk(&query[..cursor]);
    let touches = seen.last().is_some_and(|last| {
        last.token.span.end == cursor
            && matches!(
                last.token.kind,
                TokenKind::Word { .. }
                    | TokenKind::Number(_)
                    | TokenKind::Time(_)
                    | TokenKind::And
                    | TokenKind::Or
                    | TokenKind::Not
            )
            || last.class == Class::Unknown
    });
    let mut start = cursor;
    if touches && let Some(last) = seen.pop() {
        start = last.token.span.start;
        within = last.within;
    }
    let typed = query[start..cursor].trim_start_matches(['"', '`']);
    let mut offers = Offers { typed, context, found: Vec::new() };
    match within {
        Within::Value(field) | Within::List(field) => offers.values(name_at(query, field), values),
        Within::Filter => {
            offers.filter(&seen);
            offers.words(words);
        }
        Within::StageName => offers.stages(),
        Within::Names(stage) => offers.names(stage, &seen),
        Within::Expr(stage) => offers.expression(stage, &seen),
    }
    let mut suggestions = offers.found;
    suggestions.truncate(COMPLETIONS);
    Completion { start, end: cursor, suggestions }
}

fn name_at(query: &str, span: Span) -> &str {
    query.get(span.start..span.end).unwrap_or_default().trim_matches(['"', '`'])
}

struct Offers<'a> {
    typed: &'a str,
    context: &'a QueryContext,
    found: Vec<Suggestion>,
}

impl Offers<'_> {
    /// Offers a label that begins with the typed text, or contains it after a dot or underscore.
    fn offer(&mut self, kind: Suggested, label: &str, insert: String, detail: &str, count: Option<u64>) {
        let (label_folded, typed) = (label.to_lowercase(), self.typed.to_lowercase());
        let begins = label_folded.starts_with(&typed);
        let within = [".", "_"].iter().any(|joint| label_folded.contains(&format!("{joint}{typed}")));
        let is_known = self.found.iter().any(|known| known.kind == kind && known.label == label);
        if (begins || within) && label_folded != typed && !is_known {
            self.found.push(Suggestion {
                kind,
                label: label.to_owned(),
                insert,
                detail: detail.to_owned(),
                count,
            });
        }
    }

    /// Whether a field is offered already, so that no other name of it is.
    fn has_field(&self, name: &str) -> bool {
        self.found.iter().any(|known| known.kind == Suggested::Field && known.label == name)
    }

    fn fields(&mut self, insert: &dyn Fn(&str) -> String) {
        let mut fields: Vec<(&str, String)> =
            BUILT_IN.iter().map(|name| (*name, "built in".to_owned())).collect();
        for field in &self.context.fields {
            let kinds: Vec<&str> = field.kinds.iter().map(|kind| kind.name()).collect();
            fields.push((&field.name, kinds.join(", ")));
        }
        // Labels with the prefix come before labels that contain it.
        let typed = self.typed.to_lowercase();
        fields.sort_by_key(|(name, _)| !name.to_lowercase().starts_with(&typed));
        for (name, detail) in &fields {
            self.offer(Suggested::Field, name, insert(name), detail, None);
        }
        for (field, name) in ecs::BUILT_IN.iter().chain(ecs::NAMES) {
            let is_wanted = !self.typed.is_empty() && *field != typed && !self.has_field(field);
            if is_wanted && self.context.fields_of(name).contains(field) {
                self.offer(Suggested::Field, name, insert(name), &format!("another name of {field}"), None);
            }
        }
        if !self.context.fields_of(self.typed).is_empty() {
            return;
        }
        for field in ecs::fields_with_words(self.typed) {
            if self.context.field(field).is_some() && !self.has_field(field) {
                self.found.push(Suggestion {
                    kind: Suggested::Field,
                    label: field.to_owned(),
                    insert: insert(field),
                    detail: format!("perhaps meant by {}", self.typed),
                    count: None,
                });
            }
        }
    }

    fn filter(&mut self, seen: &[SeenToken]) {
        let ends_clause = seen.last().is_some_and(|last| {
            matches!(last.class, Class::Text | Class::Number | Class::Regex)
                || last.token.kind == TokenKind::Close
        });
        if ends_clause {
            for (keyword, detail) in
                [("AND", "both must hold"), ("OR", "either may hold"), ("NOT", "must not hold")]
            {
                self.offer(Suggested::Keyword, keyword, format!("{keyword} "), detail, None);
            }
            if self.typed.is_empty() {
                self.offer(Suggested::Keyword, "|", "| ".to_owned(), "then do something with them", None);
            }
        }
        self.fields(&|name| {
            if is_field_name(name) {
                format!("{name}:")
            } else {
                format!("\"{}\":", name.replace('"', "\\\""))
            }
        });
        self.note_fields();
        if !ends_clause {
            self.offer(Suggested::Keyword, "NOT", "NOT ".to_owned(), "must not hold", None);
        }
    }

    /// Words of the text, after the suggestions of the language.
    fn words(&mut self, lookup: WordLookup<'_>) {
        let is_word = self.typed.bytes().all(|byte| tokens::is_token_byte(byte) && !byte.is_ascii_digit());
        if self.typed.is_empty() || !is_word {
            return;
        }
        for (word, count) in lookup(self.typed) {
            let insert = Filter::Text(Pattern::Tokens(word.clone())).to_string();
            self.offer(Suggested::Word, &word, insert, "", Some(count));
        }
    }

    /// Notes are offered by their short name unless a field of the log has that name.
    fn note_fields(&mut self) {
        for note in NoteField::ALL {
            let names = [note.short_name(), note.name()];
            let free = names.into_iter().find(|name| self.context.note_field(name).is_some());
            let typed = note.name().starts_with(self.typed) && !self.typed.is_empty();
            let typed = (typed && self.context.note_field(note.name()).is_some()).then(|| note.name());
            for name in free.into_iter().chain(typed) {
                self.offer(Suggested::Field, name, format!("{name}:"), note.summary(), None);
            }
        }
    }

    fn values(&mut self, field: &str, lookup: ValueLookup<'_>) {
        let names = self.context.fields_of(field);
        if let Some(note) = self.context.note_field(field) {
            for (value, count) in lookup(field, self.typed) {
                let state = STATES.iter().find(|(state, _)| note == NoteField::Is && *state == value);
                let detail = state.map_or("", |(_, detail)| detail);
                self.offer(Suggested::Value, &value, value_text(&value), detail, Some(count));
            }
        }
        for name in names {
            match name {
                "time" => self.times(),
                "level" => {
                    for (level, others) in levels::LEVELS {
                        self.offer(Suggested::Value, level, level.to_owned(), &others.join(", "), None);
                    }
                }
                "raw" | "line" => {}
                name => {
                    for (value, count) in lookup(name, self.typed) {
                        self.offer(Suggested::Value, &value, value_text(&value), "", Some(count));
                    }
                }
            }
        }
    }

    fn times(&mut self) {
        for (time, detail) in TIMES {
            self.offer(Suggested::Time, time, time.to_owned(), detail, None);
        }
        let now = base::stamp::to_rfc3339(self.context.now);
        if let Some(day) = now.get(..10) {
            self.offer(Suggested::Time, day, day.to_owned(), "the day of the last event", None);
        }
    }

    fn stages(&mut self) {
        for stage in StageName::ALL {
            let described = stage.described();
            self.offer(
                Suggested::Stage,
                described.name,
                format!("{} ", described.name),
                described.summary,
                None,
            );
        }
    }

    fn names(&mut self, stage: StageName, seen: &[SeenToken]) {
        if matches!(stage, StageName::Limit | StageName::Tail) {
            return;
        }
        if matches!(stage, StageName::Top | StageName::Rare | StageName::Transaction) && !said(seen, "by") {
            self.offer(Suggested::Keyword, "by", "by ".to_owned(), "for each of these", None);
        }
        if stage == StageName::Join && !said(seen, "on") {
            if seen.last().is_some_and(|last| last.class == Class::Stage) {
                for (kind, detail) in KINDS_OF_JOIN {
                    self.offer(Suggested::Keyword, kind.name(), format!("{} on ", kind.name()), detail, None);
                }
            }
            self.offer(Suggested::Keyword, "on", "on ".to_owned(), "the columns that must be equal", None);
        }
        self.fields(&plain_name);
    }

    /// What `window` calculates, after its name or a comma.
    fn window_functions(&mut self) {
        for (name, insert, detail) in WINDOW_FUNCTIONS {
            self.offer(Suggested::Function, name, insert.to_owned(), detail, None);
        }
    }

    fn expression(&mut self, stage: StageName, seen: &[SeenToken]) {
        let calculates =
            matches!(stage, StageName::Stats | StageName::Timechart | StageName::Shift | StageName::Pivot);
        let is_inside =
            seen.iter().rev().take_while(|seen| seen.class != Class::Pipe).fold(0_i32, |depth, seen| {
                depth + i32::from(seen.token.kind == TokenKind::Open)
                    - i32::from(seen.token.kind == TokenKind::Close)
            }) > 0;
        let ends_operand = seen.last().is_some_and(|last| {
            matches!(last.class, Class::Field | Class::Number | Class::Text | Class::Time)
                || last.token.kind == TokenKind::Close
        }) || (calculates
            && seen.last().is_some_and(|last| last.class == Class::Function));
        if calculates && !is_inside && !said(seen, "by") {
            if ends_operand {
                for (word, detail) in [("by", "for each value of these"), ("as", "the name of the column")] {
                    self.offer(Suggested::Keyword, word, format!("{word} "), detail, None);
                }
                return;
            }
            for function in Aggregation::ALL {
                let described = function.described();
                let insert = if described.least == 0 {
                    described.name.to_owned()
                } else {
                    format!("{}(", described.name)
                };
                self.offer(Suggested::Function, described.name, insert, described.summary, None);
            }
            return;
        }
        if ends_operand && !is_inside && matches!(stage, StageName::Where | StageName::Eval) {
            for (word, detail) in
                [("and", "both must hold"), ("or", "either may hold"), ("in", "is one of a list")]
            {
                self.offer(Suggested::Keyword, word, format!("{word} "), detail, None);
            }
            return;
        }
        if stage == StageName::Window && !is_inside && !said(seen, "by") {
            if ends_operand {
                self.offer(Suggested::Keyword, "by", "by ".to_owned(), "for each value of these", None);
                self.offer(Suggested::Keyword, "as", "as ".to_owned(), "the name of the column", None);
            } else {
                self.window_functions();
            }
            return;
        }
        self.fields(&plain_name);
        if stage == StageName::Window && !is_inside {
            return;
        }
        let compares_time = seen.len() > 1
            && seen.last().is_some_and(|last| matches!(last.token.kind, TokenKind::Compare(_)))
            && seen[seen.len() - 2].token.is_word("time");
        if compares_time {
            self.times();
        }
        for function in Function::ALL {
            let described = function.described();
            self.offer(
                Suggested::Function,
                described.name,
                format!("{}(", described.name),
                described.summary,
                None,
            );
        }
    }
}

/// Whether a word was said since the last pipe.
fn said(seen: &[SeenToken], word: &str) -> bool {
    seen.iter().rev().take_while(|seen| seen.class != Class::Pipe).any(|seen| seen.token.is_word(word))
}

fn plain_name(name: &str) -> String {
    if is_plain_name(name) {
        name.to_owned()
    } else {
        format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
    }
}

/// A value in a list or after a colon.
fn value_text(value: &str) -> String {
    let filter = Filter::Field {
        field: "f".to_owned(),
        test: Test::Matches(vec![Pattern::Tokens(value.to_owned())]),
        span: Span::default(),
    };
    filter.to_string().split_off(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::KnownField;
    use base::FieldKind;

    fn offered(query: &str) -> String {
        let field = |name: &str| KnownField { name: name.to_owned(), kinds: vec![FieldKind::Text] };
        let context = QueryContext {
            fields: vec![field("status"), field("path"), field("trace id")],
            now: 1_715_782_000_000_000_000,
            zone: jiff::tz::TimeZone::UTC,
        };
        let (before, after) = query.split_once('^').expect("a cursor");
        let mut lookup = |field: &str, typed: &str| {
            let values = match field {
                "status" => vec![("GET /", 7), ("500", 3), ("404", 2)],
                "tag" | "note.tag" => vec![("root cause", 2), ("evidence", 1)],
                "is" => vec![("starred", 1), ("noted", 4)],
                _ => Vec::new(),
            };
            values
                .into_iter()
                .filter(|(value, _)| value.starts_with(typed))
                .map(|(value, n)| (value.to_owned(), n))
                .collect()
        };
        let mut words = |typed: &str| {
            let known = [("error", 9), ("stale", 8), ("or", 7), ("tracing", 2)];
            let begin = known.into_iter().filter(|(word, _)| word.starts_with(typed));
            begin.map(|(word, n)| (word.to_owned(), n)).collect()
        };
        let query = format!("{before}{after}");
        let completion = complete(&query, before.len(), &context, &mut lookup, &mut words);
        let words: Vec<String> =
            completion.suggestions.iter().take(4).map(|one| one.insert.clone()).collect();
        format!("{}..{} {}", completion.start, completion.end, words.join(" · "))
    }

    #[test]
    fn completion_fits_the_position() {
        let cases = [
            ("sta^", "0..3 status: · stale"),
            ("http.status_code^", "0..16 status:"),
            ("a tra^", "2..5 \"trace id\": · tracing"),
            ("a -err^", "3..6 error"),
            ("o^", "0..1 event.original: · url.original: · \"or\""),
            ("message:err^", "8..11 "),
            ("e rr^", "2..4 "),
            ("status:^", "7..7 \"GET /\" · 500 · 404"),
            ("status:4^ x", "7..8 404"),
            ("status:(404 OR 5^)", "15..16 500"),
            ("http.response.status_code:5^", "26..27 500"),
            ("i^", "0..1 is:"),
            ("no^", "0..2 note.is: · note.tag: · NOT "),
            ("is:^", "3..3 starred · noted"),
            ("NOT tag:(^", "9..9 \"root cause\" · evidence"),
            ("note.tag:e^", "9..10 evidence"),
            ("level>=^", "7..7 trace · debug · info · notice"),
            ("time>=now^", "6..9 now-15m · now-1h · now-24h · now-7d"),
            ("error ^", "6..6 AND  · OR  · NOT  · | "),
            ("error | st^", "8..10 stats "),
            ("* | stats ^", "10..10 count · count_distinct( · sum( · avg("),
            ("* | stats p9^", "10..12 p90( · p95( · p99( · p999("),
            ("* | stats count ^", "16..16 by  · as "),
            ("* | stats count by sta^", "19..22 status · starts_with("),
            ("* | stats avg(sta^", "14..17 status · starts_with("),
            ("* | keep tra^", "9..12 `trace id`"),
            ("* | where len(pa^", "14..16 path · log.file.path · date_part("),
            ("* | where status ^", "17..17 and  · or  · in "),
            ("* | limit ^", "10..10 "),
            ("* | join ^", "9..9 inner on  · left on  · semi on  · anti on "),
            ("* | join left on sta^", "17..20 status"),
            ("* | join on status (sta^", "20..23 status: · stale"),
            ("* | join on status (a | lim^", "24..27 limit "),
            ("* | window p = l^", "15..16 lag( · lead("),
            ("* | window p = lag(sta^", "19..22 status · starts_with("),
            ("* | pivot cou^", "10..13 count · count_distinct("),
        ];
        let wrong = cases.iter().filter(|(query, expected)| offered(query) != *expected);
        let wrong: Vec<_> = wrong.map(|(query, _)| (query, offered(query))).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn completion_works_at_any_position_of_any_text() {
        let context = QueryContext { fields: Vec::new(), now: 0, zone: jiff::tz::TimeZone::UTC };
        for query in ["a:(\"ö", "| ", "|||", "a | stats by `", "/x", "[", "~2 -", "* | where 'ü", "a:["] {
            for cursor in 0..=query.len() + 2 {
                let found = complete(query, cursor, &context, &mut |_, _| Vec::new(), &mut |_| Vec::new());
                assert!(found.start <= found.end && found.end <= query.len());
            }
        }
    }
}
