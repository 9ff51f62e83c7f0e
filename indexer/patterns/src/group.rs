//! Groups shapes into templates.
//!
//! Shapes with the same number of words are split recursively at one place, by the word at that place, until
//! the rest differ only at places that vary. A place with few different words distinguishes
//! messages; one with many, or with words that only values look like, varies. The result depends on the
//! set of shapes alone.

use std::collections::{BTreeMap, HashMap};

use super::bounds::is_separator;
use super::shape::{ANY, mark_length};

/// When shapes are taken together.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Up to this many different words at a place distinguish messages; more are values.
    pub most_words: usize,
    /// Of the words that are no values, at least this share must be common to all shapes of a template.
    pub alike: f64,
}

/// A word as grouping sees it.
#[derive(Debug)]
struct Word {
    /// With `<*>` for every variable part.
    text: String,
    /// It consists only of variable parts and marks between them.
    is_value: bool,
}

impl Word {
    fn new(word: &str) -> Word {
        let text = general(word);
        let is_value = has_only_values(&text);
        Word { text: if is_value { ANY.to_owned() } else { text }, is_value }
    }
}

/// The word with `<*>` for each of its variable parts.
pub fn general(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(character) = rest.chars().next() {
        let length = if let Some(length) = mark_length(rest) {
            text.push_str(ANY);
            length
        } else {
            text.push(character);
            character.len_utf8()
        };
        rest = &rest[length..];
    }
    text
}

fn has_only_values(text: &str) -> bool {
    text.contains(ANY) && !text.replace(ANY, "").contains(char::is_alphanumeric)
}

/// Splits the shapes: the groups, each a list of indexes into `shapes`.
pub fn group(shapes: &[&str], rules: Rules) -> Vec<Vec<usize>> {
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut texts: HashMap<String, u32> = HashMap::new();
    let mut words: Vec<Word> = Vec::new();
    let mut by_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut rows: Vec<Vec<u32>> = Vec::with_capacity(shapes.len());
    for (index, shape) in shapes.iter().enumerate() {
        let row: Vec<u32> = shape
            .split(is_separator)
            .map(|text| {
                *known.entry(text).or_insert_with(|| {
                    let word = Word::new(text);
                    *texts.entry(word.text.clone()).or_insert_with(|| {
                        words.push(word);
                        words.len() as u32 - 1
                    })
                })
            })
            .collect();
        by_length.entry(row.len()).or_default().push(index);
        rows.push(row);
    }
    let parting = Parting { words, rows, rules };
    let mut groups = Vec::new();
    // An explicit stack of work, because hostile shapes would exhaust the call stack.
    let mut open: Vec<Vec<usize>> = by_length.into_values().collect();
    while let Some(together) = open.pop() {
        match parting.place_to_part(&together) {
            Some(place) => open.extend(parting.part(together, place)),
            None => groups.push(together),
        }
    }
    groups
}

struct Parting {
    words: Vec<Word>,
    rows: Vec<Vec<u32>>,
    rules: Rules,
}

impl Parting {
    /// The place by which these shapes are split; `None` if they are one template.
    fn place_to_part(&self, together: &[usize]) -> Option<usize> {
        let places = self.rows[together[0]].len();
        let (mut common, mut telling) = (0, 0);
        // The place with the fewest words, among those that distinguish messages and among all that differ.
        let mut best: Option<(usize, usize)> = None;
        let mut any: Option<(usize, usize)> = None;
        let fewer =
            |known: Option<(usize, usize)>, count: usize| known.is_none_or(|(fewest, _)| count < fewest);
        let mut found: Vec<u32> = Vec::new();
        for place in 0..places {
            found.clear();
            found.extend(together.iter().map(|&shape| self.rows[shape][place]));
            found.sort_unstable();
            found.dedup();
            if let [only] = found[..] {
                let word = &self.words[only as usize];
                telling += usize::from(!word.is_value);
                common += usize::from(!word.is_value);
                continue;
            }
            telling += 1;
            if fewer(any, found.len()) {
                any = Some((found.len(), place));
            }
            if found.len() <= self.rules.most_words && fewer(best, found.len()) && !self.are_values(&found) {
                best = Some((found.len(), place));
            }
        }
        let alike = common as f64 >= self.rules.alike * f64::from(telling.max(1) as u32);
        best.or(if alike { None } else { any }).map(|(_, place)| place)
    }

