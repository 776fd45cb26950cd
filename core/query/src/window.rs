//! Describes when and how often a condition must hold: the words around it.

use alloc::string::String;
use core::fmt;
use core::fmt::Write;

use plyfold_scan::scan::ConditionEdge;
use plyfold_scan::scan::ply_filter::PlyFilter;

use super::header::NumberRange;
use super::keywords::name_of;

/// The most plies that `for` accepts, and the highest number of a ply or of plies anywhere: no game has more.
pub(crate) const MAX_PLIES: u32 = 65535;

/// The words around a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default = "WindowClause::ever")
)]
pub struct WindowClause {
    /// `ever`, `never`, `always`.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "WindowQuantifier::is_ever"))]
    pub quantifier: WindowQuantifier,
    /// `became`, `ceased`.
    #[cfg_attr(
        feature = "json",
        serde(with = "crate::json::by_optional_name", skip_serializing_if = "Option::is_none"),
        schemars(with = "Option<crate::json::Name<ConditionEdge>>")
    )]
    pub edge: Option<ConditionEdge>,
    /// `for 8`, `at least 3 times`.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "OccurrenceRule::is_once"))]
    pub occurrence: OccurrenceRule,
    /// `before move 20`, `at end`.
    #[cfg_attr(
        feature = "json",
        serde(with = "crate::json::plies", skip_serializing_if = "WindowClause::is_every_ply"),
        schemars(with = "crate::json::plies::CountedPlies")
    )]
    pub when: PlyFilter,
    /// `in endgame`.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub phase: Option<GamePhase>,
}

impl WindowClause {
    /// The window of a condition without such words: ever.
    pub const EVER: WindowClause = WindowClause {
        quantifier: WindowQuantifier::Ever,
        edge: None,
        occurrence: OccurrenceRule::Once,
        when: PlyFilter::EVERY_PLY,
        phase: None,
    };
}

#[cfg(feature = "json")]
impl WindowClause {
    fn ever() -> WindowClause {
        WindowClause::EVER
    }

    fn is_every_ply(when: &PlyFilter) -> bool {
        *when == PlyFilter::EVERY_PLY
    }
}

/// Whether the condition must be fulfilled, must not be, or must hold at every ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WindowQuantifier {
    /// The condition is fulfilled; this is the default.
    Ever,
    /// The condition is not fulfilled.
    Never,
    /// The condition holds at each ply that counts.
    Always,
}

impl WindowQuantifier {
    /// The words before a condition.
    pub(crate) const NAMED: &[(&str, WindowQuantifier)] =
        &[("ever", WindowQuantifier::Ever), ("never", WindowQuantifier::Never), ("always", WindowQuantifier::Always)];

    /// Whether this is the default, which needs no word.
    pub(crate) fn is_ever(&self) -> bool {
        *self == WindowQuantifier::Ever
    }
}

/// Changes, by the words before a condition.
pub(crate) const EDGES: &[(&str, ConditionEdge)] =
    &[("became", ConditionEdge::Became), ("ceased", ConditionEdge::Ceased)];

/// How often a condition must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "snake_case")
)]
pub enum OccurrenceRule {
    /// Once; this is the default.
    Once,
    /// At this many plies in a row, at least 1.
    #[cfg_attr(feature = "json", serde(rename = "for"))]
    Consecutive(u32),
    /// At a number of plies within bounds.
    Times(NumberRange),
}

#[cfg(feature = "json")]
impl OccurrenceRule {
    /// Whether this is the default, which needs no words.
    pub(crate) fn is_once(&self) -> bool {
        *self == OccurrenceRule::Once
    }
}

/// A part of a game, by what is on the board: see [`plan`](super::plan).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GamePhase {
    /// More than ten queens, rooks, bishops and knights, and at least four pieces on the first rank of each side.
    Opening,
    /// Neither of the others.
    Middlegame,
    /// At most six queens, rooks, bishops and knights, both sides together.
    Endgame,
}

impl GamePhase {
    /// Names as written after `in`.
    pub const NAMED: &[(&str, GamePhase)] =
        &[("opening", GamePhase::Opening), ("middlegame", GamePhase::Middlegame), ("endgame", GamePhase::Endgame)];

    /// The name.
    pub fn name(self) -> &'static str {
        name_of(&self, Self::NAMED)
    }
}

impl WindowClause {
    /// The words before the condition, with a space after each.
    pub fn prefix(&self) -> String {
        let quantifier = Some(self.quantifier).filter(|quantifier| !quantifier.is_ever());
        let quantifier = quantifier.map(|quantifier| name_of(&quantifier, WindowQuantifier::NAMED));
        let edge = self.edge.map(|edge| name_of(&edge, EDGES));
        quantifier.into_iter().chain(edge).flat_map(|word| [word, " "]).collect()
    }

    /// The words after it, with a space before each.
    pub fn suffix(&self) -> String {
        let mut text = String::new();
        // Writing to a string never fails.
        let _ = match self.occurrence {
            OccurrenceRule::Once => Ok(()),
            OccurrenceRule::Consecutive(plies) => write!(text, " for {plies}"),
            OccurrenceRule::Times(NumberRange { min: least, max: most }) if least == most => {
                write!(text, " exactly {least} times")
            }
            OccurrenceRule::Times(NumberRange { min: least, max: u32::MAX }) => write!(text, " at least {least} times"),
            OccurrenceRule::Times(NumberRange { min: 0, max: most }) => write!(text, " at most {most} times"),
            OccurrenceRule::Times(NumberRange { min: least, max: most }) => {
                write!(text, " at least {least} times at most {most} times")
            }
        };
        let _ = write_bounds(&mut text, "ply", self.when.ply_bounds, PlyFilter::EVERY_PLY.ply_bounds);
        let _ = write_bounds(&mut text, "move", self.when.move_bounds, PlyFilter::EVERY_PLY.move_bounds);
        if self.when.at_end {
            text.push_str(" at end");
        }
        if let Some(phase) = self.phase {
            let _ = write!(text, " in {}", phase.name());
        }
        text
    }
}

/// The plies whose number, or that of their move, lies between two numbers, both included.
pub(super) fn ply_filter(of_move: bool, (first, last): (u32, u32)) -> PlyFilter {
    match of_move {
        true => PlyFilter { move_bounds: (first, last), ..PlyFilter::EVERY_PLY },
        false => PlyFilter { ply_bounds: (first, last), ..PlyFilter::EVERY_PLY },
    }
}

/// ` from move 10 until move 20`, as far as it is bounded.
fn write_bounds(text: &mut String, unit: &str, (first, last): (u32, u32), any: (u32, u32)) -> fmt::Result {
    match (first > any.0, last < any.1) {
        (false, false) => Ok(()),
        (true, false) => write!(text, " from {unit} {first}"),
        (false, true) => write!(text, " until {unit} {last}"),
        (true, true) if first == last => write!(text, " at {unit} {first}"),
        (true, true) => {
            let units = if unit == "ply" { "plies" } else { "moves" };
            write!(text, " between {units} {first}..{last}")
        }
    }
}
