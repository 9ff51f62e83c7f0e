//! Deletes sources from a case: their events, their bytes and their indexes. The other sources keep their
//! ids, so notes about their events stay valid.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::merge::{Gone, Merge};
use super::{Rewriting, catch_up, unless_cancelled};
use crate::case::Case;
use crate::writing::{Purpose, Writing};
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use store::{Manifest, Segment};

impl Case {
    /// Deletes sources by their ids. They disappear in one commit; before it nothing changes.
    pub fn delete_sources(
        &self,
        sources: &[u32],
        report: &mut dyn FnMut(Rewriting),
        cancel: &Cancel,
    ) -> Result<()> {
        self.write(Purpose::Rewrite, |writing| {
            delete(writing, sources, report, cancel)?;
            // The rest of a segment is scanned until it has its index again.
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
    let wanted: BTreeSet<u32> = sources.iter().copied().collect();
    let gone: Vec<Gone> = wanted.iter().copied().map(Gone::all_of).collect();
    for &source in sources {
        let entry = writing.manifest.sources.get(source as usize);
        if entry.is_none_or(|entry| entry.deleted) {
            let message = format!("the case has no source {source}");
            return Err(Error::new(ErrorKind::NotFound, message).at(writing.folder()));
        }
    }
    keep_followed(writing, &wanted)?;
    let mut manifest = writing.manifest.clone();
    let has_one = |segment: &&Arc<Segment>| gone.iter().any(|gone| gone.is_in(segment));
    let affected: Vec<Arc<Segment>> = writing.segments().iter().filter(has_one).cloned().collect();
    let mut written = Vec::new();
    for (done, segment) in affected.iter().enumerate() {
        report(Rewriting { done, of: affected.len() });
        let mut merge = Merge::new(std::slice::from_ref(segment));
        merge.without.clone_from(&gone);
        match merge.write((writing.folder(), writing.names()), manifest.new_segment(), cancel) {
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
        // Its name stays, so that notes about it remain readable; all else is deleted.
        let name = std::mem::take(&mut entry.name);
        *entry = store::SourceEntry { name, deleted: true, ..store::SourceEntry::default() };
    }
    writing.publish(manifest, written)?;
    report(Rewriting { done: affected.len(), of: affected.len() });
    Ok(())
}

/// The first file of a rotated set defines how the others are read, so it stays as long as they do.
fn keep_followed(writing: &Writing<'_>, wanted: &BTreeSet<u32>) -> Result<()> {
    let sources = (0..).zip(&writing.manifest.sources);
    let mut kept =
        sources.filter(|(id, entry)| !entry.deleted && !wanted.contains(id)).map(|(_, entry)| entry);
    let follower = kept
        .find(|entry| entry.reading.follows.as_ref().is_some_and(|follows| wanted.contains(&follows.source)));
    let Some(follower) = follower else { return Ok(()) };
    let message = format!(
        "{} is read as the file before it in its set, which is one of those to be deleted; nothing was deleted",
        follower.name
    );
    Err(Error::new(ErrorKind::BadRequest, message)
        .at(writing.folder())
        .hint("delete the whole set, or only its later files"))
}

/// Replaces segments by another one.
pub fn put_in_place(manifest: &mut Manifest, gone: &[u64], entry: Option<store::SegmentEntry>) {
    let place = manifest.segments.iter().position(|entry| gone.contains(&entry.id));
    manifest.segments.retain(|entry| !gone.contains(&entry.id));
    if let Some(entry) = entry {
        let place = place.unwrap_or(manifest.segments.len()).min(manifest.segments.len());
        manifest.segments.insert(place, entry);
    }
}
