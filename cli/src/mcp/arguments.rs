//! The arguments of tools: one table gives their JSON schema and checks what comes.

use indexer::query::nearest;
use indexer::{Error, ErrorKind};
use serde_json::{Map, Value, json};

use super::answer::Failure;
use super::limits::{MOST_NAMES, MOST_SECONDS, TEXT_BYTES, USUAL_SECONDS};

/// What an argument may be.
#[derive(Clone, Copy)]
pub enum ArgumentKind {
    Text,
    /// Between the first two; the third unless it is given.
    Whole(u64, u64, u64),
    /// Above zero, up to the first; the second unless it is given.
    Decimal(f64, f64),
    Numbers,
    Texts,
    Choice(&'static [&'static str]),
}

#[derive(Clone, Copy)]
pub struct Argument {
    pub name: &'static str,
    pub kind: ArgumentKind,
    pub is_needed: bool,
    pub summary: &'static str,
}

impl Argument {
    pub const fn new(name: &'static str, kind: ArgumentKind, summary: &'static str) -> Argument {
        Argument { name, kind, is_needed: false, summary }
    }

    pub const fn needed(name: &'static str, kind: ArgumentKind, summary: &'static str) -> Argument {
        Argument { name, kind, is_needed: true, summary }
    }
}

pub const QUERY: Argument = Argument::new(
    "query",
    ArgumentKind::Text,
    "Filter of events, such as `level>=error service:cart \"connection reset\"`; all events unless given. Clauses next \
     to each other must all be true: word, \"phrase\", wild*card, /regex/, field:value, field>=10, NOT, OR, ( )",
);
pub const FROM: Argument = Argument::new(
    "from",
    ArgumentKind::Text,
    "Only events at or after this time: 2026-03-01T14:05:00Z, or now-15m, where now is the time of the last event",
);
pub const TO: Argument = Argument::new("to", ArgumentKind::Text, "Only events before this time");

/// Which case is meant, where the server has several; and how long a call may take. Every tool takes them.
const CASE: Argument = Argument::new("case", ArgumentKind::Text, "Name of the case");
const SECONDS: Argument = Argument::new(
    "seconds",
    ArgumentKind::Decimal(MOST_SECONDS, USUAL_SECONDS),
    "How long the call may take. What it has by then is the answer, which says that it is partial",
);

/// The JSON schema of a tool's arguments. The cases are listed where there are several.
pub fn schema(arguments: &[Argument], cases: &[String]) -> Value {
    let own = arguments.iter().map(|argument| (argument.name, property(argument)));
    let mut properties: Map<String, Value> = own.map(|(name, made)| (name.to_owned(), made)).collect();
    properties.insert(SECONDS.name.to_owned(), property(&SECONDS));
    let mut case = property(&CASE);
    case["enum"] = json!(cases);
    properties.insert(CASE.name.to_owned(), case);
    let mut needed: Vec<&str> =
        arguments.iter().filter(|argument| argument.is_needed).map(|argument| argument.name).collect();
    if cases.len() > 1 {
        needed.push(CASE.name);
    }
    json!({ "type": "object", "properties": properties, "required": needed, "additionalProperties": false })
}

fn property(argument: &Argument) -> Value {
    let mut property = match argument.kind {
        ArgumentKind::Text => json!({ "type": "string" }),
        ArgumentKind::Whole(least, most, usual) => {
            json!({ "type": "integer", "minimum": least, "maximum": most, "default": usual })
        }
        ArgumentKind::Decimal(most, usual) => {
            json!({ "type": "number", "exclusiveMinimum": 0, "maximum": most, "default": usual })
        }
        ArgumentKind::Numbers => {
            json!({ "type": "array", "items": { "type": "number" }, "maxItems": MOST_NAMES })
        }
        ArgumentKind::Texts => {
            json!({ "type": "array", "items": { "type": "string" }, "maxItems": MOST_NAMES })
        }
        ArgumentKind::Choice(names) => json!({ "type": "string", "enum": names, "default": names.first() }),
    };
    property["description"] = json!(argument.summary);
    property
}

/// What a tool is called with, checked against its table.
pub struct Given {
    values: Map<String, Value>,
    known: Vec<Argument>,
}

