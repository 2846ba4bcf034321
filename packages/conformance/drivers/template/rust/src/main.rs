//! A conformance driver. It passes L0 as it is, because `mini_host.rs` stands in for an SDK.
//!
//! To drive your SDK: replace every use of `Host` below by your SDK, and delete `mini_host.rs`. An SDK on tokio keeps a
//! `Runtime` in `MyPort`, implements `block_on` with it, and returns `Box::pin(async move { ... })` from the methods.
//! Then add features, level by level: DRIVERS.md of claudewire-conformance.
mod driver_kit;
mod mini_host;

use driver_kit::{blocking, ready, serve, Failure, Fut, Hello, Port, Session, Start};
use mini_host::{Host, HostError};
use serde_json::{Map, Value};
use std::sync::{Arc, OnceLock};

struct MyPort;

impl Port for MyPort {
    fn hello(&self) -> Hello {
        // Name only what is true. The kit adds `query` and what else it can do with a client.
        let features = [
            "messages:frames", "messages:ids", "messages:figures", "environment:merged", "prompt:text", "initialize",
            "initialize:awaited",
        ];
        Hello {
            driver: "mine".into(),
            // What this host fails is `unsupported`. Name your SDK to have it judged.
            sdk: "mini-host".into(),
            version: "0.1.0".into(),
            features: features.map(String::from).into(),
        }
    }

    fn session(&self, start: Start) -> Result<Arc<dyn Session>, Failure> {
        let mut args = Vec::new();
        for (name, value) in &start.options {
            match (name.as_str(), value) {
                ("model", Value::String(model)) => args.extend(["--model".to_owned(), model.clone()]),
                ("pathToClaudeCodeExecutable", _) => (),
                _ => return Err(Failure::unsupported(format!("option {name}"))),
            }
        }
        Ok(Arc::new(MySession { start, args, host: Arc::default() }))
    }
}

struct MySession {
    start: Start,
    args: Vec<String>,
    host: Arc<OnceLock<Host>>,
}

impl Session for MySession {
    fn connect(&self) -> Fut<()> {
        let (host, args) = (self.host.clone(), self.args.clone());
        let (cli, cwd) = (self.start.cli.clone(), self.start.cwd.clone());
        let callbacks = self.start.callbacks.clone();
        blocking(move || {
            let host = host.get_or_init(|| Host::new(&cli, &cwd, &args, move |line| callbacks.stderr(line)));
            host.initialize().map_err(failure)
        })
    }

    fn send(&self, content: Value, fields: Map<String, Value>) -> Fut<()> {
        // Not `blocking`: a message that is sent after another one must reach the CLI after it.
        ready(self.host.get().map_or(Err(not_connected()), |host| host.send(content, fields).map_err(failure)))
    }

    fn receive(&self) -> Fut<Option<Value>> {
        let host = self.host.clone();
        blocking(move || host.get().map_or(Err(not_connected()), |host| host.receive().map_err(failure)))
    }

    fn disconnect(&self) -> Fut<()> {
        let host = self.host.clone();
        blocking(move || {
            host.get().map(Host::close);
            Ok(())
        })
    }
}

fn not_connected() -> Failure {
    Failure::new("closed", "Driver", "not connected")
}

/// Your SDK's errors, as the driver protocol has them.
fn failure(error: HostError) -> Failure {
    match error {
        HostError::NotFound(text) => Failure::new("not_found", "HostError", text),
        HostError::Closed => Failure::new("closed", "HostError", "the session is over"),
        HostError::Exit(Some(code)) => {
            Failure::new("process_exit", "HostError", format!("the CLI exited with {code}")).with("exit_code", code)
        }
        HostError::Exit(None) => Failure::new("process_exit", "HostError", "a signal ended the CLI"),
        HostError::Refused(text) => Failure::new("control", "HostError", text),
    }
}

fn main() {
    serve(MyPort);
}
