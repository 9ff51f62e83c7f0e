//! Our own definition files, and Logstash pattern files.

use toml::{Table, Value};

use super::definition::{CutMethod, Definition, Draft, Fault, FieldRule};
use super::dissect::Dissect;
use super::grok::{Patterns, lines, nearest};
use super::matcher::Matcher;
use super::samples::{Sample, check};
use super::syntax::Dialect;
use super::{condition, definition};
use crate::batch::Level;
use crate::level;
use crate::limits;
use crate::rows::ColumnKind;
use crate::time::zone::Zone;

const KEYS: [&str; 16] = [
    "name",
    "title",
    "grok",
    "regex",
    "dissect",
    "start",
    "time",
    "zone",
    "level",
    "message",
    "fields",
    "tags",
    "samples",
    "patterns",
    "pattern_definitions",
    "ecs",
];

/// Whether every non-empty line that is not a comment is `NAME regex`.
pub(super) fn is_pattern_file(text: &str) -> bool {
    let said = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let count = text.lines().filter(said).count();
    let shaped = |line: &&str| {
        lines(line).next().is_some_and(|(_, pattern)| !pattern.starts_with("= ") && !pattern.starts_with('='))
    };
    count > 0 && text.lines().filter(said).filter(shaped).count() == count
}

/// Every pattern of the file that has fields and that no other pattern uses is a format.
pub(super) fn read_patterns(text: &str) -> Result<Vec<Definition>, Vec<Fault>> {
    let mut library = Patterns::default();
    for (name, pattern) in lines(text) {
        library.define(name, pattern);
    }
    let refers = |pattern: &str, name: &str| {
        pattern.contains(&format!("%{{{name}}}")) || pattern.contains(&format!("%{{{name}:"))
    };
    let mut formats = Vec::new();
    let mut faults = Vec::new();
    for (name, pattern) in lines(text) {
        let used = lines(text).any(|(other, by)| other != name && refers(by, name));
        match grok(pattern, &library) {
            Ok(matcher) if !used && matcher.groups.iter().any(|group| !group.is_empty()) => {
                let draft = Draft {
                    name: name.to_ascii_lowercase(),
                    forms: vec![CutMethod::Pattern(matcher)],
                    ..Draft::default()
                };
                match draft.build() {
                    Ok(definition) => formats.push(definition),
                    Err(found) => faults.extend(found),
                }
            }
            Ok(_) => {}
            Err(message) => faults.push(Fault { key: name.to_string(), message }),
        }
    }
    if formats.is_empty() && faults.is_empty() {
        let message = "no pattern of the file has fields; name them as in %{INT:status}".to_string();
        faults.push(Fault { key: String::new(), message });
    }
    if faults.is_empty() { Ok(formats) } else { Err(faults) }
}

fn grok(pattern: &str, patterns: &Patterns) -> Result<Matcher, String> {
    Matcher::new(&patterns.write_out(pattern)?, Dialect::Grok)
}

