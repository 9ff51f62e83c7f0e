//! A compiled user-defined format: how a line is cut into fields, and how the fields are used.

use std::collections::HashMap;
use std::sync::Arc;

use super::condition::Condition;
use super::dissect::Dissect;
use super::grok::nearest;
use super::matcher::Matcher;
use super::time::TimeFormat;
use crate::batch::Level;
use crate::rows::ColumnKind;
use crate::time::zone::Zone;

/// Names that every event has already; no field may use them.
const RESERVED: [&str; 6] = ["time", "level", "source", "line", "raw", "template"];

/// Field names that are taken as the event's time where a definition does not name one, the likeliest first.
const TIME_NAMES: [&str; 12] = [
    "timestamp",
    "@timestamp",
    "time",
    "datetime",
    "date_time",
    "ts",
    "event.created",
    "timestamp8601",
    "syslog_timestamp",
    "syslog5424_ts",
    "accept_date",
    "date",
];

/// The same for the level.
const LEVEL_NAMES: [&str; 7] = ["level", "log.level", "loglevel", "log_level", "severity", "sev", "priority"];

/// Whether a column needs another name because this one is reserved.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name) || name == "tags"
}

/// A user-defined kind of log. Cheap to share; its readers work on any thread.
#[derive(Debug)]
pub struct Definition {
    pub name: String,
    /// What its lines are, in the plural, for a person.
    pub title: String,
    pub(super) forms: Vec<LineForm>,
    pub(super) fields: Vec<FieldDefinition>,
    pub(super) start: Option<Matcher>,
    pub(super) time: TimeRule,
    pub(super) zone: Option<Zone>,
    pub(super) level: Option<LevelRule>,
    pub(super) tags: Vec<(String, Condition)>,
    /// The file it was read from, so that the definition can be stored with its logs.
    pub(super) written: Arc<DefinitionText>,
}

/// A definition file as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefinitionText {
    pub text: String,
    /// The file's name without its extension: it names a definition that has no name of its own.
    pub file_name: String,
}

/// One way to cut a line; the first form that fits is used.
#[derive(Debug)]
pub(super) struct LineForm {
    pub cut: CutMethod,
    /// The field of each group of a pattern, each key of a dissection, or each path of an object.
    pub groups: Vec<Option<usize>>,
}

#[derive(Debug)]
pub(super) enum CutMethod {
    Pattern(Matcher),
    Dissect(Dissect),
    /// A JSON object: the key path of each field.
    Json(Vec<Vec<String>>),
}

#[derive(Debug)]
pub(super) struct FieldDefinition {
    /// The name in the pattern, in conditions and in rules.
    pub name: String,
    /// The name of its column; `None` where it has none.
    pub column: Option<String>,
    pub kind: ColumnKind,
}

#[derive(Debug)]
pub(super) struct TimeRule {
    /// The fields whose texts, joined by spaces, are the time.
    pub from: Vec<usize>,
    pub format: TimeFormat,
    /// The definition does not name the time fields: each candidate is tried, then the whole line.
    pub guessed: bool,
}

#[derive(Debug)]
pub(super) struct LevelRule {
    pub from: usize,
    pub map: HashMap<Vec<u8>, Level>,
    /// Patterns that determine the level, as in lnav's files.
    pub patterns: Vec<(Matcher, Level)>,
}

/// The contents of a definition file, before fields have numbers.
#[derive(Default)]
pub(super) struct Draft {
    pub name: String,
    pub title: Option<String>,
    pub forms: Vec<CutMethod>,
    pub start: Option<Matcher>,
    pub time_from: Vec<String>,
    pub time_formats: Vec<String>,
    pub zone: Option<Zone>,
    pub level_from: Option<String>,
    pub level_map: HashMap<Vec<u8>, Level>,
    pub level_patterns: Vec<(Matcher, Level)>,
    pub message: Option<String>,
    pub rules: Vec<(String, FieldRule)>,
    /// The field names of the paths of a [`CutMethod::Json`].
    pub json_names: Vec<String>,
}

#[derive(Default)]
pub(super) struct FieldRule {
    pub kind: Option<ColumnKind>,
    pub rename: Option<String>,
    pub drop: bool,
}

/// An error in a draft: the key, and what to do.
pub(super) struct Fault {
    pub key: String,
    pub message: String,
}

fn fault(key: &str, message: String) -> Fault {
    Fault { key: key.to_string(), message }
}

