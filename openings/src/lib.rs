//! The chess openings as one text: for each line of moves its code, tab, name, tab, and the moves, sorted.
//!
//! They are those of lichess-org/chess-openings, which are in the public domain (CC0), as the crate esca contains them. The command
//! line compiles them in; the page loads them as a file, which the program of this package writes.

/// All lines, such as `B20<tab>Sicilian Defense<tab>e4 c5`. A name has several lines where other moves lead to other positions of it.
pub const LINES: &str = include_str!(concat!(env!("OUT_DIR"), "/opening-lines.tsv"));
