//! Reads numbers of endgame tables: `tb_dtm(white)` and `half_points_lost(white)`.

use plyfold_scan::scan::measure::numbers::{HALF_POINTS_LOST, MOVES_TO_MATE};

use super::QueryParser;
use crate::error::QueryError;
use crate::sum::{SideNumber, SumExpression};

impl QueryParser {
    /// The token after a name of one or more words, if it begins here.
    pub(crate) fn after_name(&self, name: &str) -> Option<usize> {
        self.longest_name(|found| (found == name).then_some(())).map(|((), after)| after)
    }

    pub(crate) fn is_number_of_tables(&self) -> bool {
        self.after_name(MOVES_TO_MATE).is_some() || self.after_name(HALF_POINTS_LOST).is_some()
    }

    /// `tb_dtm`, `tb_dtm(white)` or `half_points_lost(white)`, if one of them stands here.
    pub(crate) fn number_of_tables(&mut self) -> Option<Result<SumExpression, QueryError>> {
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
