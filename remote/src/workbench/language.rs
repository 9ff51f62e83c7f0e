//! The language with the fields of a cluster: what is wrong with a query, and what could come next.

use indexer::query::{
    Completion, Diagnostic, KnownField, Lenient, QueryContext, Reading, Severity, Span, complete, habits,
    highlight, outline, parse_leniently, resolve, unknown_columns,
};
use indexer::{Checked, ErrorKind, Result};
use jiff::tz::TimeZone;
use serde_json::json;

use crate::cluster::{Asked, Cluster};
use crate::dsl::{any_case_text, translate};
use crate::json;
use crate::questions::Question;
use crate::schema::MappedKind;

/// Values that are offered.
const OFFERED: usize = 20;

impl Cluster {
    /// The fields as the language knows them, in data that ends at `now`.
    #[must_use]
    pub fn context(&self, now: i64) -> QueryContext {
        QueryContext { fields: self.fields(), now, zone: TimeZone::UTC }
    }

    fn fields(&self) -> Vec<KnownField> {
        self.schema.known_fields()
    }

    /// What can be said of a query before it runs; a clause that the cluster cannot answer is an error of it.
    #[must_use]
    pub fn check(&self, query: &str, reading: Reading, now: i64) -> Checked {
        let Lenient { query: parsed, mut diagnostics } = parse_leniently(query, reading);
        let context = self.context(now);
        let resolved = resolve(&parsed.filter, &context);
        diagnostics.extend(resolved.diagnostics);
        diagnostics.extend(unknown_columns(&parsed, &context));
        diagnostics.extend(habits(query, &parsed, &context, &[]));
        let is_error = |found: &Diagnostic| found.severity == Severity::Error;
        if !diagnostics.iter().any(is_error)
            && let Err(error) = translate(&resolved.filter, &self.schema)
            && error.kind() == ErrorKind::QueryInvalid
        {
            let (start, end) = error.span().unwrap_or((0, query.len()));
            let hint = error.hint_text().unwrap_or_default();
            diagnostics.push(Diagnostic::error(Span { start, end }, error.message(), hint));
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

    /// What could be written at a byte of a query. Values come from the cluster; what it cannot say is not offered.
    #[must_use]
    pub fn complete(&self, query: &str, cursor: usize, now: i64) -> Completion {
        let mut values = |field: &str, typed: &str| self.values(field, typed).unwrap_or_default();
        complete(query, cursor, &self.context(now), &mut values, &mut |_| Vec::new())
    }

    /// The most frequent values of a field that begin so, in any case.
    pub(crate) fn values(&self, field: &str, typed: &str) -> Result<Vec<(String, u64)>> {
        let mut question = Question::new(self, &Asked::everything())?;
        let field = question.field(field)?;
        let Some(field) = self.schema.groupable(&field).cloned() else { return Ok(Vec::new()) };
        let mut terms = json!({"field": field.name, "size": OFFERED});
        if field.kind == MappedKind::Keyword && !typed.is_empty() && field.name != "_index" {
            terms["include"] = format!("{}.*", any_case_text(typed)).into();
        }
        let answer = question.aggregate(&json!({"v": {"terms": terms}}))?;
        let mut found = Vec::new();
        for bucket in json::list(&answer["aggregations"]["v"], &["buckets"])? {
            let key = &bucket["key"];
            let text = match (bucket["key_as_string"].as_str(), key.as_str()) {
                (Some(text), _) | (None, Some(text)) => text.to_owned(),
                (None, None) => key.to_string(),
            };
            if text.to_lowercase().starts_with(&typed.to_lowercase()) {
                found.push((text, json::count(bucket, &["doc_count"])?));
            }
        }
        Ok(found)
    }
}
