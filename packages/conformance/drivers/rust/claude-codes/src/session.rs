use claude_codes::client_async::AsyncClient;
use claude_codes::{ClaudeInput, ClaudeOutput, ControlRequestPayload, ControlResponse, Error, PermissionResult};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::AsyncBufReadExt;
use uuid::Uuid;

use crate::driver_kit::{Callbacks, Failure, Fut, Session};
use crate::exclusive::Exclusive;
use crate::options::Launch;

pub struct ClientSession(Arc<State>);

struct State {
    launch: Mutex<Option<Launch>>,
    client: Exclusive<Option<AsyncClient>>,
    callbacks: Callbacks,
    can_use_tool: Option<String>,
    /// Messages sent whose result has not come: the end of the output is then no good end.
    owed: AtomicUsize,
    session_id: Uuid,
}

impl ClientSession {
    pub fn new(launch: Launch) -> Self {
        ClientSession(Arc::new(State {
            callbacks: launch.callbacks.clone(),
            can_use_tool: launch.can_use_tool.clone(),
            launch: Mutex::new(Some(launch)),
            client: Exclusive::new(None),
            owed: AtomicUsize::new(0),
            session_id: Uuid::new_v4(),
        }))
    }
}

impl Session for ClientSession {
    fn connect(&self) -> Fut<()> {
        let state = self.0.clone();
        Box::pin(async move {
            let connecting = async {
                let launch = state.launch.lock().expect("no panic").take().ok_or_else(not_open)?;
                let mut alone = state.client.alone().await;
                *alone = Some(started(launch).await.map_err(failure)?);
                if let (Some(client), true) = (alone.as_mut(), state.can_use_tool.is_some()) {
                    client.enable_tool_approval().await.map_err(failure)?;
                }
                Ok(())
            };
            state.client.connecting(connecting).await
        })
    }

    fn send(&self, content: Value, fields: Map<String, Value>) -> Fut<()> {
        let state = self.0.clone();
        Box::pin(async move {
            let input = user_message(content, fields, state.session_id)?;
            state.owed.fetch_add(1, Ordering::SeqCst);
            let mut alone = state.client.alone().await;
            alone.as_mut().ok_or_else(not_open)?.send(&input).await.map_err(failure)
        })
    }

    fn receive(&self) -> Fut<Option<Value>> {
        let state = self.0.clone();
        Box::pin(async move {
            loop {
                // Taken up again after each message and each send, as a `select!` between the two does.
                let mut alone = state.client.alone_for_the_loop().await;
                let Some(client) = alone.as_mut() else { return Ok(None) };
                let received = tokio::select! {
                    biased;
                    received = client.receive() => received,
                    () = state.client.wants() => continue,
                };
                drop(alone);
                match received {
                    Ok(ClaudeOutput::ControlRequest(request)) => decide(&state, request),
                    // The program looks for the request of its own that it answers: here nothing waits for one.
                    Ok(ClaudeOutput::ControlResponse(_) | ClaudeOutput::ControlCancelRequest(_)) => (),
                    Ok(output) => {
                        if matches!(output, ClaudeOutput::Result(_)) {
                            let _ = state.owed.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |owed| owed.checked_sub(1));
                        }
                        return Ok(Some(serde_json::to_value(output).unwrap_or_default()));
                    }
                    Err(Error::ConnectionClosed) if state.owed.load(Ordering::SeqCst) == 0 => return Ok(None),
                    Err(error) => return Err(failure(error)),
                }
            }
        })
    }

    fn disconnect(&self) -> Fut<()> {
        let state = self.0.clone();
        Box::pin(async move {
            state.client.drop_open_work();
            let client = state.client.alone().await.take();
            match client {
                Some(client) => client.shutdown().await.map_err(failure),
                None => Ok(()),
            }
        })
    }

    fn call(&self, method: &str, _args: Vec<Value>) -> Fut<Value> {
        let (state, method) = (self.0.clone(), method.to_owned());
        Box::pin(async move {
            if method != "interrupt" {
                return Err(Failure::unsupported(format!("method {method}")));
            }
            let mut alone = state.client.alone().await;
            alone.as_mut().ok_or_else(not_open)?.interrupt().await.map(|_| Value::Null).map_err(failure)
        })
    }
}

