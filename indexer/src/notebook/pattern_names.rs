//! The names that people gave to patterns, in what a page shows of them. A name in place of an id is followed by the id,
//! because two patterns may have one name.

use std::collections::HashMap;

use super::answer::Frozen;
use super::chart::{Chart, ChartAxis};
use patterns::{Granularity, TemplateId};
use query::{Stage, StageKind};
use store::Note;

#[derive(Default)]
pub struct PatternNames {
    by_id: HashMap<TemplateId, String>,
    /// Named patterns of the default granularity. Those of others may have the same texts.
    by_text: HashMap<String, TemplateId>,
}

/// The columns of a table whose rows are patterns.
#[derive(Clone, Copy)]
struct PatternColumns {
    text: usize,
    /// The column that has the id, alone or in a filter.
    id: Option<usize>,
    /// The column that says whether a row is a pattern, if some are not.
    kind: Option<usize>,
}

impl PatternNames {
    pub fn from_notes(notes: &[Note]) -> PatternNames {
        let mut names = PatternNames::default();
        for note in notes.iter().filter(|note| note.kind == "pattern" && !note.text.is_empty()) {
            let Some(id) = id_in(&note.id) else { continue };
            names.by_id.insert(id, note.text.clone());
            let text = note.data.get("pattern").and_then(serde_json::Value::as_str);
            if let Some(text) = text.filter(|_| id.granularity == Granularity::default()) {
                names.by_text.insert(text.to_owned(), id);
            }
        }
        names
    }

    /// The name of a pattern.
    pub fn name(&self, id: TemplateId) -> Option<&str> {
        self.by_id.get(&id).map(String::as_str)
    }

    /// The name and the id of the pattern that a value of a field is the id of; of `template`, the id or the text.
    pub fn of_value(&self, field: &str, value: &str) -> Option<String> {
        let by_text = || self.by_text.get(value).filter(|_| field == "template").copied();
        self.label(id_in(value).or_else(by_text)?)
    }

