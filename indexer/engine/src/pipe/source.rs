//! Events as tables: only the columns that something reads, a few thousand rows at a time.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use super::charge::ChargedBuilder;
use super::column::{Column, ColumnKind, Data, Picked};
use super::dictionary::Dictionary;
use super::run::Run;
use super::table::{EventRef, Table};
use crate::Engine;
use crate::exec::SegmentRows;
use base::FieldKind;
use base::error::Result;
use base::limits::{CANCEL_ROWS, PIPE_ROWS, PIPE_TEXT_BYTES};
use patterns::{Granularity, Tree};
use store::Snapshot;
use store::{EventKeys, NO_CODE, RawCursor, Segment, Texts};

/// What is read of the events.
pub struct ColumnRequest {
    pub columns: Vec<Arc<str>>,
    /// Rows are to say which events they are.
    pub refs: bool,
}

/// Makes tables of events; one for each thread.
pub struct Reader<'a> {
    case: &'a Engine,
    snapshot: &'a Snapshot,
    wanted: &'a ColumnRequest,
    cursor: RawCursor<'a>,
    sources: Dictionary,
    templates: Option<TemplateIds>,
    /// The types of fields in all of the case, as far as they were asked for.
    kinds: RefCell<HashMap<String, ColumnKind>>,
    /// So few rows are read that no whole column is worth being made for them.
    few: bool,
}

/// The ids of the case's templates.
struct TemplateIds {
    tree: Arc<Tree>,
    texts: Dictionary,
    /// A segment, and the place of the template of each of its shapes.
    places: Option<(u64, Vec<u32>)>,
}

/// Matching rows of a segment, and which of the snapshot's segments it is.
#[derive(Clone, Debug)]
pub struct Piece {
    pub segment: u32,
    pub part: SegmentRows,
}

