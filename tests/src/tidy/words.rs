//! The words that do not come back, each with the standard one to write in its place.
//!
//! Names count as well as prose: `is_told`, `isTold` and "is told" all have the word "told" in them.

/// An old word or phrase in lower case, and what to write in its place.
pub const OLD_WORDS: &[(&str, &str)] = &[
    ("anew", "again"),
    ("apart", "separately, except"),
    ("asked of", "evaluated on, requested from"),
    ("at hand", "available"),
    ("behind", "after, following, in the background"),
    ("beside", "next to, with"),
    ("foremost", "first, top"),
    ("goes by", "uses"),
    ("holders", "candidates"),
    ("lets go on", "continues"),
    ("makes of it", "returns"),
    ("of that which", "a relative clause"),
    ("of which", "a relative clause"),
    ("stands", "is, follows, precedes"),
    ("told", "given, known, shown"),
];

/// Names that say nothing of what a function does; a verb phrase or the name of its result does.
const OLD_FUNCTIONS: &[&str] = &["behind", "beside", "here", "of", "there", "told"];

/// Logs that tests read, and the list above with its test.
pub const NOT_OURS: &[&str] = &["ingest/tests/documented/", "tests/src/tidy/words.rs", "tests/tests/tidy.rs"];

/// How often each of [`OLD_WORDS`] occurs in a file.
#[must_use]
pub fn occurrences(path: &str, text: &str) -> Vec<usize> {
    if NOT_OURS.iter().any(|start| path.starts_with(start)) {
        return vec![0; OLD_WORDS.len()];
    }
    let words = format!(" {} ", lower_case_words(text));
    OLD_WORDS.iter().map(|(word, _)| words.matches(&format!(" {word} ")).count()).collect()
}

/// How many functions of a file have one of [`OLD_FUNCTIONS`] as their name.
#[must_use]
pub fn old_functions(path: &str, text: &str) -> usize {
    if NOT_OURS.iter().any(|start| path.starts_with(start)) {
        return 0;
    }
    let is_named =
        |rest: &str, name: &str| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with(['(', '<']));
    text.split("fn ").skip(1).filter(|rest| OLD_FUNCTIONS.iter().any(|name| is_named(rest, name))).count()
}

/// The words of a text with a space between them; those of `oneName` and `one_name` are two.
fn lower_case_words(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut previous = ' ';
    for letter in text.chars() {
        let starts_word = letter.is_uppercase() && previous.is_lowercase();
        if (starts_word || !letter.is_alphabetic()) && !words.ends_with(' ') {
            words.push(' ');
        }
        if letter.is_alphabetic() {
            words.extend(letter.to_lowercase());
        }
        previous = letter;
    }
    words
}
