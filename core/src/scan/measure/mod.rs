//! Stage 1, measure: features of a board.
//!
//! A feature answers with squares: the doubled pawns, the rooks on open files, the knights. That one shape serves all that is
//! asked of it: whether there is one (`doubled_pawn`), whether there is one in a region (`doubled_pawn on c`), how many
//! there are (`count(white doubled_pawn) >= 2`). It also says what it depends on, so that a scan measures it again only
//! after a move that can have changed it.
//!
//! A new chess concept is a new file here and a line in [`FEATURES`].

mod bishop_pair;
mod castled;
mod check;
mod doubled_pawn;
mod isolated_pawn;
pub mod men;
mod passed_pawn;
mod queens_off;
mod rook_on_open_file;
mod rook_on_seventh;

use shakmaty::{Color, Role};

use crate::board::make::{FILE_A, FILE_H};
use crate::board::{Board, Change, Man};
use crate::scan::needs::Needs;

/// A measurement: squares of a side on a board.
#[derive(Debug)]
pub struct Feature {
    /// As written in a query.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// One line for help and completion.
    pub summary: &'static str,
    /// Whether it speaks of one side; if not, both colours measure the same.
    pub sided: bool,
    /// What makes it worth measuring again, for White; [`Feature::depends_on`] turns it for Black.
    pub depends: Change,
    /// What the replay must keep up for it.
    pub needs: Needs,
    /// What can make a square one of its squares, or none.
    pub scope: Scope,
    /// Whether there is any square, without looking for it.
    pub anywhere: Anywhere,
    /// What is known of the men where it has a square.
    pub implies: Implied,
    /// The squares, for the side asked about.
    pub squares: fn(&Board, Color) -> u64,
}

/// What can make a square one of a feature's squares, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// What stands on the square itself, and who has castled; only these squares of White, and of Black, can be any.
    Square([u64; 2]),
    /// Pawns on its file and the files beside it.
    Files {
        /// Whether it matters where on them they stand. If not, the number of its squares on a file follows from the numbers of
        /// pawns on the file and beside it.
        ranks: bool,
    },
    /// Anything.
    Board,
}

/// What is known of the men of a position where a feature has a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Implied {
    /// Nothing.
    Nothing,
    /// The side has so many men of a role at least.
    Men(Role, u8),
    /// Neither side has a man of the role.
    None(Role),
}

/// How one knows that a feature has some square, or none.
#[derive(Clone, Copy, Debug)]
pub enum Anywhere {
    /// By looking at its squares.
    Squares,
    /// By the numbers of men, which are those of [`men::Numbers`](crate::course::men::Numbers).
    Numbers(fn(&[u8; 16], Color) -> bool),
    /// By who has castled ([`Board::castled`]), where that side has a king.
    Castled(u8),
}

impl Feature {
    /// The role, if its squares are those of the side's men of one.
    pub fn role(&self) -> Option<Role> {
        Role::ALL.into_iter().find(|role| men::NAMES[*role as usize - 1] == self.name)
    }

    /// What makes it worth measuring again for `colour`.
    pub const fn depends_on(&self, colour: Color) -> Change {
        match colour {
            Color::White => self.depends,
            Color::Black => turned(self.depends),
        }
    }
}

/// Every feature that a query can name.
pub const FEATURES: &[&Feature] = &[
    &men::PAWN,
    &men::KNIGHT,
    &men::BISHOP,
    &men::ROOK,
    &men::QUEEN,
    &men::KING,
    &men::MAN,
    &bishop_pair::FEATURE,
    &doubled_pawn::FEATURE,
    &isolated_pawn::FEATURE,
    &passed_pawn::FEATURE,
    &rook_on_seventh::FEATURE,
    &rook_on_open_file::FEATURE,
    &castled::EITHER_SIDE,
    &castled::SHORT,
    &castled::LONG,
    &check::FEATURE,
    &queens_off::FEATURE,
];

/// The same news with the colours exchanged; bits that belong to no man stay.
const fn turned(change: Change) -> Change {
    const NO_MAN: Change = 0x8181_8181;
    let men = change & !NO_MAN;
    (men & 0x00ff_00ff) << 8 | (men & 0xff00_ff00) >> 8 | change & NO_MAN
}

