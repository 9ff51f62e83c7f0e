//! Stages as text.

use std::fmt::{self, Display, Formatter, Write};

use super::tables::table_stage;
use super::{list, name, quoted};
use crate::ast::{
    Aggregate, Baseline, BinaryOp, Expr, ExprKind, Extraction, FieldRef, Filter, Frequent, Group, Join,
    NamePattern, Op, Renaming, SortKey, Stage, StageKind, Surroundings, TimeSpan, TransactionLimits,
};

impl Display for Stage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            StageKind::Where(condition) => write!(f, "where {condition}"),
            StageKind::Search(filter) => write!(f, "search {}", StageContext(filter)),
            StageKind::Eval(assignments) => {
                f.write_str("eval ")?;
                list(assignments, ", ", f, |one, f| write!(f, "{} = {}", one.name, one.value))
            }
            StageKind::Stats { aggregates, by } => {
                f.write_str("stats ")?;
                list(aggregates, ", ", f, |one, f| write!(f, "{one}"))?;
                groups(by, f)
            }
            StageKind::Timechart { span, aggregates, by, limit } => {
                f.write_str("timechart ")?;
                if let TimeSpan::Every(width) = span {
                    write!(f, "span={width} ")?;
                }
                list(aggregates, ", ", f, |one, f| write!(f, "{one}"))?;
                groups(by.as_slice(), f)?;
                limit.map_or(Ok(()), |limit| write!(f, " limit={limit}"))
            }
            StageKind::Sort(keys) => {
                f.write_str("sort ")?;
                list(keys, ", ", f, sort_key)
            }
            StageKind::Keep(names) => patterns("keep", names, f),
            StageKind::Drop(names) => patterns("drop", names, f),
            StageKind::Rename(renamings) => {
                f.write_str("rename ")?;
                list(renamings, ", ", f, |one, f| write!(f, "{} as {}", one.from, one.to))
            }
            StageKind::Limit(count) => write!(f, "limit {count}"),
            StageKind::Tail(count) => write!(f, "tail {count}"),
            StageKind::Dedup { fields, keep } => {
                f.write_str("dedup ")?;
                if *keep != 1 {
                    write!(f, "{keep} ")?;
                }
                list(fields, ", ", f, |one, f| write!(f, "{one}"))
            }
            StageKind::Top(frequent) => print_frequent("top", frequent, f),
            StageKind::Rare(frequent) => print_frequent("rare", frequent, f),
            StageKind::Facets { fields, values } => {
                f.write_str("facets")?;
                spaced(fields, f)?;
                values.map_or(Ok(()), |values| write!(f, " values={values}"))
            }
            StageKind::Patterns { field, limit } => {
                f.write_str("patterns")?;
                spaced(field.as_slice(), f)?;
                limit.map_or(Ok(()), |limit| write!(f, " limit={limit}"))
            }
            StageKind::Grok(extraction) => print_extraction("grok", extraction, f),
            StageKind::Dissect(extraction) => print_extraction("dissect", extraction, f),
            StageKind::Rex { field, regex } => {
                f.write_str("rex")?;
                spaced(field.as_slice(), f)?;
                write!(f, " {regex}")
            }
            StageKind::Context(around) => context(around, f),
            StageKind::Transaction { by, limits } => transaction(by, limits, f),
            StageKind::Compare { with, limit } => {
                write!(f, "compare with ({})", StageContext(with))?;
                limit.map_or(Ok(()), |limit| write!(f, " limit={limit}"))
            }
            StageKind::Shift { baseline, aggregates, by } => {
                f.write_str("shift with ")?;
                match baseline {
                    Baseline::Previous => f.write_str("previous")?,
                    Baseline::Earlier(length) => write!(f, "{length}")?,
                    Baseline::Events(filter) => write!(f, "({})", StageContext(filter))?,
                }
                f.write_char(' ')?;
                list(aggregates, ", ", f, |one, f| write!(f, "{one}"))?;
                groups(by, f)
            }
            StageKind::Quantiles { value, with } => {
                write!(f, "quantiles {value} with ({})", StageContext(with))
            }
            StageKind::ChangePoint { value, on } => {
                write!(f, "change_point {value}")?;
                on.as_ref().map_or(Ok(()), |on| write!(f, " on {on}"))
            }
            StageKind::Lookup(lookup) => join(lookup, f),
            StageKind::Variable(_)
            | StageKind::Join(_)
            | StageKind::Window { .. }
            | StageKind::Pivot { .. }
            | StageKind::Unpivot(_)
            | StageKind::FillNull { .. }
            | StageKind::FillDown(_)
            | StageKind::Bucket { .. } => table_stage(&self.kind, f),
            StageKind::Sample { size, is_share, seed } => {
                // A share is read back as it is; a percent sign could round it.
                write!(f, "sample {size}")?;
                if *is_share && *size >= 1.0 {
                    f.write_str("00%")?;
                }
                seed.map_or(Ok(()), |seed| write!(f, " seed={seed}"))
            }
        }
    }
}

impl Display for FieldRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        name(&self.name, f)
    }
}

