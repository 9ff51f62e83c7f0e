//! Comparing two values.

use std::cmp::Ordering;

use super::super::cell::Cell;
use super::super::column::ColumnKind;
use super::convert::{level_of, number_of, time_of};
use query::Op;

/// Missing where a value is, and where values have no order.
pub fn compare(op: Op, left: &Cell, right: &Cell) -> Cell {
    order(left, right).map_or(Cell::Missing, |order| Cell::Bool(op.holds(order)))
}

/// Numbers with numbers, times with times, levels by how serious they are. A text compared with a value of
/// another type is read as one of that type, and where it is none both are compared as texts.
pub fn order(left: &Cell, right: &Cell) -> Option<Ordering> {
    match (left, right) {
        (Cell::Missing, _) | (_, Cell::Missing) => None,
        (Cell::Text(left), Cell::Text(right)) => Some(left.cmp(right)),
        (Cell::Text(text), other) => Some(with_text(other, text).reverse()),
        (other, Cell::Text(text)) => Some(with_text(other, text)),
        (Cell::Int(_) | Cell::Float(_), Cell::Int(_) | Cell::Float(_))
        | (Cell::Time(_), Cell::Time(_))
        | (Cell::Level(_), Cell::Level(_))
        | (Cell::Bool(_), Cell::Bool(_))
        | (Cell::List(_), Cell::List(_)) => Some(left.cmp(right)),
        _ => Some(left.to_string().cmp(&right.to_string())),
    }
}

/// A text read as a value of this type.
pub fn read_as(kind: ColumnKind, text: &str) -> Option<Cell> {
    match kind {
        ColumnKind::Int | ColumnKind::Float => number_of(&Cell::text(text)),
        ColumnKind::Time => time_of(text).map(Cell::Time),
        ColumnKind::Level => level_of(text).map(Cell::Level),
        ColumnKind::Bool => match text.to_ascii_lowercase().as_str() {
            "true" => Some(Cell::Bool(true)),
            "false" => Some(Cell::Bool(false)),
            _ => None,
        },
        _ => None,
    }
}

fn with_text(value: &Cell, text: &str) -> Ordering {
    read_as(value.kind(), text).map_or_else(|| value.to_string().as_str().cmp(text), |read| value.cmp(&read))
}

/// The whole text against a pattern with `*` and `?`, in any case.
pub fn like(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) =
        (text.to_lowercase().chars().collect(), pattern.to_lowercase().chars().collect());
    let (mut at, mut in_pattern) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(in_pattern) {
            Some('*') => {
                star = Some((in_pattern, at));
                in_pattern += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == text[at] => {
                at += 1;
                in_pattern += 1;
            }
            _ => {
                // The last star takes one character more.
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                at = taken + 1;
                in_pattern = place + 1;
            }
        }
    }
    pattern[in_pattern..].iter().all(|&rest| rest == '*')
}
