//! The text of random conditions on the whole board, which a position of a random game fulfils.

use plyfold_core::board::make::FullState;
use plyfold_core::board::start::PackedStart;
use plyfold_core::board::{Board, ColorCode};
use plyfold_core::transform::Transform;
use proptest::prelude::*;
use proptest::sample::select;
use shakmaty::Role;

use crate::games::{STARTS, play, position};
use crate::images;

/// The text of a random leaf about the whole board: an exact position, a pawn structure, a material, or a pattern.
pub fn whole_leaf() -> impl Strategy<Value = String> {
    let game = (0..STARTS.len(), prop::collection::vec(any::<u16>(), 0..12));
    let endgame = select(vec!["pawn", "knight", "bishop", "minor", "rook", "queen"]);
    let side = select(vec!["", "white ", "black "]);
    // A pattern tests few squares or many. A tested square names one piece or allows several.
    let open =
        (any::<u64>(), any::<u64>(), any::<bool>()).prop_map(|(some, few, many)| if many { some } else { some & few });
    let several = prop_oneof![any::<u64>(), Just(u64::MAX)];
    let turn = select(vec!["identity", "identity", "flipH", "rot90", "rot180", "flipcolor", "polish", "shift:1,0"]);
    let under = select(vec![
        "",
        "",
        " under mirror",
        " under flips, rotations, colour flip",
        " under rot90, swap_colours",
        " under rotations, colour_flip",
        " under file_shifts",
        " under shifts, polish",
        " under shift(-1,0), flips",
    ]);
    (0..5, game, 1usize..=6, open, several, endgame, side, turn, under).prop_map(
        |(kind, (start, choices), fields, open, several, endgame, side, turn, under)| {
            let board = board_after(STARTS[start], &choices);
            let turned = |word: &str, text: &str| {
                // Either the text itself, or a text whose image it is.
                let transform = Transform::named(turn).expect("a name");
                let text = images::turned(word, text, transform).unwrap_or_else(|| text.to_owned());
                format!("{word} \"{text}\"{under}")
            };
            match kind {
                0 => {
                    let fen = board.fen().to_string();
                    turned("fen", &fen.split(' ').take(fields).collect::<Vec<_>>().join(" "))
                }
                1 => turned("structure", &structure_text(&board)),
                2 => turned("board", &pattern_text(&board, open, several)),
                3 => format!(
                    "material {side}{}v{}",
                    piece_letters(&board, ColorCode::WHITE),
                    piece_letters(&board, ColorCode::BLACK)
                ),
                _ => format!("endgame {endgame}"),
            }
        },
    )
}

/// The board after moves that are chosen by numbers.
fn board_after(start: Option<&'static str>, choices: &[u16]) -> Board {
    let (start, moves) = play(start, choices);
    let mut board = Board::from_start(&PackedStart::from_position(&position(start)));
    for mv in moves {
        board.make::<FullState>(mv);
    }
    board
}

/// The ranks of a board from the eighth to the first, each square as text.
fn ranks_text(square: impl Fn(usize) -> String) -> String {
    let rank = |rank: usize| (0..8).map(|file| square(rank * 8 + file)).collect::<String>();
    (0..8).rev().map(rank).collect::<Vec<_>>().join("/")
}

/// The capital letter of the piece on a square, or a dot.
fn piece_on(board: &Board, square: usize) -> char {
    board.mailbox[square].role().map_or('.', Role::upper_char)
}

/// The letter in the case that a FEN uses for the side of the piece on a square.
fn letter_of_side(board: &Board, square: usize, letter: char) -> char {
    if board.mailbox[square].side().is_black() { letter.to_ascii_lowercase() } else { letter }
}

/// The pawns of a board as a structure.
fn structure_text(board: &Board) -> String {
    ranks_text(|square| match piece_on(board, square) {
        'P' => letter_of_side(board, square, 'P').to_string(),
        _ => "1".to_owned(),
    })
}

/// A pattern that the board matches: it tests the squares of `open`, and allows several pieces on those of `several`.
fn pattern_text(board: &Board, open: u64, several: u64) -> String {
    ranks_text(|square| match (piece_on(board, square), open >> square & 1, several >> square & 1) {
        ('K', 1, 1) => "[KkN]".to_owned(),
        ('K', _, 0) => letter_of_side(board, square, 'K').to_string(),
        (_, 0, _) => "?".to_owned(),
        ('P', _, 1) => "[Pp.]".to_owned(),
        (piece, _, 1) => format!("[{}Nbq]", letter_of_side(board, square, piece)),
        (piece, ..) => letter_of_side(board, square, piece).to_string(),
    })
}

/// The letters of a side's pieces, one for each piece.
fn piece_letters(board: &Board, side: ColorCode) -> String {
    let numbers = board.piece_counts.of_side(side).iter().map(|&number| usize::from(number));
    "PNBRQK".chars().zip(numbers).map(|(letter, number)| letter.to_string().repeat(number)).collect()
}
