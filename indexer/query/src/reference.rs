//! The language as data, for whoever shows it: the tables that the parser, completion and `docs/language.md` read.

use serde::Serialize;

use super::functions::{Aggregation, Described, Function};
use super::levels::LEVELS;
use super::page::{CLAUSES, OTHER_TOOLS, TIMES};
use super::stages::StageName;

/// A part of the language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ReferenceTopic"))]
pub struct Topic {
    pub name: &'static str,
    pub entries: Vec<Entry>,
}

/// Something that can be written. Code in the summary is between backticks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ReferenceEntry"))]
pub struct Entry {
    /// Ways to write it; the first one is the usual one.
    pub written: Vec<String>,
    /// Other names it is known by.
    pub aliases: Vec<String>,
    pub summary: String,
    pub example: Option<String>,
}

/// Everything that can be written, part by part.
#[must_use]
pub fn reference() -> Vec<Topic> {
    let clauses = CLAUSES.iter().map(|clause| Entry {
        written: texts(clause.examples),
        summary: clause.summary.to_owned(),
        example: clause.examples.first().map(|&example| example.to_owned()),
        ..Entry::default()
    });
    let stages = StageName::ALL.iter().map(|stage| {
        let described = stage.described();
        Entry {
            written: vec![described.syntax.to_owned()],
            aliases: texts(described.aliases),
            summary: described.summary.to_owned(),
            example: Some(described.example.to_owned()),
        }
    });
    let times = TIMES.iter().map(|&(time, meaning)| said(time, meaning.to_owned()));
    let levels = LEVELS.iter().map(|&(level, others)| Entry {
        written: vec![level.to_owned()],
        aliases: texts(others),
        ..Entry::default()
    });
    let others =
        OTHER_TOOLS.iter().map(|&(written, becomes)| said(written, format!("is read as `{becomes}`")));
    let topic = |name, entries| Topic { name, entries };
    vec![
        topic("Filters", clauses.collect()),
        topic("Stages", stages.collect()),
        topic("Aggregations", functions(Aggregation::ALL.iter().map(|function| function.described()))),
        topic("Functions", functions(Function::ALL.iter().map(|function| function.described()))),
        topic("Times", times.collect()),
        topic("Levels", levels.collect()),
        topic("Other tools", others.collect()),
    ]
}

fn functions(all: impl Iterator<Item = Described>) -> Vec<Entry> {
    let entry = |function: Described| Entry {
        aliases: texts(function.aliases),
        ..said(&function.signature(), function.summary.to_owned())
    };
    all.map(entry).collect()
}

fn said(written: &str, summary: String) -> Entry {
    Entry { written: vec![written.to_owned()], summary, ..Entry::default() }
}

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|&text| text.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{page, parse_query};

    #[test]
    fn reference_has_all_of_the_page_and_its_examples_are_understood() {
        let (page, reference) = (page::page().replace("\\|", "|"), reference());
        let entries = || reference.iter().flat_map(|topic| &topic.entries);
        for entry in entries() {
            for written in &entry.written {
                assert!(page.contains(&format!("`{written}`")), "{written}");
            }
            if let Some(example) = &entry.example {
                assert!(page.contains(example.as_str()), "{example}");
            }
        }
        for stage in &reference[1].entries {
            let example = stage.example.as_deref().expect("an example");
            assert!(parse_query(&format!("* | {example}")).is_ok(), "{example}");
        }
        assert!(entries().count() > 150, "{}", entries().count());
    }
}
