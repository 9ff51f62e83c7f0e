//! Expressions: `or`, `and`, `not`, comparisons, sums, products, and what they are made of.

use super::{Parsed, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, Filter, Op, Quantity, RegexText, Span, Unit};
use crate::diagnostic::Diagnostic;
use crate::functions::{Aggregation, Described, Function};
use crate::lexer::{Mode, Token, TokenKind};
use base::limits::EXPRESSION_CHAIN;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(Self::expr_or)
    }

    fn expr_or(&mut self) -> Parsed<Expr> {
        let first = self.expr_and()?;
        self.more(first, &TokenKind::Or, Self::expr_and, ExprKind::Or)
    }

    fn expr_and(&mut self) -> Parsed<Expr> {
        let first = self.expr_not()?;
        self.more(first, &TokenKind::And, Self::expr_not, ExprKind::And)
    }

    fn more(
        &mut self,
        first: Expr,
        joint: &TokenKind,
        next: fn(&mut Self) -> Parsed<Expr>,
        join: fn(Vec<Expr>) -> ExprKind,
    ) -> Parsed<Expr> {
        let mut parts = vec![first];
        while self.take_if(Mode::Operator, joint) {
            parts.push(next(self)?);
        }
        if parts.len() == 1 {
            return Ok(parts.swap_remove(0));
        }
        let span = Span::new(parts[0].span.start, self.at);
        Ok(Expr::new(join(parts), span))
    }

    fn expr_not(&mut self) -> Parsed<Expr> {
        let start = self.peek(Mode::Expr)?;
        if matches!(start.kind, TokenKind::Not | TokenKind::Bang) {
            self.at = start.span.end;
            let inner = self.deeper(Self::expr_not)?;
            let span = start.span.to(inner.span);
            return Ok(Expr::new(ExprKind::Not(Box::new(inner)), span));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.sum()?;
        let operator = self.peek(Mode::Operator)?;
        let is_not = operator.kind == TokenKind::Not;
        if is_not {
            self.at = operator.span.end;
        }
        let token = self.peek(Mode::Operator)?;
        let word = token.word().map(str::to_ascii_lowercase).unwrap_or_default();
        let start = left.span.start;
        let kind = match (&token.kind, word.as_str()) {
            (TokenKind::Compare(op), _) if !is_not => {
                self.at = token.span.end;
                let right = self.sum()?;
                ExprKind::Binary(BinaryOp::Compare(*op), Box::new(left), Box::new(right))
            }
            (TokenKind::MatchesRegex { negated }, _) if !is_not => {
                self.at = token.span.end;
                let found = ExprKind::Regex(Box::new(left), self.expression_regex()?);
                if *negated {
                    let inner = Expr::new(found, Span::new(start, self.at));
                    ExprKind::Not(Box::new(inner))
                } else {
                    found
                }
            }
            (_, "rlike" | "matches") => {
                self.at = token.span.end;
                ExprKind::Regex(Box::new(left), self.expression_regex()?)
            }
            (_, "like") => {
                self.at = token.span.end;
                let right = self.sum()?;
                like(left, right, false)
            }
            (_, "in") => {
                self.at = token.span.end;
                let open = self.open_after(token.span)?;
                ExprKind::In(Box::new(left), self.expressions(open)?)
            }
            (_, "is") if !is_not => {
                self.at = token.span.end;
                let negated = self.take_if(Mode::Expr, &TokenKind::Not);
                if !self.take_word(Mode::Expr, "null") {
                    return Err(self.error_here("`null` is missing here", "write `is null` or `is not null`"));
                }
                let found = ExprKind::IsNull(Box::new(left));
                if negated {
                    ExprKind::Not(Box::new(Expr::new(found, Span::new(start, self.at))))
                } else {
                    found
                }
            }
            _ if is_not => {
                return Err(Diagnostic::error(
                    operator.span,
                    "`in`, `like` or `rlike` is missing after this",
                    "write `x not in (…)`, or put `not` before the condition",
                ));
            }
            _ => return Ok(left),
        };
        let found = Expr::new(kind, Span::new(start, self.at));
        Ok(if is_not { Expr::new(ExprKind::Not(Box::new(found)), Span::new(start, self.at)) } else { found })
    }

    pub(super) fn expression_regex(&mut self) -> Parsed<RegexText> {
        let token = self.take(Mode::Expr)?;
        let (source, ignore_case) = match &token.kind {
            TokenKind::Regex { source, ignore_case } => (source, *ignore_case),
            TokenKind::Phrase(source) => (source, false),
            _ => {
                return Err(Diagnostic::error(
                    token.span,
                    "an expression is missing here",
                    "write it between slashes: /time(d )?out/i",
                ));
            }
        };
        regex_text(source, ignore_case, token.span)
    }

    fn sum(&mut self) -> Parsed<Expr> {
        self.chain(Self::product, |kind| match kind {
            TokenKind::Plus => Some(BinaryOp::Add),
            TokenKind::Minus => Some(BinaryOp::Subtract),
            _ => None,
        })
    }

    fn product(&mut self) -> Parsed<Expr> {
        self.chain(Self::unary, |kind| match kind {
            TokenKind::Star => Some(BinaryOp::Multiply),
            TokenKind::Slash => Some(BinaryOp::Divide),
            TokenKind::Percent => Some(BinaryOp::Remainder),
            _ => None,
        })
    }

    /// Operators of equal precedence, evaluated from the left. Each makes the tree deeper, so their number is
    /// limited.
    fn chain(
        &mut self,
        operand: fn(&mut Self) -> Parsed<Expr>,
        operator: fn(&TokenKind) -> Option<BinaryOp>,
    ) -> Parsed<Expr> {
        let mut left = operand(self)?;
        for links in 0.. {
            let token = self.peek(Mode::Operator)?;
            let Some(op) = operator(&token.kind) else { break };
            if links >= EXPRESSION_CHAIN {
                return Err(self.error_here("this expression is too long", "split it over several `eval`"));
            }
            self.at = token.span.end;
            let right = operand(self)?;
            let span = left.span.to(right.span);
            left = Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(right)), span);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.peek(Mode::Expr)?;
        match start.kind {
            TokenKind::Minus => {
                self.at = start.span.end;
                let inner = self.deeper(Self::unary)?;
                let span = start.span.to(inner.span);
                Ok(Expr::new(ExprKind::Negated(Box::new(inner)), span))
            }
            TokenKind::Plus => {
                self.at = start.span.end;
                self.deeper(Self::unary)
            }
            _ => self.operand(),
        }
    }

    pub(super) fn operand(&mut self) -> Parsed<Expr> {
        let token = self.take(Mode::Expr)?;
        let span = token.span;
        let of = |kind| Ok(Expr::new(kind, span));
        match token.kind {
            TokenKind::Number(text) => number(&text, span),
            TokenKind::Phrase(text) => of(ExprKind::Text(text)),
            TokenKind::Time(text) => of(ExprKind::Time(text)),
            TokenKind::Regex { source, ignore_case } => {
                let flag = if ignore_case { "(?i)" } else { "" };
                of(ExprKind::Text(format!("{flag}{source}")))
            }
            TokenKind::Name(name) => self.named(&name, span, true),
            TokenKind::Word { text, .. } => match text.to_ascii_lowercase().as_str() {
                "true" | "false" | "null" if self.query[self.at..].starts_with("()") => {
                    self.named(&text, span, false)
                }
                "true" => of(ExprKind::Bool(true)),
                "false" => of(ExprKind::Bool(false)),
                "null" => of(ExprKind::Null),
                _ => self.named(&text, span, false),
            },
            TokenKind::Open => self.deeper(|parser| {
                let inner = parser.expr_or()?;
                parser.expect_close(span, Mode::Operator)?;
                Ok(inner)
            }),
            other => {
                self.at = span.start;
                Err(match other {
                    TokenKind::End | TokenKind::Pipe => {
                        self.error_here("something is missing at the end", "add a field, a number or a text")
                    }
                    _ => Diagnostic::error(
                        span,
                        "a value is missing before this",
                        "write a field, a number, or a text in quotation marks",
                    ),
                })
            }
        }
    }

    /// A field, a function's call, or a clause of the filter language.
    fn named(&mut self, name: &str, span: Span, is_quoted: bool) -> Parsed<Expr> {
        let next = self.query[self.at..].chars().next();
        if next == Some(':') {
            let kind = TokenKind::Name(name.to_owned());
            let outside = std::mem::replace(&mut self.in_expression, true);
            let clause = self.field(&Token { kind, span }, name);
            self.in_expression = outside;
            return Ok(of_clause(clause?, Span::new(span.start, self.at)));
        }
        if !is_quoted && self.next_is(Mode::Operator, &TokenKind::Open) {
            return self.call(name, span);
        }
        Ok(Expr::new(ExprKind::Field(name.to_owned()), span))
    }

    fn call(&mut self, name: &str, span: Span) -> Parsed<Expr> {
        if let Some(constant) = constant_call(name) {
            let open = self.open_after(span)?;
            self.expect_close(open, Mode::Expr)?;
            return Ok(Expr::new(constant, Span::new(span.start, self.at)));
        }
        if let Some(found) = self.spl_call(name, span)? {
            return Ok(found);
        }
        let function = Function::named(name);
        let before = self.at;
        if let Some(function) = function {
            let open = self.open_after(span)?;
            let arguments = self.expressions(open)?;
            let described = function.described();
            let is_column = arguments.len() < described.least && Aggregation::named(name).is_some();
            if !is_column {
                check_arguments(&described, arguments.len(), Span::new(span.start, self.at))?;
                let span = Span::new(span.start, self.at);
                return Ok(Expr::new(ExprKind::Call(function, arguments), span));
            }
            self.at = before;
        }
        if Aggregation::with_parameter(name).is_some() {
            // The result of an earlier `stats`, by the name that its column has.
            self.at = span.start;
            let aggregate = self.calculation()?;
            return Ok(Expr::new(ExprKind::Field(aggregate.calculation()), Span::new(span.start, self.at)));
        }
        let known = Function::ALL.iter().map(|function| function.name());
        Err(Diagnostic::unknown(
            span,
            "function",
            name,
            known,
            "see the list of functions in docs/language.md",
        ))
    }

    pub(super) fn open_after(&mut self, span: Span) -> Parsed<Span> {
        let token = self.peek(Mode::Operator)?;
        if token.kind != TokenKind::Open {
            return Err(Diagnostic::error(span, "a parenthesis is missing after this", "write ( after it"));
        }
        self.at = token.span.end;
        Ok(token.span)
    }

    /// Expressions up to the closing parenthesis.
    pub(super) fn expressions(&mut self, open: Span) -> Parsed<Vec<Expr>> {
        let mut found = Vec::new();
        if self.take_if(Mode::Expr, &TokenKind::Close) {
            return Ok(found);
        }
        loop {
            found.push(self.expr()?);
            if !self.take_if(Mode::Operator, &TokenKind::Comma) {
                self.expect_close(open, Mode::Operator)?;
                return Ok(found);
            }
        }
    }
}

