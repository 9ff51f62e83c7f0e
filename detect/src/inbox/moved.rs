//! Alerts that moved since somebody decided about them, because an earlier file was imported or a live alert changed.
//!
//! Their key is another one then. The decisions belong to the found alert of the same detector, group and condition
//! whose time overlaps most, the earliest of those alike. Times that only touch do not overlap; an instant overlaps
//! what it is in. Only one alert gets them: if an alert was split, the other parts are new, and nobody misses them.

use std::cmp::Reverse;
use std::collections::HashMap;

use indexer::triage::{AlertKey, Triage, have_one_condition};

use super::InboxRow;

/// The detector and the group of an alert.
type Identity<'a> = (&'a str, &'a [(String, String)]);

/// The time of an alert, both ends included.
#[derive(Clone, Copy, Debug)]
struct Timed<'a, T> {
    start: i64,
    end: i64,
    query: &'a str,
    alert: T,
}

impl<T> Timed<'_, T> {
    fn is_instant(&self) -> bool {
        self.start == self.end
    }
}

/// Keys with decisions that no found alert has, each with the place of the row that its decisions belong to.
pub(super) fn heirs(
    rows: &[InboxRow],
    places: &HashMap<AlertKey, usize>,
    triage: &Triage,
) -> Vec<(AlertKey, usize)> {
    let mut lost: HashMap<Identity<'_>, Vec<Timed<'_, AlertKey>>> = HashMap::new();
    for triaged in triage.alerts().filter(|triaged| !places.contains_key(&triaged.alert.key)) {
        let alert = &triaged.alert;
        if let Some((start, end)) = alert.times() {
            let of_identity = lost.entry((&alert.detector, &alert.group)).or_default();
            of_identity.push(Timed { start, end, query: &alert.query, alert: alert.key });
        }
    }
    let mut found: HashMap<Identity<'_>, Vec<Timed<'_, usize>>> = HashMap::new();
    for (place, row) in rows.iter().enumerate() {
        let identity: Identity<'_> = (&row.alert.detector, &row.alert.group);
        let times = row.alert.start.zip(row.alert.end);
        if let Some((start, end)) = times.filter(|_| lost.contains_key(&identity)) {
            let one = Timed { start, end, query: &row.alert.query, alert: place };
            found.entry(identity).or_default().push(one);
        }
    }
    let mut heirs = Vec::new();
    for (identity, mut found) in found {
        found.sort_unstable_by_key(|one| (one.start, one.end, one.alert));
        let mut lost = lost.remove(&identity).unwrap_or_default();
        lost.sort_unstable_by_key(|one| (one.start, one.end));
        meet(&lost, &found, &mut heirs);
    }
    heirs
}

/// Both are sorted by their starts. Looks at each pair that overlaps, and at no other.
fn meet(lost: &[Timed<'_, AlertKey>], found: &[Timed<'_, usize>], heirs: &mut Vec<(AlertKey, usize)>) {
    // Those that began before the lost one, and go on when it begins.
    let (mut next, mut open) = (0, Vec::<Timed<'_, usize>>::new());
    for one in lost {
        let begun = found[next..].iter().take_while(|other| other.start <= one.start).count();
        open.extend(&found[next..next + begun]);
        next += begun;
        open.retain(|other| other.end >= one.start);
        let within = found[next..].iter().take_while(|other| other.start <= one.end);
        let overlap =
            |other: &Timed<'_, usize>| other.end.min(one.end).saturating_sub(other.start.max(one.start));
        let is_same = |other: &&Timed<'_, usize>| {
            let overlaps = overlap(other) > 0 || one.is_instant() || other.is_instant();
            overlaps && have_one_condition(one.query, other.query)
        };
        let same = open.iter().chain(within).filter(is_same);
        let best = same.max_by_key(|other| (overlap(other), Reverse(other.start)));
        heirs.extend(best.map(|best| (one.alert, best.alert)));
    }
}