impl Display for NamePattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '@' | '*');
        let is_plain = self.pattern.starts_with(|c: char| plain(c)) && self.pattern.chars().all(plain);
        let reserved = !super::super::lexer::is_plain_name(&self.pattern) && !self.pattern.contains('*');
        if is_plain && !reserved { f.write_str(&self.pattern) } else { quoted(&self.pattern, '`', f) }
    }
}

impl Display for Aggregate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.calculation())?;
        if let Some(condition) = &self.condition {
            write!(f, " where {condition}")?;
        }
        if let Some(given) = &self.name {
            f.write_str(" as ")?;
            name(given, f)?;
        }
        Ok(())
    }
}

impl Aggregate {
    /// The aggregate, without condition and name: `count`, `p95(duration_ms)`, `percentile(x, 99.5)`.
    #[must_use]
    pub fn calculation(&self) -> String {
        let mut text = String::from(self.function.name());
        if let Some(argument) = &self.argument {
            let _ = write!(text, "({argument}");
            if let Some(parameter) = self.parameter
                && self.function.described().most == 2
            {
                let _ = write!(text, ", {parameter}");
            }
            text.push(')');
        }
        text
    }
}

impl Display for Group {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if begins_with_equality(&self.value) {
            write!(f, "({})", self.value)?;
        } else {
            write!(f, "{}", self.value)?;
        }
        if let Some(given) = &self.name {
            f.write_str(" as ")?;
            name(given, f)?;
        }
        Ok(())
    }
}

/// `a = b …` without parentheses would be read as a group key `b` named `a`.
fn begins_with_equality(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::And(parts) | ExprKind::Or(parts) => begins_with_equality(&parts[0]),
        ExprKind::Binary(BinaryOp::Compare(Op::Equal), left, _) => left.as_field().is_some(),
        _ => false,
    }
}

/// A filter that must print something even if it matches everything.
struct StageContext<'a>(&'a Filter);

impl Display for StageContext<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Filter::Everything => f.write_char('*'),
            filter => write!(f, "{filter}"),
        }
    }
}

pub(super) fn groups(by: &[Group], f: &mut Formatter<'_>) -> fmt::Result {
    if by.is_empty() {
        return Ok(());
    }
    f.write_str(" by ")?;
    list(by, ", ", f, |group, f| write!(f, "{group}"))
}

fn sort_key(key: &SortKey, f: &mut Formatter<'_>) -> fmt::Result {
    let value = key.value.to_string();
    match (key.value.as_field(), key.descending) {
        (Some(_), true) => write!(f, "-{value}"),
        // A dash or plus in front would be read as the direction.
        (None, descending) if value.starts_with(['-', '+']) => {
            write!(f, "({value}){}", if descending { " desc" } else { "" })
        }
        (None, true) => write!(f, "{value} desc"),
        (_, false) => f.write_str(&value),
    }
}

fn patterns(stage: &str, names: &[NamePattern], f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "{stage} ")?;
    list(names, ", ", f, |one, f| write!(f, "{one}"))
}

pub(super) fn spaced(fields: &[impl Display], f: &mut Formatter<'_>) -> fmt::Result {
    if fields.is_empty() {
        return Ok(());
    }
    f.write_char(' ')?;
    list(fields, ", ", f, |one, f| write!(f, "{one}"))
}

fn print_frequent(stage: &str, frequent: &Frequent, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "{stage} {} ", frequent.count)?;
    list(&frequent.fields, ", ", f, |one, f| write!(f, "{one}"))?;
    if frequent.by.is_empty() {
        return Ok(());
    }
    f.write_str(" by ")?;
    list(&frequent.by, ", ", f, |one, f| write!(f, "{one}"))
}

fn print_extraction(stage: &str, extraction: &Extraction, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str(stage)?;
    spaced(extraction.field.as_slice(), f)?;
    f.write_char(' ')?;
    quoted(&extraction.pattern, '"', f)
}

fn context(around: &Surroundings, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "context before={} after={}", around.before, around.after)?;
    if around.everywhere {
        f.write_str(" everywhere")?;
    }
    around.same.as_ref().map_or(Ok(()), |same| write!(f, " same={same}"))
}

fn transaction(by: &[FieldRef], limits: &TransactionLimits, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str("transaction ")?;
    list(by, ", ", f, |one, f| write!(f, "{one}"))?;
    if let Some(pause) = limits.max_pause {
        write!(f, " max_pause={pause}")?;
    }
    if let Some(span) = limits.max_span {
        write!(f, " max_span={span}")?;
    }
    if let Some(filter) = &limits.starts_with {
        write!(f, " starts_with=({})", StageContext(filter))?;
    }
    if let Some(filter) = &limits.ends_with {
        write!(f, " ends_with=({})", StageContext(filter))?;
    }
    Ok(())
}

fn join(join: &Join, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str("lookup ")?;
    quoted(&join.file, '"', f)?;
    f.write_str(" on ")?;
    let pair = |between: &'static str| {
        move |one: &Renaming, f: &mut Formatter<'_>| {
            write!(f, "{}", one.from)?;
            if one.from == one.to { Ok(()) } else { write!(f, "{between}{}", one.to) }
        }
    };
    list(&join.on, ", ", f, pair(" = "))?;
    if join.output.is_empty() {
        return Ok(());
    }
    f.write_str(" output ")?;
    list(&join.output, ", ", f, pair(" as "))
}