/// Whether a value is like a pattern with `*` and `?`. SQL's `%` and `_` are read too: always where `sql` says so, else in a
/// pattern that has a `%` and neither `*` nor `?`.
pub(super) fn like(value: Expr, mut pattern: Expr, sql: bool) -> ExprKind {
    if let ExprKind::Text(text) = &mut pattern.kind
        && (sql || text.contains('%') && !text.contains(['*', '?']))
    {
        *text = text.replace('%', "*").replace('_', "?");
    }
    ExprKind::Binary(BinaryOp::Like, Box::new(value), Box::new(pattern))
}

/// Splunk's `true()`, `false()` and `null()`.
fn constant_call(name: &str) -> Option<ExprKind> {
    match name.to_ascii_lowercase().as_str() {
        "true" => Some(ExprKind::Bool(true)),
        "false" => Some(ExprKind::Bool(false)),
        "null" => Some(ExprKind::Null),
        _ => None,
    }
}

pub(super) fn regex_text(source: &str, ignore_case: bool, span: Span) -> Parsed<RegexText> {
    RegexText::new(source, ignore_case).map_err(|error| {
        // A size is no matter of backslashes.
        let hint = if error.contains("too large") || error.contains("nest") {
            "repeat less: use smaller numbers in { }, or + instead of large ones"
        } else {
            "mind that ( ) [ ] { } . * + ? ^ $ | need a backslash to match themselves"
        };
        Diagnostic::error(span, format!("this expression cannot be read: {error}"), hint)
    })
}

