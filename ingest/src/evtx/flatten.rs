//! Flattens the tree of a Windows event to fields. The binary form and the XML form both use this, so that a
//! log and its export give the same fields.
//!
//! Elements under `System` get the fixed names of [`fields`]; `EventData` and the content of the one element
//! of `UserData` become `data.…`; anything else is named by its path.

use super::fields::{self, FieldId, FieldRegistry, NO_FIELD};
use super::names::{self, ByName, NameId, Names};
use crate::batch::Level;
use crate::limits;
use crate::time::{When, find};

/// A range of text in a buffer that the caller owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextRef {
    pub from: usize,
    pub to: usize,
    /// It is in the buffer of rewritten text.
    pub rewritten: bool,
}

/// One field of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventField {
    pub field: FieldId,
    /// The data item's name, if it has no field of its own.
    pub label: Option<TextRef>,
    pub value: TextRef,
    /// The value, if it is an integer in canonical form.
    pub int: Option<i64>,
}

/// The meaning of the children of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ElementRole {
    Outside,
    Event,
    System,
    SystemItem,
    UserData,
    /// Contains an event's own data: `EventData`, or the element inside `UserData`.
    Container,
    /// `Data` of `EventData`; its attribute is the name.
    Item,
    Other,
}

#[derive(Clone, Copy)]
enum Attribute {
    Ignored,
    Field(FieldId),
    ItemName,
}

/// An element at its position in the tree, cached across events.
struct ElementNode {
    name: NameId,
    place: ElementRole,
    /// The field of its content, as text and, once it had content, as a number.
    path: String,
    field: Option<FieldId>,
    children: ByName<usize>,
    attributes: ByName<Attribute>,
}

/// An element that is open.
#[derive(Clone, Copy)]
struct OpenElement {
    node: usize,
    item: Option<FieldId>,
    label: Option<TextRef>,
}

pub(crate) struct EventFlattener {
    pub names: Names,
    pub fields: FieldRegistry,
    nodes: Vec<ElementNode>,
    /// How many attributes all nodes cache together.
    attributes: usize,
    open: Vec<OpenElement>,
    pub entries: Vec<EventField>,
    pub time: Option<When>,
    pub level_number: Option<i64>,
    pub keywords: u64,
    /// How many data items without a name there were so far.
    unnamed: usize,
    last_item: FieldId,
    /// By field: the last event that had it, and how often.
    seen: Vec<(u64, u32)>,
    event: u64,
}

/// Bits of `Keywords`.
const AUDIT_FAILURE: u64 = 1 << 52;
const AUDIT_SUCCESS: u64 = 1 << 53;

impl EventFlattener {
    pub(crate) fn new() -> EventFlattener {
        let outside = ElementNode {
            name: names::EVENT,
            place: ElementRole::Outside,
            path: String::new(),
            field: Some(NO_FIELD),
            children: ByName::new(),
            attributes: ByName::new(),
        };
        EventFlattener {
            names: Names::new(),
            fields: FieldRegistry::new(),
            nodes: vec![outside],
            attributes: 0,
            open: Vec::new(),
            entries: Vec::new(),
            time: None,
            level_number: None,
            keywords: 0,
            unnamed: 0,
            last_item: NO_FIELD,
            seen: Vec::new(),
            event: 0,
        }
    }

    /// Resets the state for the next event.
    pub(crate) fn begin(&mut self) {
        self.open.clear();
        self.entries.clear();
        self.time = None;
        self.level_number = None;
        self.keywords = 0;
        self.unnamed = 0;
        self.last_item = NO_FIELD;
        self.event += 1;
    }

