//! Searches over a real case, compared with what can be counted by hand.

use serde_json::{Value, json};

use crate::http::HttpOptions;
use crate::http::testing::Server;

/// Ten events a minute for two hours from 2026-03-01T22:00Z, of three hosts; every tenth is an error.
fn web() -> String {
    let line = |n: u32| {
        let (minute, host) = (n / 10, ["web-1", "web-2", "db-1"][n as usize % 3]);
        let status = if n.is_multiple_of(10) { 500 } else { 200 };
        let level = if n.is_multiple_of(10) { "error" } else { "info" };
        let (day, hour, minute) = (1, 22 + minute / 60, minute % 60);
        format!(
            "{{\"@timestamp\":\"2026-03-{day:02}T{hour:02}:{minute:02}:{:02}.250Z\",\"level\":\"{level}\",\"host\":\"{host}\",\
             \"status\":{status},\"duration_ms\":{n},\"user\":{{\"name\":\"User {}\"}},\"message\":\"request {n} of {host} took long\"}}\n",
            n % 10 * 6,
            n % 4,
        )
    };
    (0..1_200).map(line).collect()
}

const SYSLOG: &str = "Mar  1 22:00:01 db-1 sshd[7]: Failed password for root\nMar  1 22:00:02 db-1 sshd[7]: Accepted password for root\n";

fn server() -> Server {
    let metrics = "{\"@timestamp\":\"2026-03-01T22:30:00Z\",\"value\":1.5,\"ok\":true}\n{\"@timestamp\":\"2026-03-02T01:00:00Z\",\"value\":2.5,\"ok\":false}\n";
    Server::with_files(HttpOptions::default(), &[("web", &web()), ("metrics", metrics), ("syslog", SYSLOG)])
}

fn answer(server: &Server, path: &str, body: &Value) -> Value {
    let reply = server.post(path, &body.to_string());
    assert_eq!(reply.status, 200, "{path} {body}: {}", String::from_utf8_lossy(&reply.body));
    reply.json()
}

