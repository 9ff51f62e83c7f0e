//! `_search`, `_count`, `_msearch` and scrolls: a case, asked as if it were Elasticsearch. Clauses become a filter
//! of our language, aggregations requests to the engine; what neither can say is refused by its name.

mod aggregations;
mod calculate;
mod clauses;
mod composite;
mod dates;
mod hits;
mod lucene;
mod names;
mod options;
mod patterns;
mod scrolls;
mod sorting;
mod time_buckets;

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::{Method, StatusCode};
use indexer::query::{Bound, Filter, Range, Test};
use indexer::{Cancel, Snapshot, View, stamp};
use serde_json::{Map, Value, json};

use super::Host;
use super::answer::{Answer, Answered, Body, Problem};
use super::indices::{indices, no_index};
use super::limits::{ANSWER_BYTES, INDICES_BYTES, MULTI_SEARCHES, RESULT_WINDOW, SCROLL_TIME, SEARCH_BYTES};
use super::request::{Head, Request};
use calculate::Calculation;
use clauses::Translator;
pub use composite::Composites;
use hits::HitParts;
pub use hits::hit_source;
use names::{all, exact_names, of_indices};
pub use names::{index_of, names_index, parse_hit_id};
use scrolls::Scroll;
pub use scrolls::Scrolls;
use sorting::Sorting;

/// What the body of a search may say. The others are refused, unless they say nothing.
const OPTIONS: [&str; 19] = [
    "query",
    "aggs",
    "aggregations",
    "size",
    "from",
    "sort",
    "_source",
    "fields",
    "docvalue_fields",
    "stored_fields",
    "track_total_hits",
    "track_scores",
    "search_after",
    "timeout",
    "version",
    "seq_no_primary_term",
    "profile",
    "stats",
    "ext",
];

/// A search, understood but not run.
struct Search {
    snapshot: Arc<Snapshot>,
    view: View,
    aggregations: Vec<aggregations::Aggregation>,
    sorting: Sorting,
    from: usize,
    size: usize,
    wanted: HitParts,
    counts_total: bool,
}

pub fn search(host: &Host, request: &Request, index: &str) -> Answered {
    let body = body_of(&request.body)?;
    let answered = one(host, &request.head, &request.cancel, index, &body, ANSWER_BYTES)?;
    Ok(Answer::new(StatusCode::OK, Body::Json(answered)))
}

/// One search; the answer is written as text, because documents go into it as they are. Its hits take at most so many bytes.
fn one(
    host: &Host,
    head: &Head,
    cancel: &Cancel,
    index: &str,
    body: &Value,
    most_bytes: usize,
) -> Result<Vec<u8>, Problem> {
    let started = Instant::now();
    let search = understood(host, head, index, body)?;
    let scroll = match head.parameter("scroll") {
        None => None,
        Some(time) => Some(scroll_time(time)?),
    };
    let calculation = Calculation {
        case: &host.case,
        snapshot: &search.snapshot,
        composites: &host.composites,
        buckets: &Cell::default(),
        cancel,
    };
    let aggregated = calculation.all(&search.view, &search.aggregations)?;
    let page = hits::Page {
        case: &host.case,
        snapshot: &search.snapshot,
        view: &search.view,
        sorting: &search.sorting,
        wanted: &search.wanted,
        most_bytes,
        cancel,
    };
    let hits = page.hits(search.from, search.size)?;
    let scroll = scroll.map(|time| {
        let next = search.from + hits.count;
        let Search { snapshot, view, sorting, size, wanted, .. } = search;
        host.scrolls.add(Scroll { snapshot, view, sorting, size, wanted, next, ends: Instant::now() + time })
    });
    let total = TotalForm::new(head);
    let total = if search.counts_total { Some(total) } else { None };
    let aggregated = (!search.aggregations.is_empty()).then_some(aggregated);
    Ok(written(started, hits, total, aggregated, scroll.as_deref()))
}

#[derive(Clone, Copy, PartialEq)]
enum TotalForm {
    Object,
    Number,
}

