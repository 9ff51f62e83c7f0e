//! Conditions on fields: `mstatus > 90 and not host matches /^test/`.

use super::matcher::Matcher;
use super::syntax::Dialect;
use crate::limits;

/// A condition on the fields of an event; fields are given by number.
#[derive(Debug)]
pub(super) enum Condition {
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    Exists(usize),
    Matches(usize, Box<Matcher>),
    Number(usize, Comparison, f64),
    Text(usize, Comparison, Box<[u8]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    AtMost,
    Equal,
    Unequal,
    AtLeast,
    More,
}

impl Comparison {
    fn holds(self, order: Option<std::cmp::Ordering>) -> bool {
        match self {
            Comparison::Less => order.is_some_and(std::cmp::Ordering::is_lt),
            Comparison::AtMost => order.is_some_and(std::cmp::Ordering::is_le),
            Comparison::Equal => order.is_some_and(std::cmp::Ordering::is_eq),
            Comparison::Unequal => order.is_none_or(std::cmp::Ordering::is_ne),
            Comparison::AtLeast => order.is_some_and(std::cmp::Ordering::is_ge),
            Comparison::More => order.is_some_and(std::cmp::Ordering::is_gt),
        }
    }
}

impl Condition {
    /// Evaluates the condition. A comparison with a missing field, or of a number with a field that is no number,
    /// is false, except for `!=`.
    pub(super) fn holds<'a>(&self, value: &impl Fn(usize) -> Option<&'a [u8]>) -> bool {
        match self {
            Condition::And(all) => all.iter().all(|condition| condition.holds(value)),
            Condition::Or(any) => any.iter().any(|condition| condition.holds(value)),
            Condition::Not(condition) => !condition.holds(value),
            Condition::Exists(field) => value(*field).is_some(),
            Condition::Matches(field, matcher) => value(*field).is_some_and(|text| matcher.is_match(text)),
            Condition::Number(field, comparison, number) => comparison
                .holds(value(*field).and_then(number_of).and_then(|value| value.partial_cmp(number))),
            Condition::Text(field, comparison, text) => {
                comparison.holds(value(*field).map(|value| value.cmp(text)))
            }
        }
    }
}

/// Parses a text that is a number as a whole. Short integers, the usual case, are read in a loop.
#[inline]
pub(super) fn number_of(text: &[u8]) -> Option<f64> {
    if (1..=15).contains(&text.len()) && text.iter().all(u8::is_ascii_digit) {
        return Some(text.iter().fold(0_i64, |number, digit| number * 10 + i64::from(digit - b'0')) as f64);
    }
    match text.first()? {
        b'0'..=b'9' | b'+' | b'-' | b'.' => std::str::from_utf8(text).ok()?.parse().ok(),
        _ => None,
    }
}

/// Parses a condition; `field` returns the number of a field, or an error message if there is none.
pub(super) fn parse(text: &str, field: &dyn Fn(&str) -> Result<usize, String>) -> Result<Condition, String> {
    let mut reader = ConditionReader { rest: text.trim(), field, depth: 0 };
    let condition = reader.any()?;
    if reader.rest.is_empty() {
        Ok(condition)
    } else {
        Err(format!("`{}` was not expected; join conditions by `and` or `or`", reader.rest))
    }
}

struct ConditionReader<'a> {
    rest: &'a str,
    field: &'a dyn Fn(&str) -> Result<usize, String>,
    depth: usize,
}

const COMPARISONS: [(&str, Comparison); 7] = [
    (">=", Comparison::AtLeast),
    ("<=", Comparison::AtMost),
    ("!=", Comparison::Unequal),
    ("==", Comparison::Equal),
    (">", Comparison::More),
    ("<", Comparison::Less),
    ("=", Comparison::Equal),
];

