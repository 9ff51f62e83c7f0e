//! What could be written at a place in SQL.

use super::tables::{OTHER_COLUMNS, TABLES};
use super::words::{KEYWORDS, Word, WordKind, words};
use base::FieldKind;
use base::limits::COMPLETIONS;
use query::{Completion, QueryContext, Suggested, Suggestion, ValueLookup};

/// The functions of docs/sql.md, each with what it gives.
pub const LISTED: [(&str, &str); 31] = [
    ("count", "rows; with a column those that have a value"),
    ("sum", "sum of the numbers"),
    ("avg", "their mean"),
    ("min", "the least"),
    ("max", "the greatest"),
    ("median", "the value in the middle"),
    ("stddev", "standard deviation of a sample"),
    ("variance", "variance of a sample"),
    ("quantile_cont", "quantile_cont(x, 0.95): between two values, interpolated"),
    ("quantile_disc", "quantile_disc(x, 0.95): one of the values"),
    ("first", "the value of the first row"),
    ("last", "the value of the last row"),
    ("date_trunc", "date_trunc('hour', time): the beginning of the bin"),
    ("time_bucket", "time_bucket('5 minutes', time): the beginning of the bin"),
    ("strftime", "strftime(time, '%H:%M'): a time as text"),
    ("extract", "extract(hour FROM time)"),
    ("lower", "in lower case"),
    ("upper", "in upper case"),
    ("substr", "substr(text, from, length): part of a text"),
    ("replace", "replace(text, part, with)"),
    ("starts_with", "starts_with(text, part)"),
    ("regexp_like", "regexp_like(text, expression)"),
    ("concat", "the texts in a row"),
    ("round", "round(x, digits)"),
    ("abs", "without its sign"),
    ("ln", "natural logarithm"),
    ("coalesce", "the first value that is there"),
    ("row_number", "row_number() OVER (ORDER BY …)"),
    ("rank", "rank() OVER (ORDER BY …)"),
    ("lag", "the value of the row before, OVER (ORDER BY …)"),
    ("lead", "the value of the next row, OVER (ORDER BY …)"),
];

/// What could be written at the cursor, a byte of the statement.
pub(super) fn complete(
    text: &str,
    cursor: usize,
    context: &QueryContext,
    lookup: ValueLookup<'_>,
) -> Completion {
    let cursor = text.floor_char_boundary(cursor.min(text.len()));
    let mut before = words(&text[..cursor]);
    let mut start = cursor;
    let mut typed = "";
    let touches = before.last().is_some_and(|last| {
        last.end() == cursor && matches!(last.kind, WordKind::Word | WordKind::Text(false))
            || (last.kind == WordKind::Name && last.end() == cursor && !is_closed(last.text))
    });
    let mut within_text = false;
    if touches && let Some(last) = before.pop() {
        (start, typed) = (last.start, last.text.trim_start_matches(['\'', '"']));
        within_text = matches!(last.kind, WordKind::Text(_));
    }
    before.retain(|word| word.kind != WordKind::Comment);
    let mut offers = Offers { typed, found: Vec::new() };
    let all = words(text);
    if within_text || follows_comparison(&before).is_some() && typed.is_empty() {
        if let Some(column) = follows_comparison(&before) {
            offers.values(column, lookup);
        } else if expects_table(&before) {
            offers.found.clear();
        }
    } else if expects_table(&before) {
        offers.tables(&before);
    } else if !expects_nothing(&before) {
        offers.words(&before, &all, context);
    }
    let mut suggestions = offers.found;
    suggestions.truncate(COMPLETIONS);
    Completion { start, end: cursor, suggestions }
}

fn is_closed(name: &str) -> bool {
    name.len() > 1 && name.ends_with('"')
}

