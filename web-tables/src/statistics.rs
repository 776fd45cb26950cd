//! Statistics of a material for the page: shares, longest wins, and how many positions there are at each distance.

use egtgen::stats::{MateOutcome, SideStats, Stats};
use serde::Serialize;
use tsify::Tsify;

/// The statistics of a material. Positions are counted on the whole board.
#[derive(Debug, Serialize, Tsify)]
pub struct MaterialStatistics {
    /// The name of the material, the side of White first.
    pub material: String,
    /// With White to move, then with Black to move.
    pub sides: Vec<SideStatistics>,
}

/// The statistics with one side to move, from its point of view.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct SideStatistics {
    /// Won, drawn and lost positions.
    pub counts: [u64; 3],
    /// Moves of the longest win and of the longest loss.
    pub longest: [Option<u32>; 2],
    /// Some positions of the longest win, as FEN.
    pub longest_wins: Vec<String>,
    /// Some positions of the longest loss, as FEN.
    pub longest_losses: Vec<String>,
    /// How many positions are won at each distance, by moves of the winner; none is won at 0.
    pub wins: Vec<u64>,
    /// How many positions are lost at each distance, by moves of the winner; 0 is mate.
    pub losses: Vec<u64>,
}

impl From<Stats> for MaterialStatistics {
    fn from(stats: Stats) -> MaterialStatistics {
        MaterialStatistics {
            material: stats.material,
            sides: stats.sides.into_iter().map(SideStatistics::from).collect(),
        }
    }
}

impl From<SideStats> for SideStatistics {
    fn from(side: SideStats) -> SideStatistics {
        let by_moves = |result: MateOutcome| {
            let mut counts = Vec::new();
            for bin in side.histogram.iter().filter(|bin| bin.result == result) {
                let moves = bin.plies.div_ceil(2) as usize;
                counts.resize(moves, 0);
                counts.push(bin.count);
            }
            counts
        };
        SideStatistics {
            counts: [side.won, side.drawn, side.lost],
            longest: [side.max_win_plies, side.max_loss_plies].map(|plies| plies.map(|plies| plies.div_ceil(2))),
            wins: by_moves(MateOutcome::Win),
            losses: by_moves(MateOutcome::Loss),
            longest_wins: side.longest_wins,
            longest_losses: side.longest_losses,
        }
    }
}
