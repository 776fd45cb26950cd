//! `traded queen before move 10`: such a piece of each side is captured, one at most four plies after the other.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;
use shakmaty::{Color, Role};

use super::played::Played;
use super::{Form, Leaf};
use crate::error::{QueryError, error_of_query};
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::played::{MoveAction, MovePattern, role_name};
use crate::side::SideSelector;
use crate::tree::QueryTree;
use crate::window::{WindowClause, WindowQuantifier};

/// Plies from one capture of a trade to the other, at most.
const MAX_PLIES_APART: u32 = 4;

/// A trade of pieces of one role.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema), serde(transparent))]
pub struct Traded(
    /// The role: "queen".
    #[cfg_attr(feature = "json", serde(with = "crate::json::by_name"), schemars(with = "crate::json::Name<Role>"))]
    pub Role,
);

impl Form for Traded {
    const STARTS: &'static [&'static str] = &["`traded`"];
    const WORDS: &'static [(&'static str, &'static str)] =
        &[("traded", "such a piece of each side is captured, at most four plies apart")];
    const SIDELESS: Option<&'static str> = Some("traded");

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if !parser.take_sideless("traded", side)? {
            return Ok(None);
        }
        let role = parser.peek_feature().and_then(|(feature, after)| Some((feature.role()?, after)));
        match role.filter(|(role, _)| *role != Role::King) {
            Some((role, after)) => {
                parser.at = after;
                Ok(Some(Traded(role).into()))
            }
            None => {
                const PIECES: &[&str] = &["`queen`", "`rook`", "`bishop`", "`knight`", "`pawn`"];
                Err(parser.expected("the piece that both sides lose", PIECES))
            }
        }
    }

    fn lower(&self, _: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        Err(error_of_query(&format!(
            "`traded {}` cannot stand inside braces, which are one position",
            role_name(self.0)
        )))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "traded {}", role_name(self.0))
    }

    /// The words around it are about the second capture.
    fn expansion(&self, window: &WindowClause) -> Option<QueryTree> {
        let captures = |colour: Color| {
            let pattern = MovePattern { object: Some(self.0), ..MovePattern::new(MoveAction::Captures) };
            Box::new(QueryTree::Leaf(Played { side: SideSelector::of_colour(colour), pattern }.into()))
        };
        let is_never = window.quantifier == WindowQuantifier::Never;
        let window = WindowClause { quantifier: WindowQuantifier::Ever, ..*window };
        let trade = |first: Color| {
            let second = captures(!first);
            let second = if window == WindowClause::EVER {
                second
            } else {
                Box::new(QueryTree::Condition { inner: second, window })
            };
            QueryTree::Then { first: captures(first), within: Some(MAX_PLIES_APART), second }
        };
        let trades = QueryTree::Or(vec![trade(Color::White), trade(Color::Black)]);
        Some(if is_never { QueryTree::Not(Box::new(trades)) } else { trades })
    }
}
