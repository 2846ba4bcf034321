"""Runs one scenario of the version table through the official Python SDK and prints what a program sees of it, as one line of JSON.

    python session.py SCENARIO CLI

Nothing is judged here: src/sdk-table/sdk-scenarios.ts knows what is right.
"""

import asyncio
import dataclasses
import json
import os
import sys

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    create_sdk_mcp_server,
    query,
    tool,
)

SCENARIO, CLI = sys.argv[1], "".join(sys.argv[2:3])
seen = {"results": [], "asked": [], "hooks": [], "toolCalls": [], "sessionIds": [], "error": None}


def options(**more):
    """The oldest releases look for the CLI in PATH alone."""
    if any(field.name == "cli_path" for field in dataclasses.fields(ClaudeAgentOptions)):
        more["cli_path"] = CLI
    return ClaudeAgentOptions(cwd=os.getcwd(), **more)


def note(message):
    if isinstance(message, ResultMessage):
        seen["results"].append({"subtype": message.subtype, "isError": message.is_error, "text": message.result})
        seen["sessionIds"].append(message.session_id)


async def one_shot(prompt, **more):
    async for message in query(prompt=prompt, options=options(**more)):
        note(message)


async def session(prompt, **more):
    async with ClaudeSDKClient(options=options(**more)) as client:
        await client.query(prompt)
        async for message in client.receive_response():
            note(message)


async def allow(name, input_data, context):
    seen["asked"].append(name)
    return PermissionResultAllow()


async def deny(name, input_data, context):
    seen["asked"].append(name)
    return PermissionResultDeny(message="Not this one.")


async def allowing_hook(input_data, tool_use_id, context):
    seen["hooks"].append(f"{input_data['hook_event_name']}:{input_data['tool_name']}")
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}


@tool("add", "Adds two numbers.", {"a": float, "b": float})
async def add(args):
    seen["toolCalls"].append({"a": args["a"], "b": args["b"]})
    return {"content": [{"type": "text", "text": str(args["a"] + args["b"])}]}


async def set_model():
    async with ClaudeSDKClient(options=options()) as client:
        await client.query("One.")
        async for message in client.receive_response():
            note(message)
        await client.set_model("claude-haiku-4-5")
        await client.query("Two.")
        async for message in client.receive_response():
            note(message)


async def interrupt():
    was_told = False
    async with ClaudeSDKClient(options=options(include_partial_messages=True)) as client:
        await client.query("Write a lot.")
        async for message in client.receive_response():
            if type(message).__name__ == "StreamEvent" and message.event["type"] == "content_block_delta" and not was_told:
                was_told = True
                await client.interrupt()
            note(message)


async def resume():
    await one_shot("Remember the word heron.")
    await one_shot("Which word?", resume=seen["sessionIds"][0])


SCENARIOS = {
    "text": lambda: one_shot("Say hello."),
    "allow": lambda: session("Make a file.", can_use_tool=allow),
    "deny": lambda: session("Make a file.", can_use_tool=deny),
    "hook": lambda: session("Make a file.", hooks={"PreToolUse": [HookMatcher(hooks=[allowing_hook])]}),
    "mcp": lambda: session(
        "Add.",
        mcp_servers={"calc": create_sdk_mcp_server("calc", "1.0.0", [add])},
        allowed_tools=["mcp__calc__add"],
    ),
    "set-model": set_model,
    "interrupt": interrupt,
    "resume": resume,
    "error-400": lambda: one_shot("Say hello."),
    "exit": lambda: one_shot("Say hello.", resume="00000000-0000-4000-8000-000000000000"),
}


def surface():
    """What the package offers: names, the fields of its classes, and the options."""
    import claude_agent_sdk

    fields = []
    for name in claude_agent_sdk.__all__:
        members = getattr(getattr(claude_agent_sdk, name), "__annotations__", {})
        fields += [f"{name}.{member}" for member in members if not member.startswith("_")]
    options = [field.name for field in dataclasses.fields(ClaudeAgentOptions)]
    return {"exports": list(claude_agent_sdk.__all__), "fields": fields, "options": options}


async def main():
    try:
        await SCENARIOS[SCENARIO]()
    except Exception as error:
        seen["error"] = f"{type(error).__name__}: {str(error)[:300]}"


if SCENARIO == "surface":
    print(json.dumps({"surface": surface()}), flush=True)
    sys.exit(0)
asyncio.run(main())
print(json.dumps({"observed": seen}), flush=True)
