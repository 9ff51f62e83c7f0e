//! Fields that servers are configured to append to the combined format: how long the request took, for whom a
//! proxy asked, which upstream answered. There is no standard for them, so each value is recognised by how it
//! is written.

use memchr::memchr;

use super::closing_quote;
use crate::endpoint::is_address;
use crate::named_columns::{NamedColumns, Number, number};
use crate::rows::{ColumnKind, Rows};

#[derive(Default)]
pub(super) struct Extra {
    named: NamedColumns,
}

/// Names that hold the seconds a request took, in `rt=0.004`.
const DURATIONS: [&[u8]; 4] = [b"rt", b"request_time", b"duration", b"req_time"];

impl Extra {
    pub(super) fn read(&mut self, event: &[u8], mut at: usize, rows: &mut Rows) {
        self.named.begin();
        let mut fractions = 0;
        while at < event.len() {
            if event[at] == b' ' {
                at += 1;
                continue;
            }
            if event[at] == b'"' {
                let Some(end) = closing_quote(event, at + 1) else { return };
                self.quoted(event, at + 1, end, rows);
                at = end + 1;
                continue;
            }
            let mut end = at + memchr(b' ', &event[at..]).unwrap_or(event.len() - at);
            if let Some(equals) = memchr(b'=', &event[at..end]) {
                let name = at..at + equals;
                let (from, to) = match event.get(name.end + 1) {
                    Some(b'"') => {
                        let Some(close) = closing_quote(event, name.end + 2) else { return };
                        end = close + 1;
                        (name.end + 2, close)
                    }
                    _ => (name.end + 1, end),
                };
                self.pair(&event[name], event, from, to, rows);
            } else {
                fractions += usize::from(self.bare(event, at, end, fractions, rows));
            }
            at = end;
        }
    }

    /// Addresses that a proxy passed on, or, with Traefik, the router and the server's address.
    fn quoted(&mut self, event: &[u8], from: usize, to: usize, rows: &mut Rows) {
        let text = &event[from..to];
        let first = text.split(|byte| matches!(byte, b',' | b' ')).next().unwrap_or_default();
        let name: &[u8] = match text {
            b"" | b"-" => return,
            _ if is_address(first) => b"forwarded_for",
            _ if text.starts_with(b"http://") || text.starts_with(b"https://") => b"upstream",
            _ if text.contains(&b'@') => b"router",
            _ => return,
        };
        self.named.text(name, from, to, rows);
    }

    fn pair(&mut self, name: &[u8], event: &[u8], from: usize, to: usize, rows: &mut Rows) {
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let value = &event[from..to];
        if matches!(value, b"" | b"-") || name.is_empty() || !name.iter().all(is_name) {
            return;
        }
        match seconds(value) {
            Some(seconds) if DURATIONS.contains(&name) => {
                self.milliseconds(b"duration_ms", seconds * 1e3, rows);
            }
            _ => self.named.value(name, event, from, to, rows),
        }
    }

    /// A bare word. Returns whether it was seconds with a fraction; the second such value is the upstream's.
    fn bare(&mut self, event: &[u8], from: usize, to: usize, fractions: usize, rows: &mut Rows) -> bool {
        let word = &event[from..to];
        if let Some(milliseconds) = word.strip_suffix(b"ms").and_then(seconds) {
            self.milliseconds(b"duration_ms", milliseconds, rows);
        } else if let Some(Number::Float(seconds)) = number(word) {
            let name: &[u8] = if fractions == 0 { b"duration_ms" } else { b"upstream_ms" };
            self.milliseconds(name, seconds * 1e3, rows);
            return true;
        } else if let Some(Number::Int(taken)) = number(word) {
            // Micro-, milli- or whole seconds: only the server's configuration says which. If more values
            // follow, it is not a duration but Traefik's request count.
            if to == event.len()
                && let Some(column) = self.named.column(b"time_taken", ColumnKind::Int, rows)
            {
                rows.int(column, taken);
            }
        } else if word.contains(&b':') && word.starts_with(b"TCP_") {
            self.named.text(b"cache_result", from, to, rows);
        }
        false
    }

    fn milliseconds(&mut self, name: &[u8], value: f64, rows: &mut Rows) {
        if let Some(column) = self.named.column(name, ColumnKind::Float, rows) {
            // Seconds are written to the millisecond or microsecond; the digits that binary fractions add are
            // rounded off.
            rows.float(column, (value * 1e6).round() / 1e6);
        }
    }
}

fn seconds(text: &[u8]) -> Option<f64> {
    match number(text)? {
        Number::Int(value) => Some(value as f64),
        Number::Float(value) => Some(value),
    }
}
