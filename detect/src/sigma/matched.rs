//! The events that one rule matched, and in each the values that made it match.

use std::collections::HashMap;
use std::ops::Range;

use indexer::{Cancel, Case, Result, Snapshot, SnapshotSegment};
use serde::Serialize;

use super::condition::Expr;
use super::entities::{Entities, EntityColumns};
use super::exclusion::EXCLUDED_BYTES;
use super::keys::{columns_of, meant, value_of};
use super::matching::{FieldMatcher, compiled};
use super::pattern::{Token, Wild, lower};
use super::program::{Program, SlotTest, TEXT, TestId};
use super::rule::Rule;
use super::run::{case_fields, source_names};
use super::scan::{self, compares};
use super::sources::Sources;
use super::values::Test;
use super::{RuleSet, TextSearch};
use crate::limits::{SHOWN_AROUND_MATCH, SHOWN_MATCHES};

/// Which of the events are asked for.
#[derive(Clone, Debug, Default)]
pub struct HitPage {
    pub of: HitsOf,
    /// Only events from a time (inclusive) to another (exclusive).
    pub range: (Option<i64>, Option<i64>),
    pub skip: usize,
    pub take: usize,
}

/// Whose events are asked for.
#[derive(Clone, Debug, Default)]
pub enum HitsOf {
    #[default]
    All,
    /// A host, a user and a process.
    Entities(Entities),
    /// The values that a correlation groups by, in its order.
    Keys(Vec<String>),
}

/// Events that a rule, or the rules of a correlation, matched, in the order of time.
#[derive(Clone, Debug, Default)]
pub struct RuleHits {
    /// How many there are, of those that were asked for. An event that several rules match counts for each.
    pub matches: u64,
    pub page: Vec<RuleHit>,
}

/// One event, and why it matched.
#[derive(Clone, Debug)]
pub struct RuleHit {
    /// The id of the rule.
    pub rule: String,
    /// Its source and its offset.
    pub event: (u32, u64),
    pub line: u64,
    pub time: Option<i64>,
    pub entities: Entities,
    pub fields: Vec<MatchedField>,
}

/// A field whose value passed tests of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MatchedField {
    /// As the case has it; empty for the text of the event.
    pub field: String,
    /// Its value around what matched.
    pub parts: Vec<MatchPart>,
    /// All of the value, if a filter can name it.
    pub value: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MatchPart {
    pub text: String,
    pub matched: bool,
}