#[test]
fn clauses_match_what_they_match_in_elasticsearch() {
    let server = server();
    for (query, expected) in [
        (json!({"match_all": {}}), 1_200),
        (json!({"match_none": {}}), 0),
        (json!({"term": {"status": 500}}), 120),
        (json!({"term": {"host": {"value": "web-1"}}}), 400),
        (json!({"term": {"host": "WEB-1"}}), 0),
        (json!({"term": {"host.keyword": "web-1"}}), 400),
        (json!({"term": {"host": {"value": "WEB-1", "case_insensitive": true}}}), 400),
        (json!({"terms": {"host": ["web-1", "db-1", "none"]}}), 800),
        (json!({"terms": {"host": []}}), 0),
        (json!({"term": {"log.level": "error"}}), 120),
        (json!({"term": {"no_such_field": 1}}), 0),
        (json!({"match": {"message": "request 17"}}), 1_200),
        (json!({"match": {"message": {"query": "Request 17", "operator": "and"}}}), 1),
        (json!({"match": {"message": {"query": "requst", "fuzziness": "AUTO"}}}), 1_200),
        (json!({"match_phrase": {"message": "17 of db"}}), 1),
        (json!({"match_phrase": {"message": {"query": "17 took", "slop": 4}}}), 1),
        (json!({"match_phrase_prefix": {"message": "requ"}}), 1_200),
        (json!({"multi_match": {"query": "db", "fields": ["host", "message^2"]}}), 400),
        (json!({"multi_match": {"query": "1007"}}), 1),
        (json!({"range": {"status": {"gte": 500}}}), 120),
        (json!({"range": {"duration_ms": {"gt": 10, "lte": 20}}}), 10),
        (json!({"range": {"@timestamp": {"gte": "2026-03-01T23:00:00Z"}}}), 600),
        (
            json!({"range": {"@timestamp": {"gte": "2026-03-01T22:00:00.250Z", "lt": "2026-03-01T22:00:06.250Z"}}}),
            1,
        ),
        (
            json!({"range": {"@timestamp": {"gt": 1_772_402_400_250_i64, "lte": 1_772_402_406_250_i64, "format": "epoch_millis"}}}),
            1,
        ),
        (json!({"range": {"@timestamp": {"gte": "2026-03-01||/d", "lte": "2026-03-01T22:00"}}}), 10),
        (json!({"range": {"@timestamp": {"gte": "2026-03-02", "time_zone": "+02:00"}}}), 1_200),
        (json!({"range": {"@timestamp": {"gte": "now-1h"}}}), 0),
        (json!({"prefix": {"host": "web-"}}), 800),
        (json!({"wildcard": {"host": {"value": "*b-1"}}}), 800),
        (json!({"wildcard": {"user.name": "User ?"}}), 1_200),
        (json!({"wildcard": {"message": "requ*"}}), 1_200),
        (json!({"regexp": {"host": "web-[0-9]"}}), 800),
        (json!({"exists": {"field": "duration_ms"}}), 1_200),
        (json!({"exists": {"field": "nothing"}}), 0),
        (json!({"constant_score": {"filter": {"term": {"status": 200}}}}), 1_080),
        (json!({"bool": {"must": [{"term": {"status": 500}}], "must_not": {"term": {"host": "db-1"}}}}), 80),
        (json!({"bool": {"should": [{"term": {"host": "web-1"}}, {"term": {"host": "db-1"}}]}}), 800),
        (
            json!({"bool": {"filter": {"term": {"status": 500}}, "should": [{"term": {"host": "web-1"}}]}}),
            120,
        ),
        (
            json!({"bool": {"filter": {"term": {"status": 500}}, "should": [{"term": {"host": "web-1"}}], "minimum_should_match": 1}}),
            40,
        ),
        (json!({"bool": {}}), 1_200),
        (json!({"query_string": {"query": "status:500 AND host:web*"}}), 80),
        (json!({"query_string": {"query": "status:500 host:(web-1 db-1)", "default_operator": "AND"}}), 80),
        (json!({"query_string": {"query": "host:web-1 host:db-1"}}), 800),
        (json!({"query_string": {"query": "*", "analyze_wildcard": true}}), 1_200),
        (
            json!({"query_string": {"query": "duration_ms:[10 TO 20} -status:500", "default_operator": "and"}}),
            9,
        ),
        (json!({"query_string": {"query": "_exists_:status AND nothing:1"}}), 0),
        (json!({"simple_query_string": {"query": "\"17 of\" | \"18 of\"", "fields": ["message"]}}), 2),
        (json!({"ids": {"values": ["junk"]}}), 0),
    ] {
        assert_eq!(answer(&server, "/web/_count", &json!({"query": query}))["count"], expected, "{query}");
    }
    assert_eq!(server.get("/web/_count?q=status:500").json()["count"], 120);
}

#[test]
fn indices_are_sources() {
    let server = server();
    let total = |index: &str| {
        answer(&server, &format!("/{index}/_search"), &json!({}))["hits"]["total"]["value"].clone()
    };
    assert_eq!(total("_all"), 1_204);
    assert_eq!(total("*,-web"), 4);
    assert_eq!(total("metr*,syslog"), 4);
    assert_eq!(total("none*"), 0);
    let of_index = json!({"query": {"term": {"_index": "metrics"}}});
    assert_eq!(answer(&server, "/_search", &of_index)["hits"]["total"]["value"], 2);
    assert_eq!(server.get("/nothing/_count").status, 404);
    assert_eq!(server.call("HEAD", "/web", &[], b"").status, 200);
    assert_eq!(
        server.get("/web/_mapping").json()["web"]["mappings"]["properties"]["user"]["properties"]["name"]["type"],
        "keyword"
    );
    assert_eq!(server.get("/_field_caps?fields=*").json()["fields"]["status"]["long"]["aggregatable"], true);
    let listed = server.get("/_cat/indices?format=json").json();
    let web = listed
        .as_array()
        .and_then(|list| list.iter().find(|index| index["index"] == "web"))
        .expect("an index");
    assert_eq!(web["docs.count"], "1200");
}

