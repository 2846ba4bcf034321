use cc_sdk::{ClaudeCodeOptions, McpServerConfig, SystemPrompt, ThinkingConfig};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

use crate::callbacks::{can_use_tool, hooks, server};
use crate::driver_kit::{Callbacks, Failure, Start, callback_name};
use crate::values::{flags, json_text, text, texts, typed, whole};

/// Options under the official TypeScript SDK's names as those of the crate.
pub fn agent_options(start: Start) -> Result<ClaudeCodeOptions, Failure> {
    let Start { options, cwd, callbacks, .. } = start;
    let mut to = ClaudeCodeOptions { cwd: Some(cwd.into()), ..Default::default() };
    for (name, value) in options.iter().filter(|(_, value)| !value.is_null()) {
        set(&mut to, name, value, &callbacks)?;
    }
    Ok(to)
}

fn set(to: &mut ClaudeCodeOptions, name: &str, value: &Value, callbacks: &Callbacks) -> Result<(), Failure> {
    match name {
        "pathToClaudeCodeExecutable" => (),
        "tools" => to.tools = Some(whole(name, value)?),
        "allowedTools" => to.allowed_tools = texts(name, value)?,
        "disallowedTools" => to.disallowed_tools = texts(name, value)?,
        "systemPrompt" => to.system_prompt_v2 = Some(whole::<SystemPrompt>(name, value)?),
        "mcpServers" => to.mcp_servers = mcp_servers(value, callbacks)?,
        "permissionMode" => to.permission_mode = typed(name, value)?,
        "permissionPromptToolName" => to.permission_prompt_tool_name = Some(text(name, value)?),
        "continue" => to.continue_conversation = *value == json!(true),
        "resume" => to.resume = Some(text(name, value)?),
        "forkSession" => to.fork_session = *value == json!(true),
        "sessionId" => to.session_id = Some(text(name, value)?),
        "maxTurns" => to.max_turns = Some(typed(name, value)?),
        "maxBudgetUsd" => to.max_budget_usd = Some(typed(name, value)?),
        "maxThinkingTokens" => to.max_thinking_tokens = Some(typed(name, value)?),
        "thinking" => to.thinking = Some(thinking(value)?),
        "effort" => to.effort = Some(typed(name, value)?),
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
        "includePartialMessages" => to.include_partial_messages = *value == json!(true),
        "outputFormat" => to.output_format = Some(value.clone()),
        "plugins" => to.plugins = typed(name, value)?,
        "enableFileCheckpointing" => to.enable_file_checkpointing = *value == json!(true),
        "agents" => to.agents = Some(whole(name, value)?),
        "stderr" => {
            callback_name(value).ok_or_else(|| Failure::unsupported("option stderr that is no callback"))?;
            let callbacks = callbacks.clone();
            to.stderr_callback = Some(Arc::new(move |line: &str| callbacks.stderr(line)));
        }
        "canUseTool" => to.can_use_tool = Some(can_use_tool(value, callbacks)?),
        "hooks" => to.hooks = Some(hooks(value, callbacks)?),
        other => return Err(Failure::unsupported(format!("option {other}"))),
    }
    Ok(())
}

fn thinking(value: &Value) -> Result<ThinkingConfig, Failure> {
    let mut value = value.clone();
    if let Some(budget) = value.as_object_mut().and_then(|fields| fields.remove("budgetTokens")) {
        value["budget_tokens"] = budget;
    }
    whole("thinking", &value)
}

fn mcp_servers(value: &Value, callbacks: &Callbacks) -> Result<HashMap<String, McpServerConfig>, Failure> {
    let servers = value.as_object().ok_or_else(|| Failure::unsupported("option mcpServers that is a file"))?;
    servers
        .iter()
        .map(|(name, config)| {
            let config = match config.get("$server") {
                Some(given) => server(name, given, callbacks)?,
                None => external(config)?,
            };
            Ok((name.clone(), config))
        })
        .collect()
}

fn external(config: &Value) -> Result<McpServerConfig, Failure> {
    let mut config = config.clone();
    if config.get("type").is_none() {
        config["type"] = json!("stdio");
    }
    whole("mcpServers", &config)
}
