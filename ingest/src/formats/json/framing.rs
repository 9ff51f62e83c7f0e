//! Frames JSON objects that are not one per line: objects over many lines or directly after one another, and
//! lists of them, at the top level or in a wrapper object.

use memchr::{memchr, memchr3, memmem};

use super::scan::{CUT_SHORT, Cursor, JsonValue};
use crate::encoding::BYTE_ORDER_MARK;
use crate::formats::Learned;
use crate::frame::{EventBlock, Framing};
use crate::limits::LONGEST_LIST_OPENING_BYTES;

type NextObject = fn(&[u8]) -> Option<EventBlock>;

/// Keys under which a wrapper object lists its events, with the reader for each: CloudTrail and Azure,
/// Kubernetes, CloudWatch, Google, OData and Graph.
const LISTS: [(&[u8], NextObject); 10] = [
    (b"Records", listed::<0>),
    (b"records", listed::<1>),
    (b"items", listed::<2>),
    (b"entries", listed::<3>),
    (b"events", listed::<4>),
    (b"Events", listed::<5>),
    (b"logEvents", listed::<6>),
    (b"value", listed::<7>),
    (b"logs", listed::<8>),
    (b"data", listed::<9>),
];

/// Keys of lists that are nested deep in their wrapper: OpenTelemetry's, and those of an Elasticsearch
/// response.
const DEEP_LISTS: [(&[u8], NextObject); 2] =
    [(b"\"logRecords\":[", deeply_listed::<0>), (b"\"hits\":[", deeply_listed::<1>)];

/// Every line with such a list is a wrapper of its own, as streams write them.
const LISTS_BY_LINE: usize = 2;

/// Learns how the objects of a source follow each other.
pub(super) fn learn(sample: &[u8]) -> Learned {
    let text = sample.strip_prefix(BYTE_ORDER_MARK).unwrap_or(sample).trim_ascii_start();
    match next(text) {
        Some(next) => Learned { framing: Framing::blocks(next), ..Learned::default() },
        None => Learned::default(),
    }
}

fn next(text: &[u8]) -> Option<NextObject> {
    if let Some(inner) = text.strip_prefix(b"[")
        && matches!(inner.trim_ascii_start().first(), Some(b'{'))
    {
        return Some(array);
    }
    if text.first() == Some(&b'{') {
        let end = object_end(text).map(|(_, next)| next);
        let is_alone = end.is_none_or(|end| text[end..].trim_ascii().is_empty());
        for (index, (name, next)) in LISTS.iter().enumerate() {
            if (is_alone || index < LISTS_BY_LINE)
                && let Opening::Found(length) = opening(text, name)
                && matches!(text[length..].trim_ascii_start().first(), Some(b'{'))
            {
                return Some(*next);
            }
        }
        let head = &text[..end.unwrap_or(text.len())];
        let is_deep = |name: &[u8]| deep_opening(head, name).is_some();
        if head.starts_with(b"{\"resourceLogs\"") && is_deep(DEEP_LISTS[0].0) {
            return Some(DEEP_LISTS[0].1);
        }
        if is_alone
            && memmem::find(&head[..head.len().min(64)], b"\"took\"").is_some()
            && is_deep(DEEP_LISTS[1].0)
        {
            return Some(DEEP_LISTS[1].1);
        }
    }
    if !is_lines(text) {
        return Some(objects);
    }
    has_raw_line_ends(text).then_some(with_raw_line_ends as NextObject)
}

/// A string with more line ends is not one string: its quote was never closed.
const MOST_RAW_LINE_ENDS: usize = 1_000;

/// Objects that begin their line and may have unescaped line ends within their strings, as broken writers
/// produce them.
fn with_raw_line_ends(text: &[u8]) -> Option<EventBlock> {
    match text.iter().position(|byte| !byte.is_ascii_whitespace()) {
        None => Some(gap(text.len())),
        Some(0) if text[0] == b'{' => {
            let end = raw_object_end(text)?;
            Some(EventBlock { start: 0, end, next: end })
        }
        Some(0) => event(text),
        Some(length) => Some(gap(length)),
    }
}