impl TotalForm {
    fn new(head: &Head) -> TotalForm {
        if head.flag("rest_total_hits_as_int") { TotalForm::Number } else { TotalForm::Object }
    }
}

fn written(
    started: Instant,
    mut hits: hits::Hits,
    total: Option<TotalForm>,
    aggregated: Option<Map<String, Value>>,
    scroll: Option<&str>,
) -> Vec<u8> {
    let mut out = b"{".to_vec();
    if let Some(scroll) = scroll {
        out.extend_from_slice(format!("\"_scroll_id\":\"{scroll}\",").as_bytes());
    }
    let took = started.elapsed().as_millis();
    let shards = "\"timed_out\":false,\"_shards\":{\"total\":1,\"successful\":1,\"skipped\":0,\"failed\":0}";
    out.extend_from_slice(format!("\"took\":{took},{shards},\"hits\":{{").as_bytes());
    match total {
        None => {}
        Some(TotalForm::Number) => out.extend_from_slice(format!("\"total\":{},", hits.total).as_bytes()),
        Some(TotalForm::Object) => {
            out.extend_from_slice(
                format!("\"total\":{{\"value\":{},\"relation\":\"eq\"}},", hits.total).as_bytes(),
            );
        }
    }
    out.extend_from_slice(if hits.scored {
        b"\"max_score\":1.0,\"hits\":["
    } else {
        b"\"max_score\":null,\"hits\":["
    });
    out.append(&mut hits.written);
    out.extend_from_slice(b"]}");
    if let Some(aggregated) = aggregated {
        out.extend_from_slice(b",\"aggregations\":");
        out.extend_from_slice(Value::Object(aggregated).to_string().as_bytes());
    }
    out.push(b'}');
    out
}

fn understood(host: &Host, head: &Head, index: &str, body: &Value) -> Result<Search, Problem> {
    let options = body.as_object().ok_or_else(|| Problem::parsing("the body of a search is an object"))?;
    let says_nothing = |value: &Value| match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    };
    if let Some((name, _)) =
        options.iter().find(|(name, value)| !OPTIONS.contains(&name.as_str()) && !says_nothing(value))
    {
        return Err(Problem::parsing(format!("[{name}] is not supported in a search")));
    }
    let snapshot = host.case.snapshot();
    let translator = Translator::new(&host.case, &snapshot);
    let view = view_of(host, head, &translator, index, options.get("query"))?;
    let aggregations =
        aggregations::parse(&translator, options.get("aggs").or_else(|| options.get("aggregations")), 0)?;
    let number = |name: &str, otherwise: usize| -> Result<usize, Problem> {
        let given = head.parameter(name).map(str::to_owned);
        match given.or_else(|| {
            options.get(name).filter(|value| !value.is_null()).map(|value| options::text_of(Some(value)))
        }) {
            None => Ok(otherwise),
            Some(text) => text.parse().map_err(|_| Problem::argument(format!("[{name}] cannot be [{text}]"))),
        }
    };
    let (from, size) = (number("from", 0)?, number("size", 10)?);
    if from.saturating_add(size) > RESULT_WINDOW {
        return Err(Problem::argument(format!(
            "Result window is too large, from + size must be less than or equal to: [{RESULT_WINDOW}] but was [{}]. \
             Use [search_after] or a scroll",
            from.saturating_add(size)
        )));
    }
    let sorting = Sorting::parse(
        &translator,
        head.parameter("sort"),
        options.get("sort"),
        options.get("search_after"),
    )?;
    let wanted = HitParts::parse(head, options)?;
    let counts_total = options.get("track_total_hits") != Some(&Value::Bool(false))
        && head.parameter("track_total_hits") != Some("false");
    drop(translator);
    Ok(Search { snapshot, view, aggregations, sorting, from, size, wanted, counts_total })
}