impl Given {
    pub fn check(tool: &'static [Argument], given: &Value) -> Result<Given, Failure> {
        let known: Vec<Argument> = tool.iter().copied().chain([CASE, SECONDS]).collect();
        let values = match given {
            Value::Null => Map::new(),
            Value::Object(values) => values.clone(),
            _ => return Err(bad("the arguments of a tool are a JSON object").into()),
        };
        for (name, value) in &values {
            let Some(argument) = known.iter().find(|argument| argument.name == name) else {
                return Err(unknown(name, &known).into());
            };
            if let Some(wanted) = misfit(argument.kind, value) {
                let error = bad(format!("`{}` has to be {wanted}", argument.name));
                return Err(Failure::from(error).in_argument(argument.name, &shown(value)));
            }
        }
        if let Some(argument) =
            tool.iter().find(|argument| argument.is_needed && !values.contains_key(argument.name))
        {
            return Err(bad(format!("the argument `{}` is missing", argument.name)).into());
        }
        Ok(Given { values, known })
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).and_then(Value::as_str)
    }

    /// The chosen name, the first unless one is given.
    pub fn choice(&self, name: &str) -> &str {
        let first = || match self.kind(name) {
            Some(ArgumentKind::Choice(names)) => names.first().copied().unwrap_or_default(),
            _ => "",
        };
        self.text(name).unwrap_or_else(first)
    }

    pub fn whole(&self, name: &str) -> usize {
        let usual = match self.kind(name) {
            Some(ArgumentKind::Whole(_, _, usual)) => usual,
            _ => 0,
        };
        let given = self.values.get(name).and_then(Value::as_u64).unwrap_or(usual);
        usize::try_from(given).unwrap_or(usize::MAX)
    }

    pub fn seconds(&self) -> f64 {
        self.values.get(SECONDS.name).and_then(Value::as_f64).unwrap_or(USUAL_SECONDS)
    }

    pub fn texts(&self, name: &str) -> Vec<String> {
        let list = self.values.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    pub fn numbers(&self, name: &str) -> Vec<f64> {
        let list = self.values.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_f64).collect()
    }

    fn kind(&self, name: &str) -> Option<ArgumentKind> {
        self.known.iter().find(|argument| argument.name == name).map(|argument| argument.kind)
    }
}

/// What it has to be, if it is not.
fn misfit(kind: ArgumentKind, value: &Value) -> Option<String> {
    let list_of = |fits: fn(&Value) -> bool| {
        value.as_array().is_some_and(|list| list.len() <= MOST_NAMES && list.iter().all(fits))
    };
    let (fits, wanted) = match kind {
        ArgumentKind::Text => (value.is_string(), "a text".to_owned()),
        ArgumentKind::Whole(least, most, _) => {
            let fits = value.as_u64().is_some_and(|number| (least..=most).contains(&number));
            (fits, format!("a whole number from {least} to {most}"))
        }
        ArgumentKind::Decimal(most, _) => {
            let fits = value.as_f64().is_some_and(|number| number > 0.0 && number <= most);
            (fits, format!("a number above 0 and up to {most}"))
        }
        ArgumentKind::Numbers => (list_of(Value::is_number), format!("a list of up to {MOST_NAMES} numbers")),
        ArgumentKind::Texts => (list_of(Value::is_string), format!("a list of up to {MOST_NAMES} texts")),
        ArgumentKind::Choice(names) => {
            let fits = value.as_str().is_some_and(|text| names.contains(&text));
            (fits, format!("one of {}", names.join(", ")))
        }
    };
    (!fits).then_some(wanted)
}

fn unknown(name: &str, known: &[Argument]) -> Error {
    let names = || known.iter().map(|argument| argument.name);
    let shown: String = name.chars().take(TEXT_BYTES / 4).collect();
    let error = bad(format!("the tool has no argument `{shown}`"));
    match nearest(&shown, names()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("its arguments are {}", names().collect::<Vec<_>>().join(", "))),
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub fn bad(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::BadRequest, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: &[Argument] = &[
        QUERY,
        Argument::needed("field", ArgumentKind::Text, "A field"),
        Argument::new("limit", ArgumentKind::Whole(1, 50, 20), "Rows"),
        Argument::new("order", ArgumentKind::Choice(&["oldest", "newest"]), "Order"),
    ];

    fn refused(given: &Value) -> Value {
        Given::check(TOOL, given).err().expect("it is refused").as_json()
    }

    #[test]
    fn arguments_are_checked_against_their_table() {
        let given =
            Given::check(TOOL, &json!({ "field": "a", "limit": 7, "seconds": 2.5 })).ok().expect("fits");
        assert_eq!((given.text("field"), given.whole("limit")), (Some("a"), 7));
        assert_eq!((given.choice("order"), given.seconds().to_string()), ("oldest", "2.5".to_owned()));
        let near = refused(&json!({ "field": "a", "limt": 1 }));
        assert_eq!(near["error"]["message"], "The tool has no argument `limt`.");
        assert_eq!(near["error"]["hint"], "Did you mean `limit`?");
        assert_eq!(refused(&json!({}))["error"]["message"], "The argument `field` is missing.");
        for (name, value, wanted) in [
            ("limit", json!(0), "a whole number from 1 to 50"),
            ("limit", json!("7"), "a whole number from 1 to 50"),
            ("limit", json!(1.5), "a whole number from 1 to 50"),
            ("order", json!("random"), "one of oldest, newest"),
            ("seconds", json!(0), "a number above 0 and up to 60"),
            ("query", json!(["a"]), "a text"),
        ] {
            let error = refused(&json!({ "field": "a", name: value }));
            assert_eq!(error["error"]["message"], format!("`{name}` has to be {wanted}."));
            assert_eq!(error["error"]["argument"], name);
        }
        assert_eq!(refused(&json!([1]))["error"]["code"], "badRequest");
    }

    #[test]
    fn schema_lists_cases_and_needs_one_where_there_are_several() {
        let one = schema(TOOL, &["a".to_owned()]);
        assert_eq!(one["required"], json!(["field"]));
        let two = schema(TOOL, &["a".to_owned(), "b".to_owned()]);
        assert_eq!(two["required"], json!(["field", "case"]));
        assert_eq!(two["properties"]["case"]["enum"], json!(["a", "b"]));
        assert_eq!(two["properties"]["limit"]["maximum"], 50);
    }
}