#[test]
fn hits_are_the_documents_in_their_order() {
    let server = server();
    let newest = answer(
        &server,
        "/web/_search",
        &json!({"size": 2, "sort": [{"@timestamp": "desc"}], "query": {"term": {"status": 500}}}),
    );
    let hits = newest["hits"]["hits"].as_array().expect("hits");
    assert_eq!(hits.len(), 2);
    assert_eq!(hits[0]["_source"]["duration_ms"], 1_190);
    assert_eq!(hits[0]["_source"]["user"]["name"], "User 2");
    assert_eq!(hits[0]["sort"], json!([1_772_409_540_250_i64]));
    assert_eq!((&hits[0]["_index"], &hits[0]["_score"]), (&json!("web"), &Value::Null));
    let id = hits[0]["_id"].as_str().expect("an id");
    assert_eq!(server.get(&format!("/web/_doc/{id}")).json()["_source"], hits[0]["_source"]);
    assert_eq!(server.get(&format!("/metrics/_doc/{id}")).status, 404);
    let by_id = answer(&server, "/_search", &json!({"query": {"ids": {"values": [id]}}}));
    assert_eq!((&by_id["hits"]["total"]["value"], &by_id["hits"]["hits"][0]["_id"]), (&json!(1), &json!(id)));
    let by_field = answer(
        &server,
        "/web/_search",
        &json!({"size": 1, "from": 1, "sort": "duration_ms:desc", "_source": ["host", "user.*"]}),
    );
    assert_eq!(by_field["hits"]["hits"].as_array().map(Vec::len), Some(1));
    let by_field = answer(
        &server,
        "/web/_search?sort=duration_ms:desc",
        &json!({"size": 1, "from": 1, "_source": ["host", "user.*"]}),
    );
    let hit = &by_field["hits"]["hits"][0];
    assert_eq!(
        (&hit["sort"], &hit["_source"]),
        (&json!([1_198]), &json!({"host": "web-2", "user": {"name": "User 2"}}))
    );
    let fields = answer(
        &server,
        "/web/_search",
        &json!({"size": 1, "_source": false, "fields": ["user.name", {"field": "@timestamp", "format": "epoch_millis"}]}),
    );
    let hit = &fields["hits"]["hits"][0];
    assert_eq!(
        (&hit["fields"], hit.get("_source")),
        (&json!({"user.name": ["User 0"], "@timestamp": ["1772402400250"]}), None)
    );
    let syslog = answer(&server, "/syslog/_search", &json!({"size": 1}));
    let source = &syslog["hits"]["hits"][0]["_source"];
    assert_eq!((&source["host"], &source["pid"]), (&json!("db-1"), &json!(7)), "{source}");
    assert!(
        source["@timestamp"].is_string()
            && source["event.original"].as_str().is_some_and(|text| text.contains("Failed"))
    );
    assert_eq!(
        server.get("/web/_search?size=0&rest_total_hits_as_int=true").json()["hits"],
        json!({"total": 1200, "max_score": null, "hits": []})
    );
}

#[test]
fn pages_follow_each_other() {
    let server = server();
    for (sort, order) in [("asc", 1), ("desc", -1)] {
        let (mut seen, mut after) = (Vec::new(), Value::Null);
        loop {
            let page = answer(
                &server,
                "/web/_search",
                &json!({
                    "size": 100, "sort": [{"@timestamp": {"order": sort}}, "_doc"], "search_after": after,
                    "query": {"term": {"host": "web-1"}},
                }),
            );
            let hits = page["hits"]["hits"].as_array().expect("hits").clone();
            assert_eq!(page["hits"]["total"]["value"], 400);
            let Some(last) = hits.last() else { break };
            after = last["sort"].clone();
            seen.extend(hits.iter().map(|hit| hit["_source"]["duration_ms"].as_i64().expect("a number")));
        }
        assert_eq!(seen.len(), 400);
        assert!(seen.windows(2).all(|pair| (pair[1] - pair[0]) * order > 0), "{seen:?}");
    }
    let after = answer(
        &server,
        "/web/_search",
        &json!({"size": 1, "sort": [{"@timestamp": "asc"}], "search_after": [1_772_402_400_250_i64]}),
    );
    assert_eq!(after["hits"]["hits"][0]["_source"]["duration_ms"], 1);
    let mut page = answer(&server, "/web/_search?scroll=1m", &json!({"size": 500, "sort": ["_doc"]}));
    let mut seen = 0;
    while let Some(hits) = page["hits"]["hits"].as_array().filter(|hits| !hits.is_empty()) {
        seen += hits.len();
        page = answer(&server, "/_search/scroll", &json!({"scroll": "1m", "scroll_id": page["_scroll_id"]}));
    }
    assert_eq!(seen, 1_200);
    let ended = server.call(
        "DELETE",
        "/_search/scroll",
        &[],
        json!({"scroll_id": [page["_scroll_id"]]}).to_string().as_bytes(),
    );
    assert_eq!(ended.json()["num_freed"], 1);
    let gone =
        server.post("/_search/scroll", &json!({"scroll": "1m", "scroll_id": page["_scroll_id"]}).to_string());
    assert_eq!(gone.status, 404);
}

