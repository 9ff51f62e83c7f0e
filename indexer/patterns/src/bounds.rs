//! Bounds the number of shapes, whatever the log.
//!
//! Messages of free text have as many shapes as there are messages. If more words occur at one place than a
//! log statement would put there, the place varies: it is `<*>` in all shapes that share their first word and
//! their number of words. Whether a place has too many words depends on the set of shapes alone, and more
//! shapes never change it back.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::group::general;
use super::shape::{ANY, JOINT};
use super::source_kind::{split_kind, with_kind};

/// Limits for the number of different words at one place, in descending steps: a lower one is used if there
/// are still too many shapes.
const MOST_WORDS_AT_A_PLACE: [u32; 6] = [256, 64, 16, 4, 1, 0];

/// From this limit on every shape keeps a constant word, if it has one.
const FEWEST_WITH_CONSTANT: u32 = 4;

pub fn is_separator(character: char) -> bool {
    character == ' ' || character == JOINT
}

/// For each stored shape the one that replaces it, or nothing where it stays. About `most` different ones are left.
/// Kinds of source are bounded separately, so that free text in one of them does not touch the others.
pub fn bounded_by_kind(stored: &[&str], most: usize) -> Vec<Option<String>> {
    let mut kinds: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, stored) in stored.iter().enumerate() {
        kinds.entry(split_kind(stored).0).or_default().push(index);
    }
    let sizes: Vec<usize> = kinds.values().map(Vec::len).collect();
    let share = fair_share(sizes, most);
    let mut bounded_shapes = vec![None; stored.len()];
    for (kind, indexes) in kinds {
        let shapes: Vec<&str> = indexes.iter().map(|&index| split_kind(stored[index]).1).collect();
        for (index, wide) in indexes.into_iter().zip(bounded(&shapes, share)) {
            bounded_shapes[index] = wide.map(|wide| with_kind(kind, &wide));
        }
    }
    bounded_shapes
}

/// The most that each may have so that all together have about `most`: small ones leave the rest to large ones.
fn fair_share(mut sizes: Vec<usize>, most: usize) -> usize {
    sizes.sort_unstable();
    let mut left = most;
    for (index, size) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - index);
        if *size > share {
            return share;
        }
        left -= size;
    }
    most
}

/// The same for shapes of one kind.
fn bounded(shapes: &[&str], most: usize) -> Vec<Option<String>> {
    let mut bounded = vec![None; shapes.len()];
    if shapes.len() <= MOST_WORDS_AT_A_PLACE[0] as usize {
        return bounded;
    }
    let places = WordsByPlace::count(shapes);
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

/// Whether a word is more than variable parts and the marks between them.
pub fn is_constant(word: &str) -> bool {
    general(word).replace(ANY, "").contains(char::is_alphabetic)
}

/// The number of different words at each place: of shapes with so many words, and of those that also begin
/// with the same word.
struct WordsByPlace<'s> {
    first: HashMap<usize, u32>,
    others: HashMap<(usize, &'s str, usize), u32>,
    /// The same where the first word varies, over all shapes with so many words.
    all: HashMap<(usize, usize), u32>,
}

impl<'s> WordsByPlace<'s> {
    fn count(shapes: &[&'s str]) -> WordsByPlace<'s> {
        let mut seen = HashSet::new();
        let mut seen_in_all = HashSet::new();
        let mut places = WordsByPlace { first: HashMap::new(), others: HashMap::new(), all: HashMap::new() };
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
        // A template without a constant word says nothing, so the first word stays where all others vary.
        let says = |(_, word): &(usize, &str)| is_constant(word);
        let mut words = shape.split(is_separator).enumerate();
        let is_bare = !words.clone().filter(|(place, _)| !varies(*place)).any(|word| says(&word));
        let kept =
            words.find(says).filter(|_| is_bare && limit >= FEWEST_WITH_CONSTANT).map(|(place, _)| place);
        let mut wide = String::with_capacity(shape.len());
        for (place, word) in shape.split_inclusive(is_separator).enumerate() {
            let separator = word.chars().next_back().filter(|last| is_separator(*last));
            if varies(place) && kept != Some(place) {
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
    fn place_with_many_words_varies_and_others_stay() {
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
    fn free_text_of_one_kind_leaves_the_others_as_they_are() {
        let texts: Vec<String> =
            (0..5_000_u32).map(|n| format!("{:x} {:x} {:x}", n, n / 7 % 50, n % 40)).collect();
        let mut stored: Vec<String> = texts.iter().map(|text| with_kind("text chat", text)).collect();
        stored.push(with_kind("json api", "user <num> left"));
        let stored: Vec<&str> = stored.iter().map(String::as_str).collect();
        let wide = bounded_by_kind(&stored, 100);
        assert_eq!(wide[5_000], None);
        let distinct: HashSet<&Option<String>> = wide[..5_000].iter().collect();
        assert!(distinct.len() < 100, "{}", distinct.len());
        assert!(wide[..5_000].iter().flatten().all(|wide| split_kind(wide).0 == "text chat"));
    }

    #[test]
    fn the_first_word_stays_where_all_words_vary() {
        let letter = |n: u32| char::from(b'a' + (n % 26) as u8);
        let texts: Vec<String> = (0..600_u32)
            .map(|n| format!("{}{}{} {0}x{2}{1}", letter(n), letter(n / 26), letter(n / 7)))
            .collect();
        let shapes: Vec<&str> = texts.iter().map(String::as_str).collect();
        let first = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
        for (shape, wide) in shapes.iter().zip(bounded(&shapes, 1_000)) {
            assert_eq!(wide, Some(format!("{} <*>", first(shape))));
        }
        // Unless there are too many of them.
        assert!(bounded(&shapes, 10).iter().all(|wide| wide.as_deref() == Some("<*> <*>")));
    }

    #[test]
    fn small_kinds_leave_the_rest_to_large_ones() {
        assert_eq!(fair_share(vec![10, 1_000, 20], 100), 70);
        assert_eq!(fair_share(vec![500, 1_000], 100), 50);
        assert_eq!(fair_share(vec![5, 10], 100), 100);
    }

    #[test]
    fn free_text_stays_within_the_shape_limit() {
        let texts: Vec<String> =
            (0..5_000_u32).map(|n| format!("{:x} {:x} {:x}", n, n / 7 % 50, n % 40)).collect();
        let shapes: Vec<&str> = texts.iter().map(String::as_str).collect();
        let wide = bounded(&shapes, 100);
        let distinct: HashSet<&str> =
            shapes.iter().zip(&wide).map(|(shape, wide)| wide.as_deref().unwrap_or(shape)).collect();
        assert!(distinct.len() <= 100, "{}", distinct.len());
    }
}
