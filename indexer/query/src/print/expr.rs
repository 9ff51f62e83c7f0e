//! Expressions as text.

use std::fmt::{self, Display, Formatter, Write};

use super::filter::{Position, print_test};
use super::{list, name, quoted};
use crate::ast::{BinaryOp, Expr, ExprKind, Filter, Test};

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print(self, f, 0)
    }
}

const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const SUM: u8 = 5;
const UNARY: u8 = 7;
const OPERAND: u8 = 8;

/// How tightly an expression binds: what binds looser than its surroundings needs parentheses.
fn strength(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Or(_) => 1,
        ExprKind::And(_) => 2,
        ExprKind::Not(inner) if in_word(inner).is_some() => COMPARISON,
        ExprKind::Not(_) => NOT,
        ExprKind::In(..) | ExprKind::IsNull(_) | ExprKind::Regex(..) => COMPARISON,
        ExprKind::Binary(op, ..) => op.strength(),
        ExprKind::Negated(_) => UNARY,
        _ => OPERAND,
    }
}

/// Conditions that are denied by a word in their middle: `x not in (…)`.
fn in_word(inner: &Expr) -> Option<&Expr> {
    match &inner.kind {
        ExprKind::In(left, _)
        | ExprKind::IsNull(left)
        | ExprKind::Regex(left, _)
        | ExprKind::Binary(BinaryOp::Like, left, _) => Some(left),
        _ => None,
    }
}

fn print(expr: &Expr, f: &mut Formatter<'_>, around: u8) -> fmt::Result {
    if strength(expr) < around {
        f.write_char('(')?;
        print(expr, f, 0)?;
        return f.write_char(')');
    }
    match &expr.kind {
        ExprKind::Null => f.write_str("null"),
        ExprKind::Bool(value) => write!(f, "{value}"),
        ExprKind::Int(value) => write!(f, "{value}"),
        // With its point, so that it stays a float.
        ExprKind::Float(value) => write!(f, "{value:?}"),
        ExprKind::Text(text) => quoted(text, '"', f),
        ExprKind::Quantity(quantity) => write!(f, "{quantity}"),
        ExprKind::Time(text) => f.write_str(text),
        ExprKind::Field(field) => name(field, f),
        ExprKind::Negated(inner) => {
            f.write_char('-')?;
            print(inner, f, UNARY)
        }
        ExprKind::Not(inner) if in_word(inner).is_some() => condition(inner, f, true),
        ExprKind::Not(inner) => {
            f.write_str("not ")?;
            print(inner, f, NOT)
        }
        ExprKind::And(parts) => list(parts, " and ", f, |part, f| print(part, f, NOT)),
        ExprKind::Or(parts) => list(parts, " or ", f, |part, f| print(part, f, 2)),
        ExprKind::Binary(BinaryOp::Like, ..)
        | ExprKind::In(..)
        | ExprKind::IsNull(_)
        | ExprKind::Regex(..) => condition(expr, f, false),
        ExprKind::Binary(op, left, right) => {
            let own = op.strength();
            // Comparisons do not chain; sums and products are done from the left.
            print(left, f, if own == COMPARISON { SUM } else { own })?;
            write!(f, " {} ", op.symbol())?;
            print(right, f, own + 1)
        }
        ExprKind::Call(function, arguments) => {
            f.write_str(function.name())?;
            f.write_char('(')?;
            list(arguments, ", ", f, |argument, f| print(argument, f, 0))?;
            f.write_char(')')
        }
        ExprKind::Clause(filter) => clause(filter, f),
    }
}

/// A condition with a word in its middle, denied or not.
fn condition(expr: &Expr, f: &mut Formatter<'_>, denied: bool) -> fmt::Result {
    let not = if denied { "not " } else { "" };
    match &expr.kind {
        ExprKind::In(value, values) => {
            print(value, f, SUM)?;
            write!(f, " {not}in (")?;
            list(values, ", ", f, |value, f| print(value, f, 0))?;
            f.write_char(')')
        }
        ExprKind::IsNull(value) => {
            print(value, f, SUM)?;
            write!(f, " is {not}null")
        }
        ExprKind::Regex(value, regex) => {
            print(value, f, SUM)?;
            write!(f, " {} {regex}", if denied { "!~" } else { "=~" })
        }
        ExprKind::Binary(BinaryOp::Like, value, pattern) => {
            print(value, f, SUM)?;
            write!(f, " {not}like ")?;
            print(pattern, f, SUM)
        }
        _ => print(expr, f, 0),
    }
}

/// A clause within an expression; the name is printed like any name there.
fn clause(filter: &Filter, f: &mut Formatter<'_>) -> fmt::Result {
    let Filter::Field { field, test, .. } = filter else { return Ok(()) };
    name(field, f)?;
    if matches!(test, Test::Compare(..)) {
        // Without it, this would be a comparison of expressions.
        f.write_char(':')?;
    }
    print_test(test, f, Position::ExprValue)
}
