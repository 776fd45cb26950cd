//! Endgame tables: names of materials, the index of a table, the file format, and probing.
//!
//! A *table* is one material and one winner, arranged so that the winner is White: `KRvKRB` has the positions in which a rook
//! beats rook and bishop. Distances (DTM, distance to mate) count moves of the winner: in `won(N)` White is to move and mates in
//! `N` moves; in `lost(N)` Black is to move and is mated in `N` moves, so `lost(0)` is mate. A position of `KRvK` in `won(1)`,
//! since Ra8 is mate:
//!
//! ```
//! use plyfold_tables::successors::TablePosition;
//! let position = TablePosition::from_fen("7k/8/6K1/8/8/8/8/R7 w - - 0 1").expect("a legal position");
//! assert_eq!(position.material().to_string(), "KRvK");
//! assert_eq!(format!("\n{:?}", position.board()), "
//! . . . . . . . k
//! . . . . . . . .
//! . . . . . . K .
//! . . . . . . . .
//! . . . . . . . .
//! . . . . . . . .
//! . . . . . . . .
//! R . . . . . . .
//! ");
//! let mates = position.successors().filter(|(_, after)| after.is_check() && after.successors().len() == 0);
//! assert_eq!(mates.map(|(mv, _)| mv.to_string()).collect::<Vec<_>>(), ["Ra1-a8"]);
//! ```
#![no_std]

extern crate alloc;

pub mod codec;
pub mod index;
pub mod layout;
pub mod material;
pub mod packed;
pub mod probe;
pub mod successors;
