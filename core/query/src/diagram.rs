//! Diagrams: eight ranks in quotes, written as in a FEN, that say what may stand on each square.
//!
//! `fen` and `structure` take letters and digits; `board` also takes `?` (anything), `.` (empty) and `[Nn]` (any of these).

use alloc::format;
use alloc::string::String;
use core::fmt;

use plyfold_board::board::PieceCode;
use plyfold_scan::scan::predicate::{PawnPattern, PieceCountBounds, Placement, SquareMask};
use shakmaty::{Color, Piece, Role, Setup, Square};

use super::error::{QueryError, error_at};

/// Bits of a square that may be empty or have any piece.
pub(super) const ANYTHING: u16 = 0x7e7f;
/// Bits of a square that is empty.
const EMPTY: u16 = 1;
/// Squares on which a pawn can stand.
const PAWN_SQUARES: u64 = 0x00ff_ffff_ffff_ff00;
/// The word of the language that a diagram belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiagramSyntax {
    /// `fen`: each square has one piece or none.
    Exact,
    /// `board`: a square may allow several pieces, or anything.
    Pattern,
    /// `structure`: pawns, and squares without pawns.
    Pawns,
}

impl DiagramSyntax {
    /// What a diagram is made of.
    fn expected_parts(self) -> &'static [&'static str] {
        match self {
            DiagramSyntax::Exact => &["a letter as in a FEN", "a digit", "`/`"],
            DiagramSyntax::Pattern => &["a letter as in a FEN", "a digit", "`.`", "`?`", "`[`", "`/`"],
            DiagramSyntax::Pawns => &["`P`", "`p`", "a digit", "`/`"],
        }
    }
}

/// For each square, a1 first, what may stand there: bit `m` for a piece with code `m`, bit 0 for none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// The bits of each square; never none.
    pub(super) allowed: [u16; 64],
}

impl Diagram {
    /// Reads eight ranks. `at` is where `text` begins in the query.
    ///
    /// # Errors
    ///
    /// The first thing wrong: a rank too long or too short, a sign that means nothing here, a pawn on the first or last rank,
    /// a king too many or, where squares say what stands on them, no square for one.
    pub fn read(text: &str, at: usize, manner: DiagramSyntax) -> Result<Diagram, QueryError> {
        let mut diagram = Diagram { allowed: [ANYTHING; 64] };
        let mut from = at;
        for (row, written) in text.split('/').enumerate() {
            let to = from + written.len();
            let Some(rank) = 7usize.checked_sub(row) else {
                return Err(error_at("a board has 8 ranks; this is one too many", from, to, &["`\"`"]));
            };
            let squares = read_rank(written, from, rank, manner)?;
            diagram.allowed[rank * 8..][..8].copy_from_slice(&squares);
            from = to + 1;
            if row < 7 && to == at + text.len() {
                let message = format!("a board has 8 ranks with `/` between them, not {}", row + 1);
                return Err(error_at(&message, to, to, &["`/`"]));
            }
        }
        if manner != DiagramSyntax::Pawns {
            diagram.check_kings().map_err(|message| error_at(&message, at, at + text.len(), &[]))?;
        }
        Ok(diagram)
    }

    /// Pawns on these squares, and no others.
    pub fn from_pawns(white: u64, black: u64) -> Diagram {
        let mut diagram = Diagram { allowed: [EMPTY; 64] };
        for (squares, colour) in [(white, Color::White), (black, Color::Black)] {
            for square in shakmaty::Bitboard(squares) {
                diagram.allowed[square as usize] = PieceCode::new(colour, Role::Pawn).bit();
            }
        }
        diagram
    }

    /// These pieces and no others; none if a pawn stands on the first or last rank.
    pub(super) fn from_board(board: &shakmaty::Board) -> Option<Diagram> {
        let mut diagram = Diagram { allowed: [EMPTY; 64] };
        for (square, piece) in board {
            diagram.allowed[square as usize] = PieceCode::new(piece.color, piece.role).bit();
        }
        (board.pawns().0 & !PAWN_SQUARES == 0).then_some(diagram)
    }

    /// Squares that must have the piece `code`.
    pub(crate) fn must_hold(&self, code: PieceCode) -> u64 {
        self.squares_where(|allowed| allowed == code.bit())
    }

    /// Squares where `code` may stand.
    fn may_hold(&self, code: PieceCode) -> u64 {
        self.squares_where(|allowed| allowed & code.bit() != 0)
    }

    fn squares_where(&self, holds: impl Fn(u16) -> bool) -> u64 {
        (0..64).fold(0, |bits, square| bits | u64::from(holds(self.allowed[square])) << square)
    }

    fn check_kings(&self) -> Result<(), String> {
        for colour in Color::ALL {
            let (king, name) = (PieceCode::new(colour, Role::King), colour.fold_wb("White", "Black"));
            if self.may_hold(king) == 0 {
                return Err(format!("{name}'s king has no square here, but each side has a king in every game"));
            }
            if self.must_hold(king).count_ones() > 1 {
                return Err(format!("{name} has more than one king here, which no game has"));
            }
        }
        Ok(())
    }

