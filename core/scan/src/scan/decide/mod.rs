//! A decision about a game is three-valued: while some predicates are untested, a query must match, may match or cannot match.
//!
//! A `word_formula` gives the bounds of a formula at 64 plies. A [`track`] applies windows and gates to these bounds (stage 3); it
//! calculates with the words of [`truth`] and the counts of `runs`.
//! A [`query_evaluator`] combines the conditions into the result of the query, and [`early_rejection`] tests necessary conditions
//! one by one.

pub mod early_rejection;
mod evidence;
pub mod query_evaluator;
mod runs;
pub mod track;
pub mod truth;
mod word_formula;

use super::combine::BitSet;
use track::TrackedGame;

/// The tested predicates of a game, with the plies at which they hold.
#[derive(Clone, Copy)]
pub(in crate::scan) struct KnownPredicates<'a> {
    /// The sets of plies of all predicates: the set of predicate `n` starts at word `n` times the words of one set.
    pub sets: &'a [u64],
    /// Predicates whose sets are known.
    pub known: &'a BitSet,
    /// The game.
    pub game: TrackedGame<'a>,
}
