"""Makes calls of the Python SDK and writes down what came of them.

One JSON object a line on stdin (`{"id": 1, "op": ...}`), one answer a line on stdout (`{"id": 1, "value": ...}`).
`ours.ts` answers the same calls. Names are the TypeScript ones: fields of Python's classes are written in camelCase,
`None` is left out, and what the CLI sent (mappings) stays as it is. Standard library and the SDK only.
"""

import asyncio
import copy
import inspect
import json
import os
import pickle
import sys
import typing

import claude_agent_sdk as sdk
from claude_agent_sdk import _errors as errors
from claude_agent_sdk._internal.message_parser import parse_message
from claude_agent_sdk.testing import run_session_store_conformance
from made_store import Stored
from runs import client, run, transport
from shown import error_shown, keys_in_camel, parsed, shown, snake

FROM_STORE = {
    "listSessions": "list_sessions_from_store",
    "getSessionInfo": "get_session_info_from_store",
    "getSessionMessages": "get_session_messages_from_store",
    "listSubagents": "list_subagents_from_store",
    "getSubagentMessages": "get_subagent_messages_from_store",
    "renameSession": "rename_session_via_store",
    "tagSession": "tag_session_via_store",
    "deleteSession": "delete_session_via_store",
    "forkSession": "fork_session_via_store",
    "importSessionToStore": "import_session_to_store",
}


async def session_call(call):
    name = call["function"]
    arguments = {snake("directory" if key == "dir" else key): v for key, v in call["args"].items()}
    stored = Stored(call["store"]) if "store" in call else None
    if stored is None:
        function = getattr(sdk, snake(name))
    else:
        function = getattr(sdk, FROM_STORE[name])
        arguments["store" if name == "importSessionToStore" else "session_store"] = (
            stored.as_store()
        )
    answer = {}
    try:
        value = function(**arguments)
        value = shown(await value if inspect.isawaitable(value) else value)
        answer["value"] = [sorted(value)] if call.get("sorted") else value
    except Exception as error:  # noqa: BLE001
        answer["error"] = error_shown(error)
    if stored is not None:
        answer["calls"] = stored.calls
        answer["mostAtOnce"] = stored.most_at_once
    return answer


def fold(call):
    previous = call.get("prev")
    summary = previous and {
        "session_id": "s",
        "mtime": previous["mtime"],
        "data": {snake(key): value for key, value in previous["data"].items()},
    }
    before = copy.deepcopy(summary)
    for batch in call["batches"]:
        folded = sdk.fold_session_summary(summary, {"project_key": "p", "session_id": "s"}, batch)
        isChanged = summary != before
        summary = folded
        before = copy.deepcopy(summary)
    return {
        **keys_in_camel(summary),
        "data": keys_in_camel(summary["data"]),
        "changesPrevious": isChanged,
    }


async def memory_store(call):
    """Steps with the SDK's own store; what each gave. Times are shown by their order."""
    store = sdk.InMemorySessionStore()
    seen = []
    for method, *arguments in call["steps"]:
        arguments = [
            {snake(k): v for k, v in one.items()} if isinstance(one, dict) else one
            for one in arguments
        ]
        if method == "size":
            value = store.size
        elif method == "getEntries":
            value = store.get_entries(*arguments)
        elif method == "clear":
            value = store.clear()
        else:
            value = await getattr(store, snake(method))(*arguments)
        if method == "changeLoaded":
            continue
        if method in ("listSessions", "listSessionSummaries"):
            times = sorted(row["mtime"] for row in value)
            value = [
                {"sessionId": row["session_id"], "mtime": times.index(row["mtime"])}
                for row in value
            ]
        seen.append(value)
    return seen


async def aliasing(_call):
    store = sdk.InMemorySessionStore()
    key = {"project_key": "p", "session_id": "s"}
    await store.append(key, [{"type": "x"}])
    loaded = await store.load(key)
    loaded.append({"type": "y"})
    return {"stored": len(await store.load(key))}


async def contract(_call):
    await run_session_store_conformance(sdk.InMemorySessionStore)
    return {"passes": True}


def copied_error(_call):
    error = sdk.ResultError("m", {"subtype": "s", "errors": ["a"], "result": "r"}, 1)
    return [error_shown(copy.copy(error)), error_shown(pickle.loads(pickle.dumps(error)))]


def error_made(call):
    arguments = call["args"]
    name = call["class"]
    if name == "CLIJSONDecodeError":
        arguments = [arguments[0], ValueError("bad")]
    return error_shown(getattr(errors, name)(*arguments))


def is_system_message(frame):
    return isinstance(parse_message(frame), sdk.SystemMessage)


def shape(call):
    made = getattr(sdk, call["name"])
    if not hasattr(made, "__required_keys__"):
        return {"values": sorted(typing.get_args(made))}
    return {"fields": sorted(made.__annotations__), "required": sorted(made.__required_keys__)}


def versions(_call):
    from importlib.metadata import version

    return {
        "python": sys.version.split()[0],
        "claudeAgentSdk": version("claude-agent-sdk"),
        "mcp": version("mcp"),
    }


OPS = {
    "versions": versions,
    "parse": lambda call: [parsed(frame) for frame in call["frames"]],
    "isSystem": lambda call: [is_system_message(frame) for frame in call["frames"]],
    "error": error_made,
    "copiedError": copied_error,
    "type": shape,
    "session": session_call,
    "key": lambda call: sdk.project_key_for_directory(call["dir"]),
    "fold": fold,
    "memoryStore": memory_store,
    "aliasing": aliasing,
    "contract": contract,
    "run": run,
    "client": client,
    "transport": transport,
}


async def main():
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        call = json.loads(line)
        for name, value in call.get("environment", {}).items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        try:
            value = OPS[call["op"]](call)
            answer = {"value": await value if inspect.isawaitable(value) else value}
        except Exception as error:  # noqa: BLE001
            answer = {"failed": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps({"id": call["id"], **answer}) + "\n")
        sys.stdout.flush()


asyncio.run(main())
