//! Rules over a case: segment by segment, then correlations over what the rules found.

mod correlated;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use indexer::{Cancel, Case, Result, Snapshot, SnapshotSegment};

use self::correlated::CorrelationOrder;
use super::attack::RuleState;
use super::entities::{EntityColumns, EntityFields};
use super::evidence::{Evidence, RuleQuery};
use super::groups::{EventCount, FoundRule, GroupLimits, Groups, listed};
use super::keys::{columns_of, meant, value_of};
use super::noise::{Noise, bin_width};
use super::program::Program;
use super::scan::{self, SourceNames};
use super::sources::Sources;
use super::{RulePlace, RuleSet, TextSearch};
use crate::alert::Alert;
use crate::evidence;
use crate::limits::{CORRELATED_EVENTS, NAMED_EVENTS, READABLE_QUERY_BYTES};
use crate::problem::Problem;
use crate::report::{MissingFields, Report};

/// What is known of segments that were looked at.
#[derive(Debug)]
pub struct Progress {
    segments: HashMap<u64, Found>,
    /// The groups of their events by host, user and process, by rule.
    groups: HashMap<usize, Groups>,
    /// The fields of the case that it was calculated for; other fields may be meant when more come.
    fields: Vec<String>,
    range: (Option<i64>, Option<i64>),
    /// The program of the rules for these fields. All calls with one value of this type are for the same rules.
    program: Option<Arc<Program>>,
    /// What correlations need of events in segments that are not looked at any more, by rule.
    earlier: HashMap<usize, EarlierHits>,
    /// So many events of a rule are kept for correlations at most.
    pub(crate) most_hits: usize,
    pub(super) group_limits: GroupLimits,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress {
            segments: HashMap::new(),
            groups: HashMap::new(),
            fields: Vec::new(),
            range: (None, None),
            program: None,
            earlier: HashMap::new(),
            most_hits: CORRELATED_EVENTS,
            group_limits: GroupLimits::default(),
        }
    }
}

impl Progress {
    /// Forgets segments, but not the events of earlier ones that correlations may need.
    fn restart(&mut self) {
        let before = std::mem::take(self);
        self.earlier = before.earlier;
        self.most_hits = before.most_hits;
        self.group_limits = before.group_limits;
    }

    /// How many events of each rule are kept of segments for correlations. Earlier ones must not keep out new ones.
    fn kept_hits(&self, wanted: &Wanted) -> KeptHits {
        let mut by_rule: HashMap<usize, AtomicUsize> =
            wanted.keys().map(|rule| (*rule, AtomicUsize::default())).collect();
        for (rule, found) in self.segments.values().flat_map(|found| &found.rules) {
            if let Some(kept) = by_rule.get_mut(rule) {
                *kept.get_mut() += found.hits.len();
            }
        }
        KeptHits { most: self.most_hits, by_rule }
    }

    /// For how many events of segments there is memory, and how many groups of a rule there are at most.
    #[cfg(test)]
    pub(super) fn held(&self) -> (usize, (usize, usize)) {
        let hits = self.segments.values().flat_map(|found| found.rules.values());
        let groups = self.groups.values().map(Groups::numbers).max();
        (hits.map(|found| found.hits.capacity()).sum(), groups.unwrap_or_default())
    }

    /// Lets go of what was found, but for what correlations may still need: events from a time on.
    pub fn settle(&mut self, since: i64) {
        self.groups.clear();
        for (rule, found) in self.segments.drain().flat_map(|(_, found)| found.rules) {
            if !found.hits.is_empty() {
                self.earlier.entry(rule).or_default().hits.extend(found.hits);
            }
        }
        for earlier in self.earlier.values_mut() {
            earlier.bound(since, self.most_hits);
        }
    }
}

/// Events of a rule in segments that are not looked at any more.
#[derive(Debug, Default)]
struct EarlierHits {
    hits: Vec<RawHit>,
    /// How many events that correlations still need are left out, and the time of the last of them.
    left_out: Option<(u64, i64)>,
}

impl EarlierHits {
    /// Keeps the newest of those from a time on.
    fn bound(&mut self, since: i64, most: usize) {
        self.left_out = self.left_out.filter(|(_, last)| *last >= since);
        self.hits.retain(|hit| hit.time >= since);
        let Some(surplus) = self.hits.len().checked_sub(most).filter(|surplus| *surplus > 0) else { return };
        self.hits.sort_unstable_by_key(|hit| (hit.time, hit.source, hit.line));
        let last = self.hits[surplus - 1].time;
        self.hits.drain(..surplus);
        let (before, last_before) = self.left_out.unwrap_or((0, last));
        self.left_out = Some((before + surplus as u64, last.max(last_before)));
    }
}

