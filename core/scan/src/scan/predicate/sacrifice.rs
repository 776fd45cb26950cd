//! A sacrifice gives material that does not come back within three moves. The captures and promotions of the game show it.
//!
//! A blunder gives material as well: nobody but an engine can tell the two apart, so `winner` usually stands before a sacrifice.

use shakmaty::{Color, Role};

use super::PlayedPly;

/// How many moves of the side after the sacrifice must leave it behind.
pub(in crate::scan) const MOVES_AFTER: usize = 3;
/// The points of a piece by its role code, as `points` counts them.
const POINTS: [i32; 8] = [0, 1, 3, 3, 5, 9, 0, 0];

/// The material that a move gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sacrifice {
    /// Two points or more.
    Any,
    /// A rook for a knight or bishop, and at most one pawn.
    Exchange,
    /// A queen, for two points less or fewer.
    Queen,
}

/// How the balance of a side, its points minus those of the other side, has changed since before a move.
#[derive(Clone, Copy, Debug)]
pub(in crate::scan) struct BalanceAfter {
    /// The role code of the piece that the next ply captures; 0 if it captures none.
    pub taken: u8,
    /// Whether the side captures a knight or bishop with the move or with its next one.
    pub gains_minor: bool,
    /// The change after the next ply.
    pub reply: i32,
    /// The change after each of the next moves of the side, as many as were played.
    pub later: [Option<i32>; MOVES_AFTER],
}

impl Sacrifice {
    pub(in crate::scan) fn holds(self, balance: &BalanceAfter) -> bool {
        let is_behind = |change: i32| change <= -2;
        let mut later = balance.later.iter().flatten().copied();
        match self {
            Sacrifice::Any => balance.taken != 0 && is_behind(balance.reply) && later.all(is_behind),
            Sacrifice::Queen => balance.taken == Role::Queen as u8 && is_behind(balance.reply) && later.all(is_behind),
            Sacrifice::Exchange => {
                balance.taken == Role::Rook as u8
                    && balance.gains_minor
                    && balance.later[0].is_some()
                    && later.all(|change| change == -1 || change == -2)
            }
        }
    }

    /// Whether the move of ply `ply` (from 1) of these plies of a game is such a sacrifice.
    pub(super) fn holds_in(self, plies: &[PlayedPly], ply: usize) -> bool {
        let Some(reply) = plies.get(ply) else { return false };
        let mover = plies[ply - 1].mover;
        let balance = |ply: usize| plies[..ply].iter().map(|ply| ply.balance_change(mover)).sum::<i32>();
        let change = |later: usize| (later <= plies.len()).then(|| balance(later) - balance(ply - 1));
        let is_minor =
            |ply: Option<&PlayedPly>| ply.is_some_and(|ply| matches!(ply.captured, Some(Role::Knight | Role::Bishop)));
        self.holds(&BalanceAfter {
            taken: reply.captured.map_or(0, |role| role as u8),
            gains_minor: is_minor(plies.get(ply - 1)) || is_minor(plies.get(ply + 1)),
            reply: change(ply + 1).unwrap_or(0),
            later: core::array::from_fn(|nth| change(ply + 2 * (nth + 1))),
        })
    }
}

impl PlayedPly {
    /// By how much the ply changes the balance of a side.
    fn balance_change(&self, side: Color) -> i32 {
        let change =
            points_of_ply(self.captured.map_or(0, |role| role as u8), self.mv.promoted().map_or(0, |role| role as u8));
        if self.mover == side { change } else { -change }
    }
}

/// What a ply adds to the balance of the side that moves, by the role codes of what it captures and what a pawn becomes.
pub(in crate::scan) fn points_of_ply(captured: u8, promoted: u8) -> i32 {
    let gained = if promoted == 0 { 0 } else { POINTS[usize::from(promoted & 7)] - POINTS[Role::Pawn as usize] };
    POINTS[usize::from(captured & 7)] + gained
}
