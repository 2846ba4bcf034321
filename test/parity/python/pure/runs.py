"""Runs of the Python SDK beside a CLI, or over a transport of the program's own; the twins of `our-runs.ts`."""

import asyncio
import json

import claude_agent_sdk as sdk
from claude_agent_sdk._internal import transcript_mirror_batcher as batcher
from made_store import Stored
from shown import camel, error_shown, shown, snake

async def any_hook(_input, _tool_use_id, _context):
    return {}


def options_of(call, stored):
    options = {snake(key): value for key, value in call.get("options", {}).items()}
    for ours, theirs in (("continue", "continue_conversation"), ("max_buffer_bytes", "max_buffer_size")):
        if ours in options:
            options[theirs] = options.pop(ours)
    if stored is not None:
        options["session_store"] = stored.as_store()
    if call.get("hooks") == "mapping":
        options["hooks"] = {"PreToolUse": [{"matcher": "Bash", "hooks": [any_hook]}]}
    elif call.get("hooks") == "matcher":
        options["hooks"] = {"PreToolUse": [sdk.HookMatcher(matcher="Bash", hooks=[any_hook])]}
    if "cli" in call:
        options.update(cli_path=call["cli"], env=call["env"], cwd=call["cwd"])
    return sdk.ClaudeAgentOptions(**options)


def shortly(message):
    """Its kind, and its text when it has one."""
    seen = shown(message)
    blocks = seen.get("content")
    text = blocks[0].get("text") if isinstance(blocks, list) and blocks else None
    return seen["kind"] if text is None else f"{seen['kind']}: {text}"


async def within(awaitable, limit_ms, answer):
    try:
        return await asyncio.wait_for(awaitable, limit_ms / 1000)
    except asyncio.TimeoutError:
        answer["hung"] = True
    except Exception as error:  # noqa: BLE001
        answer["error"] = error_shown(error)
    return None


def set_mirror_timeout(seconds):
    """The SDK has no option for it: it is the first default of a dataclass."""
    init = batcher.TranscriptMirrorBatcher.__init__
    init.__defaults__ = (seconds, *init.__defaults__[1:])


async def run(call):
    stored = Stored(call["store"]) if "store" in call else None
    seen = []
    lost = []
    answer = {"messages": seen, "lost": lost}
    set_mirror_timeout(call.get("minuteMs", 60_000) / 1000)

    async def consume():
        stream = sdk.query(prompt=call.get("prompt", "Hi"), options=options_of(call, stored))
        try:
            async for message in stream:
                seen.append(shortly(message))
                if isinstance(message, sdk.MirrorErrorMessage):
                    lost.append(message.error)
                if call.get("breakAt") == len(seen):
                    break
        except Exception:
            if call.get("again"):
                answer["again"] = "over" if await anext(stream, None) is None else "more"
            raise
        finally:
            await stream.aclose()

    await within(consume(), call.get("limitMs", 20_000), answer)
    if stored is not None:
        answer["calls"] = stored.calls
    return answer


async def items_of(items):
    for item in items:
        yield item


class OwnError(Exception):
    pass


class ClientSteps:
    def __init__(self, client):
        self.client = client

    async def connect(self, prompt=None):
        await self.client.connect(prompt)

    async def connect_items(self, items):
        await self.client.connect(items_of(items))

    async def query(self, *arguments):
        await self.client.query(*arguments)

    async def query_items(self, items, *arguments):
        await self.client.query(items_of(items), *arguments)
        return items

    async def receive(self, count=None):
        seen = []
        try:
            async for message in self.client.receive_messages():
                seen.append(shortly(message))
                if len(seen) == count:
                    break
        except Exception as error:  # noqa: BLE001
            return {"messages": seen, "error": error_shown(error)["class"]}
        return {"messages": seen}

    async def receive_response(self):
        return {"messages": [shortly(m) async for m in self.client.receive_response()]}

    async def server_info(self):
        return await self.client.get_server_info()

    async def call(self, method, *arguments):
        value = await getattr(self.client, snake(method))(*arguments)
        # Whether they give the answer is shown by the rows of control requests.
        return value is not None and method.startswith("get")

    async def scope(self, fails):
        try:
            async with self.client as entered:
                assert entered is self.client
                if fails:
                    raise OwnError("mine")
        except OwnError as error:
            return str(error)
        return "left"

    async def disconnect(self):
        await self.client.disconnect()

    async def pause(self, milliseconds):
        await asyncio.sleep(milliseconds / 1000)


async def client(call):
    stored = Stored(call["store"]) if "store" in call else None
    one = sdk.ClaudeSDKClient(options_of(call, stored))
    steps = ClientSteps(one)
    seen = []
    for name, *arguments in call["steps"]:
        answer = {}
        value = await within(
            getattr(steps, snake(name))(*arguments), call.get("limitMs", 10_000), answer
        )
        if value is not None:
            answer["value"] = value
        if "error" in answer:
            error = answer["error"]
            answer.update(error=error["class"], text=error["message"])
        seen.append(answer)
    await within(one.disconnect(), 20_000, {})
    return {"steps": seen}


class OwnTransport(sdk.Transport):
    """Answers `initialize`, and a user message with one turn; then its output ends."""

    def __init__(self):
        self.called = []
        self.written = []
        self.frames = asyncio.Queue()

    async def connect(self):
        self.called.append("connect")

    async def write(self, data):
        frame = json.loads(data)
        self.written.append(frame["type"])
        self.called.append("write")
        if frame["type"] == "control_request":
            answer = {"subtype": "success", "request_id": frame["request_id"], "response": {}}
            self.frames.put_nowait({"type": "control_response", "response": answer})
        else:
            for one in TURN:
                self.frames.put_nowait(one)

    def read_messages(self):
        self.called.append("read")
        return self._read()

    async def _read(self):
        while (frame := await self.frames.get()) is not None:
            yield frame

    async def close(self):
        self.called.append("close")

    def is_ready(self):
        return True

    async def end_input(self):
        self.called.append("end_input")
        self.frames.put_nowait(None)


TURN = [
    {"type": "system", "subtype": "init"},
    {"type": "result", "subtype": "success", "duration_ms": 1, "duration_api_ms": 1, "is_error": False,
     "num_turns": 1, "session_id": "s", "result": "done"},
]


async def transport(call):
    own = OwnTransport()
    stored = Stored(call["store"]) if "store" in call else None
    answer = {}

    async def consume():
        stream = sdk.query(prompt="Hi", options=options_of(call, stored), transport=own)
        return [shortly(message) async for message in stream]

    answer["messages"] = await within(consume(), 10_000, answer)
    answer["written"] = own.written
    answer["called"] = sorted({camel(name) for name in own.called} - {"isReady"})
    if stored is not None:
        answer["calls"] = stored.calls
    return answer