/// The column whose value comes next: after `column =`, or in the list after `column IN`.
fn follows_comparison<'t>(before: &[Word<'t>]) -> Option<&'t str> {
    let name = |word: &Word<'t>| {
        let is_name = word.kind == WordKind::Name || word.kind == WordKind::Word && !word.is_keyword();
        is_name.then(|| word.text.trim_matches('"'))
    };
    match before {
        [.., column, operator] if ["=", "<>", "!="].contains(&operator.text) => name(column),
        [.., column, operator] if operator.is("like") || operator.is("ilike") => name(column),
        _ => {
            let open = before.iter().rposition(|word| word.kind == WordKind::Open)?;
            let listed = before[open + 1..]
                .iter()
                .all(|word| matches!(word.kind, WordKind::Text(_) | WordKind::Number) || word.text == ",");
            let ends = before.last().is_some_and(|last| last.text == "," || last.kind == WordKind::Open);
            match &before[..open] {
                [.., column, operator] if listed && ends && operator.is("in") => name(column),
                _ => None,
            }
        }
    }
}

/// The last word that begins a clause of the query in parentheses that the cursor is in.
fn clause<'w, 't>(before: &'w [Word<'t>]) -> Option<&'w Word<'t>> {
    const CLAUSES: [&str; 12] = [
        "select", "from", "join", "on", "using", "where", "group", "having", "order", "limit", "offset",
        "with",
    ];
    let mut depth = 0;
    before.iter().rev().find(|word| {
        match word.kind {
            WordKind::Close => depth += 1,
            WordKind::Open => depth -= 1,
            _ => {}
        }
        depth <= 0 && CLAUSES.iter().any(|clause| word.is(clause))
    })
}

