//! Tracks the columns from stage to stage, to report a name that no stage provides.

use super::ast::{
    Aggregate, Expr, ExprKind, FieldRef, Filter, Group, Joined, JoinedWith, NamePattern, Query, Span,
    StageKind, Test,
};
use super::diagnostic::Diagnostic;
use super::notes::each_field;
use super::resolve::{BUILT_IN, QueryContext, resolve};

/// The unknown names in the stages of a query.
#[must_use]
pub fn unknown_columns(query: &Query, context: &QueryContext) -> Vec<Diagnostic> {
    let names = context.names().map(str::to_owned).collect();
    let mut checker =
        Checker { context, columns: Some(names), of_events: true, in_filter: true, found: Vec::new() };
    for stage in &query.stages {
        // A filter stage directly after the filter is part of it.
        checker.in_filter &= matches!(stage.kind, StageKind::Search(_));
        checker.stage(&stage.kind);
    }
    checker.found
}

struct Checker<'c> {
    context: &'c QueryContext,
    /// The columns, while they can be known.
    columns: Option<Vec<String>>,
    /// Whether they are the fields of events still, which have ECS names too.
    of_events: bool,
    /// Whether events are found still, and not looked at one by one.
    in_filter: bool,
    found: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn stage(&mut self, stage: &StageKind) {
        match stage {
            StageKind::Where(condition) => self.expr(condition),
            StageKind::Search(filter) => self.filter(filter),
            StageKind::Eval(assignments) => {
                for one in assignments {
                    self.expr(&one.value);
                    self.add(&one.name.name);
                }
            }
            StageKind::Stats { aggregates, by } => {
                self.aggregates(aggregates, by);
                let names = by.iter().map(Group::column).chain(aggregates.iter().map(Aggregate::column));
                self.becomes(Some(names.collect()));
            }
            StageKind::Timechart { aggregates, by, .. } => {
                self.aggregates(aggregates, by.as_slice());
                let names = aggregates.iter().map(Aggregate::column);
                // With `by` there is a column for each value, which only the data knows.
                self.becomes(by.is_none().then(|| names.chain(["time".to_owned()]).collect()));
            }
            StageKind::Sort(keys) => keys.iter().for_each(|key| self.expr(&key.value)),
            StageKind::Keep(names) => {
                self.patterns(names);
                let kept = |columns: &Vec<String>| {
                    let wanted = |column: &&String| names.iter().any(|name| like(&name.pattern, column));
                    columns.iter().filter(wanted).cloned().collect()
                };
                let kept = self.columns.as_ref().map(kept);
                self.columns = kept;
            }
            StageKind::Drop(names) => {
                if let Some(columns) = &mut self.columns {
                    columns.retain(|column| !names.iter().any(|name| like(&name.pattern, column)));
                }
            }
            StageKind::Rename(renamings) => {
                for one in renamings {
                    self.field(&one.from);
                    self.add(&one.to.name);
                }
            }
            StageKind::Dedup { fields, .. } => self.fields(fields),
            StageKind::Top(frequent) | StageKind::Rare(frequent) => {
                self.fields(&frequent.fields);
                self.fields(&frequent.by);
                let names = frequent.by.iter().chain(&frequent.fields).map(|field| field.name.clone());
                self.becomes(Some(names.chain(["count".to_owned(), "percent".to_owned()]).collect()));
            }
            StageKind::Grok(extraction) | StageKind::Dissect(extraction) => {
                self.fields(extraction.field.as_slice());
                self.columns = None;
            }
            StageKind::Rex { field, regex } => {
                self.fields(field.as_slice());
                let compiled = regex.compile();
                for name in compiled.iter().flat_map(|regex| regex.capture_names().flatten()) {
                    self.add(name);
                }
            }
            StageKind::Variable(part) => self.add(&part.name.name),
            StageKind::Context(around) => {
                self.fields(around.same.as_slice());
                self.add("context");
            }
            StageKind::ChangePoint { value, on } => {
                self.field(value);
                self.fields(on.as_slice());
                self.columns = None;
            }
            StageKind::Lookup(join) => {
                join.on.iter().for_each(|one| self.field(&one.from));
                self.columns = None;
            }
            StageKind::Facets { fields, .. } => {
                self.fields(fields);
                self.columns = None;
            }
            StageKind::Patterns { field, .. } => {
                self.fields(field.as_slice());
                self.columns = None;
            }
            StageKind::Transaction { by, .. } => {
                self.fields(by);
                self.columns = None;
            }
            StageKind::Shift { aggregates, by, .. } => {
                self.aggregates(aggregates, by);
                self.columns = None;
            }
            StageKind::Join(_)
            | StageKind::Compare { .. }
            | StageKind::Quantiles { .. }
            | StageKind::Window { .. }
            | StageKind::Pivot { .. }
            | StageKind::Unpivot(_)
            | StageKind::FillNull { .. }
            | StageKind::FillDown(_)
            | StageKind::Bucket { .. } => self.table_stage(stage),
            StageKind::Limit(_) | StageKind::Tail(_) | StageKind::Sample { .. } => {}
        }
        self.of_events &= !stage.makes_a_table();
    }

    /// A stage that works on whole tables.
    fn table_stage(&mut self, stage: &StageKind) {
        match stage {
            StageKind::Join(joined) => self.joined(joined),
            StageKind::Compare { with, .. } => {
                self.filter(with);
                self.columns = None;
            }
            StageKind::Quantiles { value, with } => {
                self.field(value);
                self.filter(with);
                self.columns = None;
            }
            StageKind::Window { columns, by } => {
                self.fields(by);
                for one in columns {
                    one.argument.iter().for_each(|argument| self.expr(argument));
                    self.add(&one.column());
                }
            }
            StageKind::Pivot { aggregate, on, by, .. } => {
                self.aggregates(std::slice::from_ref(aggregate), by);
                self.field(on);
                self.columns = None;
            }
            StageKind::Unpivot(unpivot) => {
                self.patterns(&unpivot.columns);
                self.fields(&unpivot.by);
                self.columns = None;
            }
            StageKind::FillNull { fields, .. } | StageKind::FillDown(fields) => self.patterns(fields),
            StageKind::Bucket { value, name, .. } => {
                self.field(value);
                let bucket = || format!("{}_bucket", value.name);
                self.add(&name.as_ref().map_or_else(bucket, |name| name.name.clone()));
            }
            _ => {}
        }
    }

    fn patterns(&mut self, names: &[NamePattern]) {
        for name in names.iter().filter(|name| !name.pattern.contains('*')) {
            self.name(&name.pattern, name.span);
        }
    }

    /// The joined side is a query of its own, over the same events.
    fn joined(&mut self, joined: &Joined) {
        joined.on.iter().for_each(|one| self.field(&one.from));
        if let JoinedWith::Query(query) = &joined.with {
            self.found.extend(resolve(&query.filter, self.context).diagnostics);
            self.found.extend(unknown_columns(query, self.context));
        }
        if joined.kind.adds_columns() {
            self.columns = None;
        }
    }

    fn becomes(&mut self, columns: Option<Vec<String>>) {
        self.columns = columns;
    }

    fn add(&mut self, name: &str) {
        if let Some(columns) = &mut self.columns {
            columns.push(name.to_owned());
        }
    }

    fn aggregates(&mut self, aggregates: &[Aggregate], by: &[Group]) {
        for one in aggregates {
            one.argument.iter().chain(&one.condition).for_each(|expr| self.expr(expr));
        }
        for group in by {
            self.expr(&group.value);
        }
    }

    fn fields(&mut self, fields: &[FieldRef]) {
        for field in fields {
            self.field(field);
        }
    }

    fn field(&mut self, field: &FieldRef) {
        self.name(&field.name, field.span);
    }

    fn name(&mut self, name: &str, span: Span) {
        let Some(columns) = &self.columns else { return };
        let is_column = |name: &str| columns.iter().any(|column| column == name);
        let has_other_name = self.of_events && self.context.fields_of(name).into_iter().any(is_column);
        if has_other_name || is_column(name) {
            return;
        }
        if self.of_events
            && let Some(note) = self.context.note_field(name)
        {
            self.found.push(note.only_in_the_filter(span));
            return;
        }
        let (what, hint) = if self.of_events {
            ("field", "no event has it; fields are listed at the left, and by completion")
        } else {
            ("column", "the stage before leaves other columns")
        };
        let known = columns.iter().map(String::as_str);
        self.found.push(Diagnostic::unknown(span, what, name, known, hint));
    }

    fn filter(&mut self, filter: &Filter) {
        if self.of_events && self.columns.is_some() {
            let context = self.context_with_columns();
            self.found.extend(resolve(filter, &context).diagnostics);
            if !self.in_filter {
                each_field(filter, &mut |_, name, span| {
                    self.found.extend(context.note_field(name).map(|note| note.only_in_the_filter(span)));
                });
            }
        }
    }

    /// The context with columns that stages have set since.
    fn context_with_columns(&self) -> QueryContext {
        let mut context = self.context.clone();
        for column in self.columns.iter().flatten() {
            if !BUILT_IN.contains(&column.as_str()) && context.field(column).is_none() {
                context.fields.push(super::KnownField { name: column.clone(), kinds: Vec::new() });
            }
        }
        context
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Field(name) => self.name(name, expr.span),
            ExprKind::Negated(inner)
            | ExprKind::Not(inner)
            | ExprKind::IsNull(inner)
            | ExprKind::Regex(inner, _) => {
                self.expr(inner);
            }
            ExprKind::And(parts) | ExprKind::Or(parts) | ExprKind::Call(_, parts) => {
                parts.iter().filter(|part| part.as_field() != Some("auto")).for_each(|part| self.expr(part));
            }
            ExprKind::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::In(value, list) => {
                self.expr(value);
                for value in list {
                    self.expr(value);
                }
            }
            ExprKind::Clause(filter) => self.clause(filter),
            _ => {}
        }
    }

    fn clause(&mut self, filter: &Filter) {
        match filter {
            Filter::Field { field, test, span } => {
                self.name(field, *span);
                if self.of_events && self.found.is_empty() && *test != Test::Exists {
                    self.filter(filter);
                }
            }
            Filter::Not(inner) => self.clause(inner),
            Filter::And(parts) | Filter::Or(parts) => parts.iter().for_each(|part| self.clause(part)),
            _ => {}
        }
    }
}

