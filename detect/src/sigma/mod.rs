//! Sigma: rules and correlations of the specification 2.x over the events of a case.
//!
//! A [`RuleSet`] is read from files. [`program::Program`] makes one program of all rules for the fields of a case,
//! [`scan::segment`] runs it over a segment, and [`run`] puts the segments together. Segments never change, so what was
//! found in one stays found: [`Progress`] keeps it, and a later call looks only at segments that came since.

mod condition;
mod correlation;
mod encode;
mod evidence;
mod matching;
mod pattern;
mod program;
mod rule;
mod run;
mod scan;
mod sources;
mod values;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use correlation::Correlation;
use rule::{Rule, stem_of};

use crate::problem::{Fault, Problem};
use crate::yaml::{self, Node, Value};

pub use run::{Progress, run};
pub use sources::Sources;
pub use values::{Clock, Placeholders};

/// Rules and correlations that were read.
#[derive(Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    files: Vec<PathBuf>,
    correlations: Vec<(Correlation, PathBuf)>,
}

impl RuleSet {
    /// How many rules and correlations it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len() + self.correlations.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads the documents of a file. What is wrong with one of them takes none of the others along.
    pub fn add(&mut self, file: &Path, text: &str, placeholders: &Placeholders) -> Vec<Problem> {
        let documents = match yaml::documents(text) {
            Ok(documents) => documents,
            Err(fault) => return vec![Problem::of_file(file, fault)],
        };
        let stem = stem_of(file);
        let mut problems = Vec::new();
        let mut global: Option<Node> = None;
        let mut found = 0;
        for document in documents {
            if document.value == Value::Null {
                continue;
            }
            found += 1;
            if document.get("action").and_then(Node::text) == Some("global") {
                global = Some(document);
                continue;
            }
            let whole = global.as_ref().map_or_else(|| document.clone(), |global| merged(global, &document));
            if let Err(fault) = self.document(file, &stem, &whole, placeholders) {
                problems.push(Problem::of_file(file, fault));
            }
        }
        if found == 0 {
            problems.push(Problem::of_file(
                file,
                Fault::new(0, "the file is empty").hint("remove it, or write a rule"),
            ));
        }
        problems
    }

    fn document(
        &mut self,
        file: &Path,
        stem: &str,
        document: &Node,
        placeholders: &Placeholders,
    ) -> Result<(), Fault> {
        if !matches!(document.value, Value::Map(_)) {
            return Err(Fault::new(document.line, "it is no Sigma rule but a list or a text")
                .hint("a rule is a map with title, logsource and detection"));
        }
        if document.get("correlation").is_some() {
            let correlation = correlation::read(document, stem)?;
            self.correlations.push((correlation, file.to_owned()));
            return Ok(());
        }
        if document.get("filter").is_some() {
            return Err(Fault::new(document.line, "filters for rules of other files are not supported")
                .hint("write the exception into the rule: `and not filter`"));
        }
        let rule = rule::rule(document, stem, placeholders)?;
        if is_certain(&rule.condition) {
            return Err(Fault::new(rule.line, "the rule matches every event of its log source")
                .hint("its values are empty or only `*`; narrow them"));
        }
        self.rules.push(rule);
        self.files.push(file.to_owned());
        Ok(())
    }

    /// Problems between documents: correlations that name a rule which is not there.
    #[must_use]
    pub fn link(&mut self) -> Vec<Problem> {
        let mut names: HashMap<String, bool> = HashMap::new();
        for rule in &self.rules {
            names.insert(rule.id.clone(), true);
            names.extend(rule.name.clone().map(|name| (name, true)));
        }
        for (correlation, _) in &self.correlations {
            names.insert(correlation.head.id.clone(), true);
            names.extend(correlation.head.name.clone().map(|name| (name, true)));
        }
        let mut problems = Vec::new();
        self.correlations.retain(|(correlation, file)| {
            let unknown = correlation.rules.iter().find(|name| !names.contains_key(*name));
            if let Some(unknown) = unknown {
                let fault = Fault::new(
                    correlation.line,
                    format!("the correlation names `{unknown}`, which no rule is called"),
                );
                let near = indexer::query::nearest(unknown, names.keys().map(String::as_str));
                let hint = near.map_or_else(
                    || "give the file of that rule, too".to_owned(),
                    |near| format!("did you mean `{near}`? Else give the file of that rule, too"),
                );
                problems.push(Problem::of_file(file, fault.hint(hint)));
            }
            unknown.is_none()
        });
        problems
    }
}

/// A document over what a global one says.
fn merged(global: &Node, document: &Node) -> Node {
    let (Value::Map(base), Value::Map(more)) = (&global.value, &document.value) else {
        return document.clone();
    };
    let mut entries: Vec<(Node, Node)> =
        base.iter().filter(|(key, _)| key.text() != Some("action")).cloned().collect();
    for (key, value) in more {
        match entries.iter_mut().find(|(known, _)| known.text() == key.text()) {
            Some((_, known)) => *known = merged(known, value),
            None => entries.push((key.clone(), value.clone())),
        }
    }
    Node { line: document.line, value: Value::Map(entries) }
}

/// Whether a condition holds for every event that has its fields.
fn is_certain(expr: &condition::Expr<values::Predicate>) -> bool {
    use condition::Expr;
    match expr {
        Expr::And(parts) => parts.iter().all(is_certain),
        Expr::Or(parts) => parts.iter().any(is_certain),
        Expr::AtLeast(count, parts) => parts.iter().filter(|part| is_certain(part)).count() >= *count,
        Expr::Not(_) => false,
        Expr::Always(truth) => *truth,
        Expr::Leaf(predicate) => matches!(
            &predicate.test,
            values::Test::Text { wild, .. } if wild.0.iter().all(|token| *token == pattern::Token::Many) && !wild.0.is_empty()
        ),
    }
}

#[cfg(test)]
mod tests;
