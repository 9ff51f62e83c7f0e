//! Stages that work on whole tables: `join`, `window`, `pivot`, `unpivot`, `fillnull`, `bucket`.

use super::expr::is_equal;
use super::{Parsed, Parser};
use crate::ast::Dimension;
use crate::ast::{
    Expr, ExprKind, FieldRef, Filter, JoinKind, Joined, JoinedWith, NamePattern, Quantity, Query, Renaming,
    Span, StageKind, Unpivot, VariablePart, WindowAggregate, WindowFunction, Windowed,
};
use crate::diagnostic::Diagnostic;
use crate::functions::Aggregation;
use crate::lexer::{Mode, TokenKind};

/// Functions of `window` that are called by exactly these names; the others are `running_` and `rolling_` before
/// the name of a calculation.
const WINDOW_FUNCTIONS: [&str; 22] = [
    "lag",
    "lead",
    "rank",
    "dense_rank",
    "row_number",
    "running_count",
    "running_sum",
    "running_avg",
    "running_min",
    "running_max",
    "running_p95",
    "rolling_count",
    "rolling_sum",
    "rolling_avg",
    "rolling_min",
    "rolling_max",
    "rolling_p95",
    "group_count",
    "group_sum",
    "group_avg",
    "group_min",
    "group_max",
];

