//! Endgame tablebases with exact distances to mate, generated from the rules of chess alone.
//!
//! A *table* is one material and one winning side, turned so that the winner is White: the table `KRvKN` knows every legal
//! position of king and rook against king and knight, with either side to move, and in how many moves White mates.
//! A table can be generated into memory, as here, or into a folder with [`generate_tables`]. Tables need those of all
//! smaller materials that captures and promotions lead to.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use egtgen::{CachedTables, DEFAULT_CACHE_BYTES, MemoryLibrary, ProbeValue, Prober, TableMaterial, TablePosition};
//!
//! let material: TableMaterial = "KRvK".parse()?;
//! let library = MemoryLibrary::generate(&[material], &AtomicBool::new(false))?;
//!
//! let tables = CachedTables::new(Box::new(library), DEFAULT_CACHE_BYTES);
//! let prober = Prober::new(&tables);
//! let position = TablePosition::from_fen("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")?;
//! assert_eq!(prober.value(&position)?, ProbeValue::Win(16));
//!
//! // The best moves stand first, and each says what it leads to.
//! let best = &prober.rated_moves(&position)?[0];
//! assert_eq!(best.value, ProbeValue::Win(16));
//! assert_eq!(prober.value(&best.after)?, ProbeValue::Loss(15));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | generate tables into a folder, and resume after an interruption | [`GenerationRequest`], [`generate_tables`], [`GenerationEvent`] |
//! | generate them with many processes or machines over one folder | [`GenerationRequest::with_fleet`] |
//! | generate small tables in memory | [`MemoryLibrary`] |
//! | read the tables of a folder | [`TableFolder`], [`CachedTables`] |
//! | ask for the value of a position, and of its moves | [`Prober`], [`ProbeValue`], [`RatedMove`] |
//! | ask these tables and Syzygy tables at once (feature `syzygy`) | `Tablebase`, `Verdict` |
//! | name a material or a position | [`TableMaterial`], [`TablePosition`] |
//! | know what a table will take | [`estimate`], [`plan`] |
//! | let another program run the work as jobs | [`jobs`](mod@jobs) |
//! | count results, and check every value of a table | [`stats`], [`verify`] |
//!
//! # Features
//!
//! `cli` (on by default) builds the program `egtgen` with its HTTP server, and doubles the packages to build (123 in
//! place of 54), among them clap, tokio and axum. The library does not use it: depend on it with
//! `default-features = false`. It then builds for wasm as well.
//!
//! `generate` (part of `cli`) makes tables; without it, tables that are there are read, probed, verified and packed.
//!
//! `syzygy` (part of `cli`) reads Syzygy tables beside these, with eight packages more. It changes no other result.

#[cfg(feature = "generate")]
mod background_sync;
pub mod byte_size;
#[cfg(feature = "generate")]
mod disk;
mod error;
#[cfg(feature = "generate")]
pub mod estimate;
#[cfg(feature = "generate")]
mod fleet;
pub mod folder;
#[cfg(feature = "generate")]
pub mod generation;
#[cfg(feature = "generate")]
mod in_order;
#[cfg(feature = "generate")]
pub mod jobs;
#[cfg(feature = "generate")]
pub mod lease;
#[cfg(feature = "generate")]
pub mod memory_tables;
pub mod packed_folder;
pub mod packing;
#[cfg(feature = "generate")]
pub mod plan;
pub mod prober;
#[cfg(feature = "generate")]
pub mod promotion_lists;
pub mod stats;
#[cfg(feature = "syzygy")]
pub mod syzygy;
#[cfg(feature = "generate")]
mod table_queue;
#[cfg(feature = "syzygy")]
pub mod tablebase;
#[cfg(feature = "generate")]
mod vectors;
pub mod verify;

// The workspace's tests and benchmarks look into these. They may change at any time.
#[doc(hidden)]
#[cfg(feature = "generate")]
pub mod leapfrog;
#[doc(hidden)]
#[cfg(feature = "generate")]
pub mod partial_table;
#[doc(hidden)]
#[cfg(feature = "generate")]
pub mod pawn_slice;
#[doc(hidden)]
pub mod pread;
#[doc(hidden)]
#[cfg(feature = "generate")]
pub mod retrograde;
#[doc(hidden)]
#[cfg(feature = "generate")]
pub mod rows;
#[doc(hidden)]
#[cfg(feature = "generate")]
pub mod store;

pub use error::Error;
pub use folder::TableFolder;
#[cfg(feature = "generate")]
pub use generation::{GenerationEvent, GenerationRequest, generate_tables};
#[cfg(feature = "generate")]
pub use memory_tables::MemoryLibrary;
pub use plyfold_tables::material::TableMaterial;
pub use plyfold_tables::probe::{ProbeValue, Prober, RatedMove};
pub use plyfold_tables::successors::TablePosition;
pub use prober::{CachedTables, DEFAULT_CACHE_BYTES};
#[cfg(feature = "syzygy")]
pub use tablebase::{Tablebase, Verdict, Wdl};
