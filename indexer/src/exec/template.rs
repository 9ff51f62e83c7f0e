//! Tests on the template of an event's message.

use std::sync::Arc;

use super::matcher::Matcher;
use super::rows::Rows;
use crate::patterns::{Granularity, TemplateId, Tree};
use crate::query::{Op, Pattern, Test};
use crate::storage::Mined;

/// The templates of a case, and which of them the rows of one segment have.
#[derive(Clone, Debug)]
pub struct Templates {
    pub tree: Arc<Tree>,
    pub mined: Arc<Mined>,
}

impl Templates {
    /// The rows whose template passes a test. A template is named by its id, or by words in its text.
    pub fn rows(&self, test: &Test) -> Rows {
        let passes = self.passes(test);
        let codes = &self.mined.codes;
        Rows::from_codes(codes, |code| passes.get(code as usize) == Some(&true))
    }

    /// For each shape of the segment, whether its template passes.
    fn passes(&self, test: &Test) -> Vec<bool> {
        let wanted: Vec<Wanted> = match test {
            Test::Matches(patterns) => patterns.iter().map(|pattern| self.wanted(pattern)).collect(),
            Test::Compare(_, value) => vec![self.named(value).unwrap_or_else(|| Wanted::Text(value.clone()))],
            Test::Exists | Test::Range(_) => Vec::new(),
        };
        let any = |&shape: &u64| wanted.iter().any(|wanted| self.holds(wanted, shape));
        let shapes = self.mined.hashes.iter();
        match test {
            Test::Exists => vec![true; self.mined.hashes.len()],
            Test::Matches(_) | Test::Compare(Op::Equal, _) => shapes.map(any).collect(),
            Test::Compare(Op::NotEqual, _) => shapes.map(|shape| !any(shape)).collect(),
            // Templates have no order.
            Test::Compare(..) | Test::Range(_) => vec![false; self.mined.hashes.len()],
        }
    }

    fn wanted(&self, pattern: &Pattern) -> Wanted {
        let named = match pattern {
            Pattern::Tokens(text) => self.named(text),
            _ => None,
        };
        named.unwrap_or_else(|| Wanted::Words(Matcher::new(pattern)))
    }

    fn named(&self, text: &str) -> Option<Wanted> {
        let id: TemplateId = text.trim().parse().ok()?;
        Some(match self.tree.place(id.granularity, id.shape) {
            Some(place) => Wanted::Place(id.granularity, place),
            None => Wanted::Nothing,
        })
    }

    fn holds(&self, wanted: &Wanted, shape: u64) -> bool {
        let text = || {
            let place = self.tree.place(Granularity::Template, shape)?;
            Some(self.tree.templates(Granularity::Template).get(place)?.text())
        };
        match wanted {
            Wanted::Place(granularity, place) => self.tree.place(*granularity, shape) == Some(*place),
            Wanted::Words(matcher) => text().is_some_and(|text| matcher.is_in(text.as_bytes())),
            Wanted::Text(wanted) => text().as_ref() == Some(wanted),
            Wanted::Nothing => false,
        }
    }
}

enum Wanted {
    /// The template at this place.
    Place(Granularity, usize),
    Words(Matcher),
    Text(String),
    /// An id that no template of the case has.
    Nothing,
}
