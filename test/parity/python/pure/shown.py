"""Writes values of the Python SDK down as JSON: fields in camelCase, unset ones left out."""

import dataclasses
import re

from claude_agent_sdk import _errors as errors
from claude_agent_sdk._internal.message_parser import parse_message

WORD = re.compile(r"_([a-z0-9])")


def camel(name):
    return WORD.sub(lambda found: found.group(1).upper(), name)


def snake(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def keys_in_camel(mapping):
    return {camel(key): value for key, value in mapping.items()}


# Messages: the class becomes `kind` (of a block: `type`), by rule.


# The one block whose class is not named for its wire name.
WIRE_NAMES = {"server_tool_result": "advisor_tool_result"}


def kind_of(value):
    name = snake(type(value).__name__.removesuffix("Message").removesuffix("Block"))
    return WIRE_NAMES.get(name, name)


def shown(value):
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {
            camel(field.name): shown(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if getattr(value, field.name) is not None
        }
        name = type(value).__name__
        if name.endswith("Block"):
            return {"type": kind_of(value), **fields}
        if name.endswith(("Message", "Event")) and name != "SessionMessage":
            return {"kind": kind_of(value), **fields}
        return fields
    if isinstance(value, list):
        return [shown(one) for one in value]
    return value


ATTRIBUTES = (
    "exit_code stderr line data subtype errors result api_error_status terminal_reason session_id"
).split()


def error_shown(error):
    attributes = {
        camel(name): getattr(error, name)
        for name in ATTRIBUTES
        if getattr(error, name, None) is not None
    }
    return {
        "class": type(error).__name__,
        "isA": [one.__name__ for one in type(error).__mro__ if one.__module__ == errors.__name__],
        "message": str(error),
        **attributes,
        **({"cause": type(error.__cause__).__name__} if error.__cause__ else {}),
    }


def parsed(frame):
    try:
        message = parse_message(frame)
    except Exception as error:  # noqa: BLE001 - whatever comes is the observation
        has_frame = getattr(error, "data", None) is frame
        return {"error": type(error).__name__, "message": str(error), "hasFrame": has_frame}
    return {"kind": "unknown"} if message is None else shown(message)
