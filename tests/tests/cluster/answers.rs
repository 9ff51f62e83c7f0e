//! What the cluster of tests answers: mappings, searches with pages and aggregations, bulk requests.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::evaluator::Documents;
use super::server::{Asked, State};

/// Types by path, as the evaluator wants them.
fn types(properties: &Value) -> Vec<(&'static str, &'static str)> {
    let known = |kind: &str| -> &'static str {
        match kind {
            "keyword" | "wildcard" => "keyword",
            "text" => "text",
            "long" => "long",
            "double" => "double",
            "ip" => "ip",
            "boolean" => "boolean",
            "date" | "date_nanos" => "date",
            other => panic!("no type [{other}]"),
        }
    };
    let mut types = Vec::new();
    let mut open = vec![(String::new(), properties)];
    while let Some((above, properties)) = open.pop() {
        for (name, described) in properties.as_object().into_iter().flatten() {
            let name = format!("{above}{name}");
            if described["properties"].is_object() {
                open.push((format!("{name}."), &described["properties"]));
                continue;
            }
            for (inner, described) in described["fields"].as_object().into_iter().flatten() {
                types.push((format!("{name}.{inner}"), known(described["type"].as_str().expect("a type"))));
            }
            types.push((name, known(described["type"].as_str().expect("a type"))));
        }
    }
    // Tests end before it matters that these are kept.
    types.into_iter().map(|(name, kind)| (&*Box::leak(name.into_boxed_str()), kind)).collect()
}

