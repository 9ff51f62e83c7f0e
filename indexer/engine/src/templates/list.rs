//! The templates of a view: counts, distribution over time, levels and values.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ingest::{Level, NO_TIME};
use serde::Serialize;

use super::tally::{Buckets, Tally};
use super::values::{PatternVariable, ValueTally};
use crate::Engine;
use crate::exec::{SegmentRows, in_order};
use crate::view::{View, range};
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use base::limits::{CANCEL_ROWS, MOST_PATTERN_EXAMPLES, MOST_PATTERNS, PATTERN_BUCKETS};
use patterns::{Granularity, NO_SHAPE, TemplateId, Tree};
use store::Snapshot;
use store::{Messages, Mined};

/// How often a list that is not whole yet is handed out while segments are still mined. Each one computes the templates again.
const PARTIAL_WHILE_MINING: Duration = Duration::from_millis(500);
const PARTIAL_WHILE_COUNTING: Duration = Duration::from_millis(50);

/// A request for the templates of a view.
#[derive(Clone, Debug)]
pub struct PatternOptions {
    pub granularity: Granularity,
    /// Templates listed, the most frequent first.
    pub limit: usize,
    /// The most buckets of the counts over time.
    pub buckets: usize,
    /// The earliest events listed for each template.
    pub examples: usize,
    /// Counts outside of the view's times too, and lists templates that occur only there.
    pub compare: bool,
    /// The range that is compared with, from inclusive and to exclusive; all other times by default. The view's own
    /// range is never a part of it.
    pub against: Option<(i64, i64)>,
    /// Templates with a list of their variable parts, and the values listed of each.
    pub variables: Vec<TemplateId>,
    pub values: usize,
}

impl Default for PatternOptions {
    fn default() -> PatternOptions {
        PatternOptions {
            granularity: Granularity::Template,
            limit: 1_000,
            buckets: 60,
            examples: 3,
            compare: false,
            against: None,
            variables: Vec::new(),
            values: 10,
        }
    }
}

/// The templates of a view.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Patterns {
    /// The most frequent first.
    pub patterns: Vec<Pattern>,
    /// Templates that occur, listed or not.
    pub distinct: usize,
    /// Matching events, and those of them without a message.
    pub total: u64,
    pub without: u64,
    /// Buckets of the counts: the start of the first, and their width.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub start: i64,
    #[serde(rename = "bucketNs", with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub width_ns: i64,
}

/// A template and its events in a view.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Pattern {
    /// Names the template for ever; `template:ID` is a filter.
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub id: TemplateId,
    /// The parent template of the next granularity.
    #[cfg_attr(feature = "typescript", ts(type = "string | null"))]
    pub parent: Option<TemplateId>,
    /// What its messages share, `<num>` and the like for what varies.
    pub text: String,
    pub count: u64,
    /// Of the matching events.
    pub share: f64,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<base::json::Nanos>"))]
    pub first: Option<i64>,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<base::json::Nanos>"))]
    pub last: Option<i64>,
    pub counts: Vec<u32>,
    /// Events of each level, in the order of [`Level::ALL`]; as JSON only the levels that occur.
    #[serde(with = "base::json::level_counts")]
    #[cfg_attr(feature = "typescript", ts(as = "Vec<base::json::LevelCount>"))]
    pub levels: [u64; 8],
    /// Source and offset of its earliest events.
    #[serde(with = "base::json::event_ids")]
    #[cfg_attr(feature = "typescript", ts(as = "Vec<base::json::EventId>"))]
    pub examples: Vec<(u32, u64)>,
    /// Matching events outside of the view's times, if requested. Zero: the template is new. All: it is gone.
    pub elsewhere: Option<u64>,
    /// Its variable parts, if requested.
    pub variables: Vec<PatternVariable>,
}

impl Engine {
    /// Lists the templates of the matching events. `partial` is called with the current list and the share
    /// of the work that is done.
    pub fn patterns(
        &self,
        snapshot: &Snapshot,
        view: &View,
        options: &PatternOptions,
        partial: &mut dyn FnMut(&Patterns, f64),
        cancel: &Cancel,
    ) -> Result<Patterns> {
        Self::without_damaged(snapshot, |snapshot| self.patterns_of(snapshot, view, options, partial, cancel))
    }

