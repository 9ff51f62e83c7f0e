//! Expressions over the columns of a table. They are compiled once for a stage ([`Expression::new`]) and then
//! evaluated a column at a time; what a row's values give is decided in one place for every type of column,
//! in [`mod@arithmetic`], [`compare`] and [`functions`].

mod arithmetic;
mod compare;
mod compile;
mod condition;
mod convert;
mod date;
mod evaluate;
mod functions;
mod kernels;
mod number;
mod text;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use regex::bytes::Regex;

use super::calendar::Width;
use super::cell::Cell;
pub use arithmetic::{arithmetic, floats};
pub use compile::invalid;
pub use condition::TableFilter;
pub use convert::number_of;
pub use text::of_json;

use query::functions::Function;
use query::{BinaryOp, Quantity};

/// An expression whose names are columns and whose patterns are compiled.
#[derive(Clone, Debug)]
pub struct Expression {
    node: Node,
    fields: Vec<Arc<str>>,
}

#[derive(Clone, Debug)]
enum Node {
    Constant(Cell),
    /// A duration: a number in the unit of the value next to it.
    Duration(Quantity),
    /// The column of this name in the expression's list.
    Field(usize),
    Negated(Box<Node>),
    Not(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
    Binary(BinaryOp, Box<Node>, Box<Node>),
    In(Box<Node>, Vec<Node>),
    IsNull(Box<Node>),
    Regex(Box<Node>, Regex),
    Call(Function, Vec<Node>),
    /// `replace` and `extract`, whose second argument is a pattern.
    CallPattern(Function, Box<Node>, Regex, Vec<Node>),
    Bin(Box<Node>, Width),
    Filter(TableFilter),
}

impl Expression {
    /// The column's name, where it is a column and nothing else.
    pub fn as_field(&self) -> Option<&Arc<str>> {
        self.name_of(&self.node)
    }

    /// The column's name and the width, where it is the bins of a column.
    pub fn as_binned_field(&self) -> Option<(&Arc<str>, &Width)> {
        let Node::Bin(inner, width) = &self.node else { return None };
        Some((self.name_of(inner)?, width))
    }

    fn name_of(&self, node: &Node) -> Option<&Arc<str>> {
        let Node::Field(place) = node else { return None };
        self.fields.get(*place)
    }

    /// The width, where it bins times or numbers.
    pub fn as_bin(&self) -> Option<&Width> {
        match &self.node {
            Node::Bin(_, width) => Some(width),
            _ => None,
        }
    }
}
