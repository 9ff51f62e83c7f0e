//! Sigma: rules and correlations of the specification 2.x over the events of a case.
//!
//! A [`RuleSet`] is read from files. [`program::Program`] makes one program of all rules for the fields of a case,
//! [`scan::segment`] runs it over a segment, and [`run()`] puts the segments together. Segments never change, so what was
//! found in one stays found: [`Progress`] keeps it, and a later call looks only at segments that came since.

mod about;
mod attack;
mod condition;
mod correlation;
mod encode;
mod entities;
mod evidence;
mod exclusion;
mod filter;
mod groups;
mod keys;
mod levels;
mod matched;
mod matching;
mod noise;
mod pattern;
mod program;
mod rule;
mod run;
mod scan;
mod sources;
mod values;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use attack::{TaggedRule, coverage};
use correlation::Correlation;
use filter::RuleFilter;
use rule::{Rule, stem_of};

use crate::alert::Severity;
use crate::problem::{Fault, Problem};
use crate::yaml::{self, Node, Value};

pub use about::RuleAbout;
pub use attack::{RuleState, TechniqueCoverage, technique_name};
pub use entities::{Entities, EntityValue};
pub use groups::{EventGroup, FoundRule, OtherGroups};
pub use matched::{HitPage, HitsOf, MatchPart, MatchedField, RuleHit, RuleHits};
pub use noise::bin_width;
pub use run::{Progress, run};
pub use sources::Sources;
pub use values::Placeholders;

/// How keywords are looked for in the texts of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextSearch {
    /// By the text index where there is one and many events are looked at.
    #[default]
    Auto,
    /// By the text index where there is one. Tests compare both ways.
    #[doc(hidden)]
    Index,
    /// In all texts.
    #[doc(hidden)]
    Scan,
}

/// Rules and correlations that were read.
#[derive(Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    files: Vec<PathBuf>,
    correlations: Vec<(Correlation, PathBuf)>,
    /// Those that were read and not applied yet.
    filters: Vec<(RuleFilter, PathBuf)>,
    pub(crate) text_search: TextSearch,
}

/// A rule or correlation as a list of them shows it.
#[derive(Clone, Copy, Debug)]
pub struct RuleEntry<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub severity: Severity,
    pub about: &'a RuleAbout,
    pub file: &'a Path,
}

/// A rule or correlation among those of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RulePlace {
    Rule(usize),
    Correlation(usize),
}

