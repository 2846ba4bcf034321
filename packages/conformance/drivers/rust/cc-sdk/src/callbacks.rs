use async_trait::async_trait;
use cc_sdk::{
    CanUseTool, HookCallback, HookContext, HookInput, HookJSONOutput, HookMatcher, McpServerConfig, PermissionResult,
    PermissionResultAllow, PermissionResultDeny, PermissionUpdate, SdkError, SdkMcpServerBuilder, SyncHookJSONOutput,
    ToolDefinition, ToolHandler, ToolInputSchema, ToolPermissionContext, ToolResult,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

use crate::driver_kit::{Callbacks, Failure};
use crate::values::{name_of, returned, text, throws, whole};

/// The events that `HookInput` has a type for.
const EVENTS: [&str; 10] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "Notification",
    "SubagentStart",
    "PermissionRequest",
];

struct Named {
    name: String,
    callbacks: Callbacks,
}

/// The callback gives a result, never an error: what is thrown cannot be said.
pub fn can_use_tool(value: &Value, callbacks: &Callbacks) -> Result<Arc<dyn CanUseTool>, Failure> {
    let name = name_of("canUseTool", value)?;
    let spec = callbacks.spec(&name);
    if throws(&spec) {
        return Err(Failure::unsupported("a permission callback that fails"));
    }
    for value in returned(&spec) {
        permission_result(value)?;
    }
    Ok(Arc::new(Named { name, callbacks: callbacks.clone() }))
}

#[async_trait]
impl CanUseTool for Named {
    async fn can_use_tool(&self, tool_name: &str, input: &Value, context: &ToolPermissionContext) -> PermissionResult {
        let input = json!({ "tool_name": tool_name, "input": input, "suggestions": context.suggestions });
        let given = self.callbacks.call(&self.name, input, None, None).await.unwrap_or_default();
        permission_result(&given).unwrap_or_else(|_| deny(&Value::Null))
    }
}

fn permission_result(value: &Value) -> Result<PermissionResult, Failure> {
    match value["behavior"].as_str() {
        Some("allow") => {
            let updates = match value.get("updatedPermissions") {
                None => None,
                Some(given) => Some(permission_updates(given)?),
            };
            let updated_input = value.get("updatedInput").cloned();
            Ok(PermissionResult::Allow(PermissionResultAllow { updated_input, updated_permissions: updates }))
        }
        Some("deny") => Ok(deny(value)),
        _ => Err(Failure::unsupported("a permission result that its type does not have")),
    }
}

/// The rules of an update have the names of Rust in the crate, `tool_name` and `rule_content`.
fn permission_updates(given: &Value) -> Result<Vec<PermissionUpdate>, Failure> {
    let mut given = given.clone();
    for update in given.as_array_mut().into_iter().flatten() {
        for rule in update["rules"].as_array_mut().into_iter().flatten() {
            *rule = json!({ "tool_name": rule["toolName"], "rule_content": rule["ruleContent"] });
        }
        if update["rules"].is_null() {
            update.as_object_mut().map(|fields| fields.remove("rules"));
        }
    }
    whole("updatedPermissions", &given)
}

fn deny(value: &Value) -> PermissionResult {
    PermissionResult::Deny(PermissionResultDeny {
        message: value["message"].as_str().unwrap_or_default().to_owned(),
        interrupt: value["interrupt"] == json!(true),
    })
}

pub fn hooks(value: &Value, callbacks: &Callbacks) -> Result<HashMap<String, Vec<HookMatcher>>, Failure> {
    let mut by_event = HashMap::new();
    for (event, matchers) in value.as_object().into_iter().flatten() {
        if !EVENTS.contains(&event.as_str()) {
            return Err(Failure::unsupported(format!("option hooks: event {event}")));
        }
        let mut list = Vec::new();
        for matcher in matchers.as_array().into_iter().flatten() {
            for field in ["timeout", "onFailure"] {
                if matcher.get(field).is_some() {
                    return Err(Failure::unsupported(format!("option hooks: {field}")));
                }
            }
            let hooks = matcher["hooks"].as_array().into_iter().flatten();
            list.push(HookMatcher {
                matcher: matcher.get("matcher").cloned(),
                hooks: hooks.map(|hook| hook_callback(hook, callbacks)).collect::<Result<_, _>>()?,
            });
        }
        by_event.insert(event.clone(), list);
    }
    Ok(by_event)
}

fn hook_callback(value: &Value, callbacks: &Callbacks) -> Result<Arc<dyn HookCallback>, Failure> {
    let name = name_of("hooks", value)?;
    for value in returned(&callbacks.spec(&name)) {
        whole::<HookJSONOutput>("hook result", value)?;
    }
    Ok(Arc::new(Named { name, callbacks: callbacks.clone() }))
}

#[async_trait]
impl HookCallback for Named {
    async fn execute(&self, input: &HookInput, tool_use_id: Option<&str>, _: &HookContext) -> cc_sdk::Result<HookJSONOutput> {
        let input = serde_json::to_value(input).unwrap_or_default();
        let given = self.callbacks.call(&self.name, input, tool_use_id, None).await.map_err(thrown)?;
        Ok(serde_json::from_value(given).unwrap_or(HookJSONOutput::Sync(SyncHookJSONOutput::default())))
    }
}

pub fn server(key: &str, server: &Value, callbacks: &Callbacks) -> Result<McpServerConfig, Failure> {
    let name = server["name"].as_str().unwrap_or(key);
    let mut builder = SdkMcpServerBuilder::new(name).version(server["version"].as_str().unwrap_or("1.0.0"));
    for tool in server["tools"].as_array().into_iter().flatten() {
        if tool.get("annotations").is_some() {
            return Err(Failure::unsupported("annotations of a tool"));
        }
        let name = name_of("handler", &tool["handler"])?;
        for value in returned(&callbacks.spec(&name)) {
            tool_result(value)?;
        }
        let schema = tool.get("inputSchema").cloned().unwrap_or(json!({ "type": "object", "properties": {} }));
        builder = builder.tool(ToolDefinition {
            name: text("name", &tool["name"])?,
            description: tool["description"].as_str().unwrap_or_default().to_owned(),
            input_schema: whole::<ToolInputSchema>("inputSchema", &schema)?,
            handler: Arc::new(Named { name, callbacks: callbacks.clone() }),
        });
    }
    Ok(builder.build().to_config())
}

#[async_trait]
impl ToolHandler for Named {
    async fn execute(&self, args: Value) -> cc_sdk::Result<ToolResult> {
        let given = self.callbacks.call(&self.name, args, None, None).await.map_err(thrown)?;
        tool_result(&given).map_err(|error| thrown(error.to_string()))
    }
}

/// The crate's name is `is_error`.
fn tool_result(value: &Value) -> Result<ToolResult, Failure> {
    let mut value = value.clone();
    if let Some(is_error) = value.as_object_mut().and_then(|fields| fields.remove("isError")) {
        value["is_error"] = is_error;
    }
    whole("tool result", &value)
}

fn thrown(text: String) -> SdkError {
    SdkError::TransportError(text)
}
