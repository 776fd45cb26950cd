//! Represents what a query says as a tree. Printing a tree gives text that means the same. Names keep their places in the text that
//! was read.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::forms::Leaf;
use super::header::HeaderCondition;
use super::window::WindowClause;

/// A query for games and positions of chess, or a part of one.
///
/// Games match by all that is said; positions by what holds at each of them, whatever the words about plies.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(remote = "Self", rename_all = "snake_case", deny_unknown_fields),
    schemars(rename = "Query", transform = crate::json::add_conditions)
)]
pub enum QueryTree {
    /// The empty query, which always holds.
    Everything,
    /// All parts hold: each at some position, or all at the same one inside braces.
    And(Vec<QueryTree>),
    /// At least one part holds.
    Or(Vec<QueryTree>),
    /// At least so many parts hold: each at some position, or all at the same one inside braces.
    SomeOf {
        /// How many: more than one, and not all of them.
        number: usize,
        /// The parts.
        parts: Vec<QueryTree>,
    },
    /// The part does not hold (at any position, outside braces).
    Not(Box<QueryTree>),
    /// Braces: one position.
    Together(Box<QueryTree>),
    /// A condition on one position.
    #[cfg_attr(feature = "json", serde(skip))]
    Leaf(Leaf),
    /// A fact about the game.
    #[cfg_attr(feature = "json", serde(skip))]
    Header(HeaderCondition),
    /// A condition, and when and how often it holds.
    Condition {
        /// What holds: a leaf or braces.
        #[cfg_attr(feature = "json", serde(rename = "what"))]
        inner: Box<QueryTree>,
        /// When; not [`WindowClause::EVER`], which needs no words.
        window: WindowClause,
    },
    /// `A then B`: the second part counts only after the first.
    Then {
        /// The first part.
        first: Box<QueryTree>,
        /// For how many plies after the first part the second counts.
        #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
        within: Option<u32>,
        /// The second part.
        second: Box<QueryTree>,
    },
}

impl QueryTree {
    /// Returns whether a window or `then` stands in the query, so that a position alone cannot say whether its game matches.
    pub fn has_windows(&self) -> bool {
        match self {
            QueryTree::Everything | QueryTree::Header(_) | QueryTree::Together(_) => false,
            QueryTree::Leaf(leaf) => leaf.is_of_several_plies(),
            QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => {
                parts.iter().any(QueryTree::has_windows)
            }
            QueryTree::Not(inner) => inner.has_windows(),
            QueryTree::Condition { inner, window } => *window != WindowClause::EVER || inner.has_windows(),
            QueryTree::Then { .. } => true,
        }
    }

    /// Returns whether a condition says of nothing but named pieces where they stand, so that it counts at the start position, too.
    pub(crate) fn is_place_of_named_pieces(&self) -> bool {
        match self {
            QueryTree::Leaf(Leaf::Squares(leaf)) => leaf.squares.is_named_place(),
            QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => {
                parts.iter().all(QueryTree::is_place_of_named_pieces)
            }
            QueryTree::Not(inner) | QueryTree::Together(inner) => inner.is_place_of_named_pieces(),
            _ => false,
        }
    }

    /// Returns whether endgame tables decide a part of the query.
    pub fn asks_tables(&self) -> bool {
        self.any_part(&|part| matches!(part, QueryTree::Leaf(leaf) if leaf.asks_tables()))
    }

    /// Returns whether the query has an opening by its name.
    pub fn names_opening(&self) -> bool {
        self.any_part(&|part| matches!(part, QueryTree::Header(HeaderCondition::Opening(_))))
    }

    /// Returns whether the query asks facts about games alone, so that all positions of a game match or none.
    pub fn is_about_games(&self) -> bool {
        *self != QueryTree::Everything && !self.any_part(&|part| matches!(part, QueryTree::Leaf(_)))
    }

    fn any_part(&self, is_such: &dyn Fn(&QueryTree) -> bool) -> bool {
        let mut any = false;
        self.for_each_part(&mut |part| any |= is_such(part));
        any
    }

    /// The tree with the queries for which conditions about several plies stand.
    pub fn expanded(&self) -> QueryTree {
        let each = |parts: &[QueryTree]| parts.iter().map(QueryTree::expanded).collect();
        let expansion = match self {
            QueryTree::Leaf(leaf) => leaf.expansion(&WindowClause::EVER),
            QueryTree::Condition { inner, window } => match &**inner {
                QueryTree::Leaf(leaf) => leaf.expansion(window),
                _ => None,
            },
            QueryTree::And(parts) => Some(QueryTree::And(each(parts))),
            QueryTree::Or(parts) => Some(QueryTree::Or(each(parts))),
            QueryTree::SomeOf { number, parts } => Some(QueryTree::SomeOf { number: *number, parts: each(parts) }),
            QueryTree::Not(inner) => Some(QueryTree::Not(inner.expanded().into())),
            QueryTree::Then { first, within, second } => Some(QueryTree::Then {
                first: first.expanded().into(),
                within: *within,
                second: second.expanded().into(),
            }),
            _ => None,
        };
        expansion.unwrap_or_else(|| self.clone())
    }

    /// Calls `visit` with this part and all parts of it, in the order of the text.
    pub fn for_each_part<'t>(&'t self, visit: &mut dyn FnMut(&'t QueryTree)) {
        visit(self);
        match self {
            QueryTree::Everything | QueryTree::Leaf(_) | QueryTree::Header(_) => {}
            QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => {
                parts.iter().for_each(|part| part.for_each_part(visit));
            }
            QueryTree::Not(inner) | QueryTree::Together(inner) | QueryTree::Condition { inner, .. } => {
                inner.for_each_part(visit);
            }
            QueryTree::Then { first, second, .. } => {
                first.for_each_part(visit);
                second.for_each_part(visit);
            }
        }
    }
}
