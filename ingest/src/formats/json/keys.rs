//! The keys of a chunk's objects: where each one's values go. Lines of one program have the same keys in the
//! same order, so the key that followed last time is tried first, and hashing is the exception.

use std::collections::HashMap;

use super::scan::unescape;
use crate::limits;
use crate::rows::{Kind, Rows};

/// What a key's value is used for besides being a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Field,
    /// It may be the event's time. Of several in one event the lowest number is taken.
    Time(u8),
    Level,
}

/// Keys that hold the event's time, the surest first, compared without regard to case.
const TIME_KEYS: [&str; 21] = [
    "@timestamp",
    "timestamp",
    "ts",
    "time",
    "@t",
    "eventTime",
    "eventTimestamp",
    "datetime",
    "date_time",
    "asctime",
    "_time",
    "t",
    "t.$date",
    "__REALTIME_TIMESTAMP",
    "requestReceivedTimestamp",
    "timeUnixNano",
    "date",
    "created_at",
    "createdAt",
    "created",
    "logged_at",
];

const LEVEL_KEYS: [&str; 15] = [
    "level",
    "severity",
    "lvl",
    "loglevel",
    "log_level",
    "log.level",
    "levelname",
    "level_name",
    "@l",
    "severityText",
    "severity_text",
    "PRIORITY",
    "log_severity",
    "logLevel",
    "syslog.severity",
];

/// A key at its place in the objects, and what was learned about it.
pub(super) struct Slot {
    raw: Box<[u8]>,
    path: String,
    pub role: Role,
    /// The key that came next after this one last time.
    next: usize,
    /// The keys of the object that is its value, once it had one.
    child: Option<usize>,
    /// A column for each type its values had; `Err` where there were too many columns for another.
    columns: [Option<Result<usize, ()>>; 4],
}

/// The keys of one object.
#[derive(Default)]
struct Node {
    prefix: String,
    first: usize,
    slots: HashMap<Box<[u8]>, usize>,
}

pub(super) struct Keys {
    nodes: Vec<Node>,
    slots: Vec<Slot>,
}

pub(super) const ROOT: usize = 0;
/// Stands for the key before an object's first.
pub(super) const NONE: usize = usize::MAX;

impl Keys {
    pub(super) fn new() -> Keys {
        Keys { nodes: vec![Node { first: NONE, ..Node::default() }], slots: Vec::new() }
    }

    pub(super) fn slot(&self, slot: usize) -> &Slot {
        &self.slots[slot]
    }

    /// The key that is expected after another, if the text begins with it and its closing quote. Gives the
    /// key and its length without the quote.
    #[inline]
    pub(super) fn guess(&self, node: usize, before: usize, text: &[u8]) -> Option<(usize, usize)> {
        let guess = if before == NONE { self.nodes[node].first } else { self.slots[before].next };
        let raw = &self.slots.get(guess)?.raw;
        (text.starts_with(raw) && text.get(raw.len()) == Some(&b'"')).then_some((guess, raw.len()))
    }

    /// Finds a key, or makes a place for it; `None` when there are too many.
    pub(super) fn find(&mut self, node: usize, before: usize, key: &[u8], escaped: bool) -> Option<usize> {
        let slot = match self.nodes[node].slots.get(key) {
            Some(&slot) => slot,
            None if self.slots.len() >= limits::MOST_COLUMNS => return None,
            None => self.add(node, key, escaped),
        };
        match before {
            NONE => self.nodes[node].first = slot,
            _ => self.slots[before].next = slot,
        }
        Some(slot)
    }

    fn add(&mut self, node: usize, key: &[u8], escaped: bool) -> usize {
        let mut name = Vec::with_capacity(key.len());
        if escaped {
            unescape(key, &mut name);
        } else {
            name.extend_from_slice(key);
        }
        let path = format!("{}{}", self.nodes[node].prefix, String::from_utf8_lossy(&name));
        let is = |known: &&str| known.eq_ignore_ascii_case(&path);
        let role = if let Some(rank) = TIME_KEYS.iter().position(is) {
            Role::Time(rank as u8)
        } else if LEVEL_KEYS.iter().any(is) {
            Role::Level
        } else {
            Role::Field
        };
        self.slots.push(Slot { raw: key.into(), path, role, next: NONE, child: None, columns: [None; 4] });
        self.nodes[node].slots.insert(key.into(), self.slots.len() - 1);
        self.slots.len() - 1
    }

    /// The keys of the object that is this key's value.
    pub(super) fn child(&mut self, slot: usize) -> usize {
        if let Some(child) = self.slots[slot].child {
            return child;
        }
        let prefix = format!("{}.", self.slots[slot].path);
        self.nodes.push(Node { prefix, first: NONE, ..Node::default() });
        self.slots[slot].child = Some(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// The column for this key's values of one type.
    #[inline]
    pub(super) fn column(&mut self, slot: usize, kind: Kind, rows: &mut Rows) -> Option<usize> {
        let slot = &mut self.slots[slot];
        let column =
            slot.columns[kind as usize].get_or_insert_with(|| rows.add_column(&slot.path, kind).ok_or(()));
        column.ok()
    }
}
