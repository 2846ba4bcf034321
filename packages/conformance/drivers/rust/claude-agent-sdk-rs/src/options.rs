use claude_agent_sdk_rs::types::mcp::{McpHttpServerConfig, McpSseServerConfig, McpStdioServerConfig};
use claude_agent_sdk_rs::{ClaudeAgentOptions, McpServerConfig, McpServers, SystemPrompt};
use serde_json::{Value, json};
use std::collections::HashMap;

use crate::callbacks::{can_use_tool, hooks, server};
use crate::driver_kit::{Callbacks, Failure, Start, callback_name};
use crate::values::{flags, json_text, text, texts, typed, whole};

/// Options under the official TypeScript SDK's names as those of the crate.
pub fn agent_options(start: Start) -> Result<ClaudeAgentOptions, Failure> {
    let Start { options, cli, cwd, callbacks, .. } = start;
    let mut to = ClaudeAgentOptions { cli_path: Some(cli.into()), cwd: Some(cwd.into()), ..Default::default() };
    for (name, value) in options.iter().filter(|(_, value)| !value.is_null()) {
        set(&mut to, name, value, &callbacks)?;
    }
    Ok(to)
}

fn set(to: &mut ClaudeAgentOptions, name: &str, value: &Value, callbacks: &Callbacks) -> Result<(), Failure> {
    match name {
        "pathToClaudeCodeExecutable" => (),
        "tools" => to.tools = Some(whole(name, value)?),
        "allowedTools" => to.allowed_tools = texts(name, value)?,
        "disallowedTools" => to.disallowed_tools = texts(name, value)?,
        "systemPrompt" => to.system_prompt = Some(whole::<SystemPrompt>(name, value)?),
        "mcpServers" => to.mcp_servers = mcp_servers(value, callbacks)?,
        "permissionMode" => to.permission_mode = Some(typed(name, value)?),
        "permissionPromptToolName" => to.permission_prompt_tool_name = Some(text(name, value)?),
        "continue" => to.continue_conversation = *value == json!(true),
        "resume" => to.resume = Some(text(name, value)?),
        "forkSession" => to.fork_session = *value == json!(true),
        "maxTurns" => to.max_turns = Some(typed(name, value)?),
        "maxBudgetUsd" => to.max_budget_usd = Some(typed(name, value)?),
        "maxThinkingTokens" => to.max_thinking_tokens = Some(typed(name, value)?),
        "model" => to.model = Some(text(name, value)?),
        "fallbackModel" => to.fallback_model = Some(text(name, value)?),
        "betas" => to.betas = typed(name, value)?,
        "cwd" => to.cwd = Some(text(name, value)?.into()),
        "settings" => to.settings = Some(json_text(value)),
        "sandbox" => to.sandbox = Some(whole(name, value)?),
        "settingSources" => to.setting_sources = Some(typed(name, value)?),
        "additionalDirectories" => to.add_dirs = typed(name, value)?,
        "env" => to.env = typed(name, value)?,
        "extraArgs" => to.extra_args = flags(name, value)?,
        "maxBufferBytes" => to.max_buffer_size = Some(typed(name, value)?),
        "includePartialMessages" => to.include_partial_messages = *value == json!(true),
        "outputFormat" => to.output_format = Some(value.clone()),
        "plugins" => to.plugins = typed(name, value)?,
        "enableFileCheckpointing" => to.enable_file_checkpointing = *value == json!(true),
        "agents" => to.agents = Some(whole(name, value)?),
        "stderr" => to.stderr_callback = Some(stderr(value, callbacks)?),
        "canUseTool" => to.can_use_tool = Some(can_use_tool(value, callbacks)?),
        "hooks" => to.hooks = Some(hooks(value, callbacks)?),
        other => return Err(Failure::unsupported(format!("option {other}"))),
    }
    Ok(())
}

fn stderr(value: &Value, callbacks: &Callbacks) -> Result<std::sync::Arc<dyn Fn(String) + Send + Sync>, Failure> {
    callback_name(value).ok_or_else(|| Failure::unsupported("option stderr that is no callback"))?;
    let callbacks = callbacks.clone();
    // A line comes with its newline, which is no part of its text.
    Ok(std::sync::Arc::new(move |line: String| callbacks.stderr(line.trim_end_matches(['\r', '\n']))))
}

fn mcp_servers(value: &Value, callbacks: &Callbacks) -> Result<McpServers, Failure> {
    if let Some(file) = value.as_str() {
        return Ok(McpServers::Path(file.into()));
    }
    let mut servers = HashMap::new();
    for (name, config) in value.as_object().into_iter().flatten() {
        let config = match config.get("$server") {
            Some(given) => McpServerConfig::Sdk(server(name, given, callbacks)?),
            None => external(config)?,
        };
        servers.insert(name.clone(), config);
    }
    Ok(McpServers::Dict(servers))
}

fn external(config: &Value) -> Result<McpServerConfig, Failure> {
    let mut bare = config.clone();
    let kind = bare.as_object_mut().and_then(|fields| fields.remove("type"));
    Ok(match kind.as_ref().and_then(Value::as_str).unwrap_or("stdio") {
        "stdio" => McpServerConfig::Stdio(whole::<McpStdioServerConfig>("mcpServers", &bare)?),
        "sse" => McpServerConfig::Sse(whole::<McpSseServerConfig>("mcpServers", &bare)?),
        "http" => McpServerConfig::Http(whole::<McpHttpServerConfig>("mcpServers", &bare)?),
        other => return Err(Failure::unsupported(format!("option mcpServers: type {other}"))),
    })
}
