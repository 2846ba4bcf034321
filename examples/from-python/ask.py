"""Asks one question, and allows commands that only read."""

import asyncio

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    TextBlock,
)


async def allow_reading(name, tool_input, context):
    if tool_input.get("command", "").startswith("wc "):
        return PermissionResultAllow()
    return PermissionResultDeny(message="Only reading is allowed.")


async def main():
    options = ClaudeAgentOptions(
        system_prompt="Answer in one sentence.",
        allowed_tools=["Read", "Grep"],
        max_turns=3,
        env={"REPORT_LANGUAGE": "en"},
        can_use_tool=allow_reading,
    )
    async with ClaudeSDKClient(options) as client:
        await client.query("How many lines does README.md have?")
        async for message in client.receive_response():
            if isinstance(message, AssistantMessage):
                for block in message.content:
                    if isinstance(block, TextBlock):
                        print(block.text)
            elif isinstance(message, ResultMessage):
                print(f"{message.num_turns} turns, ${message.total_cost_usd:.4f}")


asyncio.run(main())
