"""Runs what a client of the bridge wrote in Python as a worker of the engine: `python-worker.py DIRECTORY`.

The bridge has put `handler.py` there and, as `worker.json`, what to register it as.
"""

import asyncio
import importlib.util
import inspect
import json
import os
import signal
import sys
import threading
from typing import Any

directory = sys.argv[1]
sys.path[0] = directory
with open(os.path.join(directory, "worker.json"), encoding="utf-8") as file:
    told = json.load(file)

try:
    from iii import InitOptions, register_worker
except ImportError as error:
    sys.exit(
        f"The Python package iii-sdk is missing ({error}): install it with python3 -m pip install iii-sdk, "
        "for the Python that comes first on the PATH of the server"
    )

spec = importlib.util.spec_from_file_location("handler", os.path.join(directory, "handler.py"))
module = importlib.util.module_from_spec(spec)
sys.modules["handler"] = module
try:
    spec.loader.exec_module(module)
except ModuleNotFoundError as error:
    package = (error.name or "").split(".")[0]
    sys.exit(
        f"{error}: install its package, for example with python3 -m pip install {package}, "
        "for the Python that comes first on the PATH of the server"
    )
except SyntaxError as error:
    # A client is shown no traceback, and the line stands nowhere else.
    sys.exit(f"{type(error).__name__} in line {error.lineno} of {os.path.basename(error.filename or '')}: {error.msg}")


def serve(handler: Any) -> None:
    if not callable(handler):
        sys.exit("the code defines no handler: write `def handler(input):` or `async def handler(input):`")
    takes_metadata = "metadata" in inspect.signature(handler).parameters

    async def run(data: Any, metadata: Any = None) -> Any:
        # Engine 0.22.1 now and then loses an answer that comes at once.
        await asyncio.sleep(0.005)
        also = {"metadata": metadata} if takes_metadata else {}
        if inspect.iscoroutinefunction(handler):
            return await handler(data, **also)
        return await asyncio.to_thread(handler, data, **also)

    # The SDK takes it from the environment, where it knows of namespaces.
    if told.get("namespace") and not hasattr(InitOptions, "namespace"):
        sys.stderr.write(
            f"The Python package iii-sdk does not know the namespace '{told['namespace']}' of the server: "
            "update it with python3 -m pip install --upgrade iii-sdk\n"
        )
    # Telemetry goes to the default port unless it is told where the engine is.
    options = InitOptions(worker_name=told["name"], otel={"engine_ws_url": told["url"]})
    iii = register_worker(told["url"], options)
    iii.register_function(told["functionId"], run, description=told["description"], metadata=told["metadata"])


# Code that registers a worker by itself needs nothing more.
if not told["isWhole"]:
    serve(getattr(module, "handler", None))

signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
threading.Event().wait()