impl RuleSet {
    /// Its rules, in their order.
    pub fn rules(&self) -> impl Iterator<Item = RuleEntry<'_>> + Clone {
        self.rules.iter().zip(&self.files).map(|(rule, file)| RuleEntry {
            id: &rule.id,
            title: &rule.title,
            severity: rule.severity,
            about: &rule.about,
            file,
        })
    }

    /// Its correlations.
    pub fn correlations(&self) -> impl Iterator<Item = RuleEntry<'_>> {
        self.correlations.iter().map(|(correlation, file)| RuleEntry {
            id: &correlation.head.id,
            title: &correlation.head.title,
            severity: correlation.head.severity,
            about: &correlation.whole,
            file,
        })
    }

    /// Where the rule or correlation with this id is that a file contains.
    #[must_use]
    pub fn find(&self, file: &Path, id: &str) -> Option<RulePlace> {
        let is_it = |entry: RuleEntry<'_>| entry.id == id && entry.file == file;
        let rule = self.rules().position(is_it).map(RulePlace::Rule);
        rule.or_else(|| self.correlations().position(is_it).map(RulePlace::Correlation))
    }

    /// The files of a rule, or of a correlation and its rules.
    #[must_use]
    pub fn files_of(&self, place: RulePlace) -> Vec<&Path> {
        let (rules, correlations) = self.members(place);
        let of_rules = rules.into_iter().map(|at| &self.files[at]);
        let mut files: Vec<&Path> = Vec::new();
        for file in correlations.into_iter().map(|at| &self.correlations[at].1).chain(of_rules) {
            if !files.contains(&file.as_path()) {
                files.push(file);
            }
        }
        files
    }

    /// Only a rule, or a correlation and the rules that it is about, as filters have narrowed them.
    pub(crate) fn only(&self, place: RulePlace) -> RuleSet {
        let (rules, correlations) = self.members(place);
        RuleSet {
            files: rules.iter().map(|&at| self.files[at].clone()).collect(),
            rules: rules.into_iter().map(|at| self.rules[at].clone()).collect(),
            correlations: correlations.into_iter().map(|at| self.correlations[at].clone()).collect(),
            ..RuleSet::default()
        }
    }

    /// The rules and correlations that a place means, the correlation itself first.
    fn members(&self, place: RulePlace) -> (Vec<usize>, Vec<usize>) {
        match place {
            RulePlace::Rule(at) => ((at..self.rules.len()).take(1).collect(), Vec::new()),
            RulePlace::Correlation(at) => match self.correlations.get(at) {
                Some((correlation, _)) => {
                    let (rules, mut inner) = self.parts_of(correlation);
                    inner.retain(|other| *other != at);
                    inner.insert(0, at);
                    (rules, inner)
                }
                None => (Vec::new(), Vec::new()),
            },
        }
    }

    /// The rules that a correlation is about, also by way of other correlations, and those.
    fn parts_of(&self, correlation: &Correlation) -> (Vec<usize>, Vec<usize>) {
        let (mut rules, mut inner, mut waiting) = (Vec::new(), Vec::new(), vec![correlation]);
        while let Some(correlation) = waiting.pop() {
            for name in &correlation.rules {
                if let Some(rule) = self.rule_named(name) {
                    rules.push(rule);
                } else if let Some(other) =
                    self.correlation_named(name).filter(|other| !inner.contains(other))
                {
                    inner.push(other);
                    waiting.push(&self.correlations[other].0);
                }
            }
        }
        rules.sort_unstable();
        rules.dedup();
        (rules, inner)
    }

    /// The texts of the rules and correlations that a correlation is about, each with its own tags only.
    fn abouts_of(&self, correlation: &Correlation) -> impl Iterator<Item = &RuleAbout> {
        let (rules, inner) = self.parts_of(correlation);
        let of_inner = inner.into_iter().map(|at| &self.correlations[at].0.about);
        of_inner.chain(rules.into_iter().map(|at| &self.rules[at].about))
    }

    /// What its rules and correlations are about, and what became of that; the states are those of a report.
    #[must_use]
    pub fn coverage(&self, states: &[RuleState]) -> Vec<TechniqueCoverage> {
        let of_rules = self.rules.iter().map(|rule| vec![&rule.about]);
        let of_correlations = self.correlations.iter().map(|(correlation, _)| {
            std::iter::once(&correlation.about).chain(self.abouts_of(correlation)).collect::<Vec<_>>()
        });
        let tagged = of_rules.chain(of_correlations).zip(states);
        let tagged: Vec<TaggedRule<'_>> =
            tagged.map(|(abouts, &state)| TaggedRule { abouts, state }).collect();
        coverage(&tagged)
    }

    /// Reads filters of a case, which narrow those rules that are there. `name` is shown with what is wrong.
    pub fn add_filters_of_case(&mut self, name: &Path, text: &str) -> Vec<Problem> {
        let before = self.filters.len();
        let problems = self.add(name, text, &Placeholders::new());
        self.filters[before..].iter_mut().for_each(|(filter, _)| filter.is_of_case = true);
        problems
    }

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
            return Err(Fault::new(document.line, "not a Sigma rule, but a list or a text")
                .hint("a rule is a map with title, logsource and detection"));
        }
        if document.get("correlation").is_some() {
            let correlation = correlation::read(document, stem)?;
            self.correlations.push((correlation, file.to_owned()));
            return Ok(());
        }
        if document.get("filter").is_some() {
            self.filters.push((filter::read(document, placeholders)?, file.to_owned()));
            return Ok(());
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

    /// Puts documents together: filters narrow the rules that they name. Gives problems between documents, such as
    /// correlations that name a rule which is not there.
    #[must_use]
    pub fn link(&mut self) -> Vec<Problem> {
        let mut problems = filter::apply(self);
        let read: HashSet<String> = self.names().map(str::to_owned).collect();
        loop {
            let faults: Vec<Option<Fault>> =
                self.correlations.iter().map(|(correlation, _)| self.fault_of(correlation, &read)).collect();
            if faults.iter().all(Option::is_none) {
                break;
            }
            // Those that name a dropped one are next.
            let mut faults = faults.into_iter();
            self.correlations.retain(|(_, file)| {
                let fault = faults.next().flatten();
                let is_sound = fault.is_none();
                problems.extend(fault.map(|fault| Problem::of_file(file, fault)));
                is_sound
            });
        }
        let with_parts = |(correlation, _): &(Correlation, PathBuf)| {
            let mut whole = correlation.about.clone();
            self.abouts_of(correlation).for_each(|part| whole.add(part));
            whole
        };
        let wholes: Vec<RuleAbout> = self.correlations.iter().map(with_parts).collect();
        for ((correlation, _), whole) in self.correlations.iter_mut().zip(wholes) {
            correlation.whole = whole;
        }
        problems
    }

    /// Why a correlation can never hold with the rules and correlations that there are. `read` are the names of all that
    /// were read, also of those that were dropped since.
    fn fault_of(&self, correlation: &Correlation, read: &HashSet<String>) -> Option<Fault> {
        let is_unknown =
            |name: &&String| self.rule_named(name).is_none() && self.correlation_named(name).is_none();
        if let Some(unknown) = correlation.rules.iter().find(is_unknown) {
            return Some(if read.contains(unknown) {
                let message = format!("the correlation names `{unknown}`, which cannot run");
                Fault::new(correlation.line, message).hint("mend that correlation first")
            } else {
                missing_rule("correlation", unknown, correlation.line, self.names())
            });
        }
        let lost = |name: &String| self.lost_field(correlation, name);
        let able = correlation.rules.iter().filter(|name| lost(name).is_none()).count();
        if able >= correlation.least_rules() {
            return None;
        }
        let (name, field) = correlation.rules.iter().find_map(|name| Some((name, lost(name)?)))?;
        let message =
            format!("the correlation needs the field `{field}`, by which `{name}` does not group its events");
        Some(
            Fault::new(correlation.line, message)
                .hint(format!("add `{field}` to the `group-by` of `{name}`")),
        )
    }

    /// A field without which no interval of the named correlation counts for this one, and that its intervals have not.
    fn lost_field<'c>(&self, correlation: &'c Correlation, name: &str) -> Option<&'c String> {
        if self.rule_named(name).is_some() {
            return None;
        }
        let inner = &self.correlations[self.correlation_named(name)?].0;
        let counted = correlation.field.iter().filter(|_| correlation.needs_value());
        correlation.group_by.iter().chain(counted).find(|field| !inner.group_by.contains(field))
    }

    /// What rules and correlations are called: ids and names.
    fn names(&self) -> impl Iterator<Item = &str> {
        let rules = self.rules.iter().flat_map(|rule| [Some(&rule.id), rule.name.as_ref()]);
        let heads = self.correlations.iter().map(|(correlation, _)| &correlation.head);
        let correlations = heads.flat_map(|head| [Some(&head.id), head.name.as_ref()]);
        rules.chain(correlations).flatten().map(String::as_str)
    }
}

/// What is said where a document names a rule that is not there.
fn missing_rule<'n>(what: &str, unknown: &str, line: usize, names: impl Iterator<Item = &'n str>) -> Fault {
    let hint = indexer::query::nearest(unknown, names).map_or_else(
        || "give the file of that rule, too".to_owned(),
        |near| format!("did you mean `{near}`? Else give the file of that rule, too"),
    );
    Fault::new(line, format!("the {what} names `{unknown}`, which no rule is called")).hint(hint)
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
mod alert_tests;
#[cfg(test)]
mod reading_tests;
#[cfg(test)]
mod tests;
