//! How deep a statement is, from its tokens. polars walks expressions and plans by recursion, so a statement that is too
//! deep is refused before polars sees it.

use std::collections::HashMap;

use sqlparser::dialect::GenericDialect;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, Tokenizer};

use base::error::{Error, ErrorKind, Result};
use base::limits::{SQL_DEPTH, SQL_TABLES};

/// Refuses a statement whose operators nest too deep, or that reads too many tables. Both are upper bounds: what one
/// pair of parentheses holds between two commas counts as one chain.
pub(super) fn check(text: &str) -> Result<()> {
    // A text that has no tokens is an error of the parser, which does not recurse before it has them.
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, text).tokenize() else { return Ok(()) };
    let tokens: Vec<Token> =
        tokens.into_iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    let mut statement = Statement { open: vec![Parenthesis::default()], with: HashMap::new() };
    for place in 0..tokens.len() {
        statement.read(&tokens, place);
        let Parenthesis { tables, .. } = statement.open.last().copied().unwrap_or_default();
        if statement.depth() > SQL_DEPTH {
            return Err(too_deep(&format!("{SQL_DEPTH} operators"))
                .hint("write alternatives as a list, x IN (…), and long calculations in parts"));
        }
        if tables > SQL_TABLES {
            return Err(too_deep(&format!("{SQL_TABLES} tables")).hint("ask in several statements"));
        }
    }
    Ok(())
}

fn too_deep(most: &str) -> Error {
    let message = format!("this SQL is deeper than polars can go: {most} are the most within one another");
    Error::new(ErrorKind::Limit, message)
}

/// The parentheses that are open, the statement itself first, and the tables that each `WITH` before reads.
struct Statement {
    open: Vec<Parenthesis>,
    with: HashMap<String, usize>,
}

#[derive(Clone, Copy, Default)]
struct Parenthesis {
    /// The place of its first token, and of the name that a `WITH` gives it.
    start: usize,
    name: Option<usize>,
    /// The place of the token before the parentheses in it that were closed last.
    called: Option<usize>,
    /// Operators since the last comma, and how deep the parentheses among them are.
    operators: usize,
    within: usize,
    tables: usize,
    /// A comma joins tables.
    is_from: bool,
}

impl Statement {
    /// An upper bound on the depth of what is read now.
    fn depth(&self) -> usize {
        self.open.iter().map(|one| one.operators + one.within).sum()
    }

    fn read(&mut self, tokens: &[Token], place: usize) {
        let before = |steps: usize| place.checked_sub(steps).map(|place| &tokens[place]);
        let Some(own) = self.open.last_mut() else { return };
        match &tokens[place] {
            Token::LParen | Token::LBracket | Token::LBrace => {
                own.operators += 1;
                // `name AS (` and `name (column, …) AS (`.
                let name = match (before(2), before(1).map(keyword)) {
                    (Some(Token::RParen), Some(Keyword::AS)) => own.called,
                    (_, Some(Keyword::AS)) => place.checked_sub(2),
                    _ => None,
                };
                self.open.push(Parenthesis { start: place, name, ..Parenthesis::default() });
            }
            Token::RParen | Token::RBracket | Token::RBrace => self.close(tokens),
            Token::Comma => {
                own.tables += usize::from(own.is_from);
                (own.operators, own.within) = (0, 0);
            }
            Token::Period => own.operators += usize::from(before(2) == Some(&Token::Period)),
            Token::Word(word) => {
                let is_name =
                    before(1) != Some(&Token::Period) && tokens.get(place + 1) != Some(&Token::Period);
                if is_name && let Some(tables) = self.with.get(&word.value.to_lowercase()) {
                    own.tables = own.tables.saturating_add(*tables);
                }
                own.word(word.keyword, before(1).map_or(Keyword::NoKeyword, keyword));
            }
            token if is_value(token) => {}
            _ => own.operators += 1,
        }
    }

    fn close(&mut self, tokens: &[Token]) {
        if self.open.len() < 2 {
            return;
        }
        let (Some(closed), Some(own)) = (self.open.pop(), self.open.last_mut()) else { return };
        own.within = own.within.max(closed.operators + closed.within);
        own.called = closed.start.checked_sub(1);
        match closed.name.map(|name| &tokens[name]) {
            Some(Token::Word(name)) => {
                self.with.insert(name.value.to_lowercase(), closed.tables + 1);
            }
            _ => own.tables = own.tables.saturating_add(closed.tables),
        }
    }
}