/// The events of an index that a query and the parameters of the address ask for.
fn view_of(
    host: &Host,
    head: &Head,
    translator: &Translator<'_>,
    index: &str,
    query: Option<&Value>,
) -> Result<View, Problem> {
    if index.len() > INDICES_BYTES {
        return Err(Problem::argument(format!("the list of indices is longer than {INDICES_BYTES} bytes")));
    }
    if !head.flag("ignore_unavailable") {
        let known = indices(host);
        let missing = exact_names(index).find(|name| !known.iter().any(|index| index.name == *name));
        if let Some(name) = missing {
            return Err(no_index(name));
        }
    }
    let mut filters = vec![of_indices(translator.snapshot, index)];
    if let Some(query) = query.filter(|query| !query.is_null()) {
        filters.push(translator.clause(query, 0)?);
    }
    if let Some(query) = head.parameter("q") {
        let is_and =
            head.parameter("default_operator").is_some_and(|operator| operator.eq_ignore_ascii_case("and"));
        let fields = head.parameter("df").map(Value::from);
        filters.push(translator.text_query(query, is_and, fields.as_ref(), false)?);
    }
    Ok(in_range(all(filters)))
}

/// Takes ranges of time that all events have to be in out of the filter: outside of them no segment is looked at, and
/// histograms begin and end with them.
fn in_range(filter: Filter) -> View {
    let mut rest = Vec::new();
    let (mut from, mut to) = (None::<i64>, None::<i64>);
    let mut open = vec![filter];
    while let Some(filter) = open.pop() {
        match filter {
            Filter::And(parts) => open.extend(parts.into_iter().rev()),
            Filter::Field {
                ref field, test: Test::Range(Range { from: ref begin, to: ref end }), ..
            } if field == "time" => {
                let at = |bound: &Option<Bound>| bound.as_ref().map(|bound| stamp::parse(&bound.value));
                match (at(begin), at(end)) {
                    // All ranges that are made here include their first instant and not their last.
                    (None | Some(Some(_)), None | Some(Some(_)))
                        if is_made_here(begin.as_ref(), end.as_ref()) =>
                    {
                        from = from.max(at(begin).flatten());
                        to = match (to, at(end).flatten()) {
                            (Some(one), Some(other)) => Some(one.min(other)),
                            (one, other) => one.or(other),
                        };
                    }
                    _ => rest.push(filter),
                }
            }
            other => rest.push(other),
        }
    }
    View { filter: all(rest), from, to }
}

fn is_made_here(from: Option<&Bound>, to: Option<&Bound>) -> bool {
    from.is_none_or(|bound| bound.inclusive && bound.value.ends_with('Z'))
        && to.is_none_or(|bound| !bound.inclusive && bound.value.ends_with('Z'))
}

fn body_of(body: &[u8]) -> Result<Value, Problem> {
    if body.trim_ascii().is_empty() {
        return Ok(json!({}));
    }
    if body.len() > SEARCH_BYTES {
        return Err(Problem::too_large(format!("a search is longer than {SEARCH_BYTES} bytes")));
    }
    serde_json::from_slice(body).map_err(|error| Problem::parsing(format!("the body is not JSON: {error}")))
}

pub fn count(host: &Host, request: &Request, index: &str) -> Answered {
    let body = body_of(&request.body)?;
    let options = body.as_object().ok_or_else(|| Problem::parsing("the body of a count is an object"))?;
    if let Some(name) = options.keys().find(|name| *name != "query") {
        return Err(Problem::parsing(format!("request does not support [{name}]")));
    }
    let snapshot = host.case.snapshot();
    let translator = Translator::new(&host.case, &snapshot);
    let view = view_of(host, &request.head, &translator, index, options.get("query"))?;
    let count = host.case.count(&snapshot, &view, &request.cancel)?;
    let shards = json!({"total": 1, "successful": 1, "skipped": 0, "failed": 0});
    Ok(Answer::value(json!({"count": count, "_shards": shards})))
}

