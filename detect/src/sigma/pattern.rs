//! Values with wildcards: `*` is any run of characters, `?` is one; a backslash before either, or before another
//! backslash, takes it as it is. Any other backslash is one.

use super::encode::encode_base64;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    Text(String),
    Many,
    One,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wild(pub Vec<Token>);

/// How a pattern without `?` lies in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Whole,
    Start,
    End,
    Anywhere,
    /// Several texts, or single free characters: a candidate has to be compared.
    Verify,
}

impl Wild {
    pub fn parse(text: &str) -> Wild {
        let mut wild = Wild::default();
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match (letter, letters.peek().copied()) {
                ('\\', Some(next @ ('*' | '?' | '\\'))) => {
                    letters.next();
                    wild.push_char(next);
                }
                ('*', _) => wild.push_many(),
                ('?', _) => wild.0.push(Token::One),
                (letter, _) => wild.push_char(letter),
            }
        }
        wild
    }

    pub fn literal(text: &str) -> Wild {
        Wild(if text.is_empty() { Vec::new() } else { vec![Token::Text(text.to_owned())] })
    }

    fn push_char(&mut self, letter: char) {
        match self.0.last_mut() {
            Some(Token::Text(text)) => text.push(letter),
            _ => self.0.push(Token::Text(letter.to_string())),
        }
    }

    fn push_many(&mut self) {
        if self.0.last() != Some(&Token::Many) {
            self.0.push(Token::Many);
        }
    }

    pub fn open_start(mut self) -> Wild {
        if self.0.first() != Some(&Token::Many) {
            self.0.insert(0, Token::Many);
        }
        self
    }

    pub fn open_end(mut self) -> Wild {
        self.push_many();
        self
    }

    /// The text, where nothing in it is a wildcard.
    pub fn plain(&self) -> Option<&str> {
        match self.0.as_slice() {
            [] => Some(""),
            [Token::Text(text)] => Some(text),
            _ => None,
        }
    }

    pub fn lower(&self) -> Wild {
        Wild(
            self.0
                .iter()
                .map(|token| match token {
                    Token::Text(text) => Token::Text(lower(text)),
                    other => other.clone(),
                })
                .collect(),
        )
    }

    /// The longest text that every match has, and where it lies.
    pub fn longest(&self) -> Option<(&str, Anchor)> {
        match self.0.as_slice() {
            [Token::Text(text)] => return Some((text, Anchor::Whole)),
            [Token::Text(text), Token::Many] => return Some((text, Anchor::Start)),
            [Token::Many, Token::Text(text)] => return Some((text, Anchor::End)),
            [Token::Many, Token::Text(text), Token::Many] => return Some((text, Anchor::Anywhere)),
            _ => {}
        }
        let texts = self.0.iter().filter_map(|token| match token {
            Token::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.max_by_key(|text| text.len()).map(|text| (text, Anchor::Verify))
    }

    /// Whether all of a value matches. Each `*` is tried as short as can be, and only the last one again, so the time
    /// is at most the product of both lengths.
    pub fn matches(&self, value: &str) -> bool {
        let mut at = 0;
        let mut index = 0;
        let mut retry: Option<(usize, usize)> = None;
        loop {
            let step = match self.0.get(index) {
                None => (at == value.len()).then_some(at),
                Some(Token::Many) if index + 1 == self.0.len() => return true,
                Some(Token::Many) => {
                    retry = Some((index, at));
                    Some(at)
                }
                Some(Token::One) => value[at..].chars().next().map(|letter| at + letter.len_utf8()),
                Some(Token::Text(text)) => value[at..].starts_with(text.as_str()).then(|| at + text.len()),
            };
            match step {
                Some(_) if index >= self.0.len() => return true,
                Some(next) => (at, index) = (next, index + 1),
                None => {
                    let Some((many, from)) = retry else { return false };
                    let Some(letter) = value[from..].chars().next() else { return false };
                    let mut from = from + letter.len_utf8();
                    // The next place at which what follows can begin.
                    if let Some(Token::Text(text)) = self.0.get(many + 1) {
                        match value[from..].find(text.as_str()) {
                            Some(found) => from += found,
                            None => return false,
                        }
                    }
                    retry = Some((many, from));
                    (at, index) = (from, many + 1);
                }
            }
        }
    }

    /// As a regular expression that finds it in a value.
    pub fn to_regex(&self) -> String {
        let mut tokens = self.0.as_slice();
        let mut text = String::from("(?s)");
        match tokens {
            [Token::Many, rest @ ..] => tokens = rest,
            _ => text.push('^'),
        }
        let open_end = matches!(tokens, [.., Token::Many]);
        if open_end {
            tokens = &tokens[..tokens.len() - 1];
        }
        for token in tokens {
            match token {
                Token::Text(part) => text.push_str(&regex::escape(part)),
                Token::Many => text.push_str(".*"),
                Token::One => text.push('.'),
            }
        }
        if !open_end {
            text.push_str("\\z");
        }
        text
    }

    pub fn base64(&self) -> Option<String> {
        self.plain().map(|text| encode_base64(text.as_bytes()))
    }
}

/// Lower case, character by character, so that a text has as many characters as before.
pub fn lower(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().map(lower_char).collect()
}

fn lower_char(letter: char) -> char {
    let mut lower = letter.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, value: &str) -> bool {
        Wild::parse(pattern).matches(value)
    }

    #[test]
    fn wildcards_and_escapes() {
        assert!(matches("*\\cmd.exe", "c:\\cmd.exe") && !matches("*\\cmd.exe", "c:\\cmd.exe "));
        assert!(matches("a?c", "abc") && !matches("a?c", "ac") && matches("a?c", "aäc"));
        assert!(matches(r"a\*c", "a*c") && !matches(r"a\*c", "abc"));
        assert!(matches(r"a\?", "a?") && !matches(r"a\?", "ab"));
        assert!(matches(r"c:\\*", r"c:\x") && matches(r"\\\\server", r"\\server"));
        assert!(matches(r"a\b", r"a\b"), "a backslash before a letter is one");
        assert!(matches("", "") && !matches("", "x") && matches("*", ""));
        assert!(matches("a*b*c", "a--b-b-c") && !matches("a*b*c", "a--b-b-"));
    }

    #[test]
    fn lower_case_keeps_the_number_of_characters() {
        assert_eq!(lower("ÄÖ İK"), "äö İk");
    }

    proptest! {
        #[test]
        fn matching_agrees_with_the_regular_expression(
            pattern in "[ab*?]{0,8}",
            value in "[ab\n]{0,10}",
        ) {
            let wild = Wild::parse(&pattern);
            let regex = regex::Regex::new(&wild.to_regex()).expect("it compiles");
            prop_assert_eq!(wild.matches(&value), regex.is_match(&value));
        }
    }
}
