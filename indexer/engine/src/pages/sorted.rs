//! Pages of a result sorted by a field, without a full sort: the values at the first and the last rank of the
//! page are found by counting, and only events between them are read.

use std::sync::Arc;

use super::Page;
use super::events::Shown;
use super::relevance::{Relevance, is_relevance};
use crate::Engine;
use crate::aggregate::{AggregateScope, FieldNumbers, GlobalValues, domain, numbers};
use crate::exec::{
    Bitmap, Codes, Direction, Domain, EventKey, Narrowed, Position, Ranks, RowSet, SegmentRows, Selection,
    ToKey, in_order, sort_rows,
};
use crate::view::View;
use base::error::{Error, Result};
use base::limits::{CANCEL_ROWS, PAGE_ROWS};
use base::{Cancel, FieldKind};
use store::Snapshot;
use store::{Scalar, StoredColumn, with_codes};

/// What a result is sorted by: a field, `time`, or `relevance` where no field is called so. Events alike in it are in the order of their times; those without it are last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortBy {
    pub field: String,
    pub descending: bool,
}

impl SortBy {
    #[must_use]
    pub fn time(direction: Direction) -> SortBy {
        SortBy { field: "time".to_owned(), descending: direction == Direction::NewestFirst }
    }

    /// The direction in time, where it is time that is sorted by.
    #[must_use]
    pub fn by_time(&self) -> Option<Direction> {
        let direction = if self.descending { Direction::NewestFirst } else { Direction::OldestFirst };
        (self.field == "time").then_some(direction)
    }
}

/// How the rows of a field compare, over all segments.
enum SortOrder {
    Numbers {
        domain: Domain,
        largest: u64,
    },
    /// By the place of each value among all, a table a segment.
    Values(Arc<ValueRanks>),
    /// By how well an event matches the filter.
    Relevance(Relevance),
}

/// The ranks of values in their order, by the codes of each segment.
pub struct ValueRanks {
    segments: Vec<(u64, Option<SortTable>)>,
    largest: u64,
}

/// A column, and for each of its codes the rank of its value plus one.
type SortTable = (Arc<StoredColumn>, Vec<u32>);

/// The keys of one segment's rows; 0 means that a row has no value.
enum SortKeys {
    None,
    Numbers(Arc<StoredColumn>, ToKey),
    Ranks(Arc<ValueRanks>, usize),
    /// A key for each row.
    Scores(Arc<Vec<u32>>),
}

/// The part of a page in one segment.
struct RanksAround {
    between: Vec<(u64, usize)>,
    first: SegmentRows,
    last: SegmentRows,
}

impl Engine {
    /// Bitmap `first..first + count` of the result sorted by a field.
    pub fn page_by(
        &self,
        snapshot: &Snapshot,
        view: &View,
        sort: &SortBy,
        rows: (usize, usize),
        shown: &Shown<'_>,
        cancel: &Cancel,
    ) -> Result<Page> {
        Self::without_damaged(snapshot, |snapshot| self.page_by_of(snapshot, view, sort, rows, shown, cancel))
    }

    fn page_by_of(
        &self,
        snapshot: &Snapshot,
        view: &View,
        sort: &SortBy,
        rows: (usize, usize),
        shown: &Shown<'_>,
        cancel: &Cancel,
    ) -> Result<Page> {
        if let Some(direction) = sort.by_time() {
            return self.page(snapshot, view, direction, rows, shown, cancel);
        }
        let view = &self.resolved(snapshot, view)?;
        if !is_relevance(snapshot, sort) {
            Self::check_known(snapshot, &sort.field)?;
        }
        let asked = AggregateScope { case: self, snapshot, view, cancel };
        let (positions, total) = positions(&asked, sort, rows.0, rows.1.min(PAGE_ROWS))?;
        Ok(Page { total, events: self.events_at(snapshot, &positions, shown, cancel)? })
    }
}

