//! Logstash: the same patterns and times in its own language.

use std::fmt::Write;

use super::learn::LinePattern;
use super::pipeline::{GrokNames, grok, level_words};
use super::{Learned, LineReading};

/// What is after the patterns of every source.
const END: &str = "  mutate { remove_field => [\"tl\"] }\n}\n";

pub fn configuration(learned: &Learned, index: &str) -> String {
    let comment = |text: &str| text.replace(['\n', '\r'], " ");
    let mut text = format!(
        "# Reads the lines of {} as Timberline does. {}\n# Made by `timberline configs`. This file was not run; \
         `logstash -t -f logstash.conf` checks it. Set the address of the cluster, and of certificates and credentials.\n",
        comment(&learned.source),
        comment(&learned.sentence())
    );
    let _ = write!(
        text,
        "input {{\n  file {{ path => {} start_position => \"beginning\" }}\n}}\n\nfilter {{\n",
        quoted(&learned.absolute_path())
    );
    let zone = quoted(&learned.zone);
    let formats: Vec<String> =
        learned.time_shapes().iter().flat_map(|shape| shape.joda).map(|format| quoted(format)).collect();
    let (time, level) = match &learned.reading {
        LineReading::Json(found) => {
            text.push_str("  json { source => \"message\" target => \"tl_json\" }\n");
            text.push_str("  if \"_jsonparsefailure\" not in [tags] {\n    ruby { code => 'event.remove(\"tl_json\").each { |name, value| event.set(name, value) }' }\n  }\n");
            (found.time.as_ref().map(|(name, _)| reference(name)), found.level.as_deref().map(reference))
        }
        LineReading::Lines(lines) => {
            text.push_str(&patterns(learned, "message", &lines.patterns, "[\"unparsed\"]"));
            if !lines.of_message.is_empty() {
                text.push_str(&patterns(learned, "message", &lines.of_message, "[]"));
            }
            (Some("[tl][time]".to_owned()), Some("[tl][level]".to_owned()))
        }
    };
    if let Some(time) = time.filter(|_| !formats.is_empty()) {
        let _ = writeln!(
            text,
            "  if {time} {{\n    date {{ match => [\"{time}\", {}] timezone => {zone} remove_field => [\"{time}\"] }}\n  }}",
            formats.join(", ")
        );
    }
    if let Some(level) = level {
        let words: Vec<String> =
            level_words().iter().map(|(word, name)| format!("\"{word}\" => \"{name}\"")).collect();
        let _ = writeln!(
            text,
            "  if {level} {{\n    mutate {{ lowercase => [\"{level}\"] }}\n    translate {{\n      source => \"{level}\"\n      \
             target => \"[log][level]\"\n      dictionary => {{ {} }}\n    }}\n    mutate {{ remove_field => [\"{level}\"] }}\n  }}",
            words.join(" ")
        );
    }
    for (number, (hundred, level)) in learned.levels_by_status.iter().enumerate() {
        let word = if number == 0 { "  if" } else { " else if" };
        let (from, to) = (hundred * 100, hundred * 100 + 100);
        let _ = write!(
            text,
            "{word} [status] >= {from} and [status] < {to} {{\n    mutate {{ add_field => {{ \"[log][level]\" => \"{level}\" }} }}\n  }}"
        );
    }
    if !learned.levels_by_status.is_empty() {
        text.push('\n');
    }
    text.push_str(END);
    let _ = write!(
        text,
        "\noutput {{\n  elasticsearch {{ hosts => [\"http://127.0.0.1:9200\"] index => {} action => \"create\" pipeline => \"_none\" }}\n}}\n",
        quoted(index)
    );
    text
}

/// Patterns of a field, with the tags of what they do not read.
fn patterns(learned: &Learned, of: &str, patterns: &[LinePattern], tags: &str) -> String {
    // Logstash knows int and float alone; whole numbers are as long as they are.
    let names =
        GrokNames { time: "[tl][time]", level: "[tl][level]", whole: ":int", decimal: ":float", bool: "" };
    let (patterns, definitions) = grok(learned, patterns, &names, reference);
    let mut text = "  grok {\n    pattern_definitions => {\n".to_owned();
    for (name, expression) in &definitions {
        let expression = quoted(expression.as_str().unwrap_or_default());
        let _ = writeln!(text, "      {} => {expression}", quoted(name));
    }
    let patterns: Vec<String> = patterns.iter().map(|pattern| format!("      {}", quoted(pattern))).collect();
    let _ = write!(
        text,
        "    }}\n    match => {{ \"{of}\" => [\n{}\n    ] }}\n    overwrite => [\"message\"]\n    \
         tag_on_failure => {tags}\n  }}\n",
        patterns.join(",\n")
    );
    text
}

/// A field as Logstash refers to it.
fn reference(name: &str) -> String {
    format!("[{}]", name.replace('.', "]["))
}

/// A text in Logstash's single quotes, in which backslashes stay as they are. A quote is written as an expression.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"\x27").replace(['\n', '\r'], " "))
}
