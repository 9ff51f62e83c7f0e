//! Values read as another type.

use std::net::IpAddr;

use ingest::Level;

use super::super::cell::Cell;
use base::stamp;
use query::network::Network;
use query::{Dimension, Quantity, levels};

/// A number, also one that is written in a text.
pub fn number_of(cell: &Cell) -> Option<Cell> {
    match cell {
        Cell::Int(_) | Cell::Float(_) => Some(cell.clone()),
        Cell::Bool(value) => Some(Cell::Int(i64::from(*value))),
        Cell::Text(text) => {
            let text = text.trim();
            let is_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
            if !is_number {
                return None;
            }
            let float = || text.parse().ok().filter(|value: &f64| value.is_finite()).map(Cell::Float);
            text.parse().ok().filter(|&value| value != i64::MIN).map(Cell::Int).or_else(float)
        }
        _ => None,
    }
}

/// A number, with the unit it may be written with: sizes in bytes, durations in milliseconds.
pub fn to_number(cell: &Cell) -> Cell {
    if let Cell::Time(time) = cell {
        return Cell::Int(*time);
    }
    number_of(cell).unwrap_or_else(|| {
        let Cell::Text(text) = cell else { return Cell::Missing };
        let spaceless: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        Quantity::parse(&spaceless).map_or(Cell::Missing, |quantity| match quantity.unit.dimension() {
            Dimension::Size => whole_if_exact(quantity.amount()),
            Dimension::Duration => duration_in(quantity, MILLISECOND),
        })
    })
}

/// Nanoseconds.
pub const MILLISECOND: f64 = 1e6;

/// A duration in a unit of so many nanoseconds.
pub fn duration_in(quantity: Quantity, unit_ns: f64) -> Cell {
    let factor = quantity.unit.factor();
    // Of the two whole factors one divides the other, which keeps decimals exact.
    let exact = |op, by: f64| super::arithmetic::floats(op, quantity.number, by);
    let value = if factor >= unit_ns {
        exact(query::BinaryOp::Multiply, factor / unit_ns)
    } else {
        exact(query::BinaryOp::Divide, unit_ns / factor)
    };
    value.number().map_or(Cell::Missing, whole_if_exact)
}

/// A whole number where the float is one.
pub fn whole_if_exact(value: f64) -> Cell {
    if value.fract() == 0.0 && value.abs() < 9e18 { Cell::Int(value as i64) } else { Cell::float(value) }
}

pub fn to_bool(cell: &Cell) -> Cell {
    match cell {
        Cell::Bool(_) => cell.clone(),
        Cell::Int(value) => Cell::Bool(*value != 0),
        Cell::Float(value) => Cell::Bool(*value != 0.0),
        Cell::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Cell::Bool(true),
            "false" | "no" | "off" | "0" => Cell::Bool(false),
            _ => Cell::Missing,
        },
        _ => Cell::Missing,
    }
}

/// A time that a text spells.
pub fn time_of(text: &str) -> Option<i64> {
    stamp::parse(text.trim().trim_start_matches('@'))
}

/// A number since 1970 in seconds, milli-, micro- or nanoseconds, depending on its size.
pub fn time_of_number(value: f64) -> Option<i64> {
    let unit = match value.abs() {
        size if size < 1e11 => 1e9,
        size if size < 1e14 => 1e6,
        size if size < 1e17 => 1e3,
        _ => 1.0,
    };
    let time = (value * unit).round();
    (time.abs() < 9.2e18).then_some(time as i64)
}

/// The level that a word names, in any case, as filters know it.
pub fn level_of(word: &str) -> Option<Level> {
    let name = levels::named(word)?;
    Level::ALL.into_iter().find(|level| level.name() == name)
}

pub fn to_ip(cell: &Cell) -> Cell {
    let Cell::Text(text) = cell else { return Cell::Missing };
    let plain = text.trim().trim_start_matches('[').trim_end_matches(']');
    plain.parse::<IpAddr>().map_or(Cell::Missing, |address| Cell::Text(address.to_string().into()))
}

pub fn cidr_match(address: &Cell, networks: &[Cell]) -> Cell {
    let Cell::Text(address) = address else { return Cell::Missing };
    let mut known = false;
    for network in networks {
        let Cell::Text(network) = network else { continue };
        let network = if network.contains('/') {
            Network::parse(network)
        } else {
            Network::parse(&format!("{network}/{}", if network.contains(':') { 128 } else { 32 }))
        };
        match network.and_then(|network| network.holds(address)) {
            Some(true) => return Cell::Bool(true),
            Some(false) => known = true,
            None => {}
        }
    }
    if known { Cell::Bool(false) } else { Cell::Missing }
}
