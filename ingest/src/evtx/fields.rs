//! The fields of Windows events: the fixed ones, which every event may have, and those discovered while
//! reading.

use std::collections::HashMap;

use crate::limits;

/// A field's number: its index among the fields of one reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FieldId(pub u32);

/// The fixed fields: their name, their position below `System` (element, attribute), and whether digits in
/// them stay text. [`TIME`] and [`LEVEL`] never become columns; they are the event's own time and level.
#[rustfmt::skip]
const FIXED: [(&str, &str, &str, bool); 23] = [
    ("time", "TimeCreated", "SystemTime", true),
    ("level", "Level", "", false),
    ("provider", "Provider", "Name", true),
    ("event_id", "EventID", "", false),
    ("channel", "Channel", "", true),
    ("host", "Computer", "", true),
    ("keywords", "Keywords", "", true),
    ("record_id", "EventRecordID", "", false),
    ("version", "Version", "", false),
    ("task", "Task", "", false),
    ("opcode", "Opcode", "", false),
    ("pid", "Execution", "ProcessID", false),
    ("thread", "Execution", "ThreadID", false),
    ("processor", "Execution", "ProcessorID", false),
    ("session", "Execution", "SessionID", false),
    ("user_sid", "Security", "UserID", true),
    ("provider_guid", "Provider", "Guid", true),
    ("event_source", "Provider", "EventSourceName", true),
    ("qualifiers", "EventID", "Qualifiers", false),
    ("activity_id", "Correlation", "ActivityID", true),
    ("related_activity_id", "Correlation", "RelatedActivityID", true),
    ("message", "", "", true),
    ("data_name", "", "", true),
];
pub(crate) const TIME: FieldId = FieldId(0);
pub(crate) const LEVEL: FieldId = FieldId(1);
pub(crate) const PROVIDER: FieldId = FieldId(2);
pub(crate) const EVENT_ID: FieldId = FieldId(3);
pub(crate) const CHANNEL: FieldId = FieldId(4);
pub(crate) const HOST: FieldId = FieldId(5);
pub(crate) const KEYWORDS: FieldId = FieldId(6);
pub(crate) const MESSAGE: FieldId = FieldId(21);
pub(crate) const DATA_NAME: FieldId = FieldId(22);
/// Numbers below this belong to fixed fields.
pub(crate) const FIXED_COUNT: u32 = FIXED.len() as u32;
/// A value whose name is too long, or that would exceed the number of fields. It is only in the text.
pub(crate) const NO_FIELD: FieldId = FieldId(u32::MAX);

/// The prefix of the names of an event's own data.
pub(crate) const DATA_PREFIX: &str = "data.";

/// The fixed field at a position below `System`.
pub(crate) fn system_field(element: &str, attribute: &str) -> Option<FieldId> {
    let at =
        FIXED.iter().position(|fixed| fixed.1 == element && fixed.2 == attribute && !element.is_empty())?;
    Some(FieldId(at as u32))
}

/// Whether digits in this field may be a number.
pub(crate) fn may_be_int(field: FieldId) -> bool {
    FIXED.get(field.0 as usize).is_none_or(|fixed| !fixed.3)
}

/// All fields found so far, by number and by name.
pub(crate) struct FieldRegistry {
    names: Vec<Box<str>>,
    ids: HashMap<Box<str>, FieldId>,
    /// Data items by the bytes of their name.
    data: HashMap<Box<[u8]>, FieldId>,
    /// The data item that followed each field last time. Events of one kind have the same items in the same
    /// order, so this guess nearly always avoids hashing.
    next: Vec<FieldId>,
    unnamed: Vec<FieldId>,
}

impl FieldRegistry {
    pub(crate) fn new() -> FieldRegistry {
        let mut fields = FieldRegistry {
            names: Vec::new(),
            ids: HashMap::new(),
            data: HashMap::new(),
            next: Vec::new(),
            unnamed: Vec::new(),
        };
        for (name, ..) in FIXED {
            fields.named(name);
        }
        fields
    }

    /// The column name.
    pub(crate) fn name(&self, field: FieldId) -> &str {
        self.names.get(field.0 as usize).map_or("", |name| name)
    }