    /// What the diagram requires of pawns, on all squares that it restricts; none if that is hardly ever violated.
    pub(crate) fn pawn_pattern(&self) -> Option<PawnPattern> {
        let masked = |colour| {
            let pawn = PieceCode::new(colour, Role::Pawn);
            let value = self.must_hold(pawn);
            SquareMask { mask: (value | !self.may_hold(pawn)) & PAWN_SQUARES, value: value & PAWN_SQUARES }
        };
        let pattern = PawnPattern { white: masked(Color::White), black: masked(Color::Black) };
        // In nearly every position, a square for which another piece is required has no pawn, so this is not worth a test.
        let informative =
            self.squares_where(|allowed| allowed == EMPTY) & PAWN_SQUARES | pattern.white.value | pattern.black.value;
        (informative != 0).then_some(pattern)
    }

    /// The piece counts that the diagram implies and [`pawn_pattern`](Self::pawn_pattern) does not; none if there are none.
    pub(crate) fn piece_bounds(&self) -> Option<PieceCountBounds> {
        let mut bounds = PieceCountBounds::UNBOUNDED;
        for colour in Color::ALL {
            for role in Role::ALL {
                let code = PieceCode::new(colour, role);
                let (min, max) = (self.must_hold(code).count_ones() as u8, self.may_hold(code).count_ones() as u8);
                // A board hardly ever has more pieces than this, and a bound that rejects nothing is not worth a test.
                let rarely_exceeded = if role == Role::Pawn { 8 } else { 10 };
                if min == max {
                    (bounds.min[code], bounds.max[code]) = (min, max);
                } else if role != Role::King {
                    bounds.min[code] = if role == Role::Pawn { 0 } else { min };
                    bounds.max[code] = if max < rarely_exceeded { max } else { u8::MAX };
                }
            }
        }
        (bounds != PieceCountBounds::UNBOUNDED).then_some(bounds)
    }

    /// Every square that the diagram restricts, except those with a required pawn; none if no square remains.
    /// [`pawn_pattern`](Self::pawn_pattern) has the required pawns.
    pub(crate) fn remaining_placement(&self) -> Option<Placement> {
        let pawns = self.must_hold(PieceCode::new(Color::White, Role::Pawn))
            | self.must_hold(PieceCode::new(Color::Black, Role::Pawn));
        let squares = self.constrained_placement().squares & !pawns;
        (squares != 0).then_some(Placement { squares, allowed: self.allowed })
    }

    /// Every square that the diagram restricts.
    pub(crate) fn constrained_placement(&self) -> Placement {
        Placement { squares: self.squares_where(|allowed| allowed != ANYTHING), allowed: self.allowed }
    }

    /// The pieces that must stand on their squares, and nothing else.
    pub fn to_setup(&self) -> Setup {
        let mut setup = Setup::empty();
        for (square, allowed) in Square::ALL.into_iter().zip(self.allowed) {
            let pieces = PieceCode::all().filter(|code| allowed == code.bit());
            pieces.filter_map(piece_of_code).for_each(|piece| setup.board.set_piece_at(square, piece));
        }
        setup
    }

    /// Every square.
    pub(crate) fn full_placement(&self) -> Placement {
        Placement { squares: u64::MAX, allowed: self.allowed }
    }
}

/// Writes the shortest text that means the same.
impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            // Empty squares beside each other are one number.
            for run in self.allowed[rank * 8..][..8].chunk_by(|one, next| *one == EMPTY && *next == EMPTY) {
                let allowed = run[0];
                let pieces = PieceCode::all().filter(|code| allowed & code.bit() != 0).filter_map(piece_of_code);
                let letters: String = pieces.map(Piece::char).collect();
                match allowed {
                    EMPTY => write!(f, "{}", run.len())?,
                    ANYTHING => f.write_str("?")?,
                    one if one.is_power_of_two() => f.write_str(&letters)?,
                    _ => write!(f, "[{letters}{}]", if allowed & EMPTY != 0 { "." } else { "" })?,
                }
            }
            if rank > 0 {
                f.write_str("/")?;
            }
        }
        Ok(())
    }
}

fn piece_of_code(code: PieceCode) -> Option<Piece> {
    code.role().map(|role| Piece { color: code.color(), role })
}

