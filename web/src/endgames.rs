//! The endgames of the matching games by material, each with the queries behind its numbers.

use plyfold_core::reduce::endgames::{EndgameSide, EndgameSummary};
use plyfold_core::scan::predicate::ThrownAway;
use tsify::Tsify;

use crate::plain::{List, plain_object};

/// All endgames.
#[derive(Tsify)]
pub struct Endgames {
    /// The number of materials, including those that are not listed.
    pub distinct: f64,
    /// The endgames, the most frequent first.
    pub endgames: List<Endgame>,
}
plain_object!(Endgames { distinct, endgames });

/// The endgames of one material. The first side is the one that the material names first.
#[derive(Tsify)]
pub struct Endgame {
    /// The material, the stronger side first: `KRPvKR`.
    pub material: String,
    /// The games with this material.
    pub games: f64,
    /// Those that the first side had won when the material arose.
    pub won: f64,
    /// Those that were drawn then.
    pub drawn: f64,
    /// Those that the first side had lost then.
    pub lost: f64,
    /// Those in which no table knew a position of the material.
    pub unknown: f64,
    /// What the first side threw away.
    pub first: ThrownAwayCounts,
    /// What the other side threw away.
    pub second: ThrownAwayCounts,
    /// The query of the games with this material.
    pub query: String,
}
plain_object!(Endgame { material, games, won, drawn, lost, unknown, first, second, query });

/// The moves of one side that threw something away, and the queries of their games.
#[derive(Tsify)]
pub struct ThrownAwayCounts {
    /// Moves that threw a win away.
    pub wins: f64,
    /// Moves that threw a draw away.
    pub draws: f64,
    /// The query of the games in which the side threw a win away.
    pub wins_query: String,
    /// The query of the games in which it threw a draw away.
    pub draws_query: String,
}
plain_object!(ThrownAwayCounts { wins, draws, wins_query, draws_query });

/// The most endgames that the page lists.
const MAX_ENDGAMES: usize = 500;

impl From<&[EndgameSummary]> for Endgames {
    fn from(endgames: &[EndgameSummary]) -> Endgames {
        let listed = endgames.iter().take(MAX_ENDGAMES).map(Endgame::from);
        Endgames { distinct: endgames.len() as f64, endgames: listed.collect() }
    }
}

impl From<&EndgameSummary> for Endgame {
    fn from(summary: &EndgameSummary) -> Endgame {
        let EndgameSummary { material, totals } = summary;
        let thrown = |side: EndgameSide| ThrownAwayCounts {
            wins: totals.wins_thrown_away[side as usize] as f64,
            draws: totals.draws_thrown_away[side as usize] as f64,
            wins_query: summary.thrown_away_condition(side, ThrownAway::Win),
            draws_query: summary.thrown_away_condition(side, ThrownAway::Draw),
        };
        Endgame {
            material: material.clone(),
            games: totals.games as f64,
            won: totals.won as f64,
            drawn: totals.drawn as f64,
            lost: totals.lost as f64,
            unknown: totals.unknown() as f64,
            first: thrown(EndgameSide::First),
            second: thrown(EndgameSide::Second),
            query: summary.condition(),
        }
    }
}
