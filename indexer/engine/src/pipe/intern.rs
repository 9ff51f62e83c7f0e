//! Values as small numbers, so that grouping and counting compare numbers.

use std::collections::HashMap;

use super::cell::Cell;
use super::column::{Column, Data};
use super::dictionary::Dictionary;
use base::hash::Fast;

/// The number of a value that has none yet.
const NONE: u32 = u32::MAX;

/// Whole numbers below this, such as status codes, are looked up by their place.
const SMALL: usize = 1 << 12;

/// The number of each distinct value, in the order in which they came.
#[derive(Default)]
pub struct Interner {
    cells: Vec<Cell>,
    known: HashMap<Cell, u32, Fast>,
    missing: Option<u32>,
    small: Vec<u32>,
    /// Numbers by code of the dictionary that came last.
    codes: Option<(Dictionary, Vec<u32>)>,
    bytes: usize,
}

impl Interner {
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    pub fn cell(&self, id: u32) -> &Cell {
        &self.cells[id as usize]
    }

    pub fn bytes(&self) -> usize {
        self.bytes + self.codes.as_ref().map_or(0, |(_, codes)| codes.len() * 4)
    }

    pub fn id(&mut self, cell: &Cell) -> u32 {
        if let Some(&id) = self.known.get(cell) {
            return id;
        }
        let id = self.cells.len() as u32;
        self.cells.push(cell.clone());
        self.known.insert(cell.clone(), id);
        // Text is shared between the list and the map.
        self.bytes += cell.bytes() + size_of::<Cell>() + 16;
        id
    }

    fn missing(&mut self) -> u32 {
        if let Some(id) = self.missing {
            return id;
        }
        let id = self.id(&Cell::Missing);
        self.missing = Some(id);
        id
    }

    /// The number of each row's value.
    pub fn ids(&mut self, column: &Column, into: &mut Vec<u32>) {
        into.clear();
        match &column.data {
            Data::Missing(rows) => {
                let id = self.missing();
                into.resize(*rows, id);
            }
            Data::Text { codes, texts } => self.texts(codes, texts, into),
            Data::Int(values) => into.extend(values.iter().map(|value| self.int(value))),
            Data::Time(values) => {
                // Times come in order mostly, and bins of them repeat.
                let mut last = (None, NONE);
                for value in values.iter() {
                    if value != last.0 || last.1 == NONE {
                        let id = match value {
                            Some(value) => self.id(&Cell::Time(value)),
                            None => self.missing(),
                        };
                        last = (value, id);
                    }
                    into.push(last.1);
                }
            }
            Data::Level(levels) => {
                let mut known = [NONE; 16];
                for &level in levels {
                    let place = level as usize % known.len();
                    if known[place] == NONE {
                        known[place] = self.id(&Cell::level(level));
                    }
                    into.push(known[place]);
                }
            }
            _ => into.extend((0..column.len()).map(|row| self.id(&column.cell(row)))),
        }
    }

    fn int(&mut self, value: Option<i64>) -> u32 {
        let Some(value) = value else { return self.missing() };
        let Some(place) = usize::try_from(value).ok().filter(|&place| place < SMALL) else {
            return self.id(&Cell::Int(value));
        };
        if self.small.is_empty() {
            self.small = vec![NONE; SMALL];
        }
        if self.small[place] == NONE {
            self.small[place] = self.id(&Cell::Int(value));
        }
        self.small[place]
    }

    fn texts(&mut self, codes: &[u32], texts: &Dictionary, into: &mut Vec<u32>) {
        let known = self.codes.take().filter(|(known, _)| known.identity() == texts.identity());
        // The dictionary is kept with the numbers, so that no other one can come to lie where it lies.
        let (dictionary, mut ids) = known.unwrap_or_else(|| (texts.clone(), vec![NONE; texts.len()]));
        for &code in codes {
            into.push(match ids.get(code as usize) {
                Some(&NONE) => {
                    let id = texts.get(code).map_or(NONE, |text| self.text(text));
                    ids[code as usize] = id;
                    id
                }
                Some(&id) => id,
                None => self.missing(),
            });
        }
        self.codes = Some((dictionary, ids));
    }

    fn text(&mut self, text: &str) -> u32 {
        self.id(&Cell::text(text))
    }
}

/// Numbers of pairs of numbers, in the order in which they came.
#[derive(Default)]
pub struct Pairs {
    known: HashMap<u64, u32, Fast>,
    in_order: Vec<(u32, u32)>,
    last: Option<(u64, u32)>,
}

impl Pairs {
    pub fn len(&self) -> usize {
        self.in_order.len()
    }

    pub fn get(&self, id: u32) -> (u32, u32) {
        self.in_order[id as usize]
    }

    pub fn id(&mut self, one: u32, other: u32) -> u32 {
        let key = u64::from(one) << 32 | u64::from(other);
        if let Some((last, id)) = self.last
            && last == key
        {
            return id;
        }
        let next = self.in_order.len() as u32;
        let id = *self.known.entry(key).or_insert(next);
        if id == next {
            self.in_order.push((one, other));
        }
        self.last = Some((key, id));
        id
    }

    pub fn bytes(&self) -> usize {
        self.in_order.len() * 32
    }
}
