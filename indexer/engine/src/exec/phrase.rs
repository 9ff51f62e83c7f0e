//! Phrases inside the text that many messages share. If the message shape contains the words next to each
//! other, so does the event, and its raw text is not read. Other events are left undecided.

use ingest::NO_INT;

use super::bitmap::Bitmap;
use super::codes::Codes;
use super::matcher::Matcher;
use super::select::SegmentQuery;
use base::FieldKind;
use base::error::Result;
use patterns::{JOINT, mark_length};
use store::{MESSAGES, Segment, SegmentField, StoredColumn, Values};

/// Placeholder for the variable parts of a shape and for unknown text before or after a message. It is a
/// token character that no query contains, so a word next to it never counts as a whole token.
const UNKNOWN: char = '\u{10fffd}';

/// Formats that put strings in quotation marks, so that the first and the last word of a value are whole
/// tokens.
const QUOTED: [&str; 1] = ["json"];

/// Where the messages of a segment are stored.
enum MessageLocation<'a> {
    /// In the text of each event, after its header.
    Text,
    /// In this field, which stores the byte ranges of its values in the events.
    Field(&'a SegmentField),
}

/// The rows among the candidates that certainly contain these words next to each other.
pub fn rows_with_phrase(query: &SegmentQuery<'_>, words: &[String], among: &Bitmap) -> Result<Bitmap> {
    let none = Bitmap::none(among.rows());
    let segment = query.segment;
    let Some(location) =
        message_location(segment).filter(|_| !words.iter().any(|word| word.contains(UNKNOWN)))
    else {
        return Ok(none);
    };
    let Some(mined) = (query.shapes)()? else { return Ok(none) };
    let is_quoted = segment.meta.sources.iter().all(|entry| {
        let source = query.sources.get(entry.source as usize);
        // A user-defined format may have the name of a built-in one and yet read anything.
        source.is_some_and(|source| QUOTED.contains(&source.format.as_str()) && !source.reading.is_defined())
    });
    let (before, after) = match location {
        MessageLocation::Text => (true, false),
        MessageLocation::Field(_) => (!is_quoted, !is_quoted),
    };
    let matcher = Matcher::Tokens(words.to_vec());
    let passes = |shape: &str| matcher.is_in(known_text(shape, before, after).as_bytes());
    let passing: Vec<bool> = mined.texts().map(passes).collect();
    if !passing.contains(&true) {
        return Ok(none);
    }
    let rows = among.with_code(&mined.codes, |code| passing.get(code as usize) == Some(&true));
    match location {
        MessageLocation::Text => Ok(rows),
        // A value that is spelled differently in the raw event, for example with escapes, may have other
        // words there.
        MessageLocation::Field(field) => rows_stored_verbatim(segment, &field.column, &rows),
    }
}

/// The location of the messages, if all messages have the same one.
fn message_location(segment: &Segment) -> Option<MessageLocation<'_>> {
    let fields = &segment.meta.fields;
    let is_message =
        |field: &&SegmentField| field.kind == FieldKind::Text && MESSAGES.contains(&field.name.as_str());
    let mut messages = fields.iter().filter(is_message);
    match (messages.next(), messages.next()) {
        (Some(field), None) => field.placed.then_some(MessageLocation::Field(field)),
        (None, _) => (!fields.iter().any(|field| field.name == "method")).then_some(MessageLocation::Text),
        _ => None,
    }
}

/// The rows of `among` whose value in a column of byte ranges occurs verbatim in the event.
pub fn rows_stored_verbatim(segment: &Segment, column: &str, among: &Bitmap) -> Result<Bitmap> {
    let column = segment.derived_column(&format!("#verbatim {column}"), || {
        let starts = segment.places(column)?.start;
        let code = |start: i64| if start == NO_INT { NO_INT } else { 0 };
        Ok(StoredColumn::from_values(Values::Int(starts.into_iter().map(code).collect())))
    })?;
    Ok(Codes::from_places([0]).rows_among(&column, among))
}

