//! What a run of letters, digits and marks is: a word, or a number, an address, a time and so on.

use super::shape::{ATOM, CLASSES, DIGIT, MARK, Sink, SlotKind, class};
use base::limits::LONGEST_MINED_WORD_BYTES;

/// A longest run of the characters that words, numbers, paths and addresses are made of.
pub struct Atom<'a> {
    text: &'a [u8],
    seen: u8,
}

impl<'a> Atom<'a> {
    /// `seen` has the classes of all its bytes.
    pub fn new(text: &'a [u8], seen: u8) -> Atom<'a> {
        Atom { text, seen }
    }

    pub fn hand_to<S: Sink<'a>>(self, sink: &mut S) {
        let Atom { text, seen } = self;
        if seen & (DIGIT | MARK) == 0 && text.len() <= LONGEST_MINED_WORD_BYTES {
            sink.literal(text);
            return;
        }
        let trailing = text.iter().rev().take_while(|byte| matches!(byte, b'.' | b':' | b'-')).count();
        let (body, tail) = text.split_at(text.len() - trailing);
        if !body.is_empty() {
            if seen & DIGIT == 0 { named(body, sink) } else { numbered(body, sink) }
        }
        if !tail.is_empty() {
            sink.literal(tail);
        }
    }
}

/// What goes on beyond the run: a date in words, a number followed by its unit, an address with its
/// query.
#[inline]
pub fn longer(line: &[u8], at: usize, end: usize, seen: u8) -> Option<(SlotKind, usize)> {
    if seen & (DIGIT | MARK) == 0 {
        let length = if end - at == 3 { spelled_date(&line[at..])? } else { return None };
        return Some((SlotKind::Time, at + length));
    }
    if seen & MARK != 0 && line.get(end) == Some(&b'?') {
        let kind = path(&line[at..end])?;
        let query = line[end..]
            .iter()
            .take_while(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b'>' | b')'));
        return Some((kind, end + query.count()));
    }
    if !line[at].is_ascii_digit() {
        return None;
    }
    let end =
        if seen == ATOM | DIGIT && line.get(end) == Some(&b',') { thousands(line, at, end) } else { end };
    if let Some((kind, end)) = measure(line, at, end) {
        return Some((kind, said_again(line, end)));
    }
    (line[at..end].contains(&b',')).then_some((SlotKind::Number, end))
}

/// No digit is in it.
fn named<'m, S: Sink<'m>>(text: &'m [u8], sink: &mut S) {
    match path(text) {
        Some(kind) => sink.variable(kind, text),
        None if text.len() > LONGEST_MINED_WORD_BYTES => sink.variable(SlotKind::Id, text),
        None => sink.literal(text),
    }
}

fn path(text: &[u8]) -> Option<SlotKind> {
    let slashes = memchr::memchr_iter(b'/', text).count();
    if slashes == 0 {
        let drive = text.len() > 3 && text[1] == b':' && text[2] == b'\\';
        let steps = memchr::memchr_iter(b'\\', text).count();
        return (drive || text.starts_with(b"\\\\") || steps > 1).then_some(SlotKind::Path);
    }
    if memchr::memmem::find(text, b"://").is_some_and(|colon| colon > 1) {
        return Some(SlotKind::Url);
    }
    let roots: [&[u8]; 4] = [b"/", b"./", b"~/", b"../"];
    let rooted = roots.iter().any(|root| text.len() > root.len() && text.starts_with(root));
    (rooted || slashes >= 2).then_some(SlotKind::Path)
}

/// A digit is in it somewhere.
fn numbered<'m, S: Sink<'m>>(text: &'m [u8], sink: &mut S) {
    if let Some(kind) = number(text) {
        return sink.variable(kind, text);
    }
    let slash = usize::from(text[0] == b'/');
    if let Some(length) = address(&text[slash..]) {
        if slash > 0 {
            sink.literal(b"/");
        }
        sink.variable(SlotKind::Ip, &text[slash..slash + length]);
        return after_mark(&text[slash + length..], sink);
    }
    if clock(text) {
        return sink.variable(SlotKind::Time, text);
    }
    if let Some(kind) = path(text) {
        return sink.variable(kind, text);
    }
    if let Some(slash) = memchr::memchr(b'/', text) {
        piece(&text[..slash], sink);
        return after_mark(&text[slash..], sink);
    }
    let Some(colon) = memchr::memchr(b':', text) else {
        return piece(text, sink);
    };
    let port = &text[colon + 1..];
    let is_port = !port.is_empty() && port.iter().all(u8::is_ascii_digit);
    if is_port && is_host(&text[..colon]) {
        sink.variable(SlotKind::Host, &text[..colon]);
        sink.literal(b":");
        sink.variable(SlotKind::Number, port);
    } else if text.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b':')
        && memchr::memchr_iter(b':', text).count() >= 2
    {
        sink.variable(SlotKind::Hex, text);
    } else {
        piece(&text[..colon], sink);
        after_mark(&text[colon..], sink);
    }
}