    /// True if any of these words looks like a value: its part that differs from the others is a number or
    /// similar, or a name of several parts.
    fn are_values(&self, found: &[u32]) -> bool {
        let texts: Vec<&str> = found.iter().map(|&word| self.words[word as usize].text.as_str()).collect();
        let shared = shared_start(&texts);
        texts.iter().any(|text| has_only_values(&text[shared..]) || is_dotted(&text[shared..]))
    }

    fn part(&self, together: Vec<usize>, place: usize) -> impl Iterator<Item = Vec<usize>> {
        let mut parts: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for shape in together {
            parts.entry(self.rows[shape][place]).or_default().push(shape);
        }
        parts.into_values()
    }
}

/// The length of the prefix that all share, up to a mark that introduces a value: `user=`, `state:`, `(`.
pub fn shared_start(texts: &[&str]) -> usize {
    let Some(first) = texts.first() else { return 0 };
    let shared =
        |other: &&str| first.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let length = texts.iter().map(shared).min().unwrap_or(0);
    let sets_off = |byte: &u8| matches!(byte, b'=' | b':' | b'(' | b'[' | b'{' | b'"' | b'\'' | b'/' | b',');
    let end = first.as_bytes()[..length].iter().rposition(sets_off).map_or(0, |last| last + 1);
    if texts.iter().all(|text| text.is_char_boundary(end)) { end } else { 0 }
}

/// The length of the suffix that all share after their starts, from a mark on that ends a value.
pub fn shared_end(texts: &[&str], start: usize) -> usize {
    let Some(first) = texts.first() else { return 0 };
    let room = texts.iter().map(|text| text.len() - start).min().unwrap_or(0);
    let shared = |other: &&str| {
        first.bytes().rev().zip(other.bytes().rev()).take_while(|(one, other)| one == other).count()
    };
    let length = texts.iter().map(shared).min().unwrap_or(0).min(room);
    let tail = &first.as_bytes()[first.len() - length..];
    let ends = |byte: &u8| matches!(byte, b')' | b']' | b'}' | b'"' | b'\'' | b',' | b';' | b':');
    tail.iter().position(ends).map_or(0, |from| length - from)
}

/// Names joined by points, as of machines, packages and files.
fn is_dotted(text: &str) -> bool {
    text.as_bytes()
        .windows(3)
        .any(|part| part[1] == b'.' && part[0].is_ascii_alphanumeric() && part[2].is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(shapes: &[&str]) -> Vec<Vec<String>> {
        let mut groups: Vec<Vec<String>> = group(shapes, Rules { most_words: 4, alike: 0.5 })
            .into_iter()
            .map(|group| group.into_iter().map(|shape| shapes[shape].to_owned()).collect())
            .collect();
        for group in &mut groups {
            group.sort();
        }
        groups.sort();
        groups
    }

    #[test]
    fn few_words_distinguish_messages_and_many_are_values() {
        let states = ["unit is up now", "unit is down now"];
        assert_eq!(grouped(&states).len(), 2);
        let names = [
            "user anna came in",
            "user ben came in",
            "user cleo came in",
            "user dan came in",
            "user eve came in",
        ];
        assert_eq!(grouped(&names).len(), 1);
        assert_eq!(grouped(&["peer=<ip> is up", "peer=a.shop.test is up", "peer=none is up"]).len(), 1);
        assert_eq!(grouped(&["one", "two", "six", "ten", "four", "five"]).len(), 6);
    }

    #[test]
    fn the_order_of_the_shapes_does_not_matter() {
        let mut shapes =
            vec!["a b <num>", "a c <num>", "x y z", "x <*> z", "a d <ip>", "a e <id>", "a f f", "q"];
        let expected = grouped(&shapes);
        for turn in 0..shapes.len() {
            shapes.rotate_left(1);
            shapes.swap(0, turn);
            assert_eq!(grouped(&shapes), expected);
        }
    }
}
