//! Writes the names of openings to standard output, for the page.

use std::io::{Write, stdout};

fn main() -> std::io::Result<()> {
    stdout().write_all(plyfold_openings::NAMES.as_bytes())
}