/// The events from a rank on, and how many there are in all.
pub fn positions(
    asked: &AggregateScope<'_>,
    sort: &SortBy,
    first: usize,
    count: usize,
) -> Result<(Vec<Position>, usize)> {
    let order = SortOrder::new(asked, sort)?;
    let mut parts = Vec::new();
    let segments = asked.snapshot.segments.len();
    let find = |index: usize| -> Result<Option<(SegmentRows, SortKeys, usize)>> {
        let Some(part) = asked.part(index)? else { return Ok(None) };
        let keys = order.keys(asked, &sort.field, index)?;
        let missing = keys.missing(&part);
        Ok(Some((part, keys, missing)))
    };
    in_order(segments, asked.cancel, find, |_, found| {
        parts.extend(found);
        Ok(())
    })?;
    let total: usize = parts.iter().map(|(part, ..)| part.len()).sum();
    let valued = total - parts.iter().map(|(_, _, missing)| missing).sum::<usize>();
    let (start, end) = (first.min(valued), first.saturating_add(count).min(valued));
    let mut positions = Vec::with_capacity(count);
    if start < end {
        positions = valued_page(asked, &parts, &order, sort, (start, end, valued))?;
    }
    let rest = first.saturating_add(count).min(total).saturating_sub(first.max(valued));
    if rest > 0 {
        let without: Vec<SegmentRows> =
            parts.iter().map(|(part, keys, _)| part.narrowed(|row| keys.at(row).is_none())).collect();
        let first = first.max(valued) - valued;
        positions.extend(Selection::new(without).page(Direction::OldestFirst, first, rest)?);
    }
    Ok((positions, total))
}

/// The events at ranks `start..end` of those that have a value.
fn valued_page(
    asked: &AggregateScope<'_>,
    parts: &[(SegmentRows, SortKeys, usize)],
    order: &SortOrder,
    sort: &SortBy,
    (start, end, valued): (usize, usize, usize),
) -> Result<Vec<Position>> {
    let descending = sort.descending;
    let rank = |place: usize| (if descending { valued - 1 - place } else { place }) as u64;
    let mut ranks = Ranks::at(&[rank(start), rank(end - 1)], order.largest());
    while !ranks.is_done() {
        let mut total = ranks.total();
        // The counts of the first pass over a whole segment are cached: they are the same for every page.
        let kept = ranks.first_pass().and_then(|(shift, _)| order.name_of_counts(&sort.field, shift));
        let pass = |index: usize| {
            let (part, keys, _) = &parts[index];
            let Some(name) = kept.as_ref().filter(|_| part.is_all()) else {
                return Ok(Arc::new(keys.pass(&ranks, part)));
            };
            asked.case.columns().get_or_stop(part.segment.meta.id, name, asked.cancel, || {
                let counts = keys.pass(&ranks, part);
                let bytes = counts.bytes();
                Ok((counts, bytes))
            })
        };
        in_order(parts.len(), asked.cancel, pass, |_, found| {
            ranks.absorb(&mut total, 0, &found);
            Ok(())
        })?;
        ranks.narrow(total);
    }
    let ends = ranks.found_at(0).zip(ranks.found_at(1));
    let Some(((first, less), (last, _))) = ends else { return Ok(Vec::new()) };
    let (mut between, mut firsts, mut lasts) = (Vec::new(), Vec::new(), Vec::new());
    let look = |index: usize| Ok(parts[index].1.around(&parts[index].0, first, last));
    in_order(parts.len(), asked.cancel, look, |index, around| {
        between.extend(around.between.into_iter().map(|(key, row)| (key, index, row)));
        firsts.push(around.first);
        lasts.push(around.last);
        Ok(())
    })?;
    let firsts = Selection::new(firsts);
    let before = if descending { valued - less as usize - firsts.len() } else { less as usize };
    let mut page = firsts.page(Direction::OldestFirst, start - before, end - start)?;
    page.extend(between_in_order(parts, between, descending)?);
    if first != last {
        let rest = end - start - page.len();
        page.extend(Selection::new(lasts).page(Direction::OldestFirst, 0, rest)?);
    }
    Ok(page)
}

fn between_in_order(
    parts: &[(SegmentRows, SortKeys, usize)],
    between: Vec<(u64, usize, usize)>,
    descending: bool,
) -> Result<Vec<Position>> {
    let mut keyed: Vec<(u64, EventKey, Position)> = Vec::with_capacity(between.len());
    for (key, index, row) in between {
        let position = Position { segment: Arc::clone(&parts[index].0.segment), row };
        keyed.push((if descending { u64::MAX - key } else { key }, position.key()?, position));
    }
    keyed.sort_unstable_by_key(|&(value, key, _)| (value, key));
    Ok(keyed.into_iter().map(|(.., position)| position).collect())
}