fn expects_table(before: &[Word<'_>]) -> bool {
    let last = before.last();
    last.is_some_and(|last| last.is("from") || last.is("join"))
        || last.is_some_and(|last| last.text == ",") && clause(before).is_some_and(|clause| clause.is("from"))
}

/// After `AS` follows a new name, and after `LIMIT` a number.
fn expects_nothing(before: &[Word<'_>]) -> bool {
    before.last().is_some_and(|last| last.is("as") || last.is("limit") || last.is("offset"))
}

struct Offers<'a> {
    typed: &'a str,
    found: Vec<Suggestion>,
}

impl Offers<'_> {
    /// Offers what begins with what is typed, or has it after a dot or underscore.
    fn offer(&mut self, kind: Suggested, label: &str, insert: String, detail: &str, count: Option<u64>) {
        let (label_folded, typed) = (label.to_lowercase(), self.typed.to_lowercase());
        let within = [".", "_"].iter().any(|joint| label_folded.contains(&format!("{joint}{typed}")));
        let fits = label_folded.starts_with(&typed) || within && !typed.is_empty();
        let is_known = self.found.iter().any(|known| known.label == label);
        if fits && !is_known && (label_folded != typed || insert != label) {
            let (label, detail) = (label.to_owned(), detail.to_owned());
            self.found.push(Suggestion { kind, label, insert, detail, count });
        }
    }

    fn tables(&mut self, before: &[Word<'_>]) {
        for (name, detail) in TABLES {
            self.offer(Suggested::Stage, name, name.to_owned(), detail, None);
        }
        // What the statement names itself: WITH name AS (…).
        for pair in before.windows(3) {
            if pair[1].is("as") && pair[2].kind == WordKind::Open && pair[0].kind == WordKind::Word {
                self.offer(
                    Suggested::Stage,
                    pair[0].text,
                    pair[0].text.to_owned(),
                    "of this statement",
                    None,
                );
            }
        }
    }

    fn values(&mut self, column: &str, lookup: ValueLookup<'_>) {
        for (value, count) in lookup(column, self.typed) {
            let insert = format!("'{}'", value.replace('\'', "''"));
            self.offer(Suggested::Value, &value, insert, "", Some(count));
        }
    }

    fn words(&mut self, before: &[Word<'_>], all: &[Word<'_>], context: &QueryContext) {
        let of_table = before.last().is_some_and(|last| last.text == ".");
        let ends_operand = before.last().is_some_and(|last| {
            matches!(last.kind, WordKind::Name | WordKind::Text(_) | WordKind::Number | WordKind::Close)
                || last.kind == WordKind::Word && !last.is_keyword()
                || last.text == "*"
                || last.is("end")
                || last.is("null")
        });
        if ends_operand && !of_table {
            return self.following(before);
        }
        self.columns(all, context);
        if of_table {
            return;
        }
        let calculates = clause(before).is_some_and(|clause| !clause.is("from") && !clause.is("with"));
        if calculates {
            for (name, detail) in LISTED {
                self.offer(Suggested::Function, name, format!("{name}("), detail, None);
            }
        }
        if !self.typed.is_empty() || before.is_empty() {
            self.keywords();
        }
    }

    /// What can follow a value or a name.
    fn following(&mut self, before: &[Word<'_>]) {
        let clause = clause(before).map(|clause| clause.text.to_ascii_lowercase());
        let phrases: &[(&str, &str)] = match clause.as_deref() {
            Some("select") => {
                &[("FROM", "the table"), ("AS", "the name of the column"), ("OVER", "of rows around")]
            }
            Some("from" | "on" | "using" | "join") => &[
                ("WHERE", "only rows for which this is true"),
                ("GROUP BY", "a row for each combination of values"),
                ("ORDER BY", "the order of the rows"),
                ("LIMIT", "the first rows"),
                ("JOIN", "rows of another table that match"),
                ("LEFT JOIN", "those without a partner too"),
                ("ON", "what must be equal"),
                ("AS", "another name of the table"),
                ("AND", "both must hold"),
            ],
            Some("where" | "having") => &[
                ("AND", "both must hold"),
                ("OR", "either may hold"),
                ("IN", "is one of a list"),
                ("LIKE", "% matches any text"),
                ("ILIKE", "the same in any case"),
                ("BETWEEN", "from … to, both included"),
                ("IS NULL", "has no value"),
                ("IS NOT NULL", "has a value"),
                ("GROUP BY", "a row for each combination of values"),
                ("ORDER BY", "the order of the rows"),
                ("LIMIT", "the first rows"),
            ],
            Some("group") => &[
                ("HAVING", "only groups for which this is true"),
                ("ORDER BY", "the order of the rows"),
                ("LIMIT", "the first rows"),
            ],
            Some("order") => &[
                ("DESC", "the greatest first"),
                ("ASC", "the least first"),
                ("NULLS LAST", "no value last"),
                ("LIMIT", "the first rows"),
            ],
            Some("limit" | "offset") => &[("OFFSET", "rows that are left out before them")],
            _ => &[],
        };
        for (phrase, detail) in phrases {
            self.offer(Suggested::Keyword, phrase, format!("{phrase} "), detail, None);
        }
    }

    fn columns(&mut self, all: &[Word<'_>], context: &QueryContext) {
        let names = |table: &str| {
            all.windows(2).any(|pair| (pair[0].is("from") || pair[0].is("join")) && pair[1].is(table))
        };
        let others: Vec<_> = OTHER_COLUMNS.iter().filter(|(table, _)| names(table)).collect();
        if names("events") || others.is_empty() {
            let mut columns: Vec<(&str, &str)> = vec![
                ("time", "TIMESTAMP"),
                ("level", "the level, ordered"),
                ("source", "VARCHAR"),
                ("line", "BIGINT"),
                ("raw", "VARCHAR"),
                ("template", "VARCHAR"),
                ("message", "VARCHAR"),
            ];
            columns
                .splice(0..0, context.fields.iter().map(|field| (field.name.as_str(), typed(&field.kinds))));
            // What begins so comes before what has it inside.
            let typed = self.typed.to_lowercase();
            columns.sort_by_key(|(name, _)| !name.to_lowercase().starts_with(&typed));
            for (name, detail) in columns {
                self.offer(Suggested::Field, name, written(name), detail, None);
            }
        }
        for (_, columns) in others {
            for (name, dtype) in *columns {
                self.offer(Suggested::Field, name, written(name), dtype, None);
            }
        }
    }

    fn keywords(&mut self) {
        for keyword in KEYWORDS {
            let shown = keyword.to_ascii_uppercase();
            self.offer(Suggested::Keyword, &shown, format!("{shown} "), "", None);
        }
    }
}

/// The type that a column of these values has.
fn typed(kinds: &[FieldKind]) -> &'static str {
    match kinds {
        [FieldKind::Int] => "BIGINT",
        [FieldKind::Bool] => "BOOLEAN",
        _ if kinds.iter().all(|kind| matches!(kind, FieldKind::Int | FieldKind::Float)) => "DOUBLE",
        _ => "VARCHAR",
    }
}

/// A column as it is written: in quotes where it would be read as something else.
fn written(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_word = KEYWORDS.iter().any(|word| word.eq_ignore_ascii_case(name));
    if plain && !is_word { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::functions::FUNCTIONS;
    use query::KnownField;

    fn offered(text: &str) -> Vec<String> {
        let field = |name: &str, kind| KnownField { name: name.to_owned(), kinds: vec![kind] };
        let fields = vec![
            field("service", FieldKind::Text),
            field("duration_ms", FieldKind::Float),
            field("http.status", FieldKind::Int),
        ];
        let context = QueryContext { fields, now: 0, zone: jiff::tz::TimeZone::UTC };
        let mut values = |field: &str, typed: &str| {
            let all = if field == "service" { vec!["cart", "it's"] } else { Vec::new() };
            all.into_iter()
                .filter(|value| value.starts_with(typed))
                .map(|value| (value.to_owned(), 1))
                .collect()
        };
        let cursor = text.find('^').expect("a cursor");
        let found = complete(&text.replace('^', ""), cursor, &context, &mut values);
        found.suggestions.into_iter().map(|suggestion| suggestion.insert).collect()
    }

    #[test]
    fn tables_columns_functions_and_words_are_offered_where_they_can_stand() {
        assert_eq!(offered("SELECT ser^"), ["service"]);
        assert_eq!(offered("SELECT stat^ FROM events"), ["\"http.status\""]);
        assert_eq!(offered("SELECT quantile_c^"), ["quantile_cont("]);
        assert_eq!(offered("SELECT * FROM ^"), ["events", "templates", "notes", "sources"]);
        assert_eq!(offered("SELECT * FROM events e JOIN so^"), ["sources"]);
        assert_eq!(offered("SELECT sha^ FROM sources"), ["sha256"]);
        assert_eq!(offered("SELECT e.dur^ FROM events e"), ["duration_ms"]);
        assert_eq!(offered("SELECT service ^")[0], "FROM ");
        assert_eq!(offered("SELECT * FROM events WH^"), ["WHERE "]);
        assert_eq!(offered("SELECT * FROM events WHERE service = 'c^"), ["'cart'"]);
        assert_eq!(offered("SELECT * FROM events WHERE service IN ('cart', '^"), ["'cart'", "'it''s'"]);
        assert_eq!(offered("SELECT * FROM events ORDER BY dur^"), ["duration_ms"]);
        assert_eq!(offered("SELECT * FROM events ORDER BY time D^"), ["DESC "]);
        assert_eq!(offered("WITH big AS (SELECT 1) SELECT * FROM bi^"), ["big"]);
        assert_eq!(offered("SELECT time AS ^"), [] as [&str; 0]);
        assert!(offered("SELECT ^ FROM events").contains(&"count(".to_owned()));
    }

    #[test]
    fn each_function_of_our_own_is_listed() {
        assert!(FUNCTIONS.iter().all(|name| LISTED.iter().any(|(listed, _)| listed == name)));
    }
}