#[test]
fn histograms_of_time_have_the_buckets_of_elasticsearch() {
    let server = server();
    let buckets = |aggregation: Value, query: Value| {
        let found = answer(
            &server,
            "/web/_search",
            &json!({"size": 0, "query": query, "aggs": {"t": {"date_histogram": aggregation}}}),
        );
        found["aggregations"]["t"]["buckets"].clone()
    };
    let all = json!({"match_all": {}});
    assert_eq!(
        buckets(json!({"field": "@timestamp", "fixed_interval": "1h"}), all.clone()),
        json!([
            {"key_as_string": "2026-03-01T22:00:00.000Z", "key": 1_772_402_400_000_i64, "doc_count": 600},
            {"key_as_string": "2026-03-01T23:00:00.000Z", "key": 1_772_406_000_000_i64, "doc_count": 600},
        ])
    );
    assert_eq!(
        buckets(
            json!({"field": "@timestamp", "calendar_interval": "day", "time_zone": "Europe/Berlin", "format": "yyyy-MM-dd"}),
            all.clone()
        ),
        json!([
            {"key_as_string": "2026-03-01", "key": 1_772_319_600_000_i64, "doc_count": 600},
            {"key_as_string": "2026-03-02", "key": 1_772_406_000_000_i64, "doc_count": 600},
        ])
    );
    let narrow =
        json!({"range": {"@timestamp": {"gte": "2026-03-01T22:10:00Z", "lt": "2026-03-01T22:12:00Z"}}});
    let bounds = json!({"min": 1_772_402_880_000_i64, "max": 1_772_403_179_999_i64});
    let counts = |found: &Value| -> Vec<u64> {
        found
            .as_array()
            .expect("buckets")
            .iter()
            .map(|bucket| bucket["doc_count"].as_u64().expect("a count"))
            .collect()
    };
    let extended = buckets(
        json!({"field": "@timestamp", "fixed_interval": "1m", "extended_bounds": bounds}),
        narrow.clone(),
    );
    assert_eq!(counts(&extended), [0, 0, 10, 10, 0]);
    assert_eq!(extended[0]["key"], 1_772_402_880_000_i64);
    let none = json!({"match_none": {}});
    assert_eq!(
        counts(&buckets(
            json!({"field": "@timestamp", "fixed_interval": "1m", "extended_bounds": bounds}),
            none.clone()
        )),
        [0; 5]
    );
    assert_eq!(buckets(json!({"field": "@timestamp", "fixed_interval": "1m"}), none), json!([]));
    let sparse = json!({"terms": {"duration_ms": [0, 1, 35]}});
    assert_eq!(
        counts(&buckets(json!({"field": "@timestamp", "fixed_interval": "1m"}), sparse.clone())),
        [2, 0, 0, 1]
    );
    assert_eq!(
        counts(&buckets(json!({"field": "@timestamp", "fixed_interval": "1m", "min_doc_count": 1}), sparse)),
        [2, 1]
    );
    let keyed = buckets(json!({"field": "@timestamp", "fixed_interval": "1d", "keyed": true}), all);
    assert_eq!(keyed["2026-03-01T00:00:00.000Z"]["doc_count"], 1_200);
}

