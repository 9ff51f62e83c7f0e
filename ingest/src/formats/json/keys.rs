//! The keys of a chunk's objects, with their columns. Lines of one program have the same keys in the same
//! order, so the key that followed last time is tried first, and hashing is the exception.

use std::collections::HashMap;
use std::sync::Arc;

use crate::json_escapes::unescape;
use crate::limits;
use crate::rows::{ColumnKind, Rows};
use crate::time::When;
use crate::time::field::{KNOWN, TimeField};

/// The use of a key's value in addition to being a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyRole {
    Field,
    /// It may be the event's time. If an event has several, the lowest number wins.
    Time(u8),
    /// It may be the event's level; again the lowest number wins.
    Level(u8, Scale),
    /// A field that identifies the program that wrote the event.
    Mark(u8),
    /// The line as its program wrote it.
    Line,
    /// A level in one letter, under `s`, where the event is a MongoDB server's.
    Letter,
    /// Text that journald writes as a list of bytes where it is not printable.
    Bytes,
    /// The nanoseconds after the whole seconds of the time, under [`SECONDS`].
    Nanos,
}

/// How numbers map to levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// The numbers of pino and bunyan, below 10 those of syslog; those of Windows in its events.
    Usual,
    /// Words alone: numbers may be anything.
    Words,
    /// Python's `levelno`, 10 to 50.
    Python,
    /// OpenTelemetry's, 1 to 24.
    Telemetry,
    /// Priorities of alerts, 1 the highest.
    Alert,
    /// Those of Cloud Foundry's lager, 0 (debug) to 2 (error); higher ones are those of syslog.
    Lager,
}

pub(super) const WINDOWS: u8 = 1;
pub(super) const STREAM: u8 = 2;
/// Nextcloud, whose levels count from 0 (debug) to 4 (fatal); requests of pino, whose levels do not.
pub(super) const REQUEST: u8 = 4;

/// Keys that contain the event's time, the most reliable first, compared case-insensitively.
const TIME_KEYS: [&str; 47] = [
    "@timestamp",
    "timestamp",
    "ts",
    "time",
    "@t",
    "eventTime",
    "event_time",
    "eventTimestamp",
    "event_timestamp",
    "submission_timestamp",
    "submissionTimestamp",
    "datetime",
    "date_time",
    "asctime",
    "_time",
    "t",
    MONGODB_TIME,
    "t.$date.$numberLong",
    "__REALTIME_TIMESTAMP",
    "requestReceivedTimestamp",
    "timeUnixNano",
    "observedTimeUnixNano",
    "timeMillis",
    SECONDS[0],
    SECONDS[1],
    "TimeCreated",
    "TimeGenerated",
    "time_created",
    "log_time",
    "logtime",
    "logTimestamp",
    "time_iso8601",
    "time_local",
    "msec",
    "date",
    "created_at",
    "createdAt",
    "created",
    "logged_at",
    "start_time",
    "startTime",
    "requestTime",
    "receivedAt",
    "receiveTimestamp",
    "ingestionTime",
    "EventReceivedTime",
    "__timestamp__",
];

/// Times in whole seconds, with their nanoseconds under another key.
pub(super) const SECONDS: [&str; 2] = ["instant.epochSecond", "timestamp.seconds"];

pub(super) const MONGODB_TIME: &str = "t.$date";

/// Last parts of paths that contain a time if no top-level key does. They stay fields.
const INNER_TIME_KEYS: [&str; 10] = [
    "@timestamp",
    "timestamp",
    "ts",
    "time",
    "datetime",
    "eventTime",
    "event_time",
    "SystemTime",
    "TimeCreated",
    "requestTime",
];
/// After all top-level keys.
const INNER_TIME: u8 = 200;
/// Before all others: determined by the values. It stays a field.
const LEARNED_TIME: u8 = 0;
/// From this one on a key may just as well contain another time than the event's.
const FIRST_DOUBTFUL: &str = "date";

const LEVEL_KEYS: [&str; 19] = [
    "level",
    "@level",
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
    "log_severity",
    "logging.level",
    "syslog.severity",
    "log.syslog.severity.name",
    "LevelDisplayName",
    "error_severity",
    "sev",
];

