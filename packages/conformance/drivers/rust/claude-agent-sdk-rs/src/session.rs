use claude_agent_sdk_rs::{ClaudeAgentOptions, ClaudeClient, UserContentBlock};
use futures::StreamExt;
use serde_json::{Map, Value, json};
use std::sync::Arc;

use crate::driver_kit::{Failure, Fut, Session};
use crate::exclusive::Exclusive;
use crate::failures::failure;
use crate::values::{text, typed, whole};

pub struct ClientSession(Arc<Exclusive<ClaudeClient>>);

impl ClientSession {
    pub fn new(options: ClaudeAgentOptions) -> Self {
        ClientSession(Arc::new(Exclusive::new(ClaudeClient::new(options))))
    }
}

impl Session for ClientSession {
    fn connect(&self) -> Fut<()> {
        let client = self.0.clone();
        Box::pin(async move {
            let connecting = async { client.alone().await.connect().await.map_err(failure) };
            client.connecting(connecting).await
        })
    }

    fn send(&self, content: Value, fields: Map<String, Value>) -> Fut<()> {
        let client = self.0.clone();
        Box::pin(async move {
            let session_id = session_id_of(&fields)?;
            let sent = match content {
                Value::String(prompt) => client.alone().await.query_with_session(prompt, session_id).await,
                blocks => {
                    let blocks: Vec<UserContentBlock> = whole("content", &blocks)?;
                    client.alone().await.query_with_content_and_session(blocks, session_id).await
                }
            };
            sent.map_err(failure)
        })
    }

    fn receive(&self) -> Fut<Option<Value>> {
        let client = self.0.clone();
        Box::pin(async move {
            loop {
                let shared = client.shared().await;
                let mut messages = shared.receive_messages();
                tokio::select! {
                    biased;
                    next = messages.next() => return match next {
                        None => Ok(None),
                        Some(Ok(message)) => Ok(Some(serde_json::to_value(message).unwrap_or(Value::Null))),
                        Some(Err(error)) => Err(failure(error)),
                    },
                    () = client.wants() => {}
                }
            }
        })
    }

    fn disconnect(&self) -> Fut<()> {
        let client = self.0.clone();
        Box::pin(async move {
            client.drop_open_work();
            client.alone().await.disconnect().await.map_err(failure)
        })
    }

    fn call(&self, method: &str, args: Vec<Value>) -> Fut<Value> {
        let (client, method) = (self.0.clone(), method.to_owned());
        Box::pin(async move { client.until_closed(call(&client, &method, args)).await })
    }
}

async fn call(client: &Exclusive<ClaudeClient>, method: &str, args: Vec<Value>) -> Result<Value, Failure> {
    let first = args.first().cloned().unwrap_or(Value::Null);
    let client = client.shared().await;
    let called = match method {
        "interrupt" => client.interrupt().await,
        "setPermissionMode" => client.set_permission_mode(typed("permissionMode", &first)?).await,
        "setModel" => client.set_model(first.as_str()).await,
        "rewindFiles" if args.len() == 1 => client.rewind_files(&text("user_message_id", &first)?).await,
        "initializationResult" => return Ok(client.get_server_info().map_or(Value::Null, payload)),
        other => return Err(Failure::unsupported(format!("method {other}"))),
    };
    called.map(|()| Value::Null).map_err(failure)
}

/// The crate gives the answer as it came, with the payload under `response`.
fn payload(mut info: Value) -> Value {
    info["response"].take()
}

/// The crate writes a session id with each message, `default` unless the caller names one.
fn session_id_of(fields: &Map<String, Value>) -> Result<String, Failure> {
    let mut session_id = "default".to_owned();
    for (name, value) in fields {
        match name.as_str() {
            "session_id" => session_id = text("session_id", value)?,
            "parent_tool_use_id" if *value == json!(null) => (),
            other => return Err(Failure::unsupported(format!("field {other} of a message"))),
        }
    }
    Ok(session_id)
}