impl Draft {
    pub(super) fn build(mut self) -> Result<Definition, Vec<Fault>> {
        let mut faults = Vec::new();
        let mut fields = FieldTable::default();
        let forms = std::mem::take(&mut self.forms);
        let forms: Vec<LineForm> = forms.into_iter().map(|cut| fields.form(cut, &self.json_names)).collect();
        for (name, rule) in &self.rules {
            match fields.number(name) {
                Ok(field) => fields.apply(field, rule),
                Err(message) => faults.push(fault(&format!("fields.{name}"), message)),
            }
        }
        let time = self.time(&fields).map_err(|found| faults.push(found));
        let level = self.level(&fields).map_err(|found| faults.push(found));
        if let Some(message) = &self.message {
            match fields.number(message) {
                Ok(field) => fields.all[field].column = Some("message".to_string()),
                Err(text) => faults.push(fault("message", text)),
            }
        }
        let (Ok(time), Ok(level)) = (time, level) else { return Err(faults) };
        if !faults.is_empty() {
            return Err(faults);
        }
        let consumed = |field: usize| {
            (!time.guessed && time.from.contains(&field))
                || (time.guessed && time.from.first() == Some(&field))
                || level.as_ref().is_some_and(|level| level.from == field)
        };
        for (at, field) in fields.all.iter_mut().enumerate() {
            let taken = field.column.as_deref().is_some_and(is_reserved);
            if taken {
                field.column =
                    if consumed(at) { None } else { field.column.take().map(|name| name + "_field") };
            }
        }
        let title = self.title.unwrap_or_else(|| format!("{} lines", self.name));
        Ok(Definition {
            name: self.name,
            title,
            forms,
            fields: fields.all,
            start: self.start,
            time,
            zone: self.zone,
            level,
            tags: Vec::new(),
            written: Arc::default(),
        })
    }

    fn time(&self, fields: &FieldTable) -> Result<TimeRule, Fault> {
        let format = TimeFormat::new(&self.time_formats).map_err(|text| fault("time.format", text))?;
        if self.time_from.is_empty() {
            let from = TIME_NAMES.iter().filter_map(|name| fields.numbers.get(*name).copied()).collect();
            return Ok(TimeRule { from, format, guessed: true });
        }
        let from = self.time_from.iter().map(|name| fields.number(name)).collect::<Result<_, _>>();
        Ok(TimeRule { from: from.map_err(|text| fault("time.from", text))?, format, guessed: false })
    }

    fn level(&mut self, fields: &FieldTable) -> Result<Option<LevelRule>, Fault> {
        let from = match &self.level_from {
            Some(name) => Some(fields.number(name).map_err(|text| fault("level.from", text))?),
            None => LEVEL_NAMES.iter().find_map(|name| fields.numbers.get(*name).copied()),
        };
        let map = std::mem::take(&mut self.level_map);
        let patterns = std::mem::take(&mut self.level_patterns);
        Ok(from.map(|from| LevelRule { from, map, patterns }))
    }
}

impl Definition {
    /// The file that the definition was read from.
    #[must_use]
    pub fn written(&self) -> &DefinitionText {
        &self.written
    }

    /// The number of a field, or an error message if there is none.
    pub(super) fn field(&self, name: &str) -> Result<usize, String> {
        let found = self.fields.iter().position(|field| field.name == name);
        found
            .or_else(|| self.fields.iter().position(|field| field.column.as_deref() == Some(name)))
            .ok_or_else(|| unknown(name, self.fields.iter().map(|field| &*field.name)))
    }
}

#[derive(Default)]
struct FieldTable {
    all: Vec<FieldDefinition>,
    numbers: HashMap<String, usize>,
}

impl FieldTable {
    fn form(&mut self, cut: CutMethod, json_names: &[String]) -> LineForm {
        let groups = match &cut {
            CutMethod::Pattern(matcher) => {
                matcher.groups.iter().map(|group| self.field_of_group(group)).collect()
            }
            CutMethod::Dissect(dissect) => {
                dissect.fields.iter().map(|field| self.add(&field.name, ColumnKind::Text)).collect()
            }
            CutMethod::Json(_) => json_names.iter().map(|name| self.add(name, ColumnKind::Text)).collect(),
        };
        LineForm { cut, groups }
    }

    /// Adds the field of a group. A group's name may include its type, as in Grok.
    fn field_of_group(&mut self, group: &str) -> Option<usize> {
        let (name, kind) = group.rsplit_once(':').unwrap_or((group, ""));
        let kind = match kind {
            "int" | "long" => ColumnKind::Int,
            "float" | "double" => ColumnKind::Float,
            "bool" | "boolean" => ColumnKind::Bool,
            _ => ColumnKind::Text,
        };
        self.add(name, kind)
    }

    fn add(&mut self, name: &str, kind: ColumnKind) -> Option<usize> {
        if name.is_empty() {
            return None;
        }
        if let Some(&number) = self.numbers.get(name) {
            return Some(number);
        }
        self.numbers.insert(name.to_string(), self.all.len());
        self.all.push(FieldDefinition { name: name.to_string(), column: Some(name.to_string()), kind });
        Some(self.all.len() - 1)
    }

    fn number(&self, name: &str) -> Result<usize, String> {
        self.numbers
            .get(name)
            .copied()
            .ok_or_else(|| unknown(name, self.all.iter().map(|field| &*field.name)))
    }

    fn apply(&mut self, field: usize, rule: &FieldRule) {
        let field = &mut self.all[field];
        field.kind = rule.kind.unwrap_or(field.kind);
        if let Some(name) = &rule.rename {
            field.column = Some(name.clone());
        }
        if rule.drop {
            field.column = None;
        }
    }
}

fn unknown<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    if let Some(near) = nearest(name, names.clone()) {
        return format!("there is no field `{name}`; did you mean `{near}`?");
    }
    let names: Vec<&str> = names.take(12).collect();
    format!("there is no field `{name}`; the pattern has {}", names.join(", "))
}
