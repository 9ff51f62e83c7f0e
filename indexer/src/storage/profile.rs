//! What is kept of a case besides its original bytes.

use serde::{Deserialize, Serialize};

/// From the smallest and slowest to search, to the largest and quickest. Every profile answers every question
/// alike, because what is not kept is made again from the original bytes when it is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Time, level and place of each event. A question about a field parses the text again.
    Raw,
    /// Typed columns. A search for text reads the text.
    Fields,
    /// Columns, and for each block of rows a filter of the tokens in it.
    Bloom,
    /// Columns, and an index that tells the rows of each token.
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
