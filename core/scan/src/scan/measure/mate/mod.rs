//! Mates that have a name. Each is a pattern around the mated king, a file each with its definition.
//!
//! A feature here is the square of the mated king if the mate has the pattern, so a scan looks for it where it looks for a mate, at
//! the ends of games, and nowhere else. A query names the side that mates.

mod anastasia;
mod arabian;
mod back_rank;
mod blind_swine;
mod corner;
mod dovetail;
mod hook;
mod kill_box;
mod morphys;
mod opera;
mod pillsburys;
mod smothered;
mod triangle;
mod two_bishops;
mod vukovic;

use plyfold_board::board::Board;
use plyfold_board::board::attacks::king_attacks;
use shakmaty::{Bitboard, Color, Role, Square};

use super::BoardFeature;
use super::measured_board::MeasuredBoard;
use super::no_moves::CHECKMATE;

macro_rules! named_mates {
    ($($variant:ident $title:literal: $definition:path;)+) => {
        /// A mate with a name.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum NamedMate {
            $(#[doc = $title] $variant,)+
        }

        impl NamedMate {
            /// All of them.
            pub const ALL: &[NamedMate] = &[$(NamedMate::$variant,)+];

            /// The square of the king of the side that is mated so.
            pub const fn feature(self) -> &'static BoardFeature {
                match self { $(NamedMate::$variant => &const { feature(&$definition) },)+ }
            }

            /// The name of its feature, which is that of the move, and what it means.
            pub const fn word(self) -> (&'static str, &'static str) {
                let BoardFeature { name, summary, .. } = self.feature();
                (name, summary)
            }
        }
    };
}

named_mates! {
    BackRank "Back-rank mate.": back_rank::MATE;
    Smothered "Smothered mate.": smothered::MATE;
    Arabian "Arabian mate.": arabian::MATE;
    Anastasia "Anastasia's mate.": anastasia::MATE;
    Bodens "Boden's mate.": two_bishops::BODENS;
    DoubleBishop "Double bishop mate.": two_bishops::DOUBLE;
    Dovetail "Dovetail mate.": dovetail::MATE;
    Hook "Hook mate.": hook::MATE;
    Opera "Opera mate.": opera::MATE;
    Pillsburys "Pillsbury's mate.": pillsburys::MATE;
    Corner "Corner mate.": corner::MATE;
    KillBox "Kill box mate.": kill_box::MATE;
    Morphys "Morphy's mate.": morphys::MATE;
    Vukovic "Vukovic mate.": vukovic::MATE;
    Triangle "Triangle mate.": triangle::MATE;
    BlindSwine "Blind swine mate.": blind_swine::MATE;
}

/// The name of a pattern, what it is, and its test of a board on which a side is mated.
struct MateDefinition {
    name: &'static str,
    summary: &'static str,
    squares: fn(&MeasuredBoard<'_>, Color) -> u64,
}

const fn feature(definition: &MateDefinition) -> BoardFeature {
    let MateDefinition { name, summary, squares } = *definition;
    BoardFeature { name, aliases: &[], summary, squares, ..CHECKMATE }
}

/// A side that is mated.
struct MatedSide<'a> {
    board: &'a Board,
    colour: Color,
    king: Square,
}

impl MatedSide<'_> {
    /// The square of the king of `colour` if the side is mated and its mate has the pattern.
    fn king_if(board: &Board, colour: Color, has_pattern: fn(&MatedSide<'_>) -> bool) -> u64 {
        let mated = CHECKMATE.squares_on(board, colour);
        let Some(king) = Bitboard(mated).first() else { return 0 };
        if has_pattern(&MatedSide { board, colour, king }) { mated } else { 0 }
    }

    /// The squares beside the king.
    fn beside_king(&self) -> u64 {
        king_attacks(1 << self.king as u32)
    }

    /// Those of them on which no piece of the side stands.
    fn flights(&self) -> impl Iterator<Item = Square> {
        Bitboard(self.beside_king() & !self.board.occupied_by(self.colour)).into_iter()
    }

    /// The pieces of this role of the side that mates.
    fn enemies(&self, role: Role) -> u64 {
        self.board.pieces(!self.colour, role)
    }

    /// The pieces of the side that mates which attack a square.
    fn guards(&self, square: Square) -> u64 {
        self.board.attackers(square, !self.colour, self.board.occupied())
    }

    /// The pieces that give check.
    fn checkers(&self) -> u64 {
        self.guards(self.king)
    }

    /// Those of this role that stand beside the king.
    fn checkers_beside_king(&self, role: Role) -> impl Iterator<Item = Square> {
        Bitboard(self.checkers() & self.enemies(role) & self.beside_king()).into_iter()
    }

    /// The steps along files and along ranks from the king to a square.
    fn steps_to(&self, square: Square) -> (u32, u32) {
        steps(self.king, square)
    }
}

/// The steps along files and along ranks from one square to another.
fn steps(from: Square, to: Square) -> (u32, u32) {
    (from.file().distance(to.file()), from.rank().distance(to.rank()))
}

/// Whether the sets have a common square.
fn meet(one: u64, other: u64) -> bool {
    one & other != 0
}
