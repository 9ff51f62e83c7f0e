//! What people bring along from other tools, and what pasted text was perhaps meant for: `search error`,
//! `stats count by level` without a pipe, `index=main`, `sourcetype=syslog`, a time alone. None of it is an error
//! here, but it finds nothing, or not what was meant; each is advice with what to write instead.

use super::ast::{Filter, Op, Pattern, Query, RegexText, Span, Test};
use super::columns::unknown_columns;
use super::diagnostic::{Diagnostic, Severity, nearest};
use super::lexer::{Mode, Token, TokenKind, token};
use super::parser::{Reading, parse_leniently};
use super::resolve::QueryContext;
use super::time::{self, TimeExpr};

/// Fields of other tools that say where to search: a case is searched as a whole.
pub(super) const IGNORED: [&str; 3] = ["index", "_index", "splunk_server"];

/// The name that Splunk gives to formats.
pub(super) const SOURCE_TYPE: &str = "sourcetype";

/// As many sources are named in a replacement; more would be no help.
const MOST_SOURCES: usize = 6;

/// A source of the case, for what was meant by a format.
#[derive(Clone, Copy, Debug)]
pub struct SourceFormat<'s> {
    pub name: &'s str,
    pub format: &'s str,
}

/// Advice about a query that other tools would understand differently.
#[must_use]
pub fn habits(
    query: &str,
    parsed: &Query,
    context: &QueryContext,
    sources: &[SourceFormat<'_>],
) -> Vec<Diagnostic> {
    if let Some(found) = a_time(query, parsed) {
        return vec![found];
    }
    let tokens = filter_tokens(query);
    let mut found = Vec::new();
    found.extend(leading_search(query, &tokens));
    found.extend(leading_from(query, &tokens));
    found.extend(misspelled_select(query, &tokens));
    found.extend(missing_pipe(query, &tokens, context));
    found.extend(empty_time_range(query, &tokens, context));
    for (at, word) in tokens.iter().enumerate() {
        let Some(name) = word.word().map(str::to_ascii_lowercase) else { continue };
        if name == "source" {
            found.extend(end_of_source(query, &tokens, at, sources));
        }
        let is_index = IGNORED.contains(&name.as_str());
        if (!is_index && name != SOURCE_TYPE) || !context.fields_of(&name).is_empty() {
            continue;
        }
        let Some(clause) = clause_of(query, &tokens, at) else { continue };
        if is_index {
            let message = format!(
                "a case has one index, so `{}` is ignored",
                &query[word.span.start..clause.value.end]
            );
            found.push(Diagnostic::advice(clause.whole, message, "remove it").replacing(""));
        } else {
            found.push(source_type(query, &clause, sources));
        }
    }
    found
}

/// A time alone is searched for as text; as a time it is a clause.
fn a_time(query: &str, parsed: &Query) -> Option<Diagnostic> {
    let text = query.trim();
    if !parsed.stages.is_empty() || text.contains('"') || !time::is_pasted(text) {
        return None;
    }
    let start = query.len() - query.trim_start().len();
    let span = Span::new(start, start + text.len());
    let found = Diagnostic::advice(
        span,
        "this is searched for as text",
        "as a time it finds the events of that time",
    );
    Some(found.replacing(format!("time:\"{text}\"")))
}

/// The tokens before the first pipe; none where one cannot be read.
fn filter_tokens(query: &str) -> Vec<Token> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Ok(next) = token(query, at, Mode::Clause) {
        if matches!(next.kind, TokenKind::Pipe | TokenKind::End) || next.span.end <= at {
            break;
        }
        at = next.span.end;
        found.push(next);
    }
    found
}

fn is_operator(token: Option<&Token>) -> bool {
    token.is_some_and(|token| {
        matches!(token.kind, TokenKind::Colon | TokenKind::Compare(_) | TokenKind::MatchesRegex { .. })
    })
}

/// `search error`: Splunk's command for what is done anyway.
fn leading_search(query: &str, tokens: &[Token]) -> Option<Diagnostic> {
    let (first, next) = (tokens.first()?, tokens.get(1)?);
    let is_word = matches!(next.kind, TokenKind::And | TokenKind::Or) || is_operator(Some(next));
    if !first.is_word("search") || is_word {
        return None;
    }
    let span = Span::new(first.span.start, next.span.start.min(query.len()));
    let hint = "a query begins with what is searched for; remove the command";
    Some(Diagnostic::advice(span, "`search` is searched for as a word", hint).replacing(""))
}

