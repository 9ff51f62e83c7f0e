//! The names that people gave to patterns, in what a page shows of them.

use std::collections::HashMap;

use super::answer::Frozen;
use super::chart::{Chart, ChartAxis};
use store::Note;

/// Columns whose values may be the texts of patterns: those of `patterns` and `compare`, and of what an alert is about.
const TEXTS: [&str; 3] = ["pattern", "what", "template"];

/// The names by the ids of patterns, and by their texts.
#[derive(Default)]
pub struct PatternNames {
    by_id: HashMap<String, String>,
    by_text: HashMap<String, String>,
}

impl PatternNames {
    pub fn from_notes(notes: &[Note]) -> PatternNames {
        let mut names = PatternNames::default();
        for note in notes.iter().filter(|note| note.kind == "pattern" && !note.text.is_empty()) {
            names.by_id.insert(note.id.clone(), note.text.clone());
            if let Some(text) = note.data.get("pattern").and_then(serde_json::Value::as_str) {
                names.by_text.insert(text.to_owned(), note.text.clone());
            }
        }
        names
    }

    /// The name of a pattern by its id.
    pub fn name(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).map(String::as_str)
    }

    /// The name of the pattern that a value of a column is the id or the text of.
    pub fn of_value(&self, column: &str, value: &str) -> Option<&str> {
        let by_text = || self.by_text.get(value).filter(|_| TEXTS.contains(&column)).map(String::as_str);
        self.name(value).or_else(by_text)
    }

    /// A text with names in place of ids, as a column is called that has the values of one pattern.
    fn in_text(&self, text: &str) -> String {
        self.by_id.iter().fold(text.to_owned(), |text, (id, name)| {
            if text.contains(id.as_str()) { text.replace(id.as_str(), name) } else { text }
        })
    }

    pub fn in_table(&self, mut table: Frozen) -> Frozen {
        for row in &mut table.rows {
            for ((column, _), value) in table.columns.iter().zip(row) {
                if let Some(name) = self.of_value(column, value) {
                    *value = name.to_owned();
                }
            }
        }
        for (column, _) in &mut table.columns {
            *column = self.in_text(column).into();
        }
        table
    }

    pub fn in_chart(&self, mut chart: Chart) -> Chart {
        if let ChartAxis::Names(names) = &mut chart.axis {
            for name in names {
                *name = self.in_text(name);
            }
        }
        chart.series.iter_mut().for_each(|series| series.name = self.in_text(&series.name));
        chart
    }
}
