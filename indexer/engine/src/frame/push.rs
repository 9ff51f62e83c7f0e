//! Conditions of polars as filters of the language, so that events that cannot pass are never read.
//!
//! A filter made here passes every event for which the condition is true. It may pass more, unless it is exact:
//! the language compares some values by more than their spelling, and SQL does not.

use std::collections::HashMap;

use polars::prelude::{
    AnyValue, BooleanFunction, DataFrame, DataType, Expr, FunctionExpr, IntoLazy, LiteralValue, Operator,
    StringFunction, TimeUnit,
};

use base::FieldKind;
use base::stamp;
use query::{Filter, Op, Pattern, Span, Test, levels};

/// Beyond this, floats cannot represent every whole number.
const EXACT: f64 = 4_503_599_627_370_496.0;

/// A list that is longer is looked through by polars.
const MOST_LISTED: usize = 1_000;

/// What the columns of events hold.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// The kinds of each field's values, each once.
    pub kinds: HashMap<String, Vec<FieldKind>>,
}

/// A filter, and whether it passes nothing but what the condition passes.
#[derive(Debug, PartialEq)]
pub(super) struct Pushed {
    pub filter: Filter,
    pub exact: bool,
}

/// How the values of a column compare.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Time,
    Level,
    /// Names of sources, where a filter also asks for those of their sets.
    Source,
    Raw,
    Text,
    Whole,
    Float,
    Bool,
    /// Of several types, compared as text; or the id of a template.
    Other,
}

impl Columns {
    pub fn holds(&self, name: &str) -> Holds {
        match name {
            "time" => Holds::Time,
            "level" => Holds::Level,
            "source" => Holds::Source,
            "line" => Holds::Whole,
            "raw" => Holds::Raw,
            "template" => Holds::Other,
            _ => match self.kinds.get(name).map(Vec::as_slice) {
                Some([FieldKind::Text]) => Holds::Text,
                Some([FieldKind::Int]) => Holds::Whole,
                Some([FieldKind::Bool]) => Holds::Bool,
                Some([FieldKind::Float] | [FieldKind::Int, FieldKind::Float]) => Holds::Float,
                // Messages of a case whose events have none of their own are their texts.
                None if name == "message" => Holds::Raw,
                _ => Holds::Other,
            },
        }
    }

    /// The filter that a condition allows, if any.
    pub fn push(&self, condition: &Expr) -> Option<Pushed> {
        match condition {
            Expr::Alias(inner, _) => self.push(inner),
            Expr::Column(name) if self.holds(name) == Holds::Bool => {
                Some(exactly(field(name, Test::Compare(Op::Equal, "true".to_owned()))))
            }
            Expr::BinaryExpr { left, op: Operator::And | Operator::LogicalAnd, right } => {
                match (self.push(left), self.push(right)) {
                    (Some(one), Some(other)) => Some(Pushed {
                        filter: Filter::And(vec![one.filter, other.filter]),
                        exact: one.exact && other.exact,
                    }),
                    (Some(one), None) | (None, Some(one)) => Some(Pushed { exact: false, ..one }),
                    (None, None) => None,
                }
            }
            Expr::BinaryExpr { left, op: Operator::Or | Operator::LogicalOr, right } => {
                let (one, other) = (self.push(left)?, self.push(right)?);
                Some(Pushed {
                    filter: Filter::Or(vec![one.filter, other.filter]),
                    exact: one.exact && other.exact,
                })
            }
            Expr::BinaryExpr { left, op, right } => {
                let op = comparison(*op)?;
                match (&**left, &**right) {
                    (Expr::Column(name), other) => self.compare(name, op, other),
                    (other, Expr::Column(name)) => self.compare(name, op.mirrored(), other),
                    _ => None,
                }
            }
            Expr::Function { input, function } => self.function(input, function),
            _ => None,
        }
    }

