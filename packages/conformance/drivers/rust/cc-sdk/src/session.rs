use cc_sdk::{ClaudeCodeOptions, ClaudeSDKClient, Message, SubprocessTransport};
use futures::{Stream, StreamExt};
use serde_json::{Map, Value, json};
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::Mutex;

use crate::driver_kit::{Failure, Fut, Session};
use crate::exclusive::Exclusive;
use crate::failures::failure;
use crate::values::text;
use crate::wire_messages::frame;

type Messages = Pin<Box<dyn Stream<Item = cc_sdk::Result<Message>> + Send>>;

pub struct ClientSession {
    client: Arc<Exclusive<ClaudeSDKClient>>,
    messages: Arc<Mutex<Option<Messages>>>,
}

impl ClientSession {
    /// No option names the CLI: the transport takes its path, and the client the transport.
    pub fn new(options: ClaudeCodeOptions, cli: String) -> Self {
        let transport = SubprocessTransport::with_cli_path(options.clone(), cli);
        let client = ClaudeSDKClient::with_transport(options, Box::new(transport));
        ClientSession { client: Arc::new(Exclusive::new(client)), messages: Arc::default() }
    }
}

impl Session for ClientSession {
    fn connect(&self) -> Fut<()> {
        let (client, messages) = (self.client.clone(), self.messages.clone());
        Box::pin(async move {
            let connecting = async {
                let mut alone = client.alone().await;
                alone.connect(None).await.map_err(failure)?;
                *messages.lock().await = Some(Box::pin(alone.receive_messages().await));
                Ok(())
            };
            client.connecting(connecting).await
        })
    }

    fn send(&self, content: Value, fields: Map<String, Value>) -> Fut<()> {
        let client = self.client.clone();
        Box::pin(async move {
            let session_id = session_id_of(&fields)?;
            let Value::String(prompt) = content else {
                return Err(Failure::unsupported("content that is a list of blocks"));
            };
            client.until_closed(async { client.alone().await.send_request(prompt, session_id).await.map_err(failure) }).await
        })
    }

    fn receive(&self) -> Fut<Option<Value>> {
        let messages = self.messages.clone();
        Box::pin(async move {
            let mut messages = messages.lock().await;
            let Some(messages) = messages.as_mut() else { return Ok(None) };
            match messages.next().await {
                None => Ok(None),
                Some(Ok(message)) => Ok(Some(frame(message))),
                Some(Err(error)) => Err(failure(error)),
            }
        })
    }

    fn disconnect(&self) -> Fut<()> {
        let client = self.client.clone();
        Box::pin(async move {
            client.drop_open_work();
            client.alone().await.disconnect().await.map_err(failure)
        })
    }

    fn call(&self, method: &str, args: Vec<Value>) -> Fut<Value> {
        let (client, method) = (self.client.clone(), method.to_owned());
        Box::pin(async move { client.until_closed(call(&client, &method, args)).await })
    }
}

async fn call(client: &Exclusive<ClaudeSDKClient>, method: &str, args: Vec<Value>) -> Result<Value, Failure> {
    let first = args.first().cloned().unwrap_or(Value::Null);
    let mut client = client.alone().await;
    let called = match method {
        "interrupt" => client.interrupt().await,
        "setPermissionMode" => client.set_permission_mode(&text("mode", &first)?).await,
        "setModel" => client.set_model(first.as_str().map(String::from)).await,
        "rewindFiles" if args.len() == 1 => client.rewind_files(&text("user_message_id", &first)?).await,
        "stopTask" => client.stop_task(&text("task_id", &first)?).await,
        "reconnectMcpServer" => client.reconnect_mcp_server(&text("serverName", &first)?).await,
        "toggleMcpServer" => {
            client.toggle_mcp_server(&text("serverName", &first)?, args.get(1) == Some(&json!(true))).await
        }
        // The TypeScript method returns the list itself.
        "mcpServerStatus" => return client.get_mcp_status().await.map(|mut all| all["mcpServers"].take()).map_err(failure),
        "getContextUsage" => {
            let usage = client.get_context_usage().await.map_err(failure)?;
            return Ok(serde_json::to_value(usage).unwrap_or_default());
        }
        "initializationResult" => return Ok(client.get_server_info().await.unwrap_or_default()),
        other => return Err(Failure::unsupported(format!("method {other}"))),
    };
    called.map(|()| Value::Null).map_err(failure)
}

/// The crate writes a session id with each message, `default` unless the caller names one.
fn session_id_of(fields: &Map<String, Value>) -> Result<Option<String>, Failure> {
    let mut session_id = None;
    for (name, value) in fields {
        match name.as_str() {
            "session_id" => session_id = Some(text("session_id", value)?),
            "parent_tool_use_id" if value.is_null() => (),
            other => return Err(Failure::unsupported(format!("field {other} of a message"))),
        }
    }
    Ok(session_id)
}
