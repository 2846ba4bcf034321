"""A conformance driver. It passes L0 as it is, because `mini_host.py` stands in for an SDK.

To drive your SDK: replace every use of `Host` below by your SDK, and delete `mini_host.py`. Then add features, level by
level: DRIVERS.md of claudewire-conformance.
"""

from driver_kit import END, Hello, Session, Unsupported, serve
from mini_host import CliExited, Host, HostClosed, HostError

HELLO = Hello(
    driver="mine",
    # What this host fails is `unsupported`. Name your SDK to have it judged.
    sdk="mini-host",
    version="0.1.0",
    # Name only what is true. The kit adds `query` and what else it can do with a client.
    features=[
        *("messages:frames", "messages:ids", "messages:figures", "environment:merged", "prompt:text"),
        *("initialize", "initialize:awaited"),
    ],
)


class MySession(Session):
    def open(self):
        args = []
        for name, value in self.given_options.items():
            if name == "model":
                args += ["--model", value]
            elif name != "pathToClaudeCodeExecutable":
                raise Unsupported(f"option {name}")
        self.host = Host(self.cli, self.cwd, args)

    async def connect(self):
        await self.host.connect()

    async def send(self, content, fields):
        await self.host.send(content, fields)

    async def receive(self):
        message = await self.host.receive()
        return END if message is None else message

    async def disconnect(self):
        await self.host.close()

    def normal_error(self, error):
        """Your SDK's errors, as the driver protocol has them."""
        normal = {"kind": "other", "message": str(error), "class": type(error).__name__}
        if isinstance(error, FileNotFoundError):
            normal["kind"] = "not_found"
        elif isinstance(error, HostClosed):
            normal["kind"] = "closed"
        elif isinstance(error, CliExited):
            normal |= {"kind": "process_exit", "exit_code": error.exit_code}
        elif isinstance(error, HostError):
            normal["kind"] = "control"
        return normal


if __name__ == "__main__":
    serve(HELLO, MySession)
