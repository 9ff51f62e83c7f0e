//! Groups notes by the event or range that they are on.

use std::collections::BTreeMap;

use store::Note;

/// The notes on an event or a range.
#[derive(Clone, Debug, Default)]
pub struct Said {
    pub starred: bool,
    pub tags: Vec<String>,
    /// Comments, and what markers are called.
    pub comments: Vec<String>,
}

impl Said {
    fn add(&mut self, note: &Note) {
        match note.kind.as_str() {
            "star" => self.starred = true,
            "tag" => self.tags.push(note.text.clone()),
            _ => self.comments.push(note.text.clone()),
        }
    }
}

/// What is said of each thing, in the order of the things.
pub fn said_by<'n, T: Ord>(notes: impl Iterator<Item = (T, &'n Note)>) -> impl Iterator<Item = (T, Said)> {
    let mut found: BTreeMap<T, Said> = BTreeMap::new();
    for (about, note) in notes {
        found.entry(about).or_default().add(note);
    }
    found.into_iter()
}
