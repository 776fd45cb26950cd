//! Reads comparisons of the ratings of both players: `winner elo > loser elo`, `white elo >= black elo + 200`, `white elo - black
//! elo = 0`.

use alloc::format;

use super::QueryParser;
use super::header::HIGHEST_ELO;
use crate::error::QueryError;
use crate::header::{EloLead, EloSelector, PlayerSelector};

const RATINGS: &[&str] = &["`white elo`", "`black elo`", "`winner elo`", "`loser elo`"];

impl QueryParser {
    /// Whether a comparison with another rating goes on here, behind the first rating.
    pub(crate) fn is_elo_comparison(&self) -> bool {
        let is_sum = self.is_sign(self.at, "+") || self.is_sign(self.at, "-");
        is_sum || self.comparison_at(self.at).is_some() && self.word_at(self.at + 1).is_some()
    }

    /// What follows a rating, whose first token is `begin`.
    pub(crate) fn elo_lead(&mut self, begin: usize, rating: EloSelector) -> Result<EloLead, QueryError> {
        let players = match rating {
            EloSelector::Of(player) => player.opponent().map(|opponent| (player, opponent)),
            EloSelector::Average | EloSelector::Difference => None,
        };
        let Some((player, opponent)) = players else {
            let message = format!("`{rating}` is compared with numbers alone");
            return Err(self.error_at(begin, &message, RATINGS));
        };
        let is_difference = self.is_sign(self.at, "-") && self.word_at(self.at + 1).is_some();
        let added = if is_difference {
            self.at += 1;
            self.other_elo(player, opponent)?;
            0
        } else {
            self.elo_margin()?
        };
        const COMPARISONS: &[&str] = &["`=`", "`!=`", "`<`", "`<=`", "`>`", "`>=`"];
        let Some(comparison) = self.comparison_sign() else {
            return Err(self.expected("a comparison", COMPARISONS));
        };
        if is_difference {
            let sign = if self.take_sign("-") { -1 } else { 1 };
            return Ok(EloLead { player, comparison, margin: sign * self.elo_points()? });
        }
        self.other_elo(player, opponent)?;
        // What is added on the left is subtracted on the right; a number stands on one side only.
        let margin = if added == 0 { self.elo_margin()? } else { -added };
        Ok(EloLead { player, comparison, margin })
    }

    /// The rating of the other player.
    fn other_elo(&mut self, player: PlayerSelector, opponent: PlayerSelector) -> Result<(), QueryError> {
        let [player, opponent] = [player, opponent].map(EloSelector::Of);
        match self.elo_selector() {
            Some((selector, after)) if selector == opponent => {
                self.at = after;
                Ok(())
            }
            _ => {
                let message = format!("`{player}` is compared with `{opponent}` or a number");
                Err(self.error(&message, RATINGS))
            }
        }
    }

    /// `+ 200`, `- 50`, or nothing.
    fn elo_margin(&mut self) -> Result<i32, QueryError> {
        if self.take_sign("+") {
            self.elo_points()
        } else if self.take_sign("-") {
            self.elo_points().map(|points| -points)
        } else {
            Ok(0)
        }
    }

    /// A number of points of a rating.
    fn elo_points(&mut self) -> Result<i32, QueryError> {
        self.number_at_most("elo", HIGHEST_ELO, "a number", &["a number"]).map(|points| points as i32)
    }
}
