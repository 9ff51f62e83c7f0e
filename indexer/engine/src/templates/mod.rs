//! The templates of a case: loaded if stored, mined otherwise, with the same result.

mod list;
mod tally;
mod values;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

pub use list::{Pattern, PatternOptions, Patterns};
pub use values::{PatternVariable, ValueCount, measure};

use crate::Engine;
use crate::Event;
use crate::exec::{Direction, Templates};
use crate::view::View;
use base::Cancel;
use base::error::{Error, Result};
use base::limits::{MINED_CACHE_ROWS, PAGE_ROWS};
use patterns::{Granularity, NO_SHAPE, Template, Tree};
use query::Filter;
use store::Snapshot;
use store::{Mined, Segment, has_templates, keep_ids, kept_ids};

/// Called with the number of a mined segment, and with a way to get the current tree.
type MinedRevision<'a> = &'a mut dyn FnMut(usize, &mut dyn FnMut() -> Tree) -> Result<()>;

/// A view that is held asks for another tree than detectors and the next publication.
const KNOWN_TREES: usize = 3;

/// The cached templates.
#[derive(Debug, Default)]
pub struct TemplateCache {
    mined: Mutex<MinedSegments>,
    trees: Mutex<VecDeque<KnownTree>>,
}

#[derive(Debug, Default)]
struct MinedSegments {
    known: HashMap<u64, Arc<Mined>>,
    rows: usize,
}

#[derive(Debug)]
struct KnownTree {
    /// The segments it was built from.
    segments: Vec<u64>,
    tree: Arc<Tree>,
}

impl TemplateCache {
    fn get(&self, segment: u64) -> Option<Arc<Mined>> {
        self.mined.lock().unwrap_or_else(PoisonError::into_inner).known.get(&segment).cloned()
    }

    fn put(&self, segment: u64, mined: &Arc<Mined>) {
        let mut kept = self.mined.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.rows + mined.codes.len() > MINED_CACHE_ROWS {
            *kept = MinedSegments::default();
        }
        if kept.known.insert(segment, Arc::clone(mined)).is_none() {
            kept.rows += mined.codes.len();
        }
    }
}

impl Engine {
    /// The shapes of a segment's messages.
    pub fn mined(&self, segment: &Segment, cancel: &Cancel) -> Result<Arc<Mined>> {
        if let Some(mined) = self.templates.get(segment.meta.id) {
            return Ok(mined);
        }
        let mined = match Mined::load(segment) {
            Some(mined) => mined,
            None => Mined::mine(segment, &mut self.raw_cursor(), cancel)?,
        };
        let mined = Arc::new(mined);
        self.templates.put(segment.meta.id, &mined);
        Ok(mined)
    }

    /// The same without mining: only if they are stored or cached.
    pub fn known_shapes(&self, segment: &Segment, cancel: &Cancel) -> Result<Option<Arc<Mined>>> {
        let known = has_templates(segment) || self.templates.get(segment.meta.id).is_some();
        known.then(|| self.mined(segment, cancel)).transpose()
    }

    /// The templates of everything in the case. `seen` is called with every segment looked at.
    pub fn tree(&self, snapshot: &Snapshot, cancel: &Cancel, seen: MinedRevision<'_>) -> Result<Arc<Tree>> {
        let segments: Vec<u64> = snapshot.segments.iter().map(|segment| segment.meta.id).collect();
        let trees = || self.templates.trees.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = trees().iter().find(|known| known.segments == segments) {
            return Ok(Arc::clone(&known.tree));
        }
        let kept = kept_ids(self.folder());
        let mut shapes: HashMap<u64, String> = HashMap::new();
        for (index, segment) in snapshot.segments.iter().enumerate() {
            if cancel.is_set() {
                return Err(Error::cancelled());
            }
            let mined = self.mined(segment, cancel)?;
            for (hash, shape) in mined.hashes.iter().zip(&mined.shapes) {
                shapes.entry(*hash).or_insert_with(|| shape.clone());
            }
            seen(index, &mut || Tree::from_shapes(shapes.values().map(String::as_str), &kept))?;
        }
        let tree = Arc::new(Tree::from_shapes(shapes.values().map(String::as_str), &kept));
        let mut trees = trees();
        trees.push_front(KnownTree { segments, tree: Arc::clone(&tree) });
        trees.truncate(KNOWN_TREES);
        Ok(tree)
    }

