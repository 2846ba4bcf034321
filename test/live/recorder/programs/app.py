"""The application of app.mjs, over the official Python SDK: `python app.py CONFIG`."""

import asyncio
import json
import sys

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    ResultMessage,
    create_sdk_mcp_server,
    tool,
)

CONFIG = json.loads(sys.argv[1])


@tool("add", "Adds two numbers", {"a": float, "b": float})
async def add(args):
    return {"content": [{"type": "text", "text": str(int(args["a"] + args["b"]))}]}


async def allow(_tool, tool_input, _context):
    return PermissionResultAllow(updated_input={**tool_input, "command": CONFIG["command"]})


async def watch(_input, _tool_use_id, _context):
    return {"continue_": True}


async def main():
    options = ClaudeAgentOptions(
        cli_path=CONFIG["cli"],
        cwd=CONFIG["cwd"],
        env=CONFIG["env"],
        model=CONFIG["model"],
        setting_sources=[],
        allowed_tools=["mcp__calc"],
        mcp_servers={"calc": create_sdk_mcp_server("calc", "1.0.0", [add])},
        can_use_tool=allow,
        hooks={"PreToolUse": [HookMatcher(matcher="Bash", hooks=[watch])]},
    )
    async with ClaudeSDKClient(options) as client:
        for text in CONFIG["messages"]:
            await client.query(text)
            async for message in client.receive_response():
                if isinstance(message, ResultMessage):
                    print(message.result or message.subtype)


try:
    asyncio.run(main())
except Exception as error:
    print(error, file=sys.stderr)
    sys.exit(1)
