//! Taking sources out of a case: their events, their bytes and what was built of them. The others keep their
//! ids, so what was written down about their events stays true.

use std::collections::HashSet;
use std::sync::Arc;

use super::merge::Merge;
use super::{Rewriting, catch_up, unless_cancelled};
use crate::Cancel;
use crate::case::Case;
use crate::error::{Error, ErrorKind, Result};
use crate::storage::{Manifest, Outlived, Segment, raw_path};
use crate::writing::Writing;

impl Case {
    /// Deletes sources by their ids. Until the one step in which all of them go, nothing is changed.
    pub fn delete_sources(
        &self,
        sources: &[u32],
        report: &mut dyn FnMut(Rewriting),
        cancel: &Cancel,
    ) -> Result<()> {
        self.write(|writing| {
            delete(writing, sources, report, cancel)?;
            // What is left of segments is searched by reading until it has its index again.
            catch_up(writing, cancel, &mut |_| {})
        })
    }
}

fn delete(
    writing: &mut Writing<'_>,
    sources: &[u32],
    report: &mut dyn FnMut(Rewriting),
    cancel: &Cancel,
) -> Result<()> {
    let wanted: HashSet<u32> = sources.iter().copied().collect();
    for &source in sources {
        let entry = writing.manifest.sources.get(source as usize);
        if entry.is_none_or(|entry| entry.deleted) {
            let message = format!("the case has no source {source}");
            return Err(Error::new(ErrorKind::NotFound, message).at(writing.folder()));
        }
    }
    let mut manifest = writing.manifest.clone();
    let has_one =
        |segment: &&Arc<Segment>| segment.meta.sources.iter().any(|source| wanted.contains(&source.source));
    let affected: Vec<Arc<Segment>> = writing.segments().iter().filter(has_one).cloned().collect();
    let mut written = Vec::new();
    for (done, segment) in affected.iter().enumerate() {
        report(Rewriting { done, of: affected.len() });
        let mut merge = Merge::of(std::slice::from_ref(segment));
        merge.without.clone_from(&wanted);
        let id = manifest.next_segment;
        manifest.next_segment += 1;
        match merge.write(writing.folder(), id, cancel) {
            Ok(new) => {
                let entry = new.as_ref().map(Writing::entry);
                put_in_place(&mut manifest, &[segment.meta.id], entry);
                written.extend(new);
            }
            Err(error) => {
                writing.recover()?;
                return Err(error);
            }
        }
    }
    unless_cancelled(cancel)?;
    for &source in &wanted {
        let entry = &mut manifest.sources[source as usize];
        // Its name stays, so that what was written about it can still be read; all else is gone.
        let name = std::mem::take(&mut entry.name);
        *entry = crate::SourceEntry { name, deleted: true, ..crate::SourceEntry::default() };
    }
    let raw: Vec<_> = wanted
        .iter()
        .map(|&source| {
            raw_path(writing.folder(), source, writing.manifest.sources[source as usize].generation)
        })
        .collect();
    writing.publish(manifest, written)?;
    report(Rewriting { done: affected.len(), of: affected.len() });
    // A source without events is in no segment that could take its file along.
    if affected.is_empty() {
        drop(raw.into_iter().map(Outlived).collect::<Vec<_>>());
    }
    Ok(())
}

/// Puts a segment where others were.
pub fn put_in_place(manifest: &mut Manifest, gone: &[u64], entry: Option<crate::storage::SegmentEntry>) {
    let place = manifest.segments.iter().position(|entry| gone.contains(&entry.id));
    manifest.segments.retain(|entry| !gone.contains(&entry.id));
    if let Some(entry) = entry {
        let place = place.unwrap_or(manifest.segments.len()).min(manifest.segments.len());
        manifest.segments.insert(place, entry);
    }
}
