//! Conditions of stages that are filters: a field compared with a value.

use indexer::query::{BinaryOp, Bound, Expr, ExprKind, Filter, Op, Pattern, Range, Span, Test};

/// The filter that holds for the same rows; nothing for what calculates.
pub fn as_filter(condition: &Expr) -> Option<Filter> {
    let parts = |parts: &[Expr]| parts.iter().map(as_filter).collect::<Option<Vec<_>>>();
    let clause =
        |field: &str, test: Test| Filter::Field { field: field.to_owned(), test, span: condition.span };
    Some(match &condition.kind {
        ExprKind::Clause(filter) => (**filter).clone(),
        ExprKind::And(inner) => Filter::And(parts(inner)?),
        ExprKind::Or(inner) => Filter::Or(parts(inner)?),
        // Of a missing value neither a comparison nor its opposite holds.
        ExprKind::Not(inner) => match &inner.kind {
            ExprKind::IsNull(field) => clause(field.as_field()?, Test::Exists),
            ExprKind::Clause(filter) => Filter::Not(Box::new((**filter).clone())),
            _ => return None,
        },
        ExprKind::IsNull(field) => Filter::Not(Box::new(clause(field.as_field()?, Test::Exists))),
        ExprKind::Binary(BinaryOp::Compare(op), left, right) => {
            let (field, op, value) = match (left.as_field(), right.as_field()) {
                (Some(field), None) => (field, *op, literal(right)?),
                (None, Some(field)) => (field, op.mirrored(), literal(left)?),
                _ => return None,
            };
            compared(field, op, value, condition.span)?
        }
        ExprKind::In(value, list) => {
            let field = value.as_field()?;
            let any = list.iter().map(|one| compared(field, Op::Equal, literal(one)?, condition.span));
            Filter::Or(any.collect::<Option<Vec<_>>>()?)
        }
        ExprKind::Regex(value, regex) => {
            clause(value.as_field()?, Test::Matches(vec![Pattern::Regex(regex.clone())]))
        }
        ExprKind::Binary(BinaryOp::Like, left, right) => {
            let ExprKind::Text(glob) = &right.kind else { return None };
            clause(left.as_field()?, Test::Matches(vec![Pattern::Glob(glob.clone())]))
        }
        _ => return None,
    })
}

fn compared(field: &str, op: Op, value: String, span: Span) -> Option<Filter> {
    // The language compares a time with a field by `@`, a filter without.
    let test = match (field, op) {
        ("time", Op::GreaterOrEqual) => {
            Test::Range(Range { from: Some(Bound { value, inclusive: true }), to: None })
        }
        ("time", Op::Less) => Test::Range(Range { from: None, to: Some(Bound { value, inclusive: false }) }),
        ("time", _) => return None,
        _ => Test::Compare(op, value),
    };
    Some(Filter::Field { field: field.to_owned(), test, span })
}

fn literal(value: &Expr) -> Option<String> {
    Some(match &value.kind {
        ExprKind::Int(number) => number.to_string(),
        ExprKind::Float(number) => number.to_string(),
        ExprKind::Text(text) => text.clone(),
        ExprKind::Bool(truth) => truth.to_string(),
        ExprKind::Quantity(quantity) => quantity.to_string(),
        ExprKind::Time(text) => text.trim_start_matches('@').to_owned(),
        ExprKind::Negated(inner) => match inner.kind {
            ExprKind::Int(number) => number.checked_neg()?.to_string(),
            ExprKind::Float(number) => (-number).to_string(),
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use indexer::query::{StageKind, parse_query};

    use super::*;

    #[test]
    fn comparisons_are_filters_and_calculations_are_not() {
        let filter = |condition: &str| {
            let query = parse_query(&format!("* | where {condition}")).expect(condition);
            let StageKind::Where(condition) = &query.stages[0].kind else { panic!("a condition") };
            as_filter(condition).map(|filter| filter.to_string())
        };
        for (condition, expected) in [
            ("status >= 500", Some("status>=500")),
            ("500 < status", Some("status>500")),
            ("method in (\"GET\", \"HEAD\")", Some("method=GET OR method=HEAD")),
            ("user is not null and bytes > 10kb", Some("user:* AND bytes>10kb")),
            ("len(path) > 10", None),
            ("not status > 5", None),
        ] {
            assert_eq!(filter(condition).as_deref(), expected, "{condition}");
        }
    }
}
