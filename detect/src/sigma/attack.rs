//! MITRE ATT&CK: the tactics and techniques that rules are tagged with, and what of them a set of rules could see.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use serde::Serialize;

use super::about::RuleAbout;

static NAMES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let lines = include_str!("techniques.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(' ')).collect()
});

/// What became of a rule in a case, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum RuleState {
    /// The case has no events of its log source.
    NoSource,
    /// It needs fields that no event of the case has.
    NoField,
    /// It looked at events and matched none.
    Quiet,
    Fired,
}

/// How many rules of a log source are about a technique, by what became of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TechniqueCoverage {
    pub log_source: String,
    pub tactic: String,
    /// Without its sub-technique: `T1003`. Empty for rules that name a tactic only.
    pub technique: String,
    /// Its name; empty if it is not known.
    pub name: String,
    pub rules: u32,
    /// Of them, those that could match events of the case.
    pub seeing: u32,
    pub fired: u32,
}

/// The tactics, the techniques and the other tags among tags.
pub fn tagged(tags: Vec<String>) -> (Vec<String>, Vec<String>, Vec<String>) {
    let (mut tactics, mut techniques, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for tag in tags {
        let lower = tag.to_lowercase();
        let Some(name) = lower.strip_prefix("attack.") else {
            others.push(tag);
            continue;
        };
        let number = |letter: char| {
            name.strip_prefix(letter)
                .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        };
        if number('t') {
            techniques.push(name.to_uppercase());
        } else if number('s') || number('g') || name.starts_with("ta0") {
            others.push(tag);
        } else {
            tactics.push(name.replace('_', "-"));
        }
    }
    (tactics, techniques, others)
}

/// The name of a technique or of the one that a sub-technique belongs to; empty if it is not known.
#[must_use]
pub fn technique_name(technique: &str) -> &'static str {
    NAMES.get(parent(technique)).copied().unwrap_or_default()
}

fn parent(technique: &str) -> &str {
    technique.split('.').next().unwrap_or(technique)
}

/// What rules are about by log source, tactic and technique.
///
/// A rule lists its tactics and its techniques separately. A technique belongs to those of the tactics that at least half of
/// the rules with this technique name.
#[must_use]
pub fn coverage<'a>(
    rules: impl Iterator<Item = (&'a RuleAbout, RuleState)> + Clone,
) -> Vec<TechniqueCoverage> {
    let mut together: HashMap<(&str, &str), u32> = HashMap::new();
    let mut of_technique: HashMap<&str, u32> = HashMap::new();
    for (about, _) in rules.clone() {
        for technique in parents(about) {
            *of_technique.entry(technique).or_default() += 1;
            for tactic in &about.tactics {
                *together.entry((technique, tactic.as_str())).or_default() += 1;
            }
        }
    }
    let is_usual = |technique: &str, tactic: &str| {
        let all = of_technique.get(technique).copied().unwrap_or_default();
        together.get(&(technique, tactic)).copied().unwrap_or_default() * 2 >= all
    };
    let mut counts: BTreeMap<(&str, &str, &str), [u32; 3]> = BTreeMap::new();
    for (about, state) in rules {
        let techniques = parents(about);
        let mut cells = BTreeSet::new();
        for technique in &techniques {
            let usual: Vec<&str> = about
                .tactics
                .iter()
                .map(String::as_str)
                .filter(|tactic| is_usual(technique, tactic))
                .collect();
            let chosen =
                if usual.is_empty() { about.tactics.iter().map(String::as_str).collect() } else { usual };
            cells.extend(chosen.into_iter().map(|tactic| (tactic, *technique)));
        }
        if techniques.is_empty() {
            cells.extend(about.tactics.iter().map(|tactic| (tactic.as_str(), "")));
        }
        for (tactic, technique) in cells {
            let count = counts.entry((about.log_source.as_str(), tactic, technique)).or_default();
            count[0] += 1;
            count[1] += u32::from(state >= RuleState::Quiet);
            count[2] += u32::from(state == RuleState::Fired);
        }
    }
    let entry =
        |((log_source, tactic, technique), [rules, seeing, fired]): ((&str, &str, &str), [u32; 3])| {
            let name = technique_name(technique).to_owned();
            let (log_source, tactic) = (log_source.to_owned(), tactic.to_owned());
            TechniqueCoverage {
                log_source,
                tactic,
                technique: technique.to_owned(),
                name,
                rules,
                seeing,
                fired,
            }
        };
    counts.into_iter().map(entry).collect()
}

fn parents(about: &RuleAbout) -> BTreeSet<&str> {
    about.techniques.iter().map(|technique| parent(technique)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(tactics: &[&str], techniques: &[&str]) -> RuleAbout {
        let texts = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
        RuleAbout {
            tactics: texts(tactics),
            techniques: texts(techniques),
            log_source: "product windows".to_owned(),
            ..RuleAbout::default()
        }
    }

    #[test]
    fn tags_are_tactics_techniques_or_others() {
        let tags = [
            "attack.t1003.001",
            "attack.credential_access",
            "attack.s0039",
            "cve.2024-1212",
            "attack.ta0001",
        ];
        let (tactics, techniques, others) = tagged(tags.map(str::to_owned).to_vec());
        assert_eq!(
            (tactics, techniques),
            (vec!["credential-access".to_owned()], vec!["T1003.001".to_owned()])
        );
        assert_eq!(others, ["attack.s0039", "cve.2024-1212", "attack.ta0001"]);
        assert_eq!(technique_name("T1003.001"), "OS Credential Dumping");
        assert_eq!(technique_name("T9999"), "");
    }

    #[test]
    fn a_technique_is_in_the_tactics_that_most_of_its_rules_name() {
        let both = about(&["execution", "credential-access"], &["T1059.001", "T1003"]);
        let shell = about(&["execution"], &["T1059"]);
        let dump = about(&["credential-access"], &["T1003"]);
        let only = about(&["impact"], &[]);
        let rules = [
            (&both, RuleState::Fired),
            (&shell, RuleState::Quiet),
            (&shell, RuleState::NoField),
            (&dump, RuleState::NoSource),
            (&dump, RuleState::Quiet),
            (&only, RuleState::NoSource),
        ];
        let found = coverage(rules.iter().copied());
        let cells: Vec<_> = found
            .iter()
            .map(|cell| (&*cell.tactic, &*cell.technique, [cell.rules, cell.seeing, cell.fired]))
            .collect();
        assert_eq!(
            cells,
            [
                ("credential-access", "T1003", [3, 2, 1]),
                ("execution", "T1059", [3, 2, 1]),
                ("impact", "", [1, 0, 0]),
            ]
        );
    }
}
