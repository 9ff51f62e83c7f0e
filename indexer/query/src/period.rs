//! A stretch of time.

use serde::{Deserialize, Serialize};

/// From (inclusive) to (exclusive), in nanoseconds since 1970 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Stretch"))]
pub struct Period {
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub from: i64,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub to: i64,
}
