//! Path patterns as in shells: `*` and `?` within a name, `**` over folders, `[a-z]`, `{a,b}`.

use std::fmt::Write;

use regex_automata::meta::{Config, Regex};
use regex_syntax::escape;

/// A pattern. Without a slash it is matched against the last part of a path, otherwise against all of it.
#[derive(Clone, Debug)]
pub struct Glob {
    written: String,
    /// None where it would be too large; such a pattern is taken as it is written.
    regex: Option<Regex>,
    of_name: bool,
}

impl PartialEq for Glob {
    fn eq(&self, other: &Glob) -> bool {
        (&self.written, self.of_name) == (&other.written, other.of_name)
    }
}

impl Eq for Glob {}

/// `{a,b}` makes one pattern of each; beyond this many they are used as written.
const MOST_CHOICES: usize = 256;

impl Glob {
    #[must_use]
    pub fn new(pattern: &str) -> Glob {
        let mut written = vec![pattern.to_owned()];
        while let Some((at, spelled)) =
            written.iter().enumerate().find_map(|(at, one)| Some((at, expand_braces(one)?)))
        {
            if written.len() + spelled.len() > MOST_CHOICES {
                break;
            }
            written.splice(at..=at, spelled);
        }
        let choices: Vec<String> = written.iter().map(|one| expression(one)).collect();
        let regex = automaton(&choices.join("|"));
        Glob { written: pattern.to_owned(), regex, of_name: !pattern.contains('/') }
    }

    /// Like [`Glob::new`], but matched against all of a path whether the pattern has a slash or not.
    #[must_use]
    pub fn for_whole_path(pattern: &str) -> Glob {
        Glob { of_name: false, ..Glob::new(pattern) }
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Whether files in subfolders may match.
    pub(crate) fn enters_folders(&self) -> bool {
        self.of_name || self.written.contains('/')
    }

    /// Whether text contains any pattern character.
    #[must_use]
    pub fn is_pattern(text: &str) -> bool {
        text.contains(['*', '?', '[', '{'])
    }

    /// Whether a path with `/` between its parts matches.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let text = if self.of_name { path.rsplit('/').next().unwrap_or(path) } else { path };
        self.regex.as_ref().map_or(text == self.written, |regex| regex.is_match(text))
    }
}

/// The most that the automaton of a pattern may take; one of a thousand letters takes some 100 KB.
const AUTOMATON_BYTES: usize = 4 << 20;

/// Whether all of a text matches, in time that grows with its length alone.
fn automaton(expression: &str) -> Option<Regex> {
    let config = Config::new().nfa_size_limit(Some(AUTOMATON_BYTES));
    Regex::builder().configure(config).build(&format!("(?s)\\A(?:{expression})\\z")).ok()
}

/// The patterns of the first `{a,b}` in a pattern.
fn expand_braces(pattern: &str) -> Option<Vec<String>> {
    let open = pattern.find('{')?;
    let close = open + pattern[open..].find('}')?;
    let inner = &pattern[open + 1..close];
    if !inner.contains(',') {
        return None;
    }
    let (before, after) = (&pattern[..open], &pattern[close + 1..]);
    Some(inner.split(',').map(|choice| format!("{before}{choice}{after}")).collect())
}

/// A pattern without braces as a regular expression.
fn expression(pattern: &str) -> String {
    let letters: Vec<char> = pattern.chars().collect();
    let mut expression = String::new();
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        at += 1;
        match letter {
            '*' if letters.get(at) == Some(&'*') => {
                at += 1;
                // `**/` also matches no folder at all, and `**` at the end anything.
                at += usize::from(letters.get(at) == Some(&'/'));
                expression.push_str("(?:|.*/|.*\\z)");
            }
            '*' => expression.push_str("[^/]*"),
            '?' => expression.push_str("[^/]"),
            '[' => match set(&letters[at..]) {
                Some((set, length)) => {
                    expression.push_str(&set);
                    at += length;
                }
                None => expression.push_str("\\["),
            },
            letter => expression.push_str(&escape(letter.encode_utf8(&mut [0; 4]))),
        }
    }
    expression
}

/// The set after an opening bracket as a class, and its length including the closing bracket.
fn set(letters: &[char]) -> Option<(String, usize)> {
    let negated = matches!(letters.first(), Some('!' | '^'));
    let start = usize::from(negated);
    let end = start + 1 + letters.get(start + 1..)?.iter().position(|&letter| letter == ']')?;
    let code = |letter: char| format!("\\x{{{:x}}}", u32::from(letter));
    let mut class = String::new();
    let mut at = start;
    while at < end {
        let (from, mut to) = (letters[at], letters[at]);
        at += 1;
        if letters.get(at) == Some(&'-') && at + 1 < end {
            to = letters[at + 1];
            at += 2;
        }
        // A range that goes down holds nothing.
        if from <= to {
            // Writing to a string cannot fail.
            let _ = write!(class, "{}-{}", code(from), code(to));
        }
    }
    let class = match (class.is_empty(), negated) {
        (true, false) => "[^\\x{0}-\\x{10ffff}]".to_owned(),
        (true, true) => "[^/]".to_owned(),
        (false, false) => format!("[{class}&&[^/]]"),
        (false, true) => format!("[^{class}/]"),
    };
    Some((class, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, path, is) in [
            ("*.log", "app.log", true),
            ("*.log", "web/app.log", true),
            ("*.log", "app.log.1", false),
            ("web/*.log", "web/app.log", true),
            ("web/*.log", "web/old/app.log", false),
            ("**/*.log", "app.log", true),
            ("**/*.log", "a/b/app.log", true),
            ("a/**", "a/b/c.txt", true),
            ("a/**/c.txt", "a/c.txt", true),
            ("a/**/c.txt", "a/xc.txt", false),
            ("app.log.[0-9]", "app.log.3", true),
            ("app.log.[!0-9]", "app.log.3", false),
            ("{app,web}*.{log,txt}", "web2.txt", true),
            ("{app,web}*.{log,txt}", "db.txt", false),
            ("?.log", "ü.log", true),
            ("[ä-ö].log", "ö.log", true),
            ("[!0-9].log", "ü.log", true),
            ("[z-a].log", "m.log", false),
            ("[!a]x", "/x", false),
            ("[+--]x", "/x", false),
            ("[]a].log", "].log", true),
            ("[\\\\d].log", "1.log", false),
            ("a/**", "a/", true),
            ("a/**", "a", false),
            ("a**b", "axxb", false),
            ("a.b", "axb", false),
            ("one\ntwo*", "one\ntwo\nthree", true),
            ("?.log", "ab.log", false),
            ("[x", "[x", true),
        ] {
            assert_eq!(Glob::new(pattern).matches(path), is, "{pattern} {path}");
        }
        let hostile = Glob::new(&"*a".repeat(200));
        assert!(!hostile.matches(&"a".repeat(150)));
    }
}