/// How many events of each rule are kept for correlations, over all segments.
struct KeptHits {
    most: usize,
    by_rule: HashMap<usize, AtomicUsize>,
}

impl KeptHits {
    /// How many more may be kept of a rule. While several segments are looked at, others may take some of them.
    fn room(&self, rule: usize) -> usize {
        let kept = self.by_rule.get(&rule).map(|kept| kept.load(Ordering::Relaxed));
        kept.map_or(0, |kept| self.most.saturating_sub(kept))
    }
}

/// What rules matched in one segment.
#[derive(Debug, Default)]
struct Found {
    rules: HashMap<usize, RuleFound>,
    /// Of each rule by host, user and process, until they are joined with those of other segments.
    groups: Vec<(usize, Groups)>,
    kinds: Vec<bool>,
}

impl Found {
    /// Leaves out events for correlations that there is no room for.
    fn bound(&mut self, kept: &KeptHits) {
        for (rule, found) in &mut self.rules {
            found.hits.truncate(kept.room(*rule));
            found.hits.shrink_to_fit();
            if let Some(kept) = kept.by_rule.get(rule) {
                kept.fetch_add(found.hits.len(), Ordering::Relaxed);
            }
        }
    }
}

#[derive(Debug, Default, Clone)]
struct RuleFound {
    count: EventCount,
    /// Where the first of them lie.
    named: Vec<(u32, u64)>,
    noise: Noise,
    /// For correlations.
    hits: Vec<RawHit>,
}

#[derive(Debug, Clone)]
struct RawHit {
    time: i64,
    source: u32,
    line: u64,
    values: Vec<Option<String>>,
}

/// Evaluates rules over the events of a case within times, from (inclusive) to (exclusive).
pub fn run(
    rules: &RuleSet,
    sources: &Sources,
    case: &Case,
    snapshot: &Snapshot,
    range: (Option<i64>, Option<i64>),
    progress: &mut Progress,
    cancel: &Cancel,
) -> Result<Report> {
    let kinds = snapshot.fields();
    let fields = case_fields(snapshot);
    if progress.fields != fields || progress.range != range {
        progress.restart();
        (progress.fields, progress.range) = (fields.clone(), range);
    }
    let program = match &progress.program {
        Some(program) => Arc::clone(program),
        None => match Program::new(&rules.rules, sources, &fields) {
            Ok(program) => Arc::clone(progress.program.insert(Arc::new(program))),
            Err(fault) => {
                let problems =
                    rules.files.first().map(|file| Problem::of_file(file, fault)).into_iter().collect();
                return Ok(Report { problems, ..Report::default() });
            }
        },
    };
    let wanted = wanted_fields(rules, sources, &fields);
    let names = source_names(snapshot);
    let known: HashSet<u64> = progress.segments.keys().copied().collect();
    let kept = progress.kept_hits(&wanted);
    let look = |rows: &SnapshotSegment<'_>| {
        if known.contains(&rows.id()) {
            return Ok((rows.id(), None));
        }
        let within = rows.within(range.0, range.1)?;
        found_in(&program, rows, within, (&names, rules.text_search), &wanted, &kept, cancel)
            .map(|found| (rows.id(), Some(found)))
    };
    let mut ids = HashSet::new();
    case.each_segment(snapshot, cancel, look, |(id, found)| {
        ids.insert(id);
        if let Some(mut found) = found {
            found.bound(&kept);
            for (rule, groups) in std::mem::take(&mut found.groups) {
                progress.groups.entry(rule).or_default().join(groups, progress.group_limits);
            }
            progress.segments.insert(id, found);
        }
        Ok(())
    })?;
    if progress.segments.keys().any(|id| !ids.contains(id)) {
        // Compacting or deleting replaced segments, and the groups of these are joined with the rest.
        progress.restart();
        return run(rules, sources, case, snapshot, range, progress, cancel);
    }
    let evidence = Evidence { program: &program, snapshot, fields: &kinds };
    Ok(RuleOutcome { rules, sources, program: &program, progress, evidence, snapshot, range }.report())
}