/// `FROM logs | …`: the command of ES|QL that names an index.
fn leading_from(query: &str, tokens: &[Token]) -> Option<Diagnostic> {
    let (first, name) = (tokens.first()?, tokens.get(1)?);
    let end = tokens.last()?.span.end;
    let is_piped = query[end..].trim_start().starts_with('|');
    let is_name = query[name.span.start..].starts_with(|c: char| c.is_alphabetic() || c == '*');
    if !first.is_word("from") || !is_name || is_operator(Some(name)) || !is_piped {
        return None;
    }
    let message = format!("`{}` is searched for as words", &query[first.span.start..end]);
    let hint = "a case has one index: begin with what is searched for, or with * for everything";
    Some(Diagnostic::advice(Span::new(first.span.start, end), message, hint).replacing("*"))
}

/// `SELEC * from events`: SQL whose first word is misspelled is a search.
fn misspelled_select(query: &str, tokens: &[Token]) -> Option<Diagnostic> {
    let (first, rest) = tokens.split_first()?;
    let word = first.word()?;
    let is_near = word.len() <= "select".len() + 1 && nearest(word, ["select"].into_iter()).is_some();
    let is_meant = is_near && !word.eq_ignore_ascii_case("select");
    if !is_meant || !rest.iter().any(|token| token.is_word("from")) {
        return None;
    }
    let message = format!("`{}` is searched for as a word", &query[first.span.start..first.span.end]);
    Some(Diagnostic::advice(first.span, message, "write SELECT to ask in SQL").replacing("SELECT"))
}

/// `time>14:05 time<14:06`: a minute is meant as a whole, so nothing is between the two.
fn empty_time_range(query: &str, tokens: &[Token], context: &QueryContext) -> Option<Diagnostic> {
    if tokens.iter().any(|token| matches!(token.kind, TokenKind::Or | TokenKind::Not)) {
        return None;
    }
    let (mut after, mut before) = (None, None);
    for (at, word) in tokens.iter().enumerate() {
        let Some("time" | "_time" | "@timestamp") = word.word() else { continue };
        let Some(TokenKind::Compare(op)) = tokens.get(at + 1).map(|token| &token.kind) else { continue };
        let value = tokens.get(at + 2)?;
        let text = query[value.span.start..value.span.end].trim_matches('"');
        let period = TimeExpr::parse(text).and_then(|time| time.period(context.now, &context.zone))?;
        match op {
            Op::Greater => after = Some((tokens[at + 1].span, text, period)),
            Op::Less => before = Some(period.from),
            Op::LessOrEqual => before = Some(period.to),
            _ => {}
        }
    }
    let ((operator, text, period), before) = (after?, before?);
    if period.to < before || period.from >= before {
        return None;
    }
    let message = format!("`time>{text}` begins when all of {text} is over, so nothing is in this range");
    Some(Diagnostic::advice(operator, message, "write >= to begin with it").replacing(">="))
}

/// Stages whose names nobody searches for before the words that follow them.
const DISTINCT: [&str; 7] =
    ["stats", "timechart", "chart", "eventstats", "streamstats", "change_point", "fillnull"];

/// Stages whose names are words as well.
const ALSO_WORDS: [&str; 12] = [
    "where",
    "top",
    "rare",
    "sort",
    "table",
    "fields",
    "dedup",
    "eval",
    "rename",
    "transaction",
    "rex",
    "bin",
];

/// `stats count by level`: a stage without its pipe. Names of stages that are words as well count only before names
/// of fields.
fn missing_pipe(query: &str, tokens: &[Token], context: &QueryContext) -> Option<Diagnostic> {
    let mut depth = 0_usize;
    for (at, word) in tokens.iter().enumerate() {
        match word.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        let Some(name) = word.word().map(str::to_ascii_lowercase) else { continue };
        let is_distinct = DISTINCT.contains(&name.as_str());
        let is_stage = is_distinct || ALSO_WORDS.contains(&name.as_str());
        let next = tokens.get(at + 1);
        if depth > 0 || !is_stage || next.is_none() || is_operator(next) {
            continue;
        }
        let rest = format!("| {}", &query[word.span.start..]);
        let read = parse_leniently(&rest, Reading::Timberline);
        let is_sound = read.diagnostics.iter().all(|found| found.severity != Severity::Error);
        if is_sound && (is_distinct || unknown_columns(&read.query, context).is_empty()) {
            let message = format!("`{name}` is searched for as a word");
            let hint = "write | before it, so that it is done with the matching events";
            return Some(Diagnostic::advice(word.span, message, hint).replacing(format!("| {name}")));
        }
    }
    None
}

