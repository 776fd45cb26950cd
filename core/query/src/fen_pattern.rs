//! `fen "…"`: a placement and, with more fields, the side to move, castling rights and the en passant square.
//!
//! The fields are read as at import: X-FEN or Shredder-FEN; castling rights that the placement does not bear out are dropped,
//! and so is an en passant square on which no pawn can legally take. Clocks do not matter.

use alloc::format;
use alloc::vec::Vec;
use core::fmt;

use plyfold_board::board::NO_SQUARE;
use plyfold_transform::playable::playable;
use shakmaty::fen::Fen as Written;
use shakmaty::{Bitboard, Castles, CastlingMode, Color, EnPassantMode, Position, Setup, Square};

use super::diagram::{Diagram, DiagramSyntax};
use super::error::{QueryError, error_at};

/// The most fields that a FEN has.
const MAX_FIELDS: usize = 6;

/// The position that a FEN describes. Each field after the placement is present only if all fields before it are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FenPattern {
    /// One piece or none on each square.
    pub placement: Diagram,
    /// The side to move.
    pub turn: Option<Color>,
    /// Squares of the rooks that may castle.
    pub castling: Option<u64>,
    /// The en passant square, if a pawn can legally capture there, or [`NO_SQUARE`].
    pub en_passant: Option<u8>,
}

impl FenPattern {
    /// Reads one to six fields. `at` is where `text` begins in the query.
    ///
    /// # Errors
    ///
    /// The first field that cannot be read, or a seventh.
    pub fn read(text: &str, at: usize) -> Result<FenPattern, QueryError> {
        let fields = split_fields(text, at);
        let Some(&(board, board_at)) = fields.first() else {
            return Err(error_at("there is no placement between the quotes", at, at + text.len(), &["eight ranks"]));
        };
        let placement = Diagram::read(board, board_at, DiagramSyntax::Exact)?;
        let refuse = |index: usize, message: &str, expected: &[&'static str]| {
            let (field, from) = fields[index];
            Err(error_at(message, from, from + field.len(), expected))
        };
        let field = |index: usize| fields.get(index).map(|&(field, _)| field);
        if !matches!(field(1), None | Some("w" | "b")) {
            return refuse(1, "the second field of a FEN is the side to move: `w` or `b`", &["`w`", "`b`"]);
        }
        let letter = |sign: char| matches!(sign.to_ascii_lowercase(), 'k' | 'q' | 'a'..='h');
        if field(2).is_some_and(|castling| castling != "-" && !castling.chars().all(letter)) {
            let message = "the third field of a FEN is the castling rights: some of `KQkq`, letters of files, or `-`";
            return refuse(2, message, &["`KQkq`", "`-`"]);
        }
        if field(3).is_some_and(|square| square != "-" && square.parse::<Square>().is_err()) {
            let message = "the fourth field of a FEN is the en passant square, or `-`";
            return refuse(3, message, &["a square", "`-`"]);
        }
        for index in 4..fields.len() {
            if index >= MAX_FIELDS {
                return refuse(index, "a FEN has at most six fields", &["`\"`"]);
            }
            if field(index).is_some_and(|clock| clock != "-" && clock.parse::<u32>().is_err()) {
                return refuse(index, "the last two fields of a FEN are numbers", &["a number"]);
            }
        }
        let requested: Vec<&str> = fields.iter().take(4).map(|&(field, _)| field).collect();
        let Ok(written) = requested.join(" ").parse::<Written>() else {
            // The placement and all letters have been checked.
            return refuse(
                requested.len().min(3) - 1,
                "a side has castling rights with at most two rooks",
                &["`KQkq`", "`-`"],
            );
        };
        Ok(FenPattern::from_setup(placement, written.into_setup(), requested.len()))
    }

    /// The pattern of the first `fields` fields of the FEN of `setup`, whose pieces are those of `placement`.
    pub(super) fn from_setup(placement: Diagram, setup: Setup, fields: usize) -> FenPattern {
        FenPattern {
            placement,
            turn: (fields > 1).then_some(setup.turn),
            castling: (fields > 2).then(|| legal_castling_rooks(&setup).0),
            en_passant: (fields > 3).then(|| legal_en_passant(setup).map_or(NO_SQUARE, |square| square as u8)),
        }
    }

    /// The number of fields that are given.
    pub(super) fn requested_fields(&self) -> usize {
        let requested = [self.turn.is_some(), self.castling.is_some(), self.en_passant.is_some()];
        1 + requested.iter().take_while(|asked| **asked).count()
    }

    /// The position; fields that are not given are as in an empty setup.
    pub(super) fn setup(&self) -> Setup {
        let mut setup = self.placement.to_setup();
        setup.turn = self.turn.unwrap_or(Color::White);
        setup.castling_rights = Bitboard(self.castling.unwrap_or(0));
        setup.ep_square = self.en_passant.and_then(|square| Square::try_from(u32::from(square)).ok());
        setup
    }
}

/// Writes the fields that are given.
impl fmt::Display for FenPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = Written::try_from_setup(self.setup()).unwrap_or_else(shakmaty::fen::LossyFenError::ignore);
        let text = format!("{written}");
        f.write_str(&text.split(' ').take(self.requested_fields()).collect::<Vec<_>>().join(" "))
    }
}

/// The fields, each with its place in the query.
fn split_fields(text: &str, at: usize) -> Vec<(&str, usize)> {
    let between = |sign: char| sign.is_whitespace() || sign == '_';
    let mut from = at;
    let mut fields = Vec::new();
    for field in text.split_inclusive(between) {
        if !field.trim_end_matches(between).is_empty() {
            fields.push((field.trim_end_matches(between), from));
        }
        from += field.len();
    }
    fields
}

/// The rooks that may castle, without impossible rights.
fn legal_castling_rooks(setup: &Setup) -> Bitboard {
    Castles::from_setup(setup, CastlingMode::Chess960).unwrap_or_else(|possible| possible).castling_rights()
}

/// The en passant square, if a pawn can legally capture there.
fn legal_en_passant(setup: Setup) -> Option<Square> {
    setup.ep_square?;
    playable(setup).ok()?.to_setup(EnPassantMode::Legal).ep_square
}
