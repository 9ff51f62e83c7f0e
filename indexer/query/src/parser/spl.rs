//! Commands of Splunk that are written with other stages here: `bin`, `chart`, `eventstats`, `rex mode=sed`. The
//! query prints itself with those.

use std::fmt::Write;

use super::expr::like;
use super::{Parsed, Parser};
use crate::ast::{
    Assignment, Expr, ExprKind, FieldRef, Group, Op, Quantity, RegexText, Span, StageKind, Unit,
};
use crate::diagnostic::Diagnostic;
use crate::functions::Function;
use crate::lexer::{Mode, TokenKind};

/// Stages by the names that Splunk has for them, besides those in the table.
pub(super) const NAMES: [&str; 5] = ["bin", "discretize", "chart", "eventstats", "regex"];

impl Parser<'_> {
    /// A stage of Splunk's; nothing for any other word.
    pub(super) fn spl_stage(&mut self, word: &str) -> Parsed<Option<StageKind>> {
        Ok(Some(match word.to_ascii_lowercase().as_str() {
            "bin" | "discretize" => self.spl_bin()?,
            "chart" => self.spl_chart()?,
            "eventstats" => self.spl_eventstats()?,
            "regex" => self.spl_regex()?,
            _ => return Ok(None),
        }))
    }

    /// `bin time span=5m [as t]`, with the options before the field or after it.
    fn spl_bin(&mut self) -> Parsed<StageKind> {
        let mut width = self.spl_span()?;
        let field = self.name()?;
        if width.is_none() {
            width = self.spl_span()?;
        }
        let Some(width) = width else {
            return Err(self.error_here("the width of the bins is missing here", "write bin time span=5m"));
        };
        self.spl_binned(&field, width)
    }

    /// The rest of `bin`, after the field and the width.
    pub(super) fn spl_binned(&mut self, field: &FieldRef, width: Expr) -> Parsed<StageKind> {
        let name = if self.take_word(Mode::Name, "as") { self.name()? } else { field.clone() };
        Ok(StageKind::Eval(vec![Assignment { name, value: bin_of(field_expr(field), width) }]))
    }

    /// `span=5m`, `span=100`, `span=auto`.
    pub(super) fn spl_span(&mut self) -> Parsed<Option<Expr>> {
        if self.option(&["bins", "minspan", "start", "end", "aligntime"]) {
            let hint = "write how wide they are: span=5m, span=100, span=auto";
            return Err(self.error_here("bins are described by their width", hint));
        }
        if !self.option(&["span"]) {
            return Ok(None);
        }
        let token = self.peek(Mode::Name)?;
        if token.is_word("auto") {
            self.at = token.span.end;
            return Ok(Some(Expr::new(ExprKind::Field("auto".to_owned()), token.span)));
        }
        let width = self.operand()?;
        match width.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Quantity(_) => Ok(Some(width)),
            _ => Err(Diagnostic::error(width.span, "a width is wanted here", "write span=5m or span=100")),
        }
    }

    /// `chart f(x) over a by b`: a column for each value of `b`. With one group it is `stats`.
    fn spl_chart(&mut self) -> Parsed<StageKind> {
        let mut limit = None;
        self.spl_limit(&mut limit)?;
        let mut aggregates = self.aggregates()?;
        let mut by = Vec::new();
        let is_over = self.take_word(Mode::Operator, "over");
        if is_over {
            by.push(self.spl_group()?);
        }
        self.spl_limit(&mut limit)?;
        if self.take_word(Mode::Operator, "by") {
            by.push(self.spl_group()?);
            while self.take_if(Mode::Operator, &TokenKind::Comma)
                || (by.len() < 2 && self.peek(Mode::Name)?.word().is_some_and(|word| word != "limit"))
            {
                by.push(self.spl_group()?);
            }
        }
        self.spl_limit(&mut limit)?;
        let columns = by.last().and_then(|group| group.value.as_field().map(str::to_owned));
        match (columns, aggregates.len(), by.len()) {
            (Some(name), 1, 2) => {
                let on = FieldRef { name, span: by.remove(1).span };
                Ok(StageKind::Pivot { aggregate: aggregates.remove(0), on, by, limit })
            }
            _ => Ok(StageKind::Stats { aggregates, by }),
        }
    }

    fn spl_limit(&mut self, limit: &mut Option<u64>) -> Parsed<()> {
        while self.option(&["limit"]) {
            *limit = Some(self.wanted_count()?);
        }
        Ok(())
    }

    /// A group followed by the width of its bins: `_time span=1h`.
    fn spl_group(&mut self) -> Parsed<Group> {
        let group = self.group()?;
        Ok(match self.spl_span()? {
            Some(width) => Group { value: bin_of(group.value, width), ..group },
            None => group,
        })
    }

    /// `eventstats avg(x) as m by host`: columns calculated of all rows of a group.
    fn spl_eventstats(&mut self) -> Parsed<StageKind> {
        self.window("group_")
    }

    /// `regex path="^/api"`, `regex path!="^/api"`, or of the whole text `regex "time.?out"`.
    fn spl_regex(&mut self) -> Parsed<StageKind> {
        let start = self.peek(Mode::Expr)?;
        let is_of_text = matches!(start.kind, TokenKind::Phrase(_) | TokenKind::Regex { .. });
        let raw = || FieldRef { name: "raw".to_owned(), span: start.span };
        let field = if is_of_text { raw() } else { self.name()? };
        let negated = !is_of_text && self.next_is(Mode::Operator, &TokenKind::Compare(Op::NotEqual));
        if !is_of_text
            && !self
                .take_if(Mode::Operator, &TokenKind::Compare(if negated { Op::NotEqual } else { Op::Equal }))
        {
            return Err(self.error_here("= is missing here", "write regex path=\"^/api\""));
        }
        let kind = ExprKind::Regex(Box::new(field_expr(&field)), self.expression_regex()?);
        let span = Span::new(start.span.start, self.at);
        let found = Expr::new(kind, span);
        Ok(StageKind::Where(if negated { Expr::new(ExprKind::Not(Box::new(found)), span) } else { found }))
    }

    /// `like(x, "a%")` and `match(x, "a+")`; nothing for other functions.
    pub(super) fn spl_call(&mut self, name: &str, span: Span) -> Parsed<Option<Expr>> {
        let is_like = name.eq_ignore_ascii_case("like");
        if !is_like && !name.eq_ignore_ascii_case("match") {
            return Ok(None);
        }
        let open = self.open_after(span)?;
        let value = self.expr()?;
        if !self.take_if(Mode::Operator, &TokenKind::Comma) {
            return Err(self.error_here(
                "a pattern is missing here",
                "write like(path, \"/api/%\") or match(path, \"^/api\")",
            ));
        }
        let kind = if is_like {
            like(value, self.expr()?, true)
        } else {
            ExprKind::Regex(Box::new(value), self.expression_regex()?)
        };
        self.expect_close(open, Mode::Operator)?;
        Ok(Some(Expr::new(kind, Span::new(span.start, self.at))))
    }

    /// Options of `streamstats` that are written differently here.
    pub(super) fn spl_window_option(&mut self) -> Parsed<()> {
        let start = self.peek(Mode::Name)?.span;
        let hint = if self.option(&["window", "time_window"]) {
            "write a length of time: window m = rolling_avg(x, 5m)"
        } else if self.option(&["current"]) {
            "write lag for the row before: window p = lag(x)"
        } else if self.option(&["reset_on_change", "reset_before", "reset_after", "global", "allnum"]) {
            "write by with the fields that make the groups"
        } else {
            return Ok(());
        };
        Err(Diagnostic::error(
            Span::new(start.start, self.at),
            "this option is written differently here",
            hint,
        ))
    }

    /// `"s/find/replace/g"` after `rex mode=sed`.
    pub(super) fn spl_sed(&mut self, field: Option<FieldRef>) -> Parsed<StageKind> {
        let token = self.take(Mode::Expr)?;
        let hint = "write rex field=message mode=sed \"s/find/replace/g\"";
        if !matches!(token.kind, TokenKind::Phrase(_)) {
            return Err(Diagnostic::error(token.span, "what to replace is missing here", hint));
        }
        // As it is written: its backslashes are those of the expression.
        let text = self.query[token.span.start + 1..token.span.end - 1].replace("\\\"", "\"");
        let wrong = || Diagnostic::error(token.span, "this cannot be read as `s/find/replace/`", hint);
        let (find, with, flags) = sed_parts(&text).ok_or_else(wrong)?;
        if !flags.chars().all(|flag| matches!(flag, 'g' | 'i')) {
            let hint = "flags are g for all matches and i for any case";
            return Err(Diagnostic::error(token.span, "this flag is not known here", hint));
        }
        let case = if flags.contains('i') { "(?i)" } else { "" };
        let is_all = flags.contains('g');
        // Of the first match only: all that is before it is a group that is written back.
        let regex = if is_all { format!("{case}{find}") } else { format!("{case}(?s:^(.*?))(?:{find})") };
        RegexText::new(&regex, false).map_err(|error| {
            Diagnostic::error(token.span, format!("this expression cannot be read: {error}"), hint)
        })?;
        let with = sed_replacement(&with, usize::from(!is_all));
        let with = if is_all { with } else { format!("${{1}}{with}") };
        let name = field.unwrap_or_else(|| FieldRef { name: "message".to_owned(), span: token.span });
        let text = |text: String| Expr::new(ExprKind::Text(text), token.span);
        let arguments = vec![field_expr(&name), text(regex), text(with)];
        let value = Expr::new(ExprKind::Call(Function::Replace, arguments), token.span);
        Ok(StageKind::Eval(vec![Assignment { name, value }]))
    }
}

