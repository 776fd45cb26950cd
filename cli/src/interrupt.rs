//! Ctrl-C: the program removes unfinished files, reports that, and ends with code 130.
//!
//! A command that begins to write a file registers how to undo that, and gets an [`UndoGuard`]. The undo step runs
//! once: when the program is interrupted, or when the guard is dropped because something failed. It does not run after
//! [`UndoGuard::commit`]. The handler does all of this itself, so no thread that waits for input needs to wake up.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::failure::{CliFailure, Result};

/// How to undo something that is half written.
struct UndoAction {
    number: u64,
    undo: Box<dyn FnOnce() + Send>,
    /// The state afterwards, such as "games.plyfold is as it was"; empty if the user need not know.
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

/// Whether an interrupt is how the command ends.
static IS_EXPECTED: AtomicBool = AtomicBool::new(false);

/// From here on an interrupt ends the program with code 0: the command goes on until the user ends it.
pub fn expect() {
    IS_EXPECTED.store(true, Ordering::Relaxed);
}

/// Whether a program that this one has started answers interrupts.
static IS_LEFT_TO_CHILD: AtomicBool = AtomicBool::new(false);

/// From here on a program that this one starts answers interrupts, and this one ends when that program does.
pub fn leave_to_child() {
    IS_LEFT_TO_CHILD.store(true, Ordering::Relaxed);
}

fn undo_registry() -> MutexGuard<'static, UndoRegistry> {
    UNDO_REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Installs the handler, which undoes everything that is registered.
///
/// # Errors
///
/// The system does not allow it.
pub fn install() -> Result<()> {
    let handler = || {
        if IS_LEFT_TO_CHILD.load(Ordering::Relaxed) {
            return;
        }
        // The register stays locked until the program ends, so that no other thread writes any more.
        let mut register = undo_registry();
        let mut says = String::new();
        for undo in register.pending.drain(..) {
            (undo.undo)();
            if !undo.message.is_empty() {
                says = says + "; " + &undo.message;
            }
        }
        if IS_EXPECTED.load(Ordering::Relaxed) {
            std::process::exit(0);
        }
        let _ = writeln!(io::stderr(), "\nplyfold: interrupted{says}");
        std::process::exit(130);
    };
    ctrlc::set_handler(handler).map_err(|error| CliFailure::Other(format!("cannot watch for interrupts: {error}")))
}

/// The registration of an unfinished file.
pub struct UndoGuard(u64);

impl UndoGuard {
    /// Registers how to undo a step that is about to begin, and the state after undoing it.
    pub fn new(message: String, undo: impl FnOnce() + Send + 'static) -> UndoGuard {
        undo_registry().add(message, Box::new(undo))
    }

    /// Begins something and registers how to undo it; an interrupt comes before both or after both.
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

    /// Does one step of the writing; an interrupt comes before it or after it.
    pub fn step<T>(&self, step: impl FnOnce() -> T) -> T {
        let _register = undo_registry();
        step()
    }

    /// Does the last step. If it succeeds, there is nothing left to undo.
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