impl Parser<'_> {
    /// `join left on host, id = request_id (query)`, with the other side before `on` too, as other tools have it.
    pub(super) fn joined(&mut self) -> Parsed<Joined> {
        let kind = self.join_kind()?;
        let mut with = None;
        if self.next_is(Mode::Name, &TokenKind::Open) {
            with = Some(self.joined_with()?);
        } else if !self.peek(Mode::Name)?.is_word("on") {
            // A file comes here if `on` follows, otherwise the first key.
            let before = self.at;
            let file = self.joined_with();
            if file.is_ok() && self.peek(Mode::Name).is_ok_and(|next| next.is_word("on")) {
                with = file.ok();
            } else {
                self.at = before;
            }
        }
        self.take_word(Mode::Name, "on");
        let mut on = Vec::new();
        loop {
            let from = self.name()?;
            let renamed = self.take_word(Mode::Name, "as")
                || self.peek(Mode::Name).is_ok_and(|next| is_equal(&next.kind))
                    && self.take(Mode::Name).is_ok();
            let to = if renamed { self.name()? } else { from.clone() };
            on.push(Renaming { from, to });
            if !self.take_if(Mode::Name, &TokenKind::Comma) {
                break;
            }
        }
        let with = match with {
            Some(with) => with,
            None => self.joined_with()?,
        };
        Ok(Joined { kind, on, with })
    }

    fn join_kind(&mut self) -> Parsed<JoinKind> {
        let is_option = self.option(&["type", "kind"]);
        let token = self.peek(Mode::Name)?;
        let named = token.word().and_then(|word| match word.to_ascii_lowercase().as_str() {
            "inner" => Some(JoinKind::Inner),
            "left" | "leftouter" => Some(JoinKind::Left),
            // Splunk's outer join keeps the rows of the left side only.
            "outer" if is_option => Some(JoinKind::Left),
            "semi" | "leftsemi" => Some(JoinKind::Semi),
            "anti" | "leftanti" => Some(JoinKind::Anti),
            _ => None,
        });
        let Some(kind) = named else {
            if is_option {
                return Err(Diagnostic::error(
                    token.span,
                    "this is not a kind of join",
                    "kinds are inner, left, semi and anti",
                ));
            }
            return Ok(JoinKind::Inner);
        };
        // A key may have such a name: `join left (…)`.
        let before = self.at;
        self.at = token.span.end;
        let next = self.peek(Mode::Name)?;
        let is_key = !is_option && (matches!(next.kind, TokenKind::Comma) || is_equal(&next.kind));
        if is_key {
            self.at = before;
            return Ok(JoinKind::Inner);
        }
        Ok(kind)
    }

    fn joined_with(&mut self) -> Parsed<JoinedWith> {
        let token = self.peek(Mode::Name)?;
        match &token.kind {
            TokenKind::Open => self.query_within().map(|query| JoinedWith::Query(Box::new(query))),
            TokenKind::Phrase(name) | TokenKind::Word { text: name, .. } | TokenKind::Name(name) => {
                self.at = token.span.end;
                Ok(JoinedWith::File(FieldRef { name: name.clone(), span: token.span }))
            }
            _ => Err(Diagnostic::error(
                token.span,
                "what is joined is missing here",
                "write a query in parentheses, or a file: join on host \"hosts.csv\"",
            )),
        }
    }

    /// A query in parentheses.
    fn query_within(&mut self) -> Parsed<Query> {
        let open = self.take(Mode::Name)?.span;
        self.deeper(|parser| {
            let next = parser.peek(Mode::Clause)?;
            let filter = match next.kind {
                TokenKind::Pipe | TokenKind::Close => Filter::Everything,
                _ => parser.or()?,
            };
            let mut stages = Vec::new();
            while parser.take_if(Mode::Clause, &TokenKind::Pipe) {
                stages.push(parser.stage(stages.is_empty())?);
            }
            parser.expect_close(open, Mode::Operator)?;
            Ok(Query { filter, stages })
        })
    }

    /// What plain calculations begin with: `running_` for all rows up to the current one, `group_` for all rows of
    /// the group.
    pub(super) fn window(&mut self, prefix: &str) -> Parsed<StageKind> {
        if !prefix.is_empty() {
            self.spl_window_option()?;
        }
        let mut columns = Vec::new();
        loop {
            columns.push(self.windowed(prefix)?);
            // Splunk's users separate by spaces.
            let next = self.peek(Mode::Expr)?;
            let is_next = || {
                let word = next.word().filter(|word| !word.eq_ignore_ascii_case("by"));
                !prefix.is_empty() && word.is_some_and(|word| window_aggregate(word).is_some())
            };
            if !self.take_if(Mode::Operator, &TokenKind::Comma) && !is_next() {
                break;
            }
        }
        let mut by = Vec::new();
        if self.take_word(Mode::Operator, "by") {
            by = self.names_until(&[])?;
            if by.is_empty() {
                return Err(self.error_here("a field's name is missing here", "add one or several"));
            }
        }
        Ok(StageKind::Window { columns, by })
    }

    fn windowed(&mut self, prefix: &str) -> Parsed<Windowed> {
        let start = self.peek(Mode::Expr)?.span.start;
        let mut name = self.assigned_name()?;
        let token = self.peek(Mode::Expr)?;
        let Some(called) = token.word() else {
            return Err(Diagnostic::error(
                token.span,
                "a calculation is missing here",
                "write prev = lag(x), total = running_sum(x), p = rolling_p95(x, 5m)",
            ));
        };
        self.at = token.span.end;
        let has_arguments = self.next_is(Mode::Operator, &TokenKind::Open);
        let arguments = if has_arguments {
            let open = self.take(Mode::Operator)?.span;
            self.expressions(open)?
        } else {
            Vec::new()
        };
        let span = Span::new(token.span.start, self.at);
        let prefixed = format!("{prefix}{called}");
        let is_plain = !prefix.is_empty() && window_aggregate(called).is_some();
        // Splunk names the columns of `eventstats` as those of `stats`.
        if is_plain && prefix == "group_" && name.is_none() {
            let written: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            let written =
                if written.is_empty() { String::new() } else { format!("({})", written.join(", ")) };
            name = Some(format!("{}{written}", called.to_ascii_lowercase()));
        }
        let called = if is_plain { &prefixed } else { called };
        let (function, argument) = window_function(called, arguments, token.span, span)?;
        if self.take_word(Mode::Operator, "as") {
            name = Some(self.column_name()?);
        }
        Ok(Windowed { function, argument, name, span: Span::new(start, self.at) })
    }

    pub(super) fn pivot(&mut self) -> Parsed<StageKind> {
        let aggregate = self.aggregate()?;
        if !self.take_word(Mode::Operator, "on") {
            let hint = "write pivot count on status by host";
            return Err(self.error_here("the field whose values become columns is missing here", hint));
        }
        let on = self.name()?;
        let by = self.groups()?;
        let limit = if self.option(&["limit"]) { Some(self.wanted_count()?) } else { None };
        Ok(StageKind::Pivot { aggregate, on, by, limit })
    }

    pub(super) fn unpivot(&mut self) -> Parsed<Unpivot> {
        let columns = self.patterns_until(&["by", "as"])?;
        let by = if self.take_word(Mode::Name, "by") { self.names_until(&["as"])? } else { Vec::new() };
        let plain = |name: &str| FieldRef { name: name.to_owned(), span: Span::default() };
        let (mut name, mut value) = (plain("name"), plain("value"));
        if self.take_word(Mode::Name, "as") {
            name = self.name()?;
            if self.take_if(Mode::Name, &TokenKind::Comma) {
                value = self.name()?;
            }
        }
        if name.name == value.name {
            return Err(Diagnostic::error(
                value.span,
                "both columns would have this name",
                "give them different names: unpivot a, b as name, value",
            ));
        }
        Ok(Unpivot { columns, by, name, value })
    }

    pub(super) fn patterns_until(&mut self, stops: &[&str]) -> Parsed<Vec<NamePattern>> {
        let names = self.names_until(stops)?;
        Ok(names.into_iter().map(|name| NamePattern { pattern: name.name, span: name.span }).collect())
    }

    pub(super) fn fill_null(&mut self) -> Parsed<StageKind> {
        let mut value = Expr::new(ExprKind::Int(0), Span::default());
        if self.option(&["value", "with"]) {
            value = self.constant()?;
        }
        let fields = self.patterns_until(&["value"])?;
        if self.option(&["value"]) {
            value = self.constant()?;
        }
        Ok(StageKind::FillNull { fields, value })
    }

    /// A value that is written out. A bare word is a text.
    fn constant(&mut self) -> Parsed<Expr> {
        let token = self.peek(Mode::Expr)?;
        if let Some(word) = token.word()
            && !["true", "false"].iter().any(|truth| word.eq_ignore_ascii_case(truth))
        {
            self.at = token.span.end;
            return Ok(Expr::new(ExprKind::Text(word.to_owned()), token.span));
        }
        let minus = self.take_if(Mode::Expr, &TokenKind::Minus);
        let value = self.operand()?;
        match value.kind {
            ExprKind::Int(number) if minus => Ok(Expr::new(ExprKind::Int(-number), value.span)),
            ExprKind::Float(number) if minus => Ok(Expr::new(ExprKind::Float(-number), value.span)),
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Text(_) | ExprKind::Bool(_) if !minus => {
                Ok(value)
            }
            _ => Err(Diagnostic::error(
                token.span,
                "a plain value is wanted here",
                "write a number without a unit, a word, or a text in quotation marks",
            )),
        }
    }

    pub(super) fn variable(&mut self) -> Parsed<StageKind> {
        let hint = "write variable 1 of t0123456789abcdef as took";
        let Some(number) = self.count()?.filter(|&number| number > 0) else {
            return Err(self.error_here("the number of a variable is missing here", hint));
        };
        if !self.take_word(Mode::Name, "of") {
            return Err(self.error_here("the id of a pattern is missing here", hint));
        }
        let pattern = self.name()?;
        if !self.take_word(Mode::Name, "as") {
            return Err(self.error_here("the name of the new column is missing here", hint));
        }
        Ok(StageKind::Variable(VariablePart { number, pattern, name: self.name()? }))
    }

    pub(super) fn bucket(&mut self) -> Parsed<StageKind> {
        let value = self.name()?;
        // Splunk's `bucket` is `bin`.
        if let Some(width) = self.spl_span()? {
            return self.spl_binned(&value, width);
        }
        if !self.take_word(Mode::Name, "into") {
            return Err(
                self.error_here("the number of buckets is missing here", "write bucket duration_ms into 4")
            );
        }
        let at = self.peek(Mode::Expr)?.span;
        let count = self.wanted_count()?;
        if !(2..=1_000).contains(&count) {
            let hint = "write a number from 2 to 1000, such as into 4";
            return Err(Diagnostic::error(at, "so many buckets cannot be made", hint));
        }
        let name = if self.take_word(Mode::Name, "as") { Some(self.name()?) } else { None };
        Ok(StageKind::Bucket { value, count, name })
    }
}

