//! The words of the grammar, and lists of names with what they mean.

use plyfold_scan::scan::measure::numbers::SIDED_NUMBERS;

use super::forms::FORMS;

/// Words of no form, which are not names of predicates, sides or regions, each with its meaning in a few words; without one if the
/// word alone shows it, or only the grammar.
const KEYWORDS: &[(&str, &str)] = &[
    ("and", "both hold; in braces, at the same position"),
    ("or", "at least one holds"),
    ("not", "holds at no position; in braces, not at this one"),
    ("then", "and later in the game"),
    ("within", "at most this many plies later"),
    ("on", "on these squares, files or ranks"),
    ("own", ""),
    ("own_half", ""),
    ("for", "for this many consecutive plies or moves"),
    ("as", ""),
    ("trail", "the squares that a named piece has left"),
    ("origin", "where the last move of a named piece began"),
    ("attacks", "the pieces attack a target"),
    ("defends", "the pieces defend a target"),
    ("xrays", "attacks through one piece"),
    ("through", "what stands first on the line"),
    ("behind", "on the same file, nearer to the side's first rank"),
    ("in_front_of", "on the same file, farther from the side's first rank"),
    ("beside", "on the square to the left or right"),
    ("next_to", "one step of a king away"),
    ("same", "on another square of the file, rank or diagonal"),
    ("enemy", "of the other side"),
    ("file", ""),
    ("rank", ""),
    ("diagonal", ""),
    ("times", ""),
    ("time", ""),
    ("ever", "at some position (the default)"),
    ("never", "at no position"),
    ("always", "at every position that counts"),
    ("became", "holds here but not one ply earlier"),
    ("ceased", "held one ply earlier but not here"),
    ("before", "before a ply or move"),
    ("after", "after a ply or move"),
    ("from", "from this ply or move on"),
    ("until", "up to this ply or move"),
    ("between", "from one ply or move to another"),
    ("at", ""),
    ("least", ""),
    ("most", ""),
    ("exactly", "this many times"),
    ("end", ""),
    ("in", ""),
    ("opening", "openings by name"),
    ("middlegame", ""),
    ("result", "the result of the game"),
    ("draw", ""),
    ("decisive", ""),
    ("player", "the name of either player"),
    ("opponent", "of the other side of this player's games"),
    ("elo", "the ratings of both players"),
    ("average", ""),
    ("difference", ""),
    ("eco", "openings by ECO code"),
    ("eco_tag", "openings by the ECO code that the PGN says"),
    ("year", "when the game was played"),
    ("date", "when the game was played"),
    ("event", ""),
    ("site", ""),
    ("source", ""),
    ("round", "the round of the tournament"),
    ("annotator", "who annotated the game"),
    ("time_control", "the time control as the PGN writes it"),
    ("title", "the titles of both players"),
    ("tag", "any tag of the game's text"),
    ("ended", "how the game ended"),
    ("won_from_lost", "the winner was losing, by evaluations or endgame tables"),
    ("lost_from_won", "the loser was winning, by evaluations or endgame tables"),
    ("upset", "the player with the lower rating won"),
    ("time_scramble", "both players have less than thirty seconds"),
    ("time_class", ""),
    ("incomplete", "games of which only the first moves are kept"),
    ("half", ""),
];

/// The words that are not names of predicates, sides or regions, each with its meaning in a few words; without one if the word alone
/// shows it, or only the grammar.
pub fn keywords() -> impl Iterator<Item = (&'static str, &'static str)> {
    let sided =
        SIDED_NUMBERS.iter().map(|number| (number.name, number.summary)).filter(|(_, summary)| !summary.is_empty());
    KEYWORDS.iter().chain(FORMS.iter().rev().flat_map(|form| form.words)).copied().chain(sided)
}

/// Whether a word is one of the grammar.
pub(crate) fn is_keyword(word: &str) -> bool {
    keywords().any(|(keyword, _)| keyword == word)
}

/// Returns what a word means in a list of names.
pub(crate) fn named<T: Clone>(word: &str, names: &[(&str, T)]) -> Option<T> {
    names.iter().find(|(name, _)| *name == word).map(|(_, meaning)| meaning.clone())
}

/// The first name of what a list of names has; nothing if it has none.
pub(crate) fn name_of<T: PartialEq>(meaning: &T, names: &[(&'static str, T)]) -> &'static str {
    names.iter().find(|(_, named)| named == meaning).map_or("", |(name, _)| name)
}
