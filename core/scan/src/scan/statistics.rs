//! Scan statistics count what a scan reads; each thread counts its part.

use crate::game::GameSpan;

/// What a scan has read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ScanStatistics {
    /// The games of the corpus.
    pub games: u64,
    /// The plies of the corpus.
    pub plies: u64,
    /// The games that were rejected unread, by headers, home-pawn signatures or final material, or as not in the subset.
    /// Each batch of queries counts its own.
    pub games_rejected_early: u64,
    /// The games that were replayed to test predicates; a game counts if the first group of tests on a board needed it.
    pub games_replayed: u64,
    /// The captures, promotions and pawn changes that were read.
    pub events_read: u64,
    /// The moves that were read without a board, to find those that touch squares.
    pub plies_read_without_board: u64,
    /// The moves that were made on a board.
    pub plies_replayed: u64,
    /// The positions whose verdicts of endgame tables were needed.
    pub table_positions: u64,
    /// The positions about which the tables were asked; the other verdicts were remembered.
    pub table_probes: u64,
}

impl ScanStatistics {
    /// Notes which games were to be scanned.
    pub(super) fn count_games(&mut self, spans: &[GameSpan<'_>]) {
        self.games = spans.iter().map(|span| u64::from(span.len())).sum();
        self.plies = spans.iter().map(GameSpan::plies).sum();
    }

    /// Adds what another thread has read.
    pub fn add(&mut self, other: &ScanStatistics) {
        self.games += other.games;
        self.plies += other.plies;
        self.games_rejected_early += other.games_rejected_early;
        self.games_replayed += other.games_replayed;
        self.events_read += other.events_read;
        self.plies_read_without_board += other.plies_read_without_board;
        self.plies_replayed += other.plies_replayed;
        self.table_positions += other.table_positions;
        self.table_probes += other.table_probes;
    }
}