/// Where the object at the start of the text ends. An incomplete one extends to the line that begins the next object.
fn raw_object_end(text: &[u8]) -> Option<usize> {
    let (mut depth, mut line_ends, mut at, mut is_in_text) = (0_usize, 0, 0, false);
    loop {
        let byte = *text.get(at)?;
        at += 1;
        match byte {
            b'\\' if is_in_text => at += 1,
            b'"' => is_in_text = !is_in_text,
            b'\n' => {
                line_ends += 1;
                let next = text.get(at..at + 2)?;
                if next == b"{\"" || line_ends > MOST_RAW_LINE_ENDS {
                    return Some(at);
                }
            }
            b'{' | b'[' if !is_in_text => depth += 1,
            b'}' | b']' if !is_in_text => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
}

/// Whether an object that begins its line is complete only if one of its strings contains a line end.
fn has_raw_line_ends(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(block) = with_raw_line_ends(&text[at..]).filter(|block| block.next > 0) {
        let event = &text[at + block.start..at + block.end];
        at += block.next;
        if event.starts_with(b"{\"") && memchr(b'\n', event).is_some() {
            let mut cursor = Cursor::new(event);
            if cursor.value(false).is_ok() && cursor.peek().is_err() {
                return true;
            }
        }
    }
    false
}

/// Whether most objects are on a line of their own.
fn is_lines(text: &[u8]) -> bool {
    let (mut lines, mut others, mut at) = (0, 0, 0);
    while let Some(block) = objects(&text[at..]).filter(|block| block.next > 0) {
        let (start, end) = (at + block.start, at + block.end);
        at += block.next;
        if start == end || text[start] != b'{' || text[end - 1] != b'}' {
            continue;
        }
        let shares_line = text[end..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b','));
        let is_line = shares_line != Some(&b'{') && memchr(b'\n', &text[start..end]).is_none();
        if is_line { lines += 1 } else { others += 1 }
    }
    // The end of a single large object may lie after the sample.
    lines >= others && !(lines == 0 && others == 0 && opens_over_lines(text))
}

fn opens_over_lines(text: &[u8]) -> bool {
    text.strip_prefix(b"{").is_some_and(|rest| {
        let shown = rest.iter().position(|byte| !byte.is_ascii_whitespace());
        shown.is_some_and(|shown| rest[shown] == b'"' && rest[..shown].contains(&b'\n'))
    })
}

/// Objects directly after one another, on one line or many.
fn objects(text: &[u8]) -> Option<EventBlock> {
    // JSON text sequences have a record separator before each text.
    let between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | 0x1E);
    match text.iter().position(|byte| !between(byte)) {
        None => Some(gap(text.len())),
        Some(0) => event(text),
        Some(length) => Some(gap(length)),
    }
}

/// The objects of a list at the top level.
fn array(text: &[u8]) -> Option<EventBlock> {
    let between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']');
    match text.iter().position(|byte| !between(byte)) {
        None => Some(gap(text.len())),
        Some(0) => event(text),
        Some(length) => Some(gap(length)),
    }
}

fn listed<const LIST: usize>(text: &[u8]) -> Option<EventBlock> {
    if text.first() == Some(&b'{') {
        return match opening(text, LISTS[LIST].0) {
            Opening::Found(length) => Some(gap(length)),
            Opening::None => event(text),
            Opening::Open => None,
        };
    }
    between_listed(text)
}

fn deeply_listed<const LIST: usize>(text: &[u8]) -> Option<EventBlock> {
    if text.first() == Some(&b'{') {
        let end = object_end(text);
        return match deep_opening(&text[..end.map_or(text.len(), |(end, _)| end)], DEEP_LISTS[LIST].0) {
            Some(length) => Some(gap(length)),
            None => end.map(|(end, next)| EventBlock { start: 0, end, next }),
        };
    }
    between_listed(text)
}

