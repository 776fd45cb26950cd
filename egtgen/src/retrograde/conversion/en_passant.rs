//! Decides positions after a double step of White that Black may answer by capturing en passant.

use super::table::ConversionTable;
use crate::Error;

/// Decides positions after a double step of White that Black may answer by capturing en passant.
pub(super) struct EnPassantReplies {
    /// The positions after each such capture, with White to move.
    pub captures: Vec<ConversionTable>,
    /// Positions that are lost, and those that are stalemate, if the captures are ignored.
    pub lost_but_for_captures: Vec<u64>,
    pub stalemate_but_for_captures: Vec<u64>,
    /// Positions that are lost with the captures, so far.
    pub known_lost: Vec<u64>,
}

impl EnPassantReplies {
    /// Passes the words with the positions that are newly lost at this level to `put`.
    pub fn decide(&mut self, level: u16, mut put: impl FnMut(usize, u64)) -> Result<(), Error> {
        let mut escapes = vec![0; self.lost_but_for_captures.len()];
        for after in &mut self.captures {
            // A position is lost at a level if all its moves lead to positions won at that level or below, not at the
            // next one.
            if level > 0 {
                after.advance(level - 1)?;
            }
            for (escapes, open) in escapes.iter_mut().zip(&after.not_won) {
                *escapes |= open;
            }
        }
        for (at, escapes) in escapes.iter().enumerate() {
            let lost = (self.lost_but_for_captures[at] | self.stalemate_but_for_captures[at]) & !escapes;
            let new = lost & !self.known_lost[at];
            if new != 0 {
                self.known_lost[at] |= lost;
                put(at, new);
            }
        }
        Ok(())
    }
}