fn field_expr(field: &FieldRef) -> Expr {
    Expr::new(ExprKind::Field(field.name.clone()), field.span)
}

/// A plain number is seconds where a time is in the bins.
fn bin_of(value: Expr, width: Expr) -> Expr {
    let is_time = value.as_field().is_some_and(|name| matches!(name, "time" | "_time" | "@timestamp"));
    let width = match width.kind {
        ExprKind::Int(number) if is_time => {
            let quantity = Quantity { number: number as f64, unit: Unit::Second };
            Expr::new(ExprKind::Quantity(quantity), width.span)
        }
        _ => width,
    };
    let span = value.span.to(width.span);
    Expr::new(ExprKind::Call(Function::Bin, vec![value, width]), span)
}

/// What is found, what is put there, and the flags of `s/find/replace/flags`, with any delimiter.
fn sed_parts(text: &str) -> Option<(String, String, String)> {
    let rest = text.trim().strip_prefix('s')?;
    let delimiter = rest.chars().next().filter(|first| !first.is_alphanumeric() && *first != '\\')?;
    let mut parts = vec![String::new()];
    let mut characters = rest[delimiter.len_utf8()..].chars();
    while let Some(character) = characters.next() {
        let last = parts.last_mut()?;
        match character {
            '\\' => match characters.next()? {
                escaped if escaped == delimiter => last.push(escaped),
                escaped => last.extend(['\\', escaped]),
            },
            _ if character == delimiter => parts.push(String::new()),
            _ => last.push(character),
        }
    }
    let [find, with, flags] = <[String; 3]>::try_from(parts).ok()?;
    (!find.is_empty()).then_some((find, with, flags))
}

