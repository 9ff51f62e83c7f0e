//! Answers that fit: rows up to a size, with what is left out, texts that are cut, and errors.

use indexer::{Error, ErrorKind, ErrorReport};
use serde_json::{Map, Value, json};

use super::limits::{ANSWER_BYTES, CELL_BYTES, TEXT_BYTES};

/// Why a tool gave no answer, and in which argument.
pub struct Failure {
    report: Box<ErrorReport>,
    argument: Option<&'static str>,
    /// The part of the argument that the error is about.
    part: Option<String>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        ErrorReport::from(error).into()
    }
}

impl From<ErrorReport> for Failure {
    fn from(report: ErrorReport) -> Failure {
        Failure { report: Box::new(report), argument: None, part: None }
    }
}

impl Failure {
    /// The span of the error is in this argument.
    #[must_use]
    pub fn in_argument(mut self, name: &'static str, text: &str) -> Failure {
        self.argument = Some(name);
        self.part = match self.report.span {
            Some((start, end)) => text.get(start..end).map(|part| cut(part, TEXT_BYTES).0),
            None => None,
        };
        self
    }

    pub fn is_cancelled(&self) -> bool {
        self.report.code == ErrorKind::Cancelled
    }

    pub fn as_json(&self) -> Value {
        let short = |text: &str| cut(text, TEXT_BYTES).0;
        let report = &self.report;
        let mut error = json!({ "code": report.code, "message": short(&report.message) });
        if let Some(hint) = &report.hint {
            error["hint"] = json!(short(hint));
        }
        if let Some(path) = &report.path {
            error["path"] = json!(path);
        }
        if let Some(argument) = self.argument {
            error["argument"] = json!(argument);
        }
        if let Some((start, end)) = report.span {
            error["span"] = json!([start, end]);
        }
        if let Some(part) = &self.part {
            error["part"] = json!(part);
        }
        json!({ "error": error })
    }
}

pub type Answered = Result<Map<String, Value>, Failure>;

/// Puts as many rows into an answer as fit; `whole` is how many there are, and `more` says how to get at the others,
/// given how many are listed.
pub fn with_rows(
    answer: &mut Map<String, Value>,
    name: &str,
    rows: Vec<Value>,
    whole: u64,
    more: impl Fn(usize) -> String,
) {
    // Room for the note itself, and for what is said of every answer.
    let room = ANSWER_BYTES.saturating_sub(bytes_of(&Value::Object(answer.clone())) + 3 * TEXT_BYTES);
    let mut used = 0;
    let listed: Vec<Value> = rows
        .into_iter()
        .take_while(|row| {
            used += bytes_of(row) + 1;
            used <= room
        })
        .collect();
    let left_out = whole.saturating_sub(listed.len() as u64);
    if left_out > 0 {
        let how = cut(&more(listed.len()), TEXT_BYTES).0;
        let note = json!({ "of": name, "count": left_out, "how_to_see_more": how });
        let notes = answer.entry("left_out").or_insert_with(|| json!([]));
        if let Some(notes) = notes.as_array_mut() {
            notes.push(note);
        }
    }
    answer.insert(name.to_owned(), Value::Array(listed));
}

fn bytes_of(value: &Value) -> usize {
    value.to_string().len()
}

/// The beginning of a text that takes at most so many bytes as JSON, and whether that is not all of it.
pub fn cut(text: &str, most: usize) -> (String, bool) {
    let mut used = 0;
    for (at, letter) in text.char_indices() {
        used += match letter {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            '\0'..='\x1f' => 6,
            other => other.len_utf8(),
        };
        if used > most {
            return (text[..at].to_owned(), true);
        }
    }
    (text.to_owned(), false)
}

/// A text that is cut where it is long, with a mark that it was.
pub fn shortened(text: &str, most: usize) -> String {
    match cut(text, most) {
        (mut begin, true) => {
            begin.push('…');
            begin
        }
        (whole, false) => whole,
    }
}

/// A value whose texts are cut where they are long.
pub fn short(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(shortened(&text, CELL_BYTES)),
        Value::Array(values) => values.into_iter().map(short).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, short(value))).collect(),
        other => other,
    }
}

/// The rows of a list in JSON.
pub fn listed<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fill_an_answer_and_the_rest_is_counted() {
        let rows: Vec<Value> = (0..200).map(|row| json!({ "row": row, "text": "x".repeat(1_000) })).collect();
        let mut answer = Map::new();
        with_rows(&mut answer, "rows", rows, 5_000, |listed| format!("go on at {listed}"));
        let listed = answer["rows"].as_array().expect("rows").len();
        assert!((40..60).contains(&listed), "{listed}");
        assert_eq!(answer["left_out"][0]["count"], 5_000 - listed);
        assert_eq!(answer["left_out"][0]["how_to_see_more"], format!("go on at {listed}"));
        assert!(bytes_of(&Value::Object(answer)) <= ANSWER_BYTES);

        let mut all = Map::new();
        with_rows(&mut all, "rows", vec![json!(1)], 1, |_| String::new());
        assert_eq!(Value::Object(all), json!({ "rows": [1] }));
    }

    #[test]
    fn texts_are_cut_by_what_they_take_as_json() {
        assert_eq!(cut("abc", 3), ("abc".to_owned(), false));
        assert_eq!(cut("abcd", 3), ("abc".to_owned(), true));
        assert_eq!(cut("äöü", 4), ("äö".to_owned(), true));
        assert_eq!(cut("\u{1}\u{1}", 6), ("\u{1}".to_owned(), true));
        let (hostile, _) = cut(&"\u{1}\"\n".repeat(9_000), 600);
        assert!(Value::from(hostile).to_string().len() <= 602);
    }
}