/// The fields of a case that rules may be about.
pub fn case_fields(snapshot: &Snapshot) -> Vec<String> {
    let mut fields: Vec<String> = snapshot.fields().into_iter().map(|(name, _)| name).collect();
    fields.push("level".to_owned());
    fields
}

/// The sources of a case, as selectors see them.
pub fn source_names(snapshot: &Snapshot) -> SourceNames {
    SourceNames {
        formats: snapshot.sources().iter().map(|source| source.format.clone()).collect(),
        names: snapshot.sources().iter().map(|source| source.name.clone()).collect(),
    }
}

/// By rule that correlations name: the case's fields for each field that they need of it.
type Wanted = HashMap<usize, Vec<Vec<String>>>;

fn wanted_fields(rules: &RuleSet, sources: &Sources, fields: &[String]) -> Wanted {
    let mut wanted = Wanted::new();
    for (correlation, _) in &rules.correlations {
        for name in &correlation.rules {
            let Some(rule) = rules.rule_named(name) else { continue };
            let columns = correlation.fields_of(name);
            let columns = columns.iter().map(|field| meant(field, &rules.rules[rule], sources, fields));
            // Rules of several correlations have the fields of all, one after the other.
            wanted.entry(rule).or_default().extend(columns);
        }
    }
    wanted
}

fn found_in(
    program: &Program,
    rows: &SnapshotSegment<'_>,
    within: Range<usize>,
    names: (&SourceNames, TextSearch),
    wanted: &Wanted,
    kept: &KeptHits,
    cancel: &Cancel,
) -> Result<Found> {
    let matches = scan::segment(program, rows, within, names, cancel)?;
    let mut found = Found { kinds: matches.kinds, ..Found::default() };
    if matches.rows.is_empty() {
        return Ok(found);
    }
    let (times, source, line) = (rows.times()?, rows.column("source", cancel)?, rows.column("line", cancel)?);
    let number = |column: &indexer::CodedColumn, row: u32| {
        column.text(column.code(row as usize)).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0)
    };
    let entities = EntityColumns::new(rows, cancel)?;
    for (rule, matched) in matches.rows {
        let place = |row: u32| (number(&source, row) as u32, number(&line, row));
        let time_of = |row: &u32| times.get(*row as usize);
        let mut of_rule = RuleFound {
            named: matched.iter().take(NAMED_EVENTS + 1).map(|&row| place(row)).collect(),
            noise: Noise::new(matched.iter().filter_map(time_of)),
            ..RuleFound::default()
        };
        let mut groups = Groups::default();
        for row in &matched {
            of_rule.count.add(&EventCount::single(time_of(row)));
            groups.event(entities.entities(*row as usize), time_of(row), place(*row));
        }
        if let Some(fields) = wanted.get(&rule) {
            let columns = columns_of(rows, fields, cancel)?;
            let with_time = matched.iter().filter_map(|row| Some((*row, time_of(row)?)));
            for (row, time) in with_time.take(kept.room(rule)) {
                let (source, line) = place(row);
                let values = columns.iter().map(|columns| value_of(columns, row)).collect();
                of_rule.hits.push(RawHit { time, source, line, values });
            }
        }
        found.groups.push((rule, groups));
        found.rules.insert(rule, of_rule);
    }
    Ok(found)
}

struct RuleOutcome<'a> {
    rules: &'a RuleSet,
    sources: &'a Sources,
    program: &'a Program,
    progress: &'a Progress,
    evidence: Evidence<'a>,
    snapshot: &'a Snapshot,
    range: (Option<i64>, Option<i64>),
}