pub(super) fn read_toml(text: &str, file_name: &str) -> Result<Definition, Vec<Fault>> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line =
            error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        vec![Fault { key: format!("line {line}"), message: error.message().to_string() }]
    })?;
    let mut reader = TomlReader { faults: Vec::new() };
    let draft = reader.draft(&table, file_name);
    let tags = reader.tags(&table);
    let samples = reader.samples(&table);
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    let mut definition = draft.build()?;
    let mut faults = Vec::new();
    for (at, (tag, condition)) in tags.into_iter().enumerate() {
        match condition::parse(&condition, &|name| definition.field(name)) {
            Ok(condition) => definition.tags.push((tag, condition)),
            Err(message) => faults.push(Fault { key: format!("tags[{}].if", at + 1), message }),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    check(definition, &samples)
}

/// Reads what it can from a table, and collects all errors.
struct TomlReader {
    faults: Vec<Fault>,
}

impl TomlReader {
    fn fault(&mut self, key: &str, message: impl Into<String>) {
        self.faults.push(Fault { key: key.to_string(), message: message.into() });
    }

    fn value_or_fault<T>(&mut self, key: &str, result: Result<T, String>) -> Option<T> {
        result.map_err(|message| self.fault(key, message)).ok()
    }

    /// A text, or a list of texts.
    fn texts(&mut self, key: &str, value: Option<&Value>) -> Vec<String> {
        match value {
            None => Vec::new(),
            Some(Value::String(text)) => vec![text.clone()],
            Some(Value::Array(values)) if values.iter().all(Value::is_str) => {
                values.iter().filter_map(Value::as_str).map(str::to_string).collect()
            }
            Some(_) => {
                self.fault(key, "has to be a text or a list of texts");
                Vec::new()
            }
        }
    }

    fn text(&mut self, key: &str, value: Option<&Value>) -> Option<String> {
        let text = value?.as_str();
        if text.is_none() {
            self.fault(key, "has to be a text in quotes");
        }
        text.map(str::to_string)
    }

    fn table<'a>(&mut self, key: &str, value: Option<&'a Value>) -> Option<&'a Table> {
        let table = value?.as_table();
        if table.is_none() {
            self.fault(key, "has to be a table");
        }
        table
    }

    fn only(&mut self, within: &str, table: &Table, keys: &[&str]) {
        for key in table.keys().filter(|key| !keys.contains(&key.as_str())) {
            let message = match nearest(key, keys.iter().copied()) {
                Some(near) => format!("is not known; did you mean `{near}`?"),
                None => format!("is not known; there are {}", keys.join(", ")),
            };
            self.fault(&format!("{within}{key}"), message);
        }
    }

    fn draft(&mut self, table: &Table, file_name: &str) -> Draft {
        self.only("", table, &KEYS);
        let name = self.text("name", table.get("name")).unwrap_or_else(|| file_name.to_string());
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
            || name.is_empty()
        {
            self.fault("name", format!("`{name}` has to be of letters, digits, `-`, `_` and `.`"));
        }
        let mut draft = Draft {
            name,
            title: self.text("title", table.get("title")),
            message: self.text("message", table.get("message")),
            ..Draft::default()
        };
        draft.forms = self.forms(table);
        if let Some(start) = self.text("start", table.get("start")) {
            draft.start = self.value_or_fault("start", Matcher::new(&start, Dialect::Perl));
        }
        if let Some(zone) = self.text("zone", table.get("zone")) {
            draft.zone = Zone::named(&zone);
            if draft.zone.is_none() {
                self.fault(
                    "zone",
                    format!("there is no zone `{zone}`; write one as Europe/Berlin, UTC or +02:00"),
                );
            }
        }
        if let Some(time) = self.table("time", table.get("time")) {
            self.only("time.", time, &["from", "format"]);
            draft.time_from = self.texts("time.from", time.get("from"));
            draft.time_formats = self.texts("time.format", time.get("format"));
        }
        self.level(table, &mut draft);
        self.fields(table, &mut draft);
        draft
    }

    fn forms(&mut self, table: &Table) -> Vec<CutMethod> {
        let patterns = self.patterns(table);
        let mut forms = Vec::new();
        let mut kinds = 0;
        for kind in ["grok", "regex", "dissect"] {
            let texts = self.texts(kind, table.get(kind));
            kinds += usize::from(!texts.is_empty());
            let several = texts.len() > 1;
            for (at, text) in texts.iter().enumerate() {
                let cut = match kind {
                    "grok" => grok(text, &patterns).map(CutMethod::Pattern),
                    "regex" => Matcher::new(text, Dialect::Perl).map(CutMethod::Pattern),
                    _ => Dissect::new(text).map(CutMethod::Dissect),
                };
                let key = if several { format!("{kind}[{}]", at + 1) } else { kind.to_string() };
                forms.extend(self.value_or_fault(&key, cut));
            }
        }
        if kinds != 1 && self.faults.is_empty() {
            self.fault("grok", "the file needs one of grok, regex and dissect: a pattern, or a list of them");
        }
        forms
    }

    fn patterns(&mut self, table: &Table) -> Patterns {
        let mut patterns = Patterns::default();
        patterns.ecs = table.get("ecs").and_then(Value::as_bool).unwrap_or(false);
        if table.get("ecs").is_some_and(|ecs| !ecs.is_bool()) {
            self.fault("ecs", "has to be true or false");
        }
        for key in ["patterns", "pattern_definitions"] {
            let Some(own) = self.table(key, table.get(key)) else { continue };
            for (name, pattern) in own {
                if let Some(pattern) = self.text(&format!("{key}.{name}"), Some(pattern)) {
                    patterns.define(name, &pattern);
                }
            }
        }
        patterns
    }

    fn level(&mut self, table: &Table, draft: &mut Draft) {
        if let Some(Value::String(from)) = table.get("level") {
            draft.level_from = Some(from.clone());
            return;
        }
        let Some(level) = self.table("level", table.get("level")) else { return };
        self.only("level.", level, &["from", "map"]);
        draft.level_from = self.text("level.from", level.get("from"));
        let Some(map) = self.table("level.map", level.get("map")) else { return };
        for (value, name) in map {
            let key = format!("level.map.{value}");
            let Some(name) = self.text(&key, Some(name)) else { continue };
            match level::from_word(name.as_bytes()) {
                Some(level) => {
                    draft.level_map.insert(value.as_bytes().to_vec(), level);
                }
                None => self.fault(&key, unknown_level(&name)),
            }
        }
    }

    fn fields(&mut self, table: &Table, draft: &mut Draft) {
        let Some(fields) = self.table("fields", table.get("fields")) else { return };
        for (name, rule) in fields {
            let within = format!("fields.{name}");
            let Some(rule) = self.table(&within, Some(rule)) else { continue };
            self.only(&format!("{within}."), rule, &["type", "drop", "rename"]);
            let kind = self.text(&format!("{within}.type"), rule.get("type"));
            let kind = kind.and_then(|kind| match &*kind {
                "text" | "string" => Some(ColumnKind::Text),
                "int" | "integer" => Some(ColumnKind::Int),
                "float" => Some(ColumnKind::Float),
                "bool" | "boolean" => Some(ColumnKind::Bool),
                _ => {
                    self.fault(
                        &format!("{within}.type"),
                        format!("`{kind}` is not a type; there are text, int, float and bool"),
                    );
                    None
                }
            });
            let drop = match rule.get("drop") {
                None => false,
                Some(Value::Boolean(drop)) => *drop,
                Some(_) => {
                    self.fault(&format!("{within}.drop"), "has to be true or false");
                    false
                }
            };
            let rename = self.text(&format!("{within}.rename"), rule.get("rename"));
            draft.rules.push((name.clone(), FieldRule { kind, rename, drop }));
        }
    }

    fn list<'a>(&mut self, key: &str, table: &'a Table) -> Vec<&'a Table> {
        match table.get(key) {
            None => Vec::new(),
            Some(Value::Array(values)) if values.iter().all(Value::is_table) => {
                values.iter().filter_map(Value::as_table).collect()
            }
            Some(_) => {
                self.fault(key, format!("has to be written as [[{key}]]"));
                Vec::new()
            }
        }
    }

    fn tags(&mut self, table: &Table) -> Vec<(String, String)> {
        let list = self.list("tags", table);
        if list.len() > limits::MOST_TAGS {
            self.fault("tags", format!("there are more than {} tags", limits::MOST_TAGS));
        }
        let mut tags = Vec::new();
        for (at, entry) in list.into_iter().enumerate() {
            let within = format!("tags[{}].", at + 1);
            self.only(&within, entry, &["tag", "if"]);
            let tag = self.text(&format!("{within}tag"), entry.get("tag"));
            let condition = self.text(&format!("{within}if"), entry.get("if"));
            match (tag, condition) {
                (Some(tag), Some(condition)) => tags.push((tag, condition)),
                _ => self.fault(&within[..within.len() - 1], "needs a `tag` and an `if`"),
            }
        }
        tags
    }

    fn samples(&mut self, table: &Table) -> Vec<Sample> {
        let mut samples = Vec::new();
        for (at, entry) in self.list("samples", table).into_iter().enumerate() {
            let within = format!("samples[{}].", at + 1);
            self.only(&within, entry, &["line", "fields", "time", "level", "tags"]);
            let Some(line) = self.text(&format!("{within}line"), entry.get("line")) else {
                self.fault(&within[..within.len() - 1], "needs a `line`");
                continue;
            };
            let mut expected = Vec::new();
            if let Some(fields) = self.table(&format!("{within}fields"), entry.get("fields")) {
                for (name, value) in fields {
                    expected.push((name.clone(), plain(value)));
                }
            }
            for key in ["time", "level"] {
                if let Some(value) = entry.get(key) {
                    expected.push((key.to_string(), plain(value)));
                }
            }
            let tags = self.texts(&format!("{within}tags"), entry.get("tags"));
            if entry.contains_key("tags") {
                expected.push(("tags".to_string(), tags.join(",")));
            }
            samples.push(Sample { line, expected });
        }
        samples
    }
}

/// A value as the column of a field would print it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Datetime(time) => time.to_string(),
        Value::Array(_) | Value::Table(_) => String::new(),
    }
}

pub(super) fn unknown_level(name: &str) -> String {
    let names: Vec<&str> =
        Level::ALL.iter().map(|level| level.name()).filter(|name| !name.is_empty()).collect();
    format!("`{name}` is not a level; there are {}", names.join(", "))
}

/// Checks the samples and completes the definition; lnav's files share this step.
pub(super) fn finish(draft: Draft, samples: &[Sample]) -> Result<Definition, Vec<definition::Fault>> {
    check(draft.build()?, samples)
}