/// `\1` as `${1}`, with the groups counted from `shift` more, and without a meaning for `$`.
fn sed_replacement(with: &str, shift: usize) -> String {
    let mut found = String::new();
    let mut characters = with.chars();
    while let Some(character) = characters.next() {
        match (character, if character == '\\' { characters.next() } else { None }) {
            ('\\', Some(digit)) if digit.is_ascii_digit() => {
                let group = digit.to_digit(10).unwrap_or(0) as usize;
                let _ = write!(found, "${{{}}}", group + shift);
            }
            ('\\', Some('n')) => found.push('\n'),
            ('\\', Some('t')) => found.push('\t'),
            ('\\', Some(escaped)) => found.push(escaped),
            ('$', _) => found.push_str("$$"),
            (character, _) => found.push(character),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::parse_query;

    fn printed(query: &str) -> String {
        match parse_query(query) {
            Ok(query) => query.to_string(),
            Err(error) => format!("{}: {}", error.message, error.hint.unwrap_or_default()),
        }
    }

    #[test]
    fn commands_of_splunk_become_stages() {
        for (query, expected) in [
            ("* | bin _time span=5m", "* | eval _time = bin(_time, 5m)"),
            ("* | bin span=1h time as hour", "* | eval hour = bin(time, 1h)"),
            ("* | bucket time span=60", "* | eval time = bin(time, 60s)"),
            ("* | bin bytes span=100", "* | eval bytes = bin(bytes, 100)"),
            ("* | bin time span=auto", "* | eval time = bin(time, `auto`)"),
            ("* | bucket bytes into 4", "* | bucket bytes into 4"),
            ("* | chart count by host", "* | stats count by host"),
            ("* | chart count over host by status", "* | pivot count on status by host"),
            ("* | chart limit=5 count by host, status", "* | pivot count on status by host limit=5"),
            ("* | chart avg(x), max(x) over host by status", "* | stats avg(x), max(x) by host, status"),
            ("* | chart count over _time span=1h by status", "* | pivot count on status by bin(_time, 1h)"),
            ("* | eventstats avg(x) as m by host", "* | window m = group_avg(x) by host"),
            ("* | eventstats count sum(x)", "* | window count = group_count(), `sum(x)` = group_sum(x)"),
            (
                "* | streamstats count sum(x) as s by host",
                "* | window running_count(), s = running_sum(x) by host",
            ),
            ("* | rex field=m mode=sed \"s/[0-9]+/N/g\"", "* | eval m = replace(m, \"[0-9]+\", \"N\")"),
            (
                "* | rex mode=sed \"s|/(a)|-\\1$|\"",
                "* | eval message = replace(message, \"(?s:^(.*?))(?:/(a))\", \"${1}-${2}$$\")",
            ),
            (
                "* | eval x = case(a == 1, \"one\", true(), null())",
                "* | eval x = case(a = 1, \"one\", true, null)",
            ),
        ] {
            assert_eq!(printed(query), expected, "{query}");
            assert_eq!(printed(expected), expected, "{query}");
        }
    }

    #[test]
    fn what_is_written_differently_is_said() {
        for (query, expected) in [
            (
                "* | bin time bins=10",
                "bins are described by their width: write how wide they are: span=5m, span=100, span=auto",
            ),
            ("* | bin time", "the width of the bins is missing here: write bin time span=5m"),
            (
                "* | streamstats window=5 avg(x)",
                "this option is written differently here: write a length of time: window m = rolling_avg(x, 5m)",
            ),
            (
                "* | streamstats current=f last(x)",
                "this option is written differently here: write lag for the row before: window p = lag(x)",
            ),
            (
                "* | eventstats p95(x)",
                "`group_p95` is given something else here: write join left on k (… | stats p95(x) by k), or group_avg, group_max",
            ),
            (
                "* | rex mode=sed \"y/abc/xyz/\"",
                "this cannot be read as `s/find/replace/`: write rex field=message mode=sed \"s/find/replace/g\"",
            ),
            ("* | chrat count", "no stage `chrat`: did you mean `chart`?"),
        ] {
            assert_eq!(printed(query), expected, "{query}");
        }
    }
}