impl ConditionReader<'_> {
    fn any(&mut self) -> Result<Condition, String> {
        let mut conditions = vec![self.all()?];
        while self.word("or") {
            conditions.push(self.all()?);
        }
        Ok(if conditions.len() == 1 { conditions.remove(0) } else { Condition::Or(conditions) })
    }

    fn all(&mut self) -> Result<Condition, String> {
        let mut conditions = vec![self.one()?];
        while self.word("and") {
            conditions.push(self.one()?);
        }
        Ok(if conditions.len() == 1 { conditions.remove(0) } else { Condition::And(conditions) })
    }

    fn one(&mut self) -> Result<Condition, String> {
        self.depth += 1;
        if self.depth > limits::DEEPEST_PATTERN {
            return Err("the condition is nested too deep".to_string());
        }
        let condition = self.nested()?;
        self.depth -= 1;
        Ok(condition)
    }

    fn nested(&mut self) -> Result<Condition, String> {
        if self.word("not") {
            return Ok(Condition::Not(Box::new(self.one()?)));
        }
        if self.eat("(") {
            let condition = self.any()?;
            return if self.eat(")") { Ok(condition) } else { Err("a `)` is missing".to_string()) };
        }
        let name = self.name()?;
        let field = (self.field)(&name)?;
        if self.word("exists") {
            return Ok(Condition::Exists(field));
        }
        if self.word("matches") {
            return self.pattern(field);
        }
        let comparison =
            COMPARISONS.iter().find(|(sign, _)| self.eat(sign)).map(|(_, comparison)| *comparison);
        let comparison = comparison
            .ok_or_else(|| format!("`{name}` needs a comparison: > >= < <= = != matches /…/ or exists"))?;
        self.value(field, comparison)
    }

    fn value(&mut self, field: usize, comparison: Comparison) -> Result<Condition, String> {
        if let Some(quote @ ('"' | '\'')) = self.rest.chars().next() {
            let inner = &self.rest[1..];
            let end = inner.find(quote).ok_or_else(|| format!("a `{quote}` is missing"))?;
            self.skip(end + 2);
            return Ok(Condition::Text(field, comparison, inner.as_bytes()[..end].into()));
        }
        let end = self.rest.find([' ', ')']).unwrap_or(self.rest.len());
        let text = &self.rest[..end];
        if text.is_empty() {
            return Err("a value is missing after the comparison".to_string());
        }
        self.skip(end);
        Ok(match number_of(text.as_bytes()) {
            Some(number) => Condition::Number(field, comparison, number),
            None => Condition::Text(field, comparison, text.as_bytes().into()),
        })
    }

    fn pattern(&mut self, field: usize) -> Result<Condition, String> {
        let inner =
            self.rest.strip_prefix('/').ok_or("`matches` needs a regular expression between slashes")?;
        let bytes = inner.as_bytes();
        let mut end = 0;
        while end < bytes.len() && bytes[end] != b'/' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        if end >= bytes.len() {
            return Err("the regular expression has no closing slash".to_string());
        }
        let matcher = Matcher::new(&inner[..end].replace(r"\/", "/"), Dialect::Perl)?;
        self.skip(end + 2);
        Ok(Condition::Matches(field, Box::new(matcher)))
    }

    fn name(&mut self) -> Result<String, String> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '@' | '[' | ']');
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let name = &self.rest[..end];
        if name.is_empty() {
            return Err(match self.rest {
                "" => "the condition ends too early".to_string(),
                rest => format!("a field is missing before `{rest}`"),
            });
        }
        self.skip(end);
        Ok(name.to_string())
    }

    fn word(&mut self, word: &str) -> bool {
        let Some(start) = self.rest.get(..word.len()) else { return false };
        let ends_word =
            self.rest[word.len()..].chars().next().is_none_or(|next| !next.is_alphanumeric() && next != '_');
        let found = start.eq_ignore_ascii_case(word) && ends_word;
        if found {
            self.skip(word.len());
        }
        found
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest.starts_with(token);
        if found {
            self.skip(token.len());
        }
        found
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest[length..].trim_start();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn number(name: &str) -> Result<usize, String> {
        ["status", "host", "gone"].iter().position(|field| *field == name).ok_or(format!("no field {name}"))
    }

    #[track_caller]
    fn check(condition: &str, expected: bool) {
        let fields = [Some(&b"91"[..]), Some(b"web-1"), None];
        let condition = parse(condition, &number).unwrap();
        assert_eq!(condition.holds(&|field| fields[field]), expected);
    }

    #[test]
    fn comparisons() {
        check("status > 90", true);
        check("status>91", false);
        check("status >= 91.0", true);
        check("status < 100", true);
        check("status <= 90.5", false);
        check("status = 91", true);
        check("status != 91", false);
        check("host = web-1", true);
        check("host = \"web 1\"", false);
        check("host > 5", false);
        check("gone > 5", false);
        check("gone != 5", true);
        check("host exists", true);
        check("gone exists", false);
        check(r"host matches /^web-\d+$/", true);
        check("host matches /a\\/b/", false);
    }

    #[test]
    fn and_or_not() {
        check("status > 90 and host matches /web/", true);
        check("status > 95 or not gone exists", true);
        check("status > 95 or status > 90 and gone exists", false);
        check("not (status > 95 or gone exists)", true);
        check("NOT status > 95 AND host exists", true);
    }

    #[test]
    fn errors_describe_the_mistake() {
        let error = |condition: &str| parse(condition, &number).unwrap_err();
        assert_eq!(error("sttus > 1"), "no field sttus");
        assert!(error("status").contains("needs a comparison"));
        assert!(error("status >").contains("value is missing"));
        assert!(error("status > 1 host").contains("`host` was not expected"));
        assert!(error("host matches x").contains("between slashes"));
        assert!(error("host matches /x").contains("closing slash"));
        assert!(error("(status > 1").contains("`)` is missing"));
        assert!(error("status > 1 and").contains("ends too early"));
    }
}
