//! Another profile for a case, without the files that it was made of: what it lacks is made from the original
//! bytes and the columns, and what it has no use for is removed. Stopped or killed, it goes on with the next
//! import or change of profile, and every question is answered alike all the while.

use std::sync::Arc;

use super::merge::Merge;
use super::{Rewriting, unless_cancelled};
use crate::Cancel;
use crate::case::Case;
use crate::error::Result;
use crate::storage::{Profile, Segment};
use crate::writing::Writing;

impl Case {
    /// Gives the case another profile.
    pub fn reprofile(
        &self,
        profile: Profile,
        report: &mut dyn FnMut(Rewriting),
        cancel: &Cancel,
    ) -> Result<()> {
        self.write(|writing| {
            if writing.manifest.profile != profile {
                let mut manifest = writing.manifest.clone();
                manifest.profile = profile;
                writing.publish(manifest, Vec::new())?;
            }
            let of = writing.behind().len();
            let mut done = 0;
            report(Rewriting { done, of });
            catch_up(writing, cancel, &mut |_revision| {
                done += 1;
                report(Rewriting { done, of });
            })
        })
    }
}

/// Gives every segment the profile of the case. Tells the revision after each.
pub(crate) fn catch_up(writing: &mut Writing<'_>, cancel: &Cancel, each: &mut dyn FnMut(u64)) -> Result<()> {
    for segment in writing.behind() {
        unless_cancelled(cancel)?;
        convert(writing, &segment, cancel)?;
        each(writing.manifest.revision);
    }
    Ok(())
}

fn convert(writing: &mut Writing<'_>, segment: &Arc<Segment>, cancel: &Cancel) -> Result<()> {
    let wanted = writing.manifest.profile;
    if segment.meta.has_columns != wanted.has_columns() {
        let mut merge = Merge::of(std::slice::from_ref(segment));
        merge.has_columns = wanted.has_columns();
        let Some(id) = writing.replace(&[segment.meta.id], &merge, cancel)? else { return Ok(()) };
        let new = writing.segments().iter().find(|segment| segment.meta.id == id).cloned();
        return new.map_or(Ok(()), |new| writing.store_templates(&new, cancel));
    }
    segment.build_text(wanted, &mut writing.cursor(), &|| unless_cancelled(cancel))?;
    writing.store_templates(segment, cancel)?;
    writing.reach(segment, wanted)
}
