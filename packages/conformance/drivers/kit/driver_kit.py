"""Kit for conformance drivers in Python: the driver protocol (DRIVERS.md of claudewire-conformance) in one file.

Copy it beside your driver, and give `serve` a `Hello` and a subclass of `Session` for your SDK. It needs the standard
library alone, and runs on asyncio. A client-only SDK gets `query` by the mapping in DRIVERS.md, "Query on a client".
"""

import asyncio
import json
import os
import sys
from dataclasses import dataclass, field

# What the kit can do with a client: it adds these to the features of an SDK without a query of its own.
MAPPED = ("query", "query-stream", "query:client", "query:methods", "query:close", "client", "pause", "break")
# Messages may still be on their way when `disconnect` has returned: the loop gets this long to end by itself.
LOOP_LAG_S = 2
STDIN_LIMIT = 256 * 1024 * 1024
END = object()


class Unsupported(Exception):
    """The SDK has no such thing. The driver answers `unsupported`, which is not a failure."""


@dataclass
class Hello:
    driver: str
    sdk: str
    version: str
    features: list = field(default_factory=list)


class Session:
    """One session of the SDK. Override the methods of the first part."""

    # True if the SDK has a query that ends by itself. Otherwise the kit maps `query` onto a client.
    has_query = False

    # ---- what a driver overrides

    def open(self):
        """Makes the session, without starting anything. Raises Unsupported for an option that the SDK does not have."""

    async def connect(self):
        """Starts the CLI. Not called for a native query."""

    async def send(self, content, fields):
        """Hands over a user message: a text or a list of blocks, and more fields of the frame."""
        raise Unsupported("send")

    async def receive(self):
        """The next message, or END. It is reported by `show`."""
        return END

    async def disconnect(self):
        """Closes the session."""
        raise Unsupported("close")

    async def call(self, method, args):
        raise Unsupported(f"method {method}")

    # None: there is no way to end the input and read on; the kit disconnects instead.
    end_input = None

    async def left(self):
        """The loop is over, whatever the reason."""

    def release(self):
        """The run is over: lets go of what still waits, before it is disconnected."""

    def show(self, message):
        """What is told of a message: a frame, with the names of the wire."""
        return {"message": message}

    def normal_error(self, error):
        """An error as the driver protocol has it. `kind` is one of those in DRIVERS.md."""
        kind = "aborted" if isinstance(error, asyncio.CancelledError) else "other"
        return {"kind": kind, "message": str(error), "class": type(error).__name__}

    def make_callbacks(self, specs):
        return Callbacks(specs, self.tell, self._end_if_nothing_is_owed)

    # ---- what it may use

    @property
    def given_options(self):
        """Under the official TypeScript SDK's names. `{"$callback": NAME}` stands for a function."""
        return self._command.get("options", {})

    @property
    def cli(self):
        """The program to run as the CLI."""
        return self.given_options.get("pathToClaudeCodeExecutable", self._command.get("cli"))

    @property
    def cwd(self):
        return self._command.get("cwd")

    def tell(self, what, **fields):
        self._write({"event": "observed", "run": self.name, "what": what, **fields})

    # ---- the protocol

    def __init__(self, name, command, write, stores):
        self.name = name
        self.stores = stores
        # A one-shot query that gives its prompt as text: only with the feature `query:text`.
        self.is_text = command["mode"] == "text"
        self.is_query = command["mode"] == "query" or self.is_text
        self.is_mapped = self.is_query and not self.is_text and not self.has_query
        self._command = command
        self._write = write
        self._connecting = None
        self._is_open = False
        self._loop = None
        self._closing = None
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._leaving = False
        self._is_late = False
        self._is_input_over = False
        # A message was sent and no result has come since: the CLI may answer several messages by one result.
        self._is_owed = False
        self._in_flight = 0
        self._is_ending = False
        self.callbacks = self.make_callbacks(command.get("callbacks", {}))

    async def start(self):
        self.open()
        self._is_open = True
        if not self.is_query or self.is_mapped:
            self._connecting = asyncio.ensure_future(self.connect())
        if not self.is_query:
            await self._connecting
        self._loop = asyncio.ensure_future(self._read())

    async def _read(self):
        try:
            if self._connecting is not None:
                await self._connecting
            prompt = self._command.get("prompt")
            if self.is_mapped and prompt is not None:
                await self._fly(self.send(prompt, {}), is_message=True)
                self._is_input_over = True
                self._end_if_nothing_is_owed()
            await self._read_until_left()
        except asyncio.CancelledError as error:
            if self._is_late:
                self.tell("end")
            elif not self._leaving:
                self.tell("error", error=self.normal_error(error))
        except Exception as error:  # noqa: BLE001 - what the loop throws is told
            normal = self.normal_error(error)
            # The user has closed it: that is no failure of a client.
            if self.is_mapped and self._closing is not None and normal["kind"] == "closed":
                self.tell("end")
            else:
                self.tell("error", error=normal)
        finally:
            await self.left()

    async def _read_until_left(self):
        left = self._command.get("breakAfter", -1)
        while not self._leaving and left != 0:
            await self._flowing.wait()
            message = await self.receive()
            if message is END:
                self.tell("end")
                return
            shown = self.show(message)
            self.tell("message", **shown)
            left -= 1
            if shown["message"].get("type") == "result":
                self._is_owed = False
            self._end_if_nothing_is_owed()
        if self.is_mapped and left == 0:
            await self._close()

    async def _fly(self, work, is_message=False):
        self._in_flight += 1
        self._is_owed = self._is_owed or is_message
        try:
            if self.is_mapped and self._connecting is not None and not self._connecting.done():
                await asyncio.shield(self._connecting)
            return await work
        finally:
            self._in_flight -= 1
            self._end_if_nothing_is_owed()

    def _end_if_nothing_is_owed(self):
        """Query on a client: what its user does when every answer has come."""
        is_open = not self._is_input_over or self._is_owed or self._in_flight > 0 or self.callbacks.open > 0
        if not self.is_mapped or self._is_ending or is_open:
            return
        self._is_ending = True
        self._ending = asyncio.ensure_future(self._end_query())

    async def _end_query(self):
        try:
            await (self._close() if self.end_input is None else self.end_input())
        except Exception as error:  # noqa: BLE001 - a close that fails is how the loop ends
            self._leaving = True
            self._loop.cancel()
            self.tell("error", error=self.normal_error(error))

    def _close(self):
        """Disconnects once. Whoever asks again waits for the first."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self.disconnect())
            if self.is_mapped:
                self._closing.add_done_callback(
                    lambda _: asyncio.get_running_loop().call_later(LOOP_LAG_S, self._give_up_loop)
                )
        return asyncio.shield(self._closing)

    def _give_up_loop(self):
        if self._loop is not None and not self._loop.done() and not self._leaving:
            self._is_late = True
            self._loop.cancel()

    async def command_send(self, command):
        if self.is_query and not self._command.get("stream"):
            raise Unsupported("send to a query with a text as its prompt")
        return await self._fly(self.send(command.get("content"), command.get("fields", {})), is_message=True)

    async def command_end_input(self, _command):
        if not self._command.get("stream"):
            raise Unsupported("end_input without a prompt stream")
        if not self.is_mapped:
            return await self.end_input()
        self._is_input_over = True
        self._end_if_nothing_is_owed()

    async def command_call(self, command):
        return await self._fly(self.call(command["method"], command.get("args", [])))

    async def command_pause(self, _command):
        self._flowing.clear()

    async def command_resume(self, _command):
        self._flowing.set()

    async def command_break(self, _command):
        await self._leave()
        if self.is_mapped:
            await self._close()

    async def command_close(self, _command):
        await (self._close() if self.is_mapped else self.disconnect())

    async def command_abort(self, _command):
        """Cancels the tasks, as the user of an SDK on asyncio would."""
        for task in (self._connecting, self._loop):
            if task is not None:
                task.cancel()

    async def command_cue(self, command):
        self.callbacks.cue(command["name"])

    async def _leave(self):
        """Ends the loop where it stands, as `break` does: a wait for the next message is given up."""
        if self._loop is None or self._loop.done():
            return
        self._leaving = True
        self._flowing.set()
        self._loop.cancel()
        await asyncio.wait([self._loop])

    async def end(self):
        self.callbacks.end()
        self.release()
        if self._connecting is not None and not self._connecting.done():
            self._connecting.cancel()
        try:
            # What was never opened has nothing to close.
            if self._is_open:
                await (self._close() if self.is_mapped else self.disconnect())
        except Unsupported:
            pass
        finally:
            await self._leave()


class Callbacks:
    """The callbacks of one run, as its `start` command describes them: what a call returns, throws or waits for."""

    def __init__(self, specs, tell, on_idle=lambda: None):
        self._specs = specs
        self._tell = tell
        self._on_idle = on_idle
        self._calls = {}
        self._cues = {}
        # Calls that go on.
        self.open = 0

    async def call(self, name, given, **more):
        """Tells of the call, then does what the spec of `name` says for it. `given` is its first argument."""
        spec = self._specs.get(name, {})
        call = self._calls.get(name, 0)
        self._calls[name] = call + 1
        self._tell("callback", name=name, call=call, input=given, **more)
        self.open += 1
        try:
            cue = nth(spec.get("waitFor"), call)
            if cue is not None:
                await self._wait(cue, name, call, spec)
        finally:
            self.open -= 1
            # The answer is written first.
            if self.open == 0:
                asyncio.get_running_loop().call_later(0.01, self._on_idle)
        thrown = nth(spec.get("throws"), call)
        if thrown is not None:
            raise Exception(thrown)
        return nth(spec.get("returns", []), call)

    async def _wait(self, cue, name, call, spec):
        while True:
            try:
                return await self._cue(cue).wait()
            except asyncio.CancelledError:
                # Without a signal, the task is cancelled that the callback runs in.
                self._tell("cancelled", name=name, call=call)
                if not spec.get("ignoresAbort"):
                    raise

    def stderr(self, name):
        return lambda line: self._tell("stderr", text=line)

    def cue(self, name):
        """Lets the calls go on that wait for it, and those that will."""
        self._cue(name).set()

    def _cue(self, name):
        return self._cues.setdefault(name, asyncio.Event())

    def end(self):
        """The run is over: nothing waits any longer, and nothing is told any more."""
        self._tell = lambda *_, **__: None
        for cue in self._cues.values():
            cue.set()


def nth(given, call):
    """One value for every call, or a list with one for each; the last repeats."""
    if not isinstance(given, list):
        return given
    return given[min(call, len(given) - 1)] if given else None


def raw(value):
    """`{"$raw": value}` is passed as it is, past every translation."""
    return value["$raw"] if isinstance(value, dict) and "$raw" in value else value


class Driver:
    """Reads commands and answers them. Commands run side by side: a call may wait while others go on."""

    make_run = Session
    hello = Hello("mine", "sdk", "0")

    def __init__(self, write):
        self._write = write
        self._runs = {}
        self._stores = {}
        self._tasks = set()

    async def session_function(self, command, stores):
        """A function over stored sessions."""
        raise Unsupported(f"function {command['function']}")

    def normal_error(self, error):
        return self.make_run.normal_error(None, error)

    async def serve(self, reader):
        hello = self.hello
        free = () if self.make_run.has_query else MAPPED
        self._write({
            "event": "hello", "protocol": 1, "driver": hello.driver, "sdk": hello.sdk, "version": hello.version,
            "language": "python", "features": list(dict.fromkeys([*hello.features, *free])),
        })
        while line := await reader.readline():
            task = asyncio.ensure_future(self._answer(json.loads(line)))
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
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - every failure is an answer
            reply["error"] = self.normal_error(error)
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
        if name == "sessions":
            return await self.session_function(command, self._stores)
        run = self._runs.get(run_name)
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


async def main(driver_class):
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=STDIN_LIMIT)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await driver_class(line_writer()).serve(reader)


def serve(hello, session):
    """Speaks the driver protocol on stdin and stdout until stdin ends."""
    asyncio.run(main(type("PortDriver", (Driver,), {"hello": hello, "make_run": session})))
