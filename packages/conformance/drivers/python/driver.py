"""Driver for the official Python SDK: newline-delimited JSON on stdin and stdout (docs/conformance.md).

    python driver.py

Needs nothing but claude_agent_sdk. Each line of stdin is a command; each is answered by `result`, `error` or
`unsupported` under its id. What happens in between is told by `observed` events.
"""

import asyncio

from claude_agent_sdk import __version__

import kit
from run import Run
from session_functions import call_session_function

FEATURES = [
    "query", "query-stream", "client", "abort", "break", "pause", "stderr", "hooks", "can_use_tool", "mcp",
    "session_store", "session_store:seed", "session_store:callbacks", "sessions", "callback-abort", "parallel-callbacks",
    "hooks:throws", "hooks:raw", "hooks:unknown-event", "can_use_tool:throws", "can_use_tool:raw", "query:native", "option:maxBufferBytes",
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


class Driver(kit.Driver):
    make_run = Run
    hello = kit.Hello("python", "claude-agent-sdk", __version__, FEATURES)

    async def session_function(self, command, stores):
        return await call_session_function(command["function"], command.get("args", []), stores)


async def main(driver_class=Driver):
    await kit.main(driver_class)


if __name__ == "__main__":
    asyncio.run(main())
