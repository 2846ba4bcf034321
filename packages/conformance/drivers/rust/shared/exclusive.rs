//! A client whose methods partly borrow it exclusively, used from several commands at once.
//!
//! Rust lets nobody send while a loop over messages borrows the client. Its user lets go of the loop, sends, and takes
//! the loop up again: so does this lock. The loop holds a [`Shared`] and gives it back when somebody [`wants`] the
//! client alone.

#![allow(dead_code)]

use std::future::Future;
use tokio::sync::{watch, Mutex, Notify, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::driver_kit::Failure;

pub struct Exclusive<T> {
    client: RwLock<T>,
    /// Held by whoever is next, so that a loop that lets go does not come before those who wait.
    turn: Mutex<()>,
    wanted: Notify,
    closing: watch::Sender<bool>,
}

impl<T> Exclusive<T> {
    pub fn new(client: T) -> Self {
        Exclusive { client: RwLock::new(client), turn: Mutex::default(), wanted: Notify::new(), closing: watch::Sender::new(false) }
    }

    pub async fn shared(&self) -> RwLockReadGuard<'_, T> {
        let _turn = self.turn.lock().await;
        self.client.read().await
    }

    /// For a loop whose client reads only when it is borrowed alone: does not ask anybody to let go.
    pub async fn alone_for_the_loop(&self) -> RwLockWriteGuard<'_, T> {
        let _turn = self.turn.lock().await;
        self.client.write().await
    }

    /// Ready when somebody wants the client alone.
    pub async fn wants(&self) {
        self.wanted.notified().await;
    }

    pub async fn alone(&self) -> RwLockWriteGuard<'_, T> {
        let _turn = self.turn.lock().await;
        self.wanted.notify_one();
        self.client.write().await
    }

    /// What the user does to close a client that something still borrows: drops the work that borrows it.
    pub fn drop_open_work(&self) {
        self.closing.send_replace(true);
    }

    /// The work, unless the client is closed before it is done.
    pub async fn until_closed<V>(&self, work: impl Future<Output = Result<V, Failure>>) -> Result<V, Failure> {
        let dropped = Failure::unsupported("close while a call borrows the client");
        self.or_closed(work, Err(dropped)).await
    }

    /// Connects, unless the client is closed meanwhile: what is read from then on says that it is.
    pub async fn connecting(&self, work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
        self.or_closed(work, Ok(())).await
    }

    async fn or_closed<V>(&self, work: impl Future<Output = V>, dropped: V) -> V {
        let mut closing = self.closing.subscribe();
        tokio::select! {
            biased;
            given = work => given,
            _ = closing.wait_for(|is_closing| *is_closing) => dropped,
        }
    }
}
