//! Whose turn it is: a person who looks through files before they are read, or the import that reads them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use base::limits::LONGEST_TURN;

/// How often it is looked whether the turn has ended.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// Until when imports wait, for each turn that is taken.
static TAKEN: Mutex<Vec<Instant>> = Mutex::new(Vec::new());

fn taken() -> MutexGuard<'static, Vec<Instant>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes imports wait while it lives, though not for long.
pub(crate) struct Turn {
    until: Instant,
}

impl Turn {
    pub(crate) fn take() -> Turn {
        let until = Instant::now() + LONGEST_TURN;
        taken().push(until);
        Turn { until }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut taken = taken();
        if let Some(at) = taken.iter().position(|&until| until == self.until) {
            taken.swap_remove(at);
        }
    }
}

/// Waits while somebody else has the turn.
pub(crate) fn give_way() {
    while taken().iter().any(|&until| Instant::now() < until) {
        thread::sleep(LOOK_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_thread_continues_when_the_turn_ends_or_times_out() {
        give_way();
        let (began, turn) = (Instant::now(), Turn::take());
        let waiting = thread::spawn(move || {
            give_way();
            began.elapsed()
        });
        thread::sleep(Duration::from_millis(30));
        assert!(!waiting.is_finished() || began.elapsed() >= LONGEST_TURN);
        drop(turn);
        assert!(waiting.join().expect("it went on") >= Duration::from_millis(30));

        let (began, _turn) = (Instant::now(), Turn::take());
        give_way();
        assert!(began.elapsed() >= LONGEST_TURN);
    }
}
