//! Concrete reducers, and the door that attaches those that are wanted to one scan.
//!
//! A new output is a new file here and a line in [`Wanted`] and [`Answers`].

pub mod count;
pub mod games;
pub mod groups;
mod hash;
pub mod heatmap;
pub mod key;
pub mod next;
pub mod partition;
pub mod positions;
pub mod results;
mod runs;
pub mod sets;
pub mod structures;

use alloc::vec::Vec;

use count::Count;
use games::GameSet;
use groups::{AllGroups, Groups};
use heatmap::Heatmap;
use key::Key;
use next::{Next, NextMoves};
use partition::{Kept, Part, Partition, Rule};
use positions::{Position, Positions, Which};
use structures::{Structure, Structures};

use crate::game::Span;
use crate::moves::Move;
use crate::scan::fold::{self, Cancelled, Request, Watch, scan_all, scan_within};
use crate::scan::{Query, Work};

/// What is to be kept of the matches. Counts are always kept.
#[derive(Clone, PartialEq, Debug, Default)]
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
    /// Matching positions by a key, at most so many values; all of a key with an order of its own.
    pub groups: Vec<(Key, usize)>,
    /// Matching games by a key.
    pub partitions: Vec<(Key, Rule)>,
    /// Which sets of these partitions.
    pub parts: Kept,
    /// How games went on from matching positions.
    pub next: bool,
    /// Games that went on from a matching position with this move.
    pub next_by: Option<Move>,
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
    /// Groups, in the order in which they were wanted.
    pub groups: Vec<AllGroups>,
    /// Partitions, in the order in which they were wanted.
    pub partitions: Vec<Vec<Part>>,
    /// Next moves, if wanted.
    pub next: Option<Next>,
    /// Games that went on with the move that was wanted, if one was.
    pub next_by: Option<GameSet>,
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
    answer_within(spans, query, None, wanted, watch)
}

/// The same of the games of a set alone; the others are not looked at. A set that comes of another query makes a cascade of the two.
///
/// # Errors
///
/// [`Cancelled`] by `watch`.
pub fn answer_within(
    spans: &[Span<'_>],
    query: &Query,
    within: Option<&GameSet>,
    wanted: &Wanted,
    watch: &dyn Watch,
) -> Result<Answers, Cancelled> {
    let asked = Asked { query, within, wanted };
    if asked.wants_positions() || !wanted.partitions.is_empty() {
        return answer_all(spans, &[asked], watch).map(|mut answers| answers.pop().unwrap_or_default());
    }
    let (found, work) = scan_within(spans, query, within.map(GameSet::words), || (asked.games(spans), ()), watch)?;
    let mut answers = Answers { work, ..Answers::default() };
    found.deliver(wanted, spans, &mut answers);
    Ok(answers)
}

/// Answers any number of questions in one pass, in their order, each as if it were asked alone. What the scan looked at is the same in all
/// answers: it did so for all of them.
///
/// # Errors
///
/// [`Cancelled`] by `watch`.
pub fn answer_all(spans: &[Span<'_>], asked: &[Asked<'_>], watch: &dyn Watch) -> Result<Vec<Answers>, Cancelled> {
    let requests: Vec<Request<'_>> = asked
        .iter()
        .map(|one| {
            let within = one.within.map(GameSet::words);
            Request { query: one.query, within, positions: one.wants_positions() }
        })
        .collect();
    let (found, work) = scan_all(spans, &requests, || asked.iter().map(|one| one.reducer(spans)).collect(), watch)?;
    let each = found.into_iter().zip(asked).map(|(found, asked)| {
        let mut answers = Answers { work, ..Answers::default() };
        found.deliver(asked.wanted, spans, &mut answers);
        answers
    });
    Ok(each.collect())
}

/// How many numbers of games there are up to the last of these; spans may be part of a corpus.
fn numbers(spans: &[Span<'_>]) -> u32 {
    spans.iter().map(|span| span.first + span.len()).max().unwrap_or(0)
}

/// Puts what a reducer kept into the answers.
trait Deliver {
    fn deliver(self, wanted: &Wanted, spans: &[Span<'_>], answers: &mut Answers);
}

/// A question: of which positions, of which games, and what is to be kept.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The query.
    pub query: &'a Query,
    /// The games that are looked at, where not all are.
    pub within: Option<&'a GameSet>,
    /// What is kept of those that match.
    pub wanted: &'a Wanted,
}

/// All reducers, those that are not wanted absent. They are asked once a game whether they are there, which costs nothing beside what
/// they do.
type All<'a> = (GameSet, (Option<Count>, (Option<Heatmap>, (Option<Structures>, (Option<Positions>, Keyed<'a>)))));
type Keyed<'a> = (Vec<Groups>, (Vec<Partition>, Option<NextMoves<'a>>));