    fn function(&self, input: &[Expr], function: &FunctionExpr) -> Option<Pushed> {
        let FunctionExpr::Boolean(function) = function else {
            let FunctionExpr::StringExpr(function) = function else { return None };
            let [Expr::Column(name), wanted] = input else { return None };
            let wanted = text(&constant(wanted)?)?;
            return match function {
                StringFunction::Contains { literal: true, .. }
                | StringFunction::StartsWith
                | StringFunction::EndsWith => self.contains(name, &wanted),
                StringFunction::Contains { literal: false, .. } => self.contains(name, &like(&wanted)?),
                _ => None,
            };
        };
        match (function, input) {
            (BooleanFunction::Not, [inner]) => {
                let inner = self.push(inner).filter(|inner| inner.exact)?;
                Some(Pushed { filter: Filter::Not(Box::new(inner.filter)), exact: false })
            }
            (BooleanFunction::IsNotNull, [Expr::Column(name)]) => {
                let exact = self.tells_absence(name);
                (name != "template" && name != "raw")
                    .then(|| Pushed { filter: field(self.named(name), Test::Exists), exact })
            }
            (BooleanFunction::IsNull, [Expr::Column(name)]) if self.tells_absence(name) => {
                Some(exactly(Filter::Not(Box::new(field(name, Test::Exists)))))
            }
            (BooleanFunction::IsIn { .. }, [Expr::Column(name), list]) => {
                let mut parts = Vec::new();
                let mut exact = true;
                for value in listed(list)? {
                    let part = self.equal(name, &value)?;
                    exact &= part.exact;
                    parts.push(part.filter);
                }
                Some(Pushed { filter: Filter::Or(parts), exact })
            }
            _ => None,
        }
    }

    fn named<'n>(&self, name: &'n str) -> &'n str {
        if self.holds(name) == Holds::Raw { "raw" } else { name }
    }

    /// Whether a field that exists always has a value in the column.
    fn tells_absence(&self, name: &str) -> bool {
        matches!(
            self.holds(name),
            Holds::Time | Holds::Level | Holds::Source | Holds::Text | Holds::Whole | Holds::Bool
        )
    }

    fn equal(&self, name: &str, value: &AnyValue<'_>) -> Option<Pushed> {
        self.compare_value(name, Op::Equal, value)
    }

    fn compare(&self, name: &str, op: Op, other: &Expr) -> Option<Pushed> {
        self.compare_value(name, op, &constant(other)?)
    }

    fn compare_value(&self, name: &str, op: Op, value: &AnyValue<'_>) -> Option<Pushed> {
        let compared = |value: String| field(name, Test::Compare(op, value));
        match self.holds(name) {
            Holds::Time => {
                let time = time(value)?;
                let written = stamp::to_rfc3339(time);
                (stamp::parse(&written) == Some(time)).then(|| exactly(compared(written)))
            }
            // Other names of levels are names in the language only.
            Holds::Level => {
                let name = text(value)?;
                is_level(&name).then(|| exactly(compared(name)))
            }
            Holds::Whole | Holds::Float => Some(exactly(compared(number(value)?))),
            Holds::Bool => match value {
                AnyValue::Boolean(value) if matches!(op, Op::Equal | Op::NotEqual) => {
                    Some(exactly(compared(value.to_string())))
                }
                _ => None,
            },
            Holds::Text => {
                let wanted = text(value)?;
                // Sizes, times and addresses have an order of their own in the language.
                let is_spelling = matches!(op, Op::Equal | Op::NotEqual);
                let test = if is_spelling { Test::Compare(op, wanted) } else { Test::Exists };
                Some(Pushed { filter: field(name, test), exact: is_spelling })
            }
            Holds::Source => {
                let wanted = text(value)?;
                let filter = field(name, Test::Compare(Op::Equal, wanted));
                (op == Op::Equal).then_some(Pushed { filter, exact: false })
            }
            Holds::Raw if op == Op::Equal => self.contains(name, &text(value)?),
            Holds::Raw | Holds::Other => None,
        }
    }

    /// Texts that have another one in them, whatever its case.
    fn contains(&self, name: &str, wanted: &str) -> Option<Pushed> {
        // What could not be decoded is shown as such, and stored as it was.
        if wanted.is_empty() || wanted.contains(char::REPLACEMENT_CHARACTER) {
            return None;
        }
        let pattern = Pattern::Substring(wanted.to_owned());
        let filter = match self.holds(name) {
            Holds::Raw => Filter::Text(pattern),
            Holds::Text | Holds::Source => field(name, Test::Matches(vec![pattern])),
            _ => return None,
        };
        Some(Pushed { filter, exact: false })
    }
}

