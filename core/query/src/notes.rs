//! Notes on a query that is valid and may not mean what its author thinks.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::forms::Leaf;
use super::forms::squares::Squares;
use super::language::changed_words;
use super::names;
use super::region::Region;
use super::side::SideSelector;
use super::squares::{SquareExpression, SquareTarget};
use super::token::{Token, TokenKind, tokenize};
use super::tree::QueryTree;

/// The notes on a query, each a sentence without its full stop. `text` is the query as written.
pub fn notes(tree: &QueryTree, text: &str) -> Vec<String> {
    let mut notes = Vec::new();
    let tokens = tokenize(text).unwrap_or_default();
    note_plies(&tokens, &mut notes);
    note_meanings(&tokens, &mut notes);
    tree.for_each_part(&mut |part| note_part(part, &mut notes));
    notes
}

/// Adds a note once.
fn add(notes: &mut Vec<String>, note: String) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}

/// Notes numbers that are plies because no unit is named, as in `before 20`.
fn note_plies(tokens: &[Token], notes: &mut Vec<String>) {
    for pair in tokens.windows(2) {
        if let [Token { kind: TokenKind::Word(word), .. }, Token { kind: TokenKind::Number(number), .. }] = pair
            && matches!(&**word, "before" | "after" | "from" | "until")
        {
            // `captures from 7` names a rank.
            if word == "from" && *number <= 8 {
                continue;
            }
            let moves = number / 2 + number % 2;
            add(
                notes,
                format!(
                    "`{word} {number}` counts plies, and ply {number} belongs to move {moves}: write `{word} move {moves}` for moves"
                ),
            );
        }
    }
}

/// Notes words that meant something else in an earlier version of the language, and comparisons of `eval` and `clock` with whole
/// numbers, whose unit may be another one than was meant.
fn note_meanings(tokens: &[Token], notes: &mut Vec<String>) {
    changed_words(tokens).iter().filter_map(|(word, _)| word.note).for_each(|note| add(notes, note.into()));
    for (at, token) in tokens.iter().enumerate() {
        let TokenKind::Word(word) = &token.kind else { continue };
        let sign =
            |at: usize| if let Some(TokenKind::Sign(sign)) = tokens.get(at).map(|one| &one.kind) { sign } else { "" };
        let Some(symbol) = Some(sign(at + 1)).filter(|sign| ["<", "<=", ">", ">=", "="].contains(sign)) else {
            continue;
        };
        let minus = if sign(at + 2) == "-" { "-" } else { "" };
        let at = at + 2 + minus.len();
        let Some(TokenKind::Number(number)) = tokens.get(at).map(|token| &token.kind) else { continue };
        let has_unit = [".", ":"].contains(&sign(at + 1))
            || tokens.get(at..at + 2).is_some_and(|pair| pair[0].to == pair[1].from && sign(at + 1).is_empty());
        match &**word {
            _ if has_unit => {}
            "eval" | "evaluation" | "eval_change" if *number != 0 => {
                let centipawns = if word == "eval_change" { "eval_change_cp" } else { "eval_cp" };
                add(
                    notes,
                    format!(
                        "`{word} {symbol} {minus}{number}` counts pawns: write `{centipawns} {symbol} {minus}{number}` for centipawns"
                    ),
                )
            }
            "clock" => add(
                notes,
                format!(
                    "`clock {symbol} {number}` counts the plies since the last capture or pawn move, as `halfmove_clock` does: write `clock {symbol} {number}s` for seconds on the clock"
                ),
            ),
            _ => {}
        }
    }
}

fn note_part(part: &QueryTree, notes: &mut Vec<String>) {
    match part {
        QueryTree::And(parts) | QueryTree::Or(parts) => parts.windows(2).for_each(|pair| note_endgame(pair, notes)),
        QueryTree::Leaf(Leaf::Squares(Squares { squares, .. })) => {
            let SquareExpression::Attacking { defends: true, target, .. } = squares else { return };
            let SquareTarget::Region(region) = &**target else { return };
            let squares = region.describe();
            add(
                notes,
                format!(
                    "`defends {squares}` holds whether or not a piece of the side stands there: write `defends piece on {squares}` for its pieces"
                ),
            );
        }
        _ => {}
    }
}

