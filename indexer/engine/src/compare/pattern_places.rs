//! Which pattern a message is of, in one case or in two.
//!
//! The shapes of two cases are grouped together. The same text may be two templates of them, because messages are
//! grouped by the kind of their source: here it is one pattern. Each case finds its events by its own templates.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::sides::Sides;
use super::subject::Subject;
use base::error::Result;
use patterns::{Granularity, Template, TemplateId, Tree};
use query::{Filter, Op, Span, Test};

/// Of messages without a template.
pub const NO_PLACE: u32 = u32::MAX;

pub struct PatternPlaces {
    tree: Arc<Tree>,
    /// For each template the first one with the same text; empty in one case.
    first: Vec<u32>,
    /// The templates of A's case and of B's for each template; empty in one case.
    own: HashMap<TemplateId, [BTreeSet<TemplateId>; 2]>,
}

impl PatternPlaces {
    pub fn new(sides: &Sides<'_>) -> Result<PatternPlaces> {
        let mut found = PatternPlaces { tree: sides.tree()?, first: Vec::new(), own: HashMap::new() };
        if sides.is_one_case() {
            return Ok(found);
        }
        let mut by_text: HashMap<String, u32> = HashMap::new();
        let templates = found.templates().iter().zip(0..);
        let first = templates.map(|(template, place)| *by_text.entry(template.text()).or_insert(place));
        found.first = first.collect();
        let trees = sides.own_trees()?;
        for index in 0..sides.segments() {
            let (side, mined) = (sides.side_of(index), sides.mined(index)?);
            for (&hash, place) in mined.hashes.iter().zip(found.of_shapes(&mined.hashes)) {
                let Some(template) = found.tree.templates(Granularity::Template).get(place as usize) else {
                    continue;
                };
                let own = trees[side].place(Granularity::Template, hash);
                let own = own.and_then(|own| trees[side].templates(Granularity::Template).get(own));
                if let Some(own) = own {
                    found.own.entry(template.id).or_default()[side].insert(own.id);
                }
            }
        }
        Ok(found)
    }

    pub fn templates(&self) -> &[Template] {
        self.tree.templates(Granularity::Template)
    }

    /// For each shape of a segment its pattern.
    pub fn of_shapes(&self, hashes: &[u64]) -> Vec<u32> {
        let place = |&shape: &u64| {
            let place = self.tree.place(Granularity::Template, shape);
            place.map_or(NO_PLACE, |place| self.first.get(place).copied().unwrap_or(place as u32))
        };
        hashes.iter().map(place).collect()
    }

    /// The filter that finds what a row is about in a side's case.
    pub fn filter_on(&self, side: usize, subject: &Subject) -> Filter {
        subject.filter_by(&|id| {
            let own = self.own.get(&id).map(|own| &own[side]);
            let ids = own
                .filter(|ids| !ids.is_empty())
                .map_or_else(|| vec![id], |ids| ids.iter().copied().collect());
            let mut filters: Vec<Filter> = ids.into_iter().map(template_filter).collect();
            if filters.len() == 1 { filters.remove(0) } else { Filter::Or(filters) }
        })
    }
}

/// The messages of a template.
pub fn template_filter(id: TemplateId) -> Filter {
    Filter::Field {
        field: "template".to_owned(),
        test: Test::Compare(Op::Equal, id.to_string()),
        span: Span::default(),
    }
}
