//! Predicates and what conditions imply, in words.

use plyfold_core::board::NO_SQUARE;
use plyfold_core::matsig::goal::Asked;
use plyfold_core::query::diagram::Diagram;
use plyfold_core::query::region;
use plyfold_core::scan::combine::Formula;
use plyfold_core::scan::predicate::{Placement, Predicate, Size, Squares, Term};
use plyfold_core::scan::source::{Sorted, Source};

use crate::draw::squares;

/// Squares on which a pawn can stand.
pub(super) const PAWN_SQUARES: u64 = 0x00ff_ffff_ffff_ff00;
/// In a diagram: any man, or none.
const ANYTHING: u16 = 0x7e7f;
/// Names of men but kings, in the order of their codes, from 1.
pub(super) const MEN: [&str; 5] = ["pawn", "knight", "bishop", "rook", "queen"];
/// The sides as they are counted here: White's codes begin at 0, Black's at 8.
pub(super) const SIDES: [&str; 2] = ["White", "Black"];

/// What a predicate asks of a position: as in a query, where a query has words for it.
pub(super) fn predicate(predicate: &Predicate) -> String {
    match predicate {
        Predicate::Somewhere(asked) => somewhere(asked),
        Predicate::Empty(squares) => format!("empty {}", region::describe(*squares)),
        Predicate::Compare { terms, comparison, constant } => {
            let right = if *constant < 0 { format!("0 - {}", constant.unsigned_abs()) } else { constant.to_string() };
            format!("{} {} {right}", sum(terms), comparison.sign())
        }
        Predicate::Turn(colour) => format!("{} to move", colour.fold_wb("White", "Black")),
        Predicate::Numbers(bounds) => {
            both_sides(|side| listed("has", numbers(&bounds.least, &bounds.most, side))).unwrap_or_default()
        }
        Predicate::Pawns(pattern) => {
            let sides = [pattern.white, pattern.black];
            both_sides(|side| pawns(sides[side].mask & sides[side].value, sides[side].mask & !sides[side].value))
                .unwrap_or_default()
        }
        Predicate::Placement(placement) => format!("men as in \"{}\"", diagram(placement)),
        Predicate::Rights { castling, en_passant } => {
            let castling = castling.map(|rooks| match rooks {
                0 => "nobody may castle".to_owned(),
                rooks => format!("castling allowed with the rooks on {}, no others", squares(rooks).join(" ")),
            });
            let en_passant = en_passant.map(|square| match square {
                NO_SQUARE.. => "no pawn can be taken en passant".to_owned(),
                square => format!("a pawn can be taken en passant on {}", squares(1 << square).join("")),
            });
            [castling, en_passant].into_iter().flatten().collect::<Vec<_>>().join("; ")
        }
    }
}

fn somewhere(asked: &Squares) -> String {
    let side = if asked.feature.sided { asked.colour.fold_wb("white ", "black ") } else { "" };
    let place = match asked.region {
        u64::MAX => String::new(),
        squares => format!(" on {}", region::describe(squares)),
    };
    format!("{side}{}{place}", asked.feature.name)
}

