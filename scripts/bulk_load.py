"""Loads lines of JSON into an index with `_bulk`, as fast as a short Python program does: what `npm run test:remote` compares
`timberline push` with. Standard library only. Usage: bulk_load.py URL INDEX FILE LINES; prints documents a second.

BATCH lines a request (5000), SENDERS requests at once (2), GZIP=1 packs them.
"""
import gzip, itertools, os, sys, threading, time, urllib.parse
import http.client, queue

url, index, file, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
batch, senders = int(os.environ.get("BATCH", "5000")), int(os.environ.get("SENDERS", "2"))
packs = os.environ.get("GZIP", "0") == "1"
address = urllib.parse.urlsplit(url)
waiting, failed = queue.Queue(maxsize=senders * 2), []


def send():
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=120)
    headers = {"Content-Type": "application/x-ndjson"}
    if packs:
        headers["Content-Encoding"] = "gzip"
    while (lines := waiting.get()) is not None:
        body = b"".join(b'{"create":{}}\n' + line for line in lines)
        connection.request("POST", f"/{index}/_bulk?filter_path=errors", gzip.compress(body, 1) if packs else body, headers)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200 or b'"errors":true' in text:
            failed.append(text[:300])


threads = [threading.Thread(target=send) for _ in range(senders)]
began = time.monotonic()
[thread.start() for thread in threads]
with open(file, "rb") as lines:
    lines = (line if line.endswith(b"\n") else line + b"\n" for line in itertools.islice(lines, count))
    while part := list(itertools.islice(lines, batch)):
        waiting.put(part)
[waiting.put(None) for _ in threads]
[thread.join() for thread in threads]
# What was loaded can be found, as after a push.
connection = http.client.HTTPConnection(address.hostname, address.port, timeout=120)
connection.request("POST", f"/{index}/_refresh")
connection.getresponse().read()
took = time.monotonic() - began
if failed:
    sys.exit(f"refused: {failed[0]!r}")
print(f"{count / took:.0f}")