impl<'a> Asked<'a> {
    /// Whether more is asked than which games match.
    fn wants_positions(&self) -> bool {
        let Wanted {
            games: _,
            positions_count,
            heatmap,
            structures,
            positions,
            groups,
            partitions,
            parts: _,
            next,
            next_by,
        } = self.wanted;
        *positions_count
            || *heatmap
            || structures.is_some()
            || positions.is_some()
            || !groups.is_empty()
            || partitions.iter().any(|(key, rule)| *rule == Rule::Ever || !key.is_of_game())
            || *next
            || next_by.is_some()
    }

    fn games(&self, spans: &[Span<'_>]) -> GameSet {
        GameSet::empty(numbers(spans))
    }

    fn reducer(&self, spans: &[Span<'_>]) -> All<'a> {
        let Asked { query, within, wanted } = *self;
        let set = self.games(spans);
        let threads = fold::threads();
        let groups = wanted.groups.iter().map(|(key, _)| Groups::new(key.clone())).collect();
        let partitions = wanted.partitions.iter().map(|(key, rule)| Partition::new(key.clone(), *rule)).collect();
        let goes_on = wanted.next || wanted.next_by.is_some();
        let next = goes_on.then(|| NextMoves::new(query, within, set.games()).keep(wanted.next_by));
        let positions = wanted.positions.map(|which| Positions::new(which, threads));
        let structures = wanted.structures.map(|_| Structures::new(threads));
        let heatmap = wanted.heatmap.then(Heatmap::default);
        let count = self.wants_positions().then(Count::default);
        (set, (count, (heatmap, (structures, (positions, (groups, (partitions, next)))))))
    }
}

impl<A: Deliver, B: Deliver> Deliver for (A, B) {
    fn deliver(self, wanted: &Wanted, spans: &[Span<'_>], answers: &mut Answers) {
        self.0.deliver(wanted, spans, answers);
        self.1.deliver(wanted, spans, answers);
    }
}

impl<R: Deliver> Deliver for Option<R> {
    fn deliver(self, wanted: &Wanted, spans: &[Span<'_>], answers: &mut Answers) {
        if let Some(reducer) = self {
            reducer.deliver(wanted, spans, answers);
        }
    }
}

impl Deliver for () {
    fn deliver(self, _: &Wanted, _: &[Span<'_>], _: &mut Answers) {}
}

impl Deliver for GameSet {
    fn deliver(self, wanted: &Wanted, _: &[Span<'_>], answers: &mut Answers) {
        answers.count.games = self.count();
        answers.games = wanted.games.then_some(self);
    }
}

impl Deliver for Count {
    fn deliver(self, _: &Wanted, _: &[Span<'_>], answers: &mut Answers) {
        answers.count.positions = self.positions;
    }
}

impl Deliver for Heatmap {
    fn deliver(self, _: &Wanted, _: &[Span<'_>], answers: &mut Answers) {
        answers.heatmap = Some(self);
    }
}

impl Deliver for Structures {
    fn deliver(self, wanted: &Wanted, _: &[Span<'_>], answers: &mut Answers) {
        answers.structures = Some(self.top(wanted.structures.unwrap_or(0)));
    }
}

impl Deliver for Positions {
    fn deliver(self, _: &Wanted, _: &[Span<'_>], answers: &mut Answers) {
        let (distinct, positions) = self.finish();
        (answers.distinct_positions, answers.positions) = (distinct, Some(positions));
    }
}

impl Deliver for Vec<Groups> {
    fn deliver(self, wanted: &Wanted, spans: &[Span<'_>], answers: &mut Answers) {
        let each = self.into_iter().zip(&wanted.groups);
        answers.groups = each.map(|(groups, (_, most))| groups.finish(*most, spans)).collect();
    }
}

impl Deliver for Vec<Partition> {
    fn deliver(self, wanted: &Wanted, spans: &[Span<'_>], answers: &mut Answers) {
        let games = numbers(spans);
        let finish = |partition: Partition| partition.finish(games, spans, &wanted.parts);
        answers.partitions = self.into_iter().map(finish).collect();
    }
}

impl Deliver for NextMoves<'_> {
    fn deliver(mut self, wanted: &Wanted, spans: &[Span<'_>], answers: &mut Answers) {
        self.starts(spans);
        answers.next_by = self.chosen();
        answers.next = wanted.next.then(|| self.finish());
    }
}
