//! Reads what endgame tables say about a whole game: the verdict after each ply with few pieces left, and what each move threw
//! away.

use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::irreversible::EventStreamBuffer;
use plyfold_board::irreversible::material::MaterialEvent;
use plyfold_board::moves::Move;
use shakmaty::Color;

use super::plies::word_count;
use super::predicate::ThrownAway;
use super::tables::{BoundTables, WinnerVerdict};
use super::verdict_reader::VerdictReader;
use crate::game::{Game, Ply};

/// Asks tables about games, one after the other; positions that come again are remembered.
pub struct GameVerdicts {
    tables: BoundTables,
    reader: VerdictReader,
    board: Board,
    /// The plies of a game that are read: all of them.
    plies: Vec<u64>,
    events: EventStreamBuffer,
}

/// The facts that are known after a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlyVerdict {
    /// The ply.
    pub ply: Ply,
    /// The verdict; none if no table knows the position.
    pub verdict: Option<WinnerVerdict>,
    /// The side that made the move, and what it threw away; none if that is nothing, or not known.
    pub thrown_away: Option<(Color, ThrownAway)>,
}

impl GameVerdicts {
    /// The verdicts of these tables.
    pub fn new(tables: BoundTables) -> GameVerdicts {
        GameVerdicts {
            tables,
            reader: VerdictReader::default(),
            board: Board::initial(),
            plies: Vec::new(),
            events: EventStreamBuffer::default(),
        }
    }

    /// The verdicts of a game, from the first ply with few enough pieces on.
    pub fn of_game(&mut self, game: &Game<'_>) -> Vec<PlyVerdict> {
        let start = game.start_board();
        let mut events = core::mem::take(&mut self.events);
        let streams = game.event_streams.unwrap_or_else(|| {
            events.clear();
            events.push_game(&start, game.moves);
            events.as_streams()
        });
        let mut verdicts = Vec::new();
        self.read(&start, game.moves, streams.material, |_, verdict| verdicts.push(verdict));
        self.events = events;
        verdicts
    }

    /// Calls `visit` with the board after each such ply, and what is known there.
    pub fn read(
        &mut self,
        start: &Board,
        moves: &[Move],
        events: &[MaterialEvent],
        mut visit: impl FnMut(&Board, PlyVerdict),
    ) {
        self.board.clone_from(start);
        self.plies.clear();
        self.plies.resize(word_count(moves.len()), u64::MAX);
        self.reader.read_game(
            &self.tables,
            (&mut self.board, moves, events),
            (&self.plies, true),
            |index, board, known| {
                let (ply, thrown_away) = (Ply::after_moves(index + 1), known.thrown_away());
                visit(board, PlyVerdict { ply, verdict: known.after, thrown_away });
            },
        );
    }
}
