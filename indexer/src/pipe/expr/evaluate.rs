//! Evaluating an expression over a table, a column at a time.
//!
//! What depends on one column of texts alone is calculated once for each distinct text. Comparisons and sums
//! of numbers run over whole columns ([`super::kernels`]); everything else goes value by value through the
//! same functions, so that all ways give the same.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::cell::Cell;
use super::super::column::{Column, Data, Kind, Picked};
use super::super::run::Clock;
use super::super::table::Table;
use super::{Expression, Node, arithmetic, compare, convert, functions, kernels, text};
use crate::error::Result;
use crate::query::{BinaryOp, Quantity, Unit};

/// A column, or one value for all rows.
#[derive(Clone, Debug)]
pub enum Value<'t> {
    One(Cell),
    Many(Cow<'t, Column>),
}

impl Value<'_> {
    pub fn cell(&self, row: usize) -> Cell {
        match self {
            Value::One(cell) => cell.clone(),
            Value::Many(column) => column.cell(row),
        }
    }

    fn is_time(&self) -> bool {
        match self {
            Value::One(cell) => matches!(cell, Cell::Time(_)),
            Value::Many(column) => column.kind() == Kind::Time,
        }
    }
}

/// What is evaluated: a value, and the unit of its numbers where they are durations, in nanoseconds.
struct Found<'t> {
    value: Value<'t>,
    unit_ns: Option<f64>,
}

impl Expression {
    pub fn column(&self, table: &Table, clock: &Clock) -> Result<Column> {
        if let Some(column) = self.per_distinct_text(table, clock)? {
            return Ok(column);
        }
        Ok(match self.evaluator(table, clock).value(&self.node)?.value {
            Value::One(cell) => Column::constant(&cell, table.rows()),
            Value::Many(column) => column.into_owned(),
        })
    }

    /// The rows for which the expression is true.
    pub fn holding(&self, table: &Table, clock: &Clock) -> Result<Vec<u32>> {
        let column = self.column(table, clock)?;
        Ok(match &column.data {
            Data::Bool(values) => {
                (0..values.len() as u32).filter(|&row| values[row as usize] == Some(true)).collect()
            }
            _ => (0..column.len() as u32).filter(|&row| column.cell(row as usize).holds()).collect(),
        })
    }

    fn evaluator<'t>(&self, table: &'t Table, clock: &'t Clock) -> Evaluator<'t> {
        let columns = self.fields.iter().map(|name| table.column(name)).collect();
        Evaluator { table, columns, clock }
    }

    /// Where one column of texts decides, and they repeat.
    fn per_distinct_text(&self, table: &Table, clock: &Clock) -> Result<Option<Column>> {
        let ([name], false) = (self.fields.as_slice(), matches!(self.node, Node::Field(_))) else {
            return Ok(None);
        };
        let Some(Data::Text { codes, texts }) = table.column(name).map(|column| &column.data) else {
            return Ok(None);
        };
        let mut places: HashMap<u32, u32> = HashMap::new();
        let mut distinct = Vec::new();
        let limit = codes.len() / 2;
        let mut rows = Vec::with_capacity(codes.len());
        for &code in codes {
            let next = distinct.len() as u32;
            let place = *places.entry(code).or_insert(next);
            if place == next {
                if distinct.len() >= limit {
                    return Ok(None);
                }
                distinct.push(code);
            }
            rows.push(place);
        }
        let small = Column::new(Data::Text { codes: distinct, texts: texts.clone() });
        let small = Table::of(vec![(name.to_string(), small)]);
        let result = match self.evaluator(&small, clock).value(&self.node)?.value {
            Value::One(cell) => Column::constant(&cell, table.rows()),
            Value::Many(column) => column.pick(&Picked::Some(&rows)),
        };
        Ok(Some(result))
    }
}

struct Evaluator<'t> {
    table: &'t Table,
    columns: Vec<Option<&'t Column>>,
    clock: &'t Clock,
}

