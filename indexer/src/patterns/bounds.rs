//! Keeping the number of shapes bounded, whatever the log.
//!
//! Messages of free text have as many shapes as there are messages. Where more words stand at one place than a
//! log statement would put there, the place varies: it is `<*>` in all shapes that share their first word and
//! their number of words. Whether a place has too many words depends on the set of shapes alone, and once it
//! has, more shapes do not change it.

use std::collections::{HashMap, HashSet};

use super::shape::{ANY, JOINT};

/// So many different words at one place are none that a program chose from, in steps down to none: a lower
/// one is taken where the shapes are still too many.
const MOST_WORDS_AT_A_PLACE: [u32; 6] = [256, 64, 16, 4, 1, 0];

pub fn is_separator(character: char) -> bool {
    character == ' ' || character == JOINT
}

/// For each shape what stands for it, where that is not itself. No more than about `most` different ones stay.
pub fn bounded(shapes: &[&str], most: usize) -> Vec<Option<String>> {
    let mut bounded = vec![None; shapes.len()];
    if shapes.len() <= MOST_WORDS_AT_A_PLACE[0] as usize {
        return bounded;
    }
    let places = Places::of(shapes);
    for limit in MOST_WORDS_AT_A_PLACE {
        bounded = shapes.iter().map(|shape| places.widened(shape, limit)).collect();
        let distinct: HashSet<&str> =
            shapes.iter().zip(&bounded).map(|(shape, wide)| wide.as_deref().unwrap_or(shape)).collect();
        if distinct.len() <= most {
            break;
        }
    }
    bounded
}

/// How many different words stand at each place: of shapes with so many words, and of those that also begin
/// with the same word.
struct Places<'s> {
    first: HashMap<usize, u32>,
    others: HashMap<(usize, &'s str, usize), u32>,
    /// The same where the first word varies, over all shapes with so many words.
    all: HashMap<(usize, usize), u32>,
}

impl<'s> Places<'s> {
    fn of(shapes: &[&'s str]) -> Places<'s> {
        let mut seen = HashSet::new();
        let mut seen_in_all = HashSet::new();
        let mut places = Places { first: HashMap::new(), others: HashMap::new(), all: HashMap::new() };
        for shape in shapes {
            let words: Vec<&str> = shape.split(is_separator).collect();
            let (count, first) = (words.len(), words[0]);
            for (place, word) in words.into_iter().enumerate() {
                if place > 0 && seen.insert((count, first, place, word)) {
                    *places.others.entry((count, first, place)).or_default() += 1;
                }
                if seen_in_all.insert((count, place, word)) {
                    let total = if place == 0 {
                        places.first.entry(count).or_default()
                    } else {
                        places.all.entry((count, place)).or_default()
                    };
                    *total += 1;
                }
            }
        }
        places
    }

    fn widened(&self, shape: &str, limit: u32) -> Option<String> {
        let count = shape.split(is_separator).count();
        let first = shape.split(is_separator).next().unwrap_or_default();
        let any_first = self.first.get(&count).is_some_and(|&words| words > limit);
        let varies = |place: usize| {
            let words = match (place, any_first) {
                (0, _) => return any_first,
                (_, true) => self.all.get(&(count, place)),
                (_, false) => self.others.get(&(count, first, place)),
            };
            words.is_some_and(|&words| words > limit)
        };
        if !(0..count).any(varies) {
            return None;
        }
        let mut wide = String::with_capacity(shape.len());
        for (place, word) in shape.split_inclusive(is_separator).enumerate() {
            let separator = word.chars().next_back().filter(|last| is_separator(*last));
            if varies(place) {
                wide.push_str(ANY);
                wide.extend(separator);
            } else {
                wide.push_str(word);
            }
        }
        Some(wide)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_of_many_words_varies_and_the_others_stay() {
        let names: Vec<String> = (0..300_u32)
            .map(|n| {
                format!("user {}{} left", char::from(b'a' + (n % 26) as u8), "x".repeat(n as usize / 26))
            })
            .collect();
        let mut shapes: Vec<&str> = names.iter().map(String::as_str).collect();
        shapes.push("user manual was printed");
        let wide = bounded(&shapes, 1_000);
        assert!(wide[..300].iter().all(|wide| wide.as_deref() == Some("user <*> left")));
        assert_eq!(wide[300], None);
        assert!(bounded(&shapes[..200], 1_000).iter().all(Option::is_none));
    }

    #[test]
    fn free_text_keeps_to_the_bound() {
        let texts: Vec<String> =
            (0..5_000_u32).map(|n| format!("{:x} {:x} {:x}", n, n / 7 % 50, n % 40)).collect();
        let shapes: Vec<&str> = texts.iter().map(String::as_str).collect();
        let wide = bounded(&shapes, 100);
        let distinct: HashSet<&str> =
            shapes.iter().zip(&wide).map(|(shape, wide)| wide.as_deref().unwrap_or(shape)).collect();
        assert!(distinct.len() <= 100, "{}", distinct.len());
    }
}