fn exactly(filter: Filter) -> Pushed {
    Pushed { filter, exact: true }
}

fn field(name: &str, test: Test) -> Filter {
    Filter::Field { field: name.to_owned(), test, span: Span { start: 0, end: 0 } }
}

/// Whether a level has exactly this name.
pub(super) fn is_level(name: &str) -> bool {
    levels::LEVELS.iter().any(|(known, _)| *known == name)
}

pub(super) fn comparison(op: Operator) -> Option<Op> {
    Some(match op {
        Operator::Eq => Op::Equal,
        Operator::NotEq => Op::NotEqual,
        Operator::Lt => Op::Less,
        Operator::LtEq => Op::LessOrEqual,
        Operator::Gt => Op::Greater,
        Operator::GtEq => Op::GreaterOrEqual,
        _ => return None,
    })
}

/// The value of an expression that names no column.
pub(super) fn constant(expr: &Expr) -> Option<AnyValue<'static>> {
    if let Expr::Literal(LiteralValue::Scalar(value)) = expr {
        return Some(value.value().clone().into_static());
    }
    if !is_constant(expr) {
        return None;
    }
    let one = DataFrame::empty_with_height(1).lazy().select([expr.clone().alias("value")]).collect().ok()?;
    let value = one.column("value").ok().filter(|column| column.len() == 1)?;
    value.get(0).ok().map(AnyValue::into_static)
}

/// Literals, and what is made of them by casts and functions of one value.
fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(_) => true,
        Expr::Cast { expr, .. } | Expr::Alias(expr, _) => is_constant(expr),
        Expr::BinaryExpr { left, right, .. } => is_constant(left) && is_constant(right),
        Expr::Function { input, function: FunctionExpr::StringExpr(_) } => input.iter().all(is_constant),
        _ => false,
    }
}

/// The values of a list without gaps.
pub(super) fn listed(list: &Expr) -> Option<Vec<AnyValue<'static>>> {
    let values = match list {
        Expr::Literal(LiteralValue::Series(values)) => (**values).clone(),
        _ => match constant(list)? {
            AnyValue::List(values) => values,
            _ => return None,
        },
    };
    let values = if let DataType::List(_) = values.dtype() {
        match values.get(0).ok().filter(|_| values.len() == 1)? {
            AnyValue::List(values) => values,
            _ => return None,
        }
    } else {
        values
    };
    let values: Vec<_> = values.iter().map(AnyValue::into_static).collect();
    // A list with nothing in it has rules of its own.
    let is_plain = values.iter().all(|value| !matches!(value, AnyValue::Null));
    (is_plain && !values.is_empty() && values.len() <= MOST_LISTED).then_some(values)
}

pub(super) fn text(value: &AnyValue<'_>) -> Option<String> {
    match value {
        AnyValue::String(text) => Some((*text).to_owned()),
        AnyValue::StringOwned(text) => Some(text.to_string()),
        AnyValue::Enum(code, mapping) | AnyValue::Categorical(code, mapping) => {
            mapping.cat_to_str(*code).map(str::to_owned)
        }
        AnyValue::EnumOwned(code, mapping) | AnyValue::CategoricalOwned(code, mapping) => {
            mapping.cat_to_str(*code).map(str::to_owned)
        }
        _ => None,
    }
}

/// A number that means the same in the language.
pub(super) fn number(value: &AnyValue<'_>) -> Option<String> {
    if value.is_integer() {
        let whole: i64 = value.extract()?;
        return Some(whole.to_string());
    }
    let float = match value {
        AnyValue::Float64(value) => *value,
        AnyValue::Float32(value) => f64::from(*value),
        _ => return None,
    };
    (float.abs() <= EXACT && (float == 0.0 || float.abs() > 1e-9)).then(|| format!("{}", float + 0.0))
}

