//! The column names of a case: the same in all of its tables, with one type each, so that other programs can
//! read many tables as one.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::byte_ranges::column_names;
use super::segment::{SegmentField, SegmentMeta};
use base::FieldKind;
use base::limits::MOST_FILLED_COLUMNS;

/// The columns of a case's tables, in order of first use. A name, once given, belongs to that column whatever
/// commits it; only the first table that had it decides.
#[derive(Debug, Default)]
pub struct Names(Mutex<KnownColumns>);

#[derive(Debug, Default)]
struct KnownColumns {
    columns: Vec<(String, FieldKind)>,
    /// A field has more than one column of a type if two fields of the data have the same name.
    by_field: HashMap<String, Vec<(FieldKind, String)>>,
    taken: HashSet<String>,
}

impl Names {
    pub fn from_segments<'s>(segments: impl Iterator<Item = &'s SegmentMeta>) -> Names {
        let mut known = KnownColumns::default();
        for field in segments.flat_map(|segment| &segment.fields) {
            if !known.taken.contains(&field.column) {
                known.take(&field.name, field.kind, field.column.clone());
            }
        }
        Names(Mutex::new(known))
    }

    fn known(&self) -> MutexGuard<'_, KnownColumns> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if the whole numbers of a field are stored as floats in the existing tables.
    pub fn joins_floats(&self, name: &str) -> bool {
        let known = self.known();
        let has = |kind| {
            let columns = known.by_field.get(name).map(Vec::as_slice).unwrap_or_default();
            columns.iter().any(|(other, _)| *other == kind)
        };
        has(FieldKind::Float) && !has(FieldKind::Int)
    }

    /// The fields of one table, with a column for each.
    pub fn fields(&self, of: Vec<(String, FieldKind)>) -> Vec<SegmentField> {
        let mut known = self.known();
        let mut kinds: HashMap<String, usize> = HashMap::new();
        for (name, _) in &of {
            *kinds.entry(name.clone()).or_default() += 1;
        }
        let mut here: HashSet<String> = HashSet::new();
        let named = of.into_iter().map(|(name, kind)| {
            let given = known.by_field.get(&name).into_iter().flatten();
            let mut fitting = given.filter(|(other, column)| *other == kind && !here.contains(column));
            let column = fitting.next().map(|(_, column)| column.clone());
            let column = column.unwrap_or_else(|| known.give(&name, kind, kinds.get(&name) == Some(&1)));
            here.insert(column.clone());
            SegmentField { name, column, kind, placed: false, delimited: false, rows: 0 }
        });
        named.collect()
    }

    /// The columns of other tables that this one has no values for, up to the limit for filling up. The
    /// oldest come first: other programs take the columns of the first table for those of all.
    pub fn lacking(&self, fields: &[SegmentField]) -> Vec<(String, FieldKind)> {
        let here: HashSet<&str> = fields.iter().map(|field| field.column.as_str()).collect();
        let known = self.known();
        let lacking = known.columns.iter().filter(|(column, _)| !here.contains(column.as_str()));
        lacking.take(MOST_FILLED_COLUMNS.saturating_sub(fields.len())).cloned().collect()
    }
}

impl KnownColumns {
    fn take(&mut self, name: &str, kind: FieldKind, column: String) {
        if kind == FieldKind::Text {
            // The column of its byte ranges would have this name, if it is ever stored that way.
            let (start, length) = column_names(&column);
            self.taken.extend([start, length]);
        }
        self.taken.insert(column.clone());
        self.columns.push((column.clone(), kind));
        self.by_field.entry(name.to_owned()).or_default().push((kind, column));
    }

    /// A column name that no other column has. A field of one type gets its own name, while that is free.
    fn give(&mut self, name: &str, kind: FieldKind, is_only: bool) -> String {
        let mut column = name.to_owned();
        if !is_only || self.taken.contains(&column) {
            column = format!("{name}#{}", kind.name());
        }
        while self.taken.contains(&column) {
            column.push('#');
        }
        self.take(name, kind, column.clone());
        column
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &Names, of: &[(&str, FieldKind)]) -> Vec<String> {
        let of = of.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
        names.fields(of).into_iter().map(|field| field.column).collect()
    }

    #[test]
    fn column_has_one_name_and_type_in_every_table() {
        use FieldKind::{Bool, Float, Int, Text};
        let names = Names::default();
        assert_eq!(columns(&names, &[("a", Int), ("b", Text)]), ["a", "b"]);
        // A field that comes with another type later gets a second column; the first one stays as it was.
        assert_eq!(columns(&names, &[("a", Text)]), ["a#text"]);
        assert_eq!(columns(&names, &[("a", Text), ("a", Int)]), ["a#text", "a"]);
        // Several types at once: none of them gets the field's own name.
        assert_eq!(columns(&names, &[("c", Text), ("c", Bool)]), ["c#text", "c#bool"]);
        assert_eq!(columns(&names, &[("c", Bool)]), ["c#bool"]);
        // A field whose name equals the column of another field, or that of its byte ranges.
        assert_eq!(columns(&names, &[("a#text", Int), ("b@start", Int)]), ["a#text#int", "b@start#int"]);
        // Two fields of the data with the same name.
        assert_eq!(columns(&names, &[("d", Int), ("d", Int)]), ["d#int", "d#int#"]);
        assert_eq!(columns(&names, &[("d", Int), ("d", Int)]), ["d#int", "d#int#"]);
        let known = names.known().columns.clone();
        let mut distinct: Vec<&str> = known.iter().map(|(column, _)| column.as_str()).collect();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), known.len());
        assert!(!names.joins_floats("a") && columns(&names, &[("e", Float)]) == ["e"]);
        assert!(names.joins_floats("e"));
    }

    #[test]
    fn tables_are_filled_up_with_the_oldest_columns() {
        let names = Names::default();
        let fields: Vec<_> =
            (0..MOST_FILLED_COLUMNS + 40).map(|n| (format!("f{n}"), FieldKind::Int)).collect();
        names.fields(fields);
        let one = names.fields(vec![("other".to_owned(), FieldKind::Text)]);
        let lacking = names.lacking(&one);
        assert_eq!(lacking.len(), MOST_FILLED_COLUMNS - 1);
        assert_eq!(lacking[0], ("f0".to_owned(), FieldKind::Int));
    }
}