/// Keys whose numbers are levels of their own scale.
const NUMBER_KEYS: [(&str, Scale); 6] = [
    ("severityNumber", Scale::Telemetry),
    ("severity_number", Scale::Telemetry),
    ("levelno", Scale::Python),
    ("record.level.no", Scale::Python),
    ("alert.severity", Scale::Alert),
    // The rank of a rule rises with the danger, on a scale of its own.
    ("rule.level", Scale::Words),
];
const NUMBER: u8 = 100;

/// Last parts of paths that contain a level if no top-level key does. They stay fields.
const INNER_LEVEL_KEYS: [&str; 6] = ["level", "lvl", "severity", "loglevel", "log_level", "levelname"];
const INNER_LEVEL: u8 = 200;

/// Keys of Windows and Azure events, whose levels count from 1 (critical) to 5 (verbose).
const WINDOWS_KEYS: [&str; 11] = [
    "EventID",
    "EventRecordID",
    "ProviderGuid",
    "winlog.channel",
    "winlog.event_id",
    "Event.System.EventID",
    "Event.System.Channel",
    "Event.System.EventID.#text",
    "win.system.eventID",
    "data.win.system.eventID",
    "operationName",
];

impl KeyRole {
    fn from_path(path: &str) -> KeyRole {
        let is = |known: &&str| known.eq_ignore_ascii_case(path);
        if let Some(rank) = TIME_KEYS.iter().position(is) {
            return KeyRole::Time(LEARNED_TIME + 1 + rank as u8);
        }
        if let Some(rank) = LEVEL_KEYS.iter().position(is) {
            let scale = if path == "log_level" { Scale::Lager } else { Scale::Usual };
            return KeyRole::Level(rank as u8, scale);
        }
        if let Some((_, scale)) = NUMBER_KEYS.iter().find(|(known, _)| is(known)) {
            return KeyRole::Level(NUMBER, *scale);
        }
        if WINDOWS_KEYS.iter().any(is) {
            return KeyRole::Mark(WINDOWS);
        }
        match path {
            "stream" => return KeyRole::Mark(STREAM),
            "log" | "rawmsg" | "raw" | "_raw" => return KeyRole::Line,
            "s" => return KeyRole::Letter,
            "reqId" => return KeyRole::Mark(REQUEST),
            "MESSAGE" => return KeyRole::Bytes,
            "instant.nanoOfSecond" | "timestamp.nanos" => return KeyRole::Nanos,
            "PRIORITY" => return KeyRole::Level(LEVEL_KEYS.len() as u8, Scale::Usual),
            "priority" | "Priority" => return KeyRole::Level(LEVEL_KEYS.len() as u8, Scale::Words),
            _ => {}
        }
        let Some((_, last)) = path.rsplit_once('.') else { return KeyRole::Field };
        let ends = |known: &&str| known.eq_ignore_ascii_case(last);
        if INNER_TIME_KEYS.iter().any(ends) {
            return KeyRole::Time(INNER_TIME);
        }
        if INNER_LEVEL_KEYS.iter().any(ends) {
            return KeyRole::Level(INNER_LEVEL, Scale::Usual);
        }
        KeyRole::Field
    }

    /// Whether numbers under a key of this path are levels on a scale that their values show.
    pub(super) fn has_usual_scale(path: &str) -> bool {
        matches!(KeyRole::from_path(path), KeyRole::Level(_, Scale::Usual))
    }

    /// Whether the value stays a field when it is used as the time or the level.
    pub(super) fn is_kept(self) -> bool {
        matches!(self, KeyRole::Time(INNER_TIME | LEARNED_TIME) | KeyRole::Level(NUMBER | INNER_LEVEL, _))
    }

    /// The rank of a key that is known for the time of events; the lowest is used.
    pub(super) fn time_rank(path: &str) -> Option<u8> {
        match KeyRole::from_path(path) {
            KeyRole::Time(rank) => Some(rank),
            _ => None,
        }
    }

    /// Whether a key with this name certainly contains the time of its events.
    pub(super) fn is_certain_time_key(path: &str) -> bool {
        let doubtful = TIME_KEYS.iter().position(|key| *key == FIRST_DOUBTFUL).unwrap_or(TIME_KEYS.len());
        matches!(KeyRole::from_path(path), KeyRole::Time(rank) if usize::from(rank) <= doubtful)
    }
}

