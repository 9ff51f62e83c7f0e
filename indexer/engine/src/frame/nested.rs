//! Bins of time within parentheses. What polars runs of a statement in parentheses, after `WITH` or next to `UNION`
//! knows no functions but its own, so that a call there is written as something it knows, and becomes the function in
//! the plan that is made of it.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use polars::prelude::{DslPlan, Expr, LazyFrame, SpecialEq, lit};

use super::functions::{FUNCTIONS, no_width, usage, width_of, written};
use super::lower::{exprs, inputs, unwrap};
use super::push::{constant, text as text_of};
use super::words::{Word, WordKind, words};
use base::error::{Error, ErrorKind, Result};

/// What a call is written as: a condition that names the width, and twice the time.
const MARK: &str = "bins of ";

/// The statement as polars can read it.
pub(super) fn spelled(text: &str) -> Result<Cow<'_, str>> {
    let words = words(text);
    if !words.iter().any(|word| FUNCTIONS.iter().any(|name| word.is(name))) {
        return Ok(Cow::Borrowed(text));
    }
    for call in words.windows(4) {
        if let [name, open, width, comma] = call
            && FUNCTIONS.iter().any(|known| name.is(known))
            && (open.text, width.kind, comma.text) == ("(", WordKind::Text(true), ",")
            && width_of(width.text.trim_matches('\'')).is_none()
        {
            return Err(no_width(width.text.trim_matches('\'')).spanning(width.start, width.end()));
        }
    }
    let everywhere = words.iter().any(|word| ["union", "except", "intersect"].iter().any(|set| word.is(set)));
    let mut spelled = String::new();
    let mut at = 0;
    let mut within: Vec<bool> = Vec::new();
    let mut ends: Vec<(usize, String)> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        match word.kind {
            WordKind::Open => {
                let next = words.get(place + 1);
                within.push(next.is_some_and(|next| next.is("select") || next.is("with")));
            }
            WordKind::Close => {
                within.pop();
                if let Some((depth, end)) = ends.last()
                    && *depth == within.len()
                {
                    spelled.push_str(&text[at..word.start]);
                    spelled.push_str(end);
                    at = word.end();
                    ends.pop();
                }
            }
            WordKind::Word if everywhere || within.contains(&true) => {
                let Some(name) = FUNCTIONS.iter().find(|name| word.is(name)) else { continue };
                let call = Call::new(text, &words[place..]).ok_or_else(|| {
                    let error = Error::new(ErrorKind::QueryInvalid, usage(name).to_string());
                    error.spanning(word.start, word.end())
                })?;
                spelled.push_str(&text[at..word.start]);
                let Call { width, time } = call;
                let _ = write!(spelled, "CASE WHEN '{MARK}{width}' = '' THEN ({time}) ELSE (");
                at = word.start + text[word.start..].find(',').map_or(0, |comma| comma + 1);
                ends.push((within.len(), ") END".to_owned()));
            }
            _ => {}
        }
    }
    spelled.push_str(&text[at..]);
    Ok(Cow::Owned(spelled))
}

/// A call with a width and a column, which is all that it may be called with.
struct Call<'t> {
    width: String,
    time: &'t str,
}

impl<'t> Call<'t> {
    fn new(text: &'t str, words: &[Word<'t>]) -> Option<Call<'t>> {
        let [_, open, width, comma, rest @ ..] = words else { return None };
        let is_call = open.text == "(" && width.kind == WordKind::Text(true) && comma.text == ",";
        let width = width_of(width.text.trim_matches('\'')).filter(|_| is_call)?;
        let mut depth = 0;
        let close = rest.iter().find(|word| {
            match word.kind {
                WordKind::Open => depth += 1,
                WordKind::Close => depth -= 1,
                _ => {}
            }
            depth < 0
        })?;
        Some(Call { width: written(width)?, time: text[comma.end()..close.start].trim() })
    }
}

/// The plan of such a statement, with the functions in their places.
pub(super) fn restored(frame: &LazyFrame) -> Result<LazyFrame> {
    let mut plan = frame.logical_plan.clone();
    restore(&mut plan);
    if format!("{plan:?}").contains(MARK) {
        let message = "bins of time are not supported at this position of a statement";
        return Err(Error::new(ErrorKind::QueryInvalid, message).hint("calculate them in a WITH before it"));
    }
    Ok(LazyFrame::from(plan))
}

fn restore(plan: &mut DslPlan) {
    unwrap(plan);
    for expr in exprs(plan) {
        *expr = std::mem::replace(expr, Expr::Len).map_expr(begin);
    }
    inputs(plan).into_iter().for_each(restore);
}

/// The beginning of a bin, in place of what it was written as.
fn begin(expr: Expr) -> Expr {
    if let Expr::SubPlan(plan, names) = &expr {
        let mut plan: DslPlan = (***plan).clone();
        restore(&mut plan);
        return Expr::SubPlan(SpecialEq::new(Arc::new(plan)), names.clone());
    }
    let Expr::Ternary { predicate, truthy, .. } = &expr else { return expr };
    let Expr::BinaryExpr { left, .. } = &**predicate else { return expr };
    let Some(marked) = constant(left).and_then(|marked| text_of(&marked)) else { return expr };
    match marked.strip_prefix(MARK) {
        Some(width) => (**truthy).clone().dt().truncate(lit(width)),
        None => expr,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_in_parentheses_are_written_as_polars_knows_them() {
        let plain = "SELECT date_trunc('hour', time) FROM events";
        assert_eq!(spelled(plain).expect("a statement"), plain);
        assert_eq!(
            spelled("SELECT * FROM (SELECT date_trunc('hour', e.time) AS t, (1) FROM events e) g")
                .expect("a statement"),
            "SELECT * FROM (SELECT CASE WHEN 'bins of 1h' = '' THEN (e.time) ELSE ( e.time) END AS t, \
             (1) FROM events e) g"
        );
        let error = spelled("WITH g AS (SELECT time_bucket(5, time) FROM events) SELECT * FROM g")
            .expect_err("a number");
        assert_eq!(error.span(), Some((18, 29)));
        let wrong = |text| spelled(text).expect_err("no width");
        let error = wrong("SELECT date_trunc('fortnight', time) FROM events");
        assert_eq!(error.span(), Some((18, 29)));
        let error = wrong("SELECT time_bucket('5 minuts', time) FROM events");
        assert_eq!(error.hint_text(), Some("did you mean '5 minutes'?"));
    }
}
