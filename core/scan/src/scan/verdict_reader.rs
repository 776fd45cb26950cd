//! The verdict reader asks tables about the positions of games, one game after the other, and remembers what they said: positions
//! of few pieces come again within a game, and basic endgames in many games.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::make::{MakeState, WithRights};
use plyfold_board::board::{Board, PieceCode};
use plyfold_board::irreversible::material::{MaterialEvent, captured_role, gap};
use plyfold_board::moves::Move;
use shakmaty::Bitboard;

use super::plies::iter_ones;
use super::predicate::KnownVerdicts;
use super::tables::{BoundTables, WinnerVerdict};

/// The positions that are remembered at most.
///
/// PERF: more are hardly found again, and the verdicts stay in the second-level cache.
const REMEMBERED_POSITIONS: usize = 1 << 12;

/// The pieces on their squares, ten bits each, the side to move and the en passant square. No two positions of at most
/// [`MAX_TABLE_PIECES`](super::tables::MAX_TABLE_PIECES) pieces have the same key, and none has the key 0.
type PositionKey = u128;

/// Asks tables about the positions of games.
#[derive(Default)]
pub(crate) struct VerdictReader {
    /// The tables that said what is remembered.
    tables: BoundTables,
    remembered: Vec<(PositionKey, Option<WinnerVerdict>)>,
    /// The positions whose verdicts were needed.
    pub positions: u64,
    /// The positions about which the tables were asked; the others were remembered.
    pub probes: u64,
}

impl VerdictReader {
    /// Returns the verdict about a board whose bitboards and rights are up to date.
    pub fn verdict(&mut self, tables: &BoundTables, board: &Board) -> Option<WinnerVerdict> {
        if board.castling_rooks != 0 || board.occupied().count_ones() > tables.most_pieces() {
            return None;
        }
        if self.remembered.is_empty() || self.tables != *tables {
            self.remembered = vec![(0, None); REMEMBERED_POSITIONS];
            self.tables = tables.clone();
        }
        let key = position_key(board);
        let slot = ((key ^ key >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let entry = &mut self.remembered[slot as usize % REMEMBERED_POSITIONS];
        self.positions += 1;
        if entry.0 != key {
            self.probes += 1;
            *entry = (key, tables.verdict(board));
        }
        entry.1
    }

    /// Calls `visit` with the index of each wanted ply, the board after it and what is known there, where few enough pieces are left.
    /// Unless it `looks_back`, the verdict before a ply may be missing. `board` is the start board of the game and becomes a later one.
    /// Returns the number of plies played.
    pub fn read_game(
        &mut self,
        tables: &BoundTables,
        (board, moves, events): (&mut Board, &[Move], &[MaterialEvent]),
        (requested, looks_back): (&[u64], bool),
        mut visit: impl FnMut(usize, &Board, KnownVerdicts),
    ) -> usize {
        let first = first_ply_with(board, events, tables.most_pieces()).and_then(|first| first.checked_sub(1));
        let Some(skipped) = first.filter(|&skipped| skipped < moves.len()) else { return 0 };
        board.fast_forward::<WithRights>(&moves[..skipped]);
        let mut state = MakeState::for_board(board);
        let mut played = skipped;
        // The ply after which the last verdict was read.
        let mut last: Option<(usize, Option<WinnerVerdict>)> = None;
        for index in iter_ones(requested).skip_while(|&index| index < skipped) {
            let Some(between) = moves.get(played..index) else { break };
            for &mv in between {
                board.make_with::<WithRights>(mv, &mut state);
            }
            let before = match last {
                Some((ply, verdict)) if ply == index => verdict,
                _ if looks_back => self.verdict(tables, board),
                _ => None,
            };
            let Some(&mv) = moves.get(index) else { break };
            let mover = (!mv.is_null()).then(|| board.side_to_move());
            board.make_with::<WithRights>(mv, &mut state);
            played = index + 1;
            let after = self.verdict(tables, board);
            last = Some((played, after));
            visit(index, board, KnownVerdicts { mover, before, after, pass: None });
        }
        played
    }
}

/// The first ply after which at most `most` pieces are on the board, 1 if that is so from the start; none if it never is.
pub(crate) fn first_ply_with(start: &Board, events: &[MaterialEvent], most: u32) -> Option<usize> {
    let mut pieces = start.mailbox.iter().filter(|code| code.role().is_some()).count() as u32;
    let mut ply = 0;
    if most == 0 {
        return None;
    }
    if pieces <= most {
        return Some(1);
    }
    for &event in events {
        ply += gap(event);
        pieces -= u32::from(captured_role(event) != 0).min(pieces);
        if pieces <= most {
            return Some(ply);
        }
    }
    None
}

fn position_key(board: &Board) -> PositionKey {
    let mut key = PositionKey::from(board.en_passant) << 1 | PositionKey::from(board.turn.is_black());
    for code in PieceCode::all() {
        if code.role().is_none() {
            continue;
        }
        for square in Bitboard(board.bitboards[code]) {
            key = key << 10 | PositionKey::from(code.bits()) << 6 | PositionKey::from(square as u8);
        }
    }
    key
}
