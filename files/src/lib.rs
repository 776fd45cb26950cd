//! The files of the user: what a command may write, how it writes, and how it opens what it reads.
//!
//! Both programs use this crate, so each rule stands once:
//!
//! - [`Outputs`] checks the file names of a command before any work starts: no output is an input, no two outputs are the
//!   same file, and no file is replaced without `--force`.
//! - [`Partial`] is a file that is being written. It gets its name when it is whole.
//! - [`Lock`] keeps two programs from writing the same file in place.
//! - [`open()`] opens an input without waiting: a FIFO, a socket or a device is an error.
//! - [`Shown`] prints a path so that its name cannot steer the terminal.

mod identity;
mod lock;
mod open;
mod outputs;
mod partial;
mod problem;
mod shown;

pub use identity::is_at;
pub use lock::Lock;
pub use open::{is_standard_output, open, open_own, open_text};
pub use outputs::{Existing, Outputs, Refused};
pub use partial::{Partial, publish_new, scratch};
pub use problem::Problem;
pub use shown::{Shown, escaped, escaped_lines};
