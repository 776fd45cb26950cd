//! Position search as one pass over every ply of every game: the engine of plyfold.
//!
//! The crate takes bytes and returns results. It is `no_std` with `alloc`: it opens no files, starts no threads and reads no clock.
//!
//! # PGN text to results
//!
//! ```
//! use plyfold_core::{CorpusBuffer, CorpusCheck, ReducerSelection, game, pgn, query, reduce};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = b"[White \"Anna\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 1-0\n\n\
//!              [White \"Bert\"]\n\n1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. a3 Bxc3+ 5. bxc3 c5 0-1\n";
//!
//! // Pack the games into a shard, and keep it in a corpus in memory. `report` has the games that were rejected, with the reason.
//! let (shard, report) = pgn::pack_shard(text, 0);
//! assert_eq!((report.imported, report.rejected), (2, 0));
//! let mut corpus = CorpusBuffer::new();
//! corpus.append(&shard)?;
//!
//! // Ask which games have these positions, and how many positions there are.
//! let query = query::compile("{ white doubled_pawn and count(black bishop) = 1 }")?;
//! let selection = ReducerSelection { games: true, positions_count: true, ..ReducerSelection::default() };
//!
//! let reader = corpus.reader(CorpusCheck::EveryByte)?;
//! let results = reduce::run_query(&game::corpus_spans(&reader), &query, &selection, &())?;
//! assert_eq!((results.count.games, results.count.positions), (1, 2));
//!
//! // Games are numbered from 0 in the corpus; people count from 1.
//! let numbers: Vec<u64> = results.games.iter().flat_map(|games| games.iter()).map(|id| id.number()).collect();
//! assert_eq!(numbers, [2]);
//! # Ok(())
//! # }
//! ```
//!
//! The folder `examples` of this crate has three programs: a search in a PGN file, counts by a key, and queries as values and as text.
//!
//! # Features
//!
//! No feature changes a result.
//!
//! | feature | what you get | what it costs |
//! |---|---|---|
//! | `std`, on by default | `memchr` and `shakmaty` use the standard library: tags and texts are searched with the vector instructions of the processor | nothing where there is a standard library |
//! | `rayon` | imports check and scans read on all threads of the current rayon pool; two threads take about half the time of one | the dependency `rayon`, and `std` |
//! | `naive` | the slow twin of the scan, for tests (`scan::naive`) | nothing but its code |
//! | `magics` | imports are about 10 % faster, by tables of sliding attacks | 700 KiB more in the binary |
//!
//! # Where to begin
//!
//! | you have | begin with |
//! |---|---|
//! | PGN text | [`pgn::pack_shard`], [`CorpusBuffer`] |
//! | a corpus file | [`CorpusReader`], [`game::corpus_spans`] |
//! | a question | [`query::compile`], [`ReducerSelection`], [`reduce::run_query`] |
//! | an output of your own | [`Reducer`], [`scan::fold::scan`] |
//! | a position to look up | [`IndexReader`] for games, [`Prober`] for endgame tables |
//! | a board to flip or rotate | [`Transform`] |
#![no_std]

extern crate alloc;

pub mod aliases;
pub mod comment_search;
pub mod corpus_names;
pub mod edit_list;
pub mod edited_corpus;
pub mod fide_ids;
pub mod game_numbers;
pub mod keys;
pub mod line_search;
pub mod tag_search;

#[doc(inline)]
pub use plyfold_annotations as annotations;
#[doc(inline)]
pub use plyfold_board::{board, irreversible, matsig, moves};
#[doc(inline)]
pub use plyfold_corpus as corpus;
#[doc(inline)]
pub use plyfold_index as index;
#[doc(inline)]
pub use plyfold_pgn as pgn;
#[doc(inline)]
pub use plyfold_pmote as pmote;
#[doc(inline)]
pub use plyfold_query as query;
#[doc(inline)]
pub use plyfold_reduce as reduce;
#[doc(inline)]
pub use plyfold_scan::{duplicates, game, headers, notation, scan};
#[doc(inline)]
pub use plyfold_tables as table;
#[doc(inline)]
pub use plyfold_transform as transform;
#[doc(inline)]
pub use plyfold_twinning as twinning;

#[doc(inline)]
pub use board::Board;
#[doc(inline)]
pub use corpus::buffer::CorpusBuffer;
#[doc(inline)]
pub use corpus::error::CorpusError;
#[doc(inline)]
pub use corpus::file::{CorpusCheck, CorpusReader};
#[doc(inline)]
pub use game::{Game, GameId, GameSpan, Ply};
#[doc(inline)]
pub use index::probe::IndexReader;
#[doc(inline)]
pub use matsig::MatSig;
#[doc(inline)]
pub use moves::Move;
#[doc(inline)]
pub use pgn::PgnImportReport;
#[doc(inline)]
pub use query::error::QueryError;
#[doc(inline)]
pub use reduce::game_set::GameSet;
#[doc(inline)]
pub use reduce::groups::GroupTable;
#[doc(inline)]
pub use reduce::key::GroupingKey;
#[doc(inline)]
pub use reduce::{QueryResults, ReducerSelection};
#[doc(inline)]
pub use scan::Query;
#[doc(inline)]
pub use scan::fold::ScanObserver;
#[doc(inline)]
pub use scan::reducer::Reducer;
#[doc(inline)]
pub use table::material::TableMaterial;
#[doc(inline)]
pub use table::probe::{ProbeValue, Prober};
#[doc(inline)]
pub use transform::Transform;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
