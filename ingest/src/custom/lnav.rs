//! Formats written for lnav: JSON files with a map of regular expressions, or with `"json": true`.

use serde_json::{Map, Value as Json};

use super::definition::{CutMethod, Definition, Draft, Fault, FieldRule};
use super::definition_file::finish;
use super::matcher::Matcher;
use super::samples::Sample;
use super::syntax::Dialect;
use crate::batch::Level;
use crate::level;
use crate::rows::ColumnKind;

pub(super) fn read(text: &str) -> Result<Vec<Definition>, Vec<Fault>> {
    let root: Json = serde_json::from_str(text)
        .map_err(|error| vec![Fault { key: format!("line {}", error.line()), message: error.to_string() }])?;
    let mut definitions = Vec::new();
    let mut faults = Vec::new();
    let formats = root.as_object().into_iter().flatten();
    for (name, format) in formats.filter(|(name, _)| !name.starts_with('$')) {
        let Some(format) = format.as_object() else {
            faults.push(Fault { key: name.clone(), message: "has to be an object".to_string() });
            continue;
        };
        match definition(name, format) {
            Ok(definition) => definitions.push(definition),
            Err(found) => faults.extend(
                found
                    .into_iter()
                    .map(|fault| Fault { key: format!("{name}.{}", fault.key), message: fault.message }),
            ),
        }
    }
    if definitions.is_empty() && faults.is_empty() {
        let message = "the file has no format; lnav's files have one object a format".to_string();
        faults.push(Fault { key: String::new(), message });
    }
    if faults.is_empty() { Ok(definitions) } else { Err(faults) }
}

fn definition(name: &str, format: &Map<String, Json>) -> Result<Definition, Vec<Fault>> {
    let text = |key: &str| format.get(key).and_then(Json::as_str).map(str::to_string);
    let mut faults = Vec::new();
    let mut draft = Draft { name: name.to_string(), title: text("title"), ..Draft::default() };
    draft.time_formats = format
        .get("timestamp-format")
        .and_then(Json::as_array)
        .map(|formats| formats.iter().filter_map(Json::as_str).map(str::to_string).collect())
        .unwrap_or_default();
    let time = text("timestamp-field").unwrap_or_else(|| "timestamp".to_string());
    let level = text("level-field").unwrap_or_else(|| "level".to_string());
    let body = text("body-field").unwrap_or_else(|| "body".to_string());
    let is_json = format.get("json").and_then(Json::as_bool).unwrap_or(false);
    if is_json || text("file-type").as_deref() == Some("json") {
        json_form(&mut draft, format, [&time, &level, &body]);
    } else {
        regex_forms(&mut draft, format, &mut faults);
    }
    let has = |draft: &Draft, field: &str| {
        match &draft.forms[..] {
        [CutMethod::Json(_)] => draft.json_names.iter().any(|name| name == field),
        forms => forms.iter().any(
            |form| matches!(form, CutMethod::Pattern(matcher) if matcher.groups.iter().any(|group| group == field)),
        ),
    }
    };
    if has(&draft, &time) {
        draft.time_from = vec![time];
    }
    if has(&draft, &body) {
        draft.message = Some(body);
    }
    if has(&draft, &level) {
        draft.level_from = Some(level);
    }
    levels(&mut draft, format, &mut faults);
    for (field, value) in format.get("value").and_then(Json::as_object).into_iter().flatten() {
        let kind = match value.get("kind").and_then(Json::as_str) {
            Some("integer") => Some(ColumnKind::Int),
            Some("float") => Some(ColumnKind::Float),
            Some("boolean") => Some(ColumnKind::Bool),
            _ => None,
        };
        // lnav's files describe fields that some of their patterns do not have.
        if kind.is_some() && has(&draft, field) {
            draft.rules.push((field.clone(), FieldRule { kind, ..FieldRule::default() }));
        }
    }
    let samples = samples(format);
    if !faults.is_empty() {
        return Err(faults);
    }
    finish(draft, &samples)
}

fn regex_forms(draft: &mut Draft, format: &Map<String, Json>, faults: &mut Vec<Fault>) {
    for (name, entry) in format.get("regex").and_then(Json::as_object).into_iter().flatten() {
        let key = format!("regex.{name}.pattern");
        // Patterns may be given as a list of pieces.
        let pattern = match entry.get("pattern") {
            Some(Json::String(pattern)) => pattern.clone(),
            Some(Json::Array(pieces)) => pieces.iter().filter_map(Json::as_str).collect(),
            _ => {
                faults.push(Fault { key, message: "has to be a regular expression".to_string() });
                continue;
            }
        };
        match Matcher::new(&pattern, Dialect::Perl) {
            Ok(matcher) => draft.forms.push(CutMethod::Pattern(matcher)),
            Err(message) => faults.push(Fault { key, message }),
        }
    }
    if draft.forms.is_empty() && faults.is_empty() {
        let message = "the format needs a `regex` with patterns, or `\"json\": true`".to_string();
        faults.push(Fault { key: "regex".to_string(), message });
    }
}

/// The fields of a JSON format: those with a value entry, those of the line format, and the three that lnav
/// reads by name. A slash in a name is a path into an object.
fn json_form(draft: &mut Draft, format: &Map<String, Json>, roles: [&str; 3]) {
    let mut names: Vec<String> = roles.iter().map(|name| (*name).to_string()).collect();
    let values = format.get("value").and_then(Json::as_object).into_iter().flatten();
    names.extend(values.map(|(name, _)| name.clone()));
    let pieces = format.get("line-format").and_then(Json::as_array).into_iter().flatten();
    let shown = pieces.filter_map(|piece| piece.get("field")).filter_map(Json::as_str);
    names.extend(shown.filter(|field| !field.starts_with("__")).map(str::to_string));
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    draft.forms = vec![CutMethod::Json(
        names.iter().map(|name| name.split('/').map(str::to_string).collect()).collect(),
    )];
    draft.json_names = names;
}

/// `"level": {"error": "^E"}`: a pattern for each level; in JSON formats also a plain value.
fn levels(draft: &mut Draft, format: &Map<String, Json>, faults: &mut Vec<Fault>) {
    for (name, value) in format.get("level").and_then(Json::as_object).into_iter().flatten() {
        let key = format!("level.{name}");
        let Some(level) = level_named(name) else {
            faults.push(Fault { key, message: super::definition_file::unknown_level(name) });
            continue;
        };
        match value {
            Json::String(pattern) => match Matcher::new(pattern, Dialect::Perl) {
                Ok(matcher) => draft.level_patterns.push((matcher, level)),
                Err(message) => faults.push(Fault { key, message }),
            },
            other => {
                draft.level_map.insert(other.to_string().into_bytes(), level);
            }
        }
    }
    // The worst level is tested first, as in lnav.
    draft.level_patterns.sort_by_key(|(_, level)| std::cmp::Reverse(*level));
}

fn level_named(name: &str) -> Option<Level> {
    match name {
        "stats" | "unknown" => Some(Level::Info),
        "debug2" | "debug3" | "debug4" | "debug5" => Some(Level::Debug),
        name => level::from_word(name.as_bytes()),
    }
}

fn samples(format: &Map<String, Json>) -> Vec<Sample> {
    let entries = format.get("sample").and_then(Json::as_array).into_iter().flatten();
    entries
        .filter_map(|entry| {
            let line = entry.get("line")?.as_str()?.to_string();
            let level = entry.get("level").and_then(Json::as_str).and_then(level_named);
            let expected = level.map(|level| ("level".to_string(), level.name().to_string()));
            Some(Sample { line, expected: expected.into_iter().collect() })
        })
        .collect()
}