/// A field with its value, and all that goes away with both.
struct HabitClause {
    value: Span,
    whole: Span,
}

fn clause_of(query: &str, tokens: &[Token], at: usize) -> Option<HabitClause> {
    if !is_operator(tokens.get(at + 1)) {
        return None;
    }
    // The value is read as the parser reads it, up to the next space.
    let value = token(query, tokens[at + 1].span.end, Mode::Value).ok()?;
    if !matches!(value.kind, TokenKind::Word { .. } | TokenKind::Phrase(_) | TokenKind::Name(_)) {
        return None;
    }
    let mut end = value.span.end;
    if let Ok(Token { kind: TokenKind::And, span }) = token(query, end, Mode::Clause) {
        end = span.end;
    }
    end += query[end..].len() - query[end..].trim_start_matches(' ').len();
    let start = tokens[at].span.start;
    Some(HabitClause { value: value.span, whole: Span::new(start, end) })
}

/// `sourcetype=access_combined`: the sources whose format is named so.
fn source_type(query: &str, clause: &HabitClause, sources: &[SourceFormat<'_>]) -> Diagnostic {
    let wanted = query[clause.value.start..clause.value.end].trim_matches('"').to_lowercase();
    let hint = "a case distinguishes files by source; their formats are listed under Sources";
    let found = Diagnostic::advice(clause.whole, "source types are Splunk's", hint);
    if wanted == "*" {
        return found.replacing("");
    }
    let words = |text: &str| -> Vec<String> {
        let parts = text.to_lowercase();
        parts.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() > 2).map(str::to_owned).collect()
    };
    let wanted = words(&wanted);
    let matching: Vec<&str> = sources
        .iter()
        .filter(|source| words(source.format).iter().any(|word| wanted.contains(word)))
        .map(|source| source.name)
        .collect();
    let tail = if query[clause.value.end..clause.whole.end].is_empty() { "" } else { " " };
    match matching.as_slice() {
        [] => found,
        several if several.len() > MOST_SOURCES => found,
        [name] => found.replacing(format!("source={}{tail}", quoted(name))),
        several => {
            let list: Vec<String> = several.iter().copied().map(quoted).collect();
            found.replacing(format!("source:({}){tail}", list.join(" OR ")))
        }
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace(['\\', '"'], "?"))
}