/// A mark, and the text after it.
fn after_mark<'m, S: Sink<'m>>(text: &'m [u8], sink: &mut S) {
    if text.is_empty() {
        return;
    }
    let (mark, rest) = text.split_at(1);
    sink.literal(mark);
    if rest.iter().any(u8::is_ascii_digit) {
        numbered(rest, sink);
    } else if !rest.is_empty() {
        sink.literal(rest);
    }
}

/// Names joined by points, as machines have.
fn is_host(text: &[u8]) -> bool {
    text.contains(&b'.')
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
        && text.iter().any(u8::is_ascii_alphabetic)
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// A number with its unit, if it has one, and nothing else.
fn number(text: &[u8]) -> Option<SlotKind> {
    let mut at = usize::from(matches!(text[0], b'+' | b'-' | b'#' | b'$') && text.len() > 1);
    if text.len() > at + 2 && text[at] == b'0' && text[at + 1] | 0x20 == b'x' {
        return text[at + 2..].iter().all(u8::is_ascii_hexdigit).then_some(SlotKind::Hex);
    }
    let whole = digits(&text[at..]);
    if whole == 0 {
        return None;
    }
    at += whole;
    if text.get(at) == Some(&b'.') {
        let fraction = digits(&text[at + 1..]);
        if fraction == 0 {
            return None;
        }
        at += 1 + fraction;
        if text.get(at).is_some_and(|byte| byte | 0x20 == b'e')
            && text.get(at + 1).is_some_and(|byte| matches!(byte, b'-' | b'+'))
        {
            at += 2 + digits(&text[at + 2..]);
        }
    }
    match &text[at..] {
        b"" | b"%" => Some(SlotKind::Number),
        unit => unit_of(unit),
    }
}

/// The units that directly follow a number.
fn unit_of(text: &[u8]) -> Option<SlotKind> {
    match text {
        b"m" | b"h" | b"d" | b"\xc2\xb5s" | b"\xce\xbcs" => Some(SlotKind::Duration),
        b"b" | b"k" | b"K" | b"M" | b"G" => Some(SlotKind::Size),
        _ => unit_word(text),
    }
}

/// The units that may be separated from their number.
fn unit_word(text: &[u8]) -> Option<SlotKind> {
    match text {
        b"ns" | b"us" | b"ms" | b"msec" | b"s" | b"sec" | b"secs" | b"second" | b"seconds"
        | b"milliseconds" | b"microseconds" | b"nanoseconds" | b"min" | b"mins" | b"minutes" | b"hours"
        | b"days" => Some(SlotKind::Duration),
        b"B" | b"KB" | b"kB" | b"kb" | b"KiB" | b"MB" | b"mb" | b"MiB" | b"GB" | b"gb" | b"GiB" | b"TB"
        | b"TiB" | b"byte" | b"bytes" => Some(SlotKind::Size),
        _ => None,
    }
}

/// The length of an IPv4 address at the start.
fn address(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    for part in 0..4 {
        let length = digits(&text[at..]);
        if length == 0 || length > 3 {
            return None;
        }
        at += length;
        if part < 3 {
            if text.get(at) != Some(&b'.') {
                return None;
            }
            at += 1;
        }
    }
    text.get(at).is_none_or(|next| matches!(next, b':' | b'/' | b'#' | b'%' | b'-')).then_some(at)
}

/// `14:05`, `14:05:01.250`, `2026-03-01`, `2026-03-01T14:05:01Z`, `03/04/2026`.
pub(super) fn clock(text: &[u8]) -> bool {
    let first = digits(text);
    let Some(&mark) = text.get(first) else { return false };
    let second = digits(&text[first + 1..]);
    let after = first + 1 + second;
    let next = text.get(after).copied();
    let only = |marks: &[u8]| text.iter().all(|byte| byte.is_ascii_digit() || marks.contains(byte));
    match (first, mark, second) {
        (1..=2, b':', 2) if matches!(next, None | Some(b':')) => only(b":.Z+-"),
        (4, b'-' | b'/' | b'.', 2) if next == Some(mark) && digits(&text[after + 1..]) == 2 => {
            only(b":.-/TZ+_")
        }
        (1..=2, b'/', 1..=2) if next == Some(b'/') => only(b"/:"),
        _ => false,
    }
}

fn is_joint(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.' | b'@' | b'#' | b'$' | b'%' | b'+' | b'~' | b'\\')
}

/// Letters, digits and joints: its words stay, and what has digits in it does not.
fn piece<'m, S: Sink<'m>>(text: &'m [u8], sink: &mut S) {
    if text.is_empty() {
        return;
    }
    if !text.iter().any(u8::is_ascii_digit) {
        return sink.literal(text);
    }
    if let Some(kind) = number(text) {
        return sink.variable(kind, text);
    }
    if is_hex_id(text) {
        return sink.variable(if text.contains(&b'-') { SlotKind::Id } else { SlotKind::Hex }, text);
    }
    if is_host(text) && memchr::memchr_iter(b'.', text).count() >= 2 {
        return sink.variable(SlotKind::Host, text);
    }
    let mut at = 0;
    while at < text.len() {
        // A sign belongs to the number after it.
        let signed = text[at] == b'-'
            && at > 0
            && is_joint(text[at - 1])
            && text.get(at + 1).is_some_and(u8::is_ascii_digit);
        if is_joint(text[at]) && !signed {
            sink.literal(&text[at..=at]);
            at += 1;
        } else {
            at = joined(text, at, signed, sink);
        }
    }
}

/// Passes on the word that begins here and, if it contains digits, everything joined to it that also does.
/// Returns its end.
fn joined<'m, S: Sink<'m>>(text: &'m [u8], at: usize, signed: bool, sink: &mut S) -> usize {
    let word_end =
        |from: usize| text[from..].iter().position(|&byte| is_joint(byte)).map_or(text.len(), |n| from + n);
    let end = word_end(at + 1);
    let word = &text[at..end];
    let letters = if signed { 0 } else { word.iter().take_while(|byte| !byte.is_ascii_digit()).count() };
    if letters == word.len() {
        sink.literal(word);
        return end;
    }
    let mut last = end;
    while let Some(begin) = text[last..].iter().position(|&byte| !is_joint(byte)).map(|n| last + n) {
        let stop = word_end(begin);
        if !text[begin..stop].iter().any(u8::is_ascii_digit) {
            break;
        }
        last = stop;
    }
    let plain = word[letters + usize::from(signed)..].iter().all(u8::is_ascii_digit);
    let from = if plain { at + letters } else { at };
    let kind = if plain && last == end { SlotKind::Number } else { SlotKind::Id };
    if from > at {
        sink.literal(&text[at..from]);
    }
    sink.variable(kind, &text[from..last]);
    last
}

/// Hexadecimal digits, too many to be a word; perhaps in five groups, as UUIDs are.
fn is_hex_id(text: &[u8]) -> bool {
    let hex = text.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
    let dashes = memchr::memchr_iter(b'-', text).count();
    hex + dashes == text.len() && hex >= 7 && (dashes == 0 || dashes == 4)
}

const DAYS: [&[u8]; 7] = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];
const MONTHS: [&[u8]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];

