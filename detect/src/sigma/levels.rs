//! The levels of events in rules. A case has each as one of seven names, and rules write them as their log source does:
//! `Information`, or 4 for Windows.

use indexer::query::levels::LEVELS;

use super::matching::FieldMatcher;
use super::values::Test;

/// The built-in field.
pub const LEVEL: &str = "level";

/// The levels of Windows: their numbers, and their names in the event viewer. `Verbose` is read as either of the
/// lowest two, by the format of the log.
const WINDOWS: [(&str, [&str; 2]); 6] = [
    ("fatal", ["1", "Critical"]),
    ("error", ["2", "Error"]),
    ("warn", ["3", "Warning"]),
    ("info", ["4", "Information"]),
    ("debug", ["5", "Verbose"]),
    ("trace", ["5", "Verbose"]),
];

/// The levels whose name, in any spelling, passes a test on a value. Nothing for tests that are on something else.
pub fn passing_levels(test: &Test, is_windows: bool) -> Option<Vec<&'static str>> {
    if matches!(test, Test::Exists | Test::Null | Test::Field { .. } | Test::Clock { .. }) {
        return None;
    }
    let matcher = FieldMatcher::new(&[(0, test)]);
    let is_passing = |(name, others): &&(&'static str, &[&str])| {
        let of_windows = WINDOWS.iter().filter(|(level, _)| is_windows && level == name);
        let written = of_windows.flat_map(|(_, spellings)| spellings);
        std::iter::once(name).chain(*others).chain(written).any(|word| !matcher.passing(word).is_empty())
    };
    Some(LEVELS.iter().filter(is_passing).map(|(name, _)| *name).collect())
}

#[cfg(test)]
mod tests {
    use super::super::pattern::Wild;
    use super::super::values::Order;
    use super::*;

    #[test]
    fn levels_pass_by_any_of_their_spellings() {
        let text = |wild: &str| Test::Text { wild: Wild::parse(wild).lower(), cased: false };
        let passing = |test: &Test, is_windows| passing_levels(test, is_windows).expect("a test on values");
        assert_eq!(passing(&text("4"), true), ["info"]);
        assert_eq!(passing(&text("4"), false), Vec::<&str>::new());
        assert_eq!(passing(&text("*inform*"), true), ["info"]);
        assert_eq!(passing(&text("Verbose"), true), ["trace", "debug"]);
        assert_eq!(passing(&text("verbose"), false), ["trace"]);
        assert_eq!(passing(&text("crit*"), false), ["fatal"]);
        let serious = Test::Compare { op: Order::LessOrEqual, number: 3_f64.to_bits() };
        assert_eq!(passing(&serious, true), ["warn", "error", "fatal"]);
        assert_eq!(passing(&Test::Regex("^Err".to_owned()), true), ["error"]);
        assert_eq!(passing_levels(&Test::Null, true), None);
    }
}
