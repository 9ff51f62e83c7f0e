//! A column of a table: values of one type with missing ones among them, or of several types.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use ingest::{Level, NO_INT, NO_TIME};

use super::cell::Cell;
use crate::hash::Fast;
use crate::storage::{Column as PackedColumn, Dictionary as Values, NO_CODE, Texts, Unit, with_codes};

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No row has a value.
    Missing,
    Text,
    Int,
    Float,
    Bool,
    Time,
    Level,
    /// Values of several types, or lists.
    Mixed,
}

#[derive(Clone, Debug)]
pub struct Column {
    pub(crate) data: Data,
}

#[derive(Clone, Debug)]
pub(crate) enum Data {
    Missing(usize),
    /// [`NO_CODE`] where missing. Two codes may stand for equal texts.
    Text {
        codes: Vec<u32>,
        texts: Dictionary,
    },
    /// [`NO_INT`] where missing.
    Int(Vec<i64>),
    /// NaN where missing.
    Float(Vec<f64>),
    Bool(Vec<Option<bool>>),
    /// [`NO_TIME`] where missing.
    Time(Vec<i64>),
    Level(Vec<Level>),
    Mixed(Vec<Cell>),
}

/// Texts by code: a segment's own, shared, or some that were put together.
#[derive(Clone, Debug)]
pub(crate) enum Dictionary {
    Segment(Arc<PackedColumn>),
    Own(Arc<Texts>),
}

impl Dictionary {
    pub fn get(&self, code: u32) -> Option<&str> {
        match self {
            Dictionary::Segment(column) => match &column.values {
                Values::Texts(texts) => texts.get(code as usize),
                _ => None,
            },
            Dictionary::Own(texts) => texts.get(code as usize),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Dictionary::Segment(column) => match &column.values {
                Values::Texts(texts) => texts.len(),
                _ => 0,
            },
            Dictionary::Own(texts) => texts.len(),
        }
    }

    /// What tells it from every other one that is alive.
    pub fn identity(&self) -> usize {
        match self {
            Dictionary::Segment(column) => Arc::as_ptr(column) as usize,
            Dictionary::Own(texts) => Arc::as_ptr(texts) as usize,
        }
    }

    /// Bytes that are its own; those of a segment are there anyway.
    fn bytes(&self) -> usize {
        match self {
            Dictionary::Segment(_) => 0,
            Dictionary::Own(texts) => texts.iter().map(|text| text.len() + 8).sum(),
        }
    }
}

impl Column {
    pub(crate) fn new(data: Data) -> Column {
        Column { data }
    }

    pub(crate) fn missing(rows: usize) -> Column {
        Column::new(Data::Missing(rows))
    }

    /// The same value in every row.
    pub(crate) fn constant(cell: &Cell, rows: usize) -> Column {
        Column::new(match cell {
            Cell::Missing => Data::Missing(rows),
            Cell::Bool(value) => Data::Bool(vec![Some(*value); rows]),
            Cell::Int(value) => Data::Int(vec![*value; rows]),
            Cell::Float(value) => Data::Float(vec![*value; rows]),
            Cell::Time(value) => Data::Time(vec![*value; rows]),
            Cell::Level(value) => Data::Level(vec![*value; rows]),
            Cell::Text(text) => {
                let mut texts = Texts::default();
                texts.push(text);
                Data::Text { codes: vec![0; rows], texts: Dictionary::Own(Arc::new(texts)) }
            }
            Cell::List(_) => Data::Mixed(vec![cell.clone(); rows]),
        })
    }

