//! Writes the names of openings to standard output, for the page; with the argument `moves`, their moves.

use std::env;
use std::io::{Write, stdout};

fn main() -> std::io::Result<()> {
    let text =
        if env::args().nth(1).as_deref() == Some("moves") { plyfold_openings::MOVES } else { plyfold_openings::NAMES };
    stdout().write_all(text.as_bytes())
}
