//! Windows events as XML: exports of the event viewer, of `wevtutil` and of forwarders. An event may be on
//! one line or span many, or all of them may be on one line in an `<Events>` root. Its fields are the same as
//! in the binary form of the event.

use memchr::memmem;

use super::{Fit, Format, Learned, Reader, Setup};
use crate::encoding::BYTE_ORDER_MARK;
use crate::evtx::columns::FieldColumns;
use crate::evtx::fields::{LEVEL, NO_FIELD, TIME};
use crate::evtx::flatten::{EventField, EventFlattener, TextRef};
use crate::frame::{EventBlock, Framing};
use crate::rows::{ColumnKind, Rows};
use crate::xml::{Token, XmlReader, unescape};

pub(crate) static FORMAT: Format =
    Format { name: "windows_xml", title: "Windows events as XML", learn, reader, ..Format::LINES };

const EVENT_TAG: &[u8] = b"<Event";
const EVENT_END: &[u8] = b"</Event>";

/// Whether the text after `<Event` ends the name there, so that it is not `<EventData>`. At the end of the
/// text this is unknown.
fn begins_tag(after: &[u8]) -> bool {
    after.first().is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))
}

/// The next position at which an event begins, also within a line: the event viewer writes a whole log as one
/// line.
pub(crate) fn next_event(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let starts = memmem::find_iter(rest, EVENT_TAG);
    starts.map(|at| from + at).find(|at| begins_tag(&bytes[at + EVENT_TAG.len()..]))
}

/// Where the event that begins here ends, if its end tag is present.
pub(crate) fn event_end(bytes: &[u8], from: usize) -> Option<usize> {
    memmem::find(bytes.get(from..)?, EVENT_END).map(|at| from + at + EVENT_END.len())
}

/// Length of the text around events at the start of the text: white space, a byte order mark, the
/// declaration, a tag of the root. `None` if there is anything else, or if its end is not in the text.
fn around(text: &[u8]) -> Option<usize> {
    let blank = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if blank > 0 {
        return Some(blank);
    }
    if text.starts_with(BYTE_ORDER_MARK) {
        return Some(BYTE_ORDER_MARK.len());
    }
    let (inside, close) = if text.starts_with(b"<?xml") {
        (5, &b"?>"[..])
    } else {
        let root = [&b"<Events"[..], b"</Events"].into_iter().find(|root| text.starts_with(root))?;
        let ends_name = text.get(root.len()).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'>');
        ends_name.then_some((root.len(), &b">"[..]))?
    };
    let end = inside + memmem::find(&text[inside..], close)?;
    (!text[inside..end].contains(&b'<')).then_some(end + close.len())
}

/// Whether the text contains nothing but what surrounds events.
fn is_around(mut text: &[u8]) -> bool {
    while let Some(length) = around(text) {
        text = &text[length..];
    }
    text.is_empty()
}

fn learn(sample: &[u8], _: &Setup) -> Learned {
    match next_event(sample, 0) {
        Some(_) => Learned { framing: Framing::blocks(block), ..Learned::default() },
        None => Learned::default(),
    }
}

/// The next event, or the text before it. An event without an end tag ends where the next one begins. The
/// result must not depend on how much of the source is available.
fn block(text: &[u8]) -> Option<EventBlock> {
    if let Some(next) = around(text) {
        return Some(EventBlock { start: 0, end: 0, next });
    }
    let start = next_event(text, 0)?;
    if start > 0 {
        return Some(EventBlock { start: 0, end: start, next: start });
    }
    let end = event_end(text, 0);
    let next = next_event(&text[..end.unwrap_or(text.len())], EVENT_TAG.len());
    let end = next.or(end)?;
    Some(EventBlock { start: 0, end, next: end })
}

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(WindowsXml {
        walk: XmlWalk::default(),
        flattener: EventFlattener::new(),
        columns: FieldColumns::default(),
    })
}

struct WindowsXml {
    walk: XmlWalk,
    flattener: EventFlattener,
    columns: FieldColumns,
}

impl Reader for WindowsXml {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let walked = self.walk.event(event, &mut self.flattener);
        let (flattener, scratch) = (&self.flattener, &self.walk.scratch);
        if flattener.entries.is_empty() {
            return Err(walked.err().unwrap_or("it is not a Windows event"));
        }
        if let Some(when) = &flattener.time {
            rows.when(when);
        }
        rows.set_level(flattener.level());
        let fielded = |entry: &&EventField| ![TIME, LEVEL, NO_FIELD].contains(&entry.field);
        for entry in flattener.entries.iter().filter(fielded) {
            let kind = if entry.int.is_some() { ColumnKind::Int } else { ColumnKind::Text };
            let name = flattener.fields.name(entry.field);
            let Some(column) = self.columns.column(entry.field, name, kind, rows) else { continue };
            let TextRef { from, to, rewritten } = entry.value;
            match entry.int {
                Some(int) => rows.int(column, int),
                None if rewritten => {
                    let span = rows.rewrite(|out| out.extend_from_slice(&scratch[from..to]));
                    rows.span(column, span);
                }
                None => rows.text(column, from, to),
            }
        }
        // An element of another program may have the same name.
        let is_own = flattener.time.is_some() || memmem::find(event, b"<System").is_some();
        // A truncated event keeps the fields before its end.
        Ok(if walked.is_ok() && is_own { Fit::Whole } else { Fit::Partly })
    }
}

