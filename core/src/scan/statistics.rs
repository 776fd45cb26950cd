//! A scan counts what it reads, thread by thread.

/// What a scan looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ScanStatistics {
    /// Games of the corpus.
    pub games: u64,
    /// Plies of the corpus.
    pub plies: u64,
    /// Games that were left by their milestones and final signature alone.
    pub games_rejected_early: u64,
    /// Games for which a board was set up.
    pub games_replayed: u64,
    /// Captures, promotions and changes of pawns that were looked at.
    pub events_read: u64,
    /// Moves that were looked at without a board.
    pub plies_read_without_board: u64,
    /// Moves that were made on a board.
    pub plies_replayed: u64,
}

impl ScanStatistics {
    /// Adds what another thread looked at.
    pub fn add(&mut self, other: &ScanStatistics) {
        self.games += other.games;
        self.plies += other.plies;
        self.games_rejected_early += other.games_rejected_early;
        self.games_replayed += other.games_replayed;
        self.events_read += other.events_read;
        self.plies_read_without_board += other.plies_read_without_board;
        self.plies_replayed += other.plies_replayed;
    }
}