#[test]
fn metrics_and_terms_nest() {
    let server = server();
    let found = answer(&server, "/web/_search", &json!({"size": 0, "aggs": {
        "stats": {"stats": {"field": "duration_ms"}},
        "slow": {"percentiles": {"field": "duration_ms", "percents": [50, 95]}},
        "hosts": {"cardinality": {"field": "host"}},
        "there": {"value_count": {"field": "user.name.keyword"}},
        "none": {"avg": {"field": "nothing"}},
        "last": {"max": {"field": "@timestamp"}},
        "first": {"min": {"field": "@timestamp"}},
        "errors": {"filter": {"term": {"status": 500}}, "aggs": {"avg": {"avg": {"field": "duration_ms"}}}},
        "kinds": {"filters": {"filters": {"bad": {"term": {"status": 500}}, "good": {"term": {"status": 200}}}}},
        "sizes": {"range": {"field": "duration_ms", "ranges": [{"to": 100}, {"from": 100, "to": 200, "key": "mid"}]}},
        "steps": {"histogram": {"field": "duration_ms", "interval": 500}},
        "absent": {"missing": {"field": "nothing"}},
        "by_host": {"terms": {"field": "host", "order": {"worst.95": "desc"}}, "meta": {"a": 1}, "aggs": {
            "worst": {"percentiles": {"field": "duration_ms", "percents": [95]}},
            "over": {"date_histogram": {"field": "@timestamp", "fixed_interval": "1h"}, "aggs": {"max": {"max": {"field": "duration_ms"}}}},
            "status": {"terms": {"field": "status", "size": 1}},
        }},
    }}))["aggregations"].clone();
    assert_eq!(
        found["stats"],
        json!({"count": 1200, "min": 0.0, "max": 1199.0, "avg": 599.5, "sum": 719_400.0})
    );
    assert_eq!(found["slow"]["values"]["50.0"], 599.5);
    assert_eq!((&found["hosts"]["value"], &found["there"]["value"]), (&json!(3), &json!(1200)));
    assert_eq!(found["none"], json!({"value": null}));
    assert_eq!(
        found["last"],
        json!({"value": 1_772_409_594_250.0, "value_as_string": "2026-03-01T23:59:54.250Z"})
    );
    assert_eq!(found["first"]["value"], 1_772_402_400_250.0);
    assert_eq!(found["errors"], json!({"doc_count": 120, "avg": {"value": 595.0}}));
    assert_eq!(found["kinds"]["buckets"], json!({"bad": {"doc_count": 120}, "good": {"doc_count": 1080}}));
    assert_eq!(
        found["sizes"]["buckets"],
        json!([
            {"key": "*-100.0", "to": 100.0, "doc_count": 100},
            {"key": "mid", "from": 100.0, "to": 200.0, "doc_count": 100},
        ])
    );
    assert_eq!(
        found["steps"]["buckets"],
        json!([
            {"key": 0.0, "doc_count": 500}, {"key": 500.0, "doc_count": 500}, {"key": 1000.0, "doc_count": 200},
        ])
    );
    assert_eq!(found["absent"]["doc_count"], 1200);
    let hosts = &found["by_host"];
    assert_eq!((&hosts["meta"], &hosts["sum_other_doc_count"]), (&json!({"a": 1}), &json!(0)));
    let names: Vec<&str> = hosts["buckets"]
        .as_array()
        .expect("buckets")
        .iter()
        .filter_map(|bucket| bucket["key"].as_str())
        .collect();
    assert_eq!(names, ["db-1", "web-2", "web-1"]);
    let first = &hosts["buckets"][0];
    assert_eq!((&first["doc_count"], &first["worst"]["values"]["95.0"]), (&json!(400), &json!(1139.15)));
    let over = &first["over"]["buckets"];
    assert_eq!(
        (&over[0]["doc_count"], &over[0]["max"]["value"], &over[1]["max"]["value"]),
        (&json!(200), &json!(599.0), &json!(1199.0))
    );
    assert_eq!(first["status"]["buckets"], json!([{"key": 200, "doc_count": 360}]));
    assert_eq!(first["status"]["sum_other_doc_count"], 40);
    let filtered = answer(&server, "/web/_search", &json!({"size": 0, "aggs": {"t": {
        "date_histogram": {"field": "@timestamp", "fixed_interval": "1h"},
        "aggs": {"errors": {"filter": {"term": {"status": 500}}, "aggs": {"h": {"terms": {"field": "host"}}}}},
    }}}))["aggregations"]["t"]["buckets"].clone();
    assert_eq!(
        (&filtered[0]["errors"]["doc_count"], &filtered[1]["errors"]["doc_count"]),
        (&json!(60), &json!(60))
    );
    assert_eq!(filtered[1]["errors"]["h"]["buckets"][0]["doc_count"], 20);
    let truths = answer(
        &server,
        "/metrics/_search",
        &json!({"size": 0, "aggs": {"ok": {"terms": {"field": "ok", "order": {"_key": "desc"}}}}}),
    );
    assert_eq!(
        truths["aggregations"]["ok"]["buckets"][0],
        json!({"key": 1, "key_as_string": "true", "doc_count": 1})
    );
}

