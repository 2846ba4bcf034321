//! Conformance driver for the crate `cc-sdk`: its `ClaudeSDKClient`, the client with the control protocol.

mod callbacks;
#[path = "../../../kit/driver_kit.rs"]
mod driver_kit;
#[path = "../../shared/exclusive.rs"]
mod exclusive;
mod failures;
mod options;
mod session;
#[path = "../../shared/values.rs"]
mod values;
mod wire_messages;

use driver_kit::{Failure, Hello, Port, Session, Start, serve};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

const FEATURES: [&str; 22] = [
    "hooks",
    "can_use_tool",
    "mcp",
    "stderr",
    "agents:flag",
    "environment:version",
    "close:kills",
    "environment:merged",
    "system-prompt:flag",
    "prompt:text",
    "initialize:awaited",
    "mcp:server-version",
    "call:interrupt",
    "call:setPermissionMode",
    "call:setModel",
    "call:rewindFiles",
    "call:stopTask",
    "call:getContextUsage",
    "call:mcpServerStatus",
    "call:reconnectMcpServer",
    "call:toggleMcpServer",
    "call:initializationResult",
];

struct Crate {
    runtime: tokio::runtime::Runtime,
}

impl Port for Crate {
    fn hello(&self) -> Hello {
        Hello {
            driver: "cc-sdk".into(),
            sdk: "cc-sdk".into(),
            // The crate does not say its version: the one that Cargo.toml pins.
            version: "0.8.1".into(),
            features: FEATURES.map(String::from).to_vec(),
        }
    }

    fn session(&self, start: Start) -> Result<Arc<dyn Session>, Failure> {
        let cli = start.cli.clone();
        Ok(Arc::new(session::ClientSession::new(options::agent_options(start)?, cli)))
    }

    fn block_on(&self, future: Pin<Box<dyn Future<Output = ()> + Send + '_>>) {
        self.runtime.block_on(future)
    }
}

fn main() {
    serve(Crate { runtime: tokio::runtime::Runtime::new().expect("a runtime") });
}
