//! Path patterns as in shells: `*` and `?` within a name, `**` over folders, `[a-z]`, `{a,b}`.

/// A pattern. Without a slash it is matched against the last part of a path, otherwise against all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    choices: Vec<Vec<GlobPart>>,
    of_name: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum GlobPart {
    Letter(char),
    Any,
    Run,
    Folders,
    /// One of these characters, or none of them if true.
    Set(Vec<(char, char)>, bool),
}

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
        Glob { choices: written.iter().map(|one| parts(one)).collect(), of_name: !pattern.contains('/') }
    }

    /// Like [`Glob::new`], but matched against all of a path whether the pattern has a slash or not.
    #[must_use]
    pub fn for_whole_path(pattern: &str) -> Glob {
        Glob { of_name: false, ..Glob::new(pattern) }
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
        let text: Vec<char> = text.chars().collect();
        self.choices.iter().any(|parts| fits(parts, &text))
    }
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

fn parts(pattern: &str) -> Vec<GlobPart> {
    let letters: Vec<char> = pattern.chars().collect();
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        at += 1;
        match letter {
            '*' if letters.get(at) == Some(&'*') => {
                at += 1;
                // `**/` also matches no folder at all.
                at += usize::from(letters.get(at) == Some(&'/'));
                parts.push(GlobPart::Folders);
            }
            '*' => parts.push(GlobPart::Run),
            '?' => parts.push(GlobPart::Any),
            '[' => match set(&letters[at..]) {
                Some((set, length)) => {
                    parts.push(set);
                    at += length;
                }
                None => parts.push(GlobPart::Letter('[')),
            },
            letter => parts.push(GlobPart::Letter(letter)),
        }
    }
    parts
}

/// The set after an opening bracket, and its length including the closing one.
fn set(letters: &[char]) -> Option<(GlobPart, usize)> {
    let negated = matches!(letters.first(), Some('!' | '^'));
    let start = usize::from(negated);
    let end = start + 1 + letters.get(start + 1..)?.iter().position(|&letter| letter == ']')?;
    let mut ranges = Vec::new();
    let mut at = start;
    while at < end {
        if letters.get(at + 1) == Some(&'-') && at + 2 < end {
            ranges.push((letters[at], letters[at + 2]));
            at += 3;
        } else {
            ranges.push((letters[at], letters[at]));
            at += 1;
        }
    }
    Some((GlobPart::Set(ranges, negated), end + 1))
}

/// Whether the parts match all of the text. For each part in turn it computes the prefixes of the text that
/// the parts so far match, so that the time is bounded by the product of both lengths.
fn fits(parts: &[GlobPart], text: &[char]) -> bool {
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for part in parts {
        let mut next = vec![false; text.len() + 1];
        match part {
            GlobPart::Run | GlobPart::Folders => {
                let mut open = false;
                for at in 0..=text.len() {
                    // Folders begin where a part of the path does.
                    open |= reached[at];
                    next[at] = match part {
                        GlobPart::Folders => {
                            open && (reached[at] || at == text.len() || text[at - 1] == '/') || reached[at]
                        }
                        _ => open,
                    };
                    if *part == GlobPart::Run && text.get(at) == Some(&'/') {
                        open = false;
                    }
                }
            }
            _ => {
                for (at, &letter) in text.iter().enumerate() {
                    next[at + 1] = reached[at] && part_matches(part, letter);
                }
            }
        }
        reached = next;
    }
    reached[text.len()]
}

fn part_matches(part: &GlobPart, letter: char) -> bool {
    match part {
        GlobPart::Letter(wanted) => *wanted == letter,
        GlobPart::Any => letter != '/',
        GlobPart::Set(ranges, negated) => {
            letter != '/' && ranges.iter().any(|&(from, to)| (from..=to).contains(&letter)) != *negated
        }
        GlobPart::Run | GlobPart::Folders => false,
    }
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
            ("?.log", "ab.log", false),
            ("[x", "[x", true),
        ] {
            assert_eq!(Glob::new(pattern).matches(path), is, "{pattern} {path}");
        }
        let hostile = Glob::new(&"*a".repeat(200));
        assert!(!hostile.matches(&"a".repeat(150)));
    }
}
