//! Changes the profile of a case without the imported files: missing parts are rebuilt from the original
//! bytes and the columns, and unused ones are removed. If it is cancelled or killed, it resumes with the next
//! import or change of profile; every query gives the same answer meanwhile.

use std::sync::Arc;

use crossbeam_channel::{bounded, unbounded};

use super::merge::Merge;
use super::{Rewriting, unless_cancelled};
use crate::case::Case;
use crate::import::Counters;
use crate::tune::{Plan, lower_priority};
use crate::writing::{Purpose, Writing};
use base::Cancel;
use base::error::Result;
use store::{Profile, Segment, has_templates};

impl Case {
    /// Gives the case another profile.
    pub fn reprofile(
        &self,
        profile: Profile,
        report: &mut dyn FnMut(Rewriting),
        cancel: &Cancel,
    ) -> Result<()> {
        self.write(Purpose::Rewrite, |writing| {
            if writing.manifest.profile != profile {
                let mut manifest = writing.manifest.clone();
                manifest.profile = profile;
                writing.publish(manifest, Vec::new())?;
            }
            let of = writing.segments_below_profile().len();
            let mut done = 0;
            report(Rewriting { done, of });
            catch_up(writing, cancel, &mut |_revision| {
                done += 1;
                report(Rewriting { done, of });
            })
        })
    }
}

/// Brings every segment to the profile of the case, by the machine's plan. Reports the revision after each.
pub(crate) fn catch_up(writing: &mut Writing<'_>, cancel: &Cancel, each: &mut dyn FnMut(u64)) -> Result<()> {
    let Plan { indexers, .. } = Plan::of_this_machine();
    BackgroundIndexing { indexers, counters: &Arc::default() }.catch_up(writing, cancel, each)
}

/// Brings segments to the profile of the case, in the background.
pub(crate) struct BackgroundIndexing<'a> {
    pub indexers: usize,
    pub counters: &'a Arc<Counters>,
}

impl BackgroundIndexing<'_> {
    /// Brings every segment to the profile of the case. Reports the revision after each.
    pub fn catch_up(
        &self,
        writing: &mut Writing<'_>,
        cancel: &Cancel,
        each: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let wanted = writing.manifest.profile;
        for segment in writing.segments_below_profile() {
            if segment.meta.has_columns == wanted.has_columns() {
                continue;
            }
            unless_cancelled(cancel)?;
            let mut merge = Merge::new(std::slice::from_ref(&segment));
            merge.has_columns = wanted.has_columns();
            writing.replace(&[segment.meta.id], &merge, cancel)?;
            if wanted != Profile::Full {
                each(writing.manifest.revision);
            }
        }
        // A new segment of the profile with everything lacks its templates, so it is among these once more.
        let segments = writing.segments_below_profile();
        self.build(writing, segments, cancel, each)
    }

    /// Builds the token indexes of several segments in parallel; they are committed here, one by one.
    fn build(
        &self,
        writing: &mut Writing<'_>,
        segments: Vec<Arc<Segment>>,
        cancel: &Cancel,
        each: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let profile = writing.manifest.profile;
        let threads = self.indexers.min(segments.len());
        // When a thread fails, the others stop by this flag, whoever shares the caller's flag.
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

/// Builds a segment's token index, and its templates in the full profile.
fn segment_text(case: &Case, segment: &Segment, profile: Profile, stop: &Cancel) -> Result<()> {
    unless_cancelled(stop)?;
    segment.build_text(profile, &mut case.raw_cursor(), &|| unless_cancelled(stop))?;
    if profile != Profile::Full || has_templates(segment) {
        return Ok(());
    }
    case.mined(segment, stop)?.store(segment)
}
