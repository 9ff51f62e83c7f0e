//! What a difference is about.

use std::fmt;

use super::pattern_places::template_filter;
use patterns::TemplateId;
use query::{Filter, Op, Span, Test};
use serde::Serialize;
use store::Scalar;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Subject {
    Pattern {
        #[cfg_attr(feature = "typescript", ts(type = "string"))]
        id: TemplateId,
        text: String,
    },
    Value {
        field: String,
        value: Scalar,
    },
    /// Both at once.
    Pair {
        one: Box<Subject>,
        other: Box<Subject>,
    },
    /// The numbers of a field, in the events that have this value where there is one.
    Number {
        field: String,
        group: Option<Box<Subject>>,
    },
    /// The clock of a source, compared with that of another one.
    Clock {
        source: String,
        against: String,
    },
}

impl Subject {
    /// The filter that finds its events.
    #[must_use]
    pub fn filter(&self) -> Filter {
        self.filter_by(&template_filter)
    }

    /// The same, where the events of a pattern are found by another filter.
    pub(super) fn filter_by(&self, of_pattern: &dyn Fn(TemplateId) -> Filter) -> Filter {
        let equal = |field: &str, value: String| Filter::Field {
            field: field.to_owned(),
            test: Test::Compare(Op::Equal, value),
            span: Span::default(),
        };
        match self {
            Subject::Pattern { id, .. } => of_pattern(*id),
            Subject::Value { field, value } => equal(field, value.to_string()),
            Subject::Pair { one, other } => {
                Filter::And(vec![one.filter_by(of_pattern), other.filter_by(of_pattern)])
            }
            Subject::Number { field, group } => {
                let field = Filter::Field { field: field.clone(), test: Test::Exists, span: Span::default() };
                match group {
                    None => field,
                    Some(group) => Filter::And(vec![field, group.filter_by(of_pattern)]),
                }
            }
            Subject::Clock { source, against } => {
                Filter::Or(vec![equal("source", source.clone()), equal("source", against.clone())])
            }
        }
    }

    /// The kind of row, as tables name it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Subject::Pattern { .. } => "pattern",
            Subject::Value { .. } => "value",
            Subject::Pair { .. } => "pair",
            Subject::Number { .. } => "number",
            Subject::Clock { .. } => "clock",
        }
    }

    /// Whether it is about a field.
    #[must_use]
    pub fn names(&self, wanted: &str) -> bool {
        match self {
            Subject::Pattern { .. } | Subject::Clock { .. } => false,
            Subject::Value { field, .. } | Subject::Number { field, .. } => field == wanted,
            Subject::Pair { one, other } => one.names(wanted) || other.names(wanted),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Pattern { text, .. } => f.write_str(text),
            Subject::Value { field, value } => write!(f, "{field}={value}"),
            Subject::Pair { one, other } => write!(f, "{one} and {other}"),
            Subject::Number { field, group: None } => f.write_str(field),
            Subject::Number { field, group: Some(group) } => write!(f, "{field} where {group}"),
            Subject::Clock { source, against } => write!(f, "clock of {source} against {against}"),
        }
    }
}
