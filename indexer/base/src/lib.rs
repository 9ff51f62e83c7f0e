//! What every crate of the engine is built on: errors, cancellation, limits, field kinds, tokens, hashes and times, and
//! how they are written as JSON.

pub mod duration;
pub mod error;
pub mod error_report;
pub mod faults;
pub mod files;
pub mod hash;
pub mod json;
pub mod limits;
mod median;
pub mod stamp;
pub mod tokens;
pub mod whole_file;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

pub use error::{Error, ErrorKind, Result};
pub use error_report::{ErrorReport, sentence};
pub use json::{EventId, LevelCount, LevelSeries, Nanos};
pub use median::median;

/// A cancellation flag for long work. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    parent: Option<Arc<Cancel>>,
}

impl Cancel {
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    #[inline]
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_set())
    }

    /// A flag that is also set by this one, and can be set separately.
    #[must_use]
    pub fn child(&self) -> Cancel {
        Cancel { flag: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }
}

/// The types a field's values have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum FieldKind {
    Text,
    Int,
    Float,
    Bool,
}

impl FieldKind {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FieldKind::Text => "text",
            FieldKind::Int => "int",
            FieldKind::Float => "float",
            FieldKind::Bool => "bool",
        }
    }
}

#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
