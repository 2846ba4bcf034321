"""Messages of the Python SDK written back as frames. What the SDK does not expose is left out."""

from claude_agent_sdk import (
    AssistantMessage,
    ConversationResetMessage,
    RateLimitEvent,
    ResultMessage,
    ServerToolResultBlock,
    ServerToolUseBlock,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

RESULT_NAMES = {"model_usage": "modelUsage"}


def wire_message(message):
    if isinstance(message, UserMessage):
        frame = {"type": "user", "message": {"role": "user", "content": wire_content(message.content)}}
        frame["parent_tool_use_id"] = message.parent_tool_use_id
        return frame | present(message, "uuid", "tool_use_result", "origin")
    if isinstance(message, AssistantMessage):
        inner = {"role": "assistant", "model": message.model, "content": wire_content(message.content)}
        inner |= present(message, "usage", "stop_reason")
        if message.message_id is not None:
            inner["id"] = message.message_id
        frame = {"type": "assistant", "message": inner, "parent_tool_use_id": message.parent_tool_use_id}
        return frame | present(message, "error", "session_id", "uuid")
    if isinstance(message, SystemMessage):
        return message.data
    if isinstance(message, ResultMessage):
        fields = {name: value for name, value in vars(message).items() if value is not None}
        deferred = fields.get("deferred_tool_use")
        if deferred is not None:
            fields["deferred_tool_use"] = vars(deferred)
        return {"type": "result"} | {RESULT_NAMES.get(name, name): value for name, value in fields.items()}
    if isinstance(message, StreamEvent):
        return {"type": "stream_event", **vars(message)}
    if isinstance(message, RateLimitEvent):
        info = {"rate_limit_info": message.rate_limit_info.raw}
        return {"type": "rate_limit_event", **info} | present(message, "uuid", "session_id")
    if isinstance(message, ConversationResetMessage):
        return {"type": "conversation_reset", **vars(message)}
    return {"type": type(message).__name__, **vars(message)}


def wire_content(content):
    return [wire_block(block) for block in content] if isinstance(content, list) else content


def wire_block(block):
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    if isinstance(block, ThinkingBlock):
        return {"type": "thinking", **vars(block)}
    if isinstance(block, ToolUseBlock):
        return {"type": "tool_use", **vars(block)}
    if isinstance(block, ToolResultBlock):
        head = {"type": "tool_result", "tool_use_id": block.tool_use_id}
        return head | present(block, "content", "is_error")
    if isinstance(block, ServerToolUseBlock):
        return {"type": "server_tool_use", **vars(block)}
    if isinstance(block, ServerToolResultBlock):
        return {"type": "advisor_tool_result", **vars(block)}
    return {"type": type(block).__name__, **vars(block)}


def present(value, *names):
    return {name: getattr(value, name) for name in names if getattr(value, name) is not None}
