//! Conformance driver for the crate `claude-codes`: its `AsyncClient`, with the permission flow that it documents.
//!
//! The crate routes nothing: hooks and in-process servers are types of frames there, and their program is the user's.

#[path = "../../../kit/driver_kit.rs"]
mod driver_kit;
#[path = "../../shared/exclusive.rs"]
mod exclusive;
mod options;
mod session;
#[path = "../../shared/values.rs"]
mod values;

use driver_kit::{Failure, Hello, Port, Session, Start, serve};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

const FEATURES: [&str; 10] = [
    "can_use_tool",
    "stderr",
    "close:kills",
    "environment:merged",
    "prompt:blocks",
    "initialize:awaited",
    "messages:ids",
    "messages:figures",
    "callback:tool-use-id",
    "call:interrupt",
];

struct Crate {
    runtime: tokio::runtime::Runtime,
}

impl Port for Crate {
    fn hello(&self) -> Hello {
        Hello {
            driver: "claude-codes".into(),
            sdk: "claude-codes".into(),
            // The crate does not say its version: the one that Cargo.toml pins.
            version: "2.1.316".into(),
            features: FEATURES.map(String::from).to_vec(),
        }
    }

    fn session(&self, start: Start) -> Result<Arc<dyn Session>, Failure> {
        Ok(Arc::new(session::ClientSession::new(options::launch(start)?)))
    }

    fn block_on(&self, future: Pin<Box<dyn Future<Output = ()> + Send + '_>>) {
        self.runtime.block_on(future)
    }
}

fn main() {
    serve(Crate { runtime: tokio::runtime::Runtime::new().expect("a runtime") });
}