impl RuleSet {
    /// The events of a case that the rules of this set match. Its first correlation, if it has one, says what
    /// [`HitsOf::Keys`] are the values of.
    pub fn hits(
        &self,
        sources: &Sources,
        case: &Case,
        snapshot: &Snapshot,
        page: &HitPage,
        cancel: &Cancel,
    ) -> Result<RuleHits> {
        let fields = case_fields(snapshot);
        let Ok(program) = Program::new(&self.rules, sources, &fields) else { return Ok(RuleHits::default()) };
        let names = source_names(snapshot);
        let wanted = page.skip.saturating_add(page.take);
        let correlation = self.correlations.first().map(|(correlation, _)| correlation);
        let keys_of = |rule: &Rule| -> Vec<Vec<String>> {
            let keys = correlation.map(|correlation| correlation.keys_of(rule)).unwrap_or_default();
            keys.iter().map(|field| meant(field, rule, sources, &fields)).collect()
        };
        let keys: Vec<Vec<Vec<String>>> = self.rules.iter().map(keys_of).collect();
        let look = |rows: &SnapshotSegment<'_>| {
            let within = rows.within(page.range.0, page.range.1)?;
            let found = scan::segment(&program, rows, within, (&names, TextSearch::Auto), cancel)?;
            if found.rows.is_empty() {
                return Ok((0, Vec::new()));
            }
            let columns = EntityColumns::new(rows, cancel)?;
            let mut chosen = Vec::new();
            for (rule, matched) in &found.rows {
                let keys = columns_of(rows, &keys[*rule], cancel)?;
                let is_wanted = |row: &u32| match &page.of {
                    HitsOf::All => true,
                    HitsOf::Entities(of) => *of == columns.entities(*row as usize),
                    HitsOf::Keys(of) => keys
                        .iter()
                        .zip(of)
                        .all(|(columns, key)| value_of(columns, *row).as_ref() == Some(key)),
                };
                chosen.extend(matched.iter().copied().filter(is_wanted).map(|row| (row, *rule)));
            }
            chosen.sort_unstable();
            let matches = chosen.len() as u64;
            chosen.truncate(wanted);
            Ok((matches, self.explained(&program, rows, &columns, &chosen, cancel)?))
        };
        let mut all = RuleHits::default();
        case.each_segment(snapshot, cancel, look, |(matches, hits)| {
            all.matches += matches;
            all.page.extend(hits);
            // Segments may overlap in time. The matches of one event stay in their order.
            all.page.sort_by_key(|hit| (hit.time, hit.event));
            all.page.truncate(wanted);
            Ok(())
        })?;
        all.page.drain(..page.skip.min(all.page.len()));
        Ok(all)
    }

    /// Rows with the rule that matches each, and why it does.
    fn explained(
        &self,
        program: &Program,
        rows: &SnapshotSegment<'_>,
        columns: &EntityColumns,
        chosen: &[(u32, usize)],
        cancel: &Cancel,
    ) -> Result<Vec<RuleHit>> {
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        let times = rows.times()?;
        let [source, offset, line] = ["source", "offset", "line"].map(|name| rows.column(name, cancel));
        let (source, offset, line) = (source?, offset?, line?);
        let number = |column: &indexer::CodedColumn, row: u32| {
            column.text(column.code(row as usize)).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0)
        };
        let mut texts = HashMap::new();
        if !program.slots[TEXT].matcher.is_empty() {
            let mut read: Vec<u32> = chosen.iter().map(|(row, _)| *row).collect();
            read.dedup();
            rows.for_each_text(&read, |row, text| drop(texts.insert(row, text.to_owned())))?;
        }
        let mut values =
            Values { program, rows, cancel, columns: HashMap::new(), matchers: HashMap::new(), texts };
        let mut hits = Vec::with_capacity(chosen.len());
        for &(row, rule) in chosen {
            hits.push(RuleHit {
                rule: self.rules[rule].id.clone(),
                event: (number(&source, row) as u32, number(&offset, row)),
                line: number(&line, row),
                time: times.get(row as usize),
                entities: columns.entities(row as usize),
                fields: values.matched(row, rule)?,
            });
        }
        Ok(hits)
    }
}

/// A test that a value passed.
struct Passed<'a> {
    field: String,
    value: String,
    test: &'a Test,
}

/// The values of a segment that tests read.
struct Values<'a> {
    program: &'a Program,
    rows: &'a SnapshotSegment<'a>,
    cancel: &'a Cancel,
    /// By slot: the columns and the names of their fields.
    columns: HashMap<usize, Vec<(String, indexer::CodedColumn)>>,
    matchers: HashMap<TestId, FieldMatcher>,
    texts: HashMap<u32, String>,
}

impl<'a> Values<'a> {
    fn matched(&mut self, row: u32, rule: usize) -> Result<Vec<MatchedField>> {
        let mut passed: Vec<Passed<'a>> = Vec::new();
        let program = self.program;
        for variant in program.variants.iter().filter(|variant| variant.rule == rule) {
            if let Some(more) = self.expr(&variant.expr, row)? {
                passed.extend(more);
            }
        }
        let mut fields: Vec<(String, String, Vec<Range<usize>>)> = Vec::new();
        for Passed { field, value, test } in passed {
            let found = spans(test, &value);
            match fields.iter_mut().find(|(known, text, _)| *known == field && *text == value) {
                Some((_, _, all)) => all.extend(found),
                None => fields.push((field, value, found)),
            }
        }
        let shown = |(field, value, spans): (String, String, Vec<Range<usize>>)| {
            let parts = parts(&value, spans);
            let is_whole = !field.is_empty() && value.len() <= EXCLUDED_BYTES;
            MatchedField { field, parts, value: is_whole.then_some(value) }
        };
        Ok(fields.into_iter().map(shown).collect())
    }