pub fn answer(state: &mut State, asked: &Asked) -> (u16, Value) {
    if state.authorization.is_some() && state.authorization != asked.authorization {
        return (
            401,
            json!({"error": {"type": "security_exception", "reason": "missing authentication credentials"}, "status": 401}),
        );
    }
    let path = asked.path.split('?').next().unwrap_or_default().to_owned();
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match (asked.method.as_str(), parts.as_slice()) {
        ("GET", [""]) => (200, state.root.clone()),
        ("GET", ["_cluster", "health"]) => (
            200,
            json!({"status": "green", "cluster_name": "test", "number_of_nodes": 1, "active_shards": 1, "unassigned_shards": 0}),
        ),
        ("GET", ["_cat", "indices"]) => (200, json!([{"index": "logs"}])),
        ("GET", ["_cat", "indices", pattern @ ("logs" | "logs-*")]) => {
            let mut listed = vec![json!({"index": "logs", "status": "open", "docs.count": "1"})];
            if *pattern == "logs-*" {
                listed.extend(state.closed.iter().map(|name| json!({"index": name, "status": "close"})));
            }
            (200, listed.into())
        }
        ("GET", ["_cat", "indices", name]) if is_closed(state, name) => {
            (200, json!([{"index": name, "status": "close"}]))
        }
        ("GET", ["_resolve", "index", pattern]) => {
            let is_listed = |name: &&String| pattern.ends_with('*') || name.as_str() == *pattern;
            let closed = state.closed.iter().filter(is_listed);
            let closed = closed.map(|name| json!({"name": name, "attributes": ["closed"]}));
            let open = json!({"name": "logs", "attributes": ["open"]});
            (200, json!({"indices": std::iter::once(open).chain(closed).collect::<Vec<_>>()}))
        }
        ("POST", [names, "_search" | "_pit"]) if names.split(',').any(|name| is_closed(state, name)) => {
            (400, json!({"error": {"type": "index_closed_exception", "reason": "closed"}, "status": 400}))
        }
        ("GET", ["_cat", "indices", name]) => (404, no_index(name)),
        ("GET", [name, "_field_caps"]) if !name.starts_with("logs") || is_closed(state, name) => {
            (200, json!({"indices": [], "fields": {}}))
        }
        ("GET", [_, "_field_caps"]) => {
            let caps: Map<String, Value> = types(&state.properties)
                .into_iter()
                .map(|(name, kind)| {
                    (
                        name.to_owned(),
                        json!({kind: {"type": kind, "searchable": true, "aggregatable": kind != "text"}}),
                    )
                })
                .collect();
            (200, json!({"indices": ["logs"], "fields": caps}))
        }
        ("GET", [_, "_mapping"]) => (200, json!({"logs": {"mappings": {"properties": state.properties}}})),
        ("POST", ["logs" | "logs-*", "_pit"]) => {
            state.points_made += 1;
            let id = format!("point-{}", state.points_made);
            state.points.insert(id.clone());
            (200, json!({"id": id}))
        }
        ("DELETE", ["_pit"]) => {
            let is_known = asked.json()["id"].as_str().is_some_and(|id| state.points.remove(id));
            (if is_known { 200 } else { 404 }, json!({"succeeded": is_known}))
        }
        ("POST", ["_search"]) => {
            let body = asked.json();
            let id = body["pit"]["id"].as_str().expect("a point in time");
            assert!(state.points.contains(id), "[{id}] is no point in time");
            (200, search(state, &body))
        }
        ("POST", [name, "_search"]) if name.starts_with("logs") => (200, search(state, &asked.json())),
        ("GET", ["_tasks"]) => {
            let tasks: Map<String, Value> = state
                .running
                .iter()
                .map(|(id, name)| {
                    (
                        id.clone(),
                        json!({"action": "indices:data/read/search", "headers": {"X-Opaque-Id": name}}),
                    )
                })
                .collect();
            (200, json!({"nodes": {"node": {"tasks": tasks}}}))
        }
        ("POST", ["_tasks", id, "_cancel"]) => {
            state.running.remove(*id);
            (200, json!({"nodes": {}}))
        }
        ("PUT", ["_index_template", _]) => {
            let template = asked.json();
            state.properties = template["template"]["mappings"]["properties"].clone();
            state.template = Some(template);
            (200, json!({"acknowledged": true}))
        }
        ("POST" | "PUT", [_, "_bulk"]) => (200, bulk(state, &asked.body)),
        ("PUT", [name]) => {
            state.properties = asked.json()["mappings"]["properties"].clone();
            (200, json!({"acknowledged": true, "index": name}))
        }
        ("DELETE", [_]) => {
            assert!(asked.body.is_empty(), "an index is deleted without a body");
            state.documents.clear();
            (200, json!({"acknowledged": true}))
        }
        ("GET", [_, "_stats", "store,merge"]) => {
            let bytes: usize = state.documents.values().map(|document| document.to_string().len()).sum();
            let bytes = if state.is_merged { bytes * 3 / 4 } else { bytes };
            let (merging, bytes) = (state.merging, if state.merging > 0 { bytes * 2 } else { bytes });
            state.merging = merging.saturating_sub(1);
            let primaries = json!({"store": {"size_in_bytes": bytes}, "merges": {"current": merging}});
            (200, json!({"_all": {"primaries": primaries}}))
        }
        ("POST", [_, step @ ("_refresh" | "_forcemerge" | "_flush")]) => {
            state.is_merged |= *step == "_forcemerge";
            (200, json!({"_shards": {"total": 1, "successful": 1, "failed": 0}}))
        }
        ("POST", [name, ..]) => (404, no_index(name)),
        (method, parts) => panic!("{method} {parts:?} is not known"),
    }
}

fn is_closed(state: &State, name: &str) -> bool {
    state.closed.iter().any(|closed| closed == name)
}

fn no_index(name: &str) -> Value {
    json!({"error": {"type": "index_not_found_exception", "reason": format!("no such index [{name}]")}, "status": 404})
}

fn bulk(state: &mut State, body: &[u8]) -> Value {
    let text = std::str::from_utf8(body).expect("text");
    assert!(text.ends_with('\n'), "a bulk request ends with a line end");
    let mut lines = text.lines();
    (state.is_merged, state.merging) = (false, 2);
    let (mut items, mut errors) = (Vec::new(), false);
    while let Some(action) = lines.next() {
        let action: Value = serde_json::from_str(action).expect("an action");
        let id = action["create"]["_id"].as_str().expect("an id").to_owned();
        let document: Value = serde_json::from_str(lines.next().expect("a document")).expect("JSON");
        let text = document["message"].as_str().unwrap_or_default().to_owned();
        let status = match state.documents.entry(id.clone()) {
            _ if text.contains("refuse me") => 400,
            _ if text.contains("not now") && state.busy.insert(id) => 429,
            std::collections::btree_map::Entry::Occupied(_) => 409,
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(document);
                201
            }
        };
        errors |= status != 201;
        let error = match status {
            409 => json!({"type": "version_conflict_engine_exception"}),
            400 => {
                json!({"type": "document_parsing_exception", "reason": format!("refused in document with id '{}'", items.len())})
            }
            429 => json!({"type": "es_rejected_execution_exception"}),
            _ => Value::Null,
        };
        items.push(json!({"create": {"status": status, "error": error}}));
    }
    json!({"took": 1, "errors": errors, "items": items})
}

