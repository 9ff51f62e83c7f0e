//! Stages that work on whole tables, as text.

use std::fmt::{self, Display, Formatter, Write};

use super::stage::{groups, spaced};
use super::{list, name, quoted};
use crate::ast::{Filter, Joined, JoinedWith, StageKind, Unpivot, WindowAggregate, WindowFunction, Windowed};

/// A stage that works on whole tables.
pub(super) fn table_stage(stage: &StageKind, f: &mut Formatter<'_>) -> fmt::Result {
    match stage {
        StageKind::Join(joined) => write!(f, "{joined}"),
        StageKind::Window { columns, by } => {
            f.write_str("window ")?;
            list(columns, ", ", f, |one, f| write!(f, "{one}"))?;
            if by.is_empty() {
                return Ok(());
            }
            f.write_str(" by ")?;
            list(by, ", ", f, |one, f| write!(f, "{one}"))
        }
        StageKind::Pivot { aggregate, on, by, limit } => {
            write!(f, "pivot {aggregate} on {on}")?;
            groups(by, f)?;
            limit.map_or(Ok(()), |limit| write!(f, " limit={limit}"))
        }
        StageKind::Unpivot(unpivot) => write!(f, "{unpivot}"),
        StageKind::FillNull { fields, value } => {
            write!(f, "fillnull value={value}")?;
            spaced(fields, f)
        }
        StageKind::FillDown(fields) => {
            f.write_str("filldown")?;
            spaced(fields, f)
        }
        StageKind::Variable(part) => {
            write!(f, "variable {} of {} as {}", part.number, part.pattern, part.name)
        }
        StageKind::Bucket { value, count, name } => {
            write!(f, "bucket {value} into {count}")?;
            name.as_ref().map_or(Ok(()), |name| write!(f, " as {name}"))
        }
        _ => Ok(()),
    }
}

impl Display for Joined {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "join {} on ", self.kind.name())?;
        list(&self.on, ", ", f, |one, f| {
            write!(f, "{}", one.from)?;
            if one.from == one.to { Ok(()) } else { write!(f, " = {}", one.to) }
        })?;
        f.write_char(' ')?;
        match &self.with {
            JoinedWith::File(file) => quoted(&file.name, '"', f),
            JoinedWith::Query(query) if query.stages.is_empty() && query.filter == Filter::Everything => {
                f.write_str("(*)")
            }
            JoinedWith::Query(query) => write!(f, "({query})"),
        }
    }
}

impl Display for Windowed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(given) = &self.name {
            name(given, f)?;
            f.write_str(" = ")?;
        }
        f.write_str(&self.calculation())
    }
}

impl Windowed {
    /// The name of its column: the one given, else as it is printed.
    #[must_use]
    pub fn column(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.calculation())
    }

    /// The calculation, without a name: `lag(x, 2)`, `rolling_p95(duration_ms, 5m)`.
    fn calculation(&self) -> String {
        let mut text = self.function.to_string();
        let arguments = self.argument.iter().map(ToString::to_string);
        let more = match self.function {
            WindowFunction::Lag(rows) | WindowFunction::Lead(rows) if rows != 1 => Some(rows.to_string()),
            WindowFunction::Rolling(_, length) => Some(length.to_string()),
            _ => None,
        };
        let arguments: Vec<String> = arguments.chain(more).collect();
        let _ = write!(text, "({})", arguments.join(", "));
        text
    }
}

/// Its name.
impl Display for WindowFunction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            WindowFunction::Lag(_) => f.write_str("lag"),
            WindowFunction::Lead(_) => f.write_str("lead"),
            WindowFunction::RowNumber => f.write_str("row_number"),
            WindowFunction::Rank => f.write_str("rank"),
            WindowFunction::DenseRank => f.write_str("dense_rank"),
            WindowFunction::Running(aggregate) => write!(f, "running_{aggregate}"),
            WindowFunction::Rolling(aggregate, _) => write!(f, "rolling_{aggregate}"),
            WindowFunction::Group(aggregate) => write!(f, "group_{aggregate}"),
        }
    }
}

impl Display for WindowAggregate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            WindowAggregate::Count => f.write_str("count"),
            WindowAggregate::Sum => f.write_str("sum"),
            WindowAggregate::Avg => f.write_str("avg"),
            WindowAggregate::Min => f.write_str("min"),
            WindowAggregate::Max => f.write_str("max"),
            WindowAggregate::Percentile(rank) => write!(f, "p{rank}"),
        }
    }
}

impl Display for Unpivot {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("unpivot")?;
        if !self.columns.is_empty() {
            f.write_char(' ')?;
            list(&self.columns, ", ", f, |one, f| write!(f, "{one}"))?;
        }
        if !self.by.is_empty() {
            f.write_str(" by ")?;
            list(&self.by, ", ", f, |one, f| write!(f, "{one}"))?;
        }
        write!(f, " as {}, {}", self.name, self.value)
    }
}