/// The function of this name with what it was given.
fn window_function(
    called: &str,
    arguments: Vec<Expr>,
    at: Span,
    span: Span,
) -> Parsed<(WindowFunction, Option<Expr>)> {
    let lower = called.to_ascii_lowercase();
    let wrong = |hint: &str| {
        let message = format!("`{called}` is given something else here");
        Err(Diagnostic::error(span, message, hint))
    };
    let given = arguments.len();
    let mut arguments = arguments.into_iter();
    let (first, second) = (arguments.next(), arguments.next());
    match lower.as_str() {
        "lag" | "lead" if given == 1 || given == 2 => {
            let rows = match second.as_ref().map(|second| &second.kind) {
                None => 1,
                Some(ExprKind::Int(rows)) if *rows > 0 => rows.unsigned_abs(),
                Some(_) => return wrong("write the distance in rows as a whole number: lag(x, 2)"),
            };
            let function =
                if lower == "lag" { WindowFunction::Lag(rows) } else { WindowFunction::Lead(rows) };
            Ok((function, first))
        }
        "lag" | "lead" => wrong("write lag(x) for the row before, lag(x, 2) for the one before that"),
        "row_number" | "row" if given == 0 => Ok((WindowFunction::RowNumber, None)),
        "row_number" | "row" => wrong("write row_number()"),
        "rank" if given == 1 => Ok((WindowFunction::Rank, first)),
        "dense_rank" if given == 1 => Ok((WindowFunction::DenseRank, first)),
        "rank" | "dense_rank" => wrong("write rank(x), or rank(-x) to begin with the greatest"),
        _ => {
            let running = lower.strip_prefix("running_").or_else(|| lower.strip_prefix("cumulative_"));
            if let Some(aggregate) = running.and_then(window_aggregate) {
                let counts = aggregate == WindowAggregate::Count;
                if given == 1 || (given == 0 && counts) {
                    return Ok((WindowFunction::Running(aggregate), first));
                }
                return wrong("write running_sum(x); only running_count() takes nothing");
            }
            if let Some(aggregate) = lower.strip_prefix("group_").and_then(window_aggregate) {
                let counts = aggregate == WindowAggregate::Count;
                return match (given, aggregate) {
                    (_, WindowAggregate::Percentile(_)) => {
                        wrong("write join left on k (… | stats p95(x) by k), or group_avg, group_max")
                    }
                    (1, _) => Ok((WindowFunction::Group(aggregate), first)),
                    (0, _) if counts => Ok((WindowFunction::Group(aggregate), first)),
                    _ => wrong("write group_sum(x); only group_count() takes nothing"),
                };
            }
            if let Some(aggregate) = lower.strip_prefix("rolling_").and_then(window_aggregate) {
                let counts = aggregate == WindowAggregate::Count;
                return match (first, second) {
                    (Some(value), Some(length)) if given == 2 => {
                        Ok((WindowFunction::Rolling(aggregate, length_of(&length)?), Some(value)))
                    }
                    (Some(length), None) if counts => {
                        Ok((WindowFunction::Rolling(aggregate, length_of(&length)?), None))
                    }
                    _ => wrong("write what and how long: rolling_avg(x, 5m), rolling_count(5m)"),
                };
            }
            let hint = match Aggregation::with_parameter(called) {
                Some(_) => {
                    "put `running_` before it for all rows up to this one, or `rolling_` for a length of time"
                }
                None => "there are lag, lead, rank, row_number, running_sum(x), rolling_p95(x, 5m), …",
            };
            let known = WINDOW_FUNCTIONS.iter().copied();
            Err(Diagnostic::unknown(at, "window function", called, known, hint))
        }
    }
}

fn window_aggregate(name: &str) -> Option<WindowAggregate> {
    // A condition is not counted within a window.
    let (function, parameter) =
        Aggregation::with_parameter(name).filter(|_| !Aggregation::is_conditional(name))?;
    match function {
        Aggregation::Count => Some(WindowAggregate::Count),
        Aggregation::Sum => Some(WindowAggregate::Sum),
        Aggregation::Avg => Some(WindowAggregate::Avg),
        Aggregation::Min => Some(WindowAggregate::Min),
        Aggregation::Max => Some(WindowAggregate::Max),
        _ => function.percentile(parameter).map(WindowAggregate::Percentile),
    }
}

fn length_of(given: &Expr) -> Parsed<Quantity> {
    match given.kind {
        ExprKind::Quantity(length)
            if length.unit.dimension() == Dimension::Duration && length.number > 0.0 =>
        {
            Ok(length)
        }
        _ => Err(Diagnostic::error(
            given.span,
            "a length of time is wanted here",
            "write it like 30s, 5m, 1h, 1d",
        )),
    }
}
