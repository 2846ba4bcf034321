"""Driver for the official Python SDK: newline-delimited JSON on stdin and stdout (docs/conformance.md).

    python driver.py

Needs nothing but claude_agent_sdk. Each line of stdin is a command; each is answered by `result`, `error` or
`unsupported` under its id. What happens in between is told by `observed` events.
"""

import asyncio
import json
import os
import sys

from claude_agent_sdk import __version__

from normal_errors import normal_error
from run import Run
from session_functions import call_session_function
from unsupported import Unsupported

FEATURES = [
    "query", "query-stream", "client", "abort", "break", "pause", "stderr", "hooks", "can_use_tool", "mcp",
    "session_store", "session_store:seed", "session_store:callbacks", "sessions", "callback-abort", "parallel-callbacks", "option:maxBufferBytes",
    "environment:merged", "environment:version", "system-prompt:flag", "prompt:text", "initialize", "initialize:awaited",
    "agents:initialize", "messages:ids", "messages:figures", "error:kinds", "mcp:server-version", "mcp:annotations", "mcp:protocol-versions",
    "callback:tool-use-id", "callback:unknown-fields", "callback:permission-context",
    *(
        f"call:{method}"
        for method in (
            "interrupt", "setPermissionMode", "setModel", "mcpServerStatus", "reconnectMcpServer",
            "toggleMcpServer", "rewindFiles", "stopTask", "getContextUsage", "initializationResult",
        )
    ),
]
STDIN_LIMIT = 256 * 1024 * 1024


class Driver:
    """Reads commands and answers them. Commands run side by side: a call may wait while others go on."""

    make_run = Run

    def __init__(self, write):
        self._write = write
        self._runs = {}
        self._stores = {}
        self._tasks = set()

    def hello(self):
        return {
            "event": "hello", "protocol": 1, "driver": "python", "sdk": "claude-agent-sdk",
            "version": __version__, "language": "python", "features": FEATURES,
        }

    async def serve(self, reader):
        self._write(self.hello())
        while line := await reader.readline():
            command = json.loads(line)
            task = asyncio.ensure_future(self._answer(command))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            # Each command begins before the next line is read: `send` after `send` stays in order.
            await asyncio.sleep(0)
        await self.finish()

    async def _answer(self, command):
        reply = {"id": command.get("id")}
        try:
            reply["result"] = await self.run_command(command)
        except Unsupported as reason:
            reply["unsupported"] = str(reason)
        except asyncio.CancelledError as error:
            reply["error"] = normal_error(error)
        except Exception as error:  # noqa: BLE001 - every failure is an answer
            reply["error"] = normal_error(error)
        self._write(reply)

    async def run_command(self, command):
        name = command.get("command")
        if name == "finish":
            return await self.finish()
        run_name = command.get("run", "main")
        if name == "start":
            run = self.make_run(run_name, command, self._write, self._stores)
            previous = self._runs.get(run_name)
            self._runs[run_name] = run
            if previous is not None:
                await previous.end()
            return await run.start()
        run = self._runs.get(run_name)
        if name == "sessions":
            return await call_session_function(command["function"], command.get("args", []), self._stores)
        if run is None:
            raise Unsupported(f"no run named {run_name}")
        command_of = getattr(run, f"command_{name}", None)
        if command_of is None:
            raise Unsupported(f"command {name}")
        return await command_of(command)

    async def finish(self):
        runs, self._runs, self._stores = list(self._runs.values()), {}, {}
        for run in runs:
            await run.end()
        return None


def line_writer():
    """Writes to the stdout the driver was given; whatever else prints goes to stderr."""
    out = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def write(message):
        line = (json.dumps(message, default=repr) + "\n").encode()
        while line:
            line = line[os.write(out, line) :]

    return write


async def main(driver_class=Driver):
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=STDIN_LIMIT)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await driver_class(line_writer()).serve(reader)


if __name__ == "__main__":
    asyncio.run(main())
