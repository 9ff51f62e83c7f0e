//! Evaluating an expression over a table, a column at a time.
//!
//! Numbers, times and truths are calculated by polars' kernels ([`super::kernels`]). What depends on one column of texts
//! alone is calculated once for each distinct text, and everything else value by value.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use polars::prelude::{BooleanChunked, ChunkFull, ChunkFullNull, PlSmallStr};

use super::super::cell::Cell;
use super::super::charge::{Charge, ResultBuilder};
use super::super::column::{Column, ColumnKind, Data, Picked};
use super::super::dictionary::Dictionary;
use super::super::run::Run;
use super::super::table::Table;
use super::{Expression, Node, arithmetic, compare, convert, functions, kernels, text};
use base::error::Result;
use base::hash::Fast;
use query::functions::Function;
use query::{BinaryOp, Op, Quantity, Unit};

/// A column, or one value for all rows.
#[derive(Clone, Debug)]
pub enum Value<'t> {
    One(Cell),
    Many(Cow<'t, Column>),
}

impl Value<'_> {
    fn kind(&self) -> ColumnKind {
        match self {
            Value::One(cell) => cell.kind(),
            Value::Many(column) => column.kind(),
        }
    }

    fn is_time(&self) -> bool {
        self.kind() == ColumnKind::Time
    }
}

/// What is evaluated: a value, and the unit of its numbers where they are durations, in nanoseconds.
struct Evaluated<'t> {
    value: Value<'t>,
    unit_ns: Option<f64>,
}

impl Expression {
    pub fn column(&self, table: &Table, run: &Run<'_>) -> Result<Column> {
        let evaluator = self.evaluator(table, run);
        let value = evaluator.value(&self.node)?.value;
        Ok(evaluator.column_of(&value)?.into_owned())
    }

    /// The rows for which the expression is true.
    pub fn holding(&self, table: &Table, run: &Run<'_>) -> Result<Vec<u32>> {
        let evaluator = self.evaluator(table, run);
        let value = evaluator.value(&self.node)?.value;
        let truths = evaluator.truths(&value);
        Ok(truths.downcast_as_array().true_and_valid().true_idx_iter().map(|row| row as u32).collect())
    }

    fn evaluator<'t>(&self, table: &'t Table, run: &'t Run<'t>) -> Evaluator<'t> {
        let columns = self.fields.iter().map(|name| table.column(name)).collect();
        Evaluator { table, columns, run, constants: RefCell::default() }
    }
}

struct Evaluator<'t> {
    table: &'t Table,
    columns: Vec<Option<&'t Column>>,
    run: &'t Run<'t>,
    /// The memory of long values that are the same for all rows.
    constants: RefCell<Vec<Charge>>,
}

