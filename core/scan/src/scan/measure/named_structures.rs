//! Pawn structures that have names, as few pawns as define each of them; the others may stand anywhere.
//!
//! A structure is written from the view of the side that it belongs to, as if that side were White: the pawns that each side has, and
//! the files on which it has none.

use plyfold_board::board::Board;
use plyfold_board::board::make::FILE_A;
use shakmaty::{Color, Role};

use super::{BoardFeature, FeatureScope, PAWN_BASIS};

/// What defines a structure.
struct PawnPattern {
    /// Pawns of the side.
    own: u64,
    /// Squares of which the side has a pawn on at least one; none if there are no such squares.
    own_choice: u64,
    /// Squares without a pawn of the side.
    own_absent: u64,
    /// The same of the other side.
    other: u64,
    other_choice: u64,
    other_absent: u64,
}

impl PawnPattern {
    /// The side's pawns of the pattern, if the pawns of a position have it.
    fn pawns_on(&self, board: &Board, colour: Color) -> u64 {
        let as_white = |pawns: u64| if colour == Color::White { pawns } else { pawns.swap_bytes() };
        let (own, other) = (board.pieces(colour, Role::Pawn), board.pieces(!colour, Role::Pawn));
        let (own, other) = (as_white(own), as_white(other));
        let has = |pawns: u64, all: u64, choice: u64, absent: u64| {
            pawns & all == all && (choice == 0 || pawns & choice != 0) && pawns & absent == 0
        };
        let holds = has(own, self.own, self.own_choice, self.own_absent)
            && has(other, self.other, self.other_choice, self.other_absent);
        if holds { as_white(own & (self.own | self.own_choice)) } else { 0 }
    }
}

/// The squares of a text such as `d4 e3`, and whole files such as `c`.
const fn squares(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let (mut all, mut at) = (0, 0);
    while at < bytes.len() {
        let file = (bytes[at] - b'a') as u32;
        let is_square = at + 1 < bytes.len() && bytes[at + 1] != b' ';
        all |= if is_square { 1 << (file + (bytes[at + 1] - b'1') as u32 * 8) } else { FILE_A << file };
        at += if is_square { 3 } else { 2 };
    }
    all
}

/// Makes features out of a table of names and patterns. In a pattern, each side has all squares of its first text, one of those of the
/// second, and none of the third.
macro_rules! structures {
    ($($constant:ident: $name:literal, [$($alias:literal),*], $summary:literal,
        [$own:literal, $own_choice:literal, $own_absent:literal], [$other:literal, $other_choice:literal, $other_absent:literal];)+) => {
        $(
            pub(super) const $constant: BoardFeature = BoardFeature {
                name: $name,
                aliases: &[$($alias),*],
                summary: $summary,
                squares: |board, colour| {
                    const PATTERN: PawnPattern = PawnPattern {
                        own: squares($own),
                        own_choice: squares($own_choice),
                        own_absent: squares($own_absent),
                        other: squares($other),
                        other_choice: squares($other_choice),
                        other_absent: squares($other_absent),
                    };
                    PATTERN.pawns_on(board, colour)
                },
                scope: FeatureScope::Pawns([
                    squares($own) | squares($own_choice) | squares($own_absent),
                    squares($other) | squares($other_choice) | squares($other_absent),
                ]),
                ..PAWN_BASIS
            };
        )+

        /// All of them.
        pub const NAMED_STRUCTURES: &[&BoardFeature] = &[$(&$constant),+];
    };
}

structures! {
    CARLSBAD: "carlsbad", ["carlsbad_structure", "exchange_structure"],
        "pawns d4 and e3 (or e2) against d5 and c6 (or c7); the side has none on c, the other none on e",
        ["d4", "e2 e3", "c"], ["d5", "c6 c7", "e"];
    MAROCZY_BIND: "maroczy_bind", ["maroczy", "maroczy_structure"],
        "pawns c4 and e4 and none on d, against a pawn on d6 or d7 and none on c",
        ["c4 e4", "", "d"], ["", "d6 d7", "c"];
    HEDGEHOG: "hedgehog", ["hedgehog_structure"],
        "pawns a3, b3, d3 and e3 and none on c, against c5 and e5 and none on d (for Black a6, b6, d6, e6)",
        ["a3 b3 d3 e3", "", "c"], ["c5 e5", "", "d"];
    STONEWALL: "stonewall", ["stonewall_structure"],
        "pawns d4, e3 and f4 (for Black d5, e6, f5)",
        ["d4 e3 f4", "", ""], ["", "", ""];
    BENONI: "benoni_structure", ["modern_benoni_structure"],
        "pawns c4 and d3 and none on e, against d4 and e5 or e4 and none on c (for Black c5 and d6 against d5)",
        ["c4 d3", "", "e"], ["d4", "e5 e6 e7", "c"];
    KINGS_INDIAN_CHAIN: "kings_indian_chain", ["kings_indian_structure", "kid_structure"],
        "pawns d3 and e4 against d4 and e5, with an enemy pawn on c (for Black d6 and e5 against d5 and e4)",
        ["d3 e4", "", ""], ["d4 e5", "c5 c6 c7", ""];
    FRENCH_CHAIN: "french_chain", ["french_structure"],
        "pawns d4 and e3 against d5 and e4 (for Black d5 and e6 against d4 and e5)",
        ["d4 e3", "", ""], ["d5 e4", "", ""];
    SCHEVENINGEN: "scheveningen_structure", ["small_centre", "small_center"],
        "pawns d3 and e3 and none on c, against e5 and none on d (for Black d6 and e6 against e4)",
        ["d3 e3", "", "c"], ["e5", "", "d"];
    NAJDORF: "najdorf_structure", ["boleslavsky_structure"],
        "pawns d3 and e4 and none on c, against e5 and none on d (for Black d6 and e5 against e4)",
        ["d3 e4", "", "c"], ["e5", "", "d"];
    SLAV: "slav_structure", [],
        "pawns c3 and e3 (or e2) and none on d, against d5 and none on c (for Black c6 and e6 against d4)",
        ["c3", "e2 e3", "d"], ["d5", "", "c"];
    CARO_KANN: "caro_kann_structure", ["caro_structure"],
        "pawns c3 and e3 (or e2) and none on d, against d5 and a c-pawn and none on e (for Black c6 and e6 against d4)",
        ["c3", "e2 e3", "d"], ["d5", "c5 c6 c7", "e"];
    GRUENFELD_CENTRE: "gruenfeld_centre", ["grunfeld_centre", "grunfeld_center", "gruenfeld_center"],
        "pawns c3, d4 and e4 against none on d",
        ["c3 d4 e4", "", ""], ["", "", "d"];
    RUY_LOPEZ_CHAIN: "ruy_lopez_chain", ["spanish_chain"],
        "pawns d5, e4 and c2 (or c3) against d6, e5 and b5",
        ["d5 e4", "c2 c3", ""], ["d6 e5 b5", "", ""];
}

#[cfg(test)]
mod tests {
    use shakmaty::Square;

    use super::*;

    #[test]
    fn texts_are_squares() {
        assert_eq!(squares(""), 0);
        assert_eq!(squares("d4 e3"), 1 << Square::D4 as u64 | 1 << Square::E3 as u64);
        assert_eq!(squares("c"), FILE_A << 2);
        assert_eq!(squares("a1 h c"), 1 | FILE_A << 7 | FILE_A << 2);
    }
}
