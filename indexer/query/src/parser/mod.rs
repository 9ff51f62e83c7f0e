//! A recursive descent parser. Errors are recorded and skipped, so that one query reports all of its mistakes and
//! completion has a tree to work on.

mod clause;
mod expr;
mod filter;
mod spl;
mod stage;
mod stats;
mod tables;

use super::ast::{Filter, Query, Span};
use super::diagnostic::{Diagnostic, Severity};
use super::lexer::{Mode, Token, TokenKind, token};
use base::limits::{QUERY_BYTES, QUERY_DEPTH, QUERY_ERRORS};

type Parsed<T> = Result<T, Diagnostic>;

/// How clauses next to each other are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// It must all hold.
    #[default]
    Timberline,
    /// As Kibana reads it: values of a field and bare words side by side are alternatives.
    Kql,
}

/// Reads a filter; pipes are refused.
///
/// ```
/// let filter = query::parse("level>=warn NOT path:/health").unwrap();
/// assert_eq!(filter.to_string(), "level>=warn AND NOT path:/health");
/// ```
pub fn parse(query: &str) -> Result<Filter, Diagnostic> {
    let parsed = parse_query(query)?;
    match parsed.stages.first() {
        None => Ok(parsed.filter),
        Some(stage) => Err(Diagnostic::error(
            stage.span,
            "only a filter is allowed here, not a pipe",
            "remove what begins with |, or ask for it where tables are shown",
        )),
    }
}

/// Parses a filter and the stages after it.
///
/// ```
/// let query = query::parse_query("status>=500 | stats count by host | sort -count").unwrap();
/// assert_eq!(query.stages.len(), 2);
/// assert_eq!(query.to_string(), "status>=500 | stats count by host | sort -count");
/// ```
pub fn parse_query(query: &str) -> Result<Query, Diagnostic> {
    parse_as(query, Reading::default())
}

/// The same in another reading.
pub fn parse_as(query: &str, reading: Reading) -> Result<Query, Diagnostic> {
    let lenient = parse_leniently(query, reading);
    match lenient.diagnostics.into_iter().find(|found| found.severity == Severity::Error) {
        None => Ok(lenient.query),
        Some(error) => Err(error),
    }
}

/// The parsed part, and all errors and warnings, in the order they were found.
#[derive(Clone, Debug)]
pub struct Lenient {
    pub query: Query,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads whatever there is; parts that cannot be read are left out.
#[must_use]
pub fn parse_leniently(query: &str, reading: Reading) -> Lenient {
    if query.len() > QUERY_BYTES {
        let span = Span::new(query.floor_char_boundary(QUERY_BYTES), query.len());
        let error = Diagnostic::error(
            span,
            format!("this query is longer than {QUERY_BYTES} bytes"),
            "shorten it, or put long lists of values into a file for lookup",
        );
        let nothing = Query { filter: Filter::Everything, stages: Vec::new() };
        return Lenient { query: nothing, diagnostics: vec![error] };
    }
    let mut parser =
        Parser { query, at: 0, depth: 0, reading, in_expression: false, diagnostics: Vec::new() };
    let query = parser.query();
    Lenient { query, diagnostics: parser.diagnostics }
}

struct Parser<'q> {
    query: &'q str,
    at: usize,
    depth: usize,
    reading: Reading,
    /// Whether a clause is part of an expression.
    in_expression: bool,
    diagnostics: Vec<Diagnostic>,
}

