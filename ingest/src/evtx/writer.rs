//! Writes small EVTX files for the tests: chunks with names, templates and records, in the layout of Windows.

use std::collections::HashMap;

use super::value::kind;

/// Content of an element or an attribute.
#[derive(Clone)]
pub(crate) enum XmlPart {
    Element(Element),
    Text(&'static str),
    CData(&'static str),
    Character(u16),
    Entity(&'static str),
    Value(u16),
    OptionalValue(u16),
}

#[derive(Clone)]
pub(crate) struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, Vec<XmlPart>)>,
    parts: Vec<XmlPart>,
}

pub(crate) fn element(name: &'static str, parts: Vec<XmlPart>) -> Element {
    Element { name, attributes: Vec::new(), parts }
}

impl Element {
    pub(crate) fn with(mut self, name: &'static str, part: XmlPart) -> Element {
        self.attributes.push((name, vec![part]));
        self
    }

    pub(crate) fn part(self) -> XmlPart {
        XmlPart::Element(self)
    }
}

/// A value with its type.
pub(crate) type TestValue = (u8, Vec<u8>);

pub(crate) fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

pub(crate) fn string(text: &str) -> TestValue {
    (kind::STRING, utf16(text))
}

/// A data item of the usual kind; its value is a substitution.
pub(crate) fn data(name: &'static str, value: u16) -> XmlPart {
    element("Data", vec![XmlPart::Value(value)]).with("Name", XmlPart::Text(name)).part()
}

/// The `System` element of the tests: event id 4624 and level 0 as literals, the rest from values 0 to 3
/// (time, channel, keywords, user).
pub(crate) fn system() -> XmlPart {
    let text = |name, text| element(name, vec![XmlPart::Text(text)]).part();
    let value = |name, value| element(name, vec![XmlPart::Value(value)]).part();
    let provider = element("Provider", vec![]).with("Name", XmlPart::Text("Some-Provider"));
    let created = element("TimeCreated", vec![]).with("SystemTime", XmlPart::Value(0));
    let security = element("Security", vec![]).with("UserID", XmlPart::OptionalValue(3));
    let parts = vec![
        provider.part(),
        text("EventID", "4624"),
        text("Level", "0"),
        created.part(),
        value("Channel", 1),
        text("Computer", "pc01"),
        value("Keywords", 2),
        security.part(),
    ];
    element("System", parts).part()
}

pub(crate) const A_FILETIME: u64 = 131_444_736_000_000_001;

pub(crate) fn system_values() -> Vec<TestValue> {
    vec![
        (kind::FILETIME, A_FILETIME.to_le_bytes().to_vec()),
        string("Security"),
        (kind::HEX64, (1u64 << 53).to_le_bytes().to_vec()),
        (kind::NULL, vec![]),
    ]
}

pub(crate) fn event(containers: Vec<XmlPart>) -> Element {
    let mut parts = vec![system()];
    parts.extend(containers);
    element("Event", parts).with("xmlns", XmlPart::Text("http://example.org/events"))
}

/// One chunk being written.
pub(crate) struct ChunkWriter {
    pub(crate) bytes: Vec<u8>,
    names: HashMap<String, u32>,
    templates: HashMap<u32, u32>,
    first_id: u64,
    next_id: u64,
}

impl ChunkWriter {
    pub(crate) fn new(first_id: u64) -> ChunkWriter {
        let (names, templates) = (HashMap::new(), HashMap::new());
        ChunkWriter { bytes: vec![0; 512], names, templates, first_id, next_id: first_id }
    }

    /// A record whose XML is a template with values. The template is written at its first use.
    pub(crate) fn record(&mut self, template: u32, root: &Element, values: &[TestValue]) {
        self.raw_record(|chunk| {
            chunk.bytes.extend([0x0F, 1, 1, 0]);
            chunk.template(template, root, values);
        });
    }

    pub(crate) fn raw_record(&mut self, write: impl FnOnce(&mut ChunkWriter)) {
        let start = self.bytes.len();
        self.bytes.extend(b"**\0\0\0\0\0\0");
        self.bytes.extend(self.next_id.to_le_bytes());
        self.bytes.extend(A_FILETIME.to_le_bytes());
        write(self);
        self.bytes.push(0);
        while !self.bytes.len().is_multiple_of(8) {
            self.bytes.push(0);
        }
        self.bytes.extend([0; 4]);
        let size = (self.bytes.len() - start) as u32;
        let end = self.bytes.len();
        self.put_u32(start + 4, size);
        self.put_u32(end - 4, size);
        self.next_id += 1;
    }