    /// The templates of two cases together.
    pub fn joint_tree(cases: [(&Engine, &Snapshot); 2], cancel: &Cancel) -> Result<Tree> {
        let (mut shapes, mut kept) = (HashMap::new(), Vec::new());
        for (case, snapshot) in cases {
            kept.extend(kept_ids(case.folder()));
            for segment in &snapshot.segments {
                if cancel.is_set() {
                    return Err(Error::cancelled());
                }
                let mined = case.mined(segment, cancel)?;
                for (hash, shape) in mined.hashes.iter().zip(&mined.shapes) {
                    shapes.entry(*hash).or_insert_with(|| shape.clone());
                }
            }
        }
        Ok(Tree::from_shapes(shapes.values().map(String::as_str), &kept))
    }

    /// The templates that a filter needs of a segment; `None` if the filter names none.
    pub fn templates_for(
        &self,
        snapshot: &Snapshot,
        segment: &Segment,
        filter: &Filter,
        cancel: &Cancel,
    ) -> Result<Option<Templates>> {
        if !names_templates(filter) {
            return Ok(None);
        }
        let tree = self.tree(snapshot, cancel, &mut |_, _| Ok(()))?;
        Ok(Some(Templates { tree, mined: self.mined(segment, cancel)? }))
    }

    /// Stores the ids of the case's templates, once all segments are mined.
    pub fn keep_template_ids(&self, snapshot: &Snapshot, cancel: &Cancel) -> Result<()> {
        let tree = self.tree(snapshot, cancel, &mut |_, _| Ok(()))?;
        keep_ids(self.folder(), &kept_ids(self.folder()), &tree)
    }

    /// Calls `each` with the matching events, oldest first, and the template of each.
    pub fn for_each_template(
        &self,
        snapshot: &Snapshot,
        view: &View,
        granularity: Granularity,
        cancel: &Cancel,
        each: &mut dyn FnMut(Event, Option<&Template>) -> Result<()>,
    ) -> Result<()> {
        let tree =
            Self::without_damaged(snapshot, |snapshot| self.tree(snapshot, cancel, &mut |_, _| Ok(())))?;
        let selection = self.whole_selection(snapshot, view, cancel)?;
        let mut cursor = self.raw_cursor();
        for first in (0..selection.len()).step_by(PAGE_ROWS) {
            for position in selection.page(Direction::OldestFirst, first, PAGE_ROWS)? {
                if cancel.is_set() {
                    return Err(Error::cancelled());
                }
                let mined = position.segment.or_missing(self.mined(&position.segment, cancel))?;
                let shape = mined.and_then(|mined| {
                    let code = mined.codes.get(position.row).copied().unwrap_or(NO_SHAPE);
                    mined.hashes.get(code as usize).copied()
                });
                let place = shape.and_then(|shape| tree.place(granularity, shape));
                let event = self.event_at(&position, &mut cursor, usize::MAX)?;
                each(event, place.and_then(|place| tree.templates(granularity).get(place)))?;
            }
        }
        Ok(())
    }
}

/// True if a filter names templates, so that its answer depends on all segments of the case.
pub fn names_templates(filter: &Filter) -> bool {
    match filter {
        Filter::Everything | Filter::Text(_) | Filter::Noted(_) => false,
        Filter::Not(inner) => names_templates(inner),
        Filter::And(parts) | Filter::Or(parts) => parts.iter().any(names_templates),
        Filter::Field { field, .. } => field == "template",
    }
}

#[cfg(test)]
mod tests;