    /// The narrowest type that holds all of these.
    pub(crate) fn of_cells(cells: Vec<Cell>) -> Column {
        let kind_of = |cell: &Cell| match cell {
            Cell::Missing => Kind::Missing,
            Cell::Bool(_) => Kind::Bool,
            Cell::Int(_) => Kind::Int,
            Cell::Float(_) => Kind::Float,
            Cell::Time(_) => Kind::Time,
            Cell::Level(_) => Kind::Level,
            Cell::Text(_) => Kind::Text,
            Cell::List(_) => Kind::Mixed,
        };
        let kind = cells.iter().map(kind_of).fold(Kind::Missing, |all, one| match (all, one) {
            (Kind::Missing, one) => one,
            (all, Kind::Missing) => all,
            (all, one) if all == one => all,
            _ => Kind::Mixed,
        });
        macro_rules! collect {
            ($variant:ident, $missing:expr, $value:ident => $put:expr) => {
                Data::$variant(
                    cells
                        .iter()
                        .map(|cell| if let Cell::$variant($value) = cell { $put } else { $missing })
                        .collect(),
                )
            };
        }
        Column::new(match kind {
            Kind::Missing => Data::Missing(cells.len()),
            Kind::Int => collect!(Int, NO_INT, value => *value),
            Kind::Float => collect!(Float, f64::NAN, value => *value),
            Kind::Time => collect!(Time, NO_TIME, value => *value),
            Kind::Bool => collect!(Bool, None, value => Some(*value)),
            Kind::Level => collect!(Level, Level::None, value => *value),
            Kind::Text => {
                let mut builder = TextBuilder::default();
                for cell in &cells {
                    match cell {
                        Cell::Text(text) => builder.push(Some(text)),
                        _ => builder.push(None),
                    }
                }
                return builder.finish();
            }
            Kind::Mixed => Data::Mixed(cells),
        })
    }

    /// A column of a segment; the rows are those given.
    pub(crate) fn of_packed(column: &Arc<PackedColumn>, rows: &Picked<'_>) -> Column {
        with_codes!(&column.codes, codes => decoded(column, rows, |row| u64::from(codes[row])))
    }

    /// What these codes of a column stand for.
    pub(crate) fn of_codes(column: &Arc<PackedColumn>, codes: &[u64]) -> Column {
        decoded(column, &Picked::Run(0..codes.len()), |place| codes[place])
    }

