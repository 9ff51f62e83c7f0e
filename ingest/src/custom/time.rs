//! Reads an event's time from the text of its fields.

use crate::time::When;
use crate::time::find::whole_time;
use crate::time::pattern::TimePattern;

/// The time spellings of a format. Without any, every usual spelling is tried.
#[derive(Clone, Debug, Default)]
pub(super) struct TimeFormat {
    patterns: Vec<TimePattern>,
}

impl TimeFormat {
    /// From spellings in the syntax of `strptime` (`%Y-%m-%d`) or of Joda (`yyyy-MM-dd`, `UNIX_MS`).
    pub(super) fn new(spellings: &[String]) -> Result<TimeFormat, String> {
        let pattern = |spelling: &String| match spelling.trim() {
            "" => Err("the format of the time is empty".to_string()),
            spelling if spelling.contains('%') => TimePattern::strptime(spelling),
            spelling => TimePattern::joda(spelling),
        };
        Ok(TimeFormat { patterns: spellings.iter().map(pattern).collect::<Result<_, _>>()? })
    }

    pub(super) fn read(&self, text: &[u8]) -> Option<When> {
        if self.patterns.is_empty() {
            return whole_time(text);
        }
        self.patterns.iter().find_map(|pattern| pattern.whole_time(text))
    }
}
