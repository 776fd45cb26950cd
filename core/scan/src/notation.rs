//! Writes the moves of a game as text: in standard algebraic notation (SAN) and as engines write them (UCI).
//!
//! shakmaty decides disambiguation, `+` and `#`: one of its positions is kept beside the board, so `Nbd2` says neither more nor
//! less than it must. This is for games that are shown one at a time; a scan does not use it.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::board::make::{FullState, castling_targets};
use plyfold_board::moves::Move;
use plyfold_corpus::record::CHESS960;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Color, FromSetup, Position, PositionError, Square};

use crate::game::Game;

/// A move as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveNotation {
    /// Standard algebraic notation, with `+` and `#`; `--` for a null move.
    pub san: String,
    /// UCI notation; `0000` for a null move. Castling is written as king takes rook in Chess960, otherwise as the king's two steps.
    pub uci: String,
    /// The number of the move as printed in a score.
    pub move_number: u16,
    /// The side that makes it.
    pub color: Color,
}

/// A position as a line of EPD: the first four fields of its FEN, the clocks as `hmvc` and `fmvn`, its game as `id`, and as `c0` the number of
/// the game, from 1, and of the ply. `id` holds no quote or backslash that is not escaped.
pub fn epd_line(fen: &str, id: &str, game: u64, ply: u32) -> String {
    debug_assert!(is_escaped(id), "a quote ends the id early: {id}");
    // Two numbers stand at the end of a FEN.
    let mut parts = fen.rsplitn(3, ' ');
    let [moves, halves, board] = [(); 3].map(|()| parts.next().unwrap_or_default());
    format!("{board} hmvc {halves}; fmvn {moves}; id \"{id}\"; c0 \"game {game} ply {ply}\";")
}

/// Whether every quote and backslash has a backslash before it.
fn is_escaped(id: &str) -> bool {
    let mut letters = id.chars();
    while let Some(letter) = letters.next() {
        if letter == '"' || letter == '\\' && !matches!(letters.next(), Some('"' | '\\')) {
            return false;
        }
    }
    true
}

/// The moves of a game as they are written.
///
/// A file made by other programs may have moves that are not legal. Such a move and all moves after it are written by their squares
/// alone.
pub fn notate_game(game: &Game<'_>) -> Vec<MoveNotation> {
    notate_moves(game.start_board(), game.moves, game.record.flags() & CHESS960 != 0)
}

/// All moves of a line from `board`, as [`notate_game`] writes them; `chess960` says how castling is written.
pub fn notate_moves(mut board: Board, moves: &[Move], chess960: bool) -> Vec<MoveNotation> {
    let mut position = shakmaty_position(&board);
    let notate = |&mv: &Move| {
        let written = notate_from(&mut position, &board, mv, chess960);
        board.make::<FullState>(mv);
        written
    };
    moves.iter().map(notate).collect()
}

/// One move from `board` as text. Castling is written as in Chess960 if king or rook do not stand on their usual squares.
///
/// An illegal move is written by its squares alone.
pub fn notate_move(board: &Board, mv: Move) -> MoveNotation {
    let is_standard_castling = mv.origin() & 7 == 4 && matches!(mv.target() & 7, 0 | 7);
    let mut position = if mv.is_null() { None } else { shakmaty_position(board) };
    notate_from(&mut position, board, mv, mv.is_castling() && !is_standard_castling)
}

/// A move from `board` as text. `position` is that of the board, and then the one after the move; none once it is not known to
/// shakmaty.
fn notate_from(position: &mut Option<Chess>, board: &Board, mv: Move, chess960: bool) -> MoveNotation {
    let uci = uci_text(mv, chess960);
    let shakmaty_move = position.as_ref().and_then(|position| legal_shakmaty_move(position, board, mv));
    let (san, after) = match (mv.is_null(), position.take(), shakmaty_move) {
        (true, before, _) => ("--".to_owned(), before.and_then(|before| before.swap_turn().ok())),
        (_, Some(mut before), Some(theirs)) => {
            let san = SanPlus::from_move_and_play_unchecked(&mut before, theirs);
            (san.to_string(), Some(before))
        }
        _ => (uci.clone(), None),
    };
    *position = after;
    MoveNotation { san, uci, move_number: board.fullmoves, color: board.side_to_move() }
}