    /// The tests that make a condition hold; nothing where it does not. What a condition excludes is not among them.
    fn expr(&mut self, expr: &'a Expr<TestId>, row: u32) -> Result<Option<Vec<Passed<'a>>>> {
        let mut all = Vec::new();
        match expr {
            Expr::Leaf(id) => return self.test(*id, row),
            Expr::Always(truth) => return Ok(truth.then_some(all)),
            Expr::Not(part) => return Ok(self.expr(part, row)?.is_none().then_some(all)),
            Expr::And(parts) => {
                for part in parts {
                    let Some(more) = self.expr(part, row)? else { return Ok(None) };
                    all.extend(more);
                }
            }
            Expr::Or(parts) | Expr::AtLeast(_, parts) => {
                let least = if let Expr::AtLeast(count, _) = expr { *count } else { 1 };
                let mut held = 0;
                for part in parts {
                    if let Some(more) = self.expr(part, row)? {
                        held += 1;
                        all.extend(more);
                    }
                }
                if held < least {
                    return Ok(None);
                }
            }
        }
        Ok(Some(all))
    }

    fn test(&mut self, id: TestId, row: u32) -> Result<Option<Vec<Passed<'a>>>> {
        let program = self.program;
        let SlotTest { slot, test, other, .. } = &program.tests[id as usize];
        if *slot == TEXT {
            let matcher = self.matchers.entry(id).or_insert_with(|| FieldMatcher::new(&[(id, test)]));
            let text = self.texts.get(&row).filter(|text| !matcher.passing(text).is_empty());
            let passed = |text: &String| vec![Passed { field: String::new(), value: text.clone(), test }];
            return Ok(text.map(passed));
        }
        let values = self.values(*slot, row)?;
        if *test == Test::Null {
            return Ok(values.iter().all(|(_, value)| value.is_empty()).then(Vec::new));
        }
        let others = match other {
            Some(other) => self.values(*other, row)?,
            None => Vec::new(),
        };
        let matcher = self.matchers.entry(id).or_insert_with(|| FieldMatcher::new(&[(id, test)]));
        let does_match = |value: &str| match test {
            Test::Exists => true,
            Test::Field { part, cased, .. } => {
                let fold = |text: &str| if *cased { text.to_owned() } else { lower(text) };
                others.iter().any(|(_, other)| compares(&fold(value), &fold(other), *part))
            }
            _ => !matcher.passing(value).is_empty(),
        };
        let passed: Vec<Passed<'a>> = values
            .into_iter()
            .filter(|(_, value)| does_match(value))
            .map(|(field, value)| Passed { field, value, test })
            .collect();
        Ok((!passed.is_empty()).then_some(passed))
    }

    /// The values of the fields of a slot, with their names.
    fn values(&mut self, slot: usize, row: u32) -> Result<Vec<(String, String)>> {
        if !self.columns.contains_key(&slot) {
            let wanted = &self.program.slots[slot].fields;
            let fields = self.rows.fields().filter(|(name, ..)| wanted.iter().any(|field| field == name));
            let level = wanted.iter().any(|field| field == "level").then_some(("level", "level"));
            let mut columns = Vec::new();
            for (name, column) in fields.map(|(name, column, _)| (name, column)).chain(level) {
                columns.push((name.to_owned(), self.rows.column(column, self.cancel)?));
            }
            self.columns.insert(slot, columns);
        }
        let value = |(name, column): &(String, indexer::CodedColumn)| {
            Some((name.clone(), column.text(column.code(row as usize))?.into_owned()))
        };
        Ok(self.columns[&slot].iter().filter_map(value).collect())
    }
}

/// The part of a value that a test is about, in bytes.
fn spans(test: &Test, value: &str) -> Vec<Range<usize>> {
    match test {
        Test::Text { wild, cased } => literals(wild, value, *cased),
        Test::Regex(source) => {
            let found = compiled(source).and_then(|regex| regex.find(value).map(|found| found.range()));
            found.into_iter().collect()
        }
        _ => std::iter::once(0..value.len()).collect(),
    }
}

