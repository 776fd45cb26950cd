//! Says what to write instead of words that players use and the language does not have.
//!
//! The nearest name by spelling would turn some of them round: `white mates` does not mean `white mated`.

use alloc::format;
use alloc::string::String;

use super::QueryParser;
use crate::error::QueryError;
use crate::keywords::is_keyword;
use crate::region;
use crate::token::TokenKind;
use crate::written::WrittenMove;

/// Words, and what to write instead.
const ADVICE: &[(&[&str], &str)] = &[
    (
        &["mate", "mates", "mating", "checkmates", "checkmating"],
        "write `white gives mate` if White mates; `checkmate` belongs to the side that is mated",
    ),
    (
        &["checks", "checking", "checker", "gives", "give"],
        "write `white gives check`; `check` belongs to the side whose king is in check",
    ),
    (&["stalemating"], "write `white stalemates`; `stalemate` belongs to the side without a move"),
    (
        &["pin", "pins", "pinning", "pinner"],
        "`pinned` belongs to the side of the pinned piece: write `black pinned` if White pins, or `white plays a pin` for the move",
    ),
    (
        &["forked"],
        "`fork` is the piece that attacks two others: write `white fork` if White forks, or `white plays a fork` for the move",
    ),
    (
        &["attack", "attacker", "attackers", "attacking"],
        "write `attacks` and what is attacked, as in `knight attacks queen`",
    ),
    (
        &["defend", "defender", "defenders", "defending"],
        "write `defends` and what is defended, as in `pawn defends knight`",
    ),
    (&["attacks"], "say what attacks, as in `white piece attacks e5`"),
    (&["defends"], "say what defends, as in `white piece defends e5`"),
    (
        &["control", "controls", "controlling"],
        "write `white controlled_square on e5` if White attacks e5, with a piece there or without",
    ),
    (
        &["square", "squares"],
        "write `controlled_square` for the squares that a side attacks, and `empty_square` for those without a piece",
    ),
    (
        &["win", "wins", "won", "winning"],
        "write `result 1-0` if White wins and `result 0-1` if Black does, or `winner` before a predicate",
    ),
    (
        &["lose", "loses", "lost", "losing"],
        "write `result 0-1` if White loses and `result 1-0` if Black does, or `loser` before a predicate",
    ),
    (&["without"], "write `no`, as in `no queen`"),
    (&["has", "have", "is", "are", "a", "an", "the"], "leave out this word, as in `white bishop_pair`"),
    (&["with", "but", "while"], "write `and`"),
    (
        &["vs", "versus"],
        "write the pieces as in `imbalance Q v R` or `material KQvKR`, and players as in `\"Tal*\" and \"Botvinnik*\"`",
    ),
    (&["two", "three", "four", "five", "several"], "write how many as in `count(rook) >= 2`"),
    (
        &["best", "brilliant", "brilliancy", "brilliancies", "beautiful"],
        "write `nag \"!!\"` for moves that an annotator marks so, or name what happens, as in `queen_sacrifice`",
    ),
    (
        &["how", "which", "what", "who", "most", "popular", "average", "avg"],
        "a query has conditions alone; numbers of games by result, opening, year or another key are an output beside it: counts by `opening`, for instance",
    ),
    (&["within"], "`within` stands after `then`, as in `check then within 10 checkmate`"),
];

/// What to write instead of a word, if there is advice.
pub(crate) fn advice_for(word: &str) -> Option<&'static str> {
    ADVICE.iter().find(|(words, _)| words.contains(&word)).map(|&(_, advice)| advice)
}

/// What to write for the move of a pawn to a square; nothing for other regions.
fn pawn_move(word: &str) -> String {
    let is_move = WrittenMove::read(word).is_some_and(|written| written.contradiction().is_none());
    if is_move { format!(", or `white {word}` for the move of a pawn") } else { String::new() }
}

impl QueryParser {
    /// The error of a word for which there is advice, where a condition should begin or go on.
    pub(crate) fn advised_error(&self, expected: &[&'static str]) -> Option<QueryError> {
        let word = self.word()?;
        let message = match advice_for(word) {
            // Alone these are files and articles.
            _ if region::named_squares(word).is_some() => {
                format!(
                    "`{word}` is a region, not a condition: write it after `on`, as in `knight on {word}`{}",
                    pawn_move(word)
                )
            }
            // Words of the language stand elsewhere in a query.
            Some(advice) if is_keyword(word) => String::from(advice),
            Some(advice) => format!("`{word}` is no word of a query: {advice}"),
            None => return None,
        };
        Some(self.error(&message, expected))
    }

    /// The advice for a number before the name of a predicate: `2 rooks`.
    pub(crate) fn counted_noun_error(&mut self) -> Option<QueryError> {
        let Some(&TokenKind::Number(number)) = self.peek() else { return None };
        self.at += 1;
        let named = self.peek_feature();
        self.at -= 1;
        let (feature, _) = named?;
        let advice = String::from(if feature.has_location { feature.name } else { "piece" });
        Some(self.error(&format!("write how many as in `count({advice}) >= {number}`"), &["`count(`"]))
    }
}