async fn started(launch: Launch) -> Result<AsyncClient, Error> {
    let child = launch.builder.build_command()?.envs(launch.env).spawn()?;
    let mut client = AsyncClient::new(child)?;
    let stderr = if launch.wants_stderr { client.take_stderr() } else { None };
    if let Some(stderr) = stderr {
        tokio::spawn(async move {
            let mut lines = stderr.lines();
            while let Ok(Some(line)) = lines.next_line().await {
                launch.callbacks.stderr(&line);
            }
        });
    }
    Ok(client)
}

/// The documented flow: a `can_use_tool` is answered with what the user decides, everything else is not the crate's.
fn decide(state: &Arc<State>, request: claude_codes::ControlRequest) {
    let ControlRequestPayload::CanUseTool(asked) = request.request else { return };
    let Some(name) = state.can_use_tool.clone() else { return };
    let mut input = json!({ "tool_name": asked.tool_name, "input": asked.input, "suggestions": asked.permission_suggestions });
    let more = [
        ("tool_use_id", &asked.tool_use_id),
        ("blocked_path", &asked.blocked_path),
        ("decision_reason", &asked.decision_reason),
    ];
    for (field, value) in more {
        if let Some(value) = value {
            input[field] = json!(value);
        }
    }
    let call = state.callbacks.call(&name, input, None, None);
    let state = state.clone();
    tokio::spawn(async move {
        let Ok(given) = call.await else { return };
        let result = match given["behavior"].as_str() {
            Some("allow") => PermissionResult::Allow {
                updated_input: given.get("updatedInput").cloned().unwrap_or(asked.input),
                updated_permissions: given["updatedPermissions"].as_array().cloned(),
            },
            _ => PermissionResult::Deny {
                message: given["message"].as_str().unwrap_or_default().to_owned(),
                interrupt: given["interrupt"] == json!(true),
            },
        };
        let mut alone = state.client.alone().await;
        if let Some(client) = alone.as_mut() {
            let _ = client.send_control_response(ControlResponse::from_result(&request.request_id, result)).await;
        }
    });
}

fn user_message(content: Value, fields: Map<String, Value>, session_id: Uuid) -> Result<ClaudeInput, Failure> {
    let is_plain = fields.values().all(Value::is_null);
    match content {
        Value::String(text) if is_plain => Ok(ClaudeInput::user_message(text, session_id)),
        content => {
            let blocks = content.as_str().map_or(content.clone(), |text| json!([{ "type": "text", "text": text }]));
            let mut frame = json!({ "message": { "role": "user", "content": blocks }, "session_id": session_id });
            for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_null()) {
                frame[name] = value;
            }
            crate::values::whole("user message", &frame).map(ClaudeInput::User)
        }
    }
}

fn not_open() -> Failure {
    Failure::new("closed", "Driver", "the client was shut down")
}

fn failure(error: Error) -> Failure {
    let (kind, class) = match &error {
        Error::Json(_) => ("json", "Json"),
        Error::Io(io) if io.kind() == std::io::ErrorKind::NotFound => ("not_found", "Io"),
        Error::Io(io) if io.kind() == std::io::ErrorKind::BrokenPipe => ("closed", "Io"),
        Error::Io(io) if io.kind() == std::io::ErrorKind::InvalidData => ("json", "Io"),
        Error::Io(_) => ("launch", "Io"),
        Error::Protocol(_) => ("control", "Protocol"),
        Error::Timeout => ("timeout", "Timeout"),
        Error::ConnectionClosed => ("closed", "ConnectionClosed"),
        Error::Deserialization(_) => ("parse", "Deserialization"),
        Error::BinaryNotFound { .. } => ("not_found", "BinaryNotFound"),
        _ => ("other", "Error"),
    };
    Failure::new(kind, class, error)
}
