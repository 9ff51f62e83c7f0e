//! Significant values: frequent in a selection and rare in the rest.

use super::AggregateScope;
use super::request::TermOrder;
use super::significant_words::words;
use super::terms::TermCounts;
use crate::Engine;
use crate::view::View;
use base::Cancel;
use base::error::{ErrorKind, Result};
use store::Scalar;
use store::Snapshot;

/// For each field, this many of the selection's most frequent values are scored. A rarer value describes
/// hardly any of the selection.
const WEIGHED: usize = 1_000;

#[derive(Clone, Debug, PartialEq)]
pub struct Significant {
    pub field: String,
    pub value: Scalar,
    /// Events of the selection that have it, and of the rest.
    pub selected: u64,
    pub others: u64,
    /// How much more frequent it is in the selection, times its share of the selection.
    pub score: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignificantTerms {
    /// The highest score first.
    pub terms: Vec<Significant>,
    /// Events selected, and all others.
    pub selected: u64,
    pub others: u64,
    /// Fields with too many values to be scored.
    pub left_out: Vec<String>,
}

impl Engine {
    /// Compares a selection with the rest of a background that contains it. The values of the field `raw` are
    /// the words of the text, which are read only if that field is named.
    pub fn significant(
        &self,
        snapshot: &Snapshot,
        (selection, background): (&View, &View),
        fields: &[String],
        most: usize,
        cancel: &Cancel,
    ) -> Result<SignificantTerms> {
        Self::without_damaged(snapshot, |snapshot| {
            self.significant_of(snapshot, (selection, background), fields, most, cancel)
        })
    }

    fn significant_of(
        &self,
        snapshot: &Snapshot,
        (selection, background): (&View, &View),
        fields: &[String],
        most: usize,
        cancel: &Cancel,
    ) -> Result<SignificantTerms> {
        let selection = &self.resolved(snapshot, selection)?;
        let background = &self.resolved(snapshot, background)?;
        let mut fields = fields.to_vec();
        if fields.is_empty() {
            fields = Self::field_names(snapshot);
            fields.retain(|field| !matches!(field.as_str(), "time" | "line" | "raw" | "template"));
        }
        let mut found = SignificantTerms::default();
        for field in &fields {
            if field == "raw" {
                let of = |view| AggregateScope { case: self, snapshot, view, cancel };
                let (terms, selected, others) = words(&of(selection), &of(background), most)?;
                found.terms.extend(terms);
                (found.selected, found.others) = (selected, others);
                continue;
            }
            Self::check_known(snapshot, field)?;
            let counts =
                |view| TermCounts::count(&AggregateScope { case: self, snapshot, view, cancel }, field);
            let (own, all) = match (counts(selection), counts(background)) {
                (Ok(own), Ok(all)) => (own, all),
                (Err(error), _) | (_, Err(error)) if error.kind() == ErrorKind::Limit => {
                    found.left_out.push(field.clone());
                    continue;
                }
                (Err(error), _) | (_, Err(error)) => return Err(error),
            };
            found.selected = own.total;
            found.others = all.total.saturating_sub(own.total);
            weigh(field, &own, &all, &mut found.terms);
        }
        let text = |term: &Significant| term.value.to_string();
        found.terms.sort_by(|one, other| {
            other.score.total_cmp(&one.score).then_with(|| text(one).cmp(&text(other)))
        });
        found.terms.truncate(most);
        Ok(found)
    }
}

/// The amount by which the share in a selection exceeds that in the rest, times itself; `None` if it does not.
pub fn score(share: f64, others: f64, rest: u64) -> Option<f64> {
    // A count of zero elsewhere counts as half an event, so that a higher count still scores higher.
    let share_of_rest = others.max(0.5) / rest.max(1) as f64;
    (share > share_of_rest).then(|| (share - share_of_rest) * share / share_of_rest)
}

fn weigh(field: &str, own: &TermCounts, all: &TermCounts, terms: &mut Vec<Significant>) {
    let rest = all.total.saturating_sub(own.total);
    let codes = own.top(WEIGHED, TermOrder::Most);
    let values = own.values.values(codes.iter().copied());
    for (code, value) in codes.into_iter().zip(values) {
        let selected = u64::from(own.counts[code as usize]);
        let everywhere = all.counts.get(code as usize).copied().unwrap_or(0);
        let others = u64::from(everywhere).saturating_sub(selected);
        let share = selected as f64 / own.total.max(1) as f64;
        if let (Some(value), Some(score)) = (value, score(share, others as f64, rest)) {
            terms.push(Significant { field: field.to_owned(), value, selected, others, score });
        }
    }
}
