"""A store made to order; the twin of `made-store.ts`."""

import asyncio
import types

import claude_agent_sdk as sdk
from shown import keys_in_camel, snake

METHODS = ("append", "load", "listSessions", "listSessionSummaries", "delete", "listSubkeys")


class Stored:
    """A store made to order: what is in it, what it fails at, and what it was asked."""

    def __init__(self, spec):
        self.spec = spec
        self.calls = []
        self.at_once = 0
        self.most_at_once = 0

    def as_store(self):
        wanted = self.spec.get("methods", METHODS)
        return types.SimpleNamespace(
            **{snake(name): getattr(self, snake(name)) for name in wanted}
        )

    async def _asked(self, method, key, **more):
        self.calls.append({"method": method, "key": key, **more})
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            delay = self.spec.get("delayMs", {}).get(method, 0)
            await asyncio.sleep(delay / 1000)
        finally:
            self.at_once -= 1
        fails = self.spec.get("fails", {})
        asked = key.get("sessionId", "") if isinstance(key, dict) else key
        reason = fails.get(f"{method} {asked}", fails.get(method))
        if reason is not None:
            raise OSError(reason)

    def _sessions(self):
        return self.spec.get("sessions", {})

    async def append(self, key, entries):
        await self._asked("append", keys_in_camel(key), entries=entries)

    async def load(self, key):
        await self._asked("load", keys_in_camel(key))
        session = self._sessions().get(key["session_id"])
        if session is None:
            return None
        if key.get("subpath") is None:
            return session.get("entries")
        return session.get("below", {}).get(key["subpath"])

    async def list_sessions(self, project_key):
        await self._asked("listSessions", project_key)
        return [
            {"session_id": name, "mtime": session["mtime"]}
            for name, session in self._sessions().items()
            if session.get("isListed", True)
        ]

    async def list_session_summaries(self, project_key):
        await self._asked("listSessionSummaries", project_key)
        return [
            {
                **sdk.fold_session_summary(
                    None, {"project_key": project_key, "session_id": name}, session["entries"]
                ),
                "mtime": session["summaryMtime"],
            }
            for name, session in self._sessions().items()
            if "summaryMtime" in session
        ]

    async def delete(self, key):
        await self._asked("delete", keys_in_camel(key))

    async def list_subkeys(self, key):
        await self._asked("listSubkeys", keys_in_camel(key))
        return list(self._sessions().get(key["session_id"], {}).get("below", {}))
