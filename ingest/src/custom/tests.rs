//! What definitions make of lines, and that patterns freed of backtracking match what they did before.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;

use super::engine::Scratch;
use super::grok::{Patterns, library_names, original};
use super::matcher::Matcher;
use super::samples::value;
use super::syntax::Dialect;
use super::{Definition, read};

fn grok(pattern: &str) -> Matcher {
    let text = Patterns::default().write_out(pattern).unwrap();
    Matcher::new(&text, Dialect::Grok).unwrap_or_else(|error| panic!("{pattern}: {error}"))
}

fn define(text: &str) -> Arc<Definition> {
    let mut definitions = read(text, "test").unwrap_or_else(|faults| {
        let faults: Vec<String> = faults.iter().map(|fault| format!("{}: {}", fault.key, fault.message)).collect();
        panic!("{}", faults.join("; "))
    });
    Arc::new(definitions.remove(0))
}

/// What a definition makes of a line: time, level and the columns in order.
fn render(definition: &Arc<Definition>, line: &str) -> String {
    let batch = definition.parse_event(line);
    if let Some((_, reason)) = batch.unparsed_examples.first() {
        return format!("unparsed: {reason}");
    }
    let mut out = vec![
        value(&batch, "time").unwrap_or("-".to_string()),
        value(&batch, "level").unwrap_or("-".to_string()),
    ];
    for column in &batch.columns {
        if let Some(text) = value(&batch, &column.name) {
            out.push(format!("{}={text}", column.name));
        }
    }
    out.join(" ")
}

/// The fields of a Grok pattern in a line.
fn fields(pattern: &str, line: &str) -> String {
    let definition = define(&format!("name = 'test'\ngrok = '''{pattern}'''"));
    let batch = definition.parse_event(line);
    if let Some((_, reason)) = batch.unparsed_examples.first() {
        return format!("unparsed: {reason}");
    }
    let columns = batch.columns.iter();
    let texts = columns.filter_map(|column| Some(format!("{}={}", column.name, value(&batch, &column.name)?)));
    texts.collect::<Vec<_>>().join(" ")
}

const RELAY: &str = r#"
name = "relay"
grok = "%{MONTH:month} %{NUMBER:date} %{TIME:time} %{URIHOST:sender} %{WORD:grokanchor} %{NUMBER:mstatus} %{WORD:salt}"
time = { from = ["month", "date", "time"], format = "MMM dd HH:mm:ss" }
fields.mstatus.type = "int"
tags = [
  { tag = "s90", if = "mstatus > 90" }, { tag = "s80", if = "mstatus > 80" }, { tag = "s70", if = "mstatus > 70" },
  { tag = "s60", if = "mstatus > 60" }, { tag = "s50", if = "mstatus > 50" },
]
"#;

#[test]
fn the_relay_pipeline() {
    let relay = define(RELAY);
    assert_eq!(
        render(&relay, "Nov 21 03:04:05 host.example.com anchor 87 salt"),
        "1680-11-21T03:04:05Z - month=Nov date=21 sender=host.example.com grokanchor=anchor mstatus=87 salt=salt \
         tags=s80,s70,s60,s50"
    );
    assert_eq!(
        render(&relay, "Nov 21 03:04:05 10.1.2.3:514 anchor 12 a_b"),
        "1680-11-21T03:04:05Z - month=Nov date=21 sender=10.1.2.3:514 port=514 grokanchor=anchor mstatus=12 salt=a_b"
    );
    assert_eq!(
        render(&relay, "Nov 21 03:04:05 host anchor x salt"),
        "unparsed: the line does not fit the format's pattern"
    );
    assert_eq!(
        render(&relay, "pre Nov 21 03:04:05 höst.example.com anchor 95 sält more").split(" month").next(),
        Some("unparsed: the line does not fit the format's pattern")
    );
    assert!(render(&relay, "pre Nov 21 03:04:05 h.example.com anchor 95 sält more").contains("salt=sält"));
}


/// The patterns of the library that need backtracking; every other runs on automata.
const BACKTRACKING: [&str; 0] = [];

#[test]
fn every_pattern_of_the_library_compiles_and_few_backtrack() {
    let needs = library_names().filter(|name| grok(&format!("%{{{name}}}")).is_backtracking());
    assert_eq!(needs.collect::<Vec<_>>(), BACKTRACKING);
}

/// The same pattern as an automaton with and without its quick way, and as it was written.
fn agree(pattern: &str, written: &str, line: &str) -> Result<(), TestCaseError> {
    let spans = |matcher: &Matcher| {
        let mut spans = vec![None; matcher.spans()];
        let found = matcher.find(line.as_bytes(), &mut Scratch::default(), &mut spans);
        let named = spans.iter().take(matcher.groups.len()).zip(&matcher.groups);
        found.map(|()| named.map(|(span, name)| (name.clone(), *span)).collect::<Vec<_>>())
    };
    let quick = grok(pattern);
    prop_assert!(!quick.is_backtracking(), "{}", pattern);
    let written = Matcher::as_written(written, Dialect::Grok).unwrap();
    let expected = spans(&written);
    prop_assert_eq!(spans(&quick), expected.clone(), "the quick way of {} in {:?}", pattern, line);
    prop_assert_eq!(spans(&quick.without_plan()), expected, "{} in {:?}", pattern, line);
    Ok(())
}
