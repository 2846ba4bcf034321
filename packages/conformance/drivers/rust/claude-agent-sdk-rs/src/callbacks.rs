use claude_agent_sdk_rs::types::mcp::{McpSdkServerConfig, SdkMcpTool, ToolHandler, ToolResult};
use claude_agent_sdk_rs::{
    CanUseToolCallback, ClaudeError, HookCallback, HookEvent, HookJsonOutput, HookMatcher, PermissionResult, PermissionUpdate,
    SyncHookJsonOutput, create_sdk_mcp_server,
};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

use crate::driver_kit::{Callbacks, Failure};
use crate::values::{name_of, returned, text, throws, typed, whole};

/// The callback gives a result, never an error: what is thrown cannot be said.
pub fn can_use_tool(value: &Value, callbacks: &Callbacks) -> Result<CanUseToolCallback, Failure> {
    let name = name_of("canUseTool", value)?;
    let spec = callbacks.spec(&name);
    if throws(&spec) {
        return Err(Failure::unsupported("a permission callback that fails"));
    }
    for value in returned(&spec) {
        permission_result(value)?;
    }
    let callbacks = callbacks.clone();
    Ok(Arc::new(move |tool, input, context| {
        let suggestions: Vec<PermissionUpdate> = context.suggestions;
        let call = callbacks.call(&name, json!({ "tool_name": tool, "input": input, "suggestions": suggestions }), None, None);
        Box::pin(async move {
            let given = call.await.unwrap_or_default();
            permission_result(&given).unwrap_or_else(|_| PermissionResult::Deny(Default::default()))
        })
    }))
}

fn permission_result(value: &Value) -> Result<PermissionResult, Failure> {
    let mut value = value.clone();
    if value["behavior"] == "deny" && value["interrupt"].is_null() {
        value["interrupt"] = json!(false);
    }
    whole("permission result", &value)
}

pub fn hooks(value: &Value, callbacks: &Callbacks) -> Result<HashMap<HookEvent, Vec<HookMatcher>>, Failure> {
    let mut by_event = HashMap::new();
    for (event, matchers) in value.as_object().into_iter().flatten() {
        let key: HookEvent = typed("hooks", &json!(event))?;
        let mut list = Vec::new();
        for matcher in matchers.as_array().into_iter().flatten() {
            if matcher.get("onFailure").is_some() {
                return Err(Failure::unsupported("option hooks: onFailure"));
            }
            let hooks = matcher["hooks"].as_array().into_iter().flatten();
            list.push(HookMatcher {
                matcher: matcher["matcher"].as_str().map(String::from),
                hooks: hooks.map(|hook| hook_callback(hook, callbacks)).collect::<Result<_, _>>()?,
                timeout: matcher["timeout"].as_f64(),
            });
        }
        by_event.insert(key, list);
    }
    Ok(by_event)
}

fn hook_callback(value: &Value, callbacks: &Callbacks) -> Result<HookCallback, Failure> {
    let name = name_of("hooks", value)?;
    let spec = callbacks.spec(&name);
    if throws(&spec) {
        return Err(Failure::unsupported("a hook that fails"));
    }
    for value in returned(&spec) {
        whole::<HookJsonOutput>("hook result", value)?;
    }
    let callbacks = callbacks.clone();
    Ok(Arc::new(move |input, tool_use_id, _context| {
        let input = serde_json::to_value(input).unwrap_or_default();
        let call = callbacks.call(&name, input, tool_use_id.as_deref(), None);
        Box::pin(async move {
            let given = call.await.unwrap_or_default();
            serde_json::from_value(given).unwrap_or(HookJsonOutput::Sync(SyncHookJsonOutput::default()))
        })
    }))
}

struct Handler {
    name: String,
    callbacks: Callbacks,
}

impl ToolHandler for Handler {
    fn handle(&self, args: Value) -> BoxFuture<'static, claude_agent_sdk_rs::Result<ToolResult>> {
        let call = self.callbacks.call(&self.name, args, None, None);
        Box::pin(async move {
            let given = call.await.map_err(ClaudeError::Transport)?;
            tool_result(&given).map_err(|error| ClaudeError::Transport(error.to_string()))
        })
    }
}

pub fn server(key: &str, server: &Value, callbacks: &Callbacks) -> Result<McpSdkServerConfig, Failure> {
    let mut tools = Vec::new();
    for tool in server["tools"].as_array().into_iter().flatten() {
        if tool.get("annotations").is_some() {
            return Err(Failure::unsupported("annotations of a tool"));
        }
        let name = name_of("handler", &tool["handler"])?;
        for value in returned(&callbacks.spec(&name)) {
            tool_result(value)?;
        }
        tools.push(SdkMcpTool {
            name: text("name", &tool["name"])?,
            description: tool["description"].as_str().unwrap_or_default().to_owned(),
            input_schema: tool.get("inputSchema").cloned().unwrap_or(json!({ "type": "object", "properties": {} })),
            handler: Arc::new(Handler { name, callbacks: callbacks.clone() }),
        });
    }
    let name = server["name"].as_str().unwrap_or(key);
    Ok(create_sdk_mcp_server(name, server["version"].as_str().unwrap_or("1.0.0"), tools))
}

/// The crate's names: `is_error`, and `mime_type` of an image.
fn tool_result(value: &Value) -> Result<ToolResult, Failure> {
    let mut value = value.clone();
    let is_error = value.as_object_mut().and_then(|fields| fields.remove("isError")).unwrap_or(json!(false));
    value["is_error"] = is_error;
    for block in value["content"].as_array_mut().into_iter().flatten() {
        if let Some(kind) = block.as_object_mut().and_then(|fields| fields.remove("mimeType")) {
            block["mime_type"] = kind;
        }
    }
    whole("tool result", &value)
}
