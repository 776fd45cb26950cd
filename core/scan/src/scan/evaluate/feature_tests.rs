//! Tests all features at positions of games, for a table of all of them: each predicate on boards that one replay keeps.

use alloc::vec;
use alloc::vec::Vec;
use core::slice;

use plyfold_board::board::Board;
use plyfold_board::moves::Move;
use shakmaty::Color;

use super::replay::{BoardTests, Replay, ReplayQuery};
use super::replay_for_several::KeptBoards;
use crate::scan::measure::{BoardFeature, FEATURES};
use crate::scan::plan::PlannedPredicate;
use crate::scan::plies::{self, PredicateSets};

/// Predicates of one word.
const WORD: usize = 64;

/// Tests whether each feature has a square, once for each side if it has sides, or for White. The pieces themselves are left out.
pub struct FeatureTests {
    features: Vec<(&'static BoardFeature, Color)>,
    planned: Vec<PlannedPredicate>,
    /// The tests of one replay each, with the word of their predicates.
    replays: Vec<(usize, BoardTests)>,
    board: Board,
    kept: KeptBoards,
    sets: Vec<u64>,
}

impl Default for FeatureTests {
    fn default() -> FeatureTests {
        let of_sides = |feature: &'static BoardFeature| {
            let sides: &[Color] = if feature.has_sides { &Color::ALL } else { &[Color::White] };
            sides.iter().map(move |&colour| (feature, colour))
        };
        let features: Vec<(&BoardFeature, Color)> =
            FEATURES.iter().copied().filter(|feature| !feature.is_of_pieces()).flat_map(of_sides).collect();
        let planned: Vec<PlannedPredicate> =
            features.iter().map(|&(feature, colour)| PlannedPredicate::measured(feature, colour)).collect();
        let of_word = |(word, planned): (usize, &[PlannedPredicate])| {
            let indices: Vec<u8> = (0..planned.len() as u8).collect();
            BoardTests::group_by_needs(&indices, planned, true).into_iter().map(move |tests| (word, tests))
        };
        let replays = planned.chunks(WORD).enumerate().flat_map(of_word).collect();
        let board = Board::initial();
        FeatureTests { features, planned, replays, kept: KeptBoards::new(&board), board, sets: vec![] }
    }
}

impl FeatureTests {
    /// The features and their sides, in the order of the tests.
    pub fn features(&self) -> &[(&'static BoardFeature, Color)] {
        &self.features
    }

    /// Tests all features of a game after some plies, a bit each. Returns, in the order of the features, the plies among these after which
    /// each has a square.
    ///
    /// Cost: about two and a half nanoseconds for a feature and a ply.
    pub fn test(&mut self, start: &Board, moves: &[Move], wanted: &[u64]) -> impl Iterator<Item = &[u64]> {
        let width = plies::word_count(moves.len());
        self.sets.clear();
        self.sets.resize(self.planned.len().next_multiple_of(WORD) * width, 0);
        for (word, tests) in &self.replays {
            self.board.clone_from(start);
            let of_word = word * WORD;
            let replay = Replay {
                tests,
                planned: &self.planned[of_word..],
                moves,
                board: &mut self.board,
                sets: PredicateSets { words: &mut self.sets[of_word * width..][..WORD * width], width },
            };
            let query = ReplayQuery { used_predicates: tests.bits, undecided: wanted, sufficient_formula: None };
            replay.for_queries(slice::from_ref(&query), &mut self.kept);
        }
        self.sets.chunks(width.max(1)).take(if width == 0 { 0 } else { self.planned.len() })
    }
}
