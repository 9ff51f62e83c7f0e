//! The number of a detector that a person turns: its limit, or how far from usual is unusual. It is written back into
//! the text of its file, whose comments and order stay.

use indexer::duration;
use serde::Serialize;
use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::absence::Absence;
use super::form::detector_in;
use super::{Condition, Detector};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum LevelKind {
    Above,
    Below,
    /// Deviations from what is expected.
    Deviations,
    /// Seconds of silence.
    Longer,
    /// A multiple of the usual pause.
    Times,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "DetectorLevel"))]
pub struct Level {
    pub kind: LevelKind,
    pub value: f64,
    /// Where a threshold ends.
    pub clear: Option<f64>,
    /// Whether values above, and below, what is expected count.
    pub up: bool,
    pub down: bool,
}

impl Detector {
    /// Its level; nothing where a condition has none.
    #[must_use]
    pub fn level(&self) -> Option<Level> {
        let level = |kind, value, clear| Level { kind, value, clear, up: true, down: false };
        Some(match &self.condition {
            Condition::Threshold(one) if one.is_above => level(LevelKind::Above, one.limit, Some(one.clear)),
            Condition::Threshold(one) => {
                Level { up: false, down: true, ..level(LevelKind::Below, one.limit, Some(one.clear)) }
            }
            Condition::Anomaly(one) => {
                Level { up: one.up, down: one.down, ..level(LevelKind::Deviations, one.sensitivity, None) }
            }
            Condition::Absence(Absence::Longer(limit)) => level(LevelKind::Longer, *limit as f64 / 1e9, None),
            Condition::Absence(Absence::Times(times)) => level(LevelKind::Times, *times, None),
            Condition::Pattern(_) | Condition::Sequence(_) => return None,
        })
    }

    /// The detector with another level. A margin that would be on its far side moves along.
    #[must_use]
    pub fn at_level(&self, value: f64) -> Detector {
        let mut other = self.clone();
        match &mut other.condition {
            Condition::Threshold(one) => {
                one.clear = if one.clear.to_bits() == one.limit.to_bits() {
                    value
                } else if one.is_above {
                    one.clear.min(value)
                } else {
                    one.clear.max(value)
                };
                one.limit = value;
            }
            Condition::Anomaly(one) => one.sensitivity = value.max(1.0),
            Condition::Absence(Absence::Longer(limit)) => *limit = seconds(value),
            Condition::Absence(Absence::Times(times)) => *times = value.max(1.01),
            Condition::Pattern(_) | Condition::Sequence(_) => {}
        }
        other
    }
}

fn seconds(value: f64) -> i64 {
    ((value * 1e3).round().max(1.0) as i64).saturating_mul(1_000_000)
}

/// The text of a file of detectors with the level that a detector of it has now. Nothing where the text has no such
/// detector or condition.
#[must_use]
pub fn with_level(text: &str, detector: &Detector) -> Option<String> {
    let level = detector.level()?;
    let mut document: DocumentMut = text.parse().ok()?;
    let table = detector_in(&mut document, &detector.name)?;
    let (condition, key) = match level.kind {
        LevelKind::Above => ("threshold", "above"),
        LevelKind::Below => ("threshold", "below"),
        LevelKind::Deviations => ("anomaly", "sensitivity"),
        LevelKind::Longer => ("absence", "longer"),
        LevelKind::Times => ("absence", "times"),
    };
    let condition = table.get_mut(condition)?.as_table_like_mut()?;
    let value: Value = match (&detector.condition, level.kind) {
        (Condition::Absence(Absence::Longer(limit)), LevelKind::Longer) => {
            duration::compact(*limit, 5).into()
        }
        _ => number(level.value),
    };
    put(condition, key, value);
    if let Some(clear) = level.clear
        && condition.contains_key("clear")
    {
        put(condition, "clear", number(clear));
    }
    Some(document.to_string())
}

/// Replaces a value; the spaces and comments around it stay.
pub fn put(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(known) => {
            *value.decor_mut() = known.decor().clone();
            *known = value;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

/// Whole numbers without a point, as people write them.
pub fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 { (value as i64).into() } else { value.into() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::measure::read;

    /// A text with another level of its first detector in it.
    fn moved(text: &str, value: f64) -> String {
        let (detectors, problems) = read(Path::new("d.toml"), text);
        assert_eq!(problems, []);
        let moved = detectors[0].at_level(value);
        let written = with_level(text, &moved).expect("a level");
        let (again, problems) = read(Path::new("d.toml"), &written);
        assert_eq!((again[0].level(), problems), (moved.level(), Vec::new()), "{written}");
        written
    }

    #[test]
    fn levels_are_written_where_they_were_and_all_else_stays() {
        for (condition, value, expected) in [
            (
                "threshold = { above = 50, for = \"2m\" } # why",
                7.5,
                "threshold = { above = 7.5, for = \"2m\" } # why",
            ),
            ("threshold = { below = 5 }", 8.0, "threshold = { below = 8 }"),
            ("threshold = { above = 50, clear = 20 }", 30.0, "threshold = { above = 30, clear = 20 }"),
            ("threshold = { above = 50, clear = 20 }", 10.0, "threshold = { above = 10, clear = 10 }"),
            ("threshold = { below = 5, clear = 9 }", 12.0, "threshold = { below = 12, clear = 12 }"),
            (
                "[detector.threshold]\nabove = 1 # a\nevery = \"5m\"",
                2.0,
                "[detector.threshold]\nabove = 2 # a\nevery = \"5m\"",
            ),
            ("anomaly = { sensitivity = 8, bins = 2 }", 4.25, "anomaly = { sensitivity = 4.25, bins = 2 }"),
            ("[detector.anomaly]\nbins = 2", 4.0, "[detector.anomaly]\nbins = 2\nsensitivity = 4"),
            ("absence = { longer = \"10m\" }", 5_400.0, "absence = { longer = \"1h30m\" }"),
            ("absence = { longer = \"10m\" }", 0.25, "absence = { longer = \"250ms\" }"),
            ("absence = { times = 5 }", 7.0, "absence = { times = 7 }"),
        ] {
            let head = "# Mine.\n[[detector]]\nname = \"a\"\n";
            let tail = "\n\n[[detector]]\nname = \"b\"\nthreshold = { above = 99 }\n";
            let text = moved(&format!("{head}{condition}{tail}"), value);
            let rest = text.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail.trim_start()));
            assert_eq!(rest.map(str::trim_end), Some(expected), "{text}");
        }
        assert_eq!(
            moved("detector = [{ name = \"a\", anomaly = {} }]\n", 3.0),
            "detector = [{ name = \"a\", anomaly = { sensitivity = 3 } }]\n"
        );
    }

    #[test]
    fn conditions_without_a_level_say_so() {
        let text = "[[detector]]\nname = \"a\"\npattern = { new = true }\n";
        let (detectors, _) = read(Path::new("d.toml"), text);
        assert_eq!((detectors[0].level(), with_level(text, &detectors[0])), (None, None));
    }

    #[test]
    fn levels_stay_among_those_that_a_file_may_have() {
        let text = "[[detector]]\nname = \"a\"\nanomaly = {}\n";
        let (detectors, _) = read(Path::new("d.toml"), text);
        assert_eq!(detectors[0].at_level(0.2).level().map(|level| level.value), Some(1.0));
    }
}
