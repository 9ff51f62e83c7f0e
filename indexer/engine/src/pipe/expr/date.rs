//! Functions of times. Each takes a zone as its last argument; without one the query's own is used.

use jiff::civil::DateTime;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::super::calendar::Width;
use super::super::cell::Cell;
use super::super::run::RunClock;
use super::convert::{time_of, time_of_number};
use query::functions::Function;
use query::{Quantity, Unit};

pub fn date(function: Function, arguments: &[Cell], clock: &RunClock) -> Cell {
    calculate(function, arguments, clock).unwrap_or(Cell::Missing)
}

fn calculate(function: Function, arguments: &[Cell], clock: &RunClock) -> Option<Cell> {
    match function {
        Function::ToTime => to_time(&arguments[0], arguments.get(1), clock),
        Function::DateTrunc => {
            let zone = zone(arguments.get(2), clock)?;
            let width = Width::from_quantity(Quantity { number: 1.0, unit: unit(&arguments[0])? });
            width.start(time(&arguments[1])?, &zone).map(Cell::Time)
        }
        Function::DateFormat => {
            let Cell::Text(format) = &arguments[1] else { return None };
            let zoned = zoned(time(&arguments[0])?, zone(arguments.get(2), clock)?)?;
            strtime::format(&**format, &zoned).ok().map(|text| Cell::Text(text.into()))
        }
        Function::DateDiff => {
            difference(&arguments[0], time(&arguments[1])?, time(&arguments[2])?, &clock.zone)
        }
        Function::DatePart => {
            part(&arguments[0], &zoned(time(&arguments[1])?, zone(arguments.get(2), clock)?)?)
        }
        _ => None,
    }
}

/// A time, also one that is written in a text.
fn time(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Time(time) => Some(*time),
        Cell::Text(text) => time_of(text),
        _ => None,
    }
}

fn to_time(value: &Cell, format: Option<&Cell>, clock: &RunClock) -> Option<Cell> {
    match (value, format) {
        (Cell::Time(_), _) => Some(value.clone()),
        (Cell::Int(number), None) => time_of_number(*number as f64).map(Cell::Time),
        (Cell::Float(number), None) => time_of_number(*number).map(Cell::Time),
        (Cell::Text(text), None) => {
            let number = || text.trim().parse().ok().and_then(time_of_number);
            time_of(text).or_else(number).map(Cell::Time)
        }
        (Cell::Text(text), Some(Cell::Text(format))) => {
            let parsed = strtime::parse(&**format, text.trim()).ok()?;
            let stamp = parsed.to_timestamp().ok().or_else(|| {
                let civil = parsed
                    .to_datetime()
                    .ok()
                    .or_else(|| parsed.to_date().ok().map(|date| date.at(0, 0, 0, 0)))?;
                clock.zone.to_timestamp(civil).ok()
            })?;
            i64::try_from(stamp.as_nanosecond()).ok().map(Cell::Time)
        }
        _ => None,
    }
}

fn zone(argument: Option<&Cell>, clock: &RunClock) -> Option<TimeZone> {
    match argument {
        None => Some(clock.zone.clone()),
        Some(Cell::Text(name)) => TimeZone::get(name).ok().or_else(|| TimeZone::posix(name).ok()),
        Some(_) => None,
    }
}

fn zoned(time: i64, zone: TimeZone) -> Option<Zoned> {
    Timestamp::from_nanosecond(i128::from(time)).ok().map(|stamp| stamp.to_zoned(zone))
}

fn unit(cell: &Cell) -> Option<Unit> {
    match cell {
        Cell::Text(name) => Unit::named(name),
        _ => None,
    }
}

/// Whole units between two times; those of the calendar as the zone has them.
fn difference(name: &Cell, from: i64, to: i64, zone: &TimeZone) -> Option<Cell> {
    let unit = unit(name)?;
    let months = match unit {
        Unit::Month => 1,
        Unit::Quarter => 3,
        Unit::Year => 12,
        Unit::Day | Unit::Week => {
            let (from, to) = (zoned(from, zone.clone())?, zoned(to, zone.clone())?);
            let days = whole_days(from.datetime(), to.datetime())?;
            return Some(Cell::Int(if unit == Unit::Week { days / 7 } else { days }));
        }
        _ if unit.dimension() == query::Dimension::Duration => {
            let length = unit.factor() as i128;
            return Some(Cell::whole((i128::from(to) - i128::from(from)) / length));
        }
        _ => return None,
    };
    let (from, to) = (zoned(from, zone.clone())?.datetime(), zoned(to, zone.clone())?.datetime());
    let span = from.until((jiff::Unit::Month, to)).ok()?;
    Some(Cell::Int(i64::from(span.get_months()) / months))
}

fn whole_days(from: DateTime, to: DateTime) -> Option<i64> {
    from.until((jiff::Unit::Day, to)).ok().map(|span| i64::from(span.get_days()))
}

fn part(name: &Cell, zoned: &Zoned) -> Option<Cell> {
    let Cell::Text(name) = name else { return None };
    let part = match name.to_ascii_lowercase().as_str() {
        "weekday" | "day_of_week" | "dow" => i64::from(zoned.weekday().to_monday_one_offset()),
        "day_of_year" | "doy" => i64::from(zoned.day_of_year()),
        name => match Unit::named(name)? {
            Unit::Year => i64::from(zoned.year()),
            Unit::Quarter => (i64::from(zoned.month()) - 1) / 3 + 1,
            Unit::Month => i64::from(zoned.month()),
            Unit::Week => i64::from(zoned.date().iso_week_date().week()),
            Unit::Day => i64::from(zoned.day()),
            Unit::Hour => i64::from(zoned.hour()),
            Unit::Minute => i64::from(zoned.minute()),
            Unit::Second => i64::from(zoned.second()),
            Unit::Millisecond => i64::from(zoned.millisecond()),
            Unit::Microsecond => i64::from(zoned.subsec_nanosecond()) / 1_000,
            Unit::Nanosecond => i64::from(zoned.subsec_nanosecond()),
            _ => return None,
        },
    };
    Some(Cell::Int(part))
}