    pub fn in_table(&self, mut table: Frozen, stages: &[Stage]) -> Frozen {
        let columns = pattern_columns(&table, stages);
        for row in &mut table.rows {
            let named = columns.and_then(|columns| Some((columns.text, self.of_row(row, columns)?)));
            for value in row.iter_mut() {
                if let Some(label) = id_in(value).and_then(|id| self.label(id)) {
                    *value = label;
                }
            }
            if let Some((text, name)) = named {
                row[text] = name;
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

    fn label(&self, id: TemplateId) -> Option<String> {
        self.name(id).map(|name| format!("{name} ({id})"))
    }

    /// The name for the text of a row: that of the id in the row, or else that of the default granularity.
    fn of_row(&self, row: &[String], columns: PatternColumns) -> Option<String> {
        if columns.kind.is_some_and(|kind| row[kind] != "pattern") {
            return None;
        }
        let mut ids = columns.id.into_iter().flat_map(|id| row[id].split(is_no_word).filter_map(id_in));
        match (ids.next(), ids.next()) {
            (Some(id), None) => self.name(id).map(str::to_owned),
            _ => self.by_text.get(&row[columns.text]).and_then(|id| self.label(*id)),
        }
    }

    /// A text with names and ids in place of ids, as a column is called that has the values of one pattern.
    fn in_text(&self, text: &str) -> String {
        let mut named = String::with_capacity(text.len());
        for piece in text.split_inclusive(is_no_word) {
            let word = piece.trim_end_matches(is_no_word);
            match id_in(word).and_then(|id| self.label(id)) {
                Some(label) => {
                    named.push_str(&label);
                    named.push_str(&piece[word.len()..]);
                }
                None => named.push_str(piece),
            }
        }
        named
    }
}

fn is_no_word(letter: char) -> bool {
    !(letter.is_ascii_alphanumeric() || letter == '_')
}

/// The id that a text is, as ids are written.
fn id_in(text: &str) -> Option<TemplateId> {
    text.parse().ok().filter(|id: &TemplateId| id.to_string() == text)
}

fn pattern_columns(table: &Frozen, stages: &[Stage]) -> Option<PatternColumns> {
    let place = |wanted: &str| table.columns.iter().position(|(name, _)| **name == *wanted);
    stages.iter().find_map(|stage| match stage.kind {
        StageKind::Patterns { .. } => {
            Some(PatternColumns { text: place("pattern")?, id: place("id"), kind: None })
        }
        StageKind::Compare { .. } => {
            Some(PatternColumns { text: place("what")?, id: place("filter"), kind: place("kind") })
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use query::parse_query;
    use serde_json::json;

    const FINE: &str = "s0000000000000001";
    const DEFAULT: &str = "t0000000000000002";
    const COARSE: &str = "g0000000000000003";

    fn names(named: &[(&str, &str, &str)]) -> PatternNames {
        let note = |&(id, text, name): &(&str, &str, &str)| Note {
            kind: "pattern".to_owned(),
            id: id.to_owned(),
            number: 0,
            revision: 0,
            created_ns: 0,
            changed_ns: 0,
            event: None,
            range: None,
            text: name.to_owned(),
            data: json!({ "pattern": text }),
        };
        PatternNames::from_notes(&named.iter().map(note).collect::<Vec<_>>())
    }

    fn table(columns: &[&str], rows: &[&[&str]]) -> Frozen {
        Frozen {
            columns: columns.iter().map(|&name| (name.into(), false)).collect(),
            rows: rows.iter().map(|row| row.iter().map(|&value| value.to_owned()).collect()).collect(),
            ..Frozen::default()
        }
    }

    fn named(names: &PatternNames, query: &str, columns: &[&str], rows: &[&[&str]]) -> Vec<Vec<String>> {
        let query = parse_query(query).expect(query);
        names.in_table(table(columns, rows), &query.stages).rows
    }

    #[test]
    fn text_has_the_name_of_the_id_in_its_row() {
        let both = names(&[(COARSE, "started", "Coarse"), (FINE, "started", "Fine")]);
        let rows: &[&[&str]] = &[&[FINE, "started"], &[COARSE, "started"], &[DEFAULT, "started"]];
        let fine = format!("Fine ({FINE})");
        let coarse = format!("Coarse ({COARSE})");
        let expected = [[&*fine, "Fine"], [&*coarse, "Coarse"], [DEFAULT, "started"]];
        assert_eq!(named(&both, "* | patterns", &["id", "pattern"], rows), expected);
    }

    #[test]
    fn text_without_an_id_has_a_name_of_the_default_granularity() {
        let coarse = names(&[(COARSE, "started", "Coarse")]);
        let query = "* | patterns | fields pattern";
        assert_eq!(named(&coarse, query, &["pattern"], &[&["started"]]), [["started"]]);
        assert_eq!(coarse.of_value("template", "started"), None);

        let all = names(&[(DEFAULT, "started", "Boot"), (COARSE, "started", "Coarse")]);
        let boot = format!("Boot ({DEFAULT})");
        assert_eq!(named(&all, query, &["pattern"], &[&["started"]]), [[&*boot]]);
        assert_eq!(all.of_value("template", "started").as_deref(), Some(&*boot));
        assert_eq!(all.of_value("what", "started"), None);
        assert_eq!(all.of_value("host", DEFAULT).as_deref(), Some(&*boot));
    }

    #[test]
    fn columns_of_other_stages_keep_their_texts() {
        let boot = names(&[(DEFAULT, "started", "Boot")]);
        for column in ["pattern", "what", "template"] {
            let query = format!("* | top {column}");
            assert_eq!(named(&boot, &query, &[column], &[&["started"]]), [["started"]]);
        }
        let filter = format!("template={DEFAULT}");
        let rows: &[&[&str]] =
            &[&["pattern", "started", filter.as_str()], &["value", "started", "host=started"]];
        let expected = [["pattern", "Boot", &*filter], ["value", "started", "host=started"]];
        let query = "* | compare with (level=error)";
        assert_eq!(named(&boot, query, &["kind", "what", "filter"], rows), expected);
    }

    #[test]
    fn patterns_with_one_name_stay_two() {
        let same = names(&[(DEFAULT, "a", "Same"), (FINE, "b", "Same")]);
        let rows = named(&same, "* | top template", &["template"], &[&[DEFAULT], &[FINE]]);
        assert_eq!(rows, [[format!("Same ({DEFAULT})")], [format!("Same ({FINE})")]]);
    }

    #[test]
    fn heads_have_names_for_whole_ids_alone() {
        let other = format!("as {FINE}");
        let odd =
            names(&[(DEFAULT, "a", &other), (FINE, "b", "Fine"), ("count", "c", "Odd"), ("", "d", "None")]);
        assert_eq!(odd.in_text(&format!("count: {DEFAULT}")), format!("count: as {FINE} ({DEFAULT})"));
        assert_eq!(odd.in_text(&format!("x{FINE}, {FINE}0")), format!("x{FINE}, {FINE}0"));
        assert_eq!(odd.in_text(&format!("p95({FINE})é")), format!("p95(Fine ({FINE}))é"));
    }
}