/// Passes the tags of an event to the flattener that it shares with the binary form.
#[derive(Default)]
struct XmlWalk {
    /// Text that differs from the text of the event because of escapes.
    scratch: Vec<u8>,
    /// The content of the innermost element so far.
    content: Option<TextRef>,
}

impl XmlWalk {
    /// Reads one event up to its end tag. After an error, everything read before it is in the flattener.
    fn event(&mut self, event: &[u8], flattener: &mut EventFlattener) -> Result<(), &'static str> {
        flattener.begin();
        self.scratch.clear();
        self.content = None;
        let start = next_event(event, 0).ok_or("there is no <Event> in it")?;
        if !is_around(&event[..start]) {
            return Err("there is other text before its <Event>");
        }
        let mut reader = XmlReader::new(&event[start..]);
        let walked = self.tokens(event, start, &mut reader, flattener);
        self.finish_content(event, flattener);
        walked
    }

    fn tokens(
        &mut self,
        event: &[u8],
        start: usize,
        reader: &mut XmlReader,
        flattener: &mut EventFlattener,
    ) -> Result<(), &'static str> {
        const TOO_MANY: &str = "it has too many different names";
        while let Some(token) = reader.next().map_err(|error| error.reason)? {
            match token {
                Token::Start { name } => {
                    self.finish_content(event, flattener);
                    let place = TextRef { from: start + name.start, to: start + name.end, rewritten: false };
                    let text = &event[place.from..place.to];
                    let name = flattener.names.intern(text).ok_or(TOO_MANY)?;
                    if let Some(field) = flattener.open(name)? {
                        let prefix = text.iter().rposition(|&byte| byte == b':').map_or(0, |at| at + 1);
                        flattener.put(
                            field,
                            None,
                            TextRef { from: place.from + prefix, ..place },
                            &text[prefix..],
                        );
                    }
                }
                Token::Attribute { name, value } => {
                    let name = &event[start + name.start..start + name.end];
                    let name = flattener.names.intern(name).ok_or(TOO_MANY)?;
                    let escaped = event[start + value.start..start + value.end].contains(&b'&');
                    let text_ref = self.text_ref(event, start + value.start, start + value.end, escaped);
                    flattener.attribute(name, text_ref, bytes_of(event, &self.scratch, text_ref));
                }
                Token::Text { text, escaped } => {
                    self.add_content(event, start + text.start, start + text.end, escaped);
                }
                Token::End => {
                    self.finish_content(event, flattener);
                    flattener.close();
                    if reader.depth() == 0 {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn text_ref(&mut self, event: &[u8], from: usize, to: usize, escaped: bool) -> TextRef {
        if !escaped {
            return TextRef { from, to, rewritten: false };
        }
        let rewritten_from = self.scratch.len();
        unescape(&event[from..to], &mut self.scratch);
        TextRef { from: rewritten_from, to: self.scratch.len(), rewritten: true }
    }

    /// Content comes in several parts if it contains a comment or a CDATA section; they are one value.
    fn add_content(&mut self, event: &[u8], from: usize, to: usize, escaped: bool) {
        let Some(before) = self.content else {
            self.content = Some(self.text_ref(event, from, to, escaped));
            return;
        };
        // From the second part on, the value is at the end of the buffer and grows there.
        let mut start = before.from;
        if !before.rewritten || before.to != self.scratch.len() {
            start = self.scratch.len();
            if before.rewritten {
                self.scratch.extend_from_within(before.from..before.to);
            } else {
                self.scratch.extend_from_slice(&event[before.from..before.to]);
            }
        }
        if escaped {
            unescape(&event[from..to], &mut self.scratch);
        } else {
            self.scratch.extend_from_slice(&event[from..to]);
        }
        self.content = Some(TextRef { from: start, to: self.scratch.len(), rewritten: true });
    }

    fn finish_content(&mut self, event: &[u8], flattener: &mut EventFlattener) {
        if let Some(text_ref) = self.content.take() {
            flattener.content(text_ref, bytes_of(event, &self.scratch, text_ref));
        }
    }
}

fn bytes_of<'a>(event: &'a [u8], scratch: &'a [u8], text_ref: TextRef) -> &'a [u8] {
    if text_ref.rewritten { &scratch[text_ref.from..text_ref.to] } else { &event[text_ref.from..text_ref.to] }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "windows_xml_tests.rs"]
mod tests;
