//! The language with the fields of all: what is wrong with a query, and what could come next.

use indexer::query::{
    Completion, Diagnostic, Lenient, QueryContext, Reading, Severity, Span, complete, habits, highlight,
    outline, parse_leniently, resolve, unknown_columns,
};
use indexer::{Checked, ErrorKind};

use super::Both;
use crate::dsl::translate;

impl Both<'_> {
    /// All fields, whoever has them.
    #[must_use]
    pub fn context(&self) -> QueryContext {
        let mut contexts = self.contexts().into_iter();
        let mut all = contexts.next().unwrap_or_else(|| QueryContext {
            fields: Vec::new(),
            now: 0,
            zone: QueryContext::utc(),
        });
        for field in contexts.flat_map(|context| context.fields) {
            match all.fields.iter_mut().find(|known| known.name == field.name) {
                Some(known) => {
                    let new: Vec<_> =
                        field.kinds.into_iter().filter(|kind| !known.kinds.contains(kind)).collect();
                    known.kinds.extend(new);
                }
                None => all.fields.push(field),
            }
        }
        all
    }

    /// What can be said of a query before it runs; a clause that a cluster cannot answer is an error of it.
    #[must_use]
    pub fn check(&self, query: &str, reading: Reading) -> Checked {
        let Lenient { query: parsed, mut diagnostics } = parse_leniently(query, reading);
        let context = self.context();
        diagnostics.extend(resolve(&parsed.filter, &context).diagnostics);
        diagnostics.extend(unknown_columns(&parsed, &context));
        diagnostics.extend(habits(query, &parsed, &context, &[]));
        let is_error = |found: &Diagnostic| found.severity == Severity::Error;
        if !diagnostics.iter().any(is_error)
            && let Ok(asked) = self.asked(&parsed.filter, (None, None))
        {
            for (lane, asked) in self.lanes.iter().zip(&asked.lanes) {
                let resolved = resolve(&asked.filter, &lane.cluster.context(context.now));
                if let Err(error) = translate(&resolved.filter, &lane.cluster.schema)
                    && error.kind() == ErrorKind::QueryInvalid
                {
                    let (start, end) = error.span().unwrap_or((0, query.len()));
                    let message = format!("{} ({})", error.message(), lane.cluster.name);
                    let hint = error.hint_text().unwrap_or_default();
                    diagnostics.push(Diagnostic::error(Span { start, end }, message, hint));
                }
            }
        }
        diagnostics.sort_by_key(|found| (found.start, found.end));
        let is_right = !diagnostics.iter().any(is_error);
        Checked {
            diagnostics,
            highlights: highlight(query),
            printed: is_right.then(|| parsed.to_string()),
            outline: outline(query, reading),
        }
    }

    /// What could be written at a byte of a query. Values come from all.
    #[must_use]
    pub fn complete(&self, query: &str, cursor: usize) -> Completion {
        let mut values = |field: &str, typed: &str| {
            let each: Vec<_> = self.lanes.iter().collect();
            let found = super::at_once(each, |lane| lane.cluster.values(field, typed).unwrap_or_default());
            found.into_iter().flatten().collect()
        };
        let mut all = self.case.complete(self.snapshot, query, cursor, self.cancel);
        let more = complete(query, cursor, &self.context(), &mut values, &mut |_| Vec::new());
        if (all.start, all.end) != (more.start, more.end) {
            return more;
        }
        for suggestion in more.suggestions {
            match all.suggestions.iter_mut().find(|known| known.insert == suggestion.insert) {
                Some(known) => {
                    let counts = known.count.into_iter().chain(suggestion.count);
                    known.count = counts.reduce(|one, other| one + other);
                }
                None => all.suggestions.push(suggestion),
            }
        }
        all
    }
}
