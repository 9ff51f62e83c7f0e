//! Which kinds of clauses a cluster answers exactly, and why not the others: counted, and looked up in the documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use remote::Translated;

/// Filters by what became of them.
#[derive(Default)]
pub struct Kinds {
    pub exact: usize,
    pub inexact: usize,
    pub refused: usize,
    /// How many filters have a reason of this kind.
    reasons: BTreeMap<String, usize>,
}

/// A filter that no case takes either.
const WRONG: &str = "it is wrong in the language";

/// A reason without the names, numbers and clauses in it.
fn kind(reason: &str) -> String {
    let quoted = regex::Regex::new("`[^`]*`").expect("an expression");
    let reason = quoted.replace_all(reason, "`…`");
    let fields = regex::Regex::new("in the fields .*, not in").expect("an expression");
    let reason = fields.replace_all(&reason, "in the fields …, not in");
    let number = regex::Regex::new("[0-9]+").expect("an expression");
    number.replace_all(&reason, "…").into_owned()
}

impl Kinds {
    /// Counts a filter; whether it is exact.
    pub fn count(&mut self, translated: &indexer::Result<Translated>) -> bool {
        let reasons: BTreeSet<String> = match translated {
            Ok(translated) => translated.inexact.iter().map(|one| kind(&one.reason)).collect(),
            Err(error) => {
                let why = error.message().split_once("has no counterpart at the cluster: ");
                BTreeSet::from([why.map_or_else(|| WRONG.to_owned(), |(_, why)| kind(why))])
            }
        };
        match translated {
            Ok(_) if reasons.is_empty() => self.exact += 1,
            Ok(_) => self.inexact += 1,
            Err(_) => self.refused += 1,
        }
        for reason in reasons {
            *self.reasons.entry(reason).or_default() += 1;
        }
        translated.as_ref().is_ok_and(Translated::is_exact)
    }

    /// Reasons that the documentation does not list.
    pub fn undocumented(&self) -> Vec<&String> {
        let file = timberline_tests::files::root().join("docs/remote.md");
        let text = std::fs::read_to_string(file).expect("the documentation");
        let is_listed =
            |reason: &&String| reason.as_str() == WRONG || text.contains(&format!("| {reason} |"));
        self.reasons.keys().filter(|reason| !is_listed(reason)).collect()
    }
}

/// The reasons follow, the most frequent first, each with the number of filters.
impl fmt::Display for Kinds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} exact, {} not exact, {} refused", self.exact, self.inexact, self.refused)?;
        let mut reasons: Vec<(&String, &usize)> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        reasons.iter().try_for_each(|(reason, count)| write!(out, "\n    {count} {reason}"))
    }
}