fn search(state: &mut State, body: &Value) -> Value {
    state.searches += 1;
    // Every document has an index and an id.
    let mut known = types(&state.properties);
    known.extend([("_index", "keyword"), ("_id", "keyword")]);
    let indexed: Vec<(String, Value)> = state
        .documents
        .iter()
        .map(|(id, document)| {
            let mut document = document.clone();
            document["_index"] = "logs".into();
            document["_id"] = id.as_str().into();
            (id.clone(), document)
        })
        .collect();
    let mut documents = Documents::new(&known, Vec::new());
    documents.is_analysed = true;
    let all = json!({"match_all": {}});
    let query = body.get("query").unwrap_or(&all);
    // Scores are random: those of tests are the order of documents.
    let query = query.get("function_score").map_or(query, |scored| &scored["query"]);
    let mut hits: Vec<(String, &Value)> = indexed
        .iter()
        .filter(|(_, document)| documents.passes(document, query))
        .map(|(id, document)| (id.clone(), document))
        .collect();
    let mut answer = json!({
        "took": 1, "timed_out": false, "_shards": {"total": 2, "successful": 2, "skipped": 0, "failed": 0},
        "hits": {"total": {"value": hits.len(), "relation": "eq"}, "hits": []},
    });
    if body["track_total_hits"] == false {
        answer["hits"].as_object_mut().expect("an object").remove("total");
    }
    if let Some(aggs) = body["aggs"].as_object() {
        let matching: Vec<&Value> = hits.iter().map(|(_, document)| *document).collect();
        answer["aggregations"] = aggregate(&documents, &matching, aggs);
    }
    let size = body["size"].as_u64().unwrap_or(10) as usize;
    if size == 0 {
        return answer;
    }
    // Without an order hits come as they are stored.
    let stored = json!({"_id": {"order": "asc"}});
    let sort = if body["sort"].is_null() { &stored } else { &body["sort"][0] };
    let (field, order) = sort.as_object().and_then(|sort| sort.iter().next()).expect("an order");
    // Times are sorted as such: as texts `.9` would follow `.97`.
    let is_time = !field.starts_with('_') && documents.type_of(field) == "date";
    let key = |document: &Value| match documents.value(document, field) {
        Some(Value::String(text)) if is_time => {
            indexer::stamp::parse(text).expect("a time").div_euclid(1_000_000).into()
        }
        found => found.cloned().unwrap_or(Value::Null),
    };
    // What decides between equal values may have a direction of its own.
    let ties = body["sort"][1].as_object().and_then(|sort| sort.values().next());
    let is_reversed = ties.is_some_and(|tie| tie["order"] == "desc");
    let compared = |one: (&Value, &str), other: (&Value, &str)| {
        let (one_key, other_key) = (sortable(one.0), sortable(other.0));
        let by_key = match (one_key.0, other_key.0) {
            (0, 0) if order["order"] == "desc" => other_key.partial_cmp(&one_key).expect("comparable"),
            _ => one_key.partial_cmp(&other_key).expect("comparable"),
        };
        let by_id = one.1.cmp(other.1);
        by_key.then(if is_reversed { by_id.reverse() } else { by_id })
    };
    hits.sort_by(|one, other| compared((&key(one.1), &one.0), (&key(other.1), &other.0)));
    if let Some(after) = body["search_after"].as_array() {
        let last = (&after[0], after[1].as_str().expect("an id"));
        hits.retain(|(id, document)| compared((&key(document), id), last).is_gt());
    }
    let from = body["from"].as_u64().unwrap_or(0) as usize;
    assert!(from == 0 || body["search_after"].is_null(), "`from` must be 0 with search_after");
    assert!(from + size <= 10_000, "the result window is too large");
    let listed: Vec<Value> = hits
        .iter()
        .skip(from)
        .take(size)
        .map(|(id, document)| {
            let mut hit = json!({"_index": "logs", "_id": id, "sort": [key(document), id]});
            if body["_source"] != false {
                hit["_source"] = included(&state.documents[id], &body["_source"]);
            }
            for field in body["fields"].as_array().into_iter().flatten() {
                let name = field["field"].as_str().or_else(|| field.as_str()).expect("a field");
                if let Some(value) = documents.value(document, name) {
                    hit["fields"][name] = json!([value]);
                }
            }
            hit
        })
        .collect();
    answer["hits"]["hits"] = listed.into();
    if let Some(id) = body["pit"]["id"].as_str() {
        answer["pit_id"] = id.into();
    }
    answer
}