    #[must_use]
    pub fn len(&self) -> usize {
        match &self.data {
            Data::Missing(rows) => *rows,
            Data::Text { codes, .. } => codes.len(),
            Data::Int(values) | Data::Time(values) => values.len(),
            Data::Float(values) => values.len(),
            Data::Bool(values) => values.len(),
            Data::Level(values) => values.len(),
            Data::Mixed(values) => values.len(),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[must_use]
    pub fn kind(&self) -> Kind {
        match &self.data {
            Data::Missing(_) => Kind::Missing,
            Data::Text { .. } => Kind::Text,
            Data::Int(_) => Kind::Int,
            Data::Float(_) => Kind::Float,
            Data::Bool(_) => Kind::Bool,
            Data::Time(_) => Kind::Time,
            Data::Level(_) => Kind::Level,
            Data::Mixed(_) => Kind::Mixed,
        }
    }

    #[must_use]
    pub fn cell(&self, row: usize) -> Cell {
        match &self.data {
            Data::Missing(_) => Cell::Missing,
            Data::Text { codes, texts } => texts.get(codes[row]).map_or(Cell::Missing, Cell::text),
            Data::Int(values) => Some(values[row]).filter(|&v| v != NO_INT).map_or(Cell::Missing, Cell::Int),
            Data::Time(values) => {
                Some(values[row]).filter(|&v| v != NO_TIME).map_or(Cell::Missing, Cell::Time)
            }
            Data::Float(values) => Cell::float(values[row]),
            Data::Bool(values) => values[row].map_or(Cell::Missing, Cell::Bool),
            Data::Level(values) => Cell::level(values[row]),
            Data::Mixed(values) => values[row].clone(),
        }
    }

    pub(crate) fn is_missing(&self, row: usize) -> bool {
        match &self.data {
            Data::Missing(_) => true,
            Data::Text { codes, .. } => codes[row] == NO_CODE,
            Data::Int(values) => values[row] == NO_INT,
            Data::Time(values) => values[row] == NO_TIME,
            Data::Float(values) => values[row].is_nan(),
            Data::Bool(values) => values[row].is_none(),
            Data::Level(values) => values[row] == Level::None,
            Data::Mixed(values) => values[row].is_missing(),
        }
    }

    pub(crate) fn pick(&self, rows: &Picked<'_>) -> Column {
        Column::new(match &self.data {
            Data::Missing(_) => Data::Missing(rows.len()),
            Data::Text { codes, texts } => Data::Text { codes: rows.pick(codes), texts: texts.clone() },
            Data::Int(values) => Data::Int(rows.pick(values)),
            Data::Time(values) => Data::Time(rows.pick(values)),
            Data::Float(values) => Data::Float(rows.pick(values)),
            Data::Bool(values) => Data::Bool(rows.pick(values)),
            Data::Level(values) => Data::Level(rows.pick(values)),
            Data::Mixed(values) => Data::Mixed(rows.pick(values)),
        })
    }

    /// Columns one below the other, as long as nobody stops it.
    pub(crate) fn concat<E>(parts: &[&Column], stopped: &dyn Fn() -> Result<(), E>) -> Result<Column, E> {
        let there: Vec<&&Column> = parts.iter().filter(|part| part.kind() != Kind::Missing).collect();
        let Some(first) = there.first() else {
            return Ok(Column::missing(parts.iter().map(|part| part.len()).sum()));
        };
        let kind = first.kind();
        if there.iter().any(|part| part.kind() != kind) {
            let mut cells = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
            for part in parts {
                stopped()?;
                cells.extend((0..part.len()).map(|row| part.cell(row)));
            }
            return Ok(Column::of_cells(cells));
        }
        macro_rules! join {
            ($variant:ident, $missing:expr) => {{
                let mut all = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
                for part in parts {
                    stopped()?;
                    match &part.data {
                        Data::$variant(values) => all.extend_from_slice(values),
                        _ => all.resize(all.len() + part.len(), $missing),
                    }
                }
                Data::$variant(all)
            }};
        }
        Ok(Column::new(match kind {
            Kind::Int => join!(Int, NO_INT),
            Kind::Time => join!(Time, NO_TIME),
            Kind::Float => join!(Float, f64::NAN),
            Kind::Bool => join!(Bool, None),
            Kind::Level => join!(Level, Level::None),
            Kind::Mixed => join!(Mixed, Cell::Missing),
            Kind::Text | Kind::Missing => return concat_texts(parts, stopped),
        }))
    }

    /// Bytes it takes in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.data {
            Data::Missing(_) => 0,
            Data::Text { codes, texts } => codes.len() * 4 + texts.bytes(),
            Data::Int(values) | Data::Time(values) => values.len() * 8,
            Data::Float(values) => values.len() * 8,
            Data::Bool(values) => values.len(),
            Data::Level(values) => values.len(),
            Data::Mixed(values) => values.iter().map(Cell::bytes).sum(),
        }
    }
}

/// What the codes of these rows stand for.
fn decoded(column: &Arc<PackedColumn>, rows: &Picked<'_>, code: impl Fn(usize) -> u64) -> Column {
    Column::new(match column.values {
        Values::Texts(_) => Data::Text {
            // The code of a missing value is the one before 0.
            codes: rows.map(|row| (code(row) as u32).wrapping_sub(1)),
            texts: Dictionary::Segment(Arc::clone(column)),
        },
        Values::Numbers { base, unit } => {
            let number = |row: usize| Some(base.wrapping_add(code(row).checked_sub(1)? as i64));
            match unit {
                Unit::Whole | Unit::Time => Data::Int(rows.map(|row| number(row).unwrap_or(NO_INT))),
                Unit::Truth => Data::Bool(rows.map(|row| number(row).map(|truth| truth != 0))),
                Unit::Decimals(_) | Unit::Bits => {
                    Data::Float(rows.map(|row| number(row).map_or(f64::NAN, |number| unit.float(number))))
                }
            }
        }
        // Columns are packed so for calculations only.
        Values::Sparse { .. } | Values::Listed(_) => Data::Missing(rows.len()),
    })
}

