//! The kind of source that a message comes from. Only messages of one kind are compared with each other.
//!
//! A folder of logs holds what many programs wrote. Sentences of different programs that happen to have as many
//! words as each other are no template, so shapes are mined per kind: the format of a source, and the name of its
//! file without what differs between rotated files, instances and days. In what is stored, the kind precedes the
//! shape; so a shape of another kind has another hash, and everything that uses hashes keeps kinds separate.

/// Ends the kind in a stored shape.
const KIND_END: char = '\u{1e}';

/// Words of file names that say how a file was rotated or packed, not what wrote it.
const ROTATED: [&str; 9] = ["bak", "bz", "gz", "log", "old", "txt", "xz", "zip", "zst"];

/// The kind of a source, from its format and the path of its file.
#[must_use]
pub fn source_kind(format: &str, path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let mut kind = format.to_owned();
    for word in file.split(|letter: char| !letter.is_alphanumeric()) {
        let word = word.trim_end_matches(|letter: char| letter.is_numeric()).to_lowercase();
        if !word.is_empty() && !word.contains(char::is_numeric) && !ROTATED.contains(&word.as_str()) {
            kind.push(' ');
            kind.push_str(&word);
        }
    }
    kind
}

/// A shape as it is stored: with its kind, unless it has none, as in cases of former versions.
#[must_use]
pub fn with_kind(kind: &str, shape: &str) -> String {
    if kind.is_empty() && !shape.contains(KIND_END) {
        return shape.to_owned();
    }
    format!("{kind}{KIND_END}{shape}")
}

/// The kind and the shape of what is stored.
#[must_use]
pub fn split_kind(stored: &str) -> (&str, &str) {
    stored.split_once(KIND_END).unwrap_or(("", stored))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_program_are_of_one_kind() {
        for path in ["web/access.log", "access.log.2.gz", "access-2026-03-01.log", "ACCESS7.log.old"] {
            assert_eq!(source_kind("combined", path), "combined access", "{path}");
        }
        assert_eq!(source_kind("json", "pods/api-6d4cf56db6-x7k2p.log"), "json api");
        assert_eq!(source_kind("text", "2026-03-01.txt"), "text");
        assert_ne!(source_kind("text", "access.log"), source_kind("combined", "access.log"));
    }

    #[test]
    fn a_stored_shape_is_split_as_it_was_joined() {
        for (kind, shape) in
            [("json api", "a <num>"), ("", "a <num>"), ("", "a\u{1e}b"), ("text", "a\u{1e}b")]
        {
            assert_eq!(split_kind(&with_kind(kind, shape)), (kind, shape));
        }
        assert_eq!(with_kind("", "a <num>"), "a <num>");
    }
}
