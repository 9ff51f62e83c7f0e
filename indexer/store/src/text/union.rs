//! The union of posting lists. A few short lists are sorted together; many or long ones become a bitmap.

use std::ops::Range;

/// Lists that together have more than one in this many of all ids become a bitmap.
const NUMBERS_A_LISTED: u32 = 32;

/// Ids below a limit, each once.
pub struct Union {
    universe: u32,
    listed: Vec<u32>,
    /// More than one list was added, so the ids are not in order.
    are_mixed: bool,
    bits: Vec<u64>,
}

impl Union {
    pub fn new(universe: u32) -> Union {
        Union { universe, listed: Vec::new(), are_mixed: false, bits: Vec::new() }
    }

    /// Adds ids that are in order.
    pub fn add_list(&mut self, list: Vec<u32>) {
        if self.bits.is_empty() && self.listed.is_empty() {
            self.listed = list;
            return;
        }
        if self.bits.is_empty() && (self.listed.len() + list.len()) as u32 > self.universe / NUMBERS_A_LISTED
        {
            self.become_bits();
        }
        if self.bits.is_empty() {
            self.are_mixed = true;
            self.listed.extend_from_slice(&list);
        } else {
            for number in list {
                self.set(number);
            }
        }
    }

    pub fn add_range(&mut self, range: Range<u32>) {
        let length = range.end.saturating_sub(range.start);
        if self.bits.is_empty() {
            let follows = self.listed.last().is_none_or(|&last| last < range.start);
            if follows || self.listed.len() as u32 + length <= self.universe / NUMBERS_A_LISTED {
                self.are_mixed |= !follows;
                self.listed.extend(range);
                return;
            }
            self.become_bits();
        }
        range.for_each(|number| self.set(number));
    }

    fn become_bits(&mut self) {
        self.bits = vec![0; self.universe as usize / 64 + 1];
        for number in std::mem::take(&mut self.listed) {
            self.set(number);
        }
    }

    /// An id beyond the limit is damage and is ignored.
    fn set(&mut self, number: u32) {
        if let Some(word) = self.bits.get_mut(number as usize / 64) {
            *word |= 1 << (number % 64);
        }
    }

    /// The ids in order.
    pub fn finish(mut self) -> Vec<u32> {
        if self.bits.is_empty() {
            if self.are_mixed {
                self.listed.sort_unstable();
                self.listed.dedup();
            }
            return self.listed;
        }
        let mut numbers = Vec::new();
        for (word, mut bits) in self.bits.into_iter().enumerate() {
            while bits != 0 {
                numbers.push(word as u32 * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn union_has_the_ids_of_all_lists(
            universe in prop::sample::select(vec![40_u32, 400, 100_000]),
            lists in prop::collection::vec((prop::collection::btree_set(0..40_u32, 0..30), any::<bool>()), 0..6),
        ) {
            let mut union = Union::new(universe);
            let mut expected: BTreeSet<u32> = BTreeSet::new();
            for (list, as_ranges) in lists {
                expected.extend(&list);
                if as_ranges {
                    for number in list {
                        union.add_range(number..number + 1);
                    }
                } else {
                    union.add_list(list.into_iter().collect());
                }
            }
            prop_assert_eq!(union.finish(), expected.into_iter().collect::<Vec<_>>());
        }
    }
}