#[test]
fn several_searches_are_answered_each_on_its_own() {
    let server = server();
    let body = "{\"index\":\"web\"}\n{\"size\":0}\n{}\n{\"size\":0,\"query\":{\"exists\":{\"field\":\"value\"}}}\n\
                {\"index\":[\"web\"]}\n{\"query\":{\"nested\":{}}}\n{\"index\":\"none\",\"ignore_unavailable\":true}\n{}\n";
    let reply = server.call(
        "POST",
        "/metrics/_msearch",
        &[("content-type", "application/x-ndjson")],
        body.as_bytes(),
    );
    let answers = reply.json();
    let totals: Vec<&Value> = answers["responses"]
        .as_array()
        .expect("responses")
        .iter()
        .map(|one| &one["hits"]["total"]["value"])
        .collect();
    assert_eq!(totals, [&json!(1200), &json!(2), &Value::Null, &json!(0)]);
    assert_eq!(
        (&answers["responses"][2]["status"], &answers["responses"][0]["status"]),
        (&json!(400), &json!(200))
    );
}

/// All buckets of a composite aggregation, page by page, and how many pages there were.
fn paged(server: &Server, composite: &Value, inner: &Value) -> (Vec<Value>, usize) {
    let (mut buckets, mut pages, mut composite) = (Vec::new(), 0, composite.clone());
    loop {
        let body = json!({"size": 0, "aggs": {"all": {"composite": composite, "aggs": inner}}});
        let mut page = answer(server, "/web/_search", &body)["aggregations"]["all"].clone();
        let found = page["buckets"].as_array().expect("buckets").len();
        if found == 0 {
            assert!(page.get("after_key").is_none());
            return (buckets, pages);
        }
        assert_eq!(page["after_key"], page["buckets"][found - 1]["key"]);
        buckets.extend(page["buckets"].as_array().expect("buckets").iter().cloned());
        composite["after"] = page["after_key"].take();
        pages += 1;
    }
}