/// The change bits of the squares of several men.
const fn squares_of_all<const N: usize>(men: [Man; N]) -> Change {
    let mut all = 0;
    let mut nth = 0;
    while nth < N {
        all |= crate::board::squares_of(men[nth]);
        nth += 1;
    }
    all
}

/// Every square on a file that has one of `squares`.
pub(super) const fn files_of(mut squares: u64) -> u64 {
    squares |= squares >> 8;
    squares |= squares >> 16;
    squares |= squares >> 32;
    (squares & 0xff) * FILE_A
}

/// Every square on a neighbouring file of one of `files` (whole files).
pub(super) const fn beside(files: u64) -> u64 {
    (files & !FILE_A) >> 1 | (files & !FILE_H) << 1
}

/// Every square in front of one of `squares`, seen from `colour`, the squares themselves left out.
const fn in_front(mut squares: u64, colour: Color) -> u64 {
    match colour {
        Color::White => {
            squares |= squares << 8;
            squares |= squares << 16;
            squares |= squares << 32;
            squares << 8
        }
        Color::Black => {
            squares |= squares >> 8;
            squares |= squares >> 16;
            squares |= squares >> 32;
            squares >> 8
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Chess, Square};

    use super::*;
    use crate::board::start::Start;

    /// Feature, side, position, squares: readable by a player.
    const CASES: &[(&str, Color, &str, &str)] = &[
        ("doubled_pawn", Color::White, "4k3/8/2P5/8/2P5/8/P1P3P1/4K3 w - - 0 1", "c2 c4 c6"),
        ("doubled_pawn", Color::Black, "4k3/p7/p7/1p6/8/8/P7/4K3 w - - 0 1", "a6 a7"),
        ("isolated_pawn", Color::White, "4k3/8/8/8/3P4/8/P1P3P1/4K3 w - - 0 1", "a2 g2"),
        ("isolated_pawn", Color::Black, "4k3/p1pp3p/8/8/8/8/8/4K3 w - - 0 1", "a7 h7"),
        ("passed_pawn", Color::White, "4k3/2p5/8/P2P2P1/8/6p1/7p/4K3 w - - 0 1", "a5 g5"),
        ("passed_pawn", Color::Black, "4k3/2p5/8/P2P2P1/8/6p1/7p/4K3 w - - 0 1", "h2 g3"),
        ("rook_on_seventh", Color::White, "4k3/R6R/8/8/8/8/r7/4K3 w - - 0 1", "a7 h7"),
        ("rook_on_seventh", Color::Black, "4k3/R6R/8/8/8/8/r7/4K3 w - - 0 1", "a2"),
        ("rook_on_open_file", Color::White, "4k3/p7/8/8/8/8/1P6/RRR1K3 w - - 0 1", "c1"),
        ("bishop_pair", Color::White, "4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", "c1 f1"),
        ("bishop_pair", Color::White, "4k3/8/8/8/8/8/2B5/4KB2 w - - 0 1", ""),
        ("check", Color::Black, "4k3/8/8/8/8/8/8/4RK2 b - - 0 1", "e8"),
        ("check", Color::White, "4k3/8/8/8/8/8/8/4RK2 b - - 0 1", ""),
        ("knight", Color::White, "4k3/8/8/3N4/8/8/8/1N2K3 b - - 0 1", "b1 d5"),
        ("man", Color::Black, "4k3/p7/8/3N4/8/8/8/1N2K3 b - - 0 1", "a7 e8"),
    ];

    #[test]
    fn features_measure_what_a_player_sees() {
        for &(name, colour, fen, expected) in CASES {
            let feature = FEATURES.iter().find(|feature| feature.name == name).expect(name);
            let position: Chess =
                fen.parse::<Fen>().expect(fen).into_position(CastlingMode::Standard).expect("legal position");
            let board = Board::from_start(&Start::from_position(&position));
            let found = (feature.squares)(&board, colour);
            let squares: Vec<_> = Square::ALL
                .iter()
                .filter(|&&square| found >> square as u32 & 1 != 0)
                .map(|square| alloc::format!("{square}"))
                .collect();
            assert_eq!(squares.join(" "), expected, "{name} of {colour} in {fen}");
        }
    }

    #[test]
    fn turning_twice_changes_nothing() {
        for feature in FEATURES {
            assert_eq!(turned(turned(feature.depends)), feature.depends, "{}", feature.name);
        }
    }
}
