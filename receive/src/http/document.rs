//! What is accepted as a document, as an id and as the name of an index, and what becomes of them.

use serde::de::IgnoredAny;
use sha2::{Digest, Sha256};

use super::limits::{DOCUMENT_BYTES, ID_BYTES, INDEX_NAME_BYTES};
use crate::Record;

/// The names of sources of documents begin so, and the index follows.
pub const PREFIX: &str = "http/";

/// Why a document is turned away: its type in Elasticsearch's words, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: &'static str,
    pub reason: String,
    /// For the counters.
    pub counted: &'static str,
}

impl Fault {
    pub fn argument(reason: impl Into<String>) -> Fault {
        Fault { kind: "illegal_argument_exception", reason: reason.into(), counted: "unsupported" }
    }

    pub fn parsing(reason: impl Into<String>) -> Fault {
        Fault { kind: "document_parsing_exception", reason: reason.into(), counted: "not JSON" }
    }

    pub fn too_long() -> Fault {
        Fault {
            kind: "illegal_argument_exception",
            reason: format!("the document is longer than {DOCUMENT_BYTES} bytes; send it in parts"),
            counted: "too long",
        }
    }
}

/// Checks that the bytes are one JSON object, without building it.
pub fn check(document: &[u8]) -> Result<(), Fault> {
    if document.len() > DOCUMENT_BYTES {
        return Err(Fault::too_long());
    }
    if std::str::from_utf8(document).is_err() {
        return Err(Fault::parsing("failed to parse: the document is not valid UTF-8"));
    }
    if document.trim_ascii_start().first() != Some(&b'{') {
        return Err(Fault::parsing("failed to parse: a document is a JSON object"));
    }
    match serde_json::from_slice::<IgnoredAny>(document) {
        Ok(_) => Ok(()),
        Err(error) => Err(Fault::parsing(format!("failed to parse: {error}"))),
    }
}

/// A document that was checked, as one line. Line ends in it are white space between its parts.
pub fn record(document: &[u8], id: Option<&str>) -> Record {
    let mut bytes = document.trim_ascii().to_vec();
    if memchr::memchr2(b'\n', b'\r', &bytes).is_some() {
        bytes.iter_mut().filter(|byte| matches!(**byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
    Record { bytes, id: id.map(hash) }
}

/// 128 bits that differ where ids do.
fn hash(id: &str) -> u128 {
    let hashed = Sha256::digest(id.as_bytes());
    hashed.iter().take(16).fold(0, |number, &byte| number << 8 | u128::from(byte))
}

pub fn check_id(id: &str) -> Result<(), Fault> {
    if id.is_empty() {
        return Err(Fault::argument("if _id is specified it must not be empty"));
    }
    if id.len() > ID_BYTES {
        return Err(Fault::argument(format!(
            "id is too long, must be no longer than {ID_BYTES} bytes but was: {}",
            id.len()
        )));
    }
    Ok(())
}

/// The rules for names of indices are those of Elasticsearch, so that what is accepted here is accepted there.
pub fn check_index(name: &str) -> Result<(), Fault> {
    let why = if name.is_empty() {
        "must not be empty"
    } else if name.len() > INDEX_NAME_BYTES {
        "is too long"
    } else if name.chars().any(char::is_uppercase) {
        "must be lowercase"
    } else if name == "." || name == ".." {
        "must not be '.' or '..'"
    } else if name.starts_with(['_', '-', '+']) {
        "must not start with '_', '-', or '+'"
    } else if name.contains(|c: char| c.is_control() || " \"*\\<|,>/?#:".contains(c)) {
        "must not contain spaces, control characters or any of \" * \\ < | , > / ? # :"
    } else {
        return Ok(());
    };
    let shown = &name[..name.floor_char_boundary(INDEX_NAME_BYTES)];
    Err(Fault {
        kind: "invalid_index_name_exception",
        reason: format!("Invalid index name [{}], {why}", shown.escape_default()),
        counted: "invalid index name",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_are_documents() {
        for good in ["{}", r#"  {"a":[1,{"b":"\u00e9 é"}]} "#, "{\n\"a\": 1\n}"] {
            assert_eq!(check(good.as_bytes()), Ok(()), "{good}");
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(check(deep.as_bytes()), Ok(()));
        for bad in ["", " ", "1", "[]", "{", "{}x", "{'a':1}", "{\"a\":1,}", "{\"a\":\"\u{1}\"}", "{\"a\" 1}"]
        {
            assert!(check(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(check(b"{\"a\":\"\xff\"}").is_err());
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(DOCUMENT_BYTES));
        assert_eq!(check(long.as_bytes()), Err(Fault::too_long()));
    }

    #[test]
    fn documents_become_one_line() {
        let record = record(b" {\n  \"a\": \"b\\nc\"\r\n}\n", Some("x"));
        assert_eq!(record.bytes, b"{   \"a\": \"b\\nc\"  }");
        assert_eq!(record.id, super::record(b"{}", Some("x")).id);
        assert_ne!(record.id, super::record(b"{}", Some("y")).id);
    }

    #[test]
    fn index_names_follow_the_rules() {
        for good in ["logs", ".internal", "logs-2026.11.23", "a_b+c", "logs-größe"] {
            assert_eq!(check_index(good), Ok(()), "{good}");
        }
        let long = "x".repeat(256);
        for bad in
            ["", "Logs", "_all", "-x", "+x", ".", "..", "a b", "a/b", "a*", "a,b", "a\nb", "<a>", &long]
        {
            assert!(check_index(bad).is_err(), "{bad}");
        }
    }
}