impl RuleOutcome<'_> {
    fn report(&self) -> Report {
        let mut report = Report::default();
        let mut kinds = vec![false; self.program.kinds.len()];
        for found in self.progress.segments.values() {
            kinds.iter_mut().zip(&found.kinds).for_each(|(seen, is)| *seen |= is);
        }
        let applies: Vec<bool> = self
            .program
            .rule_kinds
            .iter()
            .map(|ways| ways.as_ref().is_some_and(|ways| ways.iter().any(|way| kinds[way.kind])))
            .collect();
        let order = CorrelationOrder::new(self.rules);
        let silent = self.silent(&order);
        let entities = EntityFields::new(self.evidence.fields);
        let width = self.snapshot.time_range().map(|(from, to)| bin_width(from, to));
        for (index, rule) in self.rules.rules.iter().enumerate() {
            if !applies[index] {
                report.not_applicable.push(rule.id.clone());
                report.states.push(RuleState::NoSource);
                continue;
            }
            report.applicable += 1;
            let missing = self.missing_fields(index, &kinds);
            let is_blind = missing.as_ref().is_some_and(|missing| missing.cannot_match);
            report.missing_fields.extend(missing);
            let mut found = self.of_rule(index);
            let has_fired = found.count.events > 0 && !silent.contains(&RulePlace::Rule(index));
            if has_fired {
                let query = self.evidence.rule(index);
                report.alerts.push(self.alert(index, &found, &query));
                found.noise.widen(width.unwrap_or_default());
                let no_groups = Groups::default();
                let groups = self.progress.groups.get(&index).unwrap_or(&no_groups);
                let (groups, others) = listed(groups, &query, &entities, self.snapshot);
                let noise = found.noise.bins().collect();
                report.found.push(FoundRule {
                    rule: index,
                    events: found.count.events,
                    groups,
                    others,
                    noise,
                });
            }
            report.states.push(match (has_fired, is_blind) {
                (true, _) => RuleState::Fired,
                (false, true) => RuleState::NoField,
                (false, false) => RuleState::Quiet,
            });
        }
        self.correlations(&order, &silent, &mut report);
        report
    }

    /// The fields of a rule that are nowhere in the case, whichever way its events come; of a rule that can match in
    /// none of them, those that are missing in any.
    fn missing_fields(&self, index: usize, kinds: &[bool]) -> Option<MissingFields> {
        let ways = self.program.rule_kinds[index].as_ref()?;
        let seen = || ways.iter().filter(|way| kinds[way.kind]);
        let cannot_match = !seen().any(|way| way.can_match);
        let joined = |all: BTreeSet<String>, other| if cannot_match { &all | &other } else { &all & &other };
        let fields = seen().map(|way| way.missing.clone()).reduce(joined)?;
        (!fields.is_empty()).then(|| MissingFields {
            rule: self.rules.rules[index].id.clone(),
            fields: fields.into_iter().collect(),
            cannot_match,
        })
    }

    /// The matches of a rule in all segments, without its groups.
    fn of_rule(&self, rule: usize) -> RuleFound {
        let mut all = RuleFound::default();
        for found in self.in_segments(rule) {
            all.count.add(&found.count);
            all.named.extend(&found.named);
            all.noise.add(&found.noise);
        }
        all
    }

    /// The matches of a rule in each segment, in their order.
    fn in_segments(&self, rule: usize) -> impl Iterator<Item = &RuleFound> {
        let mut ids: Vec<&u64> = self.progress.segments.keys().collect();
        ids.sort_unstable();
        ids.into_iter().filter_map(move |id| self.progress.segments[id].rules.get(&rule))
    }

    fn alert(&self, index: usize, found: &RuleFound, query: &RuleQuery) -> Alert {
        let rule = &self.rules.rules[index];
        let count = &found.count;
        let is_few = count.events as usize <= NAMED_EVENTS;
        let is_readable = query.is_exact && query.filter.to_string().len() <= READABLE_QUERY_BYTES;
        let filter = if is_few && !is_readable {
            evidence::named(self.snapshot, &found.named)
        } else if query.is_exact {
            evidence::within(query.filter.clone(), self.range.0, self.range.1.map(|to| to - 1))
        } else {
            count.within(query.filter.clone())
        };
        Alert {
            detector: rule.id.clone(),
            title: rule.title.clone(),
            severity: rule.severity,
            start: count.first,
            end: count.last,
            peak: None,
            events: count.events,
            group: Vec::new(),
            value: Some(count.events as f64),
            expected: None,
            basis: None,
            query: filter.to_string(),
            wider: !query.is_exact && !is_few,
        }
    }
}

impl RuleSet {
    /// The longest time that a correlation looks at; nothing without correlations.
    #[must_use]
    pub fn longest_span(&self) -> Option<i64> {
        self.correlations.iter().map(|(correlation, _)| correlation.timespan).max()
    }

    /// Whether an alert's detector is a correlation.
    #[must_use]
    pub fn is_correlation(&self, id: &str) -> bool {
        self.correlations.iter().any(|(correlation, _)| correlation.head.id == id)
    }

    pub(super) fn rule_named(&self, name: &str) -> Option<usize> {
        self.rules.iter().position(|rule| rule.is_called(name))
    }

    pub(super) fn correlation_named(&self, name: &str) -> Option<usize> {
        self.correlations
            .iter()
            .position(|(other, _)| other.head.id == name || other.head.name.as_deref() == Some(name))
    }
}
