"""The store that `{"$store": NAME, "seed"?, "before"?}` stands for."""

import claude_agent_sdk as sdk


class MemoryStore(sdk.InMemorySessionStore):
    """The SDK's own store, which also remembers its keys. `before` may let a method fail or wait.

    A seed whose key names no project fits every project.
    """

    def __init__(self, seed, before):
        super().__init__()
        self._keys = {}
        self._seed = seed
        self._before = before

    async def append(self, key, entries):
        await self._before("append", {"key": wire_key(key), "entries": entries})
        await self._plant(key["project_key"])
        await super().append(key, entries)
        self._keys.setdefault("/".join(key.values()), key)

    async def load(self, key):
        await self._before("load", {"key": wire_key(key)})
        await self._plant(key["project_key"])
        return await super().load(key)

    async def list_sessions(self, project_key):
        await self._before("listSessions", {"projectKey": project_key})
        await self._plant(project_key)
        return await super().list_sessions(project_key)

    async def list_subkeys(self, key):
        await self._before("listSubkeys", {"key": wire_key(key)})
        await self._plant(key["project_key"])
        return await super().list_subkeys(key)

    async def delete(self, key):
        await self._before("delete", {"key": wire_key(key)})
        await super().delete(key)

    async def _plant(self, project_key):
        """Puts the seeds in place as soon as the project is known."""
        seed, self._seed = self._seed, []
        for each in seed:
            given = each["key"]
            key = {"project_key": given.get("projectKey", project_key), "session_id": given["sessionId"]}
            if "subpath" in given:
                key["subpath"] = given["subpath"]
            await super().append(key, each["entries"])
            self._keys["/".join(key.values())] = key

    def held(self):
        return [{"key": wire_key(key), "entries": self.get_entries(key)} for key in self._keys.values()]


def store_of(given, callbacks, stores):
    """One name is one store, until `finish`."""
    if given is None:
        return None
    name = given["$store"]
    if name not in stores:
        before = given.get("before", {})

        async def run_before(method, value):
            if method in before and callbacks is not None:
                await callbacks.call(before[method]["$callback"], value)

        stores[name] = MemoryStore(given.get("seed", []), run_before)
    return stores[name]


def wire_key(key):
    return {camel(name): part for name, part in key.items()}


def camel(name):
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)
