"""Callbacks as a `start` command describes them: what the n-th call returns, throws, or waits for."""

from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, PermissionUpdate

import kit
from kit import raw


class Callbacks(kit.Callbacks):
    """All callbacks of one run, in the shapes of the SDK."""

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
