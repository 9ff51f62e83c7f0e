//! MITRE ATT&CK: the tactics and techniques that rules are tagged with, and what of them a set of rules could see.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use serde::Serialize;

use super::about::RuleAbout;

static NAMES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let lines = include_str!("techniques.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(' ')).collect()
});

/// What became of a rule or a correlation in a case, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum RuleState {
    /// A problem of the report says why.
    CannotRun,
    /// The case has no events of its log source. A correlation has too few rules with such events to hold.
    NoSource,
    /// It needs fields that no event of the case has.
    NoField,
    /// It looked at events and gave no alert.
    Quiet,
    /// It gave an alert. A rule that is only a part of correlations gives none.
    Fired,
}

/// How many rules and correlations of a log source are about a technique, by what became of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TechniqueCoverage {
    /// Of a correlation those of its rules.
    pub log_source: String,
    pub tactic: String,
    /// Without its sub-technique: `T1003`. Empty for rules that name a tactic only.
    pub technique: String,
    /// Its name; empty if it is not known.
    pub name: String,
    /// Correlations included. They have the techniques of their rules, too.
    pub rules: u32,
    /// Of them, those that could match events of the case.
    pub seeing: u32,
    pub fired: u32,
}

/// A rule or a correlation with the tags that it counts for.
#[derive(Clone, Debug)]
pub struct TaggedRule<'a> {
    pub log_source: &'a str,
    /// Its own texts; of a correlation those of its rules follow.
    pub abouts: Vec<&'a RuleAbout>,
    pub state: RuleState,
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
/// the rules with this technique name. A correlation is in the cells of its rules, too.
#[must_use]
pub fn coverage(rules: &[TaggedRule<'_>]) -> Vec<TechniqueCoverage> {
    let usual = UsualTactics::new(rules.iter().filter_map(|rule| rule.abouts.first().copied()));
    let mut counts: BTreeMap<(&str, &str, &str), [u32; 3]> = BTreeMap::new();
    for rule in rules {
        let cells: BTreeSet<(&str, &str)> =
            rule.abouts.iter().flat_map(|about| cells(about, &usual)).collect();
        for (tactic, technique) in cells {
            let count = counts.entry((rule.log_source, tactic, technique)).or_default();
            count[0] += 1;
            count[1] += u32::from(rule.state >= RuleState::Quiet);
            count[2] += u32::from(rule.state == RuleState::Fired);
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

/// How many rules name a technique, and together with which tactics.
struct UsualTactics<'a> {
    together: BTreeMap<(&'a str, &'a str), u32>,
    of_technique: HashMap<&'a str, u32>,
}

impl<'a> UsualTactics<'a> {
    fn new(abouts: impl Iterator<Item = &'a RuleAbout>) -> UsualTactics<'a> {
        let mut usual = UsualTactics { together: BTreeMap::new(), of_technique: HashMap::new() };
        for about in abouts.filter(|about| !about.tactics.is_empty()) {
            for technique in parents(about) {
                *usual.of_technique.entry(technique).or_default() += 1;
                for tactic in &about.tactics {
                    *usual.together.entry((technique, tactic.as_str())).or_default() += 1;
                }
            }
        }
        usual
    }

    /// The tactics that at least half of the rules with a technique name.
    fn tactics(&self, technique: &'a str) -> Vec<&'a str> {
        let all = self.of_technique.get(technique).copied().unwrap_or_default();
        let tactics = self.together.range((technique, "")..).take_while(|((of, _), _)| *of == technique);
        tactics.filter(|(_, count)| **count * 2 >= all).map(|((_, tactic), _)| *tactic).collect()
    }
}

/// The tactics and techniques that a rule names. Each technique is in those of its tactics that are usual for it, or in all
/// if none is. A rule that names no tactic means the usual ones.
fn cells<'a>(about: &'a RuleAbout, usual: &UsualTactics<'a>) -> Vec<(&'a str, &'a str)> {
    let tactics = || about.tactics.iter().map(String::as_str);
    let techniques = parents(about);
    if techniques.is_empty() {
        return tactics().map(|tactic| (tactic, "")).collect();
    }
    let of_technique = |technique: &'a str| {
        let usual = usual.tactics(technique);
        let mut chosen: Vec<&str> = tactics().filter(|tactic| usual.contains(tactic)).collect();
        if chosen.is_empty() {
            chosen = if about.tactics.is_empty() { usual } else { tactics().collect() };
        }
        chosen.into_iter().map(move |tactic| (tactic, technique))
    };
    techniques.into_iter().flat_map(of_technique).collect()
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

    fn tagged_rule(abouts: Vec<&RuleAbout>, state: RuleState) -> TaggedRule<'_> {
        TaggedRule { log_source: "product windows", abouts, state }
    }

    fn counts(rules: &[TaggedRule<'_>]) -> Vec<(String, [u32; 3])> {
        let count = |cell: TechniqueCoverage| {
            (format!("{} {}", cell.tactic, cell.technique), [cell.rules, cell.seeing, cell.fired])
        };
        coverage(rules).into_iter().map(count).collect()
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
        let own = about(&["lateral-movement"], &["T1021.001"]);
        let without = about(&[], &["T1003.002"]);
        let rules = [
            (&both, RuleState::Fired),
            (&shell, RuleState::Quiet),
            (&shell, RuleState::NoField),
            (&dump, RuleState::NoSource),
            (&dump, RuleState::Quiet),
            (&only, RuleState::NoSource),
        ];
        let mut tagged: Vec<TaggedRule<'_>> =
            rules.iter().map(|&(about, state)| tagged_rule(vec![about], state)).collect();
        assert_eq!(
            counts(&tagged),
            [
                ("credential-access T1003".to_owned(), [3, 2, 1]),
                ("execution T1059".to_owned(), [3, 2, 1]),
                ("impact ".to_owned(), [1, 0, 0]),
            ]
        );
        // A correlation has the techniques of its rules, each in the tactic of that rule, and each once.
        tagged.push(tagged_rule(vec![&own, &shell, &dump, &dump], RuleState::Fired));
        assert_eq!(
            counts(&tagged),
            [
                ("credential-access T1003".to_owned(), [4, 3, 2]),
                ("execution T1059".to_owned(), [4, 3, 2]),
                ("impact ".to_owned(), [1, 0, 0]),
                ("lateral-movement T1021".to_owned(), [1, 1, 1]),
            ]
        );
        // Without a tactic it counts for the usual one.
        tagged.push(tagged_rule(vec![&without], RuleState::Quiet));
        assert_eq!(counts(&tagged)[0], ("credential-access T1003".to_owned(), [5, 4, 2]));
    }
}