/// Several searches: a line that names the index, a line with the search, and so on. Those whose hits are beyond the
/// longest answer fail.
pub fn multi(host: &Host, request: &Request, index: &str) -> Answered {
    let started = Instant::now();
    let mut lines = request.body.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let (mut out, mut searches) = (b"{\"responses\":[".to_vec(), 0);
    while let Some(header) = lines.next() {
        let Some(line) = lines.next() else {
            if header.is_empty() {
                break;
            }
            return Err(Problem::parsing("a search is missing after the last header"));
        };
        if request.cancel.is_set() {
            return Err(Problem::cancelled());
        }
        if searches == MULTI_SEARCHES {
            return Err(Problem::argument(format!(
                "more than {MULTI_SEARCHES} searches are asked for at once"
            )));
        }
        let room = ANSWER_BYTES.saturating_sub(out.len());
        let answered = body_of(header).and_then(|header| {
            let named = match &header["index"] {
                Value::String(name) => name.clone(),
                Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
                _ => index.to_owned(),
            };
            let mut head = request.head.clone();
            if header["ignore_unavailable"] == json!(true) {
                head.parameters.push(("ignore_unavailable".to_owned(), "true".to_owned()));
            }
            one(host, &head, &request.cancel, &named, &body_of(line)?, room)
        });
        if searches > 0 {
            out.push(b',');
        }
        searches += 1;
        match answered {
            Ok(mut response) => {
                response.pop();
                out.append(&mut response);
                out.extend_from_slice(b",\"status\":200}");
            }
            Err(problem) => out.extend_from_slice(problem.value().to_string().as_bytes()),
        }
    }
    out.extend_from_slice(format!("],\"took\":{}}}", started.elapsed().as_millis()).as_bytes());
    Ok(Answer::new(StatusCode::OK, Body::Json(out)))
}

/// The next page of a scroll, or its end.
pub fn scroll(host: &Host, request: &Request) -> Answered {
    let started = Instant::now();
    let head = &request.head;
    let body = body_of(&request.body)?;
    let named = head.parameter("scroll_id").map(str::to_owned);
    let named = named.or_else(|| head.segments.get(2).cloned());
    if head.method == Method::DELETE {
        let ids: Vec<String> = match (&named, &body["scroll_id"]) {
            (Some(id), _) => vec![id.clone()],
            (None, Value::Array(ids)) => ids.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect(),
            (None, id) => vec![options::text_of(Some(id))],
        };
        let freed = ids
            .iter()
            .filter(|id| host.scrolls.remove(id) || id.as_str() == "_all" && host.scrolls.clear())
            .count();
        return Ok(Answer::value(json!({"succeeded": true, "num_freed": freed})));
    }
    let id = named.unwrap_or_else(|| options::text_of(body.get("scroll_id")));
    let time = head.parameter("scroll").map_or_else(|| options::text_of(body.get("scroll")), str::to_owned);
    let time = if time.is_empty() { Duration::from_mins(1) } else { scroll_time(&time)? };
    let mut scroll = host.scrolls.take(&id).ok_or_else(|| {
        Problem::not_found(
            "search_context_missing_exception",
            format!("No search context found for id [{id}]"),
        )
    })?;
    let page = hits::Page {
        case: &host.case,
        snapshot: &scroll.snapshot,
        view: &scroll.view,
        sorting: &scroll.sorting,
        wanted: &scroll.wanted,
        most_bytes: ANSWER_BYTES,
        cancel: &request.cancel,
    };
    let hits = page.hits(scroll.next, scroll.size);
    // A page that failed can be asked for again.
    scroll.next += hits.as_ref().map_or(0, |hits| hits.count);
    scroll.ends = Instant::now() + time;
    host.scrolls.put_back(&id, scroll);
    let form = TotalForm::new(head);
    Ok(Answer::new(StatusCode::OK, Body::Json(written(started, hits?, Some(form), None, Some(&id)))))
}

fn scroll_time(text: &str) -> Result<Duration, Problem> {
    let time =
        dates::fixed_interval(text).and_then(|time| u64::try_from(time).ok()).map(Duration::from_nanos);
    match time {
        Some(time) if time <= SCROLL_TIME => Ok(time),
        _ => {
            Err(Problem::argument(format!("[scroll] is a time of at most an hour such as 5m, not [{text}]")))
        }
    }
}