    /// The name in the event's text, where data items have no prefix.
    pub(crate) fn label(&self, field: FieldId) -> &str {
        let name = self.name(field);
        name.strip_prefix(DATA_PREFIX).unwrap_or(name)
    }

    /// The field with a name, or [`NO_FIELD`].
    pub(crate) fn named(&mut self, name: &str) -> FieldId {
        if let Some(&field) = self.ids.get(name) {
            return field;
        }
        if self.names.len() >= limits::MOST_FIELDS || name.len() > limits::LONGEST_FIELD_NAME_BYTES {
            return NO_FIELD;
        }
        let field = FieldId(self.names.len() as u32);
        self.names.push(name.into());
        self.next.push(NO_FIELD);
        self.ids.insert(name.into(), field);
        field
    }

    /// The field of a data item that follows another one.
    pub(crate) fn data(&mut self, before: FieldId, name: &[u8]) -> FieldId {
        let guess = self.next.get(before.0 as usize).copied().unwrap_or(NO_FIELD);
        let guessed = self.name(guess).as_bytes();
        if guessed.len() == DATA_PREFIX.len() + name.len() && guessed.ends_with(name) {
            return guess;
        }
        let field = match self.data.get(name) {
            Some(&field) => field,
            None if name.len() > limits::LONGEST_FIELD_NAME_BYTES => NO_FIELD,
            None => {
                let field = self.named(&format!("{DATA_PREFIX}{}", String::from_utf8_lossy(name)));
                if field != NO_FIELD {
                    self.data.insert(name.into(), field);
                }
                field
            }
        };
        if let Some(next) = self.next.get_mut(before.0 as usize) {
            *next = field;
        }
        field
    }

    /// The field of a data item without a name, counted from 0: `data.param1` and so on, as in the `%1` of
    /// Windows' own message texts.
    pub(crate) fn unnamed(&mut self, index: usize) -> FieldId {
        if let Some(&field) = self.unnamed.get(index) {
            return field;
        }
        if index > limits::MOST_FIELDS {
            return NO_FIELD;
        }
        let field = self.named(&format!("{DATA_PREFIX}param{}", index + 1));
        if index == self.unnamed.len() {
            self.unnamed.push(field);
        }
        field
    }

    /// The field for another value of a field that has one already: `data.Hash.2` and so on.
    pub(crate) fn again(&mut self, field: FieldId, times: u32) -> FieldId {
        let name = format!("{}.{times}", self.name(field));
        self.named(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_name_their_rows() {
        let fields = FieldRegistry::new();
        for (field, name) in [
            (TIME, "time"),
            (LEVEL, "level"),
            (PROVIDER, "provider"),
            (EVENT_ID, "event_id"),
            (CHANNEL, "channel"),
            (HOST, "host"),
            (KEYWORDS, "keywords"),
            (MESSAGE, "message"),
            (DATA_NAME, "data_name"),
        ] {
            assert_eq!(fields.name(field), name);
        }
    }

    #[test]
    fn data_items_are_found_again_in_any_order() {
        let mut fields = FieldRegistry::new();
        let a = fields.data(NO_FIELD, b"a");
        let b = fields.data(a, b"b");
        assert_eq!((fields.name(a), fields.label(b)), ("data.a", "b"));
        assert_eq!(fields.data(a, b"b"), b);
        assert_eq!(fields.data(b, b"a"), a);
        assert_eq!(fields.data(a, b"a"), a);
        let again = fields.again(a, 2);
        assert_eq!(fields.name(again), "data.a.2");
        let second = fields.unnamed(1);
        assert_eq!(fields.name(second), "data.param2");
    }

    #[test]
    fn too_many_or_too_long_names_have_no_field() {
        let mut fields = FieldRegistry::new();
        assert_eq!(fields.data(NO_FIELD, &[b'x'; 300]), NO_FIELD);
        for index in 0..limits::MOST_FIELDS + 10 {
            fields.named(&format!("f{index}"));
        }
        assert_eq!(fields.named("one more"), NO_FIELD);
        assert_ne!(fields.named("f7"), NO_FIELD);
    }
}
