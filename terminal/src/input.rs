//! Reads requests from standard input.

use std::io::{self, BufRead};

use plyfold_files::FileError;

use crate::program::Failure;

/// The argument that means standard input.
pub const STDIN_MARK: &str = "-";

/// What messages call standard input.
pub const STANDARD_INPUT: &str = "standard input";

/// Calls `answer` with the number, from 1, and the text of each line of standard input that is not blank, up to the first error.
///
/// # Errors
///
/// Those of `answer`, and that standard input cannot be read.
pub fn for_each_line<F: Failure>(mut answer: impl FnMut(u64, &str) -> Result<(), F>) -> Result<(), F> {
    let cannot = |source| FileError::File { path: STANDARD_INPUT.into(), action: "cannot be read", source };
    let (mut lines, mut line) = (io::stdin().lock(), Vec::new());
    for number in 1.. {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(cannot)? == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            answer(number, text.trim())?;
        }
    }
    Ok(())
}