    fn patterns_of(
        &self,
        snapshot: &Snapshot,
        view: &View,
        options: &PatternOptions,
        partial: &mut dyn FnMut(&Patterns, f64),
        cancel: &Cancel,
    ) -> Result<Patterns> {
        let view = &self.resolved(snapshot, view)?;
        let buckets = Buckets::over(range(snapshot, view), options.buckets.clamp(1, PATTERN_BUCKETS));
        let asked = TemplateQuery { case: self, snapshot, view, options, buckets, cancel };
        let segments = snapshot.segments.len().max(1) as f64;
        let mut last_partial = Instant::now();
        let tree = self.tree(snapshot, cancel, &mut |index, current| {
            if last_partial.elapsed() >= PARTIAL_WHILE_MINING {
                let mut counting = TemplateCounting::new(&asked, current().into());
                (0..=index).try_for_each(|index| counting.add(index))?;
                // If mining is needed, it is nearly all of the work.
                partial(&counting.list(), (index + 1) as f64 / segments * 0.9);
                last_partial = Instant::now();
            }
            Ok(())
        })?;
        let mut counting = TemplateCounting::new(&asked, tree);
        let tree = Arc::clone(&counting.tree);
        let count = |index: usize| -> Result<TemplateCounting<'_>> {
            let mut counting = TemplateCounting::new(&asked, Arc::clone(&tree));
            counting.add(index)?;
            Ok(counting)
        };
        in_order(snapshot.segments.len(), cancel, count, |index, counted| {
            counting.absorb(counted);
            if last_partial.elapsed() >= PARTIAL_WHILE_COUNTING && index + 1 < snapshot.segments.len() {
                partial(&counting.list(), (index + 1) as f64 / segments);
                last_partial = Instant::now();
            }
            Ok(())
        })?;
        let mut list = counting.list();
        for id in &options.variables {
            let Some(template) = counting.tree.find(*id).filter(|_| id.granularity == options.granularity)
            else {
                return Err(Error::new(ErrorKind::BadRequest, format!("the case has no pattern `{id}`"))
                    .hint("list the patterns again"));
            };
            let id = template.id;
            if let Some(pattern) = list.patterns.iter_mut().find(|pattern| pattern.id == id) {
                pattern.variables = asked.variables(&counting.tree, id)?;
            }
        }
        Ok(list)
    }
}

struct TemplateQuery<'a> {
    case: &'a Engine,
    snapshot: &'a Snapshot,
    view: &'a View,
    options: &'a PatternOptions,
    buckets: Buckets,
    cancel: &'a Cancel,
}

impl TemplateQuery<'_> {
    /// The matching rows of a segment with their shapes.
    fn part(&self, index: usize) -> Result<Option<(SegmentRows, Arc<Mined>)>> {
        if self.cancel.is_set() {
            return Err(Error::cancelled());
        }
        let everywhere = View { from: None, to: None, ..self.view.clone() };
        let view = if self.options.compare { &everywhere } else { self.view };
        let Some(part) = self.case.part(self.snapshot, index, view, self.cancel)? else {
            return Ok(None);
        };
        let mined = self.case.mined(&part.segment, self.cancel)?;
        Ok(Some((part, mined)))
    }

    fn is_in_range(&self, time: i64) -> bool {
        let bounded = self.view.from.is_some() || self.view.to.is_some();
        !bounded
            || time != NO_TIME
                && self.view.from.is_none_or(|from| time >= from)
                && self.view.to.is_none_or(|to| time < to)
    }

    fn is_compared(&self, time: i64) -> bool {
        self.options.against.is_none_or(|(from, to)| time != NO_TIME && from <= time && time < to)
    }

    /// The values of a template's variable parts, in all of its matching events.
    fn variables(&self, tree: &Tree, id: TemplateId) -> Result<Vec<PatternVariable>> {
        let Some(template) = tree.find(id) else { return Ok(Vec::new()) };
        let wanted = tree.place(id.granularity, id.shape);
        let mut values = ValueTally::from_template(template);
        for index in 0..self.snapshot.segments.len() {
            let Some((part, mined)) = self.part(index)? else { continue };
            let places = mined.hashes.iter().map(|&shape| tree.place(id.granularity, shape) == wanted);
            let is_wanted: Vec<bool> = places.collect();
            if !is_wanted.contains(&true) {
                continue;
            }
            let times = part.segment.times()?;
            let has_it = |row: &usize| {
                is_wanted.get(mined.codes[*row] as usize) == Some(&true) && self.is_in_range(times.get(*row))
            };
            let rows = (0..part.len()).map(|index| part.row(index)).filter(has_it).map(|row| row as u32);
            let mut seen = 0;
            let messages = Messages::load(&part.segment, self.cancel)?;
            messages.for_each(&part.segment, &mut self.case.raw_cursor(), rows, |_, message| {
                seen += 1;
                if seen % CANCEL_ROWS == 0 && self.cancel.is_set() {
                    return Err(Error::cancelled());
                }
                values.add(message);
                Ok(())
            })?;
        }
        Ok(values.finish(self.options.values))
    }
}

