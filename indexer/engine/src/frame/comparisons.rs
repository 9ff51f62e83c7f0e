//! Comparisons of a statement that nobody can have meant: of texts with numbers, of times with other texts, and of levels
//! with names that no level has. polars refuses some of them when it comes to rows, and answers others with no rows.

use polars::prelude::{
    AggExpr, AnyValue, BooleanFunction, DataType, DslPlan, Expr, FunctionExpr, LazyFrame, Schema,
    UnknownKind, lit,
};

use super::lower::{exprs, inputs, unwrap};
use super::mistakes::Mistakes;
use super::push::{comparison, constant, is_level, listed, number, text};
use base::error::{Error, ErrorKind, Result};
use query::{levels, nearest};

/// Refuses the first comparison of a plan whose sides do not fit.
pub(super) fn check(frame: &LazyFrame, mistakes: &Mistakes<'_>) -> Result<()> {
    check_plan(&mut frame.logical_plan.clone(), mistakes)
}

fn check_plan(plan: &mut DslPlan, mistakes: &Mistakes<'_>) -> Result<()> {
    unwrap(plan);
    for input in inputs(plan) {
        check_plan(input, mistakes)?;
    }
    let parts: Vec<Expr> = exprs(plan).into_iter().flat_map(|expr| (&*expr).into_iter().cloned()).collect();
    let compared: Vec<(Expr, Expr)> = parts.iter().flat_map(compared).collect();
    for part in &parts {
        if let Expr::SubPlan(inner, _) = part {
            check_plan(&mut (***inner).clone(), mistakes)?;
        }
    }
    // Columns of two tables may have the same name.
    let mut inputs = inputs(plan);
    let ([input], false) = (inputs.as_mut_slice(), compared.is_empty()) else { return Ok(()) };
    // A column that is not there is found by polars.
    let Ok(schema) = LazyFrame::from(input.clone()).collect_schema() else { return Ok(()) };
    compared.iter().try_for_each(|(one, other)| fitting(one, other, &schema, mistakes))
}

/// What an expression compares by itself, with each value of a list.
fn compared(expr: &Expr) -> Vec<(Expr, Expr)> {
    match expr {
        Expr::BinaryExpr { left, op, right } if comparison(*op).is_some() => {
            vec![((**left).clone(), (**right).clone())]
        }
        Expr::Function { input, function: FunctionExpr::Boolean(BooleanFunction::IsIn { .. }) } => {
            let [of, list] = input.as_slice() else { return Vec::new() };
            let list = match list {
                Expr::Agg(AggExpr::Implode { input, .. }) => &**input,
                list => list,
            };
            let values = listed(list).unwrap_or_default();
            values.iter().filter_map(written).map(|value| (of.clone(), value)).collect()
        }
        _ => Vec::new(),
    }
}

/// A value as an expression.
fn written(value: &AnyValue<'_>) -> Option<Expr> {
    text(value).map(lit).or_else(|| value.extract::<f64>().map(lit))
}

#[derive(Clone, Copy, PartialEq)]
enum ComparedKind {
    Text,
    Number,
    Time,
    Level,
}

impl ComparedKind {
    fn new(dtype: &DataType) -> Option<ComparedKind> {
        Some(match dtype {
            DataType::String | DataType::Unknown(UnknownKind::Str) => ComparedKind::Text,
            DataType::Enum(..) => ComparedKind::Level,
            DataType::Datetime(..) | DataType::Date => ComparedKind::Time,
            DataType::Unknown(UnknownKind::Int(_) | UnknownKind::Float) => ComparedKind::Number,
            dtype if dtype.is_primitive_numeric() => ComparedKind::Number,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            ComparedKind::Text => "text",
            ComparedKind::Number => "a number",
            ComparedKind::Time => "a time",
            ComparedKind::Level => "a level",
        }
    }
}

/// A side of a comparison.
struct ComparedSide {
    kind: ComparedKind,
    column: Option<String>,
    /// As it is written in a statement.
    literal: Option<String>,
}

impl ComparedSide {
    fn new(expr: &Expr, schema: &Schema) -> Option<ComparedSide> {
        // polars names the column of a calculation that cannot be.
        if matches!(expr, Expr::BinaryExpr { .. }) {
            return None;
        }
        let kind = ComparedKind::new(expr.to_field(schema).ok()?.dtype())?;
        let column = if let Expr::Column(name) = expr { Some(name.to_string()) } else { None };
        let value = constant(expr);
        let literal = value.as_ref().and_then(|value| {
            text(value).map(|text| format!("'{}'", text.replace('\'', "''"))).or_else(|| number(value))
        });
        Some(ComparedSide { kind, column, literal })
    }

