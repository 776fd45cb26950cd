//! Names of chess openings as one text: a line each of opening code, tab, and name, sorted, each pair once.
//!
//! The names are those of lichess-org/chess-openings, which are in the public domain (CC0), as the crate esca contains
//! them. The command line compiles them in; the page loads them as a file, which the program of this package writes.

/// All names, such as `B90<tab>Sicilian Defense: Najdorf Variation`.
pub const NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/openings.tsv"));

/// The moves of all lines, sorted by moves, such as `B00<tab>Barnes Defense<tab>e4 f6`.
pub const MOVES: &str = include_str!(concat!(env!("OUT_DIR"), "/opening-moves.tsv"));
