//! The names of levels, least serious first.

/// Each level's name with what else it is called.
pub const LEVELS: [(&str, &[&str]); 7] = [
    ("trace", &["finest", "finer", "verbose", "trc"]),
    ("debug", &["fine", "dbg"]),
    ("info", &["information", "informational", "config", "inf"]),
    ("notice", &[]),
    ("warn", &["warning", "wrn"]),
    ("error", &["err", "severe", "eror"]),
    ("fatal", &["critical", "crit", "alert", "emergency", "emerg", "panic"]),
];

/// The name that the engine knows a level by.
#[must_use]
pub fn named(word: &str) -> Option<&'static str> {
    let is_meant = |name: &&str| name.eq_ignore_ascii_case(word);
    LEVELS.iter().find(|(name, others)| is_meant(name) || others.iter().any(is_meant)).map(|(name, _)| *name)
}
