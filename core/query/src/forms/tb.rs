//! `white tb win`: endgame tables say that the position is won, drawn or lost.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::measure::numbers::NumberOrigin;
use plyfold_scan::scan::predicate::{PieceName, TableQuestion};
use plyfold_scan::scan::tables::TableOutcome;

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::{QueryPlanner, table_predicate};
use crate::side::SideSelector;

/// The word before an outcome.
pub(crate) const TB: &str = "tb";
/// Words that players use for the tables.
const OTHER_NAMES: &[&str] = &["tablebase", "tablebases", "egtb", "syzygy", "dtm"];
const OUTCOMES: &[&str] = &["`win`", "`draw`", "`loss`"];

/// What endgame tables say of a position. Where no table knows it, neither this nor its contrary holds.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct TableCondition {
    /// For whom.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "SideSelector::is_either"))]
    pub side: SideSelector,
    /// The result of best play, whatever the fifty-move rule says.
    #[cfg_attr(
        feature = "json",
        serde(with = "crate::json::by_name"),
        schemars(with = "crate::json::Name<TableOutcome>")
    )]
    pub outcome: TableOutcome,
}

impl Form for TableCondition {
    const STARTS: &'static [&'static str] = &["`tb`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[
        (TB, "endgame tables say that the side wins, draws or loses"),
        ("tb_dtm", ""),
        ("win", "the side wins by best play"),
        ("loss", "the side loses by best play"),
    ];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        // A number without a side before it belongs to a comparison.
        if let Some((number, _)) = parser.peek_sided_number()
            && let NumberOrigin::Tables(_) = number.of[0].derived_from
        {
            let message = format!("the side of this number stands in brackets: write `{}({})`", number.name, side.side);
            return Err(parser.error_at(side.at, &message, &["a number"]));
        }
        if let Some(error) = other_name_error(parser) {
            return Err(error);
        }
        if !parser.take_word(TB) {
            return Ok(None);
        }
        let Some(outcome) = parser.take_named(TableOutcome::NAMED) else { return Err(outcome_error(parser)) };
        Ok(Some(TableCondition { side: side.side.clone(), outcome }.into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.predicate_for_side(&self.side, &|colour| table_predicate(TableQuestion::Outcome(colour, self.outcome)))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.side.fmt_before(f)?;
        write!(f, "{TB} {}", self.outcome)
    }

    fn asks_tables(&self) -> bool {
        true
    }

    fn sides(&self) -> Vec<&SideSelector> {
        vec![&self.side]
    }
}

/// The error of another word for the tables, if one stands here. A piece may have such a name.
fn other_name_error(parser: &QueryParser) -> Option<QueryError> {
    let is_piece = |word: &str| parser.names.iter().any(|(name, _)| PieceName::new(word) == Some(*name));
    let word = parser.word().filter(|word| OTHER_NAMES.contains(word))?;
    if parser.takes_any_name || is_piece(word) {
        return None;
    }
    let message = match word {
        "dtm" => String::from("write `tb_dtm`, as in `tb_dtm <= 10` or `tb_dtm(white) <= 10`"),
        _ => format!("`{word}` is written as `tb`, as in `white tb win`"),
    };
    Some(parser.error(&message, &["`tb`"]))
}

/// The error of what stands after `tb` instead of an outcome.
fn outcome_error(parser: &QueryParser) -> QueryError {
    let message = match parser.word() {
        Some("won" | "wins" | "winning") => "write `tb win`, as in `white tb win`",
        Some("drawn" | "draws" | "drawing") => "write `tb draw`",
        Some("lost" | "loses" | "losing" | "lose") => "write `tb loss`, as in `black tb loss`",
        Some("mate" | "mates" | "mate_in") => "write how many moves the mate takes as in `tb_dtm <= 5`",
        Some("dtz" | "dtc") => "tables are asked for moves to mate: write `tb_dtm <= 10`",
        Some("cursed_win" | "blessed_loss" | "cursed" | "blessed") => {
            "the fifty-move rule makes no difference here: write `tb win` or `tb loss`"
        }
        _ => return parser.expected("`win`, `draw` or `loss`", OUTCOMES),
    };
    parser.error(message, OUTCOMES)
}