/// The end of a list and its wrapper: brackets, and members of the wrapper after the list.
fn between_listed(text: &[u8]) -> Option<EventBlock> {
    let mut cursor = Cursor { bytes: text, at: 0 };
    loop {
        match cursor.peek() {
            Err(_) => return Some(gap(text.len())),
            Ok(b',' | b']' | b'}' | b'[') => cursor.at += 1,
            Ok(b'"') => match member(&text[cursor.at..]) {
                Some(AfterList::Member(length)) => cursor.at += length,
                Some(AfterList::Event(block)) if cursor.at == 0 => return Some(block),
                None if cursor.at == 0 => return None,
                _ => break,
            },
            _ => break,
        }
    }
    if cursor.at > 0 { Some(gap(cursor.at)) } else { event(text) }
}

/// The text after a list, at a quote.
enum AfterList {
    /// A member, including the character after it that proves it: their length.
    Member(usize),
    /// Anything else. It never ends before the text that was needed to decide this, except for white space,
    /// so that it reads the same if a chunk ends there.
    Event(EventBlock),
}

fn member(text: &[u8]) -> Option<AfterList> {
    let line = || event(text).map(AfterList::Event);
    let shown = |at: usize| Some(at + text[at..].iter().position(|byte| !byte.is_ascii_whitespace())?);
    let (name_end, true) = string_end(text, 1)? else { return line() };
    let colon = shown(name_end)?;
    if text[colon] != b':' {
        return line();
    }
    let start = shown(colon + 1)?;
    let (end, next) = match text[start] {
        b'{' | b'[' => object_end(&text[start..]).map(|(end, next)| (start + end, start + next))?,
        b'"' => match string_end(text, start + 1)? {
            (end, true) => (end, end),
            (newline, false) => (newline, newline + 1),
        },
        _ => {
            let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}');
            let end = start + text[start..].iter().position(is_end)?;
            (end, end)
        }
    };
    let after = shown(next)?;
    if end == next && matches!(text[after], b',' | b'}' | b']') {
        return Some(AfterList::Member(after + 1));
    }
    if memchr(b'\n', &text[..end]).is_none() {
        return line();
    }
    // Blank lines after a complete value belong to it, because a chunk may end in them.
    let (end, next) = if end == next { (after, after) } else { (end, next) };
    Some(AfterList::Event(EventBlock { start: 0, end, next }))
}

enum Opening {
    /// Its length, including the bracket of the list.
    Found(usize),
    None,
    /// There is too little text to decide.
    Open,
}

/// The text before the first event of a list in a wrapper object: a few members, and the list's name. The
/// search stops at the end of the object, because a chunk may end there.
fn opening(text: &[u8], name: &[u8]) -> Opening {
    let head = &text[..text.len().min(LONGEST_LIST_OPENING_BYTES)];
    let end = object_end(head).map(|(end, _)| end);
    let mut cursor = Cursor { bytes: &head[..end.unwrap_or(head.len())], at: 1 };
    match opening_end(&mut cursor, name) {
        Ok(Some(end)) => Opening::Found(end),
        Err(CUT_SHORT) if end.is_none() && head.len() < LONGEST_LIST_OPENING_BYTES => Opening::Open,
        _ => Opening::None,
    }
}

