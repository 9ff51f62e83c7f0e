//! Whose turn it is to write the case: what is received becomes events, unless other work of this process
//! wants to write. Then the log grows on the disk meanwhile, and is read on afterwards.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::log::Log;

#[derive(Default)]
pub struct Turn {
    state: Mutex<TurnState>,
    changed: Condvar,
}

#[derive(Default)]
struct TurnState {
    /// So many others want to write, or do.
    others: usize,
    /// The case is held for what is received.
    is_held: bool,
}

impl Turn {
    fn state(&self) -> MutexGuard<'_, TurnState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody else wants to write, and holds the turn.
    pub fn hold(&self) -> Held<'_> {
        let waited = self.changed.wait_while(self.state(), |state| state.others > 0);
        waited.unwrap_or_else(PoisonError::into_inner).is_held = true;
        Held(self)
    }

    /// Whether somebody else wants to write.
    pub fn is_wanted(&self) -> bool {
        self.state().others > 0
    }
}

/// The turn of what is received, until it is dropped.
pub struct Held<'t>(&'t Turn);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.state().is_held = false;
        self.0.changed.notify_all();
    }
}

/// The turn of other work, until it is dropped.
pub struct Yielded {
    turn: Arc<Turn>,
}

impl Yielded {
    /// Waits until what was received so far is published and the case is free.
    pub(crate) fn wait(turn: &Arc<Turn>, log: &Log) -> Yielded {
        turn.state().others += 1;
        log.nudge();
        let waited = turn.changed.wait_while(turn.state(), |state| state.is_held);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        Yielded { turn: Arc::clone(turn) }
    }
}

impl Drop for Yielded {
    fn drop(&mut self) {
        self.turn.state().others -= 1;
        self.turn.changed.notify_all();
    }
}
