//! Parses how clauses are joined. AND binds tighter than OR; clauses next to each other are ANDed.

use super::{Parsed, Parser, Reading, joined};
use crate::ast::{Filter, Pattern, Span, Test};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Mode, TokenKind};

impl Parser<'_> {
    pub fn or(&mut self) -> Parsed<Filter> {
        let mut parts = vec![self.and()?];
        while self.take_if(Mode::Clause, &TokenKind::Or) {
            parts.push(self.and()?);
        }
        Ok(joined(parts, Filter::Or))
    }

    fn and(&mut self) -> Parsed<Filter> {
        let mut parts: Vec<Filter> = Vec::new();
        let mut last = Span::default();
        loop {
            let explicit = self.take_if(Mode::Clause, &TokenKind::And);
            let next = self.peek(Mode::Clause)?;
            let ends =
                matches!(next.kind, TokenKind::End | TokenKind::Pipe | TokenKind::Or | TokenKind::Close);
            if ends && !explicit && !parts.is_empty() {
                return Ok(joined(parts, Filter::And));
            }
            let before = self.at;
            match self.not() {
                Ok(part) => {
                    let span = Span::new(next.span.start, self.at);
                    if !explicit && let Some(earlier) = parts.last() {
                        self.advise_alternatives(earlier, last, &part, span);
                    }
                    last = span;
                    parts.push(part);
                }
                Err(error) => {
                    self.note(error);
                    if parts.is_empty() {
                        parts.push(Filter::Everything);
                    }
                    if ends {
                        return Ok(joined(parts, Filter::And));
                    }
                    self.step_over(before);
                }
            }
        }
    }

    fn not(&mut self) -> Parsed<Filter> {
        let negates = [TokenKind::Not, TokenKind::Minus, TokenKind::Bang]
            .iter()
            .any(|kind| self.take_if(Mode::Clause, kind));
        if negates {
            return self.deeper(|parser| parser.not().map(|inner| Filter::Not(Box::new(inner))));
        }
        self.primary()
    }

    /// `status:400 401` requires both, which a user of Kibana would not expect.
    fn advise_alternatives(&mut self, earlier: &Filter, place: Span, later: &Filter, later_place: Span) {
        if self.reading == Reading::Kql {
            return;
        }
        let Filter::Field { field, test: Test::Matches(patterns), .. } = earlier else { return };
        let ([Pattern::Tokens(one)], Filter::Text(Pattern::Tokens(other))) = (patterns.as_slice(), later)
        else {
            return;
        };
        let written = |span: Span| self.query.get(span.start..span.end).unwrap_or_default();
        if !alike(one, other) || written(later_place) != other || !written(place).ends_with(one.as_str()) {
            return;
        }
        let together = Filter::Field {
            field: field.clone(),
            test: Test::Matches(vec![Pattern::Tokens(one.clone()), Pattern::Tokens(other.clone())]),
            span: place,
        };
        let advice = Diagnostic::advice(
            place.to(later_place),
            format!("this asks for {one} in `{field}` and for {other} anywhere in the event"),
            &format!("for either of them write {together}"),
        );
        self.note(advice.replacing(together.to_string()));
    }
}

/// Whether two words look like values of one field: both numbers, or both in capitals.
fn alike(one: &str, other: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().is_ok();
    let capitals = |text: &str| text.len() > 1 && text.chars().all(|c| c.is_ascii_uppercase());
    (number(one) && number(other)) || (capitals(one) && capitals(other))
}