#[test]
fn composite_buckets_are_all_combinations_page_by_page() {
    let server = server();
    // Each of 1,200 durations is there once; more values than one answer of [terms] has.
    let each = json!({"size": 500, "sources": [{"n": {"terms": {"field": "duration_ms"}}}]});
    let (buckets, pages) = paged(&server, &each, &json!({}));
    assert_eq!((buckets.len(), pages), (1_200, 3));
    assert!(
        buckets.iter().enumerate().all(|(n, bucket)| bucket["key"]["n"] == n && bucket["doc_count"] == 1)
    );

    // Two hours, three hosts and two statuses, with metrics; hosts in descending order.
    let sources = json!([
        {"hour": {"date_histogram": {"field": "@timestamp", "calendar_interval": "hour"}}},
        {"host": {"terms": {"field": "host.keyword", "order": "desc"}}},
        {"status": {"terms": {"field": "status"}}},
    ]);
    let inner = json!({
        "slow": {"max": {"field": "duration_ms"}}, "mean": {"avg": {"field": "duration_ms"}},
        "users": {"cardinality": {"field": "user.name"}}, "stats": {"stats": {"field": "duration_ms"}},
        "p": {"percentiles": {"field": "duration_ms", "percents": [50]}}, "none": {"sum": {"field": "nothing"}},
    });
    let (buckets, pages) = paged(&server, &json!({"size": 5, "sources": sources}), &inner);
    assert_eq!((buckets.len(), pages), (12, 3));
    let hour = 1_772_402_400_000_i64;
    assert_eq!(buckets[0]["key"], json!({"hour": hour, "host": "web-2", "status": 200}));
    assert_eq!(buckets[1]["key"], json!({"hour": hour, "host": "web-2", "status": 500}));
    assert_eq!(buckets[11]["key"], json!({"hour": hour + 3_600_000, "host": "db-1", "status": 500}));
    for (place, bucket) in buckets.iter().enumerate() {
        let (from, host) = ((place / 6 * 600) as u32, [1, 0, 2][place / 2 % 3]);
        let of = (from..from + 600).filter(|n| n % 3 == host && (n % 10 == 0) == (place % 2 == 1));
        let of: Vec<u32> = of.collect();
        let (count, sum) = (of.len(), of.iter().sum::<u32>());
        assert_eq!(bucket["doc_count"], count, "{bucket}");
        assert_eq!(bucket["slow"]["value"], f64::from(*of.last().expect("events")), "{bucket}");
        assert_eq!(bucket["stats"]["sum"], f64::from(sum), "{bucket}");
        assert!(
            (bucket["mean"]["value"].as_f64().expect("a number") - f64::from(sum) / count as f64).abs()
                < 1e-9
        );
        let users: std::collections::BTreeSet<u32> = of.iter().map(|n| n % 4).collect();
        assert_eq!(bucket["users"]["value"], users.len(), "{bucket}");
        let middle = f64::midpoint(f64::from(of[(count - 1) / 2]), f64::from(of[count / 2]));
        assert_eq!(bucket["p"]["values"]["50.0"], middle, "{bucket}");
        assert_eq!(bucket["none"]["value"], 0.0);
    }

    // Numbers in bins; days as text; a page after a key that no bucket has.
    let days = json!({"size": 100, "sources": [
        {"day": {"date_histogram": {"field": "@timestamp", "calendar_interval": "1d", "time_zone": "+02:00", "format": "yyyy-MM-dd"}}},
        {"slow": {"histogram": {"field": "duration_ms", "interval": 500}}},
    ]});
    let (buckets, _) = paged(&server, &days, &json!({}));
    let keys: Vec<&Value> = buckets.iter().map(|bucket| &bucket["key"]).collect();
    assert_eq!(
        keys,
        [
            &json!({"day": "2026-03-02", "slow": 0.0}),
            &json!({"day": "2026-03-02", "slow": 500.0}),
            &json!({"day": "2026-03-02", "slow": 1000.0}),
        ]
    );
    let between = json!({"sources": [{"host": {"terms": {"field": "host"}}}], "after": {"host": "m"}});
    let (buckets, _) = paged(&server, &between, &json!({}));
    assert_eq!(buckets[0]["key"]["host"], "web-1");
    // Events without a value have a bucket where that is asked for.
    let missing = json!({"sources": [{"ok": {"terms": {"field": "ok", "missing_bucket": true}}}]});
    let body = json!({"size": 0, "aggs": {"all": {"composite": missing}}});
    let found = answer(&server, "/web,metrics/_search", &body)["aggregations"]["all"]["buckets"].clone();
    assert_eq!(
        found,
        json!([
            {"key": {"ok": null}, "doc_count": 1_200}, {"key": {"ok": false}, "doc_count": 1},
            {"key": {"ok": true}, "doc_count": 1},
        ])
    );
}

#[test]
fn what_composites_cannot_do_is_named() {
    let server = server();
    let host = json!([{"host": {"terms": {"field": "host"}}}]);
    for (composite, inner, said) in [
        (json!({"sources": []}), json!({}), "[sources]"),
        (json!({"sources": host, "size": 0}), json!({}), "[size]"),
        (json!({"sources": host, "size": 20_000}), json!({}), "[size]"),
        (json!({"sources": [{"geo": {"geotile_grid": {"field": "host"}}}]}), json!({}), "[geotile_grid]"),
        (json!({"sources": [{"host": {"terms": {"script": "1"}}}]}), json!({}), "[field]"),
        (json!({"sources": host, "after": {"other": 1}}), json!({}), "[host]"),
        (json!({"sources": host}), json!({"top": {"terms": {"field": "status"}}}), "[top]"),
    ] {
        let body = json!({"size": 0, "aggs": {"all": {"composite": composite, "aggs": inner}}});
        let reply = server.post("/web/_search", &body.to_string());
        assert_eq!(reply.status, 400, "{body}");
        assert!(
            reply.json()["error"]["reason"].as_str().is_some_and(|reason| reason.contains(said)),
            "{body}"
        );
    }
    let nested = json!({"aggs": {"by": {"terms": {"field": "host"}, "aggs": {"all": {"composite": {"sources": host}}}}}});
    assert_eq!(server.post("/web/_search", &nested.to_string()).status, 400);
}
