//! Parses the stages after the pipes, each by its own rule.

use super::expr::{is_equal, regex_text};
use super::{Parsed, Parser, spl};
use crate::ast::{
    Assignment, Baseline, Dimension, ExprKind, Extraction, FieldRef, Filter, Frequent, Join, NamePattern,
    Quantity, Renaming, SortKey, Span, Stage, StageKind, Surroundings, TimeSpan, TransactionLimits,
};
use crate::diagnostic::Diagnostic;
use crate::functions::Aggregation;
use crate::lexer::{Mode, TokenKind};
use crate::stages::StageName;
use base::limits::DEFAULT_ROWS;

impl Parser<'_> {
    /// A stage and all that is written for it; `is_first` if it directly follows the filter.
    pub(super) fn stage(&mut self, is_first: bool) -> Parsed<Stage> {
        let token = self.peek(Mode::Name)?;
        let Some(word) = token.word() else {
            return Err(Diagnostic::error(
                token.span,
                "a stage is missing here",
                "write | stats, | sort, | limit, …",
            ));
        };
        let known = StageName::ALL.iter().map(|stage| stage.described().name).chain(spl::NAMES);
        let Some(name) = StageName::named(word) else {
            self.at = token.span.end;
            if let Some(kind) = self.spl_stage(word)? {
                return Ok(Stage { kind, span: Span::new(token.span.start, self.at) });
            }
            self.at = token.span.start;
            let hint = "stages are where, eval, stats, timechart, sort, keep, limit, top, …";
            return Err(Diagnostic::unknown(token.span, "stage", word, known, hint));
        };
        self.at = token.span.end;
        let kind = self.stage_of(name, word, is_first)?;
        let span = Span::new(token.span.start, self.at);
        if !is_first && matches!(kind, StageKind::Compare { .. } | StageKind::Quantiles { .. }) {
            let message = format!("`{}` compares the events that the filter finds", name.described().name);
            return Err(Diagnostic::error(span, message, "put it directly after the filter"));
        }
        Ok(Stage { kind, span })
    }

    fn stage_of(&mut self, name: StageName, word: &str, is_first: bool) -> Parsed<StageKind> {
        Ok(match name {
            StageName::Where => StageKind::Where(self.expr()?),
            StageName::Search => StageKind::Search(self.or()?),
            StageName::Eval => StageKind::Eval(self.assignments()?),
            StageName::Stats => self.stats()?,
            StageName::Timechart => self.timechart()?,
            StageName::Sort => StageKind::Sort(self.sort_keys()?),
            StageName::Keep => {
                // Splunk's `fields - a` drops.
                if self.take_if(Mode::Name, &TokenKind::Minus) {
                    return self.name_patterns().map(StageKind::Drop);
                }
                self.take_if(Mode::Name, &TokenKind::Plus);
                StageKind::Keep(self.name_patterns()?)
            }
            StageName::Drop => StageKind::Drop(self.name_patterns()?),
            StageName::Rename => StageKind::Rename(self.renamings()?),
            StageName::Limit => StageKind::Limit(self.count()?.unwrap_or(DEFAULT_ROWS)),
            StageName::Tail => StageKind::Tail(self.count()?.unwrap_or(DEFAULT_ROWS)),
            StageName::Dedup => self.dedup()?,
            StageName::Top => StageKind::Top(self.frequent()?),
            StageName::Rare => StageKind::Rare(self.frequent()?),
            StageName::Facets => {
                let fields = self.names_until(&["values"])?;
                let values = if self.option(&["values"]) { self.count()? } else { None };
                StageKind::Facets { fields, values }
            }
            StageName::Patterns => {
                let field = self.names_until(&["limit"])?.pop();
                let limit = if self.option(&["limit"]) { self.count()? } else { None };
                StageKind::Patterns { field, limit }
            }
            StageName::Grok => StageKind::Grok(self.extraction()?),
            StageName::Dissect => StageKind::Dissect(self.extraction()?),
            StageName::Rex => self.rex()?,
            StageName::Variable => self.variable()?,
            StageName::Context => self.context()?,
            StageName::Transaction => self.transaction()?,
            StageName::Compare => self.compare(word.eq_ignore_ascii_case("diff"), is_first)?,
            StageName::Shift => self.shift()?,
            StageName::Quantiles => {
                let value = self.name()?;
                self.take_word(Mode::Name, "with");
                StageKind::Quantiles { value, with: self.filter_value()? }
            }
            StageName::ChangePoint => {
                let value = self.name()?;
                let on = if self.take_word(Mode::Name, "on") { Some(self.name()?) } else { None };
                StageKind::ChangePoint { value, on }
            }
            StageName::Lookup => StageKind::Lookup(self.join()?),
            StageName::Join => StageKind::Join(self.joined()?),
            // Splunk's `streamstats sum(x)` is the running sum.
            StageName::Window if word.eq_ignore_ascii_case("streamstats") => self.window("running_")?,
            StageName::Window => self.window("")?,
            StageName::Pivot => self.pivot()?,
            StageName::Unpivot => StageKind::Unpivot(self.unpivot()?),
            StageName::FillNull => self.fill_null()?,
            StageName::FillDown => StageKind::FillDown(self.patterns_until(&[])?),
            StageName::Bucket => self.bucket()?,
            StageName::Sample => self.sample()?,
        })
    }

    /// `name=` in front of an option's value.
    pub(super) fn option(&mut self, names: &[&str]) -> bool {
        let before = self.at;
        if let Ok(token) = self.take(Mode::Name)
            && names.iter().any(|name| token.is_word(name))
            && self.take(Mode::Name).is_ok_and(|token| is_equal(&token.kind))
        {
            return true;
        }
        self.at = before;
        false
    }

    /// An integer, if one comes next.
    pub(super) fn count(&mut self) -> Parsed<Option<u64>> {
        let token = self.peek(Mode::Expr)?;
        let TokenKind::Number(text) = &token.kind else { return Ok(None) };
        let plain: String = text.chars().filter(|&c| c != '_').collect();
        let Ok(number) = plain.parse() else {
            return Err(Diagnostic::error(
                token.span,
                "a whole number is wanted here",
                "write it without a unit",
            ));
        };
        self.at = token.span.end;
        Ok(Some(number))
    }

    pub(super) fn wanted_count(&mut self) -> Parsed<u64> {
        self.count()?.ok_or_else(|| self.error_here("a number is missing here", "write it after the ="))
    }

    pub(super) fn quantity(&mut self) -> Parsed<Quantity> {
        let token = self.peek(Mode::Expr)?;
        let found = match &token.kind {
            TokenKind::Number(text) => Quantity::parse(text),
            _ => None,
        };
        let wrong = || {
            Diagnostic::error(token.span, "a length of time is wanted here", "write it like 30s, 5m, 1h, 1d")
        };
        let fits =
            |quantity: &Quantity| quantity.unit.dimension() == Dimension::Duration && quantity.number > 0.0;
        let quantity = found.filter(fits).ok_or_else(wrong)?;
        self.at = token.span.end;
        Ok(quantity)
    }

    pub(super) fn name(&mut self) -> Parsed<FieldRef> {
        let token = self.peek(Mode::Name)?;
        let name = match &token.kind {
            TokenKind::Name(text) | TokenKind::Phrase(text) | TokenKind::Word { text, .. } => text.clone(),
            _ => {
                return Err(Diagnostic::error(
                    token.span,
                    "a field's name is missing here",
                    "add it; odd names go between backticks",
                ));
            }
        };
        self.at = token.span.end;
        // `avg(bytes)` names the column that `stats` gave this name.
        if matches!(token.kind, TokenKind::Word { .. })
            && self.query[self.at..].starts_with('(')
            && Aggregation::with_parameter(&name).is_some()
        {
            self.at = token.span.start;
            let name = self.calculation()?.calculation();
            return Ok(FieldRef { name, span: Span::new(token.span.start, self.at) });
        }
        Ok(FieldRef { name, span: token.span })
    }

    /// Names, separated by commas or spaces, up to one of these words.
    pub(super) fn names_until(&mut self, stops: &[&str]) -> Parsed<Vec<FieldRef>> {
        let mut found = Vec::new();
        loop {
            let next = self.peek(Mode::Name)?;
            let stops_here = stops.iter().any(|stop| next.is_word(stop));
            match next.kind {
                TokenKind::Word { .. } | TokenKind::Name(_) | TokenKind::Phrase(_) if !stops_here => {
                    found.push(self.name()?);
                }
                TokenKind::Comma if !found.is_empty() => {
                    self.at = next.span.end;
                    found.push(self.name()?);
                }
                _ => return Ok(found),
            }
        }
    }

    fn wanted_names(&mut self, stops: &[&str]) -> Parsed<Vec<FieldRef>> {
        let found = self.names_until(stops)?;
        if found.is_empty() {
            return Err(self.error_here("a field's name is missing here", "add one or several"));
        }
        Ok(found)
    }

    fn name_patterns(&mut self) -> Parsed<Vec<NamePattern>> {
        let names = self.wanted_names(&[])?;
        Ok(names.into_iter().map(|name| NamePattern { pattern: name.name, span: name.span }).collect())
    }

    fn assignments(&mut self) -> Parsed<Vec<Assignment>> {
        let mut found = Vec::new();
        loop {
            let name = self.name()?;
            if !is_equal(&self.take(Mode::Operator)?.kind) {
                return Err(Diagnostic::error(
                    name.span,
                    "a value is missing after this name",
                    "write name = value",
                ));
            }
            found.push(Assignment { name, value: self.expr()? });
            if !self.take_if(Mode::Operator, &TokenKind::Comma) {
                return Ok(found);
            }
        }
    }

    fn stats(&mut self) -> Parsed<StageKind> {
        // VictoriaLogs' `stats by (host) count()` names the groups first.
        let mut by = Vec::new();
        if self.take_word(Mode::Operator, "by") {
            let open = self.take_if(Mode::Operator, &TokenKind::Open);
            loop {
                by.push(self.group()?);
                if !self.take_if(Mode::Operator, &TokenKind::Comma) {
                    break;
                }
            }
            if open {
                self.expect_close(Span::new(self.at, self.at), Mode::Operator)?;
            }
        }
        let aggregates = self.aggregates()?;
        by.extend(self.groups()?);
        Ok(StageKind::Stats { aggregates, by })
    }

    fn timechart(&mut self) -> Parsed<StageKind> {
        let (mut span, mut limit) = (TimeSpan::Auto, None);
        self.chart_options(&mut span, &mut limit)?;
        let aggregates = self.aggregates()?;
        self.chart_options(&mut span, &mut limit)?;
        let by = if self.take_word(Mode::Operator, "by") { Some(self.group()?) } else { None };
        self.chart_options(&mut span, &mut limit)?;
        Ok(StageKind::Timechart { span, aggregates, by, limit })
    }

    fn chart_options(&mut self, span: &mut TimeSpan, limit: &mut Option<u64>) -> Parsed<()> {
        loop {
            if self.option(&["span"]) {
                let auto = self.take_word(Mode::Name, "auto");
                *span = if auto { TimeSpan::Auto } else { TimeSpan::Every(self.quantity()?) };
            } else if self.option(&["limit"]) {
                *limit = Some(self.wanted_count()?);
            } else {
                return Ok(());
            }
        }
    }

    fn sort_keys(&mut self) -> Parsed<Vec<SortKey>> {
        let mut found = Vec::new();
        loop {
            let minus = self.take_if(Mode::Expr, &TokenKind::Minus);
            if !minus {
                self.take_if(Mode::Expr, &TokenKind::Plus);
            }
            let value = self.expr()?;
            let descending = self.take_word(Mode::Operator, "desc");
            if !descending {
                self.take_word(Mode::Operator, "asc");
            }
            found.push(SortKey { value, descending: minus != descending });
            let next = self.peek(Mode::Operator)?;
            match next.kind {
                TokenKind::Comma => self.at = next.span.end,
                TokenKind::Word { .. } | TokenKind::Name(_) => {}
                _ => return Ok(found),
            }
        }
    }

    fn renamings(&mut self) -> Parsed<Vec<Renaming>> {
        let mut found = Vec::new();
        loop {
            let from = self.name()?;
            if !self.take_word(Mode::Name, "as") {
                return Err(Diagnostic::error(
                    from.span,
                    "a new name is missing after this",
                    "write old as new",
                ));
            }
            found.push(Renaming { from, to: self.name()? });
            if !self.take_if(Mode::Name, &TokenKind::Comma) && !self.next_is_name() {
                return Ok(found);
            }
        }
    }

    fn next_is_name(&self) -> bool {
        self.peek(Mode::Name)
            .is_ok_and(|next| matches!(next.kind, TokenKind::Word { .. } | TokenKind::Name(_)))
    }

    fn dedup(&mut self) -> Parsed<StageKind> {
        let mut keep = self.count()?;
        let fields = self.wanted_names(&["keep"])?;
        if self.option(&["keep"]) {
            keep = Some(self.wanted_count()?);
        }
        Ok(StageKind::Dedup { fields, keep: keep.unwrap_or(1).max(1) })
    }

    fn frequent(&mut self) -> Parsed<Frequent> {
        let mut count = if self.option(&["limit"]) { Some(self.wanted_count()?) } else { self.count()? };
        let fields = self.wanted_names(&["by", "limit"])?;
        let by = if self.take_word(Mode::Name, "by") { self.wanted_names(&["limit"])? } else { Vec::new() };
        if self.option(&["limit"]) {
            count = Some(self.wanted_count()?);
        }
        Ok(Frequent { count: count.unwrap_or(DEFAULT_ROWS), fields, by })
    }

    /// The field of an extraction, if one precedes its pattern.
    fn extracted_field(&mut self) -> Parsed<Option<FieldRef>> {
        if self.option(&["field"]) {
            return self.name().map(Some);
        }
        let next = self.peek(Mode::Name)?;
        match next.kind {
            // An expression begins with a slash, which may be in a name but never begins one.
            TokenKind::Word { text, .. } if !text.starts_with('/') => self.name().map(Some),
            TokenKind::Name(_) => self.name().map(Some),
            _ => Ok(None),
        }
    }

    fn extraction(&mut self) -> Parsed<Extraction> {
        let field = self.extracted_field()?;
        let token = self.take(Mode::Expr)?;
        match token.kind {
            TokenKind::Phrase(pattern) => Ok(Extraction { field, pattern, pattern_span: token.span }),
            _ => Err(Diagnostic::error(
                token.span,
                "a pattern is missing here",
                "write it in quotation marks: \"%{IP:client}\"",
            )),
        }
    }

    fn rex(&mut self) -> Parsed<StageKind> {
        let is_sed_first = self.sed_mode()?;
        let field = self.extracted_field()?;
        if is_sed_first || self.sed_mode()? {
            return self.spl_sed(field);
        }
        let token = self.take(Mode::Expr)?;
        let (source, ignore_case) = match &token.kind {
            TokenKind::Regex { source, ignore_case } => (source, *ignore_case),
            TokenKind::Phrase(source) => (source, false),
            _ => {
                let hint = "write it between slashes, with named groups: /user=(?<user>\\w+)/";
                return Err(Diagnostic::error(token.span, "an expression is missing here", hint));
            }
        };
        let regex = regex_text(source, ignore_case, token.span)?;
        let names_any = regex.compile().is_some_and(|regex| regex.capture_names().flatten().next().is_some());
        if !names_any {
            let hint = "name what becomes a column: (?<user>\\w+)";
            return Err(Diagnostic::error(token.span, "this expression has no named group", hint));
        }
        Ok(StageKind::Rex { field, regex })
    }

    /// `mode=sed`, Splunk's way to replace.
    fn sed_mode(&mut self) -> Parsed<bool> {
        if !self.option(&["mode"]) {
            return Ok(false);
        }
        if self.take_word(Mode::Name, "sed") {
            return Ok(true);
        }
        Err(self.error_here("the only mode is sed", "write mode=sed \"s/find/replace/g\""))
    }

    fn context(&mut self) -> Parsed<StageKind> {
        let both = self.count()?;
        let (mut before, mut after) = (both, both);
        let (mut everywhere, mut same) = (false, None);
        loop {
            if self.option(&["before"]) {
                before = Some(self.wanted_count()?);
            } else if self.option(&["after"]) {
                after = Some(self.wanted_count()?);
            } else if self.option(&["same"]) {
                same = Some(self.name()?);
            } else if self.take_word(Mode::Name, "everywhere") {
                everywhere = true;
            } else if self.take_word(Mode::Name, "before") {
                before = Some(self.wanted_count()?);
            } else if self.take_word(Mode::Name, "after") {
                after = Some(self.wanted_count()?);
            } else {
                break;
            }
        }
        let unsaid = if before.is_none() && after.is_none() { DEFAULT_ROWS } else { 0 };
        Ok(StageKind::Context(Surroundings {
            before: before.unwrap_or(unsaid),
            after: after.unwrap_or(unsaid),
            everywhere,
            same,
        }))
    }

    fn transaction(&mut self) -> Parsed<StageKind> {
        const OPTIONS: [&str; 8] = [
            "max_pause",
            "maxpause",
            "max_span",
            "maxspan",
            "starts_with",
            "startswith",
            "ends_with",
            "endswith",
        ];
        self.take_word(Mode::Name, "by");
        let by = self.wanted_names(&OPTIONS)?;
        let mut limits = TransactionLimits::default();
        loop {
            if self.option(&OPTIONS[..2]) {
                limits.max_pause = Some(self.quantity()?);
            } else if self.option(&OPTIONS[2..4]) {
                limits.max_span = Some(self.quantity()?);
            } else if self.option(&OPTIONS[4..6]) {
                limits.starts_with = Some(self.filter_value()?);
            } else if self.option(&OPTIONS[6..]) {
                limits.ends_with = Some(self.filter_value()?);
            } else {
                return Ok(StageKind::Transaction { by, limits });
            }
        }
    }

    /// A filter in parentheses, or a single clause.
    fn filter_value(&mut self) -> Parsed<Filter> {
        self.primary()
    }

    /// `compare with (filter)`, which was called `diff`. With a time, a calculation or a group, or after another
    /// stage, `compare` can only mean `shift`.
    fn compare(&mut self, is_diff: bool, is_first: bool) -> Parsed<StageKind> {
        self.take_word(Mode::Name, "with");
        let start = self.at;
        let begins_shift = self.peek(Mode::Expr).is_ok_and(|next| match next.kind {
            TokenKind::Number(_) | TokenKind::End | TokenKind::Pipe | TokenKind::Close => true,
            _ => next.word().is_some_and(|word| {
                ["previous", "by"].iter().any(|known| known.eq_ignore_ascii_case(word))
                    || Aggregation::with_parameter(word).is_some()
            }),
        });
        if begins_shift && !is_diff {
            return self.shift();
        }
        let with = self.filter_value()?;
        let limit = if self.option(&["limit"]) { self.count()? } else { None };
        let calculates = self.peek(Mode::Expr).is_ok_and(|next| {
            matches!(next.kind, TokenKind::Word { .. } | TokenKind::Name(_)) && !next.is_word("limit")
        });
        if (calculates || !is_first) && limit.is_none() && !is_diff {
            self.at = start;
            return self.shift();
        }
        Ok(StageKind::Compare { with, limit })
    }

    fn shift(&mut self) -> Parsed<StageKind> {
        self.take_word(Mode::Name, "with");
        let next = self.peek(Mode::Expr)?;
        let baseline = match next.kind {
            TokenKind::Open => Baseline::Events(self.filter_value()?),
            TokenKind::Number(_) => Baseline::Earlier(self.quantity()?),
            _ => {
                self.take_word(Mode::Name, "previous");
                Baseline::Previous
            }
        };
        let aggregates = self.aggregates()?;
        Ok(StageKind::Shift { baseline, aggregates, by: self.groups()? })
    }

    fn join(&mut self) -> Parsed<Join> {
        let token = self.peek(Mode::Name)?;
        let file = match &token.kind {
            TokenKind::Phrase(text) | TokenKind::Word { text, .. } | TokenKind::Name(text) => text.clone(),
            _ => {
                return Err(Diagnostic::error(
                    token.span,
                    "a file is missing here",
                    "write lookup \"hosts.csv\" on host",
                ));
            }
        };
        self.at = token.span.end;
        self.take_word(Mode::Name, "on");
        let mut on = Vec::new();
        loop {
            let from = self.name()?;
            let renamed = self.take_word(Mode::Name, "as")
                || self.take_if(Mode::Name, &TokenKind::Compare(crate::ast::Op::Equal));
            let to = if renamed { self.name()? } else { from.clone() };
            on.push(Renaming { from, to });
            if !self.take_if(Mode::Name, &TokenKind::Comma) {
                break;
            }
        }
        let mut output = Vec::new();
        if self.take_word(Mode::Name, "output") {
            loop {
                let from = self.name()?;
                let to = if self.take_word(Mode::Name, "as") { self.name()? } else { from.clone() };
                output.push(Renaming { from, to });
                if !self.take_if(Mode::Name, &TokenKind::Comma) {
                    break;
                }
            }
        }
        Ok(Join { file, file_span: token.span, on, output })
    }

    fn sample(&mut self) -> Parsed<StageKind> {
        let value = self.expr_number()?;
        let percent = self.take_if(Mode::Operator, &TokenKind::Percent);
        let (size, is_share) = match value {
            share if percent => (share / 100.0, true),
            share if share < 1.0 => (share, true),
            count => (count, false),
        };
        if size <= 0.0 || (is_share && size > 1.0) || (!is_share && size.fract() != 0.0) {
            return Err(self.error_here("this is not a size of a sample", "write sample 1000, or sample 1%"));
        }
        let seed = if self.option(&["seed"]) { Some(self.wanted_count()?) } else { None };
        Ok(StageKind::Sample { size, is_share, seed })
    }

    fn expr_number(&mut self) -> Parsed<f64> {
        let token = self.peek(Mode::Expr)?;
        let TokenKind::Number(_) = token.kind else {
            return Err(self.error_here("a number is missing here", "write sample 1000, or sample 1%"));
        };
        match self.operand()?.kind {
            ExprKind::Int(number) => Ok(number as f64),
            ExprKind::Float(number) => Ok(number),
            _ => Err(Diagnostic::error(token.span, "a number is wanted here", "write it without a unit")),
        }
    }
}
