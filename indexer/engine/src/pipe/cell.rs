//! One value of a table.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ingest::Level;

use super::column::ColumnKind;
use base::stamp;

/// A value, or its absence. Equal numbers are equal whether they are whole or not: `1` is `1.0`.
#[derive(Clone, Debug)]
pub enum Cell {
    Missing,
    Bool(bool),
    Int(i64),
    /// Never NaN: what has no value is missing.
    Float(f64),
    /// Nanoseconds since 1970 UTC.
    Time(i64),
    /// Never [`Level::None`].
    Level(Level),
    Text(Arc<str>),
    List(Arc<[Cell]>),
}

/// Whole numbers up to here are exact as floats.
const EXACT_FLOAT: f64 = 9_007_199_254_740_992.0;

/// Smaller floats are written with an exponent instead of up to three hundred zeros.
const TINY_FLOAT: f64 = 1e-9;

fn is_tiny(value: f64) -> bool {
    value != 0.0 && value.abs() < TINY_FLOAT
}

impl Cell {
    /// A float where it is one.
    #[must_use]
    pub fn float(value: f64) -> Cell {
        if value.is_finite() { Cell::Float(value) } else { Cell::Missing }
    }

    #[must_use]
    pub fn text(value: &str) -> Cell {
        Cell::Text(Arc::from(value))
    }

    #[must_use]
    pub fn level(level: Level) -> Cell {
        if level == Level::None { Cell::Missing } else { Cell::Level(level) }
    }

    /// A whole number, or a float where it does not fit.
    #[must_use]
    pub fn whole(value: i128) -> Cell {
        match i64::try_from(value) {
            Ok(value) if value != i64::MIN => Cell::Int(value),
            _ => Cell::float(value as f64),
        }
    }

    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Cell::Missing)
    }

    /// As a number, where it is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Int(value) => Some(*value as f64),
            Cell::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether a condition with this result holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        matches!(self, Cell::Bool(true))
    }

    /// The type of a column of such values.
    #[must_use]
    pub fn kind(&self) -> ColumnKind {
        match self {
            Cell::Missing => ColumnKind::Missing,
            Cell::Bool(_) => ColumnKind::Bool,
            Cell::Int(_) => ColumnKind::Int,
            Cell::Float(_) => ColumnKind::Float,
            Cell::Time(_) => ColumnKind::Time,
            Cell::Level(_) => ColumnKind::Level,
            Cell::Text(_) => ColumnKind::Text,
            Cell::List(_) => ColumnKind::List,
        }
    }

    /// As `type_of` names it.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Cell::Missing => "null",
            Cell::Bool(_) => "bool",
            Cell::Int(_) => "int",
            Cell::Float(_) => "float",
            Cell::Time(_) => "time",
            Cell::Level(_) | Cell::Text(_) => "text",
            Cell::List(_) => "list",
        }
    }

    /// Values of different types are in this order: numbers, truths, times, levels, texts, lists, nothing.
    fn rank(&self) -> u8 {
        match self {
            Cell::Int(_) | Cell::Float(_) => 0,
            Cell::Bool(_) => 1,
            Cell::Time(_) => 2,
            Cell::Level(_) => 3,
            Cell::Text(_) => 4,
            Cell::List(_) => 5,
            Cell::Missing => 6,
        }
    }

    /// Bytes it takes in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Cell>()
            + match self {
                Cell::Text(text) => text.len(),
                Cell::List(cells) => cells.iter().map(Cell::bytes).sum(),
                _ => 0,
            }
    }
}

/// A whole number against any float, exactly.
fn compare_mixed(int: i64, float: f64) -> Ordering {
    if float >= 9.3e18 {
        return Ordering::Less;
    }
    if float <= -9.3e18 {
        return Ordering::Greater;
    }
    let whole = float.floor();
    (i128::from(int)).cmp(&(whole as i128)).then(if float > whole { Ordering::Less } else { Ordering::Equal })
}

impl Ord for Cell {
    fn cmp(&self, other: &Cell) -> Ordering {
        match (self, other) {
            (Cell::Int(one), Cell::Int(other)) | (Cell::Time(one), Cell::Time(other)) => one.cmp(other),
            (Cell::Float(one), Cell::Float(other)) => (one + 0.0).total_cmp(&(other + 0.0)),
            (Cell::Int(one), Cell::Float(other)) => compare_mixed(*one, *other),
            (Cell::Float(one), Cell::Int(other)) => compare_mixed(*other, *one).reverse(),
            (Cell::Bool(one), Cell::Bool(other)) => one.cmp(other),
            (Cell::Level(one), Cell::Level(other)) => one.cmp(other),
            (Cell::Text(one), Cell::Text(other)) => one.cmp(other),
            (Cell::List(one), Cell::List(other)) => one.cmp(other),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Cell) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Cell) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cell {}

impl Hash for Cell {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Cell::Missing => {}
            Cell::Bool(value) => value.hash(state),
            Cell::Int(value) | Cell::Time(value) => value.hash(state),
            // Equal numbers hash alike, whole or not.
            Cell::Float(value) if value.fract() == 0.0 && value.abs() < 9.2e18 => (*value as i64).hash(state),
            Cell::Float(value) => value.to_bits().hash(state),
            Cell::Level(level) => (*level as u8).hash(state),
            Cell::Text(text) => text.hash(state),
            Cell::List(cells) => cells.hash(state),
        }
    }
}

/// As a person reads it; nothing for a missing value.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Missing => Ok(()),
            Cell::Bool(value) => write!(f, "{value}"),
            Cell::Int(value) => write!(f, "{value}"),
            Cell::Float(value) if value.abs() >= EXACT_FLOAT || is_tiny(*value) => write!(f, "{value:e}"),
            Cell::Float(value) => write!(f, "{value}"),
            Cell::Time(time) => f.write_str(&stamp::to_rfc3339(*time)),
            Cell::Level(level) => f.write_str(level.name()),
            Cell::Text(text) => f.write_str(text),
            Cell::List(cells) => {
                for (index, cell) in cells.iter().enumerate() {
                    write!(f, "{}{cell}", if index > 0 { ", " } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiny_floats_are_written_with_an_exponent() {
        for (value, expected) in [
            (1.5e-300, "1.5e-300"),
            (-2e-12, "-2e-12"),
            (0.000_000_5, "0.0000005"),
            (0.0, "0"),
            (2e16, "2e16"),
        ] {
            assert_eq!(Cell::Float(value).to_string(), expected);
            assert_eq!(expected.parse::<f64>(), Ok(value));
        }
    }

    #[test]
    fn numbers_compare_exactly_whatever_their_type() {
        assert_eq!(Cell::Int(1), Cell::Float(1.0));
        assert!(Cell::Int(9_007_199_254_740_993) > Cell::Float(9_007_199_254_740_992.0));
        assert!(Cell::Int(-1) > Cell::Float(-1.5) && Cell::Int(-2) < Cell::Float(-1.5));
        assert_eq!(Cell::Float(-0.0), Cell::Int(0));
        assert!(Cell::Int(i64::MAX) < Cell::Float(f64::MAX) && Cell::Float(f64::MIN) < Cell::Int(-1));
        assert!(Cell::text("a") < Cell::Missing && Cell::Int(5) < Cell::text("4"));
    }
}
