//! The ingest pipeline, for Elasticsearch and OpenSearch alike.

use std::fmt::Write;

use indexer::FieldKind;
use indexer::query::levels::LEVELS;
use serde_json::{Map, Value, json};

use super::Learned;
use super::LineReading;
use super::learn::{ANY, DIGITS, LinePattern, Step, escaped, time_shape};
use super::shapes::TimeShape;

/// Levels by the words for them, in lower case.
pub fn level_words() -> Vec<(&'static str, &'static str)> {
    LEVELS
        .iter()
        .flat_map(|&(level, others)| {
            [level].into_iter().chain(others.iter().copied()).map(move |word| (word, level))
        })
        .collect()
}

/// A line arrives as `message`, as shippers send it; the pipeline is as in [`Learned`].
pub fn pipeline(learned: &Learned) -> Value {
    let mut steps =
        vec![json!({"rename": {"field": "message", "target_field": "tl_line", "ignore_missing": true}})];
    let unparsed = json!([{"append": {"field": "tags", "value": "unparsed", "allow_duplicates": false}}]);
    let mut removed = vec!["tl_line".to_owned()];
    match &learned.reading {
        LineReading::Json(found) => {
            steps.push(json!({"json": {"field": "tl_line", "add_to_root": true, "on_failure": unparsed}}));
            if let Some((name, shape)) = &found.time {
                steps.push(date(name, &[time_shape(*shape)], &learned.zone));
                removed.push(name.clone());
            }
            if let Some(name) = &found.level {
                steps.push(level_from(name));
                removed.push(name.clone());
            }
        }
        LineReading::Lines(lines) => {
            for (field, patterns) in [("tl_line", &lines.patterns), ("message", &lines.of_message)] {
                if patterns.is_empty() {
                    continue;
                }
                let names = GrokNames {
                    time: "tl.time",
                    level: "tl.level",
                    whole: ":long",
                    decimal: ":double",
                    bool: ":boolean",
                };
                let (patterns, definitions) = grok(learned, patterns, &names, str::to_owned);
                let mut step =
                    json!({"field": field, "patterns": patterns, "pattern_definitions": definitions});
                if field == "message" {
                    // Most messages have no fields of their own.
                    step["ignore_failure"] = json!(true);
                } else {
                    step["on_failure"] = unparsed.clone();
                }
                steps.push(json!({"grok": step}));
            }
            let shapes = learned.time_shapes();
            if !shapes.is_empty() {
                steps.push(date("tl.time", &shapes, &learned.zone));
            }
            steps.push(level_from("tl.level"));
            removed.push("tl".to_owned());
        }
    }
    if !learned.levels_by_status.is_empty() {
        let source = "if (ctx.status instanceof Number && (ctx.log == null || ctx.log.level == null)) { \
                      String level = params.levels.get(String.valueOf(((Number) ctx.status).intValue() / 100)); \
                      if (level != null) { if (ctx.log == null) { ctx.log = new HashMap(); } ctx.log.level = level; } }";
        let levels: Map<String, Value> = learned
            .levels_by_status
            .iter()
            .map(|(hundred, level)| (hundred.to_string(), json!(level)))
            .collect();
        steps.push(json!({"script": {"description": "The level of an HTTP status", "params": {"levels": levels}, "source": source, "ignore_failure": true}}));
    }
    steps.push(json!({"set": {"field": "message", "value": "{{{tl_line}}}", "override": false}}));
    steps.push(json!({"remove": {"field": removed, "ignore_missing": true}}));
    json!({ "description": learned.description(), "processors": steps })
}

fn date(field: &str, shapes: &[&TimeShape], zone: &str) -> Value {
    let formats: Vec<&str> = shapes.iter().flat_map(|shape| shape.formats).copied().collect();
    json!({"date": {
        "field": field,
        "formats": formats,
        "timezone": zone,
        "target_field": "@timestamp",
        "output_format": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSSXXX",
        "ignore_failure": true,
    }})
}

fn level_from(path: &str) -> Value {
    let levels: Map<String, Value> =
        level_words().into_iter().map(|(word, level)| (word.to_owned(), json!(level))).collect();
    let source = "def value = ctx; \
                  for (String part : params.path) { value = value instanceof Map ? value.get(part) : null; } \
                  if (value instanceof String) { String level = params.levels.get(value.toLowerCase()); \
                  if (level != null) { if (!(ctx.log instanceof Map)) { ctx.log = new HashMap(); } ctx.log.level = level; } }";
    let path: Vec<&str> = path.split('.').collect();
    json!({"script": {"description": "The level by its word", "params": {"path": path, "levels": levels}, "source": source, "ignore_failure": true}})
}

/// How grok names what is no field, and the types of values.
pub struct GrokNames {
    pub time: &'static str,
    pub level: &'static str,
    pub whole: &'static str,
    pub decimal: &'static str,
    pub bool: &'static str,
}

/// Patterns in grok, and what the names in them mean.
pub fn grok(
    learned: &Learned,
    learned_patterns: &[LinePattern],
    names: &GrokNames,
    field: impl Fn(&str) -> String,
) -> (Vec<String>, Map<String, Value>) {
    let GrokNames { time, level, .. } = names;
    let mut definitions = Map::new();
    let mut define = |name: String, expression: String| {
        definitions.insert(name.clone(), json!(expression));
        name
    };
    let mut patterns = Vec::new();
    for pattern in learned_patterns {
        let mut text = String::from("\\A");
        for step in &pattern.steps {
            match step {
                Step::Text(literal) => text.push_str(&escaped(literal)),
                Step::Space => text.push_str("\\s+"),
                Step::Digits => text.push_str(DIGITS),
                Step::Any => text.push_str(ANY),
                Step::Time(shape) => {
                    let shape = time_shape(*shape);
                    let name = define(shape.name.to_owned(), shape.expression.to_owned());
                    let _ = write!(text, "%{{{name}:{time}}}");
                }
                Step::Level => {
                    let name = define("TLLEVEL".to_owned(), "[A-Za-z]+".to_owned());
                    let _ = write!(text, "%{{{name}:{level}}}");
                }
                Step::Field { name, kind, shape, may_lack } => {
                    let there = field(&learned.name_in_documents(name));
                    let pattern = define(shape.name(), shape.expression());
                    let kind = match kind {
                        FieldKind::Int => names.whole,
                        FieldKind::Float => names.decimal,
                        FieldKind::Bool => names.bool,
                        FieldKind::Text => "",
                    };
                    let (before, after) = if *may_lack { ("(?:-|", ")") } else { ("", "") };
                    let _ = write!(text, "{before}%{{{pattern}:{there}{kind}}}{after}");
                }
            }
        }
        text.push_str("\\z");
        patterns.push(text);
    }
    (patterns, definitions)
}