/// `source=a/access.log`: the list shows only the end of `web/a/access.log`, which is no name.
fn end_of_source(
    query: &str,
    tokens: &[Token],
    at: usize,
    sources: &[SourceFormat<'_>],
) -> Option<Diagnostic> {
    let operator = &tokens.get(at + 1)?.kind;
    if !matches!(operator, TokenKind::Compare(Op::Equal | Op::NotEqual)) {
        return None;
    }
    let value = clause_of(query, tokens, at)?.value;
    let name = query[value.start..value.end].trim_matches('"');
    if !name.contains('/') || sources.iter().any(|source| source.name == name) {
        return None;
    }
    let end = format!("/{name}");
    let whole = sources.iter().find(|source| source.name.ends_with(&end))?;
    let message = format!("no source is named `{name}`");
    let hint = "it is the end of a longer name, which is wanted here";
    Some(Diagnostic::advice(value, message, hint).replacing(quoted(whole.name)))
}

/// A test on `source` that a name alone passes as well: the list shows `access.log` for `web/access.log`.
pub(super) fn source_as_shown(test: &Test, span: Span) -> Option<Filter> {
    let Test::Compare(op @ (Op::Equal | Op::NotEqual), name) = test else { return None };
    if name.is_empty() || name.contains('/') {
        return None;
    }
    let of = |test| Filter::Field { field: "source".to_owned(), test, span };
    let regex = RegexText::new(&format!("/{}$", regex::escape(name)), false).ok()?;
    let within_folder = of(Test::Matches(vec![Pattern::Regex(regex)]));
    Some(match op {
        Op::Equal => Filter::Or(vec![of(test.clone()), within_folder]),
        _ => Filter::And(vec![of(test.clone()), Filter::Not(Box::new(within_folder))]),
    })
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::{KnownField, parse_leniently, parse_query, resolve};
    use base::FieldKind;

    fn context() -> QueryContext {
        let field = |name: &str| KnownField { name: name.to_owned(), kinds: vec![FieldKind::Text] };
        QueryContext { fields: vec![field("status"), field("path")], now: 0, zone: TimeZone::UTC }
    }

    /// The query with each replacement made.
    fn mended(query: &str) -> String {
        let sources = [
            SourceFormat { name: "web/access.log", format: "access" },
            SourceFormat { name: "logs/host/auth.log", format: "auth" },
            SourceFormat { name: "host/syslog", format: "syslog" },
            SourceFormat { name: "host/syslog.1", format: "syslog" },
        ];
        let parsed = parse_leniently(query, Reading::Timberline).query;
        let mut text = query.to_owned();
        for found in habits(query, &parsed, &context(), &sources).into_iter().rev() {
            assert_eq!(found.severity, Severity::Advice, "{query}");
            match found.replacement {
                Some(replacement) => text.replace_range(found.start..found.end, &replacement),
                None => text.push_str(" (advice)"),
            }
        }
        text
    }

    #[test]
    fn habits_of_other_tools_are_mended_with_one_key() {
        for (query, expected) in [
            ("search error", "error"),
            ("FROM logs | stats count()", "* | stats count()"),
            ("from logs-*, metrics | where n > 1", "* | where n > 1"),
            ("from logs", "from logs"),
            ("from 10.0.0.1 | stats count()", "from 10.0.0.1 | stats count()"),
            ("SELEC * from events", "SELECT * from events"),
            ("slect level, count(*) from events", "SELECT level, count(*) from events"),
            ("selected from menu", "selected from menu"),
            ("search status=500 error", "status=500 error"),
            ("stats count by level", "| stats count by level"),
            ("error stats count by level", "error | stats count by level"),
            ("error timechart span=5m count", "error | timechart span=5m count"),
            ("top 5 path", "| top 5 path"),
            ("where path", "| where path"),
            ("index=* error", "error"),
            ("index=main AND error", "error"),
            ("index=main error | stats count", "error | stats count"),
            ("sourcetype=access_combined error", "source=\"web/access.log\" error"),
            ("sourcetype=syslog", "source:(\"host/syslog\" OR \"host/syslog.1\")"),
            ("sourcetype=* error", "error"),
            ("sourcetype=nothing", "sourcetype=nothing (advice)"),
            ("source=host/auth.log error", "source=\"logs/host/auth.log\" error"),
            ("source!=\"host/auth.log\"", "source!=\"logs/host/auth.log\""),
            ("03/Mar/2026:14:05:00 +0000", "time:\"03/Mar/2026:14:05:00 +0000\""),
            ("last 15 minutes", "time:\"last 15 minutes\""),
            ("1772546700", "time:\"1772546700\""),
            ("time>14:05 time<14:06 error", "time>=14:05 time<14:06 error"),
            ("_time>2026-03-03 AND _time<=2026-03-03", "_time>=2026-03-03 AND _time<=2026-03-03"),
            (
                "time>\"2026-03-03 14:05\" time<\"2026-03-03 14:06\"",
                "time>=\"2026-03-03 14:05\" time<\"2026-03-03 14:06\"",
            ),
        ] {
            assert_eq!(mended(query), expected, "{query}");
        }
    }

    #[test]
    fn plain_words_are_searched_for_without_advice() {
        for query in [
            "error",
            "search",
            "search:error",
            "stats",
            "stats:5",
            "connection limit reached",
            "drop database",
            "where clause",
            "sort order",
            "(stats count by level)",
            "\"stats count by level\"",
            "status:500",
            "source=auth.log",
            "source=web/access.log",
            "source=db/auth.log",
            "source:host/auth.log",
            "2026",
            "500",
            "yesterday",
            "now",
            "5m",
            "time:2026-03-03",
            "time>14:05 time<14:07",
            "time>14:05 time<14:04",
            "time>14:05:00.5 time<14:05:01",
            "time>14:05",
            "time>14:05 OR time<14:06",
            "* | stats count by level",
        ] {
            assert_eq!(mended(query), query);
        }
    }

    #[test]
    fn an_index_is_ignored_and_a_source_type_is_explained() {
        let resolved = |query: &str| {
            let resolved = resolve(&parse_query(query).expect(query).filter, &context());
            let said: Vec<String> = resolved.diagnostics.into_iter().map(|found| found.message).collect();
            format!("{} {said:?}", resolved.filter)
        };
        assert_eq!(resolved("index=main"), " []");
        assert_eq!(resolved("NOT index=_internal"), " []");
        assert_eq!(resolved("sourcetype=syslog"), " [\"a case has no source types\"]");
        assert_eq!(resolved("source=access.log"), "source=access.log OR source:/\\/access\\.log$/ []");
        assert_eq!(resolved("source=web/access.log"), "source=web/access.log []");
        assert_eq!(resolved("source!=access.log"), "source!=access.log AND NOT source:/\\/access\\.log$/ []");
    }
}