/// The texts of a pattern in a value, one after the other.
fn literals(wild: &Wild, value: &str, cased: bool) -> Vec<Range<usize>> {
    let folded = if cased { value.to_owned() } else { lower(value) };
    // Folding keeps the number of characters, and not that of their bytes.
    let starts = |text: &str| text.char_indices().map(|(at, _)| at).chain([text.len()]).collect::<Vec<_>>();
    let is_same = value.is_ascii();
    let (of_folded, of_value) =
        if is_same { (Vec::new(), Vec::new()) } else { (starts(&folded), starts(value)) };
    let place = |at: usize| {
        if is_same { at } else { of_folded.binary_search(&at).map_or(value.len(), |letter| of_value[letter]) }
    };
    let mut found = Vec::new();
    let mut from = 0;
    for (at, token) in wild.0.iter().enumerate() {
        let Token::Text(text) = token else { continue };
        // The last text of a pattern with a fixed end is the last one of the value.
        let is_end = at + 1 == wild.0.len() && folded.ends_with(text.as_str());
        let start = if is_end {
            Some(folded.len() - text.len())
        } else {
            folded[from..].find(text.as_str()).map(|at| from + at)
        };
        let Some(start) = start else { continue };
        from = start + text.len();
        found.push(place(start)..place(from));
    }
    found
}

/// A value as matched and other parts. Long ones are cut in their middle.
fn parts(value: &str, mut spans: Vec<Range<usize>>) -> Vec<MatchPart> {
    spans.retain(|span| {
        span.start < span.end && value.is_char_boundary(span.start) && value.is_char_boundary(span.end)
    });
    spans.sort_by_key(|span| (span.start, span.end));
    let mut parts = Vec::new();
    let mut at = 0;
    let mut push = |text: &str, matched: bool| {
        if !text.is_empty() {
            parts.push(MatchPart { text: shortened(text), matched });
        }
    };
    let mut joined: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => joined.push(span),
        }
    }
    for span in joined.into_iter().take(SHOWN_MATCHES) {
        push(&value[at..span.start], false);
        push(&value[span.clone()], true);
        at = span.end;
    }
    push(&value[at..], false);
    parts
}

fn shortened(text: &str) -> String {
    if text.len() <= 2 * SHOWN_AROUND_MATCH + 3 {
        return text.to_owned();
    }
    let start = text.floor_char_boundary(SHOWN_AROUND_MATCH);
    let end = text.ceil_char_boundary(text.len() - SHOWN_AROUND_MATCH);
    format!("{} … {}", &text[..start], &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(wild: &str, value: &str) -> String {
        let test = Test::Text { wild: Wild::parse(wild).lower(), cased: false };
        let parts = parts(value, spans(&test, value));
        parts
            .iter()
            .map(|part| if part.matched { format!("[{}]", part.text) } else { part.text.clone() })
            .collect()
    }

    #[test]
    fn the_texts_of_a_pattern_are_highlighted_in_the_value() {
        assert_eq!(shown("*\\cmd.exe", "C:\\x\\CMD.exe"), "C:\\x[\\CMD.exe]");
        assert_eq!(shown("*a*b*", "xAyBz"), "x[A]y[B]z");
        assert_eq!(shown("*x", "x and x"), "x and [x]");
        assert_eq!(shown("*é*", "İİÉ end"), "İİ[É] end");
        assert_eq!(shown("whole", "Whole"), "[Whole]");
        assert_eq!(shown("*", "anything"), "anything");
    }

    #[test]
    fn a_long_value_is_cut_around_what_matched() {
        let value = format!("{}needle{}", "a".repeat(50_000), "ä".repeat(50_000));
        let test = Test::Text { wild: Wild::parse("*needle*"), cased: false };
        let parts = parts(&value, spans(&test, &value));
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[1], MatchPart { text: "needle".to_owned(), matched: true });
        assert!(parts.iter().all(|part| part.text.len() < 1_000), "{}", parts[0].text.len());
    }
}
