//! A scan makes one pass over every ply of every game, in five stages.
//!
//! ```text
//! board ─► measure ─► predicate ─► track ─► combine ─► reduce
//!          features   true/false   windows  verdict    results
//! ```
//!
//! [`measure`] has the features, [`predicate`] compares them, `decide::track` applies windows and gates, [`combine`] makes the
//! verdict, and a [`reducer`] collects the output. `naive`, which tests switch on, does exactly this, step by step; it is the slow twin with which the
//! fold must agree.
//!
//! A replayed board is expensive, so the fold takes three steps to avoid it. [`plan`] assigns each predicate to the cheapest
//! access path that covers what the predicate depends on. `evaluate` follows these paths game by game and makes sets of plies
//! (`plies`). `decide` combines the sets in three-valued logic and finds what is still undecided. [`fold`] does all this for
//! batches of games on all threads.

mod access_path;
pub mod combine;
mod comment_candidates;
mod decide;
mod evaluate;
pub mod evidence;
pub mod fold;
mod followed_game;
pub mod game_verdicts;
pub mod measure;
#[cfg(any(test, feature = "naive"))]
pub mod naive;
pub mod parts;
pub mod plan;
pub(crate) mod plies;
pub mod ply_filter;
pub mod predicate;
mod query;
#[cfg(test)]
mod random_queries;
pub mod reducer;
pub mod replay_needs;
mod statistics;
pub mod tables;
mod tuning;
pub mod unstored;
pub(crate) mod verdict_reader;

pub use evaluate::feature_tests;
pub use predicate::GameInSpan;
pub use query::{ConditionEdge, ConditionGate, Occurrence, PlyWindow, Query, ScanCondition, first_half_move};
pub use statistics::ScanStatistics;