impl Parser<'_> {
    fn query(&mut self) -> Query {
        let filter = self.whole_filter();
        let mut stages = Vec::new();
        while self.next_is(Mode::Clause, &TokenKind::Pipe) {
            let pipe = self.at;
            match self.take(Mode::Clause).and_then(|_| self.stage(stages.is_empty())) {
                Ok(stage) => {
                    stages.push(stage);
                    self.stage_end();
                }
                Err(error) => {
                    self.note(error);
                    self.skip_to_pipe();
                }
            }
            if self.at <= pipe {
                break;
            }
        }
        Query { filter, stages }
    }

    /// The filter before the pipes; a parenthesis that closes nothing is reported and skipped.
    fn whole_filter(&mut self) -> Filter {
        let mut parts = Vec::new();
        loop {
            match self.peek(Mode::Clause) {
                Ok(Token { kind: TokenKind::End | TokenKind::Pipe, .. }) => break,
                Ok(Token { kind: TokenKind::Close, span }) => {
                    let error = Diagnostic::error(
                        span,
                        "this closes nothing",
                        "remove it, or open a parenthesis before",
                    );
                    self.note(error.replacing(""));
                    self.at = span.end;
                }
                _ => {
                    let before = self.at;
                    match self.or() {
                        Ok(filter) => parts.push(filter),
                        Err(error) => {
                            self.note(error);
                            self.step_over(before);
                        }
                    }
                }
            }
        }
        match parts.len() {
            0 => Filter::Everything,
            _ => joined(parts, Filter::And),
        }
    }

    /// Anything after a complete stage is reported and skipped.
    fn stage_end(&mut self) {
        match self.peek(Mode::Operator) {
            Ok(Token { kind: TokenKind::End | TokenKind::Pipe, .. }) => {}
            Ok(stray) => {
                self.note(Diagnostic::error(
                    stray.span,
                    "this does not belong here",
                    "end the stage before it, or write | for another one",
                ));
                self.skip_to_pipe();
            }
            Err(error) => {
                self.note(error);
                self.skip_to_pipe();
            }
        }
    }

    /// Moves to the next pipe that is not within quotation marks, or to the end.
    fn skip_to_pipe(&mut self) {
        while let Ok(next) = self.peek(Mode::Operator) {
            if matches!(next.kind, TokenKind::Pipe | TokenKind::End) {
                return;
            }
            self.at = next.span.end;
        }
        self.at = self.query.len();
    }

    /// Steps over what could not be read, at least one token of it.
    fn step_over(&mut self, before: usize) {
        if self.at > before {
            return;
        }
        self.at = match token(self.query, self.at, Mode::Clause) {
            Ok(token) => token.span.end,
            Err(error) => error.span.end,
        };
    }

    fn note(&mut self, found: Diagnostic) {
        if self.diagnostics.len() >= QUERY_ERRORS {
            // Text that is no query at all makes no list of mistakes that anybody reads.
            self.at = self.query.len();
        } else if !self.diagnostics.contains(&found) {
            self.diagnostics.push(found);
        }
    }

    fn peek(&self, mode: Mode) -> Parsed<Token> {
        let mode = if self.in_expression { mode.in_expression() } else { mode };
        token(self.query, self.at, mode).map_err(Diagnostic::from)
    }

    fn take(&mut self, mode: Mode) -> Parsed<Token> {
        let token = self.peek(mode)?;
        self.at = token.span.end;
        Ok(token)
    }

    fn next_is(&self, mode: Mode, kind: &TokenKind) -> bool {
        self.peek(mode).is_ok_and(|token| token.kind == *kind)
    }

    fn take_if(&mut self, mode: Mode, kind: &TokenKind) -> bool {
        match self.peek(mode) {
            Ok(token) if token.kind == *kind => {
                self.at = token.span.end;
                true
            }
            _ => false,
        }
    }

    /// Consumes a word if it comes next as part of the grammar.
    fn take_word(&mut self, mode: Mode, word: &str) -> bool {
        match self.peek(mode) {
            Ok(token) if token.is_word(word) => {
                self.at = token.span.end;
                true
            }
            _ => false,
        }
    }

    fn expect_close(&mut self, open: Span, mode: Mode) -> Parsed<Span> {
        let next = self.peek(mode)?;
        if next.kind == TokenKind::Close {
            self.at = next.span.end;
            return Ok(next.span);
        }
        Err(match next.kind {
            TokenKind::End | TokenKind::Pipe => {
                Diagnostic::error(open, "this parenthesis is not closed", "add ) at the end")
            }
            _ => Diagnostic::error(next.span, "this does not belong here", "close the parenthesis before it"),
        })
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= QUERY_DEPTH {
            return Err(self.error_here("this is nested too deep", "write it with fewer parentheses"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn error_here(&self, message: &str, hint: &str) -> Diagnostic {
        let rest = &self.query[self.at..];
        let at = self.at + (rest.len() - rest.trim_start().len());
        Diagnostic::error(Span::new(at, self.query.len().max(at)), message, hint)
    }
}

fn joined(mut parts: Vec<Filter>, join: fn(Vec<Filter>) -> Filter) -> Filter {
    match parts.len() {
        1 => parts.swap_remove(0),
        _ => join(parts),
    }
}

#[cfg(test)]
mod tests;
