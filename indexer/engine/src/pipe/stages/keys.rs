//! Rows put together by the values of several columns.

use super::super::cell::Cell;
use super::super::column::Column;
use super::super::intern::{Interner, Pairs};

/// The number of each distinct combination of values, in the order in which they came.
pub struct Keys {
    keys: Vec<Interner>,
    /// The groups of the first two keys, then of those and the third, and so on.
    pairs: Vec<Pairs>,
}

impl Keys {
    pub fn new(columns: usize) -> Keys {
        Keys {
            keys: (0..columns).map(|_| Interner::default()).collect(),
            pairs: (1..columns).map(|_| Pairs::default()).collect(),
        }
    }

    /// How many combinations there are; without columns there is one.
    pub fn len(&self) -> usize {
        match (self.pairs.last(), self.keys.first()) {
            (Some(pairs), _) => pairs.len(),
            (None, Some(key)) => key.len(),
            (None, None) => 1,
        }
    }

    /// The combination of each row.
    pub fn groups(&mut self, columns: &[Column], rows: usize) -> Vec<u32> {
        let mut groups = vec![0; rows];
        let mut ids = Vec::new();
        for (index, column) in columns.iter().enumerate() {
            self.keys[index].ids(column, &mut ids);
            match index.checked_sub(1) {
                None => groups.copy_from_slice(&ids),
                Some(pair) => {
                    let pairs = &mut self.pairs[pair];
                    groups.iter_mut().zip(&ids).for_each(|(group, &id)| *group = pairs.id(*group, id));
                }
            }
        }
        groups
    }

    /// The numbers here of the other's combinations, with some values replaced.
    pub fn merge(&mut self, other: &Keys, replace: impl Fn(usize, &Cell) -> Option<Cell>) -> Vec<u32> {
        let mut ids: Vec<Vec<u32>> = Vec::new();
        for (index, (own, other)) in self.keys.iter_mut().zip(&other.keys).enumerate() {
            let id = |id: u32| {
                let cell = other.cell(id);
                match replace(index, cell) {
                    Some(other) => own.id(&other),
                    None => own.id(cell),
                }
            };
            ids.push((0..other.len() as u32).map(id).collect());
        }
        let mut to: Vec<u32> = ids.first().cloned().unwrap_or_else(|| vec![0]);
        for (index, pairs) in other.pairs.iter().enumerate() {
            let own = &mut self.pairs[index];
            let both = (0..pairs.len() as u32).map(|pair| pairs.get(pair));
            to = both.map(|(group, id)| own.id(to[group as usize], ids[index + 1][id as usize])).collect();
        }
        to
    }

    /// The values of a combination.
    pub fn key(&self, group: u32) -> Vec<&Cell> {
        let mut ids = vec![0; self.keys.len()];
        let mut group = group;
        for (index, pairs) in self.pairs.iter().enumerate().rev() {
            let (rest, id) = pairs.get(group);
            ids[index + 1] = id;
            group = rest;
        }
        if let Some(first) = ids.first_mut() {
            *first = group;
        }
        ids.iter().zip(&self.keys).map(|(&id, key)| key.cell(id)).collect()
    }

    pub fn bytes(&self) -> usize {
        let keys = self.keys.iter().map(Interner::bytes).sum::<usize>();
        keys + self.pairs.iter().map(Pairs::bytes).sum::<usize>()
    }
}
