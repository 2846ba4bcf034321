use claude_codes::cli::{ClaudeCliBuilder, PermissionMode};
use serde_json::{Value, json};
use std::collections::HashMap;
use uuid::Uuid;

use crate::driver_kit::{Callbacks, Failure, Start};
use crate::values::{json_text, name_of, returned, text, texts, throws, typed};

/// What a session is started with.
pub struct Launch {
    pub builder: ClaudeCliBuilder,
    pub env: HashMap<String, String>,
    pub callbacks: Callbacks,
    /// Name of the permission callback.
    pub can_use_tool: Option<String>,
    pub wants_stderr: bool,
}

/// Options under the official TypeScript SDK's names as those of the crate.
pub fn launch(start: Start) -> Result<Launch, Failure> {
    let Start { options, cli, cwd, callbacks, .. } = start;
    let builder = ClaudeCliBuilder::new().command(cli).working_directory(cwd);
    let mut launch = Launch { builder, env: HashMap::new(), callbacks, can_use_tool: None, wants_stderr: false };
    for (name, value) in options.iter().filter(|(_, value)| !value.is_null()) {
        launch = set(launch, name, value)?;
    }
    Ok(launch)
}

fn set(mut to: Launch, name: &str, value: &Value) -> Result<Launch, Failure> {
    let is_on = *value == json!(true);
    let builder = to.builder;
    to.builder = match name {
        "pathToClaudeCodeExecutable" => builder,
        "allowedTools" => builder.allowed_tools(texts(name, value)?),
        "disallowedTools" => builder.disallowed_tools(texts(name, value)?),
        "systemPrompt" => match value.get("append").and_then(Value::as_str) {
            Some(append) if value["excludeDynamicSections"].is_null() => builder.append_system_prompt(append),
            None if value["preset"].is_string() => builder,
            _ => return Err(Failure::unsupported("option systemPrompt that is not appended to the preset")),
        },
        "mcpServers" => builder.mcp_config([mcp_config(value)?]),
        "strictMcpConfig" => builder.strict_mcp_config(is_on),
        "permissionMode" => builder.permission_mode(permission_mode(value)?),
        "permissionPromptToolName" => builder.permission_prompt_tool(text(name, value)?),
        "continue" => builder.continue_conversation(is_on),
        "resume" => builder.resume(Some(text(name, value)?)),
        "forkSession" => builder.fork_session(is_on),
        "sessionId" => builder.session_id(typed::<String>(name, value)?.parse::<Uuid>().map_err(Failure::unsupported)?),
        "maxThinkingTokens" => builder.max_thinking_tokens(typed(name, value)?),
        "model" => builder.model(text(name, value)?),
        "fallbackModel" => builder.fallback_model(text(name, value)?),
        "cwd" => builder.working_directory(text(name, value)?),
        "settings" => builder.settings(json_text(value)),
        "additionalDirectories" => builder.add_directories(texts(name, value)?),
        "env" => {
            to.env = typed(name, value)?;
            builder
        }
        "stderr" => {
            to.wants_stderr = true;
            builder
        }
        "canUseTool" => {
            to.can_use_tool = Some(permission_callback(value, &to.callbacks)?);
            builder.permission_prompt_tool("stdio")
        }
        other => return Err(Failure::unsupported(format!("option {other}"))),
    };
    Ok(to)
}

fn permission_callback(value: &Value, callbacks: &Callbacks) -> Result<String, Failure> {
    let name = name_of("canUseTool", value)?;
    let spec = callbacks.spec(&name);
    // The program of a user that has no answer sends none: the crate has no word for an error.
    let is_known = |value: &Value| value["behavior"] == "allow" || value["behavior"] == "deny";
    if throws(&spec) || !returned(&spec).all(is_known) {
        return Err(Failure::unsupported("a permission callback without a decision"));
    }
    Ok(name)
}

fn mcp_config(value: &Value) -> Result<String, Failure> {
    let Some(servers) = value.as_object() else { return text("mcpServers", value) };
    if servers.values().any(|config| config.get("$server").is_some()) {
        return Err(Failure::unsupported("option mcpServers: an in-process server"));
    }
    Ok(json!({ "mcpServers": servers }).to_string())
}

fn permission_mode(value: &Value) -> Result<PermissionMode, Failure> {
    Ok(match value.as_str() {
        Some("acceptEdits") => PermissionMode::AcceptEdits,
        Some("bypassPermissions") => PermissionMode::BypassPermissions,
        Some("default") => PermissionMode::Default,
        Some("delegate") => PermissionMode::Delegate,
        Some("dontAsk") => PermissionMode::DontAsk,
        Some("plan") => PermissionMode::Plan,
        _ => return Err(Failure::unsupported(format!("option permissionMode: {value}"))),
    })
}
