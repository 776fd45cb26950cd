//! Stage 3, track: what a condition remembers of a game.
//!
//! This slice has one window, `ever`: a condition that has held once has fired. The state of a game is two words, however
//! long the game is.

/// State of the conditions of a query in one game; bit `n` stands for condition `n`.
#[derive(Clone, Copy, Default)]
pub struct Track {
    /// Conditions that hold at the current position.
    pub holding: u64,
    /// Conditions that have held at some position.
    pub fired: u64,
}

impl Track {
    /// The conditions hold as `holding` says from this ply on.
    #[inline(always)]
    pub fn advance(&mut self, holding: u64) {
        self.holding = holding;
        self.fired |= holding;
    }
}
