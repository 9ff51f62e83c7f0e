//! The description of a rule, for whoever reads its alerts, not for the evaluation.

use serde::Serialize;

use super::attack::tagged;
use super::rule::LogSource;
use crate::yaml::Node;

/// The texts of a rule or correlation. A correlation has the tactics and techniques of its rules, too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RuleAbout {
    pub description: String,
    pub author: String,
    pub status: String,
    /// When it was written or, if it was, changed, as the rule has it.
    pub date: String,
    pub references: Vec<String>,
    pub false_positives: Vec<String>,
    /// Tactics of ATT&CK: `credential-access`.
    pub tactics: Vec<String>,
    /// Techniques of ATT&CK: `T1003.001`.
    pub techniques: Vec<String>,
    /// Other tags: `cve.2024-1212`.
    pub tags: Vec<String>,
    /// As messages show it: `category process_creation, product windows`. Of a correlation those of its rules.
    pub log_source: String,
}

impl RuleAbout {
    /// Adds the log source, the tactics and the techniques of a rule that a correlation is about.
    pub fn add(&mut self, rule: &RuleAbout) {
        let lists = [(&mut self.tactics, &rule.tactics), (&mut self.techniques, &rule.techniques)];
        for (list, more) in lists {
            for one in more {
                if !list.contains(one) {
                    list.push(one.clone());
                }
            }
        }
        let is_known = self.log_source.split("; ").any(|known| known == rule.log_source);
        if !is_known && !rule.log_source.is_empty() {
            let before = if self.log_source.is_empty() { "" } else { "; " };
            self.log_source.extend([before, &rule.log_source]);
        }
    }
}

/// The texts of a document. `source` is its log source; correlations have none.
pub fn about(document: &Node, source: Option<&LogSource>) -> RuleAbout {
    let text =
        |key: &str| document.get(key).and_then(Node::text).map(str::trim).unwrap_or_default().to_owned();
    let list = |key: &str| -> Vec<String> {
        let nodes = document.get(key).map(Node::each).unwrap_or_default();
        nodes
            .iter()
            .filter_map(Node::text)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
            .collect()
    };
    let changed = text("modified");
    let (tactics, techniques, tags) = tagged(list("tags"));
    RuleAbout {
        description: text("description"),
        author: text("author"),
        status: text("status"),
        date: if changed.is_empty() { text("date") } else { changed },
        references: list("references"),
        false_positives: list("falsepositives"),
        tactics,
        techniques,
        tags,
        log_source: source.map_or_else(String::new, LogSource::to_string),
    }
}
