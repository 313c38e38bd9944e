"""A worker as somebody outside of this repository writes it: on the official Python SDK, with nothing of ours.

It offers what `../official-worker` offers in TypeScript, under the first segment `py`.
"""

import asyncio
import functools
import re
import sys
from typing import Any

from iii import InitOptions, InvocationError, register_worker
from iii.helpers import create_channel_async
from iii.triggers import TriggerConfig, TriggerHandler
from iii_helpers.http import http
from iii_helpers.observability import Logger

url = sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:49134"
worker_name = sys.argv[2] if len(sys.argv) > 2 else "py"
iii = register_worker(
    url,
    # Telemetry goes to the default port unless it is told where the engine is.
    InitOptions(worker_name=worker_name, worker_description="Shows what there is", otel={"engine_ws_url": url}),
)


def offer(function_id: str, handler: Any, **options: Any) -> None:
    """Registers a function that takes a moment.

    A real one does, but these have nothing to do, and engine 0.22.1 now and then loses an answer that comes at once.
    """

    @functools.wraps(handler)
    async def take_a_moment(*args: Any) -> Any:
        await asyncio.sleep(0.005)
        return await handler(*args)

    iii.register_function(function_id, take_a_moment, **options)


# Functions that are called, and one that calls others.


async def add(data: dict) -> dict:
    return {"sum": data["a"] + data["b"]}


async def boom(data: Any) -> None:
    raise RuntimeError("The demo exploded")


async def echo(data: Any, metadata: Any = None) -> dict:
    return {"data": data, "metadata": metadata}


def nothing(data: Any) -> None:
    """Not async: the SDK runs it in a thread."""


async def relay(request: dict) -> dict:
    try:
        return {"result": await iii.trigger_async({"payload": {}, **request})}
    except InvocationError as error:
        return {"error": {"code": error.code, "message": error.message}}


async def log(data: dict) -> dict:
    Logger(service_name="py").warn(data["message"], {"from": "py"})
    return {}


offer(
    "py::add",
    add,
    description="Adds two numbers.",
    request_format={
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
    },
    response_format={"type": "object", "properties": {"sum": {"type": "number"}}},
    metadata={"mcp.expose": True, "mcp": {"title": "Add", "annotations": {"readOnlyHint": True}}},
)
offer("py::boom", boom)
offer("py::echo", echo)
iii.register_function("py::nothing", nothing)
offer("py::relay", relay)
offer("py::log", log)

# Two ends of a channel: `pour` opens one, hands the reading end to a function, and fills it; `drain` is such a function.


async def pour(data: dict) -> Any:
    channel = await create_channel_async(iii)
    request = {"function_id": data["into"], "payload": {"reader": channel.reader_ref.model_dump()}}
    drained = asyncio.create_task(iii.trigger_async(request))
    await channel.writer.send_message_async("begin")
    for _ in range(data["times"]):
        await channel.writer.write(data["text"].encode())
    await channel.writer.close_async()
    return await drained


async def drain(data: dict) -> dict:
    messages: list[str] = []
    data["reader"].on_message(messages.append)
    content = await data["reader"].read_all()
    return {"messages": messages, "bytes": len(content), "end": content.decode()[-12:]}


offer("py::pour", pour)
offer("py::drain", drain)

# HTTP: a reply that is returned, one that is streamed, and one that fails.


async def hello(request: dict) -> dict:
    return {
        "status_code": 201,
        "headers": {"x-served-by": "py"},
        "body": {"hello": request["path_params"]["name"], "query": request["query_params"], "method": request["method"]},
    }


async def shout(request: Any, response: Any) -> None:
    text = (await request.request_body.read_all()).decode()
    await response.status(202)
    await response.headers({"content-type": "text/plain", "x-length": str(len(text))})
    for line in text.splitlines(keepends=True):
        await response.writer.write(line.upper().encode())
    await response.writer.close_async()


offer("py::hello", hello)
offer("py::shout", http(shout))
for path, method, function_id in (
    ("/py/hello/:name", "GET", "py::hello"),
    ("py/shout", "POST", "py::shout"),
    ("py/boom", "POST", "py::boom"),
):
    config = {"api_path": path, "http_method": method}
    iii.register_trigger({"type": "http", "function_id": function_id, "config": config})

# A trigger type of this worker: `py::tick` fires everything that is bound to it.

bound: dict[str, TriggerConfig] = {}


class Ticks(TriggerHandler):
    async def register_trigger(self, binding: TriggerConfig) -> None:
        if binding.config["every"] < 1:
            raise ValueError("every must be 1 or more")
        bound[binding.id] = binding

    async def unregister_trigger(self, binding: TriggerConfig) -> None:
        bound.pop(binding.id, None)


async def list_bound(data: Any) -> dict:
    return {"functions": [binding.function_id for binding in bound.values()]}


async def tick(data: dict) -> dict:
    for binding in bound.values():
        call = {"function_id": binding.function_id, "payload": {"n": data["n"]}, "metadata": binding.metadata}
        await iii.trigger_async(call)
    return {"fired": len(bound)}


iii.register_trigger_type({"id": "py-tick", "description": "Fires when the demo ticks"}, Ticks())
offer("py::bound", list_bound)
offer("py::tick", tick)

# Functions that the engine calls when something happens, and `py::events`, which tells what they were called with.

events: list[dict] = []


def bind(trigger_type: str, config: dict) -> None:
    via = re.sub(r"\W", "_", trigger_type)

    async def hear(data: Any, metadata: Any = None) -> None:
        events.append({"via": via, "data": data, "metadata": metadata})
        failures = data.get("failures", 0) if isinstance(data, dict) else 0
        if sum(event["via"] == via for event in events) <= failures:
            raise RuntimeError("Not yet")

    function_id = f"py::on_{via}"
    offer(function_id, hear)
    note = {"note": "from the binding"}
    iii.register_trigger({"type": trigger_type, "function_id": function_id, "config": config, "metadata": note})


async def list_events(data: Any) -> dict:
    return {"events": events}


bind("state", {"scope": "py"})
bind("subscribe", {"topic": "py.news"})
bind("durable:subscriber", {"topic": "py.jobs"})
bind("log", {"level": "all"})
offer("py::events", list_events)

# A section, a skill and a prompt.


async def guide(data: Any) -> str:
    return "# Python guide\n\nThe long-form docs for the Python worker."


async def greet_prompt(data: dict) -> dict:
    return {"content": f"Greet {data.get('name', 'world')} warmly."}


offer("py::guide", guide)
offer("py::greet_prompt", greet_prompt)
# With it all that comes before has reached the engine.
offer(f"{worker_name}::there", echo)
iii.trigger({"function_id": "skills::register", "payload": {"id": "py", "skill": "# py\n\nA worker in Python.\n"}})
iii.trigger(
    {
        "function_id": "prompts::register",
        "payload": {
            "name": "greet-py",
            "description": "Compose a greeting.",
            "arguments": [{"name": "name", "description": "Who to greet", "required": True}],
            "function_id": "py::greet_prompt",
        },
    }
)