/// The known text of a shape, with [`UNKNOWN`] for everything else.
fn known_text(shape: &str, before: bool, after: bool) -> String {
    let mut text = String::with_capacity(shape.len() + 8);
    text.extend(before.then_some(UNKNOWN));
    let mut rest = shape;
    while let Some(character) = rest.chars().next() {
        if let Some(length) = mark_length(rest) {
            text.push(UNKNOWN);
            rest = &rest[length..];
            continue;
        }
        if character != JOINT {
            text.push(character);
        }
        rest = &rest[character.len_utf8()..];
    }
    text.extend(after.then_some(UNKNOWN));
    text
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::test_case::{ImportOptions, TestCase};
    use crate::{AnswerPath, View};
    use base::Cancel;
    use query::{Filter, parse};

    #[test]
    fn variable_parts_of_a_shape_match_no_word() {
        for (shape, expected) in [
            ("took <duration> and <num>", "took \u{10fffd} and \u{10fffd}"),
            ("user<num> left", "user\u{10fffd} left"),
            ("GET /a\u{1f}/b\u{1f}/<num>", "GET /a/b/\u{10fffd}"),
            ("1 < 2 <b>", "1 < 2 <b>"),
        ] {
            assert_eq!(known_text(shape, false, false), expected);
        }
    }

    /// Messages that contain the words, and messages that nearly do.
    const MESSAGES: [&str; 12] = [
        "request 7 failed because of connection reset by peer",
        "connection reset by peer 10.0.0.1 after 3 tries",
        "Connection  reset\\tby peer",
        "connection\\u0020reset by peer, connection by reset",
        "xconnection reset by peer and connection",
        "connection 12 reset by peer",
        "connection resetting by peer reset",
        "by peer connection reset",
        "a connection\\nreset by peer reset",
        "connection reset by peer9",
        "connection reset <num> by peer",
        "9 connection/reset-by.peer",
    ];

    fn lines(of: impl Fn(usize, &str) -> String) -> String {
        (0..MESSAGES.len() * 1_000).fold(String::new(), |mut log, index| {
            // Distinct texts are stored as byte ranges.
            let message = MESSAGES[index % MESSAGES.len()];
            let message = match index % 24 {
                0..12 => format!("{message} {index}"),
                _ => message.replacen(' ', &format!(" {index} "), 1),
            };
            let _ = writeln!(log, "{}", of(index, &message));
            log
        })
    }

    #[test]
    fn user_format_named_like_a_built_in_one_may_end_values_inside_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let defined = folder.path().join("json.toml");
        let definition = "name = \"json\"\nregex = '^(?<n>\\d+) x(?<message>.*)y (?<rest>.*)$'\n";
        std::fs::write(&defined, definition).expect("a definition");
        // A letter precedes and follows the value, so its first and last word are not whole tokens.
        let line = |n: usize| format!("{n} xconnection reset {n} by peery peer by connection\n");
        let file = folder.path().join("odd.log");
        std::fs::write(&file, (0..9_000).map(line).collect::<Vec<_>>().concat()).expect("a log");
        let case = TestCase::create(&folder.path().join("p.case")).expect("a case");
        let mut options = ImportOptions::default();
        options.ingest.definitions = crate::test_case::definitions(&defined).expect("a definition");
        options.ingest.format = Some("json".to_owned());
        case.import(&[file], &options, &|_| {}, &Cancel::default()).expect("an import");
        let snapshot = case.snapshot();
        let source = &snapshot.sources()[0];
        assert!(source.format == "json" && source.reading.is_defined());
        let placed = |field: &SegmentField| field.name == "message" && field.placed;
        assert!(snapshot.segments[0].meta.fields.iter().any(placed));
        let count = |query: &str| {
            let view = View::parse(query, None, None).expect("a query");
            case.count(&snapshot, &view, &Cancel::default()).expect("a count")
        };
        assert_eq!((count("\"by peer\""), count("\"connection reset\"")), (0, 0));
        assert_eq!((count("\"peer by\""), count("\"reset 7 by\"")), (9_000, 1));
    }

    #[test]
    fn phrase_matches_only_adjacent_words() {
        let json = lines(|index, message| format!("{{\"n\":{index},\"message\":\"{message}\"}}"));
        let plain = lines(|index, message| format!("2026-03-01 14:{:02}:05 INFO {message}", index % 60));
        let keyed = lines(|index, message| format!("n={index} msg=\"{message}\" level=info"));
        for (name, log) in [("a.ndjson", json), ("b.log", plain), ("c.log", keyed)] {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join(name);
            std::fs::write(&file, &log).expect("a log");
            let case = TestCase::create(&folder.path().join("p.case")).expect("a case");
            case.import(&[file], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
            let mut by_index = 0;
            for query in [
                "\"connection reset by peer\"",
                "\"reset by\"",
                "\"connection reset\"",
                "\"by peer\"",
                "\"tries by\"",
            ] {
                let Ok(Filter::Text(pattern)) = parse(query) else { panic!("{query} is no phrase") };
                let matcher = Matcher::new(&pattern);
                let expected = log.lines().filter(|line| matcher.is_in(line.as_bytes())).count();
                let view = View::parse(query, None, None).expect("a query");
                let explained = case.explain(&case.snapshot(), &view, &Cancel::default()).expect("an answer");
                assert_eq!(explained.matched, expected as u64, "{query} in {name}");
                assert_eq!(
                    case.count(&case.snapshot(), &view, &Cancel::default()).expect("a count"),
                    expected
                );
                let step = &explained.steps[0];
                by_index += u64::from(step.texts < expected as u64);
                assert!(step.paths.iter().all(|(path, _)| *path != AnswerPath::Scan), "{query} in {name}");
            }
            assert!(by_index > 0, "no phrase in {name} is found without reading all texts");
        }
    }
}
