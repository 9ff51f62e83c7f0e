//! The filter language: text in, [`Filter`] out, and back to text. Knows nothing of how it is run.

mod ast;
mod lexer;
mod parser;
mod print;

pub use ast::{Filter, Op, Pattern, Test};
pub use parser::{QueryError, parse};
