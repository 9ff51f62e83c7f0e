//! Texts that SQL makes of others: they are as long as a statement wants, so polars is handed them only where memory
//! holds the result.

use std::sync::Arc;

use polars::prelude::{
    BaseColumnUdf, Column, DataFrame, DataType, DslPlan, Expr, Field, FunctionExpr, IntoLazy, LazyFrame,
    ListFunction, Operator, PolarsError, PolarsResult, Schema, SchemaRef, StringFunction, UnknownKind,
    UserDefinedFunction, col,
};
use polars::sql::FunctionOptions;

use super::scan::Shared;

/// What a value of a column of texts takes besides its bytes.
const VIEW_BYTES: usize = 16;

/// A character of UTF-8.
const LONGEST_CHARACTER_BYTES: usize = 4;

/// The expressions of an operator that make texts.
pub(super) struct Texts<'s> {
    input: Option<DslPlan>,
    schema: Option<SchemaRef>,
    /// Whether the texts are in the result of the operator.
    keeps: bool,
    shared: &'s Arc<Shared>,
}

/// How a function makes texts of its arguments.
#[derive(Clone, Copy)]
enum Growth {
    /// One after the other, with so many bytes between them.
    Joined(usize),
    /// To a length.
    Padded,
    /// Each place of a part becomes another.
    Replaced,
    /// The texts of lists, with a text between them.
    Listed,
}

