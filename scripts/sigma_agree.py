#!/usr/bin/env python3
"""Compares `timberline check` with pySigma's SQLite backend, and with how often rules are expected to fire.

    pip install pysigma pysigma-backend-sqlite
    python3 scripts/sigma_agree.py RULES TIMBERLINE [--jobs N]

RULES is a folder with Sigma rules and, where it has them, `EXPECTED.tsv` (rule id, log, matches) and the logs that it
names. Each log becomes a case; all rules run over it, and over the same events in SQLite. The SQLite backend knows
no log sources, so what it reports and we do not is checked against the log source by Windows event ids, and what we
report and it does not is a false alarm. Ends with 1 when something is unexplained.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

import yaml
from sigma.backends.sqlite import sqliteBackend
from sigma.collection import SigmaCollection

# What is said of rules that were read: the summary, other log sources, and fields that a case has none of.
NO_PROBLEM = re.compile(r"\d+ detectors: |\d+ rules? names? |not applicable: |fields that are nowhere ")
SYSMON = "Microsoft-Windows-Sysmon/Operational"
POWERSHELL = ("Microsoft-Windows-PowerShell/Operational", "PowerShellCore/Operational")

# Sysmon's event ids of a category, as its documentation lists them.
CATEGORIES = {
    "process_creation": [1], "file_change": [2], "network_connection": [3], "sysmon_status": [4, 16],
    "process_termination": [5], "driver_load": [6], "image_load": [7], "create_remote_thread": [8],
    "raw_access_thread": [9], "process_access": [10], "file_event": [11], "registry_add": [12],
    "registry_delete": [12], "registry_set": [13], "registry_event": [12, 13, 14], "registry_rename": [14],
    "create_stream_hash": [15], "pipe_created": [17, 18], "wmi_event": [19, 20, 21], "dns_query": [22],
    "file_delete": [23, 26], "clipboard_capture": [24], "process_tampering": [25], "file_block_executable": [27],
    "file_executable_detected": [29],
}
SERVICES = {
    "security": "Security", "system": "System", "application": "Application", "sysmon": SYSMON,
    "taskscheduler": "Microsoft-Windows-TaskScheduler/Operational",
}


def applies(source, event):
    """Whether a log source means an event: True, False, or None where this script does not know."""
    product, category, service = (source.get(key) for key in ("product", "category", "service"))
    if product != "windows":
        return False
    channel, number = event.get("Channel"), event.get("EventID")
    if category in CATEGORIES:
        return channel == SYSMON and number in CATEGORIES[category]
    if category in ("ps_script", "ps_module"):
        return channel in POWERSHELL and number == (4104 if category == "ps_script" else 4103)
    if category is None and service is None:
        return True
    if service in SERVICES:
        return channel == SERVICES[service]
    return None if channel not in (*SERVICES.values(), *POWERSHELL) else False


def flat(row):
    """An event with the names that rules use."""
    event = {}
    for key, value in row.items():
        name = {"event_id": "EventID", "channel": "Channel", "provider": "Provider_Name", "host": "Computer"}.get(key)
        if key.startswith("data."):
            event[key[5:]] = value
        elif name:
            event[name] = value
        elif key == "raw":
            event["_raw"] = value
    return event


def regexp(pattern, value):
    return value is not None and re.search(pattern, str(value)) is not None


def in_sqlite(events, queries, columns):
    """By rule: how many of the events it selects, or why it cannot be shown."""
    connection = sqlite3.connect(":memory:")
    connection.create_function("regexp", 2, regexp)
    connection.execute("CREATE TABLE logs (%s)" % ", ".join(f'"{name}" COLLATE NOCASE' for name in columns))
    known = {name.lower() for name in columns}
    for event in events:
        names = [name for name in event if name.lower() in known]
        marks = ", ".join("?" * len(names))
        # Numbers and texts are the same to Sigma; SQLite distinguishes them, so all is text.
        values = [str(event[name]).lower() if isinstance(event[name], bool) else str(event[name]) for name in names]
        connection.execute("INSERT INTO logs (%s) VALUES (%s)" % (", ".join(f'"{n}"' for n in names), marks), values)
    found = {}
    for rule, sql in queries.items():
        try:
            found[rule] = len(connection.execute(sql).fetchall())
        except sqlite3.Error as error:
            found[rule] = str(error)
    return found


def compiled(files):
    """By rule: its document, and its SQL or why there is none."""
    rules, queries, failed = {}, {}, {}
    backend = sqliteBackend()
    for file in files:
        text = file.read_text(encoding="utf-8")
        document = next(yaml.safe_load_all(text))
        rules[document["id"]] = document
        try:
            # Numbers as text: the values of all columns are.
            sql = backend.convert(SigmaCollection.from_yaml(text))
            if len(sql) != 1:
                raise ValueError(f"{len(sql)} queries")
            sql = sql[0].replace("<TABLE_NAME>", "logs")
            sql = re.sub(r"(?<![<>])=(-?\d+(?:\.\d+)?)(?=[\s)]|$)", r"='\1'", sql)
            queries[document["id"]] = sql
        except Exception as error:  # Whatever the backend does not support.
            failed[document["id"]] = f"{type(error).__name__}: {error}"
    return rules, queries, failed


def columns_of(rules):
    """Every field that a rule names: SQLite wants its columns to exist."""
    names = {}

    def walk(node):
        if isinstance(node, dict):
            for key, value in node.items():
                name = str(key).split("|")[0]
                if name:
                    names.setdefault(name.lower(), name)
                if "|fieldref" in str(key):
                    for other in value if isinstance(value, list) else [value]:
                        names.setdefault(str(other).lower(), str(other))
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    for rule in rules.values():
        for name, search in rule["detection"].items():
            if name != "condition":
                walk(search)
    names.setdefault("eventid", "EventID")
    return list(names.values())


def checked(binary, rules, log, folder):
    """Our alerts, the events, and what was said of rules that cannot be read."""
    case = pathlib.Path(folder) / (log.stem + ".case")
    subprocess.run([binary, "import", case, log], check=True, capture_output=True)
    folders = [path for path in sorted(rules.iterdir()) if path.is_dir() and path.name.startswith("rules")] or [rules]
    shown = subprocess.run([binary, "check", case, *folders, "--format", "ndjson", "--verbose"], capture_output=True, text=True)
    if shown.returncode not in (0, 1, 4):
        raise RuntimeError(shown.stderr)
    alerts = [json.loads(line) for line in shown.stdout.splitlines()]
    rows = subprocess.run([binary, "query", case, "*", "--format", "ndjson"], check=True, capture_output=True, text=True)
    wrong = []
    for alert in alerts:
        count = subprocess.run([binary, "query", case, alert["query"], "--count"], capture_output=True, text=True)
        if count.stdout.strip() != str(alert["events"]):
            wrong.append((alert["detector"], alert["events"], count.stdout.strip(), alert["query"], count.stderr))
    return alerts, [json.loads(line) for line in rows.stdout.splitlines()], shown.stderr, wrong


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("rules", type=pathlib.Path)
    arguments.add_argument("binary")
    arguments.add_argument("--jobs", type=int, default=2)
    options = arguments.parse_args()
    files = sorted(file for file in options.rules.rglob("*.yml") if "regression_data" not in file.parts)
    rules, queries, failed = compiled(files)
    columns = columns_of(rules)
    print(f"{len(files)} rules, {len(queries)} of them are SQL; pySigma cannot say the others")
    expected = []
    table = options.rules / "EXPECTED.tsv"
    for line in table.read_text().splitlines()[1:] if table.exists() else []:
        rule, log, count = (line.split("\t") + [""])[:3]
        expected.append((rule, options.rules / log, int(count) if count.strip() else None))
    logs = sorted({log for _, log, _ in expected})
    pairs = false = missed = explained = 0
    fired, problems, wrong_queries, unexplained = {}, collections.Counter(), [], []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = [pool.submit(checked, options.binary, options.rules, log, folder) for log in logs]
        for log, result in zip(logs, work):
            alerts, rows, shown, wrong = result.result()
            wrong_queries += [(log.name, *one) for one in wrong]
            ours = collections.Counter()
            for alert in alerts:
                ours[alert["detector"]] += alert["events"]
            fired[log] = ours
            for line in shown.splitlines():
                if not NO_PROBLEM.match(line):
                    problems[line] += 1
            events = [flat(row) for row in rows]
            kinds = collections.defaultdict(list)
            for event in events:
                kinds[(event.get("Channel"), event.get("EventID"))].append(event)
            for kind, group in kinds.items():
                theirs = in_sqlite(group, queries, columns)
                for rule in queries:
                    if isinstance(theirs[rule], str):
                        failed[rule] = theirs[rule]
                        continue
                    wanted = applies(rules[rule]["logsource"], group[0])
                    count = theirs[rule] if wanted else 0
                    if wanted is None and theirs[rule]:
                        explained += 1
                        continue
                    if len(kinds) == 1:
                        pairs += 1
                        if ours[rule] > theirs[rule]:
                            false += 1
                            unexplained.append(("false alarm", rule, log.name, ours[rule], theirs[rule]))
                        elif ours[rule] != count:
                            missed += 1
                            unexplained.append(("differs", rule, log.name, ours[rule], count))
                    else:
                        fired.setdefault((log, "theirs"), collections.Counter())[rule] += count
            if len(kinds) > 1:
                for rule in queries:
                    if rule in failed:
                        continue
                    pairs += 1
                    count = fired[(log, "theirs")][rule]
                    if ours[rule] != count:
                        false += ours[rule] > count
                        missed += ours[rule] < count
                        unexplained.append(("differs", rule, log.name, ours[rule], count))
    right = 0
    for rule, log, count in expected:
        ours = fired[log][rule]
        is_right = ours >= 1 if count is None else ours == count
        right += is_right
        if not is_right:
            print(f"expected: {rule} over {log.name}: {ours} events, not {count or 'at least 1'}")
    for problem in problems:
        print(f"unreadable: {problem}")
    for one in unexplained:
        print("unexplained:", *one)
    for one in wrong_queries:
        print("query:", *one)
    print(f"{len(failed)} rules that pySigma or SQLite cannot run are not compared")
    print(f"loaded {len(files) - len(problems)} of {len(files)} rules")
    print(f"expected: {right} of {len(expected)}")
    print(f"pairs: {pairs} compared, {false} false alarms, {missed} other differences; {explained} of unknown log source")
    print(f"queries of alerts that do not select their events: {len(wrong_queries)}")
    return 1 if unexplained or wrong_queries or right < len(expected) else 0


if __name__ == "__main__":
    sys.exit(main())
