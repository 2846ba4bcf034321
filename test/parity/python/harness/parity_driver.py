"""The Python driver with what only the comparison needs: warnings, base classes of errors, a faster clock, schemas as
Python types."""

import asyncio
import atexit
import logging
import os
import pathlib
import platform
import selectors
import shutil
import sys
import typing
import warnings
from pathlib import Path
from unittest import mock

sys.path.insert(0, os.environ["PARITY_DRIVER"])

import anyio  # noqa: E402
import canonical_options  # noqa: E402
import claude_agent_sdk as sdk  # noqa: E402
import driver  # noqa: E402
import normal_errors  # noqa: E402
import run as run_module  # noqa: E402
import scripted_callbacks  # noqa: E402
import wire_messages  # noqa: E402
from canonical_options import agent_options  # noqa: E402

from claude_agent_sdk._errors import MessageParseError  # noqa: E402
from claude_agent_sdk._internal.transport import subprocess_cli  # noqa: E402
from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport  # noqa: E402
from mcp.server.lowlevel import Server  # noqa: E402
from mcp.types import ListResourcesResult, Resource  # noqa: E402

SCALE = float(os.environ.get("PARITY_TIME_SCALE", "1"))
CLASSES = (
    sdk.CLINotFoundError, sdk.CLIConnectionError, sdk.ResultError, sdk.ProcessError, sdk.CLIJSONDecodeError,
    MessageParseError, sdk.ClaudeSDKError,
)



class ScaledSelector(selectors.DefaultSelector):
    def select(self, timeout=None):
        return super().select(timeout if timeout is None else timeout / SCALE)


class ScaledLoop(asyncio.SelectorEventLoop):
    def __init__(self):
        super().__init__(ScaledSelector())

    def time(self):
        return super().time() * SCALE


def with_classes(error):
    normal = plain_normal_error(error)
    normal["classes"] = [known.__name__ for known in CLASSES if isinstance(error, known)]
    if isinstance(error, sdk.ResultError):
        normal["fields"] = {
            name: getattr(error, name)
            for name in ("subtype", "errors", "result", "api_error_status", "terminal_reason", "session_id")
        }
    if isinstance(error, sdk.CLIJSONDecodeError):
        normal["line"] = error.line
    return normal


plain_normal_error = normal_errors.normal_error
for module in (driver, run_module):
    module.normal_error = with_classes


class Nested(typing.TypedDict):
    need: typing.Annotated[str, "Needed"]
    may: typing.NotRequired[float]


class Opaque:
    pass


SCHEMAS = {
    "types": {"a": str, "c": float, "d": bool},
    "empty": {},
    "typed": Nested,
    "opaque": Opaque,
    "described": {"a": typing.Annotated[str, "First"], "b": float},
}


def schema_of(schema):
    return SCHEMAS[schema["$python"]] if isinstance(schema, dict) and "$python" in schema else schema


HAND_BUILT = "hand-built"


def sdk_server(key, server, callbacks, schema_of):
    version = server.get("version", "")
    if not version.startswith(HAND_BUILT):
        return plain_sdk_server(key, server, callbacks, schema_of)

    async def list_resources(context, _params):
        name = await talk(context.session) if version.endswith("talks") else "r"
        return ListResourcesResult(resources=[Resource(uri="a://b", name=name)])

    instance = Server(key, version="1.0.0", on_list_resources=list_resources)
    return {"type": "sdk", "name": key, "instance": instance}


async def talk(session):
    """A notification, a ping, and a request that the SDK refuses."""
    await session.send_log_message(level="info", data="x")
    pong = await session.send_ping()
    try:
        await session.list_roots()
        refused = None
    except Exception as error:  # noqa: BLE001 - what it says is the point
        refused = getattr(getattr(error, "error", None), "code", repr(error))
    return f"ping {'true' if pong is not None else 'false'}, roots {refused}"


plain_sdk_server = canonical_options.sdk_server
canonical_options.sdk_server = sdk_server

PYTHON_SPELLING = {"async": "async_", "continue": "continue_"}


class ParityCallbacks(scripted_callbacks.Callbacks):
    def hook(self, name):
        plain = super().hook(name)

        async def run(hook_input, tool_use_id, context):
            value = await plain(hook_input, tool_use_id, context)
            if not isinstance(value, dict):
                return value
            if "$unserialisable" in value:
                return {"value": object()}
            return {PYTHON_SPELLING.get(key, key): each for key, each in value.items()}

        return run


run_module.Callbacks = ParityCallbacks