/// The parts of a document that a search wants.
fn included(document: &Value, wanted: &Value) -> Value {
    let Some(paths) = wanted["includes"].as_array() else { return document.clone() };
    let is_wanted = |name: &str| {
        paths
            .iter()
            .filter_map(Value::as_str)
            .any(|path| path == name || path.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
    };
    let parts = document.as_object().expect("an object").iter().filter(|(name, _)| is_wanted(name));
    Value::Object(parts.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// Missing values come last.
fn sortable(value: &Value) -> (u8, f64, String) {
    match value {
        Value::Null => (1, 0.0, String::new()),
        Value::Number(number) => (0, number.as_f64().expect("a number"), String::new()),
        other => (0, 0.0, other.as_str().map_or_else(|| other.to_string(), str::to_owned)),
    }
}

fn aggregate(documents: &Documents, matching: &[&Value], aggs: &Map<String, Value>) -> Value {
    let answered = aggs.iter().map(|(name, described)| (name.clone(), one(documents, matching, described)));
    Value::Object(answered.collect())
}

fn one(documents: &Documents, matching: &[&Value], described: &Value) -> Value {
    let described = described.as_object().expect("an aggregation");
    let inner = described.get("aggs").and_then(Value::as_object);
    let kinds: Vec<&String> = described.keys().filter(|key| *key != "aggs").collect();
    assert_eq!(kinds.len(), 1, "{described:?}");
    let (kind, body) = (kinds[0].as_str(), &described[kinds[0]]);
    let field = body["field"].as_str().unwrap_or_default();
    let values = || -> Vec<&Value> {
        matching.iter().filter_map(|document| documents.value(document, field)).collect()
    };
    let bucket = |rows: &[&Value]| {
        let mut bucket = inner.map_or_else(|| json!({}), |inner| aggregate(documents, rows, inner));
        bucket["doc_count"] = rows.len().into();
        bucket
    };
    let number = |value: &Value| match value {
        Value::String(text) => indexer::stamp::parse(text).expect("a time").div_euclid(1_000_000) as f64,
        other => other.as_f64().expect("a number"),
    };
    match kind {
        "filter" => {
            let rows: Vec<&Value> =
                matching.iter().copied().filter(|document| documents.passes(document, body)).collect();
            bucket(&rows)
        }
        "filters" => {
            let named = body["filters"].as_object().expect("filters").iter().map(|(name, filter)| {
                let rows: Vec<&Value> =
                    matching.iter().copied().filter(|document| documents.passes(document, filter)).collect();
                (name.clone(), bucket(&rows))
            });
            json!({"buckets": Value::Object(named.collect())})
        }
        "top_hits" => {
            let (by, order) =
                body["sort"][0].as_object().and_then(|sort| sort.iter().next()).expect("an order");
            let mut rows = matching.to_vec();
            rows.sort_by(|one, other| {
                let key = |document| sortable(documents.value(document, by).unwrap_or(&Value::Null));
                key(one).partial_cmp(&key(other)).expect("comparable")
            });
            let end = if order["order"] == "desc" { rows.last() } else { rows.first() };
            let name = body["docvalue_fields"][0]["field"].as_str().expect("a field");
            let hits: Vec<Value> = end
                .into_iter()
                .map(|document| json!({"fields": {name: [documents.value(document, name)]}}))
                .collect();
            json!({"hits": {"hits": hits}})
        }
        "min" | "max" => {
            let numbers = values().into_iter().map(number);
            let found = if kind == "min" { numbers.reduce(f64::min) } else { numbers.reduce(f64::max) };
            json!({"value": found})
        }
        "stats" | "extended_stats" => {
            let numbers: Vec<f64> = values().into_iter().map(number).collect();
            let (count, sum) = (numbers.len() as f64, numbers.iter().sum::<f64>());
            let mean = sum / count;
            let variance = numbers.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0);
            json!({
                "count": numbers.len(), "sum": sum, "avg": mean, "min": numbers.iter().copied().reduce(f64::min),
                "max": numbers.iter().copied().reduce(f64::max), "variance_sampling": variance, "std_deviation_sampling": variance.sqrt(),
            })
        }
        "cardinality" => {
            let mut texts: Vec<String> = values().into_iter().map(Value::to_string).collect();
            texts.sort();
            texts.dedup();
            json!({"value": texts.len()})
        }
        "percentiles" => {
            let mut numbers: Vec<f64> = values().into_iter().map(number).collect();
            numbers.sort_by(f64::total_cmp);
            let percents = body["percents"].as_array().expect("percents").iter().map(|percent| {
                let percent = percent.as_f64().expect("a percent");
                let at = percent / 100.0 * (numbers.len() as f64 - 1.0);
                let found = numbers.get(at as usize).map(|low| {
                    let high = numbers.get(at as usize + 1).unwrap_or(low);
                    low + (high - low) * at.fract()
                });
                (format!("{percent:.1}"), json!(found))
            });
            json!({"values": Value::Object(percents.collect())})
        }
        "terms" => {
            let mut counts: BTreeMap<String, (Value, Vec<&Value>)> = BTreeMap::new();
            for document in matching {
                if let Some(value) = documents.value(document, field) {
                    counts
                        .entry(format!("{:?}", sortable(value)))
                        .or_insert_with(|| (value.clone(), Vec::new()))
                        .1
                        .push(document);
                }
            }
            let mut found: Vec<(Value, Vec<&Value>)> = counts.into_values().collect();
            if let Some(expression) = body["include"].as_str() {
                let expression = super::evaluator::lucene(expression);
                found.retain(|(key, _)| expression.is_match(key.as_str().expect("text")));
            }
            match body["order"].as_object().and_then(|order| order.iter().next()) {
                Some((by, _)) if by == "_key" => {}
                Some((_, order)) if order == "asc" => found.sort_by_key(|(_, rows)| rows.len()),
                _ => found.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len())),
            }
            let size = body["size"].as_u64().expect("a size") as usize;
            let other: usize = found.iter().skip(size).map(|(_, rows)| rows.len()).sum();
            let buckets: Vec<Value> = found
                .into_iter()
                .take(size)
                .map(|(key, rows)| {
                    let mut bucket = bucket(&rows);
                    bucket["key"] = key;
                    bucket
                })
                .collect();
            json!({"doc_count_error_upper_bound": 0, "sum_other_doc_count": other, "buckets": buckets})
        }
        "date_histogram" => {
            let (width, min) = (width_ms(body), body["min_doc_count"].as_u64().unwrap_or(0));
            assert_eq!(body["time_zone"], "UTC", "{body}");
            let offset = body["offset"].as_str().map_or(0, |text| {
                text.strip_suffix("ms").expect("milliseconds").parse::<i64>().expect("a number")
            });
            let mut rows: BTreeMap<i64, Vec<&Value>> = BTreeMap::new();
            for document in matching {
                if let Some(time) = documents.value(document, field) {
                    let bin = (number(time) as i64 - offset).div_euclid(width) * width + offset;
                    rows.entry(bin).or_default().push(document);
                }
            }
            if let Some(bounds) = body["extended_bounds"].as_object() {
                for end in ["min", "max"] {
                    let ms = bounds[end].as_i64().expect("milliseconds");
                    rows.entry(ms.div_euclid(width) * width).or_default();
                }
            }
            let (first, last) = (rows.keys().next().copied(), rows.keys().next_back().copied());
            let mut buckets = Vec::new();
            let mut at = first.unwrap_or(0);
            while last.is_some_and(|last| at <= last) {
                if min > 0 && !rows.contains_key(&at) {
                    at += width;
                    continue;
                }
                let mut one = bucket(rows.get(&at).map_or(&[][..], Vec::as_slice));
                one["key"] = at.into();
                buckets.push(one);
                at += width;
            }
            json!({"buckets": buckets})
        }
        "range" | "date_range" => {
            assert_eq!(body["keyed"], true, "{body}");
            let named = body["ranges"].as_array().expect("ranges").iter().map(|range| {
                let within = |value: f64| {
                    range["from"].as_f64().is_none_or(|from| value >= from)
                        && range["to"].as_f64().is_none_or(|to| value < to)
                };
                let rows: Vec<&Value> = matching
                    .iter()
                    .copied()
                    .filter(|document| documents.value(document, field).map(number).is_some_and(within))
                    .collect();
                (range["key"].as_str().expect("a key").to_owned(), bucket(&rows))
            });
            json!({"buckets": Value::Object(named.collect())})
        }
        "composite" => composite(documents, matching, body, &bucket),
        other => panic!("no aggregation [{other}]"),
    }
}