/// True if a name matches a pattern in which `*` matches any run of characters.
#[must_use]
pub fn like(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    name.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KnownField, parse_query};
    use base::FieldKind;

    fn unknown(query: &str) -> String {
        let field = |name: &str| KnownField { name: name.to_owned(), kinds: vec![FieldKind::Int] };
        let fields = vec![field("status"), field("bytes")];
        let context = QueryContext { fields, now: 0, zone: jiff::tz::TimeZone::UTC };
        let found = unknown_columns(&parse_query(query).expect(query), &context);
        found.into_iter().map(|found| found.message).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn columns_are_tracked_from_stage_to_stage() {
        for (query, expected) in [
            ("* | where staus > 1", "no field `staus`"),
            ("* | where status>1 | keep status, nothing", "no field `nothing`"),
            ("* | eval a = bytes / 2, b = a | where b > c", "no field `c`"),
            (
                "* | stats avg(bytes) as mean, count by status | sort -mean | where bytes > 1",
                "no column `bytes`",
            ),
            ("* | stats avg(bytes) | where avg(bytes) > 5 | sort `avg(bytes)`", ""),
            ("* | stats count by bin(time, auto)", ""),
            ("* | top 5 status | where count > percent and bytes > 1", "no column `bytes`"),
            ("* | rex raw /u=(?<who>x)/ | stats count by who, whom", "no field `whom`"),
            ("* | grok \"%{IP:a}\" | stats count by a", ""),
            ("* | stats count by http.response.status_code", ""),
            ("* | rename status as s | where s > 1 | drop by*", ""),
            ("* | drop by* | where bytes > 1", "no field `bytes`"),
            ("* | join semi on staus (bytes>1) | where bytes > nope", "no field `staus`; no field `nope`"),
            ("* | join on status (nope:1 | stats count by byts)", "no field `nope`; no field `byts`"),
            ("* | window p = lag(bytes), q = rank(zzz) by status | where p > q", "no field `zzz`"),
            ("* | pivot avg(byts) on status by bytes", "no field `byts`"),
            ("* | unpivot bytes, sttus by status", "no field `sttus`"),
            ("* | fillnull bytes, b*, statu", "no field `statu`"),
            ("* | bucket bytes into 4 | where bytes_bucket > bucket", "no field `bucket`"),
            ("* | search nope:1", "no field `nope`"),
            ("* | search is:starred | search tag:a", ""),
            ("* | limit 5 | search tag:a", "notes can only be searched in the filter, not in a stage"),
            ("* | where tag:a", "notes can only be searched in the filter, not in a stage"),
            ("* | stats count by tag", "notes can only be searched in the filter, not in a stage"),
            ("* | eval tag = 1 | where tag > 0 | search tag:1", ""),
        ] {
            assert_eq!(unknown(query), expected, "{query}");
        }
    }

    #[test]
    fn patterns_of_names_take_any_run() {
        for (pattern, name, fits) in [
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*b*c", "axxbyyc", true),
            ("*b*", "abc", true),
            ("abc", "abcd", false),
            ("a*bc", "abcd", false),
            ("aa*a", "aa", false),
            ("http.*", "status", false),
            ("x*a*y", "xay", true),
            ("x*a*y", "xy", false),
        ] {
            assert_eq!(like(pattern, name), fits, "{pattern} {name}");
        }
    }
}
