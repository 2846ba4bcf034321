use cc_sdk::{ContentBlock, Message};
use serde_json::{Value, json};

/// A message as a frame: what the crate's types keep, under the names and in the places of the wire.
pub fn frame(message: Message) -> Value {
    match message {
        Message::User { message } => {
            json!({ "type": "user", "message": { "role": "user", "content": message.content } })
        }
        Message::Assistant { message } => {
            let parent = message.parent_tool_use_id.clone();
            let content: Vec<Value> = message.content.iter().map(block).collect();
            let mut inner = serde_json::to_value(message).unwrap_or_default();
            inner["role"] = json!("assistant");
            inner["content"] = json!(content);
            if let Some(fields) = inner.as_object_mut() {
                fields.remove("parent_tool_use_id");
            }
            json!({ "type": "assistant", "message": inner, "parent_tool_use_id": parent })
        }
        Message::System { subtype, data } => {
            let mut frame = if data.is_object() { data } else { json!({ "data": data }) };
            frame["type"] = json!("system");
            frame["subtype"] = json!(subtype);
            frame
        }
        Message::Unknown { raw, .. } => raw,
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}

fn block(block: &ContentBlock) -> Value {
    let kind = match block {
        ContentBlock::Text(_) => "text",
        ContentBlock::Thinking(_) => "thinking",
        ContentBlock::ToolUse(_) => "tool_use",
        ContentBlock::ToolResult(_) => "tool_result",
    };
    let mut value = serde_json::to_value(block).unwrap_or_default();
    value["type"] = json!(kind);
    value
}
