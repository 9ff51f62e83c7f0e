//! Mining: the distinct shapes of many messages.

use std::collections::HashMap;

use super::heading::without_heading;
use super::shape::{Shape, Sink, SlotKind, scan};
use super::source_kind::with_kind;
use base::hash::Fast;

/// The code of a row without a message.
pub const NO_SHAPE: u32 = u32::MAX;

/// Encodes messages by their kind of source and their shape. Codes are assigned in order of first occurrence.
#[derive(Debug, Default)]
pub struct Miner {
    /// By kind of source.
    codes: Vec<HashMap<Vec<u8>, u32, Fast>>,
    kind: usize,
    count: u32,
    shape: Shape,
}

impl Miner {
    /// Sets the kind of source that the next messages are of, by its index.
    pub fn set_kind(&mut self, kind: usize) {
        self.kind = kind;
    }

    /// The code of a message's shape.
    pub fn message(&mut self, message: &[u8]) -> u32 {
        self.shape.mine(message);
        self.code()
    }

    /// The same for an event whose format does not delimit the message.
    pub fn event(&mut self, text: &[u8]) -> u32 {
        self.message(without_heading(text))
    }

    /// The same for a request: its method, and each step of its path as a word of its own.
    pub fn request(&mut self, method: &[u8], path: &[u8]) -> u32 {
        self.shape.clear();
        scan_request(method, path, &mut self.shape);
        self.shape.finish();
        self.code()
    }

    fn code(&mut self) -> u32 {
        let text = self.shape.finish();
        if text.is_empty() {
            return NO_SHAPE;
        }
        if self.codes.len() <= self.kind {
            self.codes.resize_with(self.kind + 1, HashMap::default);
        }
        let codes = &mut self.codes[self.kind];
        if let Some(&code) = codes.get(text) {
            return code;
        }
        let code = self.count;
        codes.insert(text.to_vec(), code);
        self.count += 1;
        code
    }

    /// The shapes with their kinds, as they are stored, in the order of their codes.
    #[must_use]
    pub fn finish(self, kinds: &[String]) -> Vec<String> {
        let mut shapes = vec![String::new(); self.count as usize];
        for (kind, codes) in self.codes.into_iter().enumerate() {
            let kind = kinds.get(kind).map_or("", String::as_str);
            for (text, code) in codes {
                shapes[code as usize] = with_kind(kind, &String::from_utf8_lossy(&text));
            }
        }
        shapes
    }
}

/// Passes the parts of a request to the sink. Its query varies as a whole.
pub fn scan_request<'m, S: Sink<'m>>(method: &'m [u8], path: &'m [u8], sink: &mut S) {
    scan(method, sink);
    let place = memchr::memchr2(b'?', b'#', path).unwrap_or(path.len());
    let (path, query) = path.split_at(place);
    for (index, step) in path.split(|&byte| byte == b'/').enumerate() {
        match index {
            0 if step.is_empty() => continue,
            0 | 1 => sink.gap(),
            _ => sink.joint(),
        }
        if index > 0 {
            sink.literal(b"/");
        }
        scan(step, &mut InOneWord(sink));
    }
    if !query.is_empty() {
        sink.literal(&query[..1]);
        if query.len() > 1 {
            sink.variable(SlotKind::Quoted, &query[1..]);
        }
    }
}

/// Keeps what has white space in it in one word, so that a path has as many words as steps.
struct InOneWord<'s, S>(&'s mut S);

impl<'m, S: Sink<'m>> Sink<'m> for InOneWord<'_, S> {
    fn literal(&mut self, text: &'m [u8]) {
        self.0.literal(text);
    }

    fn variable(&mut self, kind: SlotKind, text: &'m [u8]) {
        self.0.variable(kind, text);
    }

    fn gap(&mut self) {
        self.0.literal(b"_");
    }

    fn joint(&mut self) {}

    fn rest(&mut self, text: &'m [u8]) {
        self.0.variable(SlotKind::Quoted, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_shapes_share_a_code() {
        let mut miner = Miner::default();
        assert_eq!(miner.message(b"worker 1 started"), 0);
        assert_eq!(miner.message(b"worker stopped"), 1);
        assert_eq!(miner.message(b"worker 22 started"), 0);
        assert_eq!(miner.event(b"2026-03-01 14:05:00 worker 3 started"), 0);
        assert_eq!(miner.message(b" \n"), NO_SHAPE);
        assert_eq!(miner.request(b"GET", b"/users/17/orders?page=2"), 2);
        assert_eq!(miner.request(b"GET", b"/users/18/orders?page=3&size=5"), 2);
        assert_eq!(miner.message(b"bad \xff"), 3);
        let expected = [
            "worker <num> started",
            "worker stopped",
            "GET /users\u{1f}/<num>\u{1f}/orders?<text>",
            "bad \u{fffd}",
        ];
        assert_eq!(miner.finish(&[]), expected);
    }
}
