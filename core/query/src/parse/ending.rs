//! `ended resignation`, `ended repetition`: endings that no header tells, each read as the query for which it stands.

use super::{QueryParser, parse};
use crate::error::QueryError;
use crate::keywords::named;
use crate::tree::QueryTree;

/// Each ending, and its query. Headers say `normal` or nothing if players resigned or agreed.
const DERIVED_ENDINGS: &[(&str, &str)] = &[
    ("resignation", "decisive and ended normal, unknown"),
    ("resigned", "decisive and ended normal, unknown"),
    (
        "agreement",
        "draw and ended normal, unknown and not (repetition >= 3 at end) and not (halfmove_clock >= 100 at end)",
    ),
    ("repetition", "draw and repetition >= 3 at end"),
    ("fifty_moves", "draw and halfmove_clock >= 100 at end"),
];

impl QueryParser {
    /// Such an ending, if one stands here.
    pub(super) fn derived_ending(&mut self) -> Result<Option<QueryTree>, QueryError> {
        let begin = self.at;
        if !self.take_word("ended") {
            return Ok(None);
        }
        let Some((query, after)) = self.longest_name(|name| named(name, DERIVED_ENDINGS)) else {
            self.at = begin;
            return Ok(None);
        };
        if self.braces > 0 {
            return Err(self.error_at(begin, "braces are one position: write how the game ended outside them", &[]));
        }
        self.at = after;
        if self.is_sign(self.at, ",") {
            return Err(self.error("this ending stands alone: write `or ended …` for another one", &["`or`"]));
        }
        parse(query).map(Some)
    }
}
