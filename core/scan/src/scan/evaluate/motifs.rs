//! Finds motifs of moves. What the moves themselves say is looked at first; boards are kept around the plies that are left.

use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::board::make::{WithBitboards, WithRights};
use plyfold_board::irreversible::material;
use plyfold_board::moves::Move;
use shakmaty::Color;

use super::game_at_hand::GameAtHand;
use crate::scan::plies::PredicateSets;
use crate::scan::predicate::{CourseOfGame, Motif, MotifOfMove, PositionPredicate, ReplayedGame};

/// The tests of motifs.
pub(in crate::scan) struct MotifTests {
    /// Those that the board after a move decides, each with the number of its predicate in the query.
    by_board: Vec<MotifTest>,
    /// Those that the moves and boards around a move decide.
    by_boards: Vec<MotifTest>,
    /// Plies from the first board that one of these needs to the move.
    boards_before: usize,
}

#[derive(Clone, Copy)]
struct MotifTest {
    predicate_index: u8,
    motif: Motif,
    side: Color,
}

/// What the tests of a game need; the next game reuses the memory.
#[derive(Default)]
pub(in crate::scan) struct MotifMemory {
    captured: Vec<u8>,
    /// The moves that may have a motif, with the number of its test.
    candidates: Vec<(usize, usize)>,
    boards: Vec<Board>,
}

impl MotifTests {
    /// Makes the tests for the predicates with these numbers.
    pub fn new(indices: &[u8], predicates: &[PositionPredicate]) -> MotifTests {
        let test = |&predicate_index: &u8| match predicates[usize::from(predicate_index)] {
            PositionPredicate::Motif(MotifOfMove { motif, mover: side }) => {
                Some(MotifTest { predicate_index, motif, side })
            }
            _ => None,
        };
        let tests = || indices.iter().filter_map(test);
        MotifTests {
            by_board: tests().filter(|test| test.motif.reads_board()).collect(),
            by_boards: tests().filter(|test| test.motif.reads_boards()).collect(),
            boards_before: tests().map(|test| test.motif.boards().0).max().unwrap_or(0),
        }
    }

    /// Tests the predicates at the plies up to `until`. `board` is overwritten. Returns the number of plies played.
    pub fn test_plies(
        &self,
        (at, until): (&GameAtHand<'_>, usize),
        (board, memory): (&mut Board, &mut MotifMemory),
        mut sets: PredicateSets<'_>,
    ) -> usize {
        read_captures(at, &mut memory.captured);
        let course = CourseOfGame {
            first_mover: at.start.side_to_move(),
            moves: at.game.moves,
            captured: &memory.captured,
            winner: at.game.record.result().winner(),
        };
        let mut played = 0;
        if !self.by_board.is_empty() {
            board.clone_from(at.start);
            self.test_boards(&course, until, board, &mut sets);
            played = until;
        }
        self.find_candidates(&course, until, &mut memory.candidates);
        if !memory.candidates.is_empty() {
            let mut kept = KeptBoards::new(at.start, &mut memory.boards);
            for &(nth, test) in &memory.candidates {
                let test = &self.by_boards[test];
                let (_, after) = test.motif.boards();
                played += kept.move_to((nth.saturating_sub(self.boards_before), nth + after), course.moves);
                let game = ReplayedGame { course, first: kept.first, boards: kept.boards };
                if test.motif.holds_by_boards(&game, nth) {
                    *sets.word(test.predicate_index.into(), nth / 64) |= 1 << (nth % 64);
                }
            }
        }
        played
    }

    /// Tests moves by the boards after them. `board` is the one before the first.
    fn test_boards(&self, course: &CourseOfGame<'_>, until: usize, board: &mut Board, sets: &mut PredicateSets<'_>) {
        for (nth, &mv) in course.moves[..until].iter().enumerate() {
            let mover = board.side_to_move();
            board.make::<WithBitboards>(mv);
            for MotifTest { predicate_index, motif, .. } in self.by_board.iter().filter(|test| test.side == mover) {
                if motif.holds_by_board(course, nth, board) {
                    *sets.word((*predicate_index).into(), nth / 64) |= 1 << (nth % 64);
                }
            }
        }
    }

    /// Fills in the moves that may have a motif by the boards around them, in order.
    fn find_candidates(&self, course: &CourseOfGame<'_>, until: usize, candidates: &mut Vec<(usize, usize)>) {
        candidates.clear();
        for nth in 0..until {
            let mover = if nth % 2 == 0 { course.first_mover } else { !course.first_mover };
            for (number, MotifTest { motif, .. }) in
                self.by_boards.iter().enumerate().filter(|(_, test)| test.side == mover)
            {
                if motif.may_hold_by_boards(course, nth) {
                    candidates.push((nth, number));
                }
            }
        }
    }
}

/// The boards from one ply on.
struct KeptBoards<'a> {
    first: usize,
    boards: &'a mut Vec<Board>,
}

impl<'a> KeptBoards<'a> {
    fn new(start: &Board, boards: &'a mut Vec<Board>) -> KeptBoards<'a> {
        boards.clear();
        boards.push(start.clone());
        KeptBoards { first: 0, boards }
    }

    /// Has the boards before these moves, the last one included. The first of them comes after that of the call before. Returns the
    /// number of plies played.
    fn move_to(&mut self, (from, to): (usize, usize), moves: &[Move]) -> usize {
        let (to, known) = (to.min(moves.len()), self.first + self.boards.len() - 1);
        if from > known
            && let Some(mut last) = self.boards.pop()
        {
            last.fast_forward::<WithRights>(&moves[known..from]);
            self.boards.clear();
            self.boards.push(last);
            self.first = from;
        }
        let next = self.first + self.boards.len() - 1;
        for &mv in moves.get(next..to).unwrap_or_default() {
            self.boards.extend_from_within(self.boards.len() - 1..);
            if let Some(board) = self.boards.last_mut() {
                board.make::<WithRights>(mv);
            }
        }
        to.saturating_sub(known)
    }
}

/// Fills in what each move of a game captures.
fn read_captures(at: &GameAtHand<'_>, captured: &mut Vec<u8>) {
    captured.clear();
    captured.resize(at.game.moves.len(), 0);
    let mut ply = 0;
    for &event in at.event_streams.material {
        ply += material::gap(event);
        if let Some(role) = captured.get_mut(ply.wrapping_sub(1)) {
            *role |= material::captured_role(event) as u8;
        }
    }
}
