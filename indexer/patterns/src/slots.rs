//! The values in a message at the places where its template varies.

use super::bounds::is_separator;
use super::shape::{ANY, REST, Sink, SlotKind, mark_length, scan};
use super::tree::Template;
use super::{heading, miner};

/// Where a message's text is taken from, as it was mined.
#[derive(Clone, Copy, Debug)]
pub enum Message<'m> {
    Field(&'m [u8]),
    Event(&'m [u8]),
    Request { method: &'m [u8], path: &'m [u8] },
}

/// The variable parts of a template, in order.
#[derive(Clone, Debug)]
pub struct Slots {
    words: Vec<SlotWord>,
    count: usize,
}

#[derive(Clone, Debug)]
struct SlotWord {
    /// The marks in it, each with its name.
    marks: Vec<String>,
    /// The text before the first and after the last of them.
    start: String,
    end: String,
    first: usize,
}

impl Slots {
    #[must_use]
    pub fn from_template(template: &Template) -> Slots {
        let mut count = 0;
        let words = template.shape.split(is_separator).map(|word| {
            let read = SlotWord::read(word, count);
            count += read.marks.len();
            read
        });
        Slots { words: words.collect(), count }
    }

    /// The name of each part: `num`, `ip`, `*`.
    #[must_use]
    pub fn kinds(&self) -> Vec<&str> {
        self.words.iter().flat_map(|word| &word.marks).map(|mark| mark.trim_matches(['<', '>'])).collect()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Calls `each` with every value in a message and the index of its part. A list has several values at one
    /// place.
    pub fn values(&self, message: Message<'_>, mut each: impl FnMut(usize, &[u8])) {
        let mut read = Words::default();
        match message {
            Message::Field(text) => scan(text, &mut read),
            Message::Event(text) => scan(heading::without_heading(text), &mut read),
            Message::Request { method, path } => miner::scan_request(method, path, &mut read),
        }
        let repeats = |index: usize| {
            read.words[index].varies() && read.words[index].shape == read.words[index - 1].shape
        };
        let count = (0..read.words.len()).filter(|&index| index == 0 || !repeats(index)).count();
        // Extra text before the template is a header.
        let mut leading = count.saturating_sub(self.words.len());
        let mut at = 0;
        for (index, found) in read.words.iter().enumerate() {
            if index > 0 && !repeats(index) {
                if leading > 0 {
                    leading -= 1;
                } else {
                    at += 1;
                }
            }
            let Some(word) = self.words.get(at) else { return };
            if leading == 0 {
                word.values(found, &mut each);
            }
        }
    }
}

impl SlotWord {
    fn read(word: &str, first: usize) -> SlotWord {
        let (mut marks, mut start, mut end) = (Vec::new(), String::new(), String::new());
        let mut rest = word;
        while let Some(character) = rest.chars().next() {
            let length = mark_length(rest).unwrap_or(character.len_utf8());
            if mark_length(rest).is_some() {
                marks.push(rest[..length].to_owned());
                end.clear();
            } else {
                let part = if marks.is_empty() { &mut start } else { &mut end };
                part.push(character);
            }
            rest = &rest[length..];
        }
        SlotWord { marks, start, end, first }
    }

    fn values(&self, found: &SlotValue<'_>, each: &mut impl FnMut(usize, &[u8])) {
        let marks: Vec<&str> = found.values.iter().map(|(kind, _)| kind.mark()).collect();
        if self.marks.iter().map(String::as_str).eq(marks) {
            for (place, (_, text)) in found.values.iter().enumerate() {
                each(self.first + place, text);
            }
        } else if let [only] = &self.marks[..]
            && (only == ANY || only == REST)
        {
            let text = &found.text[..];
            let text = text.strip_prefix(self.start.as_bytes()).unwrap_or(text);
            each(self.first, text.strip_suffix(self.end.as_bytes()).unwrap_or(text));
        } else if self.marks.len() == found.values.len() {
            // Parts of different kinds that the template merges.
            for (place, (_, text)) in found.values.iter().enumerate() {
                each(self.first + place, text);
            }
        } else if !self.marks.is_empty() {
            each(self.first, &found.text);
        }
    }
}

/// The words of a message, with the values in them.
#[derive(Default)]
struct Words<'m> {
    words: Vec<SlotValue<'m>>,
}

#[derive(Default)]
struct SlotValue<'m> {
    text: Vec<u8>,
    shape: Vec<u8>,
    values: Vec<(SlotKind, &'m [u8])>,
}

impl SlotValue<'_> {
    fn varies(&self) -> bool {
        !self.values.is_empty()
    }
}

impl<'m> Words<'m> {
    fn last(&mut self) -> &mut SlotValue<'m> {
        if self.words.is_empty() {
            self.words.push(SlotValue::default());
        }
        let last = self.words.len() - 1;
        &mut self.words[last]
    }
}

impl<'m> Sink<'m> for Words<'m> {
    fn literal(&mut self, text: &'m [u8]) {
        let word = self.last();
        word.text.extend_from_slice(text);
        word.shape.extend_from_slice(text);
    }

    fn variable(&mut self, kind: SlotKind, text: &'m [u8]) {
        let word = self.last();
        word.text.extend_from_slice(text);
        word.shape.extend_from_slice(kind.mark().as_bytes());
        word.values.push((kind, text));
    }

    fn gap(&mut self) {
        self.last();
        self.words.push(SlotValue::default());
    }

    fn joint(&mut self) {
        self.gap();
    }

    fn rest(&mut self, text: &'m [u8]) {
        let word = self.last();
        word.text.extend_from_slice(text);
        word.shape.extend_from_slice(REST.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Granularity, Miner, Tree};

    fn values(messages: &[&str]) -> (String, Vec<Vec<String>>) {
        let mut miner = Miner::default();
        for message in messages {
            miner.message(message.as_bytes());
        }
        let tree = Tree::from_shapes(miner.finish(&[]).iter().map(String::as_str), &[]);
        let [template] = tree.templates(Granularity::Template) else { panic!("one template") };
        let slots = Slots::from_template(template);
        let mut found = vec![Vec::new(); slots.len()];
        for message in messages {
            slots.values(Message::Field(message.as_bytes()), |slot, value| {
                found[slot].push(String::from_utf8_lossy(value).into_owned());
            });
        }
        (template.text(), found)
    }

    #[test]
    fn each_part_gives_its_values() {
        let (text, found) = values(&["job 7 of anna took 3 ms", "job 8 of anna took 12 ms"]);
        assert_eq!(text, "job <num> of anna took <duration>");
        assert_eq!(found, [vec!["7", "8"], vec!["3 ms", "12 ms"]]);
    }

    #[test]
    fn header_before_the_message_has_no_values() {
        let (text, found) = values(&["pump 3 - valve 7 opened wide", "valve 8 opened wide"]);
        assert_eq!(
            (text.as_str(), found),
            ("valve <num> opened wide", vec![vec!["7".to_owned(), "8".to_owned()]])
        );
    }

    #[test]
    fn varying_words_are_values_without_the_shared_parts() {
        let names =
            ["a", "b", "c", "d", "e"].map(|name| format!("session (user={name}) blk_1 blk_22 closed"));
        let (text, found) = values(&names.each_ref().map(String::as_str));
        assert_eq!(text, "session (user=<*>) blk_<num> closed");
        assert_eq!(found[0], ["a", "b", "c", "d", "e"]);
        assert_eq!(found[1][..2], ["1", "22"]);
    }
}