impl<'t> Evaluator<'t> {
    fn value(&self, node: &Node) -> Result<Found<'t>> {
        let plain = |value| Ok(Found { value, unit_ns: None });
        match node {
            Node::Constant(cell) => plain(Value::One(cell.clone())),
            // Beside nothing that has a unit, a duration counts in milliseconds.
            Node::Duration(quantity) => {
                plain(Value::One(convert::duration_in(*quantity, convert::MILLISECOND)))
            }
            Node::Field(index) => plain(match self.columns[*index] {
                Some(column) => Value::Many(Cow::Borrowed(column)),
                None => Value::One(Cell::Missing),
            }),
            Node::Negated(inner) => {
                let found = self.value(inner)?;
                let zero = Value::One(Cell::Int(0));
                let value = self.binary(BinaryOp::Subtract, &zero, &found.value);
                Ok(Found { value, unit_ns: found.unit_ns })
            }
            Node::Not(inner) => {
                let value = self.value(inner)?.value;
                plain(self.map(&value, |cell| match cell {
                    Cell::Bool(value) => Cell::Bool(!value),
                    _ => Cell::Missing,
                }))
            }
            Node::And(parts) => plain(self.joined(parts, false)?),
            Node::Or(parts) => plain(self.joined(parts, true)?),
            Node::Binary(op, left, right) => self.two(*op, left, right),
            Node::In(value, list) => {
                let (value, unit) = self.with_unit(value)?;
                let list: Vec<Value> =
                    list.iter().map(|one| self.beside(one, &value, unit)).collect::<Result<_>>()?;
                plain(self.rows(|row| is_in(&value.cell(row), list.iter().map(|one| one.cell(row)))))
            }
            Node::IsNull(inner) => {
                let value = self.value(inner)?.value;
                plain(self.map(&value, |cell| Cell::Bool(cell.is_missing())))
            }
            Node::Regex(inner, regex) => {
                let value = self.value(inner)?.value;
                plain(self.map(&value, |cell| match cell {
                    Cell::Missing => Cell::Missing,
                    Cell::Text(text) => Cell::Bool(regex.is_match(text.as_bytes())),
                    other => Cell::Bool(regex.is_match(other.to_string().as_bytes())),
                }))
            }
            Node::Call(function, arguments) => self.call(*function, arguments),
            Node::CallPattern(function, value, regex, rest) => {
                let value = self.value(value)?.value;
                let rest: Vec<Value> =
                    rest.iter().map(|one| Ok(self.value(one)?.value)).collect::<Result<_>>()?;
                plain(self.rows(|row| {
                    let rest: Vec<Cell> = rest.iter().map(|one| one.cell(row)).collect();
                    text::pattern(*function, &value.cell(row), regex, &rest)
                }))
            }
            Node::Bin(inner, width) => {
                let (value, unit) = self.with_unit(inner)?;
                let column = self.column_of(&value);
                plain(Value::Many(Cow::Owned(width.bin(&column, unit, &self.clock.zone))))
            }
            Node::Filter(filter) => {
                let passing = filter.passing(self.table);
                plain(Value::Many(Cow::Owned(Column::new(Data::Bool(
                    passing.into_iter().map(Some).collect(),
                )))))
            }
        }
    }

    fn call(&self, function: crate::query::functions::Function, arguments: &[Node]) -> Result<Found<'t>> {
        let found: Vec<Found> = arguments.iter().map(|one| self.value(one)).collect::<Result<_>>()?;
        let unit_ns = found.iter().find_map(|one| one.unit_ns);
        let values: Vec<Value> = found.into_iter().map(|one| one.value).collect();
        let mut cells = vec![Cell::Missing; values.len()];
        let value = if values.iter().all(|value| matches!(value, Value::One(_))) {
            values.iter().zip(&mut cells).for_each(|(value, cell)| *cell = value.cell(0));
            Value::One(functions::call(function, &cells, self.clock))
        } else {
            self.rows(|row| {
                values.iter().zip(&mut cells).for_each(|(value, cell)| *cell = value.cell(row));
                functions::call(function, &cells, self.clock)
            })
        };
        Ok(Found { value, unit_ns })
    }

    /// A value and the unit of its numbers, in which a duration beside it counts.
    fn with_unit(&self, node: &Node) -> Result<(Value<'t>, Option<f64>)> {
        let found = self.value(node)?;
        let unit =
            if found.value.is_time() { Some(1.0) } else { found.unit_ns.or_else(|| self.named_unit(node)) };
        Ok((found.value, unit))
    }

    fn named_unit(&self, node: &Node) -> Option<f64> {
        match node {
            Node::Field(index) => self.columns[*index].and_then(|column| {
                let place = self.table.columns().iter().position(|known| std::ptr::eq(known, column))?;
                unit_of_name(&self.table.names()[place])
            }),
            Node::Negated(inner) => self.named_unit(inner),
            Node::Binary(_, left, right) => self.named_unit(left).or_else(|| self.named_unit(right)),
            Node::Call(_, arguments) => arguments.iter().find_map(|argument| self.named_unit(argument)),
            _ => None,
        }
    }

    /// What stands beside a value: a duration takes its unit.
    fn beside(&self, node: &Node, _: &Value<'t>, unit: Option<f64>) -> Result<Value<'t>> {
        match node {
            Node::Duration(quantity) => Ok(Value::One(duration(*quantity, unit))),
            _ => Ok(self.value(node)?.value),
        }
    }

    fn two(&self, op: BinaryOp, left: &Node, right: &Node) -> Result<Found<'t>> {
        let (left, right, unit) = match (left, right) {
            (Node::Duration(_), Node::Duration(_)) => {
                (self.value(left)?.value, self.value(right)?.value, None)
            }
            (Node::Duration(quantity), other) => {
                let (other, unit) = self.with_unit(other)?;
                (Value::One(duration(*quantity, unit)), other, unit)
            }
            (one, other) => {
                let (one, unit) = self.with_unit(one)?;
                let scales = matches!(op, BinaryOp::Multiply | BinaryOp::Divide);
                let other = if scales && let Node::Duration(quantity) = other {
                    Value::One(duration(*quantity, unit))
                } else {
                    self.beside(other, &one, unit)?
                };
                (one, other, unit)
            }
        };
        let of_times = op == BinaryOp::Subtract && left.is_time() && right.is_time();
        let value = self.binary(op, &left, &right);
        let is_sum = matches!(op, BinaryOp::Add | BinaryOp::Subtract) && !value.is_time();
        Ok(Found { value, unit_ns: if of_times { Some(1.0) } else { unit.filter(|_| is_sum) } })
    }

    fn binary(&self, op: BinaryOp, left: &Value<'t>, right: &Value<'t>) -> Value<'t> {
        if let Some(column) = kernels::binary(op, left, right) {
            return Value::Many(Cow::Owned(column));
        }
        let one = |left: &Cell, right: &Cell| match op {
            BinaryOp::Compare(op) => compare::compare(op, left, right),
            BinaryOp::Like => match (left, right) {
                (Cell::Missing, _) | (_, Cell::Missing) => Cell::Missing,
                _ => Cell::Bool(compare::like(&left.to_string(), &right.to_string())),
            },
            op => arithmetic::arithmetic(op, left, right),
        };
        match (left, right) {
            (Value::One(left), Value::One(right)) => Value::One(one(left, right)),
            _ => self.rows(|row| one(&left.cell(row), &right.cell(row))),
        }
    }

    /// Three-valued: what is missing decides nothing that another part does not decide.
    fn joined(&self, parts: &[Node], decides: bool) -> Result<Value<'t>> {
        let parts: Vec<Value> =
            parts.iter().map(|part| Ok(self.value(part)?.value)).collect::<Result<_>>()?;
        let joined = (0..self.table.rows()).map(|row| {
            let mut result = Some(!decides);
            for part in &parts {
                match part.truth(row) {
                    Some(truth) if truth == decides => return Some(decides),
                    Some(_) => {}
                    None => result = None,
                }
            }
            result
        });
        Ok(Value::Many(Cow::Owned(Column::new(Data::Bool(joined.collect())))))
    }

    fn column_of(&self, value: &Value<'t>) -> Cow<'t, Column> {
        match value {
            Value::One(cell) => Cow::Owned(Column::constant(cell, self.table.rows())),
            Value::Many(column) => column.clone(),
        }
    }

    fn map(&self, value: &Value<'t>, mut each: impl FnMut(&Cell) -> Cell) -> Value<'t> {
        match value {
            Value::One(cell) => Value::One(each(cell)),
            Value::Many(column) => self.rows(|row| each(&column.cell(row))),
        }
    }

    fn rows(&self, mut each: impl FnMut(usize) -> Cell) -> Value<'t> {
        let cells = (0..self.table.rows()).map(&mut each).collect();
        Value::Many(Cow::Owned(Column::of_cells(cells)))
    }
}

