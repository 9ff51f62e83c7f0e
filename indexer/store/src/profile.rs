//! What is stored of a case besides its original bytes.

use serde::{Deserialize, Serialize};

/// From the smallest and slowest to search to the largest and fastest. Every profile gives the same answers:
/// what is not stored is rebuilt from the original bytes on demand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Profile {
    /// Time, level and position of each event. A predicate on a field parses the text again.
    Raw,
    /// Typed columns. A text search scans the text.
    Fields,
    /// Columns, and a Bloom filter of the tokens in each block of rows.
    Bloom,
    /// Columns, and an index with the posting list of each token.
    #[default]
    Full,
}

impl Profile {
    pub const ALL: [Profile; 4] = [Profile::Raw, Profile::Fields, Profile::Bloom, Profile::Full];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Profile::Raw => "raw",
            Profile::Fields => "fields",
            Profile::Bloom => "bloom",
            Profile::Full => "full",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Profile> {
        Profile::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// Whether fields have columns of their own.
    #[must_use]
    pub fn has_columns(self) -> bool {
        self > Profile::Raw
    }
}