class ParityRun(run_module.Run):
    _closing = None

    def options(self):
        command = self._command
        given = dict(command.get("options", {}))
        extra = given.pop("$fields", {})
        given.pop("$construct", None)
        given.pop("$hostEnv", None)
        self._prompt_throws = given.pop("$promptThrows", False)
        throws = given.pop("$stderrThrows", False)
        options = agent_options(
            given, self.callbacks, self.store, command.get("cli"), command.get("cwd"), schema_of
        )
        for name, value in extra.items():
            setattr(options, name, python_value(value, self))
        if options.stderr is not None:
            tell = options.stderr

            def tell_chunk(line):
                self.tell("chunk", text=line)
                tell(line)
                if throws:
                    raise ValueError("mine")

            options.stderr = tell_chunk
        return options

    async def start(self):
        global current
        current = self
        enter_host(self._command.get("options", {}).get("$hostEnv", {}))
        if self._command.get("options", {}).get("$construct"):
            self._client = sdk.ClaudeSDKClient(self.options())
            return None
        return await super().start()

    async def _sent_messages(self):
        if self._prompt_throws:
            yield {"type": "user", "message": {"role": "user", "content": "one"}, "parent_tool_use_id": None}
            raise ValueError("mine")
        async for message in super()._sent_messages():
            yield message

    async def command_close(self, command):
        self._closing = asyncio.ensure_future(super().command_close(command))
        return await self._closing

    async def command_abort(self, command):
        """Cancels what is going on, closing included."""
        if self._closing is not None:
            self._closing.cancel()
        return await super().command_abort(command)

    async def command_call(self, command):
        if command["method"] == "exit":
            # As an interpreter that ends while the loop still runs.
            atexit._run_exitfuncs()
            os._exit(0)
        if command["method"] == "find":
            return find_on_windows(*command["args"])
        return await super().command_call(command)

    def show(self, message):
        return {"message": wire_messages.wire_message(message), "fields": fields_of(message)}

    async def command_transport_write(self, command):
        """Past the public surface: what the transport says to a writer."""
        await self._client._transport.write(command["data"])


BASE_ENVIRONMENT = dict(os.environ)
REAL_SYSTEM = platform.system


def enter_host(environment):
    """The environment of the host from here on, as if the interpreter had been started in it."""
    os.environ.clear()
    os.environ.update(BASE_ENVIRONMENT)
    os.environ.update(environment)
    platform.system = (lambda: "Windows") if environment.get("PARITY_PLATFORM") == "win32" else REAL_SYSTEM
    if environment.get("PARITY_TRACE") == "1":
        enter_span()


def find_on_windows(folders, files):
    """Where `claude` is found on a Windows machine with these folders on its PATH, and these files."""

    def which(name):
        places = [f"{folder}\\{name}{ending}" for folder in folders for ending in ("", ".exe", ".cmd")]
        return next((place for place in places if place in files), None)

    class WindowsPath(pathlib.PureWindowsPath):
        """The newer release looks through PATH itself."""

        home = classmethod(lambda cls: cls("C:\\Users\\me"))
        exists = is_file = lambda self: str(self) in files

    with (
        mock.patch.object(platform, "system", lambda: "Windows"),
        mock.patch.object(shutil, "which", which),
        mock.patch.object(subprocess_cli, "Path", WindowsPath),
        mock.patch.object(os, "pathsep", ";"),
        mock.patch.object(os.path, "isfile", lambda path: str(path) in files),
        mock.patch.object(SubprocessCLITransport, "_find_bundled_cli", lambda self: None),
        mock.patch.dict(os.environ, {"PATH": ";".join(folders)}),
    ):
        transport = SubprocessCLITransport(prompt="", options=sdk.ClaudeAgentOptions())
        found = transport._find_cli()
    return found


def enter_span():
    from opentelemetry import context, trace

    span = trace.NonRecordingSpan(
        trace.SpanContext(int("1" * 32, 16), int("2" * 16, 16), False, trace.TraceFlags(1))
    )
    context.attach(trace.set_span_in_context(span))


def python_value(value, run):
    if isinstance(value, dict) and "$tuple" in value:
        return tuple(value["$tuple"])
    if isinstance(value, dict) and "$path" in value:
        return Path(value["$path"])
    if isinstance(value, dict) and "$mapping_hooks" in value:
        return {
            event: [{"hooks": [run.callbacks.hook(name) for name in names]}]
            for event, names in value["$mapping_hooks"].items()
        }
    if isinstance(value, dict) and "$server_without_instance" in value:
        return {value["$server_without_instance"]: {"type": "sdk", "name": "x"}}
    return value


def fields_of(value):
    """The dataclass with its class, without fields that are unset."""
    if isinstance(value, list):
        return [fields_of(each) for each in value]
    if hasattr(value, "__dataclass_fields__"):
        fields = {name: fields_of(each) for name, each in vars(value).items() if each is not None}
        return {"class": type(value).__name__, **fields}
    return value


current = None


class ParityDriver(driver.Driver):
    make_run = ParityRun


def tell_warning(category, text):
    if current is not None:
        current.tell("warning", category=category, text=text)


class Logs(logging.Handler):
    def emit(self, record):
        tell_warning(f"log:{record.levelname}", record.getMessage())


logging.getLogger("claude_agent_sdk").addHandler(Logs(logging.WARNING))
warnings.simplefilter("always", sdk.CanUseToolShadowedWarning)
warnings.showwarning = lambda message, category, *_: tell_warning(category.__name__, str(message))


def run_loop():
    if SCALE == 1:
        asyncio.run(driver.main(ParityDriver))
        return
    loop = ScaledLoop()
    asyncio.set_event_loop(loop)
    if hasattr(asyncio, "PidfdChildWatcher") and sys.version_info < (3, 12):
        watcher = asyncio.PidfdChildWatcher()
        asyncio.set_child_watcher(watcher)
        watcher.attach_loop(loop)
    loop.run_until_complete(driver.main(ParityDriver))


assert anyio
run_loop()