    fn put_u32(&mut self, at: usize, value: u32) {
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn template(&mut self, template: u32, root: &Element, values: &[TestValue]) {
        let use_at = self.bytes.len();
        self.bytes.extend([0x0C, 1]);
        self.bytes.extend(template.to_le_bytes());
        if let Some(defined) = self.templates.get(&template) {
            self.bytes.extend(defined.to_le_bytes());
        } else {
            let definition = (use_at + 10) as u32;
            self.templates.insert(template, definition);
            self.bytes.extend(definition.to_le_bytes());
            self.bytes.extend([0; 24]);
            let body = self.bytes.len();
            self.bytes.extend([0x0F, 1, 1, 0]);
            self.element(root, true);
            self.bytes.push(0);
            self.put_u32(body - 4, (self.bytes.len() - body) as u32);
        }
        self.bytes.extend((values.len() as u32).to_le_bytes());
        for (kind, bytes) in values {
            self.bytes.extend((bytes.len() as u16).to_le_bytes());
            self.bytes.extend([*kind, 0]);
        }
        for (_, bytes) in values {
            self.bytes.extend(bytes);
        }
    }

    /// A name's offset, followed by its definition if it is new.
    fn name(&mut self, name: &str) {
        if let Some(offset) = self.names.get(name) {
            self.bytes.extend(offset.to_le_bytes());
            return;
        }
        let offset = (self.bytes.len() + 4) as u32;
        self.names.insert(name.to_owned(), offset);
        self.bytes.extend(offset.to_le_bytes());
        self.bytes.extend([0; 6]);
        let text = utf16(name);
        self.bytes.extend(((text.len() / 2) as u16).to_le_bytes());
        self.bytes.extend(text);
        self.bytes.extend([0, 0]);
    }

    pub(crate) fn element(&mut self, element: &Element, with_dependency: bool) {
        let has_attributes = !element.attributes.is_empty();
        self.bytes.push(if has_attributes { 0x41 } else { 0x01 });
        if with_dependency {
            self.bytes.extend([0xFF, 0xFF]);
        }
        let size_at = self.bytes.len();
        self.bytes.extend([0; 4]);
        self.name(element.name);
        if has_attributes {
            let list_at = self.bytes.len();
            self.bytes.extend([0; 4]);
            for (index, (name, parts)) in element.attributes.iter().enumerate() {
                self.bytes.push(if index + 1 < element.attributes.len() { 0x46 } else { 0x06 });
                self.name(name);
                for part in parts {
                    self.part(part, with_dependency);
                }
            }
            self.put_u32(list_at, (self.bytes.len() - list_at - 4) as u32);
        }
        if element.parts.is_empty() {
            self.bytes.push(0x03);
        } else {
            self.bytes.push(0x02);
            for part in &element.parts {
                self.part(part, with_dependency);
            }
            self.bytes.push(0x04);
        }
        self.put_u32(size_at, (self.bytes.len() - size_at - 4) as u32);
    }

    fn part(&mut self, part: &XmlPart, with_dependency: bool) {
        let mut text = |token: &[u8], text: &str| {
            self.bytes.extend(token);
            self.bytes.extend((text.encode_utf16().count() as u16).to_le_bytes());
            self.bytes.extend(utf16(text));
        };
        match part {
            XmlPart::Element(element) => self.element(element, with_dependency),
            XmlPart::Text(value) => text(&[0x05, kind::STRING], value),
            XmlPart::CData(value) => text(&[0x07], value),
            XmlPart::Character(unit) => {
                self.bytes.push(0x08);
                self.bytes.extend(unit.to_le_bytes());
            }
            XmlPart::Entity(name) => {
                self.bytes.push(0x09);
                self.name(name);
            }
            XmlPart::Value(index) | XmlPart::OptionalValue(index) => {
                self.bytes.push(if matches!(part, XmlPart::Value(_)) { 0x0D } else { 0x0E });
                self.bytes.extend(index.to_le_bytes());
                self.bytes.push(kind::STRING);
            }
        }
    }

    /// The whole chunk: header, checksums, and perhaps remains of older records after its end.
    pub(crate) fn finish(mut self, remains: &[u8]) -> Vec<u8> {
        let used = self.bytes.len();
        self.bytes.extend(remains);
        self.bytes.resize(super::record::CHUNK_BYTES, 0);
        self.bytes[..8].copy_from_slice(super::record::CHUNK_SIGNATURE);
        for (at, id) in
            [(8, self.first_id), (16, self.next_id - 1), (24, self.first_id), (32, self.next_id - 1)]
        {
            self.bytes[at..at + 8].copy_from_slice(&id.to_le_bytes());
        }
        self.put_u32(40, 128);
        self.put_u32(48, used as u32);
        let sum = crc32fast::hash(&self.bytes[512..used]);
        self.put_u32(52, sum);
        let head = [&self.bytes[..120], &self.bytes[128..512]].concat();
        self.put_u32(124, crc32fast::hash(&head));
        self.bytes
    }
}

/// A file of chunks.
pub(crate) fn file(chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"ElfFile\0".to_vec();
    file.resize(4096, 0);
    for chunk in chunks {
        file.extend(chunk);
    }
    file
}
