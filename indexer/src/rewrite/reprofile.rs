//! Another profile for a case, without the files that it was made of: what it lacks is made from the original
//! bytes and the columns, and what it has no use for is removed. Stopped or killed, it goes on with the next
//! import or change of profile, and every question is answered alike all the while.

use std::sync::Arc;

use crossbeam_channel::{bounded, unbounded};

use super::merge::Merge;
use super::{Rewriting, unless_cancelled};
use crate::Cancel;
use crate::case::Case;
use crate::error::Result;
use crate::import::Counters;
use crate::storage::{Profile, Segment, has_templates};
use crate::tune::{Plan, lower_priority};
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

/// Gives every segment the profile of the case, as the machine's plan has it. Tells the revision after each.
pub(crate) fn catch_up(writing: &mut Writing<'_>, cancel: &Cancel, each: &mut dyn FnMut(u64)) -> Result<()> {
    let Plan { indexers, .. } = Plan::of_this_machine();
    Behind { indexers, counters: &Arc::default() }.catch_up(writing, cancel, each)
}

/// How segments get what the profile has, behind everything else that runs.
pub(crate) struct Behind<'a> {
    pub indexers: usize,
    pub counters: &'a Arc<Counters>,
}

impl Behind<'_> {
    /// Gives every segment the profile of the case. Tells the revision after each.
    pub fn catch_up(
        &self,
        writing: &mut Writing<'_>,
        cancel: &Cancel,
        each: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let wanted = writing.manifest.profile;
        for segment in writing.behind() {
            if segment.meta.has_columns == wanted.has_columns() {
                continue;
            }
            unless_cancelled(cancel)?;
            let mut merge = Merge::of(std::slice::from_ref(&segment));
            merge.has_columns = wanted.has_columns();
            writing.replace(&[segment.meta.id], &merge, cancel)?;
            if wanted != Profile::Full {
                each(writing.manifest.revision);
            }
        }
        // A new segment of the profile with everything lacks its templates, so it is among these once more.
        let segments = writing.behind();
        self.build(writing, segments, cancel, each)
    }

    /// Builds what the profile has of tokens for several segments at once; they are named here, one by one.
    fn build(
        &self,
        writing: &mut Writing<'_>,
        segments: Vec<Arc<Segment>>,
        cancel: &Cancel,
        each: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let profile = writing.manifest.profile;
        let threads = self.indexers.min(segments.len());
        // Threads stop by this flag when one of them fails, whoever else may hold the caller's.
        let stop = cancel.child();
        let (work, queue) = unbounded();
        let room = segments.len();
        self.counters.set_queue(room, room);
        for segment in segments {
            // The queue has no bound, and its other end is here.
            let _ = work.send(segment);
        }
        drop(work);
        let (done, results) = bounded::<(Arc<Segment>, Result<()>)>(threads.max(1));
        let case = writing.case();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (queue, done, stop) = (queue.clone(), done.clone(), &stop);
                scope.spawn(move || {
                    lower_priority();
                    let mut thread = self.counters.thread();
                    for segment in queue {
                        let built = segment_text(case, &segment, profile, stop);
                        thread.count();
                        if done.send((segment, built)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(done);
            let mut outcome = Ok(());
            for (segment, built) in results {
                if outcome.is_err() {
                    continue;
                }
                outcome = built.and_then(|()| writing.reach(&segment, profile));
                if outcome.is_ok() {
                    self.counters.set_queue(queue.len(), room);
                    self.counters.done(segment.meta.events, segment.raw_bytes());
                    each(writing.manifest.revision);
                } else {
                    stop.set();
                    while queue.try_recv().is_ok() {}
                }
            }
            outcome
        })
    }
}

/// Builds what the profile has of a segment's tokens, and the templates that the one with everything has.
fn segment_text(case: &Case, segment: &Segment, profile: Profile, stop: &Cancel) -> Result<()> {
    unless_cancelled(stop)?;
    segment.build_text(profile, &mut case.raw_cursor(), &|| unless_cancelled(stop))?;
    if profile != Profile::Full || has_templates(segment) {
        return Ok(());
    }
    case.mined(segment, stop)?.store(segment)
}