impl SortOrder {
    fn new(asked: &AggregateScope<'_>, sort: &SortBy) -> Result<SortOrder> {
        if is_relevance(asked.snapshot, sort) {
            return Relevance::new(asked).map(SortOrder::Relevance);
        }
        let field = sort.field.as_str();
        let described = asked.snapshot.segments.iter().flat_map(|segment| &segment.meta.fields);
        let mut kinds = described.filter(|known| known.name == field).map(|known| known.kind).peekable();
        let is_number = |kind: FieldKind| matches!(kind, FieldKind::Int | FieldKind::Float);
        let numeric = field == "line" || (kinds.peek().is_some() && kinds.all(is_number));
        if numeric && let Some((domain, largest)) = domain(asked, field)? {
            return Ok(SortOrder::Numbers { domain, largest });
        }
        ValueRanks::load(asked, field).map(SortOrder::Values)
    }

    fn largest(&self) -> u64 {
        match self {
            SortOrder::Numbers { largest, .. } => *largest,
            SortOrder::Values(places) => places.largest,
            SortOrder::Relevance(relevance) => relevance.largest(),
        }
    }

    /// The cache key of the counts of a field's numbers: keys of two domains differ.
    fn name_of_counts(&self, field: &str, shift: u32) -> Option<String> {
        match self {
            SortOrder::Numbers { domain, .. } => Some(format!("#ranks {field} {domain:?} {shift}")),
            SortOrder::Values(_) | SortOrder::Relevance(_) => None,
        }
    }

    fn keys(&self, asked: &AggregateScope<'_>, field: &str, index: usize) -> Result<SortKeys> {
        let segment = &asked.snapshot.segments[index];
        Ok(match self {
            SortOrder::Numbers { domain, .. } => {
                let FieldNumbers { column, .. } =
                    numbers(segment, asked.snapshot.sources(), field, asked.cancel)?;
                let keys = column.and_then(|column| {
                    let to_key = domain.keys_of(&column)?;
                    Some(SortKeys::Numbers(column, to_key))
                });
                keys.unwrap_or(SortKeys::None)
            }
            SortOrder::Values(places) => {
                let at = places.segments.iter().position(|(id, _)| *id == segment.meta.id);
                at.map_or(SortKeys::None, |at| SortKeys::Ranks(Arc::clone(places), at))
            }
            SortOrder::Relevance(relevance) => SortKeys::Scores(relevance.scores(asked, index)?),
        })
    }
}

impl ValueRanks {
    /// Cached between queries, and rebuilt when there are more segments.
    fn load(asked: &AggregateScope<'_>, field: &str) -> Result<Arc<ValueRanks>> {
        let ids = || asked.snapshot.segments.iter().map(|segment| segment.meta.id);
        // FNV-1a over the ids tells one list of segments from another.
        let list =
            ids().fold(0xcbf2_9ce4_8422_2325_u64, |list, id| (list ^ id).wrapping_mul(0x100_0000_01b3));
        let name = format!("#order {list:016x} {field}");
        let make = || {
            let values = GlobalValues::load(asked.case, asked.snapshot, field, asked.cancel)?;
            let places = ValueRanks::new(asked.snapshot, &values, asked.cancel)?;
            let bytes = places.segments.iter().flat_map(|(_, table)| table).map(|(_, table)| table.len() * 4);
            let bytes = bytes.sum();
            Ok((places, bytes))
        };
        asked.case.columns().get_or_stop(u64::MAX - 1, &name, asked.cancel, make)
    }

    fn new(snapshot: &Snapshot, values: &GlobalValues, cancel: &Cancel) -> Result<ValueRanks> {
        let mut known: Vec<(Scalar, u32)> = Vec::with_capacity(values.codes);
        values.with(|value| {
            for code in 1..values.codes as u32 {
                if (code as usize).is_multiple_of(CANCEL_ROWS) && cancel.is_set() {
                    return Err(Error::cancelled());
                }
                known.extend(value(code).map(|value| (value, code)));
            }
            Ok(())
        })?;
        let value = |at: u32| &known[at as usize].0;
        let sorted = sort_rows(known.len(), cancel, |one, other| value(one).order(value(other)))?;
        let mut places = vec![0; values.codes];
        let mut place = 0;
        for (index, &at) in sorted.iter().enumerate() {
            // A number and the float of the same size are alike.
            if index > 0 && value(sorted[index - 1]).order(value(at)).is_ne() {
                place += 1;
            }
            places[known[at as usize].1 as usize] = place + 1;
        }
        let table = |coded: &crate::aggregate::Coded| {
            let table = coded.shared.iter().map(|&code| places[code as usize]).collect();
            (Arc::clone(&coded.column), table)
        };
        let segments = snapshot.segments.iter().zip(&values.segments);
        Ok(ValueRanks {
            segments: segments.map(|(segment, coded)| (segment.meta.id, coded.as_ref().map(table))).collect(),
            largest: u64::from(place),
        })
    }
}