    /// How many elements are open.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// An element begins. Returns the field whose value is the element's name, if there is one.
    pub(crate) fn open(&mut self, name: NameId) -> Result<Option<FieldId>, &'static str> {
        if self.open.len() >= limits::DEEPEST_WINDOWS_EVENT {
            return Err("its elements are nested too deep");
        }
        let parent = self.top();
        let node = match self.nodes[parent].children.get(name) {
            Some(node) => node,
            None => self.add_node(parent, name)?,
        };
        self.open.push(OpenElement { node, item: None, label: None });
        Ok((self.nodes[parent].place == ElementRole::UserData).then_some(fields::DATA_NAME))
    }

    fn top(&self) -> usize {
        self.open.last().map_or(0, |open| open.node)
    }

    fn add_node(&mut self, parent: usize, name: NameId) -> Result<usize, &'static str> {
        if self.nodes.len() >= limits::MOST_XML_NAMES {
            return Err("there are too many different elements");
        }
        let above = &self.nodes[parent];
        let local = local_name(self.names.text(name));
        let (place, path) = match (above.place, name) {
            (ElementRole::Outside, names::EVENT) => (ElementRole::Event, String::new()),
            (ElementRole::Event, names::SYSTEM) => (ElementRole::System, "system".to_owned()),
            (ElementRole::Event, names::EVENT_DATA) | (ElementRole::UserData, _) => {
                (ElementRole::Container, "data".to_owned())
            }
            (ElementRole::Event, names::USER_DATA) => (ElementRole::UserData, "data".to_owned()),
            (ElementRole::Event, names::RENDERING_INFO) => (ElementRole::Other, "rendering".to_owned()),
            (ElementRole::Container, names::DATA) if above.name == names::EVENT_DATA => {
                (ElementRole::Item, "data".to_owned())
            }
            (ElementRole::System, _) => (ElementRole::SystemItem, format!("system.{local}")),
            _ if above.path.is_empty() => (ElementRole::Other, local.to_owned()),
            _ => (ElementRole::Other, format!("{}.{local}", above.path)),
        };
        let field = match (place, &*path) {
            (ElementRole::SystemItem, _) => fields::system_field(local, ""),
            (_, "rendering.Message") => Some(fields::MESSAGE),
            _ => None,
        };
        let node = self.nodes.len();
        let (children, attributes) = (ByName::new(), ByName::new());
        self.nodes.push(ElementNode { name, place, path: bounded(path), field, children, attributes });
        self.nodes[parent].children.insert(name, node);
        Ok(node)
    }

    /// The innermost open element has an attribute. The name of a data item must come before its content.
    pub(crate) fn attribute(&mut self, name: NameId, value: TextRef, bytes: &[u8]) {
        let node = self.top();
        let attribute = match self.nodes[node].attributes.get(name) {
            Some(attribute) => attribute,
            None => self.add_attribute(node, name),
        };
        match attribute {
            Attribute::Ignored => {}
            Attribute::Field(field) => self.put(field, None, value, bytes),
            Attribute::ItemName if bytes.is_empty() => {}
            Attribute::ItemName => {
                let item = self.fields.data(self.last_item, bytes);
                self.last_item = item;
                if let Some(open) = self.open.last_mut() {
                    open.item = Some(item);
                    open.label = (item == NO_FIELD).then_some(value);
                }
            }
        }
    }

    fn add_attribute(&mut self, node: usize, name: NameId) -> Attribute {
        let (text, place) = (self.names.text(name), self.nodes[node].place);
        let element = self.names.text(self.nodes[node].name);
        let fixed = if place == ElementRole::SystemItem { fields::system_field(element, text) } else { None };
        let attribute = match (place, name) {
            _ if text == "xmlns" || text.starts_with("xmlns:") => Attribute::Ignored,
            (ElementRole::Item, names::NAME) => Attribute::ItemName,
            (ElementRole::Container, names::NAME) => Attribute::Field(fields::DATA_NAME),
            _ => match (fixed, &*self.nodes[node].path) {
                (Some(field), _) => Attribute::Field(field),
                (None, "") => Attribute::Field(self.fields.named(text)),
                (None, path) => Attribute::Field(self.fields.named(&format!("{path}.{text}"))),
            },
        };
        if self.attributes < limits::MOST_XML_NAMES {
            self.attributes += 1;
            self.nodes[node].attributes.insert(name, attribute);
        }
        attribute
    }

    /// The innermost open element has text.
    pub(crate) fn content(&mut self, value: TextRef, bytes: &[u8]) {
        let Some(&OpenElement { node, item, label }) = self.open.last() else { return };
        let field = match (self.nodes[node].place, item, self.nodes[node].field) {
            (ElementRole::Item, Some(item), _) => item,
            (ElementRole::Item, None, _) => self.fields.unnamed(self.unnamed),
            (_, _, Some(field)) => field,
            _ => {
                let field = self.fields.named(&self.nodes[node].path);
                self.nodes[node].field = Some(field);
                field
            }
        };
        self.put(field, label, value, bytes);
    }

    /// The innermost open element ends and another one with the same name and attributes begins: this is how
    /// Windows writes a list of values.
    pub(crate) fn sibling(&mut self) {
        if let Some(open) = self.open.last() {
            self.unnamed +=
                usize::from(open.item.is_none() && self.nodes[open.node].place == ElementRole::Item);
        }
    }

    /// The innermost open element ends.
    pub(crate) fn close(&mut self) {
        self.sibling();
        self.open.pop();
    }

    /// Adds a value to a field. White space alone is no value, because in XML it is only formatting.
    pub(crate) fn put(&mut self, field: FieldId, label: Option<TextRef>, value: TextRef, bytes: &[u8]) {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let int = if fields::may_be_int(field) { int_of(bytes) } else { None };
        match field {
            fields::TIME => self.time = find::whole_time(bytes),
            fields::LEVEL => self.level_number = int,
            fields::KEYWORDS => self.keywords = hex_of(bytes).unwrap_or(0),
            _ => {}
        }
        let field = self.first_time(field);
        self.entries.push(EventField { field, label, value, int });
    }

    /// The field itself, or a numbered one if the event has a value for it already.
    fn first_time(&mut self, field: FieldId) -> FieldId {
        if field == NO_FIELD {
            return field;
        }
        let at = field.0 as usize;
        if at >= self.seen.len() {
            self.seen.resize(at + 1, (0, 0));
        }
        let (event, times) = self.seen[at];
        if event != self.event {
            self.seen[at] = (self.event, 1);
            return field;
        }
        self.seen[at].1 += 1;
        self.fields.again(field, times + 1)
    }

    /// Maps Windows' levels to ours. A failed audit is a warning, although Windows writes it with level 0.
    pub(crate) fn level(&self) -> Level {
        match self.level_number {
            Some(1) => Level::Fatal,
            Some(2) => Level::Error,
            Some(3) => Level::Warn,
            _ if self.keywords & AUDIT_FAILURE != 0 => Level::Warn,
            Some(0 | 4) => Level::Info,
            Some(5) => Level::Debug,
            _ => Level::None,
        }
    }

    /// The level in the words of Windows' event viewer.
    pub(crate) fn level_word(&self) -> &'static str {
        match self.level_number {
            _ if self.keywords & AUDIT_FAILURE != 0 => "Audit Failure",
            _ if self.keywords & AUDIT_SUCCESS != 0 => "Audit Success",
            Some(1) => "Critical",
            Some(2) => "Error",
            Some(3) => "Warning",
            Some(0 | 4) => "Information",
            Some(5) => "Verbose",
            _ => "",
        }
    }
}

