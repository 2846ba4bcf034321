"""The SDK's session functions under the TypeScript SDK's names, over files or over a store."""

import dataclasses
import inspect

import claude_agent_sdk as sdk

from memory_store import camel, store_of
from kit import Unsupported

# The function over files, the one over a store, and the arguments before the options object.
FUNCTIONS = {
    "listSessions": (sdk.list_sessions, sdk.list_sessions_from_store, 0),
    "getSessionInfo": (sdk.get_session_info, sdk.get_session_info_from_store, 1),
    "getSessionMessages": (sdk.get_session_messages, sdk.get_session_messages_from_store, 1),
    "listSubagents": (sdk.list_subagents, sdk.list_subagents_from_store, 1),
    "getSubagentMessages": (sdk.get_subagent_messages, sdk.get_subagent_messages_from_store, 2),
    "renameSession": (sdk.rename_session, sdk.rename_session_via_store, 2),
    "tagSession": (sdk.tag_session, sdk.tag_session_via_store, 2),
    "deleteSession": (sdk.delete_session, sdk.delete_session_via_store, 1),
    "forkSession": (sdk.fork_session, sdk.fork_session_via_store, 1),
}
OPTIONS = {
    "dir": "directory",
    "limit": "limit",
    "offset": "offset",
    "includeWorktrees": "include_worktrees",
    "upToMessageId": "up_to_message_id",
    "title": "title",
}
# Fields of messages keep their wire names.
KEPT = (sdk.SessionMessage,)


async def call_session_function(name, args, stores):
    if name == "storeEntries":
        store = stores.get(args[0] if args else "memory")
        return store.held() if store is not None else []
    if name not in FUNCTIONS:
        raise Unsupported(f"session function {name}")
    over_files, over_store, positional = FUNCTIONS[name]
    options = args[positional] if len(args) > positional and args[positional] is not None else {}
    named = {OPTIONS[key]: value for key, value in options.items() if key in OPTIONS}
    if "sessionStore" in options:
        store = store_of(options["sessionStore"], None, stores)
        value = over_store(store, *args[:positional], **named)
    else:
        value = over_files(*args[:positional], **named)
    return shown(await value if inspect.isawaitable(value) else value)


def shown(value):
    if isinstance(value, list):
        return [shown(each) for each in value]
    if not dataclasses.is_dataclass(value):
        return value
    rename = (lambda name: name) if isinstance(value, KEPT) else camel
    return {
        rename(name): each
        for name, each in vars(value).items()
        if each is not None or isinstance(value, KEPT)
    }
