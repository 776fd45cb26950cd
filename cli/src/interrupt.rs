//! Ctrl-C: what is half written is undone, said so, and the program ends with code 130.
//!
//! Whoever begins to write a file registers how that is undone and gets a [`UndoGuard`]. The undoing runs once: when the
//! program is interrupted, or when the ticket is dropped because something failed; not if the ticket was redeemed by
//! [`UndoGuard::commit`]. A thread that waits for input need not wake up for it: the handler does it all.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::failure::{CliFailure, Result};

/// How something half written is undone.
struct UndoAction {
    number: u64,
    undo: Box<dyn FnOnce() + Send>,
    /// What is true afterwards: "games.plyfold is as it was". Empty if nobody needs to hear of it.
    message: String,
}

#[derive(Default)]
struct UndoRegistry {
    pending: Vec<UndoAction>,
    next: u64,
}

impl UndoRegistry {
    fn add(&mut self, says: String, undo: Box<dyn FnOnce() + Send>) -> UndoGuard {
        let number = self.next;
        self.next += 1;
        self.pending.push(UndoAction { number, undo, message: says });
        UndoGuard(number)
    }
}

static UNDO_REGISTRY: Mutex<UndoRegistry> = Mutex::new(UndoRegistry { pending: Vec::new(), next: 0 });

fn undo_registry() -> MutexGuard<'static, UndoRegistry> {
    UNDO_REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on an interrupt undoes what is registered.
///
/// # Errors
///
/// The system does not let us.
pub fn install() -> Result<()> {
    let handler = || {
        // The register stays locked to the end: nobody writes any more.
        let mut register = undo_registry();
        let mut says = String::new();
        for undo in register.pending.drain(..) {
            (undo.undo)();
            if !undo.message.is_empty() {
                says = says + "; " + &undo.message;
            }
        }
        let _ = writeln!(io::stderr(), "\nplyfold: interrupted{says}");
        std::process::exit(130);
    };
    ctrlc::set_handler(handler).map_err(|error| CliFailure::Other(format!("cannot watch for interrupts: {error}")))
}

/// Stands for something half written.
pub struct UndoGuard(u64);

impl UndoGuard {
    /// Registers how something is undone that is about to be begun, and what is true then.
    pub fn new(message: String, undo: impl FnOnce() + Send + 'static) -> UndoGuard {
        undo_registry().add(message, Box::new(undo))
    }

    /// Begins something and registers how that is undone; an interrupt comes before both or after both.
    ///
    /// # Errors
    ///
    /// Those of `begin`.
    pub fn begin<T, U: FnOnce() + Send + 'static>(
        says: String,
        begin: impl FnOnce() -> Result<(T, U)>,
    ) -> Result<(T, UndoGuard)> {
        let mut register = undo_registry();
        let (begun, undo) = begin()?;
        Ok((begun, register.add(says, Box::new(undo))))
    }

    /// Does a step of the writing; an interrupt comes before it or after it.
    pub fn step<T>(&self, step: impl FnOnce() -> T) -> T {
        let _register = undo_registry();
        step()
    }

    /// Does the last step; if that succeeds, there is nothing to undo any more.
    ///
    /// # Errors
    ///
    /// Those of the step; everything is then undone.
    pub fn commit(self, last: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let mut register = undo_registry();
        last()?;
        register.pending.retain(|undo| undo.number != self.0);
        Ok(())
    }
}

impl Drop for UndoGuard {
    fn drop(&mut self) {
        let mut register = undo_registry();
        if let Some(at) = register.pending.iter().position(|undo| undo.number == self.0) {
            (register.pending.swap_remove(at).undo)();
        }
    }
}