impl SortKeys {
    /// The key of a row that has a value.
    fn at(&self, row: usize) -> Option<u64> {
        match self {
            SortKeys::None => None,
            SortKeys::Numbers(column, to_key) => {
                Some(column.codes.get(row)).filter(|&code| code > 0).map(|code| to_key.key(code))
            }
            SortKeys::Ranks(places, at) => {
                let (column, table) = places.segments[*at].1.as_ref()?;
                u64::from(table[column.codes.get(row) as usize]).checked_sub(1)
            }
            SortKeys::Scores(scores) => scores.get(row).map(|&score| u64::from(score)),
        }
    }

    fn missing(&self, part: &SegmentRows) -> usize {
        let column = match self {
            SortKeys::None => return part.len(),
            SortKeys::Scores(_) => return 0,
            SortKeys::Numbers(column, _) => column,
            SortKeys::Ranks(places, at) => match &places.segments[*at].1 {
                Some((column, _)) => column,
                None => return part.len(),
            },
        };
        crate::aggregate::missing(column, part)
    }

    /// Calls `each` with every row of a part that has a value, and its key.
    #[inline]
    fn for_each(&self, part: &SegmentRows, mut each: impl FnMut(usize, u64)) {
        match self {
            SortKeys::None => {}
            SortKeys::Numbers(column, to_key) => with_codes!(&column.codes, codes => part.for_each(|row| {
                let code = u64::from(codes[row]);
                if code > 0 {
                    each(row, to_key.key(code));
                }
            })),
            SortKeys::Scores(scores) => part.for_each(|row| each(row, u64::from(scores[row]))),
            SortKeys::Ranks(places, at) => {
                let Some((column, table)) = &places.segments[*at].1 else { return };
                with_codes!(&column.codes, codes => part.for_each(|row| {
                    let place = table[u64::from(codes[row]) as usize];
                    if place > 0 {
                        each(row, u64::from(place) - 1);
                    }
                }));
            }
        }
    }

    fn pass(&self, ranks: &Ranks, part: &SegmentRows) -> Narrowed {
        let mut narrowed = ranks.begin(1);
        if let (Some((shift, _)), Narrowed::Counts(counts)) = (ranks.first_pass(), &mut narrowed) {
            self.for_each(part, |_, key| counts[(key >> shift) as usize] += 1);
        } else {
            let ((least, most), sieve) = (ranks.span(), ranks.sieve());
            self.for_each_between(part, least, most, |_, key| {
                if sieve.lets_through(0, key) {
                    ranks.put(&mut narrowed, 0, 0, key);
                }
            });
        }
        narrowed
    }

    /// The rows with keys from one end of a page to the other.
    fn around(&self, part: &SegmentRows, first: u64, last: u64) -> RanksAround {
        let rows = part.segment.meta.events as usize;
        let (mut firsts, mut lasts, mut between) = (Bitmap::none(rows), Bitmap::none(rows), Vec::new());
        self.for_each_between(part, first.min(last), first.max(last), |row, key| {
            if key == first {
                firsts.insert(row as u32);
            } else if key == last {
                lasts.insert(row as u32);
            } else {
                between.push((key, row));
            }
        });
        let part_of = |set: Bitmap| {
            SegmentRows::new(Arc::clone(&part.segment), RowSet::from_bitmap(set, rows), 0..rows)
        };
        RanksAround { between, first: part_of(firsts), last: part_of(lasts) }
    }

    fn for_each_between(&self, part: &SegmentRows, low: u64, high: u64, mut each: impl FnMut(usize, u64)) {
        let SortKeys::Numbers(column, to_key) = self else {
            return self.for_each(part, |row, key| {
                if (low..=high).contains(&key) {
                    each(row, key);
                }
            });
        };
        // Keys of numbers are in the order of the codes, so rows are found by comparing codes.
        let key = |code| to_key.key(code);
        let codes = Codes::between(column.largest, |code| key(code) < low, |code| key(code) <= high);
        part.with(codes.rows(column)).for_each(|row| each(row, key(column.codes.get(row))));
    }
}
