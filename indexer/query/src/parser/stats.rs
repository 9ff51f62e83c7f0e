//! Parses aggregates and group keys of `stats`, `timechart` and `shift`.

use super::expr::{check_arguments, is_equal};
use super::{Parsed, Parser};
use crate::ast::{Aggregate, Expr, ExprKind, Group, Span};
use crate::diagnostic::Diagnostic;
use crate::functions::Aggregation;
use crate::lexer::{Mode, TokenKind};

impl Parser<'_> {
    /// `f(x) [as n], …`; none at all counts rows.
    pub(super) fn aggregates(&mut self) -> Parsed<Vec<Aggregate>> {
        let mut found = Vec::new();
        loop {
            let next = self.peek(Mode::Expr)?;
            let ends = matches!(next.kind, TokenKind::End | TokenKind::Pipe | TokenKind::Close)
                || next.is_word("by")
                || next.is_word("limit");
            if !ends {
                found.push(self.aggregate()?);
            } else if found.is_empty() {
                let here = Span::new(self.at, self.at);
                found.push(Aggregate::counting(here));
            }
            if !self.take_if(Mode::Operator, &TokenKind::Comma) {
                // Splunk's users separate by spaces.
                let next = self.peek(Mode::Expr)?;
                let another = next.word().is_some_and(|word| {
                    !word.eq_ignore_ascii_case("by") && Aggregation::with_parameter(word).is_some()
                });
                if ends || !another {
                    return Ok(found);
                }
            }
        }
    }

    pub(super) fn aggregate(&mut self) -> Parsed<Aggregate> {
        let start = self.peek(Mode::Expr)?.span.start;
        let mut name = self.assigned_name()?;
        let mut aggregate = self.calculation()?;
        loop {
            if self.take_word(Mode::Operator, "as") {
                name = Some(self.column_name()?);
            } else if aggregate.condition.is_none() && self.take_word(Mode::Operator, "where") {
                aggregate.condition = Some(self.expr()?);
            } else {
                break;
            }
        }
        aggregate.name = name;
        aggregate.span = Span::new(start, self.at);
        Ok(aggregate)
    }

    /// `name =` before a calculation.
    pub(super) fn assigned_name(&mut self) -> Parsed<Option<String>> {
        let before = self.at;
        if let TokenKind::Word { text, .. } | TokenKind::Name(text) = self.take(Mode::Expr)?.kind
            && is_equal(&self.take(Mode::Operator)?.kind)
        {
            return Ok(Some(text));
        }
        self.at = before;
        Ok(None)
    }

    pub(super) fn column_name(&mut self) -> Parsed<String> {
        let token = self.peek(Mode::Name)?;
        match &token.kind {
            TokenKind::Word { text, .. } | TokenKind::Name(text) | TokenKind::Phrase(text) => {
                self.at = token.span.end;
                Ok(text.clone())
            }
            _ => {
                Err(Diagnostic::error(token.span, "a name is missing here", "add the name of the new column"))
            }
        }
    }

    /// `p95(duration_ms)`: the function and what it is given.
    pub(super) fn calculation(&mut self) -> Parsed<Aggregate> {
        let token = self.peek(Mode::Expr)?;
        let Some(name) = token.word() else {
            return Err(Diagnostic::error(
                token.span,
                "a calculation is missing here",
                "write count, avg(x), p95(x)",
            ));
        };
        self.at = token.span.end;
        let conditional = Aggregation::is_conditional(name);
        let Some((function, mut parameter)) = Aggregation::with_parameter(name) else {
            let known = Aggregation::ALL.iter().map(|function| function.name());
            let hint = "calculations are count, sum, avg, min, max, p95, first, last, values, …";
            return Err(Diagnostic::unknown(token.span, "calculation", name, known, hint));
        };
        let (mut arguments, condition) = if self.next_is(Mode::Operator, &TokenKind::Open) {
            self.aggregated()?
        } else {
            (Vec::new(), None)
        };
        let span = Span::new(token.span.start, self.at);
        if parameter.is_some() && arguments.len() == 1 {
            // The name already contains it.
        } else {
            check_arguments(&function.described(), arguments.len(), span)?;
            if let Some(second) = arguments.get(1) {
                parameter = Some(parameter_of(function, second)?);
            }
        }
        arguments.truncate(1);
        let argument = arguments.pop();
        let (argument, condition) = if conditional { (None, argument) } else { (argument, condition) };
        Ok(Aggregate { function, argument, parameter, condition, ..Aggregate::counting(span) })
    }

    /// The arguments of a calculation; `*` is none. Splunk's `count(eval(status=500))` counts where the
    /// condition holds.
    fn aggregated(&mut self) -> Parsed<(Vec<Expr>, Option<Expr>)> {
        let open = self.take(Mode::Operator)?.span;
        let before = self.at;
        if self.take_if(Mode::Expr, &TokenKind::Star) {
            if self.take_if(Mode::Operator, &TokenKind::Close) {
                return Ok((Vec::new(), None));
            }
            self.at = before;
        }
        if self.take_word(Mode::Expr, "eval") && self.next_is(Mode::Operator, &TokenKind::Open) {
            let inner = self.take(Mode::Operator)?.span;
            let condition = self.expr()?;
            self.expect_close(inner, Mode::Operator)?;
            self.expect_close(open, Mode::Operator)?;
            return Ok((Vec::new(), Some(condition)));
        }
        self.at = before;
        Ok((self.expressions(open)?, None))
    }

    /// `by k, bin(time, 5m) as t`, where there is a `by`.
    pub(super) fn groups(&mut self) -> Parsed<Vec<Group>> {
        if !self.take_word(Mode::Operator, "by") {
            return Ok(Vec::new());
        }
        let mut found = vec![self.group()?];
        loop {
            let next = self.peek(Mode::Operator)?;
            match &next.kind {
                TokenKind::Comma => self.at = next.span.end,
                // Splunk's users separate by spaces.
                TokenKind::Name(_) => {}
                TokenKind::Word { text, .. } if !["limit", "span"].contains(&text.as_str()) => {}
                _ => return Ok(found),
            }
            found.push(self.group()?);
        }
    }

    pub(super) fn group(&mut self) -> Parsed<Group> {
        let start = self.peek(Mode::Expr)?.span.start;
        let mut name = self.assigned_name()?;
        let value = self.expr()?;
        if self.take_word(Mode::Operator, "as") {
            name = Some(self.column_name()?);
        }
        Ok(Group { value, name, span: Span::new(start, self.at) })
    }
}

fn parameter_of(function: Aggregation, given: &Expr) -> Parsed<f64> {
    let number = match given.kind {
        ExprKind::Int(number) => Some(number as f64),
        ExprKind::Float(number) => Some(number),
        _ => None,
    };
    let fits = |number: &f64| match function {
        Aggregation::Percentile => (0.0..=100.0).contains(number),
        _ => *number >= 1.0 && number.fract() == 0.0 && *number <= f64::from(u32::MAX),
    };
    number.filter(fits).ok_or_else(|| {
        let hint = match function {
            Aggregation::Percentile => "write a number from 0 to 100, as percentile(duration_ms, 99.5)",
            _ => "write a whole number, as values(host, 10)",
        };
        Diagnostic::error(given.span, "this cannot be the second argument", hint)
    })
}