/// Notes `endgame rook and pawn`, which says nothing of rook and pawn against rook.
fn note_endgame(pair: &[QueryTree], notes: &mut Vec<String>) {
    if let [QueryTree::Leaf(Leaf::Endgame(endgame)), QueryTree::Leaf(Leaf::Squares(piece))] = pair
        && let Squares { side: SideSelector::Either, squares: SquareExpression::Feature { feature, region }, .. } =
            piece
        && *region == Region::ANYWHERE
        && feature.role().is_some()
    {
        let (endgame, piece) = (endgame.name(), feature.name);
        add(
            notes,
            format!(
                "`endgame {endgame} and {piece}` is two conditions, and `endgame {endgame}` allows any number of pawns: write `material KRPvKR` for exact pieces"
            ),
        );
    }
}

/// Conditions that name squares and may hold at different positions, because no braces join them.
#[derive(Clone, PartialEq, Debug)]
pub struct UnbracedConditions {
    /// The conditions as one position: a game that matches the query may still not match this.
    pub together: QueryTree,
}

impl UnbracedConditions {
    /// The conditions of a query that stand beside each other without braces and windows and name squares, if there are
    /// several.
    pub fn of_query(tree: &QueryTree) -> Option<UnbracedConditions> {
        let QueryTree::And(parts) = tree else { return None };
        // A name joins conditions already, and some of them may not stand without the others.
        if names::introductions(tree).is_ok_and(|names| !names.is_empty()) {
            return None;
        }
        let named: Vec<QueryTree> = parts.iter().filter(|part| names_squares(part)).cloned().collect();
        (named.len() > 1).then(|| UnbracedConditions { together: QueryTree::Together(Box::new(QueryTree::And(named))) })
    }

    /// The note, if far fewer games match at one position: of `apart` matching games, `together` match that way.
    pub fn note(&self, apart: u64, together: u64) -> Option<String> {
        let braces = self.together.to_string();
        let games = |number: u64| format!("{number} game{}", if number == 1 { "" } else { "s" });
        (together * 2 < apart).then(|| {
            format!(
                "without braces, each condition may hold at another position: {}, and {} with `{braces}`",
                games(apart),
                games(together)
            )
        })
    }
}

/// Whether a condition names squares.
fn names_squares(tree: &QueryTree) -> bool {
    match tree {
        QueryTree::Leaf(Leaf::Squares(Squares { squares, .. })) => squares.names_squares(),
        QueryTree::Leaf(leaf) => matches!(leaf, Leaf::Empty(_) | Leaf::Board(_)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[test]
    fn what_may_mislead_is_noted() {
        for (text, words) in [
            ("check before 20", "`before 20` counts plies, and ply 20 belongs to move 10: write `before move 10`"),
            ("endgame rook and pawn", "`endgame rook and pawn` is two conditions"),
            ("rook endgame and pawn", "`endgame rook and pawn` is two conditions"),
            ("white bishop pair for 8", "`two_bishops` is any"),
            ("iqp", "`isolated_d_pawn` anywhere"),
            ("eval >= 2", "`eval >= 2` counts pawns: write `eval_cp >= 2` for"),
            ("check and eval_change <= -200", "write `eval_change_cp <= -200` for centipawns"),
            ("not { white pawn defends e5 } or check", "write `defends piece on e5` for its pieces"),
        ] {
            let notes = notes(&parse(text).expect(text), text);
            assert!(notes.len() == 1 && notes[0].contains(words), "{text}: {notes:?}");
        }
        for text in [
            "check before move 20",
            "check until ply 20",
            "endgame rook and pawn on 7",
            "pawn defends piece on e5",
            "plays pawn from 2 to 4",
            "eval >= 2.5",
            "eval > 0",
            "eval_cp >= 150",
            "eco B90",
            "clock < 30s",
            "clock < 0:30",
            "halfmove_clock >= 40",
        ] {
            assert_eq!(notes(&parse(text).expect(text), text), [""; 0], "{text}");
        }
    }

    #[test]
    fn conditions_on_squares_are_compared_with_braces() {
        let unbraced = |text: &str| UnbracedConditions::of_query(&parse(text).expect(text));
        let found = unbraced("white knight on e5 and result 1-0 and empty d4 and check").expect("two");
        assert_eq!(found.together.to_string(), "{ white knight on e5 and empty d4 }");
        assert_eq!(found.note(10, 5), None);
        let note = found.note(11, 1).expect("far fewer");
        assert!(note.ends_with("11 games, and 1 game with `{ white knight on e5 and empty d4 }`"), "{note}");
        for text in
            ["white knight on e5", "{ knight on e5 and empty d4 }", "knight on e5 or empty d4", "knight and check"]
        {
            assert_eq!(unbraced(text), None, "{text}");
        }
    }
}
