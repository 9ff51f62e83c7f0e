//! Expressions: the calculated values in `where`, `eval`, `stats` and `by`.

use super::{Filter, Op, Quantity, RegexText, Span};
use crate::functions::Function;

#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// A missing value (`null`) goes through every operator and function that does not say otherwise: the result
/// is missing too. A condition that is missing does not hold.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    /// `5m`, `10kb`. In arithmetic and comparisons a duration has the unit of the field that it is used with
    /// (nanoseconds with times), a size is in bytes.
    Quantity(Quantity),
    /// `@2024-05-01T14:05`, `now-15m`, `yesterday`, as it was written.
    Time(String),
    /// A field of the rows that enter the stage; after `stats` also a result by its printed name, such as
    /// `avg(bytes)`.
    Field(String),
    Negated(Box<Expr>),
    Not(Box<Expr>),
    /// At least two parts each.
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// The value equals one of the list.
    In(Box<Expr>, Vec<Expr>),
    /// `is null`; `is not null` is this within `Not`.
    IsNull(Box<Expr>),
    /// `value =~ /re/`: the expression matches anywhere in the value's text.
    Regex(Box<Expr>, RegexText),
    /// The number of arguments is within what the function takes.
    Call(Function, Vec<Expr>),
    /// A clause of the filter language on a field, `status:500`; always a [`Filter::Field`].
    Clause(Box<Filter>),
}

/// Two operands, one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// Numbers are added; where one side is text, the texts are joined; a time and a duration give a time.
    Add,
    /// Two times give a duration in nanoseconds.
    Subtract,
    Multiply,
    /// Always a float; by zero it is missing.
    Divide,
    /// The rest of a division with the sign of the dividend; by zero it is missing.
    Remainder,
    /// Numbers with numbers, times with times, else as texts; `level` in the order of levels.
    Compare(Op),
    /// The whole text against a pattern with `*` and `?`, in any case.
    Like,
}

impl BinaryOp {
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
            BinaryOp::Compare(op) => op.symbol(),
            BinaryOp::Like => "like",
        }
    }

    /// How tightly it binds; what binds tighter is done first.
    #[must_use]
    pub fn strength(self) -> u8 {
        match self {
            BinaryOp::Compare(_) | BinaryOp::Like => 4,
            BinaryOp::Add | BinaryOp::Subtract => 5,
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 6,
        }
    }
}

impl Expr {
    #[must_use]
    pub fn new(kind: ExprKind, span: Span) -> Expr {
        Expr { kind, span }
    }

    /// The field, where the expression is nothing but one.
    #[must_use]
    pub fn as_field(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Field(name) => Some(name),
            _ => None,
        }
    }
}