/// Limits a path that is too long for a field to just over the limit, so that forged nesting does not fill
/// memory.
fn bounded(mut path: String) -> String {
    while path.len() > limits::LONGEST_FIELD_NAME_BYTES + char::MAX.len_utf8() {
        path.pop();
    }
    path
}

/// A name without its namespace prefix.
pub(super) fn local_name(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// The integer in a text, if it is canonical: no leading zeros, no plus sign.
fn int_of(bytes: &[u8]) -> Option<i64> {
    const LONGEST: usize = 18;
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let plain = match digits {
        [b'0'] => digits.len() == bytes.len(),
        [b'1'..=b'9', ..] => digits.len() <= LONGEST && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !plain {
        return None;
    }
    let value = digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
    Some(if digits.len() == bytes.len() { value } else { -value })
}

fn hex_of(bytes: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(bytes.strip_prefix(b"0x")?).ok()?;
    u64::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_integers_are_numbers() {
        let cases: [(&[u8], Option<i64>); 9] = [
            (b"0", Some(0)),
            (b"-17", Some(-17)),
            (b"999999999999999999", Some(999_999_999_999_999_999)),
            (b"1000000000000000000", None),
            (b"007", None),
            (b"-0", None),
            (b"-", None),
            (b"+1", None),
            (b"0x10", None),
        ];
        for (text, expected) in cases {
            assert_eq!(int_of(text), expected, "{}", String::from_utf8_lossy(text));
        }
    }
}
