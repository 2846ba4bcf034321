"""One run: a query() or a client of the official SDK, over the kit."""

import asyncio

from claude_agent_sdk import ClaudeSDKClient, query

from canonical_options import agent_options
from kit import END, Session, Unsupported
from memory_store import store_of
from normal_errors import normal_error
from scripted_callbacks import Callbacks
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


class Run(Session):
    has_query = True

    def __init__(self, name, command, write, stores):
        super().__init__(name, command, write, stores)
        self.store = store_of(command.get("options", {}).get("sessionStore"), self.callbacks, stores)
        self._client = None
        self._prompts = asyncio.Queue()
        self._messages = None

    def make_callbacks(self, specs):
        return Callbacks(specs, self.tell)

    def normal_error(self, error):
        return normal_error(error)

    def options(self):
        command = self._command
        return agent_options(
            command.get("options", {}), self.callbacks, self.store, command.get("cli"), command.get("cwd")
        )

    def show(self, message):
        return {"message": wire_message(message)}

    def open(self):
        if self.is_text:
            raise Unsupported("a prompt that is given as text")
        options = self.options()
        if self.is_query:
            self._messages = query(prompt=self._prompt(), options=options)
        else:
            self._client = ClaudeSDKClient(options)

    def _prompt(self):
        return self._sent_messages() if self._command.get("stream") else self._command.get("prompt")

    async def connect(self):
        await self._client.connect(self._prompt())
        self._messages = self._client.receive_messages()

    async def receive(self):
        try:
            return await self._messages.__anext__()
        except StopAsyncIteration:
            return END

    async def left(self):
        if self._messages is not None:
            await self._messages.aclose()

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

    async def send(self, content, fields):
        frame = {"type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": None, **fields}
        if self._command.get("stream"):
            return await self._hand_over(frame)
        if isinstance(content, str) and set(fields) <= {"session_id"}:
            return await self._client.query(content, **fields)
        return await self._client.query(one(frame))

    async def end_input(self):
        return await self._hand_over(None)

    async def call(self, method, args):
        if self._client is None:
            raise Unsupported("query() has no methods in Python")
        name = CALLS.get(method, method)
        if not hasattr(self._client, name):
            raise Unsupported(f"method {method}")
        value = await getattr(self._client, name)(*args)
        # The TypeScript method returns the list itself.
        return value.get("mcpServers") if method == "mcpServerStatus" else value

    async def disconnect(self):
        if self._client is None:
            raise Unsupported("query() cannot be closed in Python, only left")
        await self._client.disconnect()

    def release(self):
        for _, taken in drain(self._prompts):
            taken.set_result(None)


def drain(queue):
    while not queue.empty():
        yield queue.get_nowait()


async def one(frame):
    yield frame
