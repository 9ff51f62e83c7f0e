//! Rules as documents: title, id, level, log source, searches, condition.

use std::path::Path;

use super::about::{RuleAbout, about};
use super::condition::{self, Expr};
use super::values::{Placeholders, Predicate, item, joined};
use crate::alert::Severity;
use crate::problem::Fault;
use crate::yaml::{Node, Value};

/// Which events a rule is about. In lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LogSource {
    pub category: Option<String>,
    pub product: Option<String>,
    pub service: Option<String>,
}

impl LogSource {
    /// Whether another log source is this one or a part of it.
    pub fn holds(&self, other: &LogSource) -> bool {
        let within = |one: &Option<String>, other: &Option<String>| one.is_none() || one == other;
        within(&self.category, &other.category)
            && within(&self.product, &other.product)
            && within(&self.service, &other.service)
    }
}

impl std::fmt::Display for LogSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [("category", &self.category), ("product", &self.product), ("service", &self.service)];
        let shown: Vec<String> = parts
            .iter()
            .filter_map(|(name, value)| value.as_ref().map(|value| format!("{name} {value}")))
            .collect();
        f.write_str(&shown.join(", "))
    }
}

#[derive(Clone, Debug)]
pub struct Rule {
    pub id: String,
    /// By which correlations may call it.
    pub name: Option<String>,
    pub title: String,
    pub severity: Severity,
    pub line: usize,
    pub source: LogSource,
    pub about: RuleAbout,
    pub condition: Expr<Predicate>,
}

impl Rule {
    /// Whether this is its id or its name.
    pub fn is_called(&self, name: &str) -> bool {
        self.id == name || self.name.as_deref() == Some(name)
    }
}

/// Reads the rule of a document. `stem` names it where it names itself nowhere.
pub fn rule(document: &Node, stem: &str, placeholders: &Placeholders) -> Result<Rule, Fault> {
    let head = head(document, stem)?;
    let source = log_source(document)?;
    let detection = document.get("detection").ok_or_else(|| {
        Fault::new(document.line, "the rule has no `detection`")
            .hint("a Sigma rule needs searches and a condition")
    })?;
    let condition = searches(detection, "detection", &["timeframe"], placeholders)?;
    let about = about(document, Some(&source));
    let Head { id, name, title, severity } = head;
    Ok(Rule { id, name, title, severity, line: document.line, source, about, condition })
}

/// The condition of a map of searches; `other` are keys of it that are none. `what` is how the map is called.
pub fn searches(
    body: &Node,
    what: &str,
    other: &[&str],
    placeholders: &Placeholders,
) -> Result<Expr<Predicate>, Fault> {
    let Value::Map(entries) = &body.value else {
        return Err(Fault::new(body.line, format!("`{what}` is not a map"))
            .hint("write searches and `condition:` under it"));
    };
    let mut names = Vec::new();
    let mut searches = Vec::new();
    for (key, value) in entries {
        let name = key.text().unwrap_or_default();
        if name == "condition" || other.contains(&name) {
            continue;
        }
        searches.push(search(value, placeholders)?);
        names.push(name.to_owned());
    }
    let written = body.get("condition").ok_or_else(|| {
        Fault::new(body.line, format!("`{what}` has no `condition`"))
            .hint(format!("for example `condition: {}`", names.first().map_or("selection", String::as_str)))
    })?;
    let mut conditions = Vec::new();
    for node in written.each() {
        let text = node.text().ok_or_else(|| Fault::new(node.line, "a condition is not a text"))?;
        let expr = condition::parse(text, &names, node.line)?;
        let mut look_up = |name: &String| {
            let place = names.iter().rposition(|known| known == name);
            place.map(|place| searches[place].clone()).ok_or_else(|| Fault::new(node.line, "no such search"))
        };
        conditions.push(expr.map(&mut look_up)?);
    }
    if conditions.is_empty() {
        return Err(Fault::new(written.line, "`condition` is empty"));
    }
    Ok(joined(conditions, false))
}

/// What rules and correlations have in common.
#[derive(Clone)]
pub struct Head {
    pub id: String,
    pub name: Option<String>,
    pub title: String,
    pub severity: Severity,
}

pub fn head(document: &Node, stem: &str) -> Result<Head, Fault> {
    let text =
        |key: &str| document.get(key).and_then(Node::text).map(str::trim).filter(|text| !text.is_empty());
    let title = text("title").unwrap_or(stem).to_owned();
    let name = text("name").map(str::to_owned);
    let id = text("id").or(text("name")).unwrap_or(&title).to_owned();
    let severity = match document.get("level") {
        None => Severity::default(),
        Some(node) => node.text().and_then(Severity::named).ok_or_else(|| {
            let names = Severity::ALL.map(Severity::name).join(", ");
            Fault::new(node.line, format!("`{}` is not a level", node.text().unwrap_or("")))
                .hint(format!("the levels are {names}"))
        })?,
    };
    Ok(Head { id, name, title, severity })
}

pub fn log_source(document: &Node) -> Result<LogSource, Fault> {
    let node = document.get("logsource").ok_or_else(|| {
        Fault::new(document.line, "the document has no `logsource`")
            .hint("add one: `logsource: {product: windows}`")
    })?;
    let text = |key: &str| node.get(key).and_then(Node::text).map(|text| text.trim().to_lowercase());
    let source = LogSource { category: text("category"), product: text("product"), service: text("service") };
    if source == LogSource::default() {
        return Err(Fault::new(node.line, "`logsource` has neither category, product nor service"));
    }
    Ok(source)
}

/// A search: a map whose tests must all hold, or a list any of whose maps and keywords may.
fn search(node: &Node, placeholders: &Placeholders) -> Result<Expr<Predicate>, Fault> {
    match &node.value {
        Value::Map(entries) if entries.is_empty() => {
            Err(Fault::new(node.line, "a search is empty, so it would match everything")
                .hint("give it a field or a keyword"))
        }
        Value::Map(entries) => {
            let mut parts = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                let name = key.text().unwrap_or_default();
                parts.push(item(name, key.line, value, placeholders)?);
            }
            Ok(joined(parts, true))
        }
        Value::List(nodes) if nodes.is_empty() => {
            Err(Fault::new(node.line, "a search is an empty list").hint("give it a field or a keyword"))
        }
        Value::List(nodes) => {
            let parts = nodes.iter().map(|node| search(node, placeholders)).collect::<Result<Vec<_>, _>>()?;
            Ok(joined(parts, false))
        }
        Value::Scalar(_) => item("", node.line, node, placeholders),
        Value::Null => Err(Fault::new(node.line, "a search is empty, so it would match everything")
            .hint("give it a field or a keyword")),
    }
}

/// The name of a file without its folder and ending.
pub fn stem_of(file: &Path) -> String {
    file.file_stem().map_or_else(|| "rule".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