fn width_ms(body: &Value) -> i64 {
    match (body["fixed_interval"].as_str(), body["calendar_interval"].as_str()) {
        (Some(fixed), None) => fixed.strip_suffix("ms").expect("milliseconds").parse().expect("a number"),
        (None, Some("day")) => 86_400_000,
        other => panic!("no interval {other:?}"),
    }
}

fn composite(
    documents: &Documents,
    matching: &[&Value],
    body: &Value,
    bucket: &dyn Fn(&[&Value]) -> Value,
) -> Value {
    let sources = body["sources"].as_array().expect("sources");
    let mut groups: BTreeMap<String, (Map<String, Value>, Vec<&Value>)> = BTreeMap::new();
    for document in matching {
        let mut key = Map::new();
        for source in sources {
            let (name, described) = source.as_object().and_then(|one| one.iter().next()).expect("a source");
            let (kind, options) = described.as_object().and_then(|one| one.iter().next()).expect("a kind");
            assert_eq!(options["missing_bucket"], true);
            let value = documents.value(document, options["field"].as_str().expect("a field"));
            let value = value.map_or(Value::Null, |value| match kind.as_str() {
                "terms" => value.clone(),
                "date_histogram" => {
                    let width = width_ms(options);
                    let ms = indexer::stamp::parse(value.as_str().expect("text"))
                        .expect("a time")
                        .div_euclid(1_000_000);
                    (ms.div_euclid(width) * width).into()
                }
                "histogram" => {
                    let width = options["interval"].as_f64().expect("a width");
                    ((value.as_f64().expect("a number") / width).floor() * width).into()
                }
                other => panic!("no source [{other}]"),
            });
            key.insert(name.clone(), value);
        }
        let place: Vec<String> = key.values().map(|value| format!("{:?}", sortable(value))).collect();
        groups.entry(place.join("|")).or_insert_with(|| (key, Vec::new())).1.push(document);
    }
    let all: Vec<(Map<String, Value>, Vec<&Value>)> = groups.into_values().collect();
    let start = match body["after"].as_object() {
        Some(after) => all.iter().position(|(key, _)| key == after).expect("the last group") + 1,
        None => 0,
    };
    let size = body["size"].as_u64().expect("a size") as usize;
    let buckets: Vec<Value> = all
        .iter()
        .skip(start)
        .take(size)
        .map(|(key, rows)| {
            let mut bucket = bucket(rows);
            bucket["key"] = Value::Object(key.clone());
            bucket
        })
        .collect();
    let mut answer = json!({"buckets": buckets});
    if let Some(last) = buckets.last() {
        answer["after_key"] = last["key"].clone();
    }
    answer
}
