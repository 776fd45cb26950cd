//! Ctrl-C: work that looks at the [`flag`] ends where it can go on later; any other ends at once, and so does the first
//! kind when it is interrupted twice. Tables appear when they are whole, so there is nothing to undo.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::{Failure, Result};

static WANTED: AtomicBool = AtomicBool::new(false);
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

/// From now on an interrupt is heard.
///
/// # Errors
///
/// The system does not let us.
pub fn install() -> Result<()> {
    let handler = || {
        let is_first = !WANTED.swap(true, Ordering::SeqCst);
        if is_first && IS_WATCHED.load(Ordering::SeqCst) {
            let _ = writeln!(io::stderr(), "\negtgen: ends at the next safe place; Ctrl-C again ends at once");
        } else {
            let _ = writeln!(io::stderr(), "\negtgen: interrupted");
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::Other(format!("cannot watch for interrupts: {error}")))
}

/// Becomes true when the user wants no more. Whoever asks for it promises to look at it.
pub fn flag() -> &'static AtomicBool {
    IS_WATCHED.store(true, Ordering::SeqCst);
    &WANTED
}
