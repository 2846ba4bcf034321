"""One run: a query() or a client, its callbacks, and the loop over its messages."""

import asyncio

from claude_agent_sdk import ClaudeSDKClient, query

from canonical_options import agent_options
from normal_errors import normal_error
from scripted_callbacks import Callbacks
from memory_store import store_of
from unsupported import Unsupported
from wire_messages import wire_message


CALLS = {
    "interrupt": "interrupt",
    "setPermissionMode": "set_permission_mode",
    "setModel": "set_model",
    "mcpServerStatus": "get_mcp_status",
    "reconnectMcpServer": "reconnect_mcp_server",
    "toggleMcpServer": "toggle_mcp_server",
    "rewindFiles": "rewind_files",
    "stopTask": "stop_task",
    "getContextUsage": "get_context_usage",
    "initializationResult": "get_server_info",
}


class Run:
    def __init__(self, name, command, write, stores):
        self.name = name
        self._command = command
        self._write = write
        self.callbacks = Callbacks(command.get("callbacks", {}), self.tell)
        self.store = store_of(command.get("options", {}).get("sessionStore"), self.callbacks, stores)
        self._client = None
        self._connecting = None
        self._loop = None
        self._prompts = asyncio.Queue()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._leaving = False

    def tell(self, what, **fields):
        self._write({"event": "observed", "run": self.name, "what": what, **fields})

    def options(self):
        command = self._command
        return agent_options(
            command.get("options", {}), self.callbacks, self.store, command.get("cli"), command.get("cwd")
        )

    def show(self, message):
        """What is told of a message."""
        return {"message": wire_message(message)}

    async def start(self):
        options = self.options()
        prompt = self._sent_messages() if self._command.get("stream") else self._command.get("prompt")
        if self._command["mode"] == "query":
            messages = query(prompt=prompt, options=options)
        else:
            self._client = ClaudeSDKClient(options)
            self._connecting = asyncio.ensure_future(self._client.connect(prompt))
            await self._connecting
            messages = self._client.receive_messages()
        self._loop = asyncio.ensure_future(self._read(messages))
        return None

    async def _read(self, messages):
        left = self._command.get("breakAfter", -1)
        try:
            while not self._leaving and left != 0:
                await self._flowing.wait()
                try:
                    message = await messages.__anext__()
                except StopAsyncIteration:
                    self.tell("end")
                    break
                self.tell("message", **self.show(message))
                left -= 1
        except asyncio.CancelledError as error:
            if not self._leaving:
                self.tell("error", error=normal_error(error))
        except Exception as error:  # noqa: BLE001 - what the loop throws is told
            self.tell("error", error=normal_error(error))
        finally:
            await messages.aclose()

    async def _sent_messages(self):
        while True:
            frame, taken = await self._prompts.get()
            taken.set_result(None)
            if frame is None:
                return
            yield frame

    async def _hand_over(self, frame):
        taken = asyncio.get_running_loop().create_future()
        self._prompts.put_nowait((frame, taken))
        await taken

    async def command_send(self, command):
        content = command.get("content")
        fields = command.get("fields", {})
        frame = {"type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": None, **fields}
        if self._command.get("stream"):
            return await self._hand_over(frame)
        if self._client is None:
            raise Unsupported("send to a query with a string prompt")
        if isinstance(content, str) and set(fields) <= {"session_id"}:
            return await self._client.query(content, **fields)
        return await self._client.query(one(frame))

    async def command_end_input(self, _command):
        if not self._command.get("stream"):
            raise Unsupported("end_input without a prompt stream")
        return await self._hand_over(None)

    async def command_call(self, command):
        if self._client is None:
            raise Unsupported("query() has no methods in Python")
        method = command["method"]
        name = CALLS.get(method, method)
        if not hasattr(self._client, name):
            raise Unsupported(f"method {method}")
        value = await getattr(self._client, name)(*command.get("args", []))
        # The TypeScript method returns the list itself.
        return value.get("mcpServers") if method == "mcpServerStatus" else value

    async def command_pause(self, _command):
        self._flowing.clear()

    async def command_resume(self, _command):
        self._flowing.set()

    async def command_break(self, _command):
        await self._leave()

    async def command_close(self, _command):
        if self._client is not None:
            await self._client.disconnect()
        else:
            raise Unsupported("query() cannot be closed in Python, only left")

    async def command_abort(self, _command):
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
        for _, taken in drain(self._prompts):
            taken.set_result(None)
        if self._connecting is not None and not self._connecting.done():
            self._connecting.cancel()
        if self._client is not None:
            await self._client.disconnect()
        await self._leave()


def drain(queue):
    while not queue.empty():
        yield queue.get_nowait()


async def one(frame):
    yield frame
