//! Recursive descent over the tokens. AND binds tighter than OR; what stands side by side is ANDed.

use super::ast::{Filter, Pattern, Test};
use super::lexer::{Kind, Token, is_field_name, lex};
use crate::limits::QUERY_DEPTH;

/// What is wrong with a query, where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    pub message: String,
    pub hint: Option<String>,
    /// Bytes of the query.
    pub start: usize,
    pub end: usize,
}

/// Reads a filter.
///
/// ```
/// let filter = indexer::query::parse("level>=warn NOT path:/health").unwrap();
/// assert_eq!(filter.to_string(), "level>=warn AND NOT path:/health");
/// ```
pub fn parse(query: &str) -> Result<Filter, QueryError> {
    let tokens = lex(query).map_err(|error| QueryError {
        message: error.message.to_owned(),
        hint: Some(error.hint.to_owned()),
        start: error.start,
        end: error.end,
    })?;
    let mut parser = Parser { tokens: &tokens, at: 0, end: query.len(), depth: 0 };
    if tokens.is_empty() {
        return Ok(Filter::Everything);
    }
    let filter = parser.or()?;
    match parser.peek() {
        None => Ok(filter),
        Some(token) => {
            Err(Parser::wrong(token, "this closes nothing", "remove it, or open a parenthesis before"))
        }
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    end: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    fn take(&mut self) -> Option<&'t Token> {
        let token = self.peek();
        self.at += usize::from(token.is_some());
        token
    }

    fn take_if(&mut self, kind: &Kind) -> bool {
        let found = self.peek().is_some_and(|token| token.kind == *kind);
        self.at += usize::from(found);
        found
    }

    fn or(&mut self) -> Result<Filter, QueryError> {
        let mut parts = vec![self.and()?];
        while self.take_if(&Kind::Or) {
            parts.push(self.and()?);
        }
        Ok(joined(parts, Filter::Or))
    }

    fn and(&mut self) -> Result<Filter, QueryError> {
        let mut parts = vec![self.not()?];
        loop {
            let explicit = self.take_if(&Kind::And);
            match self.peek().map(|token| &token.kind) {
                None | Some(Kind::Or | Kind::Close) if !explicit => return Ok(joined(parts, Filter::And)),
                _ => parts.push(self.not()?),
            }
        }
    }

    fn not(&mut self) -> Result<Filter, QueryError> {
        if self.take_if(&Kind::Not) || self.take_if(&Kind::Minus) {
            return self.deeper(|parser| parser.not().map(|inner| Filter::Not(Box::new(inner))));
        }
        self.primary()
    }

    fn deeper(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<Filter, QueryError>,
    ) -> Result<Filter, QueryError> {
        self.depth += 1;
        if self.depth > QUERY_DEPTH {
            return Err(self.here("this is nested too deep", "write it with fewer parentheses"));
        }
        let filter = inner(self)?;
        self.depth -= 1;
        Ok(filter)
    }

    fn primary(&mut self) -> Result<Filter, QueryError> {
        let Some(token) = self.take() else {
            return Err(self.here("something is missing at the end", "add a word, a phrase or field:value"));
        };
        match &token.kind {
            Kind::Open => self.deeper(|parser| {
                let filter = parser.or()?;
                if parser.take_if(&Kind::Close) {
                    Ok(filter)
                } else {
                    Err(Parser::wrong(token, "this parenthesis is not closed", "add ) at the end"))
                }
            }),
            Kind::Phrase(text) => match self.peek().map(|next| &next.kind) {
                Some(Kind::Colon | Kind::Compare(_)) => self.field(token, text),
                _ => Ok(Filter::Text(Pattern::Tokens(text.clone()))),
            },
            Kind::Word { text, plain } => match self.peek().map(|next| &next.kind) {
                Some(Kind::Colon | Kind::Compare(_)) => self.field(token, text),
                _ => Ok(pattern(text, plain).map_or(Filter::Everything, Filter::Text)),
            },
            Kind::Close => {
                Err(Self::wrong(token, "this closes nothing", "remove it, or put something before it"))
            }
            Kind::Colon | Kind::Compare(_) => Err(Self::wrong(
                token,
                "a field's name is missing before this",
                "write field:value, or quote it",
            )),
            Kind::And | Kind::Or => Err(Self::wrong(
                token,
                "something is missing before this",
                "put a clause on both sides, or quote the word",
            )),
            Kind::Not | Kind::Minus => {
                Err(Self::wrong(token, "something is missing after this", "add a clause"))
            }
        }
    }

    fn field(&mut self, name: &Token, field: &str) -> Result<Filter, QueryError> {
        let Some(operator) = self.take() else {
            return Err(self.here("something is missing at the end", "add a value"));
        };
        let quoted = matches!(name.kind, Kind::Phrase(_));
        if !quoted && !is_field_name(field) {
            return Err(Self::wrong(
                name,
                "this cannot be a field's name",
                "quote the whole to search for it as text",
            ));
        }
        let test = match operator.kind {
            Kind::Compare(op) => Test::Compare(op, self.literal(operator)?),
            _ => self.matches(operator)?,
        };
        Ok(Filter::Field { field: field.to_owned(), test, span: (name.start, name.end) })
    }

    fn matches(&mut self, operator: &Token) -> Result<Test, QueryError> {
        if self.peek().is_some_and(|token| token.kind == Kind::Open) {
            return self.value_list();
        }
        // `status: >= 500` is what some type.
        if let Some(Token { kind: Kind::Compare(op), .. }) = self.peek() {
            self.at += 1;
            return Ok(Test::Compare(*op, self.literal(operator)?));
        }
        Ok(match self.value(operator)? {
            None => Test::Exists,
            Some(pattern) => Test::Matches(vec![pattern]),
        })
    }

    /// `field:(a OR b)` or `field:(a b)`: any of them.
    fn value_list(&mut self) -> Result<Test, QueryError> {
        let Some(open) = self.take() else {
            return Err(self.here("something is missing at the end", "add a value"));
        };
        let mut patterns = Vec::new();
        while !self.take_if(&Kind::Close) {
            if self.peek().is_none() {
                return Err(Self::wrong(open, "this parenthesis is not closed", "add ) at the end"));
            }
            if !self.take_if(&Kind::Or) {
                patterns.extend(self.value(open)?);
            }
        }
        if patterns.is_empty() {
            return Err(Self::wrong(open, "this list is empty", "write the values between the parentheses"));
        }
        Ok(Test::Matches(patterns))
    }

    /// A value on the right of a colon; nothing for `*`, which only asks that there is one.
    fn value(&mut self, operator: &Token) -> Result<Option<Pattern>, QueryError> {
        match self.take().map(|token| &token.kind) {
            Some(Kind::Phrase(text)) => Ok(Some(Pattern::Tokens(text.clone()))),
            Some(Kind::Word { text, plain }) => Ok(pattern(text, plain)),
            _ => Err(Self::wrong(operator, "a value is missing after this", "add a word or a quoted phrase")),
        }
    }

    fn literal(&mut self, operator: &Token) -> Result<String, QueryError> {
        match self.take().map(|token| &token.kind) {
            Some(Kind::Phrase(text) | Kind::Word { text, .. }) => Ok(text.clone()),
            _ => Err(Self::wrong(
                operator,
                "a value is missing after this",
                "add a number, a word or a quoted phrase",
            )),
        }
    }

    fn wrong(token: &Token, message: &str, hint: &str) -> QueryError {
        QueryError {
            message: message.to_owned(),
            hint: Some(hint.to_owned()),
            start: token.start,
            end: token.end,
        }
    }

    fn here(&self, message: &str, hint: &str) -> QueryError {
        let at = self.peek().map_or(self.end, |token| token.start);
        QueryError {
            message: message.to_owned(),
            hint: Some(hint.to_owned()),
            start: at,
            end: self.end.max(at),
        }
    }
}

