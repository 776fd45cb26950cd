//! Ctrl-C: the program removes unfinished files, reports that, and ends with code 130. Work that checks the [`stop_flag`] ends
//! where it can be resumed instead, unless it is interrupted twice.
//!
//! A command that begins to write a file registers how to undo that, and gets an [`UndoGuard`]. The undo step runs
//! once: when the program is interrupted, or when the guard is dropped because something failed. It does not run after
//! [`UndoGuard::commit`]. The handler does all of this itself, so no thread that waits for input needs to wake up.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::program::name;

/// The exit code of an interrupted program.
const INTERRUPTED: i32 = 130;

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

/// Makes an interrupt end the program with code 0 from here on: the command goes on until the user ends it.
pub fn expect() {
    IS_EXPECTED.store(true, Ordering::Relaxed);
}

/// Whether a program that this one has started answers interrupts.
static IS_LEFT_TO_CHILD: AtomicBool = AtomicBool::new(false);

/// Leaves interrupts to a program that this one starts; this one ends when that program does.
pub fn leave_to_child() {
    IS_LEFT_TO_CHILD.store(true, Ordering::Relaxed);
}

fn undo_registry() -> MutexGuard<'static, UndoRegistry> {
    UNDO_REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the user has interrupted the program.
static STOP_REQUESTED: AtomicBool = AtomicBool::new(false);

/// Whether work checks [`STOP_REQUESTED`].
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

static STOP_SIGNAL: (Mutex<()>, Condvar) = (Mutex::new(()), Condvar::new());

/// Installs the handler.
///
/// # Errors
///
/// The system does not allow it.
pub(crate) fn install() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| {
        if IS_LEFT_TO_CHILD.load(Ordering::Relaxed) {
            return;
        }
        let is_first = !STOP_REQUESTED.swap(true, Ordering::SeqCst);
        drop(STOP_SIGNAL.0.lock().unwrap_or_else(PoisonError::into_inner));
        STOP_SIGNAL.1.notify_all();
        if is_first && IS_WATCHED.load(Ordering::SeqCst) {
            let advice = "stopping at the next safe point; press Ctrl-C again to stop at once";
            let _ = writeln!(io::stderr(), "\n{}: {advice}", name());
        } else {
            undo_and_exit();
        }
    })
}

/// Undoes everything that is registered, reports that, and ends the program.
fn undo_and_exit() -> ! {
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
    let _ = writeln!(io::stderr(), "\n{}: interrupted{says}", name());
    std::process::exit(INTERRUPTED)
}

/// Becomes true when the user interrupts. The caller must check it.
pub fn stop_flag() -> &'static AtomicBool {
    IS_WATCHED.store(true, Ordering::SeqCst);
    &STOP_REQUESTED
}

/// Waits for `what`, while no work is half done. An interrupt during the wait ends the program at once; afterwards it sets the
/// stop flag again.
pub fn run_interruptible<T>(what: impl FnOnce() -> T) -> T {
    if !stop_watching() {
        std::process::exit(INTERRUPTED);
    }
    let done = what();
    IS_WATCHED.store(true, Ordering::SeqCst);
    done
}

/// Lets an interrupt end the program from now on. Returns false if one has already set the stop flag.
pub fn stop_watching() -> bool {
    // In this order: the handler checks the two in the other order, so one of both notices an interrupt in between.
    IS_WATCHED.store(false, Ordering::SeqCst);
    !STOP_REQUESTED.load(Ordering::SeqCst)
}

/// Waits until the user interrupts.
pub fn wait_for_stop() {
    let mut guard = STOP_SIGNAL.0.lock().unwrap_or_else(PoisonError::into_inner);
    while !stop_flag().load(Ordering::SeqCst) {
        guard = STOP_SIGNAL.1.wait(guard).unwrap_or_else(PoisonError::into_inner);
    }
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
    pub fn begin<T, E, U: FnOnce() + Send + 'static>(
        says: String,
        begin: impl FnOnce() -> Result<(T, U), E>,
    ) -> Result<(T, UndoGuard), E> {
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