/// The squares of a rank, a-file first.
fn read_rank(text: &str, at: usize, rank: usize, manner: DiagramSyntax) -> Result<[u16; 8], QueryError> {
    let mut squares = [ANYTHING; 8];
    let mut file = 0;
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let from = at + text.len() - rest.len();
        let mut length = sign.len_utf8();
        let (allowed, number) = match (sign, manner) {
            ('1'..='8', _) => (EMPTY, sign as usize - '0' as usize),
            ('?', DiagramSyntax::Pattern) => (ANYTHING, 1),
            ('.', DiagramSyntax::Pattern) => (EMPTY, 1),
            ('[', DiagramSyntax::Pattern) => {
                let Some(end) = rest.find(']') else {
                    return Err(error_at(
                        "`]` is missing after the pieces that may stand here",
                        from,
                        at + text.len(),
                        &["`]`"],
                    ));
                };
                length = end + 1;
                (read_bracketed(&rest[1..end], from + 1, rank)?, 1)
            }
            _ => (read_letter(sign, from, rank, manner)?, 1),
        };
        // A rank that is too long is counted to its end, for the message.
        for square in squares.iter_mut().skip(file).take(number) {
            *square = allowed;
        }
        file += number;
        rest = &rest[length..];
    }
    if file == 8 {
        return Ok(squares);
    }
    let message = format!("rank {} has {file} square{} here, not 8", rank + 1, if file == 1 { "" } else { "s" });
    Err(error_at(&message, at, at + text.len(), manner.expected_parts()))
}

/// The pieces between brackets, and `.` for none.
fn read_bracketed(text: &str, at: usize, rank: usize) -> Result<u16, QueryError> {
    const INSIDE: &[&str] = &["a letter as in a FEN", "`.`"];
    if text.is_empty() {
        return Err(error_at("no pieces stand between `[` and `]`", at - 1, at + 1, INSIDE));
    }
    text.char_indices().try_fold(0, |all, (offset, sign)| match sign {
        '.' => Ok(all | EMPTY),
        _ => read_letter(sign, at + offset, rank, DiagramSyntax::Exact)
            .map(|one| all | one)
            .map_err(|error| QueryError { expected: INSIDE.to_vec(), ..error }),
    })
}

/// The piece of a letter.
fn read_letter(sign: char, at: usize, rank: usize, manner: DiagramSyntax) -> Result<u16, QueryError> {
    let fail = |message: &str| Err(error_at(message, at, at + sign.len_utf8(), manner.expected_parts()));
    let Some(piece) = Piece::from_char(sign) else {
        return fail(&match (sign, manner) {
            ('?' | '.' | '[', DiagramSyntax::Exact | DiagramSyntax::Pawns) => {
                format!("`{sign}` is for patterns: use `board`")
            }
            _ if sign.is_whitespace() => String::from("there is no space within or between ranks"),
            _ => format!("`{sign}` is no piece: write K Q R B N P for White, k q r b n p for Black"),
        });
    };
    match (piece.role, manner) {
        (Role::Pawn, _) if rank == 0 || rank == 7 => fail("a pawn never stands on the first or last rank"),
        (Role::Pawn, _) | (_, DiagramSyntax::Exact | DiagramSyntax::Pattern) => {
            Ok(PieceCode::new(piece.color, piece.role).bit())
        }
        (_, DiagramSyntax::Pawns) => fail(&format!("`{sign}` is no pawn: a structure has only `P` and `p`")),
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use plyfold_board::board::ColorCode;

    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    #[test]
    fn diagrams_print_as_they_are_read_and_shorter() {
        for (text, printed) in [
            (START, START),
            ("????????/8/8/8/8/8/8/....11..", "????????/8/8/8/8/8/8/8"),
            ("[Nn]..[.Rr]1??[K]/8/8/8/8/8/8/7[k]", "[Nn]2[Rr.]1??K/8/8/8/8/8/8/7k"),
            ("[KQRBNkqrbn.]7/[PKQRBNpkqrbn.]3[.]3/8/8/8/8/8/8", "[NBRQKnbrqk.]7/?7/8/8/8/8/8/8"),
        ] {
            let diagram = Diagram::read(text, 0, DiagramSyntax::Pattern).expect(text);
            assert_eq!(diagram.to_string(), printed);
            assert_eq!(Diagram::read(printed, 0, DiagramSyntax::Pattern).expect(printed), diagram);
        }
    }

    #[test]
    fn a_whole_placement_says_every_number() {
        let diagram = Diagram::read(START, 0, DiagramSyntax::Exact).expect("the usual array");
        let numbers = diagram.piece_bounds().expect("numbers");
        assert_eq!(numbers.min.of_side(ColorCode::WHITE), [8, 2, 2, 2, 1, 1]);
        assert_eq!(numbers.min.of_side(ColorCode::BLACK), [8, 2, 2, 2, 1, 1]);
        let open = PieceCode::all().filter(|&code| numbers.min[code] != numbers.max[code]);
        assert_eq!(open.map(PieceCode::bits).collect::<Vec<_>>(), [0, 7, 8, 15]);
        let pawns = diagram.pawn_pattern().expect("pawns");
        assert_eq!(pawns.white, SquareMask { mask: PAWN_SQUARES, value: 0xff00 });
        assert_eq!(
            diagram.remaining_placement().expect("pieces").squares,
            0xff00_ffff_ffff_00ff | 0x0000_ffff_ffff_0000
        );
    }
}