    fn shown(&self) -> String {
        let column = self.column.as_ref().map(|name| format!("the column {name}"));
        column.or_else(|| self.literal.clone()).unwrap_or_else(|| "one side".to_owned())
    }
}

fn fitting(one: &Expr, other: &Expr, schema: &Schema, mistakes: &Mistakes<'_>) -> Result<()> {
    let (Some(one), Some(other)) = (ComparedSide::new(one, schema), ComparedSide::new(other, schema)) else {
        return Ok(());
    };
    let (one, other) = if one.literal.is_some() { (other, one) } else { (one, other) };
    let (column, literal) = (one.column.as_deref(), other.literal.as_deref());
    let error = match (one.kind, other.kind) {
        (ComparedKind::Level, ComparedKind::Text) => match literal.map(|text| text.trim_matches('\'')) {
            Some(name) if !is_level(name) => no_level(name),
            _ => return Ok(()),
        },
        (ComparedKind::Text | ComparedKind::Level, ComparedKind::Number)
        | (ComparedKind::Number, ComparedKind::Text | ComparedKind::Level)
        | (ComparedKind::Time, ComparedKind::Text)
        | (ComparedKind::Text, ComparedKind::Time) => misfit(&one, &other).hint(meant(&one, &other)),
        _ => return Ok(()),
    };
    Err(mistakes.at_comparison(column, literal, error))
}

fn misfit(one: &ComparedSide, other: &ComparedSide) -> Error {
    let (left, right) = (one.kind.name(), other.kind.name());
    let message = format!("{} is {left}, and {} is {right}", one.shown(), other.shown());
    Error::new(ErrorKind::QueryInvalid, message)
}

/// What was meant by sides of different types.
fn meant(one: &ComparedSide, other: &ComparedSide) -> String {
    let literal = other.literal.as_deref();
    let plain = literal.map(|literal| literal.trim_matches('\''));
    match (one.kind, other.kind, plain) {
        (ComparedKind::Text, ComparedKind::Number, Some(number)) => {
            let column = one.column.as_deref().unwrap_or("x");
            format!("did you mean '{number}'? TRY_CAST({column} AS DOUBLE) reads texts as numbers")
        }
        (ComparedKind::Number, ComparedKind::Text, Some(number)) if number.parse::<f64>().is_ok() => {
            format!("did you mean {number}?")
        }
        (ComparedKind::Time, ComparedKind::Text, _) | (ComparedKind::Text, ComparedKind::Time, _) => {
            "write times like '2026-03-01 14:05:00'".to_owned()
        }
        (ComparedKind::Level, ..) | (_, ComparedKind::Level, _) => known_levels(),
        _ => super::mistakes::CASTS.to_owned(),
    }
}

/// An error about a name that no level has, with the nearest one.
pub(super) fn no_level(name: &str) -> Error {
    let error = |message: String| Error::new(ErrorKind::QueryInvalid, message);
    if name.is_empty() {
        let error = error("there is no level with an empty name".to_owned());
        return error.hint("level IS NULL selects events without one");
    }
    let names = || levels::LEVELS.iter().map(|(name, _)| *name);
    let near = levels::named(name).or_else(|| nearest(name, names()));
    let hint = near.map_or_else(known_levels, |near| format!("did you mean '{near}'?"));
    error(format!("there is no level {name}")).hint(hint)
}

fn known_levels() -> String {
    format!("the levels are {}", levels::LEVELS.map(|(name, _)| name).join(", "))
}
