//! Moves as they are written, and lines of them, as shakmaty reads them.

use shakmaty::san::San;
use shakmaty::{Chess, Color, Position};

use crate::games::position;

use super::Trace;

/// The fields of a FEN that make positions equal.
fn identity(fen: &str) -> &str {
    fen.rsplitn(3, ' ').last().unwrap_or_default()
}

impl Trace<'_> {
    /// Whether the move of a ply is one of a side that is written so. A sign of check or mate must be true.
    pub(super) fn is_written(&self, text: &str, colour: Color, ply: usize) -> bool {
        let Some((mover, mv)) = self.played_at(ply) else { return false };
        let after = || position(Some(&self.boards[ply].fen().to_string()));
        let san: San = text.trim_end_matches(['+', '#']).parse().expect(text);
        mover == colour
            && san.matches(mv)
            && (!text.ends_with('+') || after().is_check())
            && (!text.ends_with('#') || after().is_checkmate())
    }

    /// Whether the position after a ply is that after a line, and, if the line is `played`, the game began with it. The start position may
    /// be that after a line, too.
    pub(super) fn has_line(&self, text: &str, is_played: bool, ply: usize) -> bool {
        let mut at = Chess::default();
        let mut moves = Vec::new();
        for word in text.split(' ').filter(|word| !word.ends_with('.')) {
            let san: San = word.trim_end_matches(['+', '#']).parse().expect(text);
            let mv = san.to_move(&at).expect(text);
            moves.push((at.turn(), mv));
            at.play_unchecked(mv);
        }
        let fen = |ply: usize| self.boards[ply].fen().to_string();
        let reached = shakmaty::fen::Fen::from_position(&at, shakmaty::EnPassantMode::Legal).to_string();
        let initial = shakmaty::fen::Fen::default().to_string();
        let begins = || {
            let played: Vec<_> = (1..=ply).map(|ply| self.played_at(ply)).collect();
            identity(&fen(0)) == identity(&initial) && played == moves.into_iter().map(Some).collect::<Vec<_>>()
        };
        identity(&fen(ply)) == identity(&reached) && (!is_played || begins())
    }
}
