//! Queries over ids that have several names: one id in all of them, and all ids put together by `transaction`.
//!
//! Links are pairs; what is linked with the same place is one thing (connected components). Queries are texts of the
//! language, so that people see, change and keep them.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Link, Links, Spot};
use crate::Engine;
use crate::view::View;
use base::Cancel;
use base::error::{ErrorKind, Result};
use store::{MESSAGES, Snapshot};

/// One kind of id, under all its names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinkedId {
    /// Fields first, then words of messages.
    pub spots: Vec<Spot>,
    /// A query that puts the events of each id together.
    pub transactions: String,
}

/// How a value is followed over all names that its id has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinkedValue {
    /// The ids that it is a value of, usually one.
    pub ids: Vec<LinkedId>,
    /// A filter that finds it under all names; empty if it is not a value of any id.
    pub query: String,
    /// Matching events.
    pub events: u64,
}

/// What joins a word and its value in messages, as in `tokens`.
const JOINS: &str = r#"[ =:#"'(/\[]{1,4}"#;
/// A value in messages.
const VALUE: &str = "([0-9a-z](?:[0-9a-z._-]*[0-9a-z])?)";

/// The ids with several names, in the order of their first links.
pub fn linked_ids(links: &[Link], snapshot: &Snapshot) -> Vec<LinkedId> {
    let mut groups: Vec<BTreeSet<&Spot>> = Vec::new();
    for link in links {
        let ends = link.ends.each_ref().map(|end| &end.spot);
        let is_joined = |group: &BTreeSet<&Spot>| ends.iter().any(|end| group.contains(end));
        let place = groups.iter().position(is_joined).unwrap_or(groups.len());
        let (joined, mut others): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_joined);
        let mut group: BTreeSet<&Spot> = joined.into_iter().flatten().collect();
        group.extend(ends);
        others.insert(place, group);
        groups = others;
    }
    let names = groups.into_iter().map(|group| group.into_iter().cloned().collect::<Vec<Spot>>());
    names.map(|spots| LinkedId { transactions: transactions(&spots, snapshot), spots }).collect()
}

impl Links {
    /// All names of the id that a field has, the field itself first.
    #[must_use]
    pub fn names_of(&self, field: &str) -> Vec<Spot> {
        let own = Spot::Field(field.to_owned());
        let id = self.ids.iter().find(|id| id.spots.contains(&own));
        let others = id.into_iter().flat_map(|id| &id.spots).filter(|spot| **spot != own).cloned();
        std::iter::once(own.clone()).chain(others).collect()
    }
}

impl LinkedId {
    /// `order.id=42310 OR "order 42310"`.
    #[must_use]
    pub fn filter(&self, value: &str) -> String {
        let clauses: Vec<String> = self.spots.iter().map(|spot| clause(spot, value)).collect();
        clauses.join(" OR ")
    }
}

impl Engine {
    /// How a value is followed over the names of the ids that it is a value of.
    pub fn linked_value(
        &self,
        snapshot: &Snapshot,
        links: &Links,
        value: &str,
        cancel: &Cancel,
    ) -> Result<LinkedValue> {
        let mut found = LinkedValue::default();
        let mut clauses: Vec<String> = Vec::new();
        for id in &links.ids {
            let mut own = Vec::new();
            for spot in &id.spots {
                let view = View::parse(&clause(spot, value), None, None)?;
                match self.count(snapshot, &view, cancel) {
                    Ok(events) => own.push((view.filter.to_string(), events)),
                    // A field of numbers cannot hold a text.
                    Err(error) if error.kind() == ErrorKind::QueryInvalid => {}
                    Err(error) => return Err(error),
                }
            }
            if own.iter().any(|(_, events)| *events > 0) {
                clauses.extend(own.into_iter().map(|(clause, _)| clause));
                found.ids.push(id.clone());
            }
        }
        if !clauses.is_empty() {
            let view = View::parse(&clauses.join(" OR "), None, None)?;
            found.events = self.count(snapshot, &view, cancel)? as u64;
            found.query = view.filter.to_string();
        }
        Ok(found)
    }
}

fn clause(spot: &Spot, value: &str) -> String {
    match spot {
        Spot::Field(field) => format!("{}={}", quoted(field), quoted(value)),
        Spot::After(word) if word.is_empty() => quoted(value),
        Spot::After(word) => quoted(&format!("{word} {value}")),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// `* | eval id = lower(coalesce(…)) | transaction id`: the first name that an event has is its id.
fn transactions(spots: &[Spot], snapshot: &Snapshot) -> String {
    let is_field = |name: &str| {
        snapshot.segments.iter().any(|segment| segment.meta.fields.iter().any(|field| field.name == name))
    };
    let texts: Vec<&str> = MESSAGES.into_iter().filter(|name| is_field(name)).chain(["raw"]).collect();
    let value = |spot: &Spot| match spot {
        Spot::Field(field) => field_name(field),
        Spot::After(word) => {
            let before = if word.is_empty() { String::new() } else { regex_of(word) + JOINS };
            let regex = format!(r"(?i)\b{before}{VALUE}");
            format!("extract(coalesce({}), {}, 1)", texts.join(", "), quoted(&regex))
        }
    };
    let values: Vec<String> = spots.iter().map(value).collect();
    let text = format!("* | eval id = lower(coalesce({})) | transaction id", values.join(", "));
    // As the language prints it, with no more quotes than needed.
    query::parse_query(&text).map_or(text, |query| query.to_string())
}

/// A field in an expression: quotes would make a text of it.
fn field_name(field: &str) -> String {
    let is_plain = field.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && field.chars().all(|each| each.is_alphanumeric() || matches!(each, '_' | '.' | '@'));
    if is_plain { field.to_owned() } else { format!("`{}`", field.replace('`', "")) }
}

/// A word of letters and `.`, `-`, `_`, as a regular expression.
fn regex_of(word: &str) -> String {
    word.replace('.', r"\.")
}