fn sum(terms: &[Term]) -> String {
    let mut text = String::new();
    for (nth, Term { weight, size }) in terms.iter().enumerate() {
        text += match (nth, *weight < 0) {
            (0, false) => "",
            (0, true) => "0 - ",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        if weight.unsigned_abs() != 1 {
            text += &format!("{} * ", weight.unsigned_abs());
        }
        let counted = match size {
            Size::Squares(squares) => somewhere(squares),
            Size::Number(code) => {
                let side = if *code < 8 { "white" } else { "black" };
                format!("{side} {}", MEN.get(usize::from(code & 7).wrapping_sub(1)).unwrap_or(&"king"))
            }
        };
        text += &format!("count({counted})");
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

/// What stands on the squares that are looked at, as in `board`.
fn diagram(placement: &Placement) -> Diagram {
    let asked = |square: usize| placement.squares >> square & 1 != 0;
    Diagram { allowed: std::array::from_fn(|square| if asked(square) { placement.allowed[square] } else { ANYTHING }) }
}

/// `White …; Black …`, leaving out a side of which nothing is said; none if nothing is said of either.
fn both_sides(said: impl Fn(usize) -> Option<String>) -> Option<String> {
    let sides = SIDES.into_iter().enumerate().filter_map(|(side, name)| Some(format!("{name} {}", said(side)?)));
    Some(sides.collect::<Vec<_>>().join("; ")).filter(|text| !text.is_empty())
}

fn listed(verb: &str, things: Vec<String>) -> Option<String> {
    (!things.is_empty()).then(|| format!("{verb} {}", things.join(", ")))
}

/// How many men of each kind side 0 or 1 has, kinds of any number left out, and kings.
fn numbers(least: &[u8; 16], most: &[u8; 16], side: usize) -> Vec<String> {
    let of_kind = |(nth, name): (usize, &str)| {
        let (least, most) = (least[side * 8 + nth + 1], most[side * 8 + nth + 1]);
        let plural = |number: u8| if number == 1 { format!("1 {name}") } else { format!("{number} {name}s") };
        match (least, most) {
            (0, u8::MAX) => None,
            (_, 0) if least == 0 => Some(format!("no {name}")),
            (least, most) if least == most => Some(plural(least)),
            (least, u8::MAX) => Some(format!("{} or more", plural(least))),
            (0, most) => Some(format!("at most {}", plural(most))),
            (least, most) => Some(format!("at least {least} and at most {}", plural(most))),
        }
    };
    MEN.into_iter().enumerate().filter_map(of_kind).collect()
}

/// Where a side has pawns, and where it has none; nothing if nothing is said.
fn pawns(on: u64, not_on: u64) -> Option<String> {
    let not_on = not_on & PAWN_SQUARES;
    if on & not_on == 0 && (on | not_on) & PAWN_SQUARES == PAWN_SQUARES {
        return Some(match on {
            0 => "has no pawn".to_owned(),
            on => format!("has pawns on {} and nowhere else", squares(on).join(" ")),
        });
    }
    let on = (on != 0).then(|| format!("pawns on {}", squares(on).join(" ")));
    let not_on = (not_on != 0).then(|| format!("no pawn on {}", region::describe(not_on)));
    listed("has", [on, not_on].into_iter().flatten().collect())
}

/// What is implied of the men of both sides; none if nothing.
pub(super) fn implied(asked: &Asked) -> Option<String> {
    let said = |side: usize| {
        let numbers = listed("has", numbers(&asked.least, &asked.most, side));
        let said = [numbers, pawns(asked.required[side], !asked.allowed[side])];
        let said: Vec<String> = said.into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(", "))
    };
    both_sides(said)
}

/// Where a predicate is tested; `alone` says that all predicates are tested on the board.
pub(super) fn tested(sorted: &Sorted, alone: bool) -> String {
    match sorted.source {
        Source::Squares if sorted.squares == 0 => "from castling moves alone".to_owned(),
        Source::Squares => format!("from moves that touch {}", squares(sorted.squares).join(", ")),
        Source::Board if alone => "on the board".to_owned(),
        Source::Board => "on the board, at plies that the others leave open".to_owned(),
        source => format!("from {}", source.looked_at()),
    }
}

/// A formula over conditions, which are named by numbers from 1.
pub(super) fn verdict(formula: &Formula) -> String {
    let list = |parts: &[Formula], word: &str| {
        let part = |part: &Formula| match part {
            Formula::And(_) | Formula::Or(_) => format!("({})", verdict(part)),
            part => verdict(part),
        };
        parts.iter().map(part).collect::<Vec<_>>().join(word)
    };
    match formula {
        Formula::True => "anything".to_owned(),
        Formula::Bit(nth) => (nth + 1).to_string(),
        Formula::Not(inner) => match **inner {
            Formula::And(_) | Formula::Or(_) => format!("not ({})", verdict(inner)),
            _ => format!("not {}", verdict(inner)),
        },
        Formula::And(parts) => list(parts, " and "),
        Formula::Or(parts) => list(parts, " or "),
    }
}