fn opening_end(cursor: &mut Cursor<'_>, name: &[u8]) -> Result<Option<usize>, &'static str> {
    loop {
        cursor.expect(b'"')?;
        let (start, end, _) = cursor.string()?;
        cursor.expect(b':')?;
        if cursor.bytes[start..end] == *name && cursor.peek()? == b'[' {
            // The following text is not examined, because a chunk may end here.
            return Ok(Some(cursor.at + 1));
        }
        if let JsonValue::Raw { start, end } = cursor.value(false)?
            && cursor.bytes[start] == b'['
            && end - start > 2
        {
            return Ok(None);
        }
        if cursor.peek()? != b',' {
            return Ok(None);
        }
        cursor.at += 1;
    }
}

fn deep_opening(text: &[u8], name: &[u8]) -> Option<usize> {
    memmem::find(text, name).map(|at| at + name.len())
}

fn gap(length: usize) -> EventBlock {
    EventBlock { start: length, end: length, next: length }
}

/// The object at the start of the text, or the line if there is none.
fn event(text: &[u8]) -> Option<EventBlock> {
    if text.first() == Some(&b'{') {
        let (end, next) = object_end(text)?;
        return Some(EventBlock { start: 0, end, next });
    }
    let newline = memchr(b'\n', text)?;
    let end = newline - usize::from(newline > 0 && text[newline - 1] == b'\r');
    Some(EventBlock { start: 0, end, next: newline + 1 })
}

/// Where the object at the start of the text ends, and where the next item begins. A broken object ends with
/// its line: at a line end in a string, or where the next object begins at the start of a line and no value
/// is due. Then the line end belongs to it, so that it reads the same if a chunk ends there.
fn object_end(text: &[u8]) -> Option<(usize, usize)> {
    let mut depth = 0_usize;
    let mut before = b'{';
    let mut at = 0;
    loop {
        let byte = *text.get(at)?;
        at += 1;
        match byte {
            b'"' => match string_end(text, at)? {
                (end, true) => at = end,
                (newline, false) => return Some(broken(text, newline + 1)),
            },
            b'{' | b'[' => {
                let begins_line = at >= 2 && text[at - 2] == b'\n';
                if depth > 0 && byte == b'{' && begins_line && !matches!(before, b':' | b',' | b'[') {
                    return Some(broken(text, at - 1));
                }
                depth += 1;
            }
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some((at, at));
                }
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
}

/// The end of the visible text of a broken object, without the line ends after it.
fn broken(text: &[u8], next: usize) -> (usize, usize) {
    let text = &text[..next];
    let last = text.iter().rposition(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    let newline = memchr(b'\n', &text[last..]).map_or(next, |length| last + length);
    (newline - usize::from(text[..newline].ends_with(b"\r")), next)
}

/// The position after a string's closing quote, or that of a line end in it.
fn string_end(text: &[u8], mut at: usize) -> Option<(usize, bool)> {
    loop {
        at += memchr3(b'"', b'\\', b'\n', text.get(at..)?)?;
        match text[at] {
            b'"' => return Some((at + 1, true)),
            b'\n' => return Some((at, false)),
            _ => at += 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events as `learn` frames them, each on one line.
    fn events(text: &str) -> Vec<String> {
        let Framing::Blocks(next) = learn(text.as_bytes()).framing else { return vec!["lines".to_string()] };
        let (mut events, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let rest = &text[at..];
            let Some(block) = next(rest.as_bytes()) else {
                events.push(rest.to_string());
                break;
            };
            assert!(block.next > 0);
            if block.start < block.end {
                events.push(rest[block.start..block.end].split_whitespace().collect());
            }
            at += block.next;
        }
        events
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(events(text), expected);
    }

    #[test]
    fn objects_span_lines_or_follow_each_other() {
        check("{\"a\":1}\n{\"a\":2}\n", &["lines"]);
        check("one\n{\"a\":1}\ntwo\n", &["lines"]);
        check("{\"a\":1}{\"a\":\"}{\"} {\"a\":3}", &[r#"{"a":1}"#, r#"{"a":"}{"}"#, r#"{"a":3}"#]);
        check("{\n \"a\": {\n  \"b\": [1]\n }\n}\n{\n \"a\": 2\n}\n", &[r#"{"a":{"b":[1]}}"#, r#"{"a":2}"#]);
        check("\u{1e}{\n\"a\":1}\n\u{1e}{\n\"a\":2}\n", &[r#"{"a":1}"#, r#"{"a":2}"#]);
    }

    #[test]
    fn line_ends_within_texts() {
        check(
            "{\"a\":1}\n{\"a\":\"x\ny {'}'\"}\nup\n{\"a\":\"torn\n  line\n{\"a\":3}\n",
            &[r#"{"a":1}"#, r#"{"a":"xy{'}'"}"#, "up", r#"{"a":"tornline"#, r#"{"a":3}"#],
        );
        check("{\"a\":1}\n{\"a\":\"torn\n{\"a\":3}\n", &["lines"]);
    }

    #[test]
    fn broken_objects_end_with_their_line() {
        check(
            "{\n \"a\": 1\n}\nup\n{\n \"a\": \"cut\n{\n \"a\": 2\n}\n{\n \"a\": 3\n",
            &[r#"{"a":1}"#, "up", r#"{"a":"cut"#, r#"{"a":2}"#, "{\n \"a\": 3\n"],
        );
        check("{\n \"a\": 1\n}\n{\n \"a\": 2\n{\n \"a\": 3\n}\n", &[r#"{"a":1}"#, r#"{"a":2"#, r#"{"a":3}"#]);
    }

    #[test]
    fn lists_at_the_top_and_wrapped() {
        check("[{\"a\":[{}]},\n {\"a\":2}]\n", &[r#"{"a":[{}]}"#, r#"{"a":2}"#]);
        check("[\n]", &["lines"]);
        check(
            "{\"Records\":[{\"a\":1},{\"Records\":7}],\"more\":{\"b\":[{}]},\"n\":1}\n",
            &[r#"{"a":1}"#, r#"{"Records":7}"#],
        );
        check(
            "{\"records\": [{\"a\":1}]}\n{\"records\": [{\"a\":2}, {\"a\":3}]}\n",
            &[r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":3}"#],
        );
        check(
            "{\n \"kind\": \"EventList\",\n \"metadata\": {},\n \"items\": [\n  {\n   \"a\": 1\n  },\n  {\n   \"a\": 2\n  }\n ]\n}\n",
            &[r#"{"a":1}"#, r#"{"a":2}"#],
        );
        check("{\"items\":[{\"a\":1}]}\n{\"items\":[{\"a\":2}]}\n", &["lines"]);
        check("{\"events\":[1,2]}", &["lines"]);
    }

    #[test]
    fn broken_list_event_ends_the_same_whatever_follows() {
        let broken = "{\"a\":1,\"b\":\"cut\n";
        for after in ["", "two\n", "two\",\"c\":2},{\"a\":3}]}"] {
            let text = format!("{broken}{after}");
            let block = listed::<0>(text.as_bytes());
            assert_eq!(
                block,
                Some(EventBlock { start: 0, end: broken.len() - 1, next: broken.len() }),
                "{after}"
            );
        }
    }

    #[test]
    fn text_after_a_list_that_is_no_member_is_an_event() {
        let block = listed::<0>(b"\"a\":\n1 \n b");
        assert_eq!(block, Some(EventBlock { start: 0, end: 9, next: 9 }));
        for after in ["\"cut\n", "\"a\" b\n", "\"a\":1 b\n", "\"a\":[1,\n\"cut\n", "\"a\":\n\"cut\n"] {
            for next in ["two\n", "two\"}\n", "{\"b\":\"}]\"}\n", "\"b\":2}\n"] {
                let text = format!("{after}{next}");
                let block = listed::<0>(text.as_bytes());
                let expected = EventBlock { start: 0, end: after.len() - 1, next: after.len() };
                assert_eq!(block, Some(expected), "{text}");
            }
        }
    }

    #[test]
    fn lists_nested_deep_in_their_wrapper() {
        check(
            "{\"resourceLogs\":[{\"resource\":{},\"scopeLogs\":[{\"logRecords\":[{\"a\":1},{\"a\":2}]}]},{\"scopeLogs\":[{\"scope\":{},\"logRecords\":[{\"a\":3}]}],\"schemaUrl\":\"u\"}]}\n",
            &[r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":3}"#],
        );
        check(
            "{\"took\":3,\"hits\":{\"total\":{\"value\":2},\"hits\":[{\"_id\":1},{\"_id\":2}]}}",
            &[r#"{"_id":1}"#, r#"{"_id":2}"#],
        );
    }
}
