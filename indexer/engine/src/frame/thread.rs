//! Work of polars that can be cancelled. polars does not look at a request to stop, so its work runs on a thread that is
//! abandoned then.

use std::sync::mpsc::{RecvTimeoutError, channel};

use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use base::limits::{CANCEL_POLL, SQL_STACK_BYTES};

/// The result of some work on a thread with a large stack, or nothing if it panicked. After a request to stop nobody waits for it: it ends on its own, or
/// at its next read of events.
pub fn on_a_thread<T: Send + 'static>(
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Option<T>> {
    let (sender, receiver) = channel();
    let thread = std::thread::Builder::new().name("polars".to_owned()).stack_size(SQL_STACK_BYTES);
    let thread = thread.spawn(move || {
        // The receiver is gone if the query was cancelled.
        let _ = sender.send(work());
    });
    thread
        .map_err(|error| Error::new(ErrorKind::Internal, format!("no thread could be started: {error}")))?;
    loop {
        match receiver.recv_timeout(CANCEL_POLL) {
            Ok(result) => return Ok(Some(result)),
            Err(RecvTimeoutError::Timeout) if cancel.is_set() => return Err(Error::cancelled()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

/// So few rows are done before a thread has started.
const FEW_ROWS: usize = 1 << 14;

/// The result of work over some rows; of few rows on this thread.
pub(super) fn over_rows<T: Send + 'static>(
    rows: usize,
    cancel: &Cancel,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    if rows <= FEW_ROWS {
        return work();
    }
    on_a_thread(cancel, work)?.unwrap_or_else(|| {
        Err(Error::new(ErrorKind::Internal, "a calculation over a table ended unexpectedly"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelled_work_is_abandoned() {
        let (cancel, (sender, receiver)) = (Cancel::default(), channel::<()>());
        cancel.set();
        let found = on_a_thread(&cancel, move || receiver.recv().is_ok());
        assert!(found.is_err_and(|error| error.kind() == ErrorKind::Cancelled));
        assert!(sender.send(()).is_ok());
    }

    #[test]
    fn finished_work_hands_over_its_result() {
        let found = over_rows(FEW_ROWS + 1, &Cancel::default(), || Ok(7));
        assert_eq!(found.expect("a result"), 7);
    }
}
