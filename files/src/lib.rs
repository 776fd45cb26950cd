//! The rules for the user's files: what a command may write, how it writes, and how it opens what it reads.
//!
//! Both programs use this crate, so that each rule is stated once:
//!
//! - [`OutputPlan`] checks the file names of a command before any work starts: no output is an input, no two outputs are
//!   the same file, and no file is replaced unless the user wants that.
//! - [`PartialFile`] is a file that is being written. It gets its name when it is complete.
//! - [`FileLock`] keeps two programs from writing the same file in place.
//! - [`open()`] opens an input without waiting: a FIFO, a socket or a device is an error.
//! - [`PrintablePath`] prints a path so that its name cannot steer the terminal.

mod error;
mod identity;
mod lock;
mod open;
mod outputs;
mod partial;
mod printable;

pub use error::FileError;
pub use identity::is_at;
pub use lock::FileLock;
pub use open::{is_standard_output, open, open_own, open_text, open_to_update};
pub use outputs::{OutputError, OutputPlan, OverwriteRule};
pub use partial::{PartialFile, is_partial, publish_new, publish_own, remove_earlier_name, sync_folder, unnamed_file};
pub use printable::{PrintablePath, escape_control_lines, escape_controls, is_terminal_control};
