//! The heading lines of a source that describe its events: `#Fields:` of a web server, the first line of a
//! table. A chunk includes those before it, so that it is read the same wherever it was cut.

use std::sync::Arc;

/// Between heading lines; a line may itself contain line ends, if its values are quoted.
const SEPARATOR: u8 = 0x1E;

/// Resets the headings of a table: the lines before it used another separator.
pub(crate) const FIRST: &[u8] = b"#separator";

/// The heading lines in effect, one of each kind: a later line replaces the earlier one.
#[derive(Default)]
pub(crate) struct Heading {
    lines: Vec<Vec<u8>>,
    joined: Arc<[u8]>,
}

impl Heading {
    pub(crate) fn add(&mut self, line: &[u8]) {
        if kind(line) == FIRST {
            self.lines.clear();
        }
        // The latest line is last, as in the source.
        self.lines.retain(|earlier| kind(earlier) != kind(line));
        self.lines.push(line.to_vec());
        self.joined = self.lines.join(&SEPARATOR).into();
    }

    pub(crate) fn lines(&self) -> Arc<[u8]> {
        Arc::clone(&self.joined)
    }
}

/// Whether a line survives joining and splitting. A line with a separator in it cannot be a heading.
pub(crate) fn is_kept(line: &[u8]) -> bool {
    !line.contains(&SEPARATOR)
}

/// The lines that were joined for a chunk.
pub(crate) fn split(joined: &[u8]) -> impl Iterator<Item = &[u8]> {
    joined.split(|&byte| byte == SEPARATOR).filter(|line| !line.is_empty())
}

/// The kind of a line: `#Fields`, `#separator`, whatever follows; otherwise the text before the first colon,
/// space or tab.
pub(crate) fn kind(line: &[u8]) -> &[u8] {
    let is_end = |byte: &u8| matches!(byte, b':' | b' ' | b'\t');
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b'_' | b'-');
    let end = match line.first() {
        Some(b'#') => line.iter().position(|byte| !is_word(byte)),
        _ => line.iter().position(is_end),
    };
    &line[..end.unwrap_or(line.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_line_of_a_kind_replaces_the_earlier() {
        let mut heading = Heading::default();
        assert_eq!(split(&heading.lines()).count(), 0);
        for line in [&b"#Software: x"[..], b"#Fields: a b", b"#Fields: a c"] {
            heading.add(line);
        }
        let lines = heading.lines();
        let lines: Vec<_> = split(&lines).collect();
        assert_eq!(lines, [&b"#Software: x"[..], b"#Fields: a c"]);
        assert!(!is_kept(b"#Fields: a\x1eb"));
        for line in [&b"#separator |"[..], b"#fields|a|b", b"#types|int|int", b"#fields|c"] {
            heading.add(line);
        }
        let lines = heading.lines();
        let lines: Vec<_> = split(&lines).collect();
        assert_eq!(lines, [&b"#separator |"[..], b"#types|int|int", b"#fields|c"]);
    }
}
