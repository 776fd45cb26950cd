//! A decision about a game is three-valued: as long as some predicates are untested, a query must match, may match, or cannot.
//!
//! A [`conjunction`] gives the bounds of a formula at 64 plies. A [`track`] applies windows and gates to these bounds (stage 3), with the
//! words of [`truth`] and the counts of `runs`. A [`query_evaluator`] combines the conditions to the result of the query, and
//! [`early_rejection`] tests necessary conditions one by one.

pub mod conjunction;
pub mod early_rejection;
pub mod query_evaluator;
mod runs;
pub mod track;
pub mod truth;

use track::TrackedGame;

/// What is known of a game.
#[derive(Clone, Copy)]
pub(in crate::scan) struct KnownPredicates<'a> {
    /// Predicate `n` has the words from `n` times those of a set on.
    pub sets: &'a [u64],
    /// Predicates whose sets are known.
    pub known: u64,
    /// The game.
    pub game: TrackedGame,
}
