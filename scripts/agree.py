"""DuckDB reads a log of `fixtures/generate` itself and answers what Timberline answers from a case made of it.

Usage: agree.py TIMBERLINE CASE LOG. Prints a line for each answer that differs, and how many agree.
"""
import json
import math
import subprocess
import sys

import duckdb

ACCESS = """
    SELECT strptime(t, '[%d/%b/%Y:%H:%M:%S') AS time, ip AS client_ip, split_part(request, ' ', 1) AS method,
           split_part(request, ' ', 2) AS path, status, bytes, referer, agent AS user_agent
    FROM read_csv('{log}', delim=' ', quote='"', header=false, auto_detect=false, columns={{
        'ip': 'VARCHAR', 'i': 'VARCHAR', 'u': 'VARCHAR', 't': 'VARCHAR', 'z': 'VARCHAR', 'request': 'VARCHAR',
        'status': 'INTEGER', 'bytes': 'INTEGER', 'referer': 'VARCHAR', 'agent': 'VARCHAR'}})"""
JSON = """
    SELECT ts AS time, * EXCLUDE ts FROM read_json('{log}', format='newline_delimited', columns={{
        'ts': 'TIMESTAMP', 'level': 'VARCHAR', 'service': 'VARCHAR', 'host': 'VARCHAR', 'trace_id': 'VARCHAR',
        'duration_ms': 'DOUBLE', 'message': 'VARCHAR'}})"""

HOUR = "date_trunc('hour', time)"


def grouped(by, number):
    """The same figures of a number, overall or by something: what is asked of DuckDB, and of Timberline."""
    sql, query = by
    names = ["n", "total", "average", "least", "most", "spread", "p50", "p95", "p99"]
    figures = [
        "count(*)", f"sum({number})", f"avg({number})", f"min({number})", f"max({number})", f"stddev({number})",
        *(f"quantile_cont({number}, {share})" for share in (0.5, 0.95, 0.99)),
    ]
    ours = ["count", *(f"{name}({number})" for name in ("sum", "avg", "min", "max", "stddev", "p50", "p95", "p99"))]
    select = ", ".join(f"{figure} AS {name}" for figure, name in zip(figures, names))
    stats = ", ".join(f"{figure} as {name}" for figure, name in zip(ours, names))
    if not sql:
        return f"SELECT {select} FROM log", f"* | stats {stats}"
    return f"SELECT {sql} AS k, {select} FROM log GROUP BY k", f"* | stats {stats} by {query} | rename {query_name(query)} as k"


def query_name(query):
    return "time" if query.startswith("bin(") else query


def counted(condition, query):
    return f"SELECT count(*) AS n FROM log WHERE {condition}", f"{query} | stats count as n"


def by(sql, query):
    return (f"SELECT {sql} AS k, count(*) AS n FROM log GROUP BY k",
            f"* | stats count as n by {query} | rename {query_name(query)} as k")


def twice(group):
    return (f"SELECT {HOUR} AS k, {group} AS g, count(*) AS n FROM log GROUP BY k, g",
            f"* | stats count as n by bin(time, 1h), {group} | rename time as k, {group} as g")


def questions(kind):
    if kind == "access":
        return [
            *(grouped(group, "bytes") for group in [("", ""), ("status", "status"), ("method", "method"), (HOUR, "bin(time, 1h)")]),
            *(by(field, field) for field in ("status", "path", "referer", "user_agent")),
            twice("status"), twice("method"),
            counted("status = 500", "status:500"),
            counted("status IN (404, 500) AND method <> 'GET'", "status:(404 500) NOT method:GET"),
            counted("bytes BETWEEN 4900 AND 5000", "bytes:[4900 TO 5000]"),
            counted("referer ILIKE '%alker-75%'", "referer:*alker-75*"),
            counted("regexp_matches(user_agent, 'Firefox/1[01][0-9].9')", "user_agent:/Firefox\\/1[01][0-9].9/"),
            counted("client_ip = '104.170.11.4'", "client_ip:104.170.11.4"),
            counted("client_ip LIKE '10.%'", "client_ip:10.0.0.0/8"),
        ]
    return [
        *(grouped(group, "duration_ms") for group in [("", ""), ("service", "service"), ("level", "level"), (HOUR, "bin(time, 1h)")]),
        *(by(field, field) for field in ("level", "service", "host")),
        twice("level"), twice("service"),
        counted("level = 'error' AND service = 'payment'", "level=error service=payment"),
        counted("duration_ms > 250.5", "duration_ms>250.5"),
        counted("message ILIKE '%eer from up%'", r"message:*eer\ from\ up*"),
        counted("regexp_matches(message, 'retry [3-5] of 5')", "message:/retry [3-5] of 5/"),
        counted("regexp_matches(message, '(?i)\\bconnection reset by peer\\b')", 'message:"connection reset by peer"'),
        counted("regexp_matches(message, '(?i)\\bupstream\\b')", "message:upstream"),
        counted("trace_id = 'deadbeefcafef00d0123456789abcdef'", "trace_id:deadbeefcafef00d0123456789abcdef"),
    ]


def theirs(database, sql):
    answer = database.execute(sql)
    names = [column[0] for column in answer.description]
    return [dict(zip(names, row)) for row in answer.fetchall()]


def ours(timberline, case, query):
    run = subprocess.run([timberline, "query", case, query, "--format", "ndjson"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def key(row):
    return tuple(text(row.get(name)) for name in ("k", "g"))


def text(value):
    """Times are written alike."""
    return value.strftime("%Y-%m-%dT%H:%M:%SZ") if hasattr(value, "strftime") else str(value)


def alike(one, other):
    """Sums of floats depend on the order in which they are added."""
    return one == other or math.isclose(float(one), float(other), rel_tol=1e-9)


def difference(wanted, found):
    wanted, found = ({key(row): row for row in rows} for rows in (wanted, found))
    if wanted.keys() != found.keys():
        return f"groups that only one has: {sorted(wanted.keys() ^ found.keys())[:5]}"
    for group, row in wanted.items():
        for name, value in row.items():
            if name not in ("k", "g") and not alike(value, found[group][name]):
                return f"{name} of {group}: {value} there, {found[group][name]} here"
    return None


def main(timberline, case, log):
    kind = "json" if open(log, encoding="utf-8").read(1) == "{" else "access"
    database = duckdb.connect()
    database.execute(f"CREATE TABLE log AS {(JSON if kind == 'json' else ACCESS).format(log=log)}")
    agreed = 0
    asked = questions(kind)
    for sql, query in asked:
        differs = difference(theirs(database, sql), ours(timberline, case, query))
        agreed += differs is None
        if differs:
            print(f"{query}: {differs}")
    print(f"{agreed} of {len(asked)} answers agree with DuckDB")
    return 0 if agreed == len(asked) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
