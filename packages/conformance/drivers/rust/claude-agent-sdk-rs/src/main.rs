//! Conformance driver for the crate `claude-agent-sdk-rs`: its `ClaudeClient`, the only part with a control protocol.

#[path = "../../../kit/driver_kit.rs"]
mod driver_kit;
mod callbacks;
#[path = "../../shared/exclusive.rs"]
mod exclusive;
mod failures;
mod options;
mod session;
#[path = "../../shared/values.rs"]
mod values;

use driver_kit::{Failure, Hello, Port, Session, Start, serve};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

const FEATURES: [&str; 19] = [
    "hooks",
    "can_use_tool",
    "mcp",
    "stderr",
    "parallel-callbacks",
    "option:maxBufferBytes",
    "initialize",
    "agents:flag",
    "environment:version",
    "environment:merged",
    "system-prompt:flag",
    "prompt:text",
    "initialize:awaited",
    "mcp:server-version",
    "call:interrupt",
    "call:setPermissionMode",
    "call:setModel",
    "call:rewindFiles",
    "call:initializationResult",
];

struct Crate {
    runtime: tokio::runtime::Runtime,
}

impl Port for Crate {
    fn hello(&self) -> Hello {
        Hello {
            driver: "claude-agent-sdk-rs".into(),
            sdk: "claude-agent-sdk-rs".into(),
            version: claude_agent_sdk_rs::version::SDK_VERSION.into(),
            features: FEATURES.map(String::from).to_vec(),
        }
    }

    fn session(&self, start: Start) -> Result<Arc<dyn Session>, Failure> {
        Ok(Arc::new(session::ClientSession::new(options::agent_options(start)?)))
    }

    fn block_on(&self, future: Pin<Box<dyn Future<Output = ()> + Send + '_>>) {
        self.runtime.block_on(future)
    }
}

fn main() {
    serve(Crate { runtime: tokio::runtime::Runtime::new().expect("a runtime") });
}
