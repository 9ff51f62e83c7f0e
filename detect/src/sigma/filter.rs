//! Filters: documents that narrow rules of other documents, as an environment needs it.

use std::collections::HashMap;
use std::path::PathBuf;

use super::condition::Expr;
use super::rule::{LogSource, log_source, searches};
use super::values::{Placeholders, Predicate, joined};
use super::{RuleSet, missing_rule};
use crate::problem::{Fault, Problem};
use crate::yaml::{Node, Value};

/// The word in place of rules that means all of the filter's log source.
const ANY: &str = "any";

#[derive(Clone, Debug)]
pub struct RuleFilter {
    /// It is of a case, and its rules may be in another folder: that they are not here is no problem.
    pub is_of_case: bool,
    line: usize,
    source: LogSource,
    /// Ids and names with their lines; nothing is all rules of the log source.
    rules: Option<Vec<(String, usize)>>,
    /// Holds for the events that stay.
    condition: Expr<Predicate>,
}

/// Reads the filter of a document.
pub fn read(document: &Node, placeholders: &Placeholders) -> Result<RuleFilter, Fault> {
    let Some(body) = document.get("filter") else {
        return Err(Fault::new(document.line, "the document has no `filter`"));
    };
    if document.get("detection").is_some() {
        return Err(Fault::new(body.line, "the document has both `detection` and `filter`")
            .hint("write the filter as a document of its own, after a line `---`"));
    }
    if !matches!(body.value, Value::Map(_)) {
        return Err(Fault::new(body.line, "`filter` is not a map")
            .hint("write `rules:`, searches and `condition:` under it"));
    }
    let source = log_source(document)?;
    let rules = body.get("rules").ok_or_else(|| {
        Fault::new(body.line, "the filter has no `rules`")
            .hint("list the ids or names of the rules that it narrows, or write `rules: any`")
    })?;
    let named: Option<Vec<(String, usize)>> =
        rules.each().iter().map(|node| Some((node.text()?.trim().to_owned(), node.line))).collect();
    let named = named.filter(|named| !named.is_empty()).ok_or_else(|| {
        Fault::new(rules.line, "`rules` of the filter lists no ids or names")
            .hint("list the ids or names of rules, or write `rules: any`")
    })?;
    let is_any = matches!(named.as_slice(), [(name, _)] if name == ANY);
    let condition = searches(body, "filter", &["rules"], placeholders)?;
    let is_of_case = false;
    Ok(RuleFilter { is_of_case, line: document.line, source, rules: (!is_any).then_some(named), condition })
}

/// Narrows the rules that filters name. A rule of another log source than the filter's stays as it is; that no rule is
/// of it, and names that no rule has, are problems.
pub fn apply(set: &mut RuleSet) -> Vec<Problem> {
    let filters: Vec<(RuleFilter, PathBuf)> = std::mem::take(&mut set.filters);
    let mut problems = Vec::new();
    let mut narrowed: HashMap<usize, Vec<Expr<Predicate>>> = HashMap::new();
    for (filter, file) in filters {
        let mut chosen = Vec::new();
        let mut is_known = filter.rules.is_none();
        for (name, line) in filter.rules.iter().flatten() {
            let before = chosen.len();
            chosen.extend((0..set.rules.len()).filter(|&rule| set.rules[rule].is_called(name)));
            if chosen.len() > before {
                is_known = true;
                continue;
            }
            if filter.is_of_case {
                continue;
            }
            let fault = if set.correlation_named(name).is_some() {
                Fault::new(*line, format!("the filter names `{name}`, which is a correlation"))
                    .hint("name the rules that the correlation is about")
            } else {
                missing_rule("filter", name, *line, set.names())
            };
            problems.push(Problem::of_file(&file, fault));
        }
        if filter.rules.is_none() {
            chosen.extend(0..set.rules.len());
        }
        chosen.retain(|&rule| filter.source.holds(&set.rules[rule].source));
        chosen.sort_unstable();
        chosen.dedup();
        if chosen.is_empty() && is_known {
            let message =
                format!("the filter changes nothing: no rule that it names is of {}", filter.source);
            let hint = "give it the log source of its rules, or leave out a part of it";
            problems.push(Problem::of_file(&file, Fault::new(filter.line, message).hint(hint)));
        }
        for rule in chosen {
            narrowed.entry(rule).or_default().push(filter.condition.clone());
        }
    }
    for (rule, mut filters) in narrowed {
        let condition = std::mem::replace(&mut set.rules[rule].condition, Expr::Always(true));
        filters.insert(0, condition);
        set.rules[rule].condition = joined(filters, true);
    }
    problems
}