impl<'s> Texts<'s> {
    pub fn new(input: Option<DslPlan>, keeps: bool, shared: &'s Arc<Shared>) -> Texts<'s> {
        Texts { input, schema: None, keeps, shared }
    }

    /// An expression whose texts are charged before they are made.
    pub fn charged(&mut self, expr: Expr) -> Expr {
        let growth = match &expr {
            Expr::BinaryExpr { left, op: Operator::Plus, right }
                if self.is_text(left) || self.is_text(right) =>
            {
                Growth::Joined(0)
            }
            Expr::Function { function: FunctionExpr::StringExpr(function), .. } => match function {
                StringFunction::ConcatHorizontal { delimiter, .. } => Growth::Joined(delimiter.len()),
                StringFunction::PadStart { .. } | StringFunction::PadEnd { .. } => Growth::Padded,
                StringFunction::Replace { .. } => Growth::Replaced,
                _ => return expr,
            },
            Expr::Function { function: FunctionExpr::ListExpr(ListFunction::Join(_)), .. } => Growth::Listed,
            _ => return expr,
        };
        let argument = |place: usize| col(place.to_string());
        let (arguments, calculation) = match expr {
            Expr::BinaryExpr { left, op, right } => {
                let other = Expr::BinaryExpr { left: argument(0).into(), op, right: argument(1).into() };
                (vec![(*left).clone(), (*right).clone()], other)
            }
            Expr::Function { input, function } => {
                let other = Expr::Function { input: (0..input.len()).map(argument).collect(), function };
                (input, other)
            }
            other => return other,
        };
        self.function(growth, calculation).call(arguments)
    }

    /// Whether an expression gives texts. A calculation does where one of its sides does, and the right one is asked about
    /// by itself.
    fn is_text(&mut self, mut expr: &Expr) -> bool {
        while let Expr::BinaryExpr { left, .. } = expr {
            expr = left;
        }
        if let Expr::Literal(value) = expr {
            return value.extract_str().is_some();
        }
        let schema = self.schema.get_or_insert_with(|| {
            let input = self.input.take().map(|input| LazyFrame::from(input).collect_schema());
            input.and_then(Result::ok).unwrap_or_default()
        });
        let is_text =
            |dtype: &DataType| matches!(dtype, DataType::String | DataType::Unknown(UnknownKind::Str));
        expr.to_field(schema).is_ok_and(|field| is_text(field.dtype()))
    }

    /// A function that calculates with its arguments, once memory for the result is charged. In the calculation they are
    /// columns that are named by their places.
    fn function(&self, growth: Growth, calculation: Expr) -> UserDefinedFunction {
        let (shared, keeps) = (Arc::clone(self.shared), self.keeps);
        let calculate = move |columns: &mut [Column]| -> PolarsResult<Column> {
            let rows = if columns.iter().any(Column::is_empty) {
                0
            } else {
                columns.iter().map(Column::len).max().unwrap_or_default()
            };
            let bytes = growth.bytes(columns, rows).saturating_add(rows * VIEW_BYTES);
            shared.take("texts of the statement", bytes).map_err(|error| shared.fail(error))?;
            let name = columns.first().ok_or_else(none)?.name().clone();
            let arguments = columns.iter().enumerate().map(|(place, column)| {
                let whole =
                    if column.len() == rows { column.clone() } else { column.new_from_index(0, rows) };
                whole.with_name(place.to_string().into())
            });
            let arguments = DataFrame::new(rows, arguments.collect())?;
            let calculated = arguments.lazy().select([calculation.clone().alias("texts")]).collect()?;
            if !keeps {
                shared.give_back(bytes);
            }
            Ok(calculated.column("texts")?.clone().with_name(name))
        };
        let typed = |_: &Schema, fields: &[Field]| -> PolarsResult<Field> {
            let first = fields.first().ok_or_else(none)?;
            Ok(Field::new(first.name().clone(), DataType::String))
        };
        let mut function = UserDefinedFunction::new("texts".into(), BaseColumnUdf::new(calculate, typed));
        function.options = FunctionOptions::elementwise();
        function
    }
}

fn none() -> PolarsError {
    PolarsError::ComputeError("a function of texts has no arguments".into())
}

impl Growth {
    /// The most bytes of what is made for so many rows. An argument of one row is that of all.
    fn bytes(self, columns: &[Column], rows: usize) -> usize {
        let all = |column: &Column| match column.len() {
            1 => text_bytes(column).saturating_mul(rows),
            _ => text_bytes(column),
        };
        let sum = |columns: &[Column]| columns.iter().map(all).fold(0, usize::saturating_add);
        match (self, columns) {
            (Growth::Joined(between), _) => {
                sum(columns).saturating_add(between.saturating_mul(columns.len() * rows))
            }
            (Growth::Padded, [text, length, ..]) => {
                let lengths = length.cast(&DataType::Float64);
                let lengths = lengths.as_ref().ok().and_then(|lengths| lengths.f64().ok());
                let sum: f64 =
                    lengths.map_or(0.0, |lengths| lengths.iter().flatten().map(|one| one.max(0.0)).sum());
                let sum = if length.len() == 1 { sum * rows as f64 } else { sum };
                all(text).saturating_add((sum * LONGEST_CHARACTER_BYTES as f64) as usize)
            }
            (Growth::Replaced, [text, part, with, ..]) => {
                let inserted = text_bytes(with).saturating_mul(places(text, part, rows));
                all(text).saturating_add(inserted)
            }
            (Growth::Listed, [lists, between, ..]) => {
                let inner = lists.list().map(|lists| Column::from(lists.get_inner()));
                inner.map_or(0, |inner| {
                    text_bytes(&inner).saturating_add(text_bytes(between).saturating_mul(inner.len()))
                })
            }
            _ => 0,
        }
    }
}

fn text_bytes(column: &Column) -> usize {
    column.str().map_or(0, |texts| texts.iter().flatten().map(str::len).sum())
}

/// How often a part occurs in some texts; where it differs by row, or is nothing, no more than there are characters.
fn places(text: &Column, part: &Column, rows: usize) -> usize {
    let (Ok(texts), Ok(parts)) = (text.str(), part.str()) else { return 0 };
    match parts.get(0).filter(|part| parts.len() == 1 && !part.is_empty()) {
        Some(part) => {
            let found: usize = texts.iter().flatten().map(|text| text.matches(part).count()).sum();
            if texts.len() == 1 { found.saturating_mul(rows) } else { found }
        }
        None => text_bytes(text).saturating_add(rows),
    }
}
