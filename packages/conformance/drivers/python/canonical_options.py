"""Canonical options (the TypeScript SDK's names) as ClaudeAgentOptions."""

import json

from claude_agent_sdk import (
    AgentDefinition,
    ClaudeAgentOptions,
    HookMatcher,
    ToolAnnotations,
    create_sdk_mcp_server,
    tool,
)

from kit import Unsupported

# Options that only change their name.
NAMES = {
    "tools": "tools",
    "allowedTools": "allowed_tools",
    "disallowedTools": "disallowed_tools",
    "strictMcpConfig": "strict_mcp_config",
    "permissionMode": "permission_mode",
    "permissionPromptToolName": "permission_prompt_tool_name",
    "continue": "continue_conversation",
    "resume": "resume",
    "resumeSessionAt": "resume_session_at",
    "resumeDropsTurn": "resume_drops_turn",
    "sessionId": "session_id",
    "forkSession": "fork_session",
    "maxTurns": "max_turns",
    "maxBudgetUsd": "max_budget_usd",
    "maxThinkingTokens": "max_thinking_tokens",
    "taskBudget": "task_budget",
    "model": "model",
    "fallbackModel": "fallback_model",
    "betas": "betas",
    "effort": "effort",
    "outputFormat": "output_format",
    "cwd": "cwd",
    "additionalDirectories": "add_dirs",
    "env": "env",
    "extraArgs": "extra_args",
    "maxBufferBytes": "max_buffer_size",
    "includePartialMessages": "include_partial_messages",
    "includeHookEvents": "include_hook_events",
    "forwardSubagentText": "forward_subagent_text",
    "settingSources": "setting_sources",
    "skills": "skills",
    "sandbox": "sandbox",
    "plugins": "plugins",
    "enableFileCheckpointing": "enable_file_checkpointing",
    "sessionStoreFlush": "session_store_flush",
    "loadTimeoutMs": "load_timeout_ms",
    "verbatimPrompts": "verbatim_prompts",
    "clientApp": "client_app",
}
ANNOTATIONS = ("title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "maxResultSizeChars")

def agent_options(options, callbacks, store, cli, cwd, schema_of=lambda schema: schema):
    """`schema_of` turns a tool's schema into what the SDK takes; the parity harness puts Python types in there."""
    fields = {"cli_path": cli}
    if cwd is not None:
        fields["cwd"] = cwd
    for name, value in options.items():
        if value is None:
            continue
        if name in NAMES:
            fields[NAMES[name]] = value
        elif name == "systemPrompt":
            fields["system_prompt"] = system_prompt(value)
        elif name == "settings":
            fields["settings"] = value if isinstance(value, str) else json.dumps(value)
        elif name == "thinking":
            fields["thinking"] = renamed(value, {"budgetTokens": "budget_tokens"})
        elif name == "agents":
            fields["agents"] = {key: AgentDefinition(**agent) for key, agent in value.items()}
        elif name == "mcpServers":
            fields["mcp_servers"] = mcp_servers(value, callbacks, schema_of)
        elif name == "canUseTool":
            fields["can_use_tool"] = callbacks.can_use_tool(value["$callback"])
        elif name == "hooks":
            fields["hooks"] = hooks(value, callbacks)
        elif name == "stderr":
            fields["stderr"] = callbacks.stderr(value["$callback"])
        elif name == "sessionStore":
            fields["session_store"] = store
        else:
            raise Unsupported(f"option {name}")
    return ClaudeAgentOptions(**fields)


def system_prompt(value):
    if isinstance(value, list):
        raise Unsupported("option systemPrompt as a list")
    return renamed(value, {"excludeDynamicSections": "exclude_dynamic_sections"})


def renamed(value, names):
    return {names.get(key, key): each for key, each in value.items()} if isinstance(value, dict) else value


def hooks(by_event, callbacks):
    return {
        event: [
            HookMatcher(
                matcher=matcher.get("matcher"),
                hooks=[callbacks.hook(each["$callback"]) for each in matcher.get("hooks", [])],
                timeout=matcher.get("timeout"),
                # An older release does not have the field.
                **({"on_failure": matcher["onFailure"]} if "onFailure" in matcher else {}),
            )
            for matcher in matchers
        ]
        for event, matchers in by_event.items()
    }


def mcp_servers(value, callbacks, schema_of):
    if not isinstance(value, dict):
        return value
    return {
        name: sdk_server(name, config["$server"], callbacks, schema_of) if "$server" in config else config
        for name, config in value.items()
    }


def sdk_server(key, server, callbacks, schema_of):
    tools = [
        tool(
            each["name"],
            each.get("description", ""),
            schema_of(each.get("inputSchema", {"type": "object", "properties": {}})),
            annotations=annotations(each.get("annotations")),
        )(callbacks.tool(each["handler"]["$callback"]))
        for each in server.get("tools", [])
    ]
    return create_sdk_mcp_server(server.get("name", key), server.get("version", "1.0.0"), tools)


def annotations(value):
    if value is None:
        return None
    return ToolAnnotations(**{name: value[name] for name in ANNOTATIONS if name in value})