fn concat_texts<E>(parts: &[&Column], stopped: &dyn Fn() -> Result<(), E>) -> Result<Column, E> {
    if let Some(texts) = common_dictionary(parts) {
        let mut all = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
        for part in parts {
            match &part.data {
                Data::Text { codes, .. } => all.extend_from_slice(codes),
                _ => all.resize(all.len() + part.len(), NO_CODE),
            }
        }
        return Ok(Column::new(Data::Text { codes: all, texts }));
    }
    let mut builder = TextBuilder::default();
    for part in parts {
        stopped()?;
        let Data::Text { codes, texts } = &part.data else {
            (0..part.len()).for_each(|_| builder.push(None));
            continue;
        };
        let mut known: HashMap<u32, u32> = HashMap::new();
        for &code in codes {
            let new = *known
                .entry(code)
                .or_insert_with(|| texts.get(code).map_or(NO_CODE, |text| builder.code(text)));
            builder.codes.push(new);
        }
    }
    Ok(builder.finish())
}

/// The dictionary of all parts that have one, where it is the same: parts of one segment, or of one table.
fn common_dictionary(parts: &[&Column]) -> Option<Dictionary> {
    let mut dictionaries = parts.iter().filter_map(|part| match &part.data {
        Data::Text { texts, .. } => Some(texts),
        _ => None,
    });
    let first = dictionaries.next()?;
    dictionaries.all(|other| other.identity() == first.identity()).then(|| first.clone())
}

/// A column of texts being made; each distinct text is kept once.
#[derive(Default)]
pub(crate) struct TextBuilder {
    codes: Vec<u32>,
    texts: Texts,
    /// Codes by the hashes of their texts, or by the next number where that is another text's.
    known: HashMap<u64, u32, Fast>,
}

impl TextBuilder {
    pub fn push(&mut self, text: Option<&str>) {
        let code = text.map_or(NO_CODE, |text| self.code(text));
        self.codes.push(code);
    }

    /// The code of a text, for [`TextBuilder::push_code`].
    pub fn code(&mut self, text: &str) -> u32 {
        let mut key = Fast.hash_one(text);
        while let Some(&code) = self.known.get(&key) {
            if self.texts.get(code as usize) == Some(text) {
                return code;
            }
            key = key.wrapping_add(1);
        }
        let code = self.texts.len() as u32;
        self.texts.push(text);
        self.known.insert(key, code);
        code
    }

    /// A text by its code; [`NO_CODE`] for a missing one.
    pub fn push_code(&mut self, code: u32) {
        self.codes.push(code);
    }

    pub fn finish(self) -> Column {
        if self.texts.len() == 0 {
            return Column::missing(self.codes.len());
        }
        Column::new(Data::Text { codes: self.codes, texts: Dictionary::Own(Arc::new(self.texts)) })
    }
}

/// Which rows are taken: a run of them, or some in any order.
#[derive(Clone, Debug)]
pub(crate) enum Picked<'a> {
    Run(std::ops::Range<usize>),
    Some(&'a [u32]),
}

impl Picked<'_> {
    pub fn len(&self) -> usize {
        match self {
            Picked::Run(range) => range.len(),
            Picked::Some(rows) => rows.len(),
        }
    }

    /// What a function gives for each of the rows.
    pub fn map<T>(&self, value: impl FnMut(usize) -> T) -> Vec<T> {
        match self {
            Picked::Run(range) => range.clone().map(value).collect(),
            Picked::Some(rows) => rows.iter().map(|&row| row as usize).map(value).collect(),
        }
    }

    pub fn pick<T: Clone>(&self, values: &[T]) -> Vec<T> {
        match self {
            Picked::Run(range) => values[range.clone()].to_vec(),
            Picked::Some(rows) => rows.iter().map(|&row| values[row as usize].clone()).collect(),
        }
    }
}
