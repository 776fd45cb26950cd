//! Baselines for import and scans. In one, pgn-reader reads the text and shakmaty plays the moves, and nothing is stored. In
//! the other, our own board plays the moves, and no predicate is tested.

use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use plyfold_core::board::Board;
use plyfold_core::board::make::MakePolicy;
use plyfold_core::game::GameSpan;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

/// Games and plies that the baseline has played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BaselineGame {
    /// Games, including those abandoned at an illegal move.
    pub games: u64,
    /// Moves played.
    pub plies: u64,
}

struct Replay<'a>(&'a mut BaselineGame);

impl Visitor for Replay<'_> {
    type Tags = Chess;
    type Movetext = Chess;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Chess> {
        self.0.games += 1;
        ControlFlow::Continue(Chess::default())
    }

    fn tag(&mut self, start: &mut Chess, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        if name == b"FEN"
            && let Ok(fen) = Fen::from_ascii(value.as_bytes())
            && let Ok(position) = fen.into_position(CastlingMode::Chess960)
        {
            *start = position;
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Chess) -> ControlFlow<(), Chess> {
        ControlFlow::Continue(start)
    }

    fn san(&mut self, position: &mut Chess, written: SanPlus) -> ControlFlow<()> {
        match written.san.to_move(position) {
            Ok(mv) => {
                position.play_unchecked(mv);
                self.0.plies += 1;
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn begin_variation(&mut self, _: &mut Chess) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, _: Chess) {}
}

/// Reads and plays all games of `text`: the minimum of work with these libraries.
///
/// # Panics
///
/// Never in practice: reading from memory gives no errors.
pub fn play_all(text: &[u8]) -> BaselineGame {
    let mut played = BaselineGame::default();
    let mut reader = Reader::new(text);
    while reader.read_game(&mut Replay(&mut played)).expect("memory can be read").is_some() {}
    played
}

/// Replays all games under the policy `P`: the minimum of work for a scan that plays every move.
pub fn replay<P: MakePolicy>(spans: &[GameSpan<'_>]) {
    let initial = Board::initial();
    for game in spans.iter().flat_map(GameSpan::games) {
        let mut board = game.custom_start_board().unwrap_or_else(|| initial.clone());
        for &mv in game.moves {
            board.make::<P>(mv);
        }
        std::hint::black_box(&board);
    }
}