/// How likely a key with this name contains the time of events.
pub(crate) fn time_key_weight(path: &str) -> f64 {
    match KeyRole::from_path(path) {
        KeyRole::Time(INNER_TIME) => 0.7 * KNOWN,
        KeyRole::Time(_) => KNOWN,
        _ => 0.0,
    }
}

/// Whether a key with this name contains the level of events.
pub(crate) fn is_level(path: &str) -> bool {
    matches!(KeyRole::from_path(path), KeyRole::Level(..))
}

/// A key at its position in the objects, and its cached columns.
pub(super) struct KeySlot {
    raw: Box<[u8]>,
    pub path: String,
    pub role: KeyRole,
    /// The key that followed this one last time.
    next: usize,
    /// The keys of the object that is its value, once it had one.
    child: Option<usize>,
    /// One column for each type of value; `Err` if there were too many columns already.
    columns: [Option<Result<usize, ()>>; 4],
}

impl KeySlot {
    pub(super) fn is_learned_time(&self) -> bool {
        self.role == KeyRole::Time(LEARNED_TIME)
    }
}

/// The keys of one object.
#[derive(Default)]
struct KeyNode {
    prefix: String,
    first: usize,
    slots: HashMap<Box<[u8]>, usize>,
}

pub(super) struct Keys {
    nodes: Vec<KeyNode>,
    slots: Vec<KeySlot>,
    /// The field that contains the time, if the values determined it.
    time_field: Option<Arc<TimeField>>,
    /// Keys whose numbers are no levels, although their names say so.
    unscaled: Arc<[Box<str>]>,
}

pub(super) const ROOT: usize = 0;
/// Represents the key before an object's first key.
pub(super) const NONE: usize = usize::MAX;

impl Keys {
    pub(super) fn new(time_field: Option<Arc<TimeField>>, unscaled: Arc<[Box<str>]>) -> Keys {
        let nodes = vec![KeyNode { first: NONE, ..KeyNode::default() }];
        Keys { nodes, slots: Vec::new(), time_field, unscaled }
    }

    /// The time in a value of the field that the values determined.
    pub(super) fn learned_time(&self, value: &[u8]) -> Option<When> {
        self.time_field.as_ref()?.read(value)
    }

    pub(super) fn slot(&self, slot: usize) -> &KeySlot {
        &self.slots[slot]
    }

    /// The key that is expected after another, if the text begins with it and its closing quote. Returns the
    /// key and its length without the quote.
    #[inline]
    pub(super) fn guess(&self, node: usize, before: usize, text: &[u8]) -> Option<(usize, usize)> {
        let guess = if before == NONE { self.nodes[node].first } else { self.slots[before].next };
        let raw = &self.slots.get(guess)?.raw;
        (text.starts_with(raw) && text.get(raw.len()) == Some(&b'"')).then_some((guess, raw.len()))
    }

    /// Finds or adds a key; `None` if there are too many.
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
        let is_time = self.time_field.as_ref().is_some_and(|field| *field.name == *path.as_bytes());
        let role = match KeyRole::from_path(&path) {
            _ if is_time => KeyRole::Time(LEARNED_TIME),
            KeyRole::Level(rank, _) if self.unscaled.iter().any(|key| **key == *path) => {
                KeyRole::Level(rank, Scale::Words)
            }
            role => role,
        };
        // The message of Rust's tracing is among the other fields of its event.
        let path = if path == "fields.message" { "message".to_string() } else { path };
        self.slots.push(KeySlot { raw: key.into(), path, role, next: NONE, child: None, columns: [None; 4] });
        self.nodes[node].slots.insert(key.into(), self.slots.len() - 1);
        self.slots.len() - 1
    }

    /// The keys of the object that is this key's value.
    pub(super) fn child(&mut self, slot: usize) -> usize {
        if let Some(child) = self.slots[slot].child {
            return child;
        }
        let prefix = format!("{}.", self.slots[slot].path);
        self.nodes.push(KeyNode { prefix, first: NONE, ..KeyNode::default() });
        self.slots[slot].child = Some(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// The column for this key's values of one type.
    #[inline]
    pub(super) fn column(&mut self, slot: usize, kind: ColumnKind, rows: &mut Rows) -> Option<usize> {
        let slot = &mut self.slots[slot];
        let column =
            slot.columns[kind as usize].get_or_insert_with(|| rows.add_column(&slot.path, kind).ok_or(()));
        column.ok()
    }
}