/// The templates counted until now.
struct TemplateCounting<'a> {
    asked: &'a TemplateQuery<'a>,
    tree: Arc<Tree>,
    tallies: Vec<Tally>,
    total: u64,
    without: u64,
}

impl<'a> TemplateCounting<'a> {
    fn new(asked: &'a TemplateQuery<'a>, tree: Arc<Tree>) -> TemplateCounting<'a> {
        let tallies = vec![Tally::default(); tree.templates(asked.options.granularity).len()];
        TemplateCounting { asked, tree, tallies, total: 0, without: 0 }
    }

    fn add(&mut self, index: usize) -> Result<()> {
        let Some((part, mined)) = self.asked.part(index)? else { return Ok(()) };
        let (events, levels) = (part.segment.event_keys()?, part.segment.levels()?);
        let granularity = self.asked.options.granularity;
        let examples = self.asked.options.examples.min(MOST_PATTERN_EXAMPLES);
        let places: Vec<Option<usize>> =
            mined.hashes.iter().map(|&shape| self.tree.place(granularity, shape)).collect();
        let mut bucket = self.asked.buckets.lookup();
        for start in part.rows().step_by(CANCEL_ROWS) {
            if self.asked.cancel.is_set() {
                return Err(Error::cancelled());
            }
            part.for_each_in(start..start + CANCEL_ROWS, |row| {
                let time = events.time(row);
                let is_in_range = self.asked.is_in_range(time);
                self.total += u64::from(is_in_range);
                let code = mined.codes.get(row).copied().unwrap_or(NO_SHAPE);
                let place = places.get(code as usize).copied().flatten();
                match place.and_then(|place| self.tallies.get_mut(place)) {
                    None => self.without += u64::from(is_in_range),
                    Some(tally) if is_in_range => {
                        tally.add(time, levels.get(row), bucket.index(time), self.asked.buckets.count);
                        tally.example(time, || events.key(row), examples);
                    }
                    Some(tally) => tally.elsewhere += u64::from(self.asked.is_compared(time)),
                }
            });
        }
        Ok(())
    }

    /// Merges the counts of other segments.
    fn absorb(&mut self, other: TemplateCounting<'_>) {
        let examples = self.asked.options.examples.min(MOST_PATTERN_EXAMPLES);
        self.total += other.total;
        self.without += other.without;
        for (tally, other) in self.tallies.iter_mut().zip(other.tallies) {
            tally.absorb(other, examples);
        }
    }

    fn list(&self) -> Patterns {
        let templates = self.tree.templates(self.asked.options.granularity);
        let occurs = |tally: &Tally| tally.count > 0 || tally.elsewhere > 0;
        let mut found: Vec<usize> =
            (0..templates.len()).filter(|&place| occurs(&self.tallies[place])).collect();
        let distinct = found.len();
        found.sort_by(|&one, &other| {
            let key = |place: usize| (self.tallies[place].count, self.tallies[place].elsewhere);
            key(other).cmp(&key(one)).then_with(|| templates[one].id.cmp(&templates[other].id))
        });
        found.truncate(self.asked.options.limit.min(MOST_PATTERNS));
        Patterns {
            patterns: found.into_iter().map(|place| self.pattern(place)).collect(),
            distinct,
            total: self.total,
            without: self.without,
            start: self.asked.buckets.start,
            width_ns: self.asked.buckets.width_ns,
        }
    }

    fn pattern(&self, place: usize) -> Pattern {
        let template = &self.tree.templates(self.asked.options.granularity)[place];
        let tally = &self.tallies[place];
        let mut counts = tally.buckets.clone();
        counts.resize(self.asked.buckets.count, 0);
        Pattern {
            id: template.id,
            parent: self.tree.parent(template).map(|parent| parent.id),
            text: template.text(),
            count: tally.count,
            share: tally.count as f64 / self.total.max(1) as f64,
            first: tally.first,
            last: tally.last,
            counts,
            levels: tally.levels,
            examples: tally.examples.iter().map(|&(_, source, offset)| (source, offset)).collect(),
            elsewhere: self.asked.options.compare.then_some(tally.elsewhere),
            variables: Vec::new(),
        }
    }
}

const _: () = assert!(Level::ALL.len() == 8);
