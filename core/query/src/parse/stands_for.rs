//! Words that stand for a whole query: `upset`, and endings that no header tells, such as `ended resignation`.

use super::{QueryParser, parse};
use crate::error::QueryError;
use crate::keywords::named;
use crate::tree::QueryTree;

/// Each word, and its query.
const STANDS_FOR: &[(&str, &str)] = &[
    ("won_from_lost", WON_FROM_LOST),
    ("lost_from_won", WON_FROM_LOST),
    ("upset", "winner elo < loser elo"),
    ("time_scramble", "{ clock_time(white) < 30 and clock_time(black) < 30 }"),
];
/// Three pawns decide a game in most hands.
const WON_FROM_LOST: &str =
    "result 1-0 and (eval <= -3 or white tb loss) or result 0-1 and (eval >= 3 or black tb loss)";

/// Each ending, and its query. Headers say `normal` or nothing if players resigned or agreed.
const ENDINGS: &[(&str, &str)] = &[
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
    /// The query that a word stands for, if such a word stands here.
    pub(super) fn named_query(&mut self) -> Result<Option<QueryTree>, QueryError> {
        let begin = self.at;
        let is_ending = self.take_word("ended");
        let known = if is_ending { ENDINGS } else { STANDS_FOR };
        let Some((query, after)) = self.longest_name(|name| named(name, known)) else {
            self.at = begin;
            return Ok(None);
        };
        if self.braces > 0 {
            return Err(self.error_at(begin, "braces are one position: write this outside them", &[]));
        }
        self.at = after;
        if is_ending && self.is_sign(self.at, ",") {
            return Err(self.error("this ending stands alone: write `or ended …` for another one", &["`or`"]));
        }
        parse(query).map(Some)
    }
}
