//! Reads an event's time from the text of its fields. Everything here that knows how a time is spelled
//! stands in [`TimeFormat::read`].

use crate::time::When;
use crate::time::find::whole;

/// How a format spells its times. Every usual spelling is known by itself.
#[derive(Clone, Debug, Default)]
pub(super) struct TimeFormat;

impl TimeFormat {
    pub(super) fn new(spellings: &[String]) -> Result<TimeFormat, String> {
        if spellings.iter().any(|spelling| spelling.trim().is_empty()) {
            return Err("the format of the time is empty".to_string());
        }
        Ok(TimeFormat)
    }

    #[allow(clippy::unused_self)]
    pub(super) fn read(&self, text: &[u8]) -> Option<When> {
        whole(text)
    }
}
