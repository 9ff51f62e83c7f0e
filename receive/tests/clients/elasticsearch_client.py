"""Elasticsearch's Python client: bulk helpers with retries, searches, a scroll. Prints what it found as JSON."""
import json
import sys
import time

from elasticsearch import Elasticsearch, helpers

EVENTS = 3000
client = Elasticsearch(sys.argv[1], http_compress=True)


def documents():
    for n in range(EVENTS):
        yield {
            "_op_type": "create",
            "_index": "logs",
            "_id": f"id-{n}",
            "@timestamp": f"2026-03-01T14:{n // 60:02}:{n % 60:02}Z",
            "level": "error" if n % 10 == 0 else "info",
            "duration_ms": n,
            "message": f"event {n}",
        }


found = {"version": client.info()["version"]["number"], "alive": client.ping()}
found["stored"] = helpers.bulk(client, documents(), chunk_size=500)[0]
again, errors = helpers.bulk(client, documents(), chunk_size=500, raise_on_error=False)
found["again"] = [again, sorted({error["create"]["status"] for error in errors}), len(errors)]
found["one"] = client.index(index="logs", document={"@timestamp": "2026-03-01T15:00:00Z", "message": "the last"})["result"]
bad = client.bulk(operations=[{"index": {"_index": "BAD"}}, {"a": 1}, {"index": {"_index": "logs"}}, {"message": "no time"}])
found["bad"] = [item["index"]["status"] for item in bad["items"]]
found["known"] = bool(client.indices.exists(index="logs"))
deadline = time.monotonic() + 60
while client.count(index="logs")["count"] < EVENTS + 2 and time.monotonic() < deadline:
    time.sleep(0.02)
found["count"] = client.count(index="logs")["count"]
found["errors"] = client.count(index="logs", query={"term": {"level": "error"}})["count"]
answer = client.search(
    index="logs",
    size=1,
    sort=[{"@timestamp": "desc"}],
    query={"match": {"message": {"query": "event 17", "operator": "and"}}},
    aggs={"p": {"percentiles": {"field": "duration_ms", "percents": [50]}}},
)
found["search"] = [answer["hits"]["total"]["value"], answer["hits"]["hits"][0]["_source"]["duration_ms"]]
found["median"] = answer["aggregations"]["p"]["values"]["50.0"]
found["scanned"] = sum(1 for _ in helpers.scan(client, index="logs", size=700))
found["exists"] = [bool(client.indices.exists(index="logs")), bool(client.indices.exists(index="none"))]
many = ({**document, "_index": "parallel"} for document in documents())
found["parallel"] = sum(stored for stored, _ in helpers.parallel_bulk(client, many, thread_count=4, chunk_size=100))
while client.count(index="parallel")["count"] < EVENTS and time.monotonic() < deadline:
    time.sleep(0.02)
distinct = client.search(index="parallel", size=0, aggs={"n": {"cardinality": {"field": "duration_ms"}}})
found["distinct"] = [distinct["hits"]["total"]["value"], distinct["aggregations"]["n"]["value"]]
found["health"] = client.cluster.health()["status"]
print(json.dumps(found))