/// `Fri Jun 17 07:07:00 2005`, `Jun 17 07:07:00`, `Jun 17`.
pub(super) fn spelled_date(text: &[u8]) -> Option<usize> {
    let named = |at: usize, names: &[&[u8]]| text.get(at..at + 3).is_some_and(|name| names.contains(&name));
    let gap = |at: usize| text[at..].iter().take_while(|byte| **byte == b' ').count();
    let mut at = 0;
    if named(0, &DAYS) {
        at = 3 + gap(3);
    }
    if at == 3 || !named(at, &MONTHS) {
        return None;
    }
    at += 3;
    let space = gap(at);
    let day = digits(&text[at + space..]);
    if space == 0 || !(1..=2).contains(&day) {
        return None;
    }
    at += space + day;
    let space = gap(at);
    let time =
        text[at + space..].iter().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'));
    let time = time.count();
    if space > 0 && text[at + space..at + space + time].contains(&b':') {
        at += space + time;
        let space = gap(at);
        if space > 0 && digits(&text[at + space..]) == 4 {
            at += space + 4;
        }
    }
    (class(text.get(at)) & ATOM == 0).then_some(at)
}

/// The length of a number with thousands separators: `12,853`.
fn thousands(line: &[u8], at: usize, mut end: usize) -> usize {
    if end - at > 3 {
        return end;
    }
    while line.get(end) == Some(&b',')
        && digits(&line[end + 1..]) == 3
        && class(line.get(end + 4)) & ATOM == 0
    {
        end += 4;
    }
    end
}

/// A number followed by a space and its unit: `12 KB`, `3.5 seconds`.
fn measure(line: &[u8], at: usize, end: usize) -> Option<(SlotKind, usize)> {
    let is_number =
        |text: &[u8]| text.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
    if line.get(end) != Some(&b' ') || at == end || !is_number(&line[at..end]) {
        return None;
    }
    let length = line[end + 1..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let next = end + 1 + length;
    let kind = unit_word(&line[end + 1..next])?;
    let ends =
        line.get(next).is_none_or(|byte| CLASSES[*byte as usize] & ATOM == 0 || matches!(byte, b'.' | b':'));
    ends.then_some((kind, next))
}

/// `4231 bytes (4.13 KB)` says one thing twice.
fn said_again(line: &[u8], end: usize) -> usize {
    if line.get(end..end + 2) != Some(b" (") {
        return end;
    }
    let from = end + 2;
    let stop =
        line[from..].iter().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')).count();
    match measure(line, from, from + stop) {
        Some((_, stop)) if line.get(stop) == Some(&b')') => stop + 1,
        _ => end,
    }
}
