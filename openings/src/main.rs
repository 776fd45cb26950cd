//! Writes the openings to standard output, for the page.

use std::io::{Write, stdout};

fn main() -> std::io::Result<()> {
    stdout().write_all(plyfold_openings::LINES.as_bytes())
}
