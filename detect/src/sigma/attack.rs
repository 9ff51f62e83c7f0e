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
    /// Of a correlation, that of its first rule with this tactic and technique. Its own tags count for its first rule.
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
        let mut found: BTreeMap<(&str, &str), &str> = BTreeMap::new();
        for about in &rule.abouts {
            // The texts of a correlation have no log source.
            let mut sources = std::iter::once(about).chain(&rule.abouts).map(|about| &*about.log_source);
            let source = sources.find(|source| !source.is_empty()).unwrap_or_default();
            for cell in cells(about, &usual) {
                found.entry(cell).or_insert(source);
            }
        }
        for ((tactic, technique), source) in found {
            let count = counts.entry((source, tactic, technique)).or_default();
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
        let named = self.named(technique);
        named.filter(|(_, count)| *count * 2 >= all).map(|(tactic, _)| tactic).collect()
    }

    /// Each tactic that a rule with a technique names, and how many do.
    fn named(&self, technique: &'a str) -> impl Iterator<Item = (&'a str, u32)> {
        let tactics = self.together.range((technique, "")..);
        let tactics = tactics.take_while(move |((of, _), _)| *of == technique);
        tactics.map(|((_, tactic), count)| (*tactic, *count))
    }
}

/// The tactics and techniques that a rule names. Each technique is in those of its tactics that are usual for it, or in all
/// if none is. A rule that names no tactic means the usual ones, or all that other rules name if none is usual.
fn cells<'a>(about: &'a RuleAbout, all: &UsualTactics<'a>) -> Vec<(&'a str, &'a str)> {
    let tactics = || about.tactics.iter().map(String::as_str);
    let techniques = parents(about);
    if techniques.is_empty() {
        return tactics().map(|tactic| (tactic, "")).collect();
    }
    let of_technique = |technique: &'a str| {
        let usual = all.tactics(technique);
        let mut chosen: Vec<&str> = tactics().filter(|tactic| usual.contains(tactic)).collect();
        if chosen.is_empty() {
            chosen = if about.tactics.is_empty() { usual } else { tactics().collect() };
        }
        if chosen.is_empty() {
            chosen = all.named(technique).map(|(tactic, _)| tactic).collect();
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
        TaggedRule { abouts, state }
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

    #[test]
    fn a_rule_without_a_tactic_is_in_all_that_its_technique_has_if_none_is_usual() {
        let named = ["collection", "discovery", "execution"].map(|tactic| about(&[tactic], &["T1005"]));
        let without = about(&[], &["T1005"]);
        let rules: Vec<TaggedRule<'_>> =
            named.iter().chain([&without]).map(|one| tagged_rule(vec![one], RuleState::Quiet)).collect();
        let each = |tactic: &str| (format!("{tactic} T1005"), [2, 2, 0]);
        assert_eq!(counts(&rules), ["collection", "discovery", "execution"].map(each));
    }

    #[test]
    fn a_correlation_counts_for_the_log_sources_of_its_rules_and_for_no_other() {
        let of = |source: &str, about: RuleAbout| RuleAbout { log_source: source.to_owned(), ..about };
        let own = of("", about(&["impact"], &["T1485"]));
        let windows = of("product windows", about(&["execution"], &["T1059"]));
        let linux = of("product linux", about(&["discovery"], &["T1087"]));
        let rule = tagged_rule(vec![&own, &windows, &linux, &windows], RuleState::Fired);
        let found: Vec<(String, String, u32)> =
            coverage(&[rule]).into_iter().map(|cell| (cell.log_source, cell.technique, cell.fired)).collect();
        let one = |source: &str, technique: &str| (source.to_owned(), technique.to_owned(), 1);
        let (linux, windows) = ("product linux", "product windows");
        assert_eq!(found, [one(linux, "T1087"), one(windows, "T1059"), one(windows, "T1485")]);
    }
}
