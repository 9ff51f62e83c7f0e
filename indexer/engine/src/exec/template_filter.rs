//! Predicates on the template of an event's message.

use std::sync::Arc;

use super::bitmap::Bitmap;
use super::matcher::Matcher;
use patterns::{Granularity, TemplateId, Tree};
use query::{Op, Pattern, Test};
use store::Mined;

/// The templates of a case, and which of them the rows of a segment have.
#[derive(Clone, Debug)]
pub struct Templates {
    pub tree: Arc<Tree>,
    pub mined: Arc<Mined>,
}

impl Templates {
    /// The rows whose template passes a test. A test names a template by its id or by words in its text.
    #[must_use]
    pub fn rows(&self, test: &Test) -> Bitmap {
        let passes = self.passes(test);
        let codes = &self.mined.codes;
        Bitmap::from_codes(codes, |code| passes.get(code as usize) == Some(&true))
    }

    /// For each message shape of the segment, whether its template passes.
    fn passes(&self, test: &Test) -> Vec<bool> {
        let wanted: Vec<TemplateTarget> = match test {
            Test::Matches(patterns) => patterns.iter().map(|pattern| self.wanted(pattern)).collect(),
            Test::Compare(_, value) => {
                vec![self.named(value).unwrap_or_else(|| TemplateTarget::Text(value.clone()))]
            }
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

    fn wanted(&self, pattern: &Pattern) -> TemplateTarget {
        let named = match pattern {
            Pattern::Tokens(text) => self.named(text),
            _ => None,
        };
        named.unwrap_or_else(|| TemplateTarget::Words(Matcher::new(pattern)))
    }

    fn named(&self, text: &str) -> Option<TemplateTarget> {
        let id: TemplateId = text.trim().parse().ok()?;
        Some(match self.tree.place(id.granularity, id.shape) {
            Some(place) => TemplateTarget::Place(id.granularity, place),
            None => TemplateTarget::Nothing,
        })
    }

    fn holds(&self, wanted: &TemplateTarget, shape: u64) -> bool {
        let text = || {
            let place = self.tree.place(Granularity::Template, shape)?;
            Some(self.tree.templates(Granularity::Template).get(place)?.text())
        };
        match wanted {
            TemplateTarget::Place(granularity, place) => self.tree.place(*granularity, shape) == Some(*place),
            TemplateTarget::Words(matcher) => text().is_some_and(|text| matcher.is_in(text.as_bytes())),
            TemplateTarget::Text(wanted) => text().as_ref() == Some(wanted),
            TemplateTarget::Nothing => false,
        }
    }
}

enum TemplateTarget {
    /// The template at this index.
    Place(Granularity, usize),
    Words(Matcher),
    Text(String),
    /// An id that no template of the case has.
    Nothing,
}
