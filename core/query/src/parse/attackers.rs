//! Reads the number of attackers: `attackers(e4, white)`, `attackers(white king)`, `attackers(pinned knight, mover)`. It is written
//! as the counts of the pieces that attack or defend the squares.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use plyfold_scan::scan::measure::pieces::ANY_PIECE;

use super::QueryParser;
use crate::error::QueryError;
use crate::region::Region;
use crate::side::SideSelector;
use crate::squares::{SquareExpression, SquareTarget};
use crate::sum::CountExpression;
use crate::sum::SumExpression;

/// Sides whose attackers can be asked for.
const SIDES: &[&str] = &["`white`", "`black`", "`both`"];

impl QueryParser {
    /// Whether `attackers(` stands here.
    pub(crate) fn is_attackers(&self) -> bool {
        self.word() == Some("attackers") && self.is_sign(self.at + 1, "(")
    }

    /// `attackers(e4, white)`: the pieces that attack a square of a region or of a set.
    pub(crate) fn attackers(&mut self) -> Result<SumExpression, QueryError> {
        self.at += 2;
        let begin = self.at;
        let owner = if self.is_side() { Some(self.side()) } else { None };
        let target_at = self.at;
        let target = Box::new(self.square_target()?);
        if owner.is_some() && matches!(*target, SquareTarget::Region(_)) {
            let message = "these squares belong to no side: write the side of the attackers behind a comma, `attackers(e4, white)`";
            return Err(self.error_at(begin, message, &["a predicate", "a region"]));
        }
        if let SquareTarget::Squares(squares) = &*target {
            self.check_location(target_at, squares, &["a predicate with squares", "a region"])?;
        }
        let side_at = self.at + 1;
        let side = match self.take_sign(",") {
            true if !self.is_side() => return Err(self.expected("a side", SIDES)),
            true => Some(self.side()),
            false => None,
        };
        if [&owner, &side].contains(&&Some(SideSelector::Neither)) {
            return Err(self.error_at(side_at, "`neither` cannot be counted", SIDES));
        }
        let terms = match (&*target, &owner) {
            (SquareTarget::Region(_), _) => Ok(Vec::from([(side.unwrap_or(SideSelector::Either), false)])),
            (SquareTarget::Squares(_), owner) => attacking_sides(owner.as_ref(), side),
        };
        let terms = terms.map_err(|message| self.error_at(begin, &message, SIDES))?;
        self.require_sign(")", "`)`", &["`)`", "`,`"])?;
        let count = |(side, defends): (SideSelector, bool)| {
            let pieces = Box::new(SquareExpression::Feature { feature: &ANY_PIECE, region: Region::ANYWHERE });
            let squares = SquareExpression::Attacking { pieces, defends, target: target.clone() };
            let side = if side == SideSelector::Both { SideSelector::Either } else { side };
            (1, CountExpression::Squares { side, squares })
        };
        Ok(SumExpression { terms: terms.into_iter().map(count).collect(), constant: 0 })
    }
}

/// The sides whose pieces attack squares of `owner`, each with whether these squares are its own, which it defends.
fn attacking_sides(
    owner: Option<&SideSelector>,
    side: Option<SideSelector>,
) -> Result<Vec<(SideSelector, bool)>, alloc::string::String> {
    use SideSelector::{Both, Either};
    let Some(owner) = owner.filter(|owner| !matches!(owner, Either | Both)) else {
        return Ok(Vec::from([(side.unwrap_or(Either), false)]));
    };
    let enemy = owner.opposite();
    match (side, enemy) {
        (Some(side), _) if side == *owner => Ok(Vec::from([(side, true)])),
        (None, Some(enemy)) => Ok(Vec::from([(enemy, false)])),
        (Some(Either | Both), Some(enemy)) => Ok(Vec::from([(enemy, false), (owner.clone(), true)])),
        (Some(side), Some(enemy)) if side == enemy => Ok(Vec::from([(side, false)])),
        (Some(side), _) => {
            Err(format!("`{owner}` and `{side}` are not two sides of every game: leave out one of them"))
        }
        (None, None) => Err(format!(
            "the other side than `{owner}` has no word: name the attackers' side, `attackers(king, white)`"
        )),
    }
}
