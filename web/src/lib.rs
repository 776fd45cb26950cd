//! Browser bindings: translate arguments, call the engine, translate back.
//!
//! The same source makes two packages (see `cargo xtask wasm`): one with a pool of threads over shared
//! memory, and one without, for pages that are not cross-origin isolated. The flavour changes no result.
//! The site calls the bindings from its engine worker, never from the page itself.
//!
//! ```text
//! import   PGN files ─► a corpus, written shard by shard
//! corpus   storage ─► the scan parts of all shards in memory, texts on demand
//! arriving    packed shards, one after another ─► a corpus that grows
//! query    a question and the requested outputs ─► results
//! groups   matches by a key ─► counts, sets of games
//! next     matches ─► how games continued
//! tables   packed endgame tables ─► verdicts that queries ask
//! results  outputs ─► tables with typed columns
//! sets     names ─► sets of games, combined and as files
//! edits    a list of changes ─► games as they are found, shown and written
//! doubles  games ─► those that are there several times
//! aliases  names that are one ─► questions and answers of the name that is shown
//! editor   a text while it is typed ─► completion and colours; two conditions ─► one query
//! phrases  what a player typed ─► a query, and what each word means
//! suggestions  the last words of a text ─► names and phrases that go on so
//! score    games ─► won, drawn and lost, by colour and by player
//! rows     games ─► rows of a list, sorted
//! transform   a position ─► its images; commands ─► the positions they make
//! replay   a game ─► positions and moves to step through
//! memory   room for what is about to come
//! cancel   the number of the request that the page has cancelled
//! source   private files, Blobs, arrays ─► bytes
//! sink     bytes ─► a private file, or arrays if it has no room
//! pace     the clock ─► when JavaScript is told how far a task has come
//! plain    Rust structs ─► plain objects with TypeScript types
//! ```

pub mod aliases;
pub mod arriving;
pub mod cancel;
pub mod conditions;
pub mod corpus;
pub mod doubles;
pub mod editor;
pub mod edits;
pub mod endgame_tables;
pub mod error;
pub mod game_rows;
pub mod groups;
pub mod import;
pub mod memory;
mod names;
pub mod next_moves;
mod openings;
mod pace;
pub mod phrases;
pub mod plain;
pub mod query;
pub mod replay;
pub mod result_table;
pub mod score;
pub mod search_results;
pub mod sets;
mod sink;
pub mod source;
pub mod suggestions;
pub mod transform;
pub mod why_not;

use wasm_bindgen::prelude::wasm_bindgen;

/// `initThreadPool(n)`: starts `n` workers and resolves when all of them are ready. Call it once, from a worker.
#[cfg(all(feature = "threads", target_arch = "wasm32"))]
pub use wasm_bindgen_rayon::init_thread_pool;

/// Returns the number of threads that a scan uses: the size of the pool, or 1 in the single flavour.
#[wasm_bindgen]
#[must_use]
pub fn threads() -> usize {
    #[cfg(feature = "threads")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "threads"))]
    return 1;
}
