//! The ids of templates.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The granularity of templates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Granularity {
    /// Messages with the same words.
    Shape,
    #[default]
    Template,
    /// Templates that differ only in words that most templates would vary in.
    Group,
    /// Groups that share no more than a quarter of their words.
    Family,
}

impl Granularity {
    pub const ALL: [Granularity; 4] =
        [Granularity::Shape, Granularity::Template, Granularity::Group, Granularity::Family];

    fn letter(self) -> char {
        match self {
            Granularity::Shape => 's',
            Granularity::Template => 't',
            Granularity::Group => 'g',
            Granularity::Family => 'f',
        }
    }
}

/// The permanent id of a template: its granularity, and a shape in it. Written as a letter and sixteen
/// hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateId {
    pub granularity: Granularity,
    pub shape: u64,
}

impl fmt::Display for TemplateId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{:016x}", self.granularity.letter(), self.shape)
    }
}

impl Serialize for TemplateId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for TemplateId {
    type Err = ();

    fn from_str(text: &str) -> Result<TemplateId, ()> {
        let text = text.to_ascii_lowercase();
        let granularity =
            Granularity::ALL.into_iter().find(|known| text.starts_with(known.letter())).ok_or(())?;
        let digits = &text[1..];
        let is_hex = digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let shape = u64::from_str_radix(digits, 16).ok().filter(|_| is_hex).ok_or(())?;
        Ok(TemplateId { granularity, shape })
    }
}

/// The name of a shape: the first half of a half of its SHA-256.
#[must_use]
pub fn shape_hash(shape: &str) -> u64 {
    let digest = Sha256::digest(shape.as_bytes());
    digest.iter().take(8).fold(0, |hash, &byte| hash << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_and_never_change() {
        let id = TemplateId { granularity: Granularity::Template, shape: shape_hash("worker <num> started") };
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(id.to_string().to_uppercase().parse(), Ok(id));
        for wrong in ["", "t", "t123", "x0000000000000000", "t+00000000000000a", "t00000000000000zz"] {
            assert_eq!(wrong.parse::<TemplateId>(), Err(()), "{wrong}");
        }
    }
}
