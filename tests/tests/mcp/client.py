"""Lists and calls every tool of `timberline mcp` with the official client: client.py PROGRAM CASE RULES."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters, stdio_client

CALLS = {
    "fields": {},
    "count": {"query": "level=error"},
    "timeline": {"buckets": 10},
    "events": {"limit": 2},
    "patterns": {},
    "percentiles": {"field": "took_ms", "by": "service"},
    "explain-selection": {"query": "level=error"},
    "sql": {"statement": "SELECT service, count(*) FROM events GROUP BY service"},
    "detectors": {},
    "sigma": {},
    "alerts": {},
    "compare": {"a": "level=info", "b": "level=error"},
    "links": {},
    "map": {"id": "took_ms", "by": "service"},
}


async def main(program, case, rules):
    server = StdioServerParameters(command=program, args=["mcp", case, "--rules", rules])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        listed = await session.list_tools()
        print(*sorted(tool.name for tool in listed.tools))
        answered = refused = 0
        for tool in listed.tools:
            result = await session.call_tool(tool.name, {**CALLS[tool.name], "seconds": 60})
            failed = getattr(result, "is_error", None) or getattr(result, "isError", None)
            assert not failed, result
            answer = json.loads(result.content[0].text)
            assert answer["case"] == "shop" and "partial" not in answer, answer
            answered += 1
        result = await session.call_tool("count", {"query": "servce=cart"})
        failed = getattr(result, "is_error", None) or getattr(result, "isError", None)
        error = json.loads(result.content[0].text)["error"]
        assert failed and "service" in error["hint"], error
        refused += 1
        print(answered, "answered")
        print(refused, "refused")


asyncio.run(main(*sys.argv[1:]))
