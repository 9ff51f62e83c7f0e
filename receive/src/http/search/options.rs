//! The content of a clause: a field with its value, and options by name. An unknown option is refused.

use serde_json::{Map, Value};

use crate::http::answer::Problem;

/// Names of options that change scores and labels, not what matches.
pub const IGNORED: [&str; 2] = ["boost", "_name"];

pub fn unsupported(clause: &str, what: &str) -> Problem {
    Problem::parsing(format!("[{clause}] query does not support {what}"))
}

pub fn object<'v>(
    clause: &str,
    body: &'v Value,
    allowed: &[&str],
) -> Result<&'v Map<String, Value>, Problem> {
    let options = body
        .as_object()
        .ok_or_else(|| Problem::parsing(format!("[{clause}] query malformed, no start_object")))?;
    let mut names = options.keys().filter(|name| !IGNORED.contains(&name.as_str()));
    match names.find(|name| !allowed.contains(&name.as_str())) {
        Some(name) => Err(unsupported(clause, &format!("[{name}]"))),
        None => Ok(options),
    }
}

/// `{"field": …}`, with the options that the clause may have.
pub fn one_field<'v>(
    clause: &str,
    body: &'v Value,
    allowed: &[&str],
) -> Result<(&'v str, &'v Value), Problem> {
    let fields = body
        .as_object()
        .ok_or_else(|| Problem::parsing(format!("[{clause}] query malformed, no start_object")))?;
    let mut named = fields.iter().filter(|(name, _)| !IGNORED.contains(&name.as_str()));
    let (Some((name, options)), None) = (named.next(), named.next()) else {
        return Err(Problem::parsing(format!("[{clause}] query doesn't support multiple fields, or none")));
    };
    if options.is_object() {
        object(clause, options, allowed)?;
    }
    Ok((name, options))
}

pub type ClauseOptions<'v> = Option<&'v Map<String, Value>>;

/// `{"field": value}` or `{"field": {"query": value, …}}`.
pub fn of_field<'v>(
    clause: &str,
    body: &'v Value,
    key: &str,
    allowed: &[&str],
) -> Result<(&'v str, String, ClauseOptions<'v>), Problem> {
    let (name, options) = one_field(clause, body, allowed)?;
    let value = match options {
        Value::Object(options) => options.get(key),
        value => Some(value),
    };
    match value {
        Some(Value::String(_) | Value::Number(_) | Value::Bool(_)) => {
            Ok((name, text_of(value), options.as_object()))
        }
        _ => Err(Problem::parsing(format!("[{clause}] query of field [{name}] has no value"))),
    }
}

/// Text, a number or a truth as text.
pub fn text_of(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