pub(super) fn check_arguments(described: &Described, given: usize, span: Span) -> Parsed<()> {
    if (described.least..=described.most).contains(&given) {
        return Ok(());
    }
    let wanted = match (described.least, described.most) {
        (0, 0) => "takes nothing".to_owned(),
        (1, 1) => "takes one value".to_owned(),
        (least, most) if least == most => format!("takes {least} values"),
        (least, most) if given < least => format!("takes at least {least} values, and at most {most}"),
        (_, most) => format!("takes at most {most} values"),
    };
    let message = format!("`{}` {wanted}, not {given}", described.name);
    Err(Diagnostic::error(span, message, &format!("write {}", described.signature())))
}

/// A number, with its unit where it has one.
fn number(text: &str, span: Span) -> Parsed<Expr> {
    let plain: String = text.chars().filter(|&c| c != '_').collect();
    if let Ok(whole) = plain.parse::<i64>() {
        return Ok(Expr::new(ExprKind::Int(whole), span));
    }
    if let Some(float) = plain.parse::<f64>().ok().filter(|float| float.is_finite()) {
        return Ok(Expr::new(ExprKind::Float(float), span));
    }
    if let Some(quantity) = Quantity::parse(&plain) {
        return Ok(Expr::new(ExprKind::Quantity(quantity), span));
    }
    let letters = plain.find(|c: char| c.is_alphabetic()).unwrap_or(0);
    let units = Unit::ALL.iter().map(|(_, names)| names[0]);
    Err(Diagnostic::unknown(
        span,
        "unit",
        &plain[letters..],
        units,
        "units are ns, us, ms, s, m, h, d, w, b, kb, KiB, …",
    )
    .without_replacement())
}

/// The operator that a comparison prints with.
pub(super) fn is_equal(kind: &TokenKind) -> bool {
    *kind == TokenKind::Compare(Op::Equal)
}

/// A clause as an expression: of one with several conditions, each is a clause.
fn of_clause(filter: Filter, span: Span) -> Expr {
    let all = |parts: Vec<Filter>| parts.into_iter().map(|part| of_clause(part, span)).collect();
    let kind = match filter {
        Filter::And(parts) => ExprKind::And(all(parts)),
        Filter::Or(parts) => ExprKind::Or(all(parts)),
        Filter::Not(inner) => ExprKind::Not(Box::new(of_clause(*inner, span))),
        one => ExprKind::Clause(Box::new(one)),
    };
    Expr::new(kind, span)
}
