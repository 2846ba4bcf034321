"""Callbacks as a `start` command describes them: what the n-th call returns, throws, or waits for."""

import asyncio

from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, PermissionUpdate


class Callbacks:
    """All callbacks of one run."""

    def __init__(self, specs, tell):
        self._specs = specs
        self._tell = tell
        self._calls = {}
        self._cues = {}

    def cue(self, name):
        self._cue(name).set()

    def _cue(self, name):
        return self._cues.setdefault(name, asyncio.Event())

    async def call(self, name, given, **more):
        """Tells of the call, then does what the spec of `name` says for it."""
        spec = self._specs.get(name, {})
        call = self._calls.get(name, 0)
        self._calls[name] = call + 1
        self._tell("callback", name=name, call=call, input=given, **more)
        cue = nth(spec.get("waitFor"), call)
        if cue is not None:
            await self._wait(cue, name, call, spec)
        thrown = nth(spec.get("throws"), call)
        if thrown is not None:
            raise Exception(thrown)
        return nth(spec.get("returns", []), call)

    async def _wait(self, cue, name, call, spec):
        while True:
            try:
                return await self._cue(cue).wait()
            except asyncio.CancelledError:
                # The SDK has no signal: it cancels the task that the callback runs in.
                self._tell("cancelled", name=name, call=call)
                if not spec.get("ignoresAbort"):
                    raise

    def end(self):
        """The run is over: nothing waits any longer, and nothing is told any more."""
        self._tell = lambda *_, **__: None
        for cue in self._cues.values():
            cue.set()

    def can_use_tool(self, name):
        async def ask(tool_name, tool_input, context):
            given = {"tool_name": tool_name, "input": tool_input}
            for field, value in vars(context).items():
                if value is not None and field not in ("signal", "suggestions"):
                    given[field] = value
            given["suggestions"] = [suggestion.to_dict() for suggestion in context.suggestions]
            return permission_result(await self.call(name, given))

        return ask

    def hook(self, name):
        async def run(hook_input, tool_use_id, context):
            more = {} if tool_use_id is None else {"tool_use_id": tool_use_id}
            return raw(await self.call(name, hook_input, **more))

        return run

    def tool(self, name):
        async def handle(arguments):
            value = await self.call(name, arguments)
            if isinstance(value, dict) and "$raw" not in value and "isError" in value:
                value = dict(value)
                value["is_error"] = value.pop("isError")
            return raw(value)

        return handle

    def stderr(self, name):
        return lambda line: self._tell("stderr", text=line)


def nth(given, call):
    """One value for every call, or a list with one for each; the last repeats."""
    if not isinstance(given, list):
        return given
    return given[min(call, len(given) - 1)] if given else None


def raw(value):
    """`{"$raw": value}` is passed as it is, past every translation."""
    return value["$raw"] if isinstance(value, dict) and "$raw" in value else value


def permission_result(value):
    if not isinstance(value, dict):
        return value
    if value.get("behavior") == "allow":
        updates = value.get("updatedPermissions")
        return PermissionResultAllow(
            updated_input=value.get("updatedInput"),
            updated_permissions=None if updates is None else [PermissionUpdate.from_dict(each) for each in updates],
        )
    if value.get("behavior") == "deny":
        return PermissionResultDeny(message=value.get("message", ""), interrupt=value.get("interrupt", False))
    return raw(value)