impl<'t> Evaluator<'t> {
    fn value(&self, node: &Node) -> Result<Evaluated<'t>> {
        let plain = |value| Ok(Evaluated { value, unit_ns: None });
        match node {
            Node::Constant(cell) => plain(Value::One(cell.clone())),
            // Without another value that has a unit, a duration counts in milliseconds.
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
                let value = self.binary(BinaryOp::Subtract, &zero, &found.value)?;
                Ok(Evaluated { value, unit_ns: found.unit_ns })
            }
            Node::Not(inner) => {
                let truths = self.truths(&self.value(inner)?.value);
                plain(many(Column::new(Data::Bool(!truths))))
            }
            Node::And(parts) => plain(self.joined(parts, |one, other| one & other)?),
            Node::Or(parts) => plain(self.joined(parts, |one, other| one | other)?),
            Node::Binary(op, left, right) => self.two(*op, left, right),
            Node::In(value, list) => {
                let (value, unit) = self.with_unit(value)?;
                let list = list.iter().map(|one| self.value_in_unit(one, &value, unit));
                plain(self.is_in(&value, &list.collect::<Result<Vec<_>>>()?)?)
            }
            Node::IsNull(inner) => {
                let value = self.value(inner)?.value;
                let column = self.column_of(&value)?;
                plain(many(Column::bools((0..column.len()).map(|row| Some(column.is_missing(row))))))
            }
            Node::Regex(inner, regex) => {
                let value = self.value(inner)?.value;
                plain(self.of_all(&[value], COPIES, |cells| match &cells[0] {
                    Cell::Missing => Cell::Missing,
                    Cell::Text(text) => Cell::Bool(regex.is_match(text.as_bytes())),
                    other => Cell::Bool(regex.is_match(other.to_string().as_bytes())),
                })?)
            }
            Node::Call(function, arguments) => self.call(*function, arguments),
            Node::CallPattern(function, value, regex, rest) => {
                let value = self.value(value)?.value;
                let rest = rest.iter().map(|one| Ok(self.value(one)?.value));
                let mut values = rest.collect::<Result<Vec<_>>>()?;
                values.insert(0, value);
                let replaces = *function == Function::Replace;
                plain(self.of_all_in(
                    &values,
                    |cells| {
                        if replaces {
                            COPIES.saturating_mul(text::replaced_bytes(cells, regex))
                        } else {
                            COPIES * text_bytes(cells)
                        }
                    },
                    |cells| text::pattern(*function, &cells[0], regex, &cells[1..]),
                )?)
            }
            Node::Bin(inner, width) => {
                let (value, unit) = self.with_unit(inner)?;
                let column = self.column_of(&value)?;
                plain(many(width.bin(&column, unit, &self.run.clock.zone)))
            }
            Node::Filter(filter) => {
                let passing = filter.passing(self.table);
                plain(many(Column::bools(passing.into_iter().map(Some))))
            }
        }
    }

    fn call(&self, function: Function, arguments: &[Node]) -> Result<Evaluated<'t>> {
        let found: Vec<Evaluated> = arguments.iter().map(|one| self.value(one)).collect::<Result<_>>()?;
        let unit_ns = found.iter().find_map(|one| one.unit_ns);
        let values: Vec<Value> = found.into_iter().map(|one| one.value).collect();
        let value = if let Some(column) = self.chosen(function, &values)? {
            many(column)
        } else {
            // A part of a text or of a document takes many times as much as its characters.
            let is_in_parts = matches!(function, Function::Split | Function::JsonExtract);
            let times = if is_in_parts { 64 } else { 2 * COPIES };
            self.of_all(&values, times, |cells| functions::call(function, cells, &self.run.clock))?
        };
        Ok(Evaluated { value, unit_ns })
    }

    /// What functions give that choose one of their arguments in each row; nothing for the others.
    fn chosen(&self, function: Function, values: &[Value<'t>]) -> Result<Option<Column>> {
        let rows = self.table.rows();
        // Texts may be copied into a dictionary of their own.
        let mut copies = self.run.charge("eval");
        let mut columns = || -> Result<Vec<Column>> {
            let columns = values.iter().map(|value| Ok(self.column_of(value)?.into_owned()));
            let columns = columns.collect::<Result<Vec<Column>>>()?;
            copies.set(columns.iter().map(Column::handed_on_bytes).sum())?;
            Ok(columns)
        };
        Ok(Some(match function {
            Function::If => {
                let condition = self.truths(&values[0]);
                let columns = columns()?;
                let place = |row| usize::from(condition.get(row) != Some(true));
                Column::choose(&columns[1..], rows, |row| {
                    Some(place(row)).filter(|place| place + 1 < columns.len())
                })
            }
            Function::Case => {
                let conditions: Vec<BooleanChunked> =
                    values.chunks_exact(2).map(|pair| self.truths(&pair[0])).collect();
                let otherwise = (values.len() % 2 == 1).then(|| values.len() - 1);
                let columns = columns()?;
                // Conditions are not results, so they do not decide the type of the results.
                let mut results: Vec<Column> = columns.chunks_exact(2).map(|pair| pair[1].clone()).collect();
                results.extend(otherwise.map(|place| columns[place].clone()));
                let place = |row| conditions.iter().position(|condition| condition.get(row) == Some(true));
                Column::choose(&results, rows, |row| place(row).or(otherwise.map(|_| conditions.len())))
            }
            Function::Coalesce => {
                let columns = columns()?;
                Column::choose(&columns, rows, |row| {
                    columns.iter().position(|column| !column.is_missing(row))
                })
            }
            Function::NullIf => {
                let equal = self.binary(BinaryOp::Compare(Op::Equal), &values[0], &values[1])?;
                let equal = self.truths(&equal);
                Column::choose(&columns()?[..1], rows, |row| (equal.get(row) != Some(true)).then_some(0))
            }
            Function::Min | Function::Max => {
                let columns = columns()?;
                let better = if function == Function::Min { Op::Less } else { Op::GreaterOrEqual };
                let Some(mut best) = columns.first().cloned() else { return Ok(None) };
                for column in &columns[1..] {
                    let (one, other) = (many(column.clone()), many(best.clone()));
                    let is_better = self.truths(&self.binary(BinaryOp::Compare(better), &one, &other)?);
                    let takes = |row| best.is_missing(row) || is_better.get(row) == Some(true);
                    let both = [best.clone(), column.clone()];
                    best = Column::choose(&both, rows, |row| {
                        Some(usize::from(!column.is_missing(row) && takes(row)))
                    });
                }
                best
            }
            _ => return Ok(None),
        }))
    }

    /// A value and the unit of its numbers. A duration next to it counts in that unit.
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

    /// The other side of a value: a duration takes its unit.
    fn value_in_unit(&self, node: &Node, _: &Value<'t>, unit: Option<f64>) -> Result<Value<'t>> {
        match node {
            Node::Duration(quantity) => Ok(Value::One(duration(*quantity, unit))),
            _ => Ok(self.value(node)?.value),
        }
    }

    fn two(&self, op: BinaryOp, left: &Node, right: &Node) -> Result<Evaluated<'t>> {
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
                    self.value_in_unit(other, &one, unit)?
                };
                (one, other, unit)
            }
        };
        let of_times = op == BinaryOp::Subtract && left.is_time() && right.is_time();
        let value = self.binary(op, &left, &right)?;
        let is_sum = matches!(op, BinaryOp::Add | BinaryOp::Subtract) && !value.is_time();
        Ok(Evaluated { value, unit_ns: if of_times { Some(1.0) } else { unit.filter(|_| is_sum) } })
    }

    fn binary(&self, op: BinaryOp, left: &Value<'t>, right: &Value<'t>) -> Result<Value<'t>> {
        let is_comparison = matches!(op, BinaryOp::Compare(_));
        let (read_left, read_right) = (read_as_type_of(left, right), read_as_type_of(right, left));
        let left = read_left.as_ref().filter(|_| is_comparison).unwrap_or(left);
        let right = read_right.as_ref().filter(|_| is_comparison).unwrap_or(right);
        let one = |cells: &[Cell]| match op {
            BinaryOp::Compare(op) => compare::compare(op, &cells[0], &cells[1]),
            BinaryOp::Like => match (&cells[0], &cells[1]) {
                (Cell::Missing, _) | (_, Cell::Missing) => Cell::Missing,
                (left, right) => Cell::Bool(compare::like(&left.to_string(), &right.to_string())),
            },
            op => arithmetic::arithmetic(op, &cells[0], &cells[1]),
        };
        let column = match (left, right) {
            (Value::One(_), Value::One(_)) => None,
            _ => kernels::binary(op, left, right),
        };
        match column {
            Some(column) => Ok(many(column)),
            None => self.of_all(&[left.clone(), right.clone()], COPIES, one),
        }
    }

    /// Equal to one of a list; missing where the value is.
    fn is_in(&self, value: &Value<'t>, list: &[Value<'t>]) -> Result<Value<'t>> {
        let equal = |one: &Value<'t>| {
            let one = read_as_type_of(one, value).unwrap_or_else(|| one.clone());
            kernels::binary(BinaryOp::Compare(Op::Equal), value, &one)
        };
        let there = || list.iter().filter(|one| one.kind() != ColumnKind::Missing);
        if let Some(found) = there().map(equal).collect::<Option<Vec<Column>>>()
            && matches!(value, Value::Many(_))
            && there().all(|one| matches!(one, Value::One(_)))
            && !found.is_empty()
        {
            let truths = found.into_iter().map(|column| self.truths(&many(column)));
            return Ok(truths
                .reduce(|one, other| &one | &other)
                .map_or(Value::One(Cell::Missing), |truths| many(Column::new(Data::Bool(truths)))));
        }
        let mut values = vec![value.clone()];
        values.extend_from_slice(list);
        self.of_all(&values, COPIES, |cells| {
            if cells[0].is_missing() {
                return Cell::Missing;
            }
            let is_equal = |one: &Cell| compare::order(&cells[0], one).is_some_and(std::cmp::Ordering::is_eq);
            Cell::Bool(cells[1..].iter().any(is_equal))
        })
    }

    /// Three-valued: what is missing decides nothing that another part does not decide.
    fn joined(
        &self,
        parts: &[Node],
        join: fn(&BooleanChunked, &BooleanChunked) -> BooleanChunked,
    ) -> Result<Value<'t>> {
        let mut joined: Option<BooleanChunked> = None;
        for part in parts {
            let truths = self.truths(&self.value(part)?.value);
            joined = Some(match joined {
                Some(before) => join(&before, &truths),
                None => truths,
            });
        }
        Ok(joined.map_or(Value::One(Cell::Missing), |truths| many(Column::new(Data::Bool(truths)))))
    }

    /// A value as truths; what is neither true nor false is missing.
    fn truths(&self, value: &Value<'_>) -> BooleanChunked {
        match value {
            Value::One(Cell::Bool(value)) => {
                BooleanChunked::full(PlSmallStr::EMPTY, *value, self.table.rows())
            }
            Value::Many(column) if let Data::Bool(values) = &column.data => values.clone(),
            _ => BooleanChunked::full_null(PlSmallStr::EMPTY, self.table.rows()),
        }
    }

    fn column_of<'v>(&self, value: &'v Value<'t>) -> Result<Cow<'v, Column>> {
        Ok(match value {
            Value::One(cell) => {
                self.keep(std::slice::from_ref(cell))?;
                Cow::Owned(Column::constant(cell, self.table.rows()))
            }
            Value::Many(column) => Cow::Borrowed(column),
        })
    }

    /// Charges values until the expression is evaluated.
    fn keep(&self, cells: &[Cell]) -> Result<()> {
        let mut charge = self.run.charge("eval");
        charge.set(text_bytes(cells))?;
        self.constants.borrow_mut().push(charge);
        Ok(())
    }

    /// What a function gives for the values of each row. While it runs, it takes so many times what its texts do.
    fn of_all(
        &self,
        values: &[Value<'t>],
        times: usize,
        function: impl FnMut(&[Cell]) -> Cell,
    ) -> Result<Value<'t>> {
        self.of_all_in(values, |cells| text_bytes(cells).saturating_mul(times), function)
    }

    /// The same, with what it takes for some values.
    fn of_all_in(
        &self,
        values: &[Value<'t>],
        bytes: impl Fn(&[Cell]) -> usize,
        mut function: impl FnMut(&[Cell]) -> Cell,
    ) -> Result<Value<'t>> {
        let mut cells: Vec<Cell> = values
            .iter()
            .map(|value| if let Value::One(cell) = value { cell.clone() } else { Cell::Missing })
            .collect();
        let columns = values.iter().enumerate();
        let varying: Vec<(usize, &Column)> = columns
            .filter_map(|(place, value)| match value {
                Value::Many(column) => Some((place, &**column)),
                Value::One(_) => None,
            })
            .collect();
        let mut room = self.run.charge("eval");
        let mut calculated = |cells: &[Cell]| -> Result<Cell> {
            room.set(bytes(cells))?;
            Ok(function(cells))
        };
        match varying.as_slice() {
            [] => {
                let one = calculated(&cells)?;
                self.keep(std::slice::from_ref(&one))?;
                Ok(Value::One(one))
            }
            // For texts it is called once for each distinct one.
            [(place, Column { data: Data::Text { codes, texts } })] => {
                let (distinct, places) = distinct(codes, texts);
                let mut results = ResultBuilder::new(self.run, distinct.len());
                for code in distinct {
                    cells[*place] = texts.get(code).map_or(Cell::Missing, Cell::text);
                    results.push(calculated(&cells)?)?;
                }
                Ok(many(results.finish()?.pick(&Picked::Some(&places))))
            }
            several => {
                let rows = self.table.rows();
                let mut results = ResultBuilder::new(self.run, rows);
                for row in 0..rows {
                    for (place, column) in several {
                        cells[*place] = column.cell(row);
                    }
                    results.push(calculated(&cells)?)?;
                }
                Ok(many(results.finish()?))
            }
        }
    }
}