impl<'a> Reader<'a> {
    #[must_use]
    pub fn new(snapshot: &'a Snapshot, wanted: &'a ColumnRequest, case: &'a Engine) -> Reader<'a> {
        let mut names = Texts::default();
        snapshot.sources().iter().for_each(|source| names.push(&source.name));
        let sources = Dictionary::Own(Arc::new(names));
        Reader {
            case,
            snapshot,
            wanted,
            cursor: case.raw_cursor(),
            sources,
            templates: None,
            kinds: RefCell::default(),
            few: false,
        }
    }

    /// One of single rows.
    #[must_use]
    pub fn of_few(snapshot: &'a Snapshot, wanted: &'a ColumnRequest, case: &'a Engine) -> Reader<'a> {
        Reader { few: true, ..Reader::new(snapshot, wanted, case) }
    }

    /// Hands out the rows of pieces that do not overlap in time, in order, or of one alone.
    pub fn each(
        &mut self,
        cluster: &[Piece],
        run: &Run<'_>,
        each: &mut dyn FnMut(Table) -> Result<bool>,
    ) -> Result<bool> {
        if let [piece] = cluster {
            let lengths = self.lengths(&piece.part.segment)?;
            let lengths = lengths.as_ref().map(|length| length as &dyn Fn(usize) -> u32);
            return each_run(&piece.part, lengths, run, &mut |rows| {
                each(self.table(piece.segment, rows, run)?)
            });
        }
        self.merged(cluster, run, each)
    }

    /// Pieces whose times overlap, row by row in the one order.
    fn merged(
        &mut self,
        cluster: &[Piece],
        run: &Run<'_>,
        each: &mut dyn FnMut(Table) -> Result<bool>,
    ) -> Result<bool> {
        let keys: Vec<EventKeys> =
            cluster.iter().map(|piece| piece.part.segment.event_keys()).collect::<Result<_>>()?;
        let lengths = cluster.iter().map(|piece| self.lengths(&piece.part.segment));
        let lengths = lengths.collect::<Result<Vec<_>>>()?;
        let mut merged = merged_rows(cluster, &keys).peekable();
        while merged.peek().is_some() {
            run.check()?;
            let mut taken: Vec<Vec<u32>> = vec![Vec::new(); cluster.len()];
            let mut order = Vec::with_capacity(PIPE_ROWS);
            let mut bytes = 0;
            while order.len() < PIPE_ROWS
                && bytes < PIPE_TEXT_BYTES
                && let Some((piece, at)) = merged.next()
            {
                let row = cluster[piece].part.row(at);
                bytes += lengths[piece].as_ref().map_or(0, |length| length(row) as usize);
                order.push((piece, taken[piece].len() as u32));
                taken[piece].push(row as u32);
            }
            let mut starts = Vec::with_capacity(cluster.len());
            let mut tables = Vec::new();
            let mut rows = 0;
            for (piece, taken) in cluster.iter().zip(&taken) {
                starts.push(rows);
                rows += taken.len() as u32;
                if !taken.is_empty() {
                    tables.push(self.table(piece.segment, &Picked::Some(taken), run)?);
                }
            }
            let order: Vec<u32> = order.into_iter().map(|(piece, at)| starts[piece] + at).collect();
            if !each(Table::concat(tables).pick(&Picked::Some(&order)))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How long the texts of events are, where they are read.
    fn lengths(&self, segment: &Segment) -> Result<Option<impl Fn(usize) -> u32 + use<>>> {
        let is_read = self.wanted.columns.iter().any(|name| **name == *"raw");
        is_read.then(|| lengths(segment)).transpose()
    }

    /// Rows of one segment.
    pub fn table(&mut self, segment: u32, rows: &Picked<'_>, run: &Run<'_>) -> Result<Table> {
        let index = segment;
        let segment = Arc::clone(&self.snapshot.segments[segment as usize]);
        let mut table = Table::of_rows(rows.len());
        let far = self.far(&segment, rows, run)?;
        for name in &self.wanted.columns {
            let column = self.column(&segment, name, (rows, &far), run)?;
            table.set(name, column);
        }
        if self.wanted.refs {
            let refs = |row: u32| EventRef { segment: index, row };
            table.events = Some(match rows {
                Picked::Run(range) => range.clone().map(|row| refs(row as u32)).collect(),
                Picked::Some(rows) => rows.iter().copied().map(refs).collect(),
            });
        }
        Ok(table)
    }

    /// A field of rows of one segment, by its name.
    pub fn column_of(
        &mut self,
        segment: u32,
        name: &str,
        rows: &Picked<'_>,
        run: &Run<'_>,
    ) -> Result<Column> {
        let segment = Arc::clone(&self.snapshot.segments[segment as usize]);
        self.column(&segment, name, (rows, &HashMap::new()), run)
    }

    /// A field's values in one segment as values of the case: of one type, and text where there are several.
    pub fn of_case(&self, name: &str, column: Column) -> Column {
        let known = self.kinds.borrow().get(name).copied();
        let kind = known.unwrap_or_else(|| {
            let kind = kind_of(name, self.snapshot);
            self.kinds.borrow_mut().insert(name.to_owned(), kind);
            kind
        });
        match kind {
            ColumnKind::Missing => column,
            kind => column.into_kind(kind),
        }
    }

    /// The names of sources by their numbers.
    pub fn sources(&self) -> &Dictionary {
        &self.sources
    }

    fn column(
        &mut self,
        segment: &Arc<Segment>,
        name: &str,
        (rows, far): (&Picked<'_>, &HashMap<&str, Column>),
        run: &Run<'_>,
    ) -> Result<Column> {
        match name {
            "time" => {
                let times = segment.times()?;
                Ok(Column::times(rows.map(|row| times.get(row))))
            }
            "level" => {
                let levels = segment.levels()?;
                Ok(Column::levels(rows.map(|row| levels.get(row))))
            }
            "line" => {
                let column = segment.packed("line")?;
                Ok(Column::ints(rows.map(|row| column.whole_at(row))))
            }
            "source" => {
                let places = segment.locations()?;
                let codes = rows.map(|row| places.source(row));
                Ok(Column::new(Data::Text { codes, texts: self.sources.clone() }))
            }
            "raw" => self.raw(segment, rows, run),
            "template" => self.templates(segment, rows, run),
            _ => Ok(self.of_case(name, field(segment, name, (rows, far), run)?)),
        }
    }

    /// The columns that are read from the raw bytes of these rows alone.
    fn far<'s>(
        &mut self,
        segment: &'s Segment,
        rows: &Picked<'_>,
        run: &Run<'_>,
    ) -> Result<HashMap<&'s str, Column>> {
        let Picked::Some(rows) = rows else { return Ok(HashMap::new()) };
        let is_wanted = |name: &str| self.wanted.columns.iter().any(|wanted| **wanted == *name);
        let fields = segment.meta.fields.iter().filter(|field| self.few && is_wanted(&field.name));
        let names: Vec<&str> =
            fields.map(|field| &*field.column).filter(|name| segment.is_late(name)).collect();
        let values = segment.values_at(&names, rows, &mut self.cursor, &run.cancel)?;
        let column = |values: &Vec<Option<String>>| -> Result<Column> {
            let mut column = ChargedBuilder::new(run.charge("events"));
            for value in values {
                column.push(value.as_deref())?;
            }
            column.finish()
        };
        names.into_iter().zip(&values).map(|(name, values)| Ok((name, column(values)?))).collect()
    }

    /// The ids of the templates of events, which are those of the whole case.
    fn templates(&mut self, segment: &Segment, rows: &Picked<'_>, run: &Run<'_>) -> Result<Column> {
        let known = match &mut self.templates {
            Some(known) => known,
            none => {
                let tree = self.case.tree(self.snapshot, &run.cancel, &mut |_, _| Ok(()))?;
                let mut ids = Texts::default();
                tree.templates(Granularity::Template).iter().for_each(|one| ids.push(&one.id.to_string()));
                none.insert(TemplateIds { tree, texts: Dictionary::Own(Arc::new(ids)), places: None })
            }
        };
        let mined = self.case.mined(segment, &run.cancel)?;
        let place = |shape: &u64| known.tree.place(Granularity::Template, *shape);
        let places = match &known.places {
            Some((id, _)) if *id == segment.meta.id => &known.places,
            _ => {
                let places = mined.hashes.iter().map(|shape| place(shape).map_or(NO_CODE, |at| at as u32));
                known.places = Some((segment.meta.id, places.collect()));
                &known.places
            }
        };
        let code = |row: usize| {
            let shape = *mined.codes.get(row)?;
            places.as_ref()?.1.get(shape as usize).copied()
        };
        let codes = rows.map(|row| code(row).unwrap_or(NO_CODE));
        Ok(Column::new(Data::Text { codes, texts: known.texts.clone() }))
    }

    fn raw(&mut self, segment: &Segment, rows: &Picked<'_>, run: &Run<'_>) -> Result<Column> {
        let numbers: Vec<u32> = match rows {
            Picked::Run(Range { start, end }) => (*start as u32..*end as u32).collect(),
            Picked::Some(rows) => rows.to_vec(),
        };
        let mut texts = vec![None; numbers.len()];
        let (mut charge, mut bytes) = (run.charge("events"), 0);
        let mut seen = 0;
        let is_sorted = numbers.is_sorted();
        segment.for_each_text(&mut self.cursor, numbers.iter().copied(), |row, text| {
            seen += 1;
            if seen % CANCEL_ROWS == 0 {
                run.check()?;
            }
            let place = if is_sorted {
                numbers.binary_search(&row).ok()
            } else {
                numbers.iter().position(|&number| number == row)
            };
            if let Some(place) = place {
                bytes += text.len();
                charge.set(bytes)?;
                texts[place] = Some(String::from_utf8_lossy(text).into_owned());
            }
            Ok(())
        })?;
        let mut builder = ChargedBuilder::new(run.charge("events"));
        for text in texts {
            builder.push(text.as_deref())?;
        }
        builder.finish()
    }
}

/// The type of a field: the narrowest that holds its values in all segments.
fn kind_of(name: &str, snapshot: &Snapshot) -> ColumnKind {
    let fields = snapshot.segments.iter().flat_map(|segment| &segment.meta.fields);
    let kinds = fields.filter(|field| field.name == name).map(|field| match field.kind {
        FieldKind::Int => ColumnKind::Int,
        FieldKind::Float => ColumnKind::Float,
        FieldKind::Bool => ColumnKind::Bool,
        FieldKind::Text => ColumnKind::Text,
    });
    kinds.fold(ColumnKind::Missing, ColumnKind::with)
}

/// The rows of pieces whose times overlap, in the one order: which piece has the row, and which of its rows it is.
pub fn merged_rows<'c>(
    cluster: &'c [Piece],
    keys: &'c [EventKeys],
) -> impl Iterator<Item = (usize, usize)> + use<'c> {
    let key = move |piece: usize, at: usize| (keys[piece].key(cluster[piece].part.row(at)), piece, at);
    let filled = (0..cluster.len()).filter(|&piece| cluster[piece].part.len() > 0);
    let mut heads: BinaryHeap<_> = filled.map(|piece| Reverse(key(piece, 0))).collect();
    std::iter::from_fn(move || {
        let Reverse((.., piece, at)) = heads.pop()?;
        if at + 1 < cluster[piece].part.len() {
            heads.push(Reverse(key(piece, at + 1)));
        }
        Some((piece, at))
    })
}

/// How long the texts of a segment's events are.
pub fn lengths(segment: &Segment) -> Result<impl Fn(usize) -> u32 + use<>> {
    let places = segment.locations()?;
    Ok(move |row| places.length(row))
}

/// Hands out the rows of a part, some thousands at a time, until no more are wanted. Of events whose texts are read,
/// fewer long ones come at a time.
pub fn each_run(
    part: &SegmentRows,
    lengths: Option<&dyn Fn(usize) -> u32>,
    run: &Run<'_>,
    each: &mut dyn FnMut(&Picked<'_>) -> Result<bool>,
) -> Result<bool> {
    let mut next = 0;
    while next < part.len() {
        run.check()?;
        let start = next;
        let mut end = (start + PIPE_ROWS).min(part.len());
        if let Some(length) = lengths {
            let mut bytes = 0;
            let fits = |&place: &usize| {
                let fits = bytes < PIPE_TEXT_BYTES;
                bytes += length(part.row(place)) as usize;
                fits
            };
            end = start + (start..end).take_while(fits).count();
        }
        next = end;
        let first = part.row(start);
        let goes_on = if part.is_whole() {
            each(&Picked::Run(first..first + (end - start)))?
        } else {
            let rows: Vec<u32> = (start..end).map(|place| part.row(place) as u32).collect();
            each(&Picked::Some(&rows))?
        };
        if !goes_on {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A field of a segment. One of several types has a column for each, and a row a value in one of them.
fn field(
    segment: &Segment,
    name: &str,
    (rows, far): (&Picked<'_>, &HashMap<&str, Column>),
    run: &Run<'_>,
) -> Result<Column> {
    let described = segment.meta.fields.iter().filter(|field| field.name == name);
    let columns = described.map(|field| match far.get(&*field.column) {
        Some(column) => Ok(column.clone()),
        None => Ok(Column::of_packed(&segment.packed_field(&field.column, &run.cancel)?, rows)),
    });
    let mut columns = columns.collect::<Result<Vec<_>>>()?.into_iter();
    let Some(first) = columns.next() else { return Ok(Column::missing(rows.len())) };
    Ok(columns.fold(first, |first, other| {
        let place = |row| Some(usize::from(first.is_missing(row)));
        Column::choose(&[first.clone(), other], rows.len(), place)
    }))
}

/// Segments in the order of their times, those that overlap together.
#[must_use]
pub fn in_time_order(snapshot: &Snapshot) -> Vec<Vec<u32>> {
    let mut keyed = Vec::new();
    for (index, segment) in snapshot.segments.iter().enumerate() {
        let first = if segment.meta.untimed > 0 { None } else { segment.meta.first };
        keyed.push((first, segment.meta.last, index as u32));
    }
    keyed.sort_unstable();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut end = None;
    for (first, last, index) in keyed {
        // Those that touch are separated by their rows.
        match groups.last_mut() {
            Some(group) if first <= end => group.push(index),
            _ => groups.push(vec![index]),
        }
        end = end.max(last);
    }
    groups
}

/// Pieces in the order of their times, those that overlap together.
pub fn clusters(mut pieces: Vec<Piece>) -> Result<Vec<Vec<Piece>>> {
    pieces.retain(|piece| piece.part.len() > 0);
    let mut keyed = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let keys = piece.part.segment.event_keys()?;
        let ends = (keys.key(piece.part.row(0)), keys.key(piece.part.row(piece.part.len() - 1)));
        keyed.push((ends, piece));
    }
    keyed.sort_by_key(|(ends, _)| ends.0);
    let mut clusters: Vec<Vec<Piece>> = Vec::new();
    let mut end = None;
    for ((first, last), piece) in keyed {
        match clusters.last_mut() {
            Some(cluster) if end.is_some_and(|end| first <= end) => cluster.push(piece),
            _ => clusters.push(vec![piece]),
        }
        end = end.max(Some(last));
    }
    Ok(clusters)
}
