//! The bound on the fields of a source. Keys that are data, such as ids, would otherwise make a column each.
//!
//! The first fields of a source are its fields, up to [`limits::MOST_FIELDS`]; those of one event in the order of
//! their names. A name is a field in all events of its source or in none, whatever the chunks. Values of other names
//! stay in the text of their events.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::batch::{Batch, NO_INT, Values};
use crate::limits;

/// The names of a source's fields so far. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<String>")]
pub(crate) struct FieldNames(Arc<BTreeSet<Arc<str>>>);

impl From<Vec<String>> for FieldNames {
    fn from(names: Vec<String>) -> FieldNames {
        FieldNames(Arc::new(names.into_iter().map(Arc::from).collect()))
    }
}

impl From<FieldNames> for Vec<String> {
    fn from(names: FieldNames) -> Vec<String> {
        names.0.iter().map(ToString::to_string).collect()
    }
}

impl FieldNames {
    /// Adds the new fields of a batch, and removes those beyond the limit. Call it for each batch of the source, in
    /// order.
    pub fn admit(&mut self, batch: &mut Batch) {
        let mut new = self.new_names(batch);
        let room = limits::MOST_FIELDS.saturating_sub(self.0.len());
        if new.len() > room {
            new.sort_unstable();
        }
        let beyond = new.split_off(room.min(new.len()));
        if !new.is_empty() {
            Arc::make_mut(&mut self.0).extend(new.into_iter().map(|(_, name)| name));
        }
        if beyond.is_empty() && batch.rare.is_empty() {
            return;
        }
        batch.left_out.values = batch.keep_fields(|name| self.0.contains(name));
        let names = beyond.into_iter().map(|(_, name)| name.to_string());
        batch.left_out.names = names.take(limits::LEFT_OUT_EXAMPLES).collect();
    }

    /// The names with a value that are no fields yet, each with the first row that has one.
    fn new_names(&self, batch: &Batch) -> Vec<(usize, Arc<str>)> {
        let mut new: HashMap<&Arc<str>, usize> = HashMap::new();
        let mut found = |name, row: usize| {
            let first = new.entry(name).or_insert(row);
            *first = row.min(*first);
        };
        for column in batch.columns.iter().filter(|column| !self.0.contains(&column.name)) {
            if let Some(row) = first_value(&column.values) {
                found(&column.name, row);
            }
        }
        for (column, row, _) in batch.rare.each().filter(|(column, ..)| !self.0.contains(&column.name)) {
            found(&column.name, row);
        }
        new.into_iter().map(|(name, row)| (row, Arc::clone(name))).collect()
    }
}

fn first_value(values: &Values) -> Option<usize> {
    match values {
        Values::Text(values) => values.iter().position(|span| !span.is_missing()),
        Values::Int(values) => values.iter().position(|&value| value != NO_INT),
        Values::Float(values) => values.iter().position(|value| !value.is_nan()),
        Values::Bool(values) => values.iter().position(Option::is_some),
    }
}
