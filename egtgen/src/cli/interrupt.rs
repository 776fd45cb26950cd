//! Ctrl-C. Work that checks the stop flag ends where it can be resumed. Other work ends at once, and so does any work that is
//! interrupted twice. Files appear only when they are complete, so there is nothing to undo.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use super::failure::{EgtgenFailure, Result};

static STOP_REQUESTED: AtomicBool = AtomicBool::new(false);
static IS_WATCHED: AtomicBool = AtomicBool::new(false);
static STOP_SIGNAL: (Mutex<()>, Condvar) = (Mutex::new(()), Condvar::new());

/// Installs the handler.
///
/// # Errors
///
/// The system refuses.
pub fn install() -> Result<()> {
    let handler = || {
        let is_first = !STOP_REQUESTED.swap(true, Ordering::SeqCst);
        drop(STOP_SIGNAL.0.lock().unwrap_or_else(PoisonError::into_inner));
        STOP_SIGNAL.1.notify_all();
        if is_first && IS_WATCHED.load(Ordering::SeqCst) {
            let _ =
                writeln!(io::stderr(), "\negtgen: stopping at the next safe point; press Ctrl-C again to stop at once");
        } else {
            let _ = writeln!(io::stderr(), "\negtgen: interrupted");
            exit_interrupted();
        }
    };
    ctrlc::set_handler(handler).map_err(|error| EgtgenFailure::Other(format!("cannot watch for interrupts: {error}")))
}

/// Waits for `what`, while no work is half done. An interrupt during the wait ends the program at once; afterwards it sets the
/// stop flag again.
pub fn run_interruptible<T>(what: impl FnOnce() -> T) -> T {
    if !stop_watching() {
        exit_interrupted();
    }
    let done = what();
    IS_WATCHED.store(true, Ordering::SeqCst);
    done
}

/// From now on an interrupt ends the program. False if one has already set the stop flag.
fn stop_watching() -> bool {
    // In this order: the handler checks the two in the other order, so one of both notices an interrupt in between.
    IS_WATCHED.store(false, Ordering::SeqCst);
    !STOP_REQUESTED.load(Ordering::SeqCst)
}

fn exit_interrupted() -> ! {
    std::process::exit(130)
}

/// Becomes true when the user interrupts. The caller must check it.
pub fn stop_flag() -> &'static AtomicBool {
    IS_WATCHED.store(true, Ordering::SeqCst);
    &STOP_REQUESTED
}

/// Waits until the user interrupts.
pub fn wait_for_stop() {
    let mut guard = STOP_SIGNAL.0.lock().unwrap_or_else(PoisonError::into_inner);
    while !stop_flag().load(Ordering::SeqCst) {
        guard = STOP_SIGNAL.1.wait(guard).unwrap_or_else(PoisonError::into_inner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_before_a_rest_is_not_slept_over() {
        assert!(!stop_flag().load(Ordering::SeqCst));
        assert!(stop_watching());
        assert!(!IS_WATCHED.load(Ordering::SeqCst));
        STOP_REQUESTED.store(true, Ordering::SeqCst);
        assert!(!stop_watching());
    }
}
