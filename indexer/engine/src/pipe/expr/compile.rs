//! From the tree of a query to what is evaluated: names looked up, patterns compiled, instants fixed.

use std::sync::Arc;

use super::super::calendar::Width;
use super::super::cell::Cell;
use super::super::names::Names;
use super::super::run::RunClock;
use super::{Expression, Node, TableFilter, convert};
use base::error::{Error, ErrorKind, Result};
use query::functions::Function;
use query::{BinaryOp, Dimension, Expr, ExprKind, RegexText, Span, Unit};

pub fn invalid(message: impl Into<String>, span: Span) -> Error {
    Error::new(ErrorKind::QueryInvalid, message).spanning(span.start, span.end)
}

impl Expression {
    pub fn new(expr: &Expr, names: &Names, clock: &RunClock) -> Result<Expression> {
        let mut compiler = Compiler { names, clock, fields: Vec::new() };
        let node = compiler.node(expr)?;
        Ok(Expression { node, fields: compiler.fields })
    }

    /// An expression that is a column.
    pub fn field(name: &str) -> Expression {
        Expression { node: Node::Field(0), fields: vec![Arc::from(name)] }
    }

    /// The bins of a column.
    pub fn binned(name: &str, width: Width) -> Expression {
        Expression { node: Node::Bin(Box::new(Node::Field(0)), width), fields: vec![Arc::from(name)] }
    }
}

struct Compiler<'a> {
    names: &'a Names,
    clock: &'a RunClock,
    fields: Vec<Arc<str>>,
}

impl Compiler<'_> {
    fn node(&mut self, expr: &Expr) -> Result<Node> {
        Ok(match &expr.kind {
            ExprKind::Null => Node::Constant(Cell::Missing),
            ExprKind::Bool(value) => Node::Constant(Cell::Bool(*value)),
            ExprKind::Int(value) => Node::Constant(Cell::Int(*value)),
            ExprKind::Float(value) => Node::Constant(Cell::float(*value)),
            ExprKind::Text(text) => Node::Constant(Cell::text(text)),
            ExprKind::Quantity(quantity) if quantity.unit.dimension() == Dimension::Size => {
                Node::Constant(convert::whole_if_exact(quantity.amount()))
            }
            ExprKind::Quantity(quantity) => Node::Duration(*quantity),
            ExprKind::Time(text) => Node::Constant(Cell::Time(self.clock.time(text, expr.span)?)),
            ExprKind::Field(name) => self.field(name, expr.span)?,
            ExprKind::Negated(inner) => Node::Negated(self.boxed(inner)?),
            ExprKind::Not(inner) => Node::Not(self.boxed(inner)?),
            ExprKind::And(parts) => Node::And(self.list(parts)?),
            ExprKind::Or(parts) => Node::Or(self.list(parts)?),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right)?,
            ExprKind::In(value, list) => {
                let list = list.iter().map(|one| self.comparison_side(one, value)).collect::<Result<_>>()?;
                Node::In(self.boxed(value)?, list)
            }
            ExprKind::IsNull(value) => Node::IsNull(self.boxed(value)?),
            ExprKind::Regex(value, regex) => {
                let compiled =
                    regex.compile().ok_or_else(|| invalid("this expression is too large", expr.span))?;
                Node::Regex(self.boxed(value)?, compiled)
            }
            ExprKind::Call(function, arguments) => self.call(*function, arguments, expr.span)?,
            ExprKind::Clause(filter) => {
                let filter = TableFilter::new(filter, self.names, self.clock)?;
                let mut read = Vec::new();
                filter.fields(&mut read);
                for name in read {
                    if !self.fields.contains(&name) {
                        self.fields.push(name);
                    }
                }
                Node::Filter(filter)
            }
        })
    }

    fn boxed(&mut self, expr: &Expr) -> Result<Box<Node>> {
        self.node(expr).map(Box::new)
    }

    fn list(&mut self, exprs: &[Expr]) -> Result<Vec<Node>> {
        exprs.iter().map(|expr| self.node(expr)).collect()
    }

    fn field(&mut self, name: &str, span: Span) -> Result<Node> {
        let name = self.names.resolve(name, span)?;
        let index = self.fields.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.fields.push(name);
            self.fields.len() - 1
        });
        Ok(Node::Field(index))
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Result<Node> {
        if matches!(op, BinaryOp::Compare(_)) {
            let left_node = self.comparison_side(left, right)?;
            return Ok(Node::Binary(op, Box::new(left_node), Box::new(self.comparison_side(right, left)?)));
        }
        Ok(Node::Binary(op, self.boxed(left)?, self.boxed(right)?))
    }

    /// One side of a comparison. Compared with the level, a bare word is a level, as in a filter.
    fn comparison_side(&mut self, expr: &Expr, other: &Expr) -> Result<Node> {
        if other.as_field() == Some("level")
            && let Some(word) = expr.as_field()
            && !self.names.knows(word)
            && let Some(level) = convert::level_of(word)
        {
            return Ok(Node::Constant(Cell::Level(level)));
        }
        self.node(expr)
    }

    fn call(&mut self, function: Function, arguments: &[Expr], span: Span) -> Result<Node> {
        match function {
            Function::Now => Ok(Node::Constant(Cell::Time(self.clock.now))),
            Function::Bin => {
                let width = self.width(&arguments[1])?;
                Ok(Node::Bin(self.boxed(&arguments[0])?, width))
            }
            Function::Replace | Function::Extract => {
                let ExprKind::Text(pattern) = &arguments[1].kind else {
                    return Err(invalid("the expression must be written out here", arguments[1].span)
                        .hint("put it between slashes: /user=(\\w+)/"));
                };
                let regex = RegexText::new(pattern, false).map_err(|error| {
                    invalid(format!("this expression cannot be read: {error}"), arguments[1].span)
                })?;
                let regex = regex.compile().ok_or_else(|| invalid("this expression is too large", span))?;
                let value = self.boxed(&arguments[0])?;
                Ok(Node::CallPattern(function, value, regex, self.list(&arguments[2..])?))
            }
            Function::DateTrunc | Function::DatePart | Function::DateDiff => {
                let unit = &arguments[0];
                // Units are words; nobody should have to quote them.
                let unit = match (&unit.kind, unit.as_field()) {
                    (_, Some(word))
                        if Unit::named(word).is_some() || word.eq_ignore_ascii_case("weekday") =>
                    {
                        Node::Constant(Cell::text(word))
                    }
                    _ => self.node(unit)?,
                };
                let mut nodes = vec![unit];
                nodes.extend(self.list(&arguments[1..])?);
                Ok(Node::Call(function, nodes))
            }
            _ => Ok(Node::Call(function, self.list(arguments)?)),
        }
    }

    fn width(&self, expr: &Expr) -> Result<Width> {
        let width = match &expr.kind {
            ExprKind::Field(word) if word.eq_ignore_ascii_case("auto") => self.clock.automatic(),
            ExprKind::Text(word) if word.eq_ignore_ascii_case("auto") => self.clock.automatic(),
            ExprKind::Quantity(quantity) => Width::from_quantity(*quantity),
            ExprKind::Int(width) => Width::Number(*width as f64),
            ExprKind::Float(width) => Width::Number(*width),
            _ => return Err(invalid("this is not a width", expr.span).hint("write 5m, 1d, 1000 or auto")),
        };
        if width.is_empty() {
            return Err(
                invalid("a bin must be wider than nothing", expr.span).hint("write 5m, 1d, 1000 or auto")
            );
        }
        Ok(width)
    }
}
