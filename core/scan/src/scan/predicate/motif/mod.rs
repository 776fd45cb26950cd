//! Motifs of tactics: what a move does together with the moves around it, a file each with its definition.
//!
//! A motif is told from what was played, not from what could be played: a move deflects if the piece that it drew away was drawn
//! away. So it needs the boards of some plies before and after the move.
//!
//! A pawn is worth 1, a knight or bishop 3, a rook 5, a queen 9, and the king more than all of them. A piece is *undefended* if no
//! piece of its side attacks its square, also not through an enemy piece that attacks it along the same line. It is *in danger* if
//! an enemy piece attacks it and it is undefended or worth more than one of these.

mod attraction;
mod capturing_defender;
mod clearance;
mod deflection;
mod discovered_attack;
mod fork;
mod hanging_piece;
mod interference;
mod intermezzo;
mod pin;
mod played_move;
mod queen_sacrifice;
mod skewer;
mod trapped_piece;
mod x_ray;

pub(in crate::scan) use played_move::{CourseOfGame, ReplayedGame};

use alloc::vec::Vec;

use played_move::{MoveInCourse, PlayedMove};
use plyfold_board::board::Board;
use plyfold_board::board::make::FullState;
use plyfold_board::moves::Move;
use shakmaty::Color;

use super::{PlayedPly, Predicate, TestedPly};
use crate::game::Game;
use crate::scan::access_path::{AccessPath, PredicateAccess};

macro_rules! motifs {
    ($($variant:ident $title:literal: $definition:path;)+) => {
        /// A motif of a move.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Motif {
            $(#[doc = $title] $variant,)+
        }

        impl Motif {
            /// All of them.
            pub const ALL: &[Motif] = &[$(Motif::$variant,)+];

            const fn definition(self) -> &'static MotifDefinition {
                match self { $(Motif::$variant => &$definition,)+ }
            }
        }
    };
}

motifs! {
    Fork "A fork.": fork::MOTIF;
    Pin "A pin.": pin::MOTIF;
    Skewer "A skewer.": skewer::MOTIF;
    DiscoveredAttack "A discovered attack.": discovered_attack::MOTIF;
    XRay "An x-ray attack.": x_ray::MOTIF;
    HangingPiece "The capture of a hanging piece.": hanging_piece::MOTIF;
    TrappedPiece "A piece is trapped.": trapped_piece::MOTIF;
    Attraction "An attraction.": attraction::MOTIF;
    Deflection "A deflection.": deflection::MOTIF;
    Interference "An interference.": interference::MOTIF;
    Clearance "A clearance.": clearance::MOTIF;
    CapturingDefender "The capture of a defender.": capturing_defender::MOTIF;
    Intermezzo "An intermezzo.": intermezzo::MOTIF;
    QueenSacrifice "The sacrifice of a queen.": queen_sacrifice::MOTIF;
}

/// The side has just made a move with a motif. This needs the boards of some plies before and after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MotifOfMove {
    /// The motif.
    pub motif: Motif,
    /// The side that made the move.
    pub mover: Color,
}

impl Predicate for MotifOfMove {
    fn test_after(&self, at: &mut TestedPly<'_, '_>) -> bool {
        at.last().is_some_and(|played| played.mover == self.mover)
            && self.motif.holds_in(&at.game.game, at.played, at.ply - 1)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::by(AccessPath::Motifs)
    }
}

impl Motif {
    /// The names of such a move, the first of which is printed; and what it does.
    pub const fn words(self) -> (&'static [&'static str], &'static str) {
        let MotifDefinition { names, summary, .. } = self.definition();
        (names, summary)
    }

    /// Whether move `nth` of a game, from 0, is such a move, by the boards of the whole game.
    fn holds_in(self, game: &Game<'_>, played: &[PlayedPly], nth: usize) -> bool {
        let mut board = game.start_board();
        let mut boards = Vec::from([board.clone()]);
        for &mv in game.moves {
            board.make::<FullState>(mv);
            boards.push(board.clone());
        }
        let captured: Vec<u8> = played.iter().map(|one| one.captured.map_or(0, |role| role as u8)).collect();
        let (first_mover, winner) = (boards[0].side_to_move(), game.record.result().winner());
        let course = CourseOfGame { first_mover, moves: game.moves, captured: &captured, winner };
        self.holds(&ReplayedGame { course, first: 0, boards: &boards }, nth)
    }

    /// Whether move `nth` of a game, from 0, is such a move, by all boards.
    fn holds(self, game: &ReplayedGame<'_>, nth: usize) -> bool {
        game.played(nth).is_some_and(|played| {
            let MotifDefinition { may_hold, by_boards, .. } = *self.definition();
            self.holds_by_board(&game.course, nth, played.after)
                || may_hold(&played) && by_boards.is_some_and(|holds| holds(&played))
        })
    }

    /// Whether the board after a move can tell that it is such a move.
    pub(in crate::scan) const fn reads_board(self) -> bool {
        self.definition().by_board.is_some()
    }

    /// Whether the moves and boards around a move can.
    pub(in crate::scan) const fn reads_boards(self) -> bool {
        self.definition().by_boards.is_some()
    }

    /// Whether the board after move `nth` tells that it is such a move.
    #[inline(always)]
    pub(in crate::scan) fn holds_by_board(self, course: &CourseOfGame<'_>, nth: usize, after: &Board) -> bool {
        self.definition().by_board.as_ref().is_some_and(|test| {
            let goes_on = || !test.side_moves_again || course.goes_on_after(nth);
            course.moves.get(nth).is_some_and(|&mv| !mv.is_null() && (test.holds)(mv, after)) && goes_on()
        })
    }

    /// Whether move `nth` may be such a move for another reason, by what the moves around it say.
    #[inline(always)]
    pub(in crate::scan) fn may_hold_by_boards(self, course: &CourseOfGame<'_>, nth: usize) -> bool {
        let definition = self.definition();
        (definition.glance)(course, nth) && course.played(nth).is_some_and(|played| (definition.may_hold)(&played))
    }

    /// The plies of the first and of the last board that tell, before the move and from it on.
    pub(in crate::scan) fn boards(self) -> (usize, usize) {
        self.definition().boards
    }

    /// Whether it is, by these boards, if it may be by what the moves say.
    pub(in crate::scan) fn holds_by_boards(self, game: &ReplayedGame<'_>, nth: usize) -> bool {
        self.definition().by_boards.zip(game.played(nth)).is_some_and(|(holds, played)| holds(&played))
    }
}

/// The names of a motif, what it is, and its tests of a move.
struct MotifDefinition {
    names: &'static [&'static str],
    summary: &'static str,
    /// What tells by the board after the move that it has the motif.
    by_board: Option<BoardTest>,
    /// What a glance at the moves tells first of whether it may have it by the boards around it.
    glance: fn(&CourseOfGame<'_>, usize) -> bool,
    /// Plies from the first of these boards to the move, and to the last one.
    boards: (usize, usize),
    /// Whether it may have it. This looks at the moves alone.
    may_hold: fn(&MoveInCourse<'_>) -> bool,
    /// Whether it has, if it may.
    by_boards: Option<fn(&PlayedMove<'_>) -> bool>,
}

/// A test of a move by the board after it.
struct BoardTest {
    holds: fn(Move, &Board) -> bool,
    /// Whether the side must move again.
    side_moves_again: bool,
}

/// What most motifs have in common.
const BASIS: MotifDefinition = MotifDefinition {
    names: &[],
    summary: "",
    by_board: None,
    glance: |_, _| true,
    boards: (0, 3),
    may_hold: |_| false,
    by_boards: None,
};
