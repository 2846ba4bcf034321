"""Stands in for an SDK: it starts the CLI, and reads and writes its frames. Delete it when your SDK is in its place."""

import asyncio
import json
import os

ARGS = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"]
HIDDEN = ("control_request", "control_response", "control_cancel_request", "keep_alive", "transcript_mirror")
LONGEST_LINE = 64 * 1024 * 1024
# How long the CLI has to leave after the end of its input.
EXIT_GRACE_S = 5


class HostError(Exception):
    pass


class HostClosed(HostError):
    pass


class CliExited(HostError):
    def __init__(self, exit_code):
        super().__init__(f"the CLI exited with {exit_code}")
        self.exit_code = exit_code


class Host:
    def __init__(self, cli, cwd, args):
        self._command = [cli, *ARGS, *args]
        self._cwd = cwd
        self._process = None
        self._inbox = asyncio.Queue()
        self._waiting = {}
        self._is_closing = False

    async def connect(self):
        self._process = await asyncio.create_subprocess_exec(
            *self._command, cwd=self._cwd, env={**os.environ, "CLAUDE_CODE_ENTRYPOINT": "mini-host"},
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LONGEST_LINE,
        )
        self._reader = asyncio.ensure_future(self._read())
        try:
            await self.request({"subtype": "initialize"})
        except HostClosed:
            # It has left before it answered: its exit code says more.
            await self.receive()
            raise

    async def send(self, content, fields):
        message = {"role": "user", "content": content}
        self._write({"type": "user", "message": message, "parent_tool_use_id": None, "session_id": "", **fields})
        await self._process.stdin.drain()

    async def request(self, request):
        """Sends a control request and waits for its answer."""
        request_id = f"mini_{len(self._waiting) + 1}"
        answer = self._waiting[request_id] = asyncio.get_running_loop().create_future()
        self._write({"type": "control_request", "request_id": request_id, "request": request})
        return await answer

    async def receive(self):
        """The next message; None when the CLI has left in order."""
        message = await self._inbox.get()
        if message is not None:
            return message
        self._inbox.put_nowait(None)
        exit_code = await self._process.wait()
        if exit_code != 0 and not self._is_closing:
            raise CliExited(exit_code)
        return None

    async def close(self):
        """Ends the input, and the CLI when it does not leave then."""
        if self._process is None:
            return
        self._is_closing = True
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), EXIT_GRACE_S)
        except asyncio.TimeoutError:
            self._process.kill()
            await self._process.wait()

    def _write(self, frame):
        # One line, whole: no other frame can come in between.
        if self._process.stdin.is_closing():
            raise HostClosed("the session is over")
        self._process.stdin.write((json.dumps(frame) + "\n").encode())

    async def _read(self):
        while line := await self._process.stdout.readline():
            try:
                frame = json.loads(line.decode("utf-8", "replace"))
            except ValueError:
                continue
            if isinstance(frame, dict):
                self._take(frame)
        self._process.stdin.close()
        self._inbox.put_nowait(None)
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(HostClosed("the CLI has left"))

    def _take(self, frame):
        kind = frame.get("type")
        if kind == "control_response":
            response = frame.get("response", {})
            answer = self._waiting.get(response.get("request_id"))
            if answer is None or answer.done():
                return
            if response.get("subtype") == "error":
                answer.set_exception(HostError(response.get("error", "")))
            else:
                answer.set_result(response.get("response"))
        elif kind == "control_request":
            error = {"subtype": "error", "request_id": frame.get("request_id"), "error": "not supported"}
            self._write({"type": "control_response", "response": error})
        elif kind not in HIDDEN:
            self._inbox.put_nowait(frame)