/// A start position need not be reachable in a game: the import allows that, too.
fn shakmaty_position(board: &Board) -> Option<Chess> {
    Chess::from_setup(board.to_setup(), CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// A move as a move of shakmaty, if it is legal.
fn legal_shakmaty_move(position: &Chess, board: &Board, mv: Move) -> Option<shakmaty::Move> {
    let (from, to) = (Square::new(mv.origin() as u32), Square::new(mv.target() as u32));
    let role_on = |square: Square| board.mailbox[square as usize].role();
    let shakmaty_move = if mv.is_castling() {
        shakmaty::Move::Castle { king: from, rook: to }
    } else if mv.is_en_passant() {
        shakmaty::Move::EnPassant { from, to }
    } else {
        shakmaty::Move::Normal { role: role_on(from)?, from, capture: role_on(to), to, promotion: mv.promoted() }
    };
    position.legal_moves().contains(&shakmaty_move).then_some(shakmaty_move)
}

/// A move by its squares, as UCI writes it.
fn uci_text(mv: Move, chess960: bool) -> String {
    if mv.is_null() {
        return "0000".to_owned();
    }
    let (from, mut to) = (mv.origin(), mv.target());
    if mv.is_castling() && !chess960 {
        to = castling_targets(from, to).0;
    }
    let promoted = mv.promoted().map_or(String::new(), |role| role.char().to_string());
    format!("{}{}{promoted}", Square::new(from as u32), Square::new(to as u32))
}

#[cfg(test)]
mod tests {
    use plyfold_corpus::buffer::CorpusBuffer;
    use plyfold_corpus::file::CorpusCheck;
    use plyfold_pgn::pack_shard;

    use super::*;
    use crate::game::corpus_spans;

    /// The moves of the only game of a PGN, by `of`.
    fn moves(pgn: &str, of: impl Fn(&MoveNotation) -> &str) -> String {
        let (shard, report) = pack_shard(pgn.as_bytes(), 0);
        assert_eq!((report.imported, report.rejected), (1, 0), "{pgn}");
        let mut corpus = CorpusBuffer::new();
        corpus.append(&shard).expect("a shard");
        let corpus = corpus.reader(CorpusCheck::EveryByte).expect("a corpus");
        let game = corpus_spans(&corpus)[0].games().next().expect("a game");
        let moves = notate_game(&game);
        // Each is written the same where it stands alone.
        let mut board = game.start_board();
        for (&mv, written) in game.moves.iter().zip(&moves) {
            let alone = notate_move(&board, mv);
            let usual = MoveNotation {
                uci: if mv.is_castling() { alone.uci.clone() } else { written.uci.clone() },
                ..written.clone()
            };
            assert_eq!(alone, usual);
            board.make::<FullState>(mv);
        }
        moves.iter().map(of).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn an_id_ends_at_its_own_quote() {
        for (id, expected) in [
            ("", true),
            ("Anna - Bert", true),
            (r#"A \"B\" \\"#, true),
            (r#"A "B""#, false),
            (r"A\", false),
            (r"\A", false),
        ] {
            assert_eq!(is_escaped(id), expected, "{id}");
        }
    }

    #[test]
    fn moves_are_written_as_a_score_does() {
        for (fen, expected) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "f3 e5 g4 Qh4#"),
            ("4k3/8/8/8/8/8/3N4/R3K1N1 w Q - 0 1", "Ngf3 Kd7 Nd4 Ke7 O-O-O"),
            ("8/P1k5/8/8/8/8/8/4K3 w - - 0 1", "a8=N+ Kb7 -- Kxa8"),
            ("4k3/8/8/8/1p6/8/P6P/4K3 w - - 0 1", "a4 bxa3 h4 a2"),
            // More knights than pawns could have become.
            ("NNNNNNNN/NNNN4/8/8/8/8/8/K6k w - - 0 1", "Kb2 Kg2"),
        ] {
            let pgn = format!("[FEN \"{fen}\"]\n\n{expected} *\n");
            assert_eq!(moves(&pgn, |written| &written.san), expected, "{fen}");
        }
    }

    #[test]
    fn engines_castle_as_the_game_is_played() {
        let fen = |castling| format!("4k2r/8/8/8/8/8/8/R3K3 w {castling} - 0 1");
        let uci = |pgn: &str| moves(pgn, |written| &written.uci);
        assert_eq!(uci(&format!("[FEN \"{}\"]\n\nO-O-O O-O *\n", fen("Qk"))), "e1c1 e8g8");
        let variant = "[Variant \"Chess960\"]\n";
        assert_eq!(uci(&format!("{variant}[FEN \"{}\"]\n\nO-O-O O-O *\n", fen("Qk"))), "e1a1 e8h8");
        assert_eq!(uci("[FEN \"8/P1k5/8/8/8/8/8/4K3 w - - 0 1\"]\n\na8=Q -- *\n"), "a7a8q 0000");
        // Alone, a move tells what is played by where king and rook stand.
        let alone = |king, rook| {
            let fen = "rk2r3/8/8/8/8/8/8/R3K2R w KQkq - 0 1".parse::<shakmaty::fen::Fen>().expect("a FEN");
            let position = Chess::from_setup(fen.into_setup(), CastlingMode::Chess960).expect("a position");
            let board = Board::from_start(&plyfold_board::board::start::PackedStart::from_position(&position));
            notate_move(&board, Move::castle(king, rook)).uci
        };
        assert_eq!((alone(Square::E1, Square::H1), alone(Square::E1, Square::A1)), ("e1g1".into(), "e1c1".into()));
        assert_eq!(alone(Square::B8, Square::E8), "b8e8");
    }

    #[test]
    fn moves_have_their_numbers() {
        let pgn = "[FEN \"4k3/8/8/8/8/8/8/4K3 b - - 0 30\"]\n\nKd7 Kd2 *\n";
        assert_eq!(moves(pgn, |written| if written.color == Color::White { "31" } else { "30" }), "30 31");
    }
}
