"""A host on the official MCP SDK that closes while a call runs which it does not wait for any more.

It has cancelled its own task, and told the server nothing of it. Its arguments are the address of an endpoint, or the command of a server
that speaks MCP on stdin and stdout. It prints for how many seconds it was closing; whatever the SDK raises ends it.
"""

import asyncio
import sys
import time

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def abandon(session: ClientSession) -> None:
    await session.initialize()
    call = asyncio.create_task(session.call_tool("jobs__long"))
    while (await session.call_tool("jobs__running")).content[0].text == "0":
        pass
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    await session.send_ping()


async def main(server: list[str]) -> None:
    if server[0].startswith("http"):
        transport = streamable_http_client(server[0])
    else:
        transport = stdio_client(StdioServerParameters(command=server[0], args=server[1:]))
    async with transport as (read, write, *_):
        async with ClientSession(read, write) as session:
            await abandon(session)
            closing_at = time.monotonic()
    print(f"closed {time.monotonic() - closing_at:.1f}")


asyncio.run(main(sys.argv[1:]))
