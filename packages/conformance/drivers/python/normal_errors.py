"""Exceptions of the Python SDK as the driver protocol's NormalError."""

import asyncio
import signal

from claude_agent_sdk import (
    CLIConnectionError,
    CLIJSONDecodeError,
    CLINotFoundError,
    ProcessError,
    ResultError,
)

CLOSED = ("Not connected", "ProcessTransport is not ready", "Cannot write to", "Failed to write to")


def normal_error(error):
    normal = {"kind": kind_of(error), "message": str(error), "class": type(error).__name__}
    exit_code = getattr(error, "exit_code", None)
    if isinstance(exit_code, int):
        normal["exit_code"] = exit_code
        if exit_code < 0:
            normal["signal"] = signal.Signals(-exit_code).name
    return normal


def kind_of(error):
    text = str(error)
    if isinstance(error, asyncio.CancelledError):
        return "aborted"
    if isinstance(error, CLINotFoundError):
        return "not_found"
    if isinstance(error, ResultError):
        return "result"
    if isinstance(error, ProcessError):
        return "process_exit"
    if isinstance(error, CLIJSONDecodeError):
        return "frame_too_large" if "maximum buffer size" in error.line else "json"
    if isinstance(error, CLIConnectionError):
        return "closed" if text.startswith(CLOSED) else "launch"
    if type(error).__name__ == "MessageParseError":
        return "parse"
    if isinstance(error, TimeoutError) or text.startswith("Control request timeout"):
        return "timeout"
    if isinstance(error, UnicodeDecodeError):
        return "json"
    if isinstance(error, (ValueError, TypeError, KeyError)):
        return "invalid_option"
    # The SDK raises the text of a control error as a plain Exception.
    return "control" if type(error) is Exception else "other"
