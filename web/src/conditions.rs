//! The conditions of a query, and a query with one of them changed. Places count in UTF-16 units, as JavaScript does.

use js_sys::Array;
use plyfold_core::query::change::{ConditionChange, changed, with_condition};
use plyfold_core::query::outline::{OutlinedCondition, outline};
use plyfold_core::query::span::TextSpan;
use tsify::Tsify;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::editor::utf16_units;
use crate::plain::{FromJs, List, plain_object};

/// A condition of a query.
#[derive(Tsify)]
#[tsify(missing_as_null)]
pub struct Condition {
    /// Where it begins.
    pub from: u32,
    /// One past its end.
    pub to: u32,
    /// As the query writes it.
    pub text: String,
    /// What it asks, by the first word of the language for it: `player`, `elo`, `isolated_pawn`, `knight`, `endgame`.
    pub name: String,
    /// What it asks about that: a name, the first and the last of a range (empty without one), a square.
    pub values: List<String>,
    /// Whose it is, as the query writes it; empty without a word.
    pub side: String,
    /// The sides that it can be turned to; `player` is a name between quotes, `opponent` that word and one. None if no side may stand there.
    #[tsify(type = "('' | 'white' | 'black' | 'winner' | 'loser' | 'player' | 'opponent')[]")]
    pub sides: List<&'static str>,
    /// Whether it must not hold.
    pub negated: bool,
    /// For how many plies in a row it must hold: 0 without such words, null if none may stand there.
    pub plies: Option<u32>,
    /// Whether no words stand around it but its side, `not` and `for 8`.
    pub plain: bool,
    /// Whether it asks facts about games alone.
    pub about_games: bool,
    /// Of a list of conditions of which one is enough: those of each part. Their places count within the part.
    #[tsify(type = "Condition[][]")]
    pub alternatives: List<List<Condition>>,
    /// Of a list of conditions that must hold at the same position: each of them.
    #[tsify(type = "Condition[][]")]
    pub together: List<List<Condition>>,
    /// Whether it may hold at the same position as others.
    pub may_be_together: bool,
    /// The first position, pattern or structure in it, between its quotes; empty without one.
    pub pattern: String,
    /// What `pattern` is.
    #[tsify(type = "'' | 'fen' | 'board' | 'structure'")]
    pub pattern_kind: &'static str,
}
#[rustfmt::skip]
plain_object!(Condition {
    from, to, text, name, values, side, sides, negated, plies, plain, about_games, alternatives, together, may_be_together, pattern, pattern_kind,
});

impl Condition {
    fn of(query: &str, one: OutlinedCondition) -> Condition {
        let written = |TextSpan { from, to }: TextSpan| &query[from..to];
        let inside = |part| all(written(part)).unwrap_or_default();
        let (pattern_kind, pattern) = one.pattern.unwrap_or_default();
        Condition {
            from: utf16_units(query, one.span.from),
            to: utf16_units(query, one.span.to),
            text: written(one.span).into(),
            name: one.name,
            values: one.values.into_iter().collect(),
            side: one.side,
            sides: one.sides.into_iter().collect(),
            negated: one.is_negated,
            plies: one.plies,
            plain: one.is_plain,
            about_games: one.is_about_games,
            alternatives: one.alternatives.into_iter().map(inside).collect(),
            together: one.together.into_iter().map(inside).collect(),
            may_be_together: one.may_be_together,
            pattern,
            pattern_kind,
        }
    }
}

fn all(query: &str) -> Option<List<Condition>> {
    Some(outline(query)?.into_iter().map(|one| Condition::of(query, one)).collect())
}

/// Returns the conditions of a query that `and` joins, in their order; nothing if the text is no query.
#[wasm_bindgen(unchecked_return_type = "Condition[] | undefined")]
#[must_use]
pub fn conditions(query: &str) -> Option<Array> {
    all(query).map(|conditions| conditions.0)
}

/// A change of the conditions of a query, which count from 0.
#[derive(Tsify)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Change {
    /// Turns a condition to a side, as a query writes it; an empty text for none.
    Side {
        /// The condition.
        nth: u32,
        /// The side.
        text: String,
    },
    /// Lets a condition hold or not.
    Negated {
        /// The condition.
        nth: u32,
        /// Whether it must not hold.
        on: bool,
    },
    /// Lets a condition hold for so many plies in a row, 0 for any of them.
    Lasting {
        /// The condition.
        nth: u32,
        /// The number.
        plies: u32,
    },
    /// Removes a condition.
    Removed {
        /// The condition.
        nth: u32,
    },
    /// Puts a text in the place of a condition.
    Replaced {
        /// The condition.
        nth: u32,
        /// The text.
        text: String,
    },
    /// Lets one of two conditions be enough.
    Or {
        /// One of them.
        nth: u32,
        /// The other.
        other: u32,
    },
    /// Lets two conditions hold at the same position.
    Together {
        /// One of them.
        nth: u32,
        /// The other.
        other: u32,
    },
    /// Makes conditions of their own of a list.
    Split {
        /// The list.
        nth: u32,
    },
    /// Adds a condition at the end.
    Added {
        /// The condition.
        text: String,
    },
}

/// Returns the query with such a change; nothing if it cannot be changed so. All other text stays as it is.
#[wasm_bindgen(js_name = changedQuery)]
#[must_use]
pub fn changed_query(query: &str, #[wasm_bindgen(unchecked_param_type = "Change")] change: &JsValue) -> Option<String> {
    let text = || String::property(change, "text");
    let number = |name| u32::property(change, name);
    let change_of_one = match String::property(change, "kind").as_str() {
        "side" => ConditionChange::Side(text()),
        "negated" => ConditionChange::Negated(bool::property(change, "on")),
        "lasting" => ConditionChange::Lasting(number("plies")),
        "removed" => ConditionChange::Removed,
        "replaced" => ConditionChange::Replaced(text()),
        "or" => ConditionChange::Or(number("other") as usize),
        "together" => ConditionChange::Together(number("other") as usize),
        "split" => ConditionChange::Split,
        _ => return with_condition(query, &text()),
    };
    changed(query, number("nth") as usize, &change_of_one)
}