fn time(value: &AnyValue<'_>) -> Option<i64> {
    let (value, unit) = match value {
        AnyValue::Datetime(value, unit, _) | AnyValue::DatetimeOwned(value, unit, _) => (*value, *unit),
        _ => return None,
    };
    value.checked_mul(match unit {
        TimeUnit::Nanoseconds => 1,
        TimeUnit::Microseconds => 1_000,
        TimeUnit::Milliseconds => 1_000_000,
    })
}

/// The longest text that everything has that a `LIKE` passes, which comes as a regular expression.
fn like(pattern: &str) -> Option<String> {
    let inner =
        pattern.strip_prefix("^(?s)").or_else(|| pattern.strip_prefix("^(?is)"))?.strip_suffix('$')?;
    let mut parts = vec![String::new()];
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let escaped = characters.next().filter(|next| !next.is_alphanumeric())?;
                parts.last_mut()?.push(escaped);
            }
            '.' => parts.push(String::new()),
            // After a dot it means any number of characters.
            '*' if parts.last().is_some_and(String::is_empty) => {}
            '^' | '$' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' => return None,
            other => parts.last_mut()?.push(other),
        }
    }
    parts.into_iter().max_by_key(String::len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars::prelude::{col, lit};

    fn columns() -> Columns {
        let kinds = [
            ("service", vec![FieldKind::Text]),
            ("status", vec![FieldKind::Int]),
            ("took", vec![FieldKind::Int, FieldKind::Float]),
            ("ok", vec![FieldKind::Bool]),
            ("odd", vec![FieldKind::Text, FieldKind::Int]),
        ];
        Columns { kinds: kinds.into_iter().map(|(name, kinds)| (name.to_owned(), kinds)).collect() }
    }

    fn pushed(condition: &Expr) -> String {
        match columns().push(condition) {
            Some(Pushed { filter, exact: true }) => filter.to_string(),
            Some(Pushed { filter, exact: false }) => format!("at least {filter}"),
            None => "nothing".to_owned(),
        }
    }

    #[test]
    fn conditions_become_filters() {
        let starts = col("service").str().starts_with(lit("ab"));
        let listed = col("status").is_in(lit(polars::prelude::Series::from_iter([1_i64, 2])), false);
        for (condition, expected) in [
            (col("service").eq(lit("api")), "service=api"),
            (lit(500).lt_eq(col("status")), "status>=500"),
            (col("took").gt(lit(0.5)), "took>0.5"),
            (col("ok"), "ok=true"),
            (col("status").is_null(), "NOT status:*"),
            (col("took").is_null(), "nothing"),
            (starts, "at least service:*ab*"),
            (listed, "status=1 OR status=2"),
            (col("service").gt(lit("a")), "at least service:*"),
            (col("odd").eq(lit("5")), "nothing"),
            (col("status").eq(lit(1)).and(col("odd").eq(lit("5"))), "at least status=1"),
            (col("status").eq(lit(1)).or(col("odd").eq(lit("5"))), "nothing"),
            (col("status").eq(lit(1)).not(), "at least NOT status=1"),
            (col("source").eq(lit("a.log")).not(), "nothing"),
            (col("status").eq(col("took")), "nothing"),
            (col("level").gt_eq(lit("warn")), "level>=warn"),
            (col("level").eq(lit("warning")), "nothing"),
            (col("raw").str().contains_literal(lit("x y")), "at least *x\\ y*"),
        ] {
            assert_eq!(pushed(&condition), expected, "{condition:?}");
        }
    }

    #[test]
    fn a_like_tells_its_longest_text() {
        assert_eq!(like("^(?s).*time\\.out.*of.$").as_deref(), Some("time.out"));
        assert_eq!(like("^(?is)abc.*$").as_deref(), Some("abc"));
        assert_eq!(like("^a|b$"), None);
        assert_eq!(like("plain"), None);
    }
}