impl Parenthesis {
    fn word(&mut self, word: Keyword, before: Keyword) {
        use Keyword as K;
        match word {
            K::SELECT if matches!(before, K::UNION | K::EXCEPT | K::INTERSECT | K::ALL | K::DISTINCT) => {
                // Nothing of the statement before goes on here: after a value, this word begins another statement.
                (self.operators, self.within, self.is_from) = (0, 0, false);
            }
            K::SELECT | K::JOIN | K::UNION | K::EXCEPT | K::INTERSECT | K::MINUS => {
                self.tables += 1;
                self.is_from = false;
            }
            K::FROM => self.is_from = true,
            K::WHERE | K::GROUP | K::HAVING | K::ORDER | K::LIMIT | K::QUALIFY | K::WINDOW => {
                self.is_from = false;
            }
            K::AND
            | K::OR
            | K::XOR
            | K::NOT
            | K::IS
            | K::NOTNULL
            | K::LIKE
            | K::ILIKE
            | K::RLIKE
            | K::REGEXP
            | K::SIMILAR
            | K::BETWEEN
            | K::IN
            | K::ESCAPE
            | K::DIV
            | K::COLLATE
            | K::AT
            | K::OVERLAPS
            | K::PRIOR
            | K::INTERVAL
            | K::OPERATOR
            | K::CASE
            | K::WHEN => self.operators += 1,
            _ => {}
        }
    }
}

fn keyword(token: &Token) -> Keyword {
    if let Token::Word(word) = token { word.keyword } else { Keyword::NoKeyword }
}

/// Values, and what ends a statement.
fn is_value(token: &Token) -> bool {
    matches!(
        token,
        Token::EOF
            | Token::Number(..)
            | Token::Char(_)
            | Token::SingleQuotedString(_)
            | Token::DoubleQuotedString(_)
            | Token::DollarQuotedString(_)
            | Token::EscapedStringLiteral(_)
            | Token::UnicodeStringLiteral(_)
            | Token::NationalStringLiteral(_)
            | Token::HexStringLiteral(_)
            | Token::SemiColon
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(count: usize, part: &str, between: &str) -> String {
        vec![part; count].join(between)
    }

    #[test]
    fn chains_of_operators_are_refused_however_they_are_written() {
        let deep = |condition: String| format!("SELECT n FROM events WHERE {condition}");
        for text in [
            format!("SELECT {} FROM events", many(2_000, "1", "+")),
            format!("SELECT `'`+{} FROM events", many(2_000, "1", "+")),
            format!("SELECT {} AS x FROM events", many(2_000, "where", "+")),
            format!("SELECT $a$'$a$ || {} FROM events", many(2_000, "n", "||")),
            format!("SELECT n{} FROM events", "::INT".repeat(2_000)),
            format!("SELECT n{} FROM events", "[1]".repeat(2_000)),
            format!("SELECT n{} FROM events", ".a".repeat(2_000)),
            format!("SELECT {}n FROM events", "- ".repeat(2_000)),
            format!("SELECT CASE {} END FROM events", "WHEN n = 1 THEN 2 ".repeat(1_000)),
            deep(many(2_000, "n = 1", " OR ")),
            deep(format!("{}n", "NOT ".repeat(2_000))),
            deep(format!("n{}", " IS NULL".repeat(2_000))),
            format!("SELECT {}n{} FROM events", "(1+1+1+1+".repeat(300), ")".repeat(300)),
            many(3_000, "SELECT n FROM events", " UNION ALL "),
            many(3_000, "SELECT n FROM events", " UNION ALL BY NAME "),
            many(3_000, "TABLE events", " UNION "),
            format!("SELECT 1 FROM {}", many(2_000, "events", ",")),
            format!("SELECT 1 FROM events {}", many(2_000, "JOIN events USING (n)", " ")),
        ] {
            let error = check(&text).expect_err(&text[..80]);
            assert_eq!(error.kind(), ErrorKind::Limit, "{}", &text[..80]);
        }
    }

    #[test]
    fn tables_that_double_with_each_name_are_refused() {
        let mut text = "WITH a0 AS (SELECT * FROM events)".to_owned();
        let mut named = "WITH a0(n) AS (SELECT n FROM events)".to_owned();
        for name in 1..40 {
            let part = format!("SELECT * FROM a{}", name - 1);
            let both = format!("AS ({part} UNION ALL {part})");
            if name == 6 {
                assert!(check(&format!("{text} SELECT count(*) FROM a5")).is_ok());
            }
            text = format!("{text}, A{name} {both}");
            named = format!("{named}, A{name} (n) {both}");
        }
        assert!(check(&format!("{text} SELECT count(*) FROM a39")).is_err());
        assert!(check(&format!("{named} SELECT count(*) FROM a39")).is_err());
    }

    #[test]
    fn statements_of_programs_are_taken() {
        let list: Vec<String> = (0..10_000).map(|n| n.to_string()).collect();
        let columns: Vec<String> = (0..900).map(|n| format!("e.a * {n} + e.b AS c{n}")).collect();
        for text in [
            format!("SELECT n FROM events WHERE n IN ({})", list.join(", ")),
            format!("SELECT n FROM events WHERE {}", many(200, "n >= 1 AND n < 2", " OR ")),
            format!("SELECT {} FROM events e", columns.join(", ")),
            many(200, "SELECT a, b FROM events WHERE a = 1 AND b = 2 OR c IS NULL", " UNION ALL "),
            format!("SELECT {} FROM events", many(500, "CASE WHEN n > 1 THEN 'a' ELSE 'b' END", ", ")),
            "SELECT 'not closed".to_owned(),
            ")))".to_owned(),
        ] {
            assert!(check(&text).is_ok(), "{}", &text[..text.len().min(80)]);
        }
    }
}
