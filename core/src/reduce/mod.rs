//! Concrete reducers, and the door that attaches those that are wanted to one scan.
//!
//! A new output is a new file here and a line in [`Wanted`] and [`Answers`].

pub mod count;
pub mod games;
pub mod heatmap;
pub mod positions;
mod runs;
pub mod structures;

use alloc::vec::Vec;

use count::Count;
use games::GameSet;
use heatmap::Heatmap;
use positions::{Position, Positions, Which};
use structures::{Structure, Structures};

use crate::game::Span;
use crate::scan::fold::{self, Cancelled, Watch, scan};
use crate::scan::reducer::Reducer;
use crate::scan::{Query, Work};

/// What is to be kept of the matches. Counts are always kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wanted {
    /// The set of matching games.
    pub games: bool,
    /// The number of matching positions; without it (and all below) games are left as soon as their verdict is known.
    pub positions_count: bool,
    /// Where the men stand in matching positions.
    pub heatmap: bool,
    /// The most frequent pawn structures of matching positions, at most so many.
    pub structures: Option<usize>,
    /// The matching positions themselves.
    pub positions: Option<Which>,
}

/// What was kept.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Answers {
    /// How many games and positions match.
    pub count: Count,
    /// Matching games, if wanted.
    pub games: Option<GameSet>,
    /// Where the men stand, if wanted.
    pub heatmap: Option<Heatmap>,
    /// Pawn structures, if wanted.
    pub structures: Option<TopStructures>,
    /// Matching positions, if wanted.
    pub positions: Option<Vec<Position>>,
    /// How many different positions match, if unique positions were wanted.
    pub distinct_positions: Option<u64>,
    /// What the scan looked at.
    pub work: Work,
}

/// The most frequent pawn structures.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TopStructures {
    /// How many different structures there are.
    pub distinct: u64,
    /// Positions in all of them together.
    pub total: u64,
    /// The most frequent first; equal counts by the pawns' bits.
    pub top: Vec<Structure>,
}

/// Scans `spans` for `query` and keeps what is `wanted`, in one pass.
///
/// # Errors
///
/// [`Cancelled`] by `watch`.
pub fn answer(spans: &[Span<'_>], query: &Query, wanted: &Wanted, watch: &dyn Watch) -> Result<Answers, Cancelled> {
    let all: u32 = spans.iter().map(Span::len).sum();
    let set = || GameSet::empty(all);
    let threads = fold::threads();
    let counts_alone = !wanted.heatmap && wanted.structures.is_none() && wanted.positions.is_none();
    if counts_alone && !wanted.positions_count {
        return run(spans, query, wanted, watch, || (set(), ()));
    }
    // Reducers are asked once a game whether they are there, which costs nothing beside what they do.
    run(spans, query, wanted, watch, || {
        let heatmap = wanted.heatmap.then(Heatmap::default);
        let structures = wanted.structures.map(|_| Structures::new(threads));
        let positions = wanted.positions.map(|which| Positions::new(which, threads));
        (set(), (Count::default(), (heatmap, (structures, positions))))
    })
}

/// Puts what a reducer kept into the answers.
trait Deliver {
    fn deliver(self, wanted: &Wanted, answers: &mut Answers);
}

fn run<R: Reducer + Deliver>(
    spans: &[Span<'_>],
    query: &Query,
    wanted: &Wanted,
    watch: &dyn Watch,
    reducer: impl Fn() -> R + Sync,
) -> Result<Answers, Cancelled> {
    let (found, work) = scan(spans, query, reducer, watch)?;
    let mut answers = Answers { work, ..Answers::default() };
    found.deliver(wanted, &mut answers);
    Ok(answers)
}

impl<A: Deliver, B: Deliver> Deliver for (A, B) {
    fn deliver(self, wanted: &Wanted, answers: &mut Answers) {
        self.0.deliver(wanted, answers);
        self.1.deliver(wanted, answers);
    }
}

impl<R: Deliver> Deliver for Option<R> {
    fn deliver(self, wanted: &Wanted, answers: &mut Answers) {
        if let Some(reducer) = self {
            reducer.deliver(wanted, answers);
        }
    }
}

impl Deliver for () {
    fn deliver(self, _: &Wanted, _: &mut Answers) {}
}

impl Deliver for GameSet {
    fn deliver(self, wanted: &Wanted, answers: &mut Answers) {
        answers.count.games = self.count();
        answers.games = wanted.games.then_some(self);
    }
}

impl Deliver for Count {
    fn deliver(self, _: &Wanted, answers: &mut Answers) {
        answers.count.positions = self.positions;
    }
}

impl Deliver for Heatmap {
    fn deliver(self, _: &Wanted, answers: &mut Answers) {
        answers.heatmap = Some(self);
    }
}

impl Deliver for Structures {
    fn deliver(self, wanted: &Wanted, answers: &mut Answers) {
        answers.structures = Some(self.top(wanted.structures.unwrap_or(0)));
    }
}

impl Deliver for Positions {
    fn deliver(self, _: &Wanted, answers: &mut Answers) {
        let (distinct, positions) = self.finish();
        (answers.distinct_positions, answers.positions) = (distinct, Some(positions));
    }
}
