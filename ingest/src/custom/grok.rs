//! Grok: expands `%{NAME}`, `%{NAME:field}` and `%{NAME:field:type}` in a regular expression to the patterns
//! they name.
//!
//! The names are those of the Logstash library (Apache-2.0), which comes with the `grok` crate; own patterns
//! replace the few that need backtracking.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::LazyLock;

use strsim::levenshtein;

use crate::limits;

/// Patterns by name: the user's own first, then the library.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns {
    own: HashMap<String, String>,
    /// Fields of the library get their ECS names.
    pub ecs: bool,
}

static EQUIVALENTS: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| lines(include_str!("patterns/equivalents")).collect());

/// A pattern and its field, or an ECS name and its type.
type NamePair = (&'static str, &'static str);

/// ECS names and types by pattern and field.
static ECS: LazyLock<HashMap<NamePair, NamePair>> = LazyLock::new(|| {
    include_str!("patterns/ecs")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut words = line.split(' ');
            let key = (words.next()?, words.next()?);
            Some((key, (words.next()?, words.next().unwrap_or_default())))
        })
        .collect()
});

/// The lines `NAME regex` of a Logstash pattern file.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines()
        .map(|line| line.trim_end_matches('\r'))
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once([' ', '\t']))
        .map(|(name, pattern)| (name, pattern.trim_start_matches([' ', '\t'])))
        .filter(|(name, pattern)| is_name(name) && !pattern.is_empty())
}

pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The library's original text of a pattern, without our replacement.
pub(super) fn original(name: &str) -> Option<&'static str> {
    let library = grok::patterns();
    let at = library.binary_search_by(|(other, _)| (*other).cmp(name)).ok()?;
    Some(library[at].1)
}

/// Names of all patterns of the library.
pub(super) fn library_names() -> impl Iterator<Item = &'static str> {
    grok::patterns().iter().map(|(name, _)| *name)
}

impl Patterns {
    pub(super) fn define(&mut self, name: &str, pattern: &str) {
        self.own.insert(name.to_string(), pattern.to_string());
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.own
            .get(name)
            .map(String::as_str)
            .or_else(|| EQUIVALENTS.get(name).copied())
            .or_else(|| original(name))
    }

    /// Expands the pattern to one regular expression, whose groups are named `field` or `field:type`.
    pub(super) fn write_out(&self, pattern: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut path = Vec::new();
        self.write(pattern, "", &mut path, &mut out)?;
        Ok(out)
    }

    fn write<'a>(
        &'a self,
        pattern: &'a str,
        within: &str,
        path: &mut Vec<&'a str>,
        out: &mut String,
    ) -> Result<(), String> {
        let mut rest = pattern;
        while let Some(start) = rest.find("%{") {
            out.push_str(&rest[..start]);
            let Some(length) = rest[start..].find('}') else {
                return Err(format!("`{}` has no closing brace", shorten(&rest[start..])));
            };
            self.reference(&rest[start + 2..start + length], within, path, out)?;
            rest = &rest[start + length + 1..];
        }
        out.push_str(rest);
        if out.len() > limits::LONGEST_PATTERN_BYTES {
            return Err(format!(
                "the pattern is longer than {} bytes written out",
                limits::LONGEST_PATTERN_BYTES
            ));
        }
        Ok(())
    }

    fn reference<'a>(
        &'a self,
        reference: &'a str,
        within: &str,
        path: &mut Vec<&'a str>,
        out: &mut String,
    ) -> Result<(), String> {
        let mut parts = reference.splitn(3, ':');
        let name = parts.next().unwrap_or_default();
        let field = parts.next().unwrap_or_default();
        let kind = parts.next().unwrap_or_default();
        let Some(pattern) = self.get(name) else { return Err(self.unknown(name)) };
        if path.contains(&name) || path.len() >= limits::DEEPEST_GROK {
            return Err(format!("the pattern `{name}` contains itself"));
        }
        if !matches!(kind, "" | "int" | "float" | "long" | "double" | "boolean" | "bool" | "string") {
            return Err(format!(
                "`{kind}` in `%{{{reference}}}` is not a type; there are int, float and bool"
            ));
        }
        if field.is_empty() {
            out.push_str("(?:");
        } else {
            let (field, kind) = match ECS.get(&(within, field)) {
                Some((ecs, ecs_kind)) if self.ecs => {
                    ((*ecs).to_string(), if kind.is_empty() { ecs_kind } else { kind })
                }
                _ => (dotted(field), kind),
            };
            // Writing to a string cannot fail.
            let _ = write!(out, "(?<{field}");
            let _ = if kind.is_empty() { write!(out, ">") } else { write!(out, ":{kind}>") };
        }
        path.push(name);
        self.write(pattern, name, path, out)?;
        path.pop();
        out.push(')');
        Ok(())
    }

    fn unknown(&self, name: &str) -> String {
        let own = nearest(name, self.own.keys().map(String::as_str));
        match own.or_else(|| nearest(name, library_names())) {
            Some(near) => format!("there is no pattern `{name}`; did you mean `{near}`?"),
            None => format!("there is no pattern `{name}`; define it under [patterns]"),
        }
    }
}

/// Converts `[http][response][status_code]` to `http.response.status_code`.
fn dotted(field: &str) -> String {
    if !field.starts_with('[') {
        return field.to_string();
    }
    field.trim_start_matches('[').trim_end_matches(']').replace("][", ".")
}

/// The name with the smallest edit distance, if that is small.
pub(super) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let upper = name.to_ascii_uppercase();
    let most = 1 + name.len() / 4;
    names
        .map(|other| (levenshtein(&upper, &other.to_ascii_uppercase()), other))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, other)| other)
}

fn shorten(text: &str) -> &str {
    let end = text.char_indices().nth(30).map_or(text.len(), |(at, _)| at);
    &text[..end]
}
