"""DuckDB reads a log of `fixtures/generate` itself and answers what Timberline answers from a case made of it.

Usage: agree.py TIMBERLINE CASE LOG. Timberline answers each question with pipes and in the SQL that DuckDB answers.
Prints a line for each answer that differs, and how many agree.
"""
import json
import math
import re
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
    """The same figures of a number, overall or by something: the queries for DuckDB and for Timberline."""
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


def in_sql(kind):
    """What only SQL is asked: conditions on groups, the first rows, results within a statement, joins, windows."""
    by, number, other = ("status", "bytes", "method") if kind == "access" else ("service", "duration_ms", "level")
    return [
        f"SELECT {by} AS k, count(*) AS n FROM log GROUP BY 1 HAVING count(*) > 100000",
        f"SELECT {by} AS k, 100.0 * sum({number}) / count(*) AS share, max({number}) - min({number}) AS spread FROM log GROUP BY 1",
        f"SELECT {by} AS k, {other} AS g, count(*) AS n, count({number}) AS c, count(DISTINCT {number}) AS d FROM log GROUP BY 1, 2",
        f"SELECT {by} AS k, min(time) AS least, max(time) AS most FROM log WHERE {number} >= 100 GROUP BY 1",
        f"SELECT {by} AS k, median({number}) AS m, variance({number}) AS v FROM log WHERE {number} IS NOT NULL GROUP BY 1",
        f"WITH g AS (SELECT {by} AS k, {other} AS g, count(*) AS n FROM log GROUP BY 1, 2) "
        "SELECT k, sum(n) AS n, max(n) AS most FROM g GROUP BY 1",
        f"SELECT a.k AS k, a.n AS n, b.m AS m FROM (SELECT {by} AS k, count(*) AS n FROM log GROUP BY 1) a "
        f"JOIN (SELECT {by} AS k, sum({number}) AS m FROM log GROUP BY 1) b ON a.k = b.k",
        f"SELECT row_number() OVER (ORDER BY n) AS k, n FROM (SELECT {number} AS n FROM log ORDER BY {number} DESC NULLS LAST LIMIT 50) t",
        f"SELECT CASE WHEN {number} > 200 THEN 'much' ELSE 'little' END AS k, count(*) AS n FROM log GROUP BY 1",
        f"SELECT max({number}) AS most, count(*) AS n FROM log WHERE {by} IN (SELECT {by} FROM log WHERE {number} < 50)",
    ]


def theirs(database, sql):
    answer = database.execute(sql)
    names = [column[0] for column in answer.description]
    return [dict(zip(names, row)) for row in answer.fetchall()]


def ours(timberline, case, query, how="query"):
    run = subprocess.run([timberline, how, case, query, "--format", "ndjson"], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip())
    return [json.loads(line) for line in run.stdout.splitlines()]


def in_our_sql(sql):
    """What DuckDB is asked, as Timberline is: its events are a table of another name, and times are of a case."""
    return re.sub(r"\bregexp_matches\(", "regexp_like(", sql.replace("FROM log", "FROM events"))


def key(row):
    return tuple(text(row.get(name)) for name in ("k", "g"))


def text(value):
    """Times are written alike, and whole numbers whatever their type."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not hasattr(value, "strftime"):
        return str(value)
    fraction = value.strftime(".%f").rstrip("0").rstrip(".")
    return value.strftime("%Y-%m-%dT%H:%M:%S") + fraction + "Z"


def alike(one, other):
    """Sums of floats depend on the order in which they are added."""
    if one is None or other is None or isinstance(other, str):
        return text(one) == text(other)
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
    asked = [way for sql, query in questions(kind) for way in ((sql, query, "query"), (sql, in_our_sql(sql), "sql"))]
    asked += [(sql, in_our_sql(sql), "sql") for sql in in_sql(kind)]
    for sql, query, how in asked:
        try:
            differs = difference(theirs(database, sql), ours(timberline, case, query, how))
        except RuntimeError as error:
            differs = str(error)
        agreed += differs is None
        if differs:
            print(f"{query}: {differs}")
    print(f"{agreed} of {len(asked)} answers agree with DuckDB")
    return 0 if agreed == len(asked) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