/// A text that is made of others is in memory twice while it grows, and once more as a value.
const COPIES: usize = 4;

/// Bytes of the texts among some values.
fn text_bytes(cells: &[Cell]) -> usize {
    let of_cell = |cell: &Cell| match cell {
        Cell::Text(text) => text.len(),
        Cell::List(cells) => text_bytes(cells),
        _ => 0,
    };
    cells.iter().map(of_cell).sum()
}

fn many<'t>(column: Column) -> Value<'t> {
    Value::Many(Cow::Owned(column))
}

/// A constant text that is used with a column of another type, as a value of that type.
fn read_as_type_of<'t>(one: &Value<'t>, other: &Value<'t>) -> Option<Value<'t>> {
    let (Value::One(Cell::Text(text)), Value::Many(column)) = (one, other) else { return None };
    compare::read_as(column.kind(), text).map(Value::One)
}

/// The codes that there are, and the place of each row's among them.
fn distinct(codes: &[u32], texts: &Dictionary) -> (Vec<u32>, Vec<u32>) {
    let mut distinct = Vec::new();
    let mut place_of = |known: &mut u32, code: u32| {
        if *known == u32::MAX {
            *known = distinct.len() as u32;
            distinct.push(code);
        }
        *known
    };
    let places = if texts.len() <= codes.len() {
        // One more, for missing texts.
        let mut known = vec![u32::MAX; texts.len() + 1];
        let last = texts.len();
        codes.iter().map(|&code| place_of(&mut known[(code as usize).min(last)], code)).collect()
    } else {
        let mut known: HashMap<u32, u32, Fast> = HashMap::default();
        codes.iter().map(|&code| place_of(known.entry(code).or_insert(u32::MAX), code)).collect()
    };
    (distinct, places)
}

fn duration(quantity: Quantity, unit_ns: Option<f64>) -> Cell {
    convert::duration_in(quantity, unit_ns.unwrap_or(convert::MILLISECOND))
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
