//! Reads what endgame tables say: `white tb win`, `white threw_away win`, and their numbers, `tb_dtm(white)` and
//! `half_points_lost(white)`.

use alloc::format;
use alloc::string::String;

use plyfold_scan::scan::measure::numbers::{HALF_POINTS_LOST, MOVES_TO_MATE};
use plyfold_scan::scan::predicate::{PieceName, ThrownAway};
use plyfold_scan::scan::tables::TableOutcome;

use super::QueryParser;
use crate::error::QueryError;
use crate::tree::{Leaf, SideNumber, SideSelector, SumExpression, THREW_AWAY};

/// The word before an outcome.
pub(super) const TB: &str = "tb";
/// Words that players use for the tables.
const OTHER_NAMES: &[&str] = &["tablebase", "tablebases", "egtb", "syzygy", "dtm"];
const OUTCOMES: &[&str] = &["`win`", "`draw`", "`loss`"];

impl QueryParser {
    /// Whether a condition on tables begins here, after its side.
    pub(super) fn is_table_condition(&self) -> bool {
        // A piece may have one of the other names.
        let is_piece = |word: &str| self.names.iter().any(|(name, _)| PieceName::new(word) == Some(*name));
        let is_other_name = |word: &str| OTHER_NAMES.contains(&word) && !self.takes_any_name && !is_piece(word);
        self.word().is_some_and(|word| word == TB || is_other_name(word))
            || self.after_name(THREW_AWAY).is_some()
            || self.is_number_of_tables()
    }

    /// The token after a name of one or more words, if it begins here.
    pub(super) fn after_name(&self, name: &str) -> Option<usize> {
        self.longest_name(|found| (found == name).then_some(())).map(|((), after)| after)
    }

    pub(super) fn is_number_of_tables(&self) -> bool {
        self.after_name(MOVES_TO_MATE).is_some() || self.after_name(HALF_POINTS_LOST).is_some()
    }

    /// A condition on tables. The side, which `side_at` begins, has been read.
    pub(super) fn table_condition(&mut self, side_at: usize, side: SideSelector) -> Result<Leaf, QueryError> {
        if self.is_number_of_tables() {
            let name = if self.after_name(MOVES_TO_MATE).is_some() { MOVES_TO_MATE } else { HALF_POINTS_LOST };
            let message = format!("the side of this number stands in brackets: write `{name}({side})`");
            return Err(self.error_at(side_at, &message, &["a number"]));
        }
        if let Some(after) = self.after_name(THREW_AWAY) {
            self.check_mover(side_at, &side)?;
            self.at = after;
            let thrown = self.take_named(ThrownAway::NAMED).unwrap_or(ThrownAway::Anything);
            return Ok(Leaf::ThrewAway { side, thrown });
        }
        if let Some(word) = self.word().filter(|word| *word != TB) {
            let message = match word {
                "dtm" => String::from("write `tb_dtm`, as in `tb_dtm <= 10` or `tb_dtm(white) <= 10`"),
                _ => format!("`{word}` is written as `tb`, as in `white tb win`"),
            };
            return Err(self.error(&message, &["`tb`"]));
        }
        self.at += 1;
        let Some(outcome) = self.take_named(TableOutcome::NAMED) else { return Err(self.outcome_error()) };
        Ok(Leaf::TableOutcome { side, outcome })
    }

    /// The error of what stands after `tb` instead of an outcome.
    fn outcome_error(&self) -> QueryError {
        let message = match self.word() {
            Some("won" | "wins" | "winning") => "write `tb win`, as in `white tb win`",
            Some("drawn" | "draws" | "drawing") => "write `tb draw`",
            Some("lost" | "loses" | "losing" | "lose") => "write `tb loss`, as in `black tb loss`",
            Some("mate" | "mates" | "mate_in") => "write how many moves the mate takes as in `tb_dtm <= 5`",
            Some("dtz" | "dtc") => "tables are asked for moves to mate: write `tb_dtm <= 10`",
            Some("cursed_win" | "blessed_loss" | "cursed" | "blessed") => {
                "the fifty-move rule makes no difference here: write `tb win` or `tb loss`"
            }
            _ => return self.expected("`win`, `draw` or `loss`", OUTCOMES),
        };
        self.error(message, OUTCOMES)
    }

    /// `tb_dtm`, `tb_dtm(white)` or `half_points_lost(white)`, if one of them stands here.
    pub(super) fn number_of_tables(&mut self) -> Option<Result<SumExpression, QueryError>> {
        let (after, number) = match self.after_name(MOVES_TO_MATE) {
            // Without a side, it is a number of the position.
            Some(after) => (Some(after).filter(|&after| self.is_sign(after, "("))?, SideNumber::MovesToMate),
            None => (self.after_name(HALF_POINTS_LOST)?, SideNumber::HalfPointsLost),
        };
        self.at = after;
        let side = self.one_side_after_bracket("`(` and a side");
        Some(side.and_then(|side| self.closed_number(side, number)))
    }
}