impl Value<'_> {
    fn truth(&self, row: usize) -> Option<bool> {
        match self {
            Value::One(Cell::Bool(value)) => Some(*value),
            Value::One(_) => None,
            Value::Many(column) => match &column.data {
                Data::Bool(values) => values[row],
                Data::Mixed(values) => {
                    if let Cell::Bool(value) = values[row] {
                        Some(value)
                    } else {
                        None
                    }
                }
                _ => None,
            },
        }
    }
}

fn duration(quantity: Quantity, unit_ns: Option<f64>) -> Cell {
    convert::duration_in(quantity, unit_ns.unwrap_or(convert::MILLISECOND))
}

/// Equal to one of a list; missing where the value is.
fn is_in(value: &Cell, list: impl Iterator<Item = Cell>) -> Cell {
    if value.is_missing() {
        return Cell::Missing;
    }
    let mut list = list;
    Cell::Bool(list.any(|one| compare::order(value, &one).is_some_and(std::cmp::Ordering::is_eq)))
}

/// The unit that a field's name ends with, in nanoseconds: `duration_ms`, and so `avg(duration_ms)`.
fn unit_of_name(name: &str) -> Option<f64> {
    let name = name.trim_end_matches(')');
    let (_, ending) = name.rsplit_once(['_', '.'])?;
    let unit = match ending {
        "ns" | "nanos" => Unit::Nanosecond,
        "us" | "micros" => Unit::Microsecond,
        "ms" | "millis" => Unit::Millisecond,
        "s" | "sec" | "secs" | "seconds" => Unit::Second,
        "min" | "minutes" => Unit::Minute,
        "hours" => Unit::Hour,
        _ => return None,
    };
    Some(unit.factor())
}