fn joined(mut parts: Vec<Filter>, join: fn(Vec<Filter>) -> Filter) -> Filter {
    match parts.len() {
        1 => parts.swap_remove(0),
        _ => join(parts),
    }
}

/// A bare word as a pattern; nothing for a lone star.
fn pattern(text: &str, plain: &[bool]) -> Option<Pattern> {
    let is_wild = |(c, plain): (char, &bool)| *plain && matches!(c, '*' | '?');
    let wild: Vec<bool> = text.chars().zip(plain).map(is_wild).collect();
    let stars_only = text.chars().zip(&wild).all(|(c, &wild)| wild && c == '*');
    if stars_only {
        return None;
    }
    if !wild.contains(&true) {
        return Some(Pattern::Tokens(text.to_owned()));
    }
    let inner = wild.len() > 2 && wild[0] && wild[wild.len() - 1] && !wild[1..wild.len() - 1].contains(&true);
    if inner && text.starts_with('*') && text.ends_with('*') {
        return Some(Pattern::Substring(text[1..text.len() - 1].to_owned()));
    }
    let mut glob = String::new();
    for (character, wild) in text.chars().zip(wild) {
        if !wild && matches!(character, '*' | '?' | '\\') {
            glob.push('\\');
        }
        glob.push(character);
    }
    Some(Pattern::Glob(glob))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn printed(query: &str) -> String {
        match parse(query) {
            Ok(filter) => filter.to_string(),
            Err(error) => format!("{} at {}..{}", error.message, error.start, error.end),
        }
    }

    #[test]
    fn reads_what_people_type() {
        for (query, expected) in [
            ("", ""),
            ("*", ""),
            ("error timeout", "error AND timeout"),
            ("a or b and c", "a OR b AND c"),
            ("(a or b) c", "(a OR b) AND c"),
            ("-debug", "NOT debug"),
            ("status:500", "status:500"),
            ("status: >=500", "status>=500"),
            ("status:(404 or 500)", "status:(404 OR 500)"),
            ("status>=500 path=\"/api/cart\"", "status>=500 AND path=/api/cart"),
            ("user:*", "user:*"),
            ("*time out*", "*time AND out*"),
            ("*timeout*", "*timeout*"),
            ("10:30:45", "10:30:45"),
            ("http.method:GET", "http.method:GET"),
            ("\"connection reset\"", "\"connection reset\""),
            ("say \\\"hi\\\"", "say AND \"\\\"hi\\\"\""),
            ("(a", "this parenthesis is not closed at 0..1"),
            ("a)", "this closes nothing at 1..2"),
            ("status:", "a value is missing after this at 6..7"),
            ("\"trace id\"=7", "\"trace id\"=7"),
            ("\\and<7", "\"and\"<7"),
            ("a<\\-b", "a<\"-b\""),
            ("a<-7", "a<-7"),
            ("-\\A*", "\\-A*"),
            ("\"open", "this quotation has no end at 0..5"),
            ("a OR", "something is missing at the end at 4..4"),
        ] {
            assert_eq!(printed(query), expected, "{query}");
        }
    }

    #[test]
    fn a_query_nested_beyond_the_limit_is_refused_not_crashed() {
        let deep = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(parse(&deep).is_err());
        assert!(parse(&"NOT ".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn printing_and_parsing_is_a_fixpoint(query in r#"([a-zA-Z0-9:*?"()<>=!\\. -]|and|or|not ){0,24}"#) {
            if let Ok(filter) = parse(&query) {
                let once = filter.to_string();
                let again = parse(&once);
                prop_assert!(again.is_ok(), "{query:?} printed as {once:?} does not parse");
                prop_assert_eq!(again.map(|filter| filter.to_string()).ok(), Some(once));
            }
        }

        #[test]
        fn nothing_makes_the_parser_panic(query in ".{0,64}") {
            let _ = parse(&query);
        }
    }
}
