//! Predicates and what conditions imply, in words.

use plyfold_core::board::{CASTLED, EVERYTHING, NO_SQUARE, number_of, squares_of};
use plyfold_core::headers::{Date, Elo, Ending, Field, HeaderTest, Outcome, TimeClass};
use plyfold_core::matsig::goal::Asked;
use plyfold_core::query::diagram::Diagram;
use plyfold_core::query::header::{Day, EloOf, Header, NameOf, Range};
use plyfold_core::query::region;
use plyfold_core::query::tree::Leaf;
use plyfold_core::scan::needs::Needs;
use plyfold_core::scan::predicate::{Placement, Predicate, Size, Squares, Target, Term};
use plyfold_core::scan::source::{Sorted, Source};
use plyfold_core::scan::when::When;

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
        Predicate::When(When { plies, moves, .. }) => {
            let of_move = *moves != When::ALWAYS.moves;
            let (first, last) = if of_move { *moves } else { *plies };
            Leaf::Number { of_move, first, last }.to_string()
        }
        Predicate::Header(test) => header(test).to_string(),
        Predicate::Attacks(attacks) => {
            let (verb, target) = match &attacks.target {
                Target::Region(squares) => ("attacks", region::describe(*squares)),
                Target::Feature(target) if target.colour == attacks.by.colour => ("defends", nobodys(target)),
                Target::Feature(target) => ("attacks", nobodys(target)),
            };
            format!("{} {verb} {target}", somewhere(&attacks.by))
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
        Predicate::PawnImages(patterns) => {
            let first = patterns.first().map(|first| self::predicate(&Predicate::Pawns(*first))).unwrap_or_default();
            format!("one of {} images of: {first}", patterns.len())
        }
        Predicate::Images(images) => match images.placements() {
            [] => "no image".to_owned(),
            all @ [first, ..] => format!("men as in one of {} images of \"{}\"", all.len(), diagram(first)),
        },
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
    format!("{side}{}", nobodys(asked))
}

/// The same without the side.
fn nobodys(asked: &Squares) -> String {
    let place = match asked.region {
        u64::MAX => String::new(),
        squares => format!(" on {}", region::describe(squares)),
    };
    format!("{}{place}", asked.feature.name)
}

/// What is asked of a header, as a query has it.
fn header(test: &HeaderTest) -> Header {
    let open = |most: u16| if most == u16::MAX { u32::MAX } else { most.into() };
    match test {
        HeaderTest::Result(mask) => Header::Result(of_mask(Outcome::ALL, *mask)),
        HeaderTest::Ending(mask) => Header::Ended(of_mask(Ending::ALL, *mask)),
        HeaderTest::TimeClass(mask) => Header::TimeClass(of_mask(TimeClass::ALL, *mask)),
        HeaderTest::Name { field, pattern } => {
            let of = match field {
                Field::White => NameOf::White,
                Field::Black => NameOf::Black,
                Field::Event => NameOf::Event,
                Field::Site => NameOf::Site,
                Field::Source => NameOf::Source,
            };
            Header::Name { of, pattern: pattern.text().to_owned() }
        }
        HeaderTest::Elo { which, least, most } => {
            let of = match which {
                Elo::White => EloOf::White,
                Elo::Black => EloOf::Black,
                Elo::Average => EloOf::Average,
                Elo::Difference => EloOf::Difference,
            };
            Header::Elo { of, range: Range { least: (*least).into(), most: open(*most) } }
        }
        HeaderTest::Set(set) => Header::Set(set.name.clone()),
        HeaderTest::Eco(codes) => Header::Eco(codes.ranges().collect()),
        HeaderTest::Date { from, to } => {
            let day = |date: &Date| Day { year: date.year() as u16, month: date.month() as u8, day: date.day() as u8 };
            Header::Date {
                from: (*from != Date::default()).then(|| day(from)),
                to: (*to != Date::new(9999, 12, 31)).then(|| day(to)),
            }
        }
        HeaderTest::Plies { least, most } => Header::Plies(Range { least: (*least).into(), most: open(*most) }),
    }
}

/// Those of `all` whose bit is set.
fn of_mask<T: Copy>(all: &[T], mask: u16) -> Vec<T> {
    all.iter().enumerate().filter(|(nth, _)| mask >> nth & 1 != 0).map(|(_, &one)| one).collect()
}

/// What must change for the answer of a predicate to change.
pub(super) fn depends(sorted: &Sorted) -> String {
    match sorted.source {
        Source::Header => return "the header of the game".to_owned(),
        Source::Turn => return "the number of the ply".to_owned(),
        _ if sorted.depends == EVERYTHING => return "anything on the board".to_owned(),
        _ => {}
    }
    let listed = |bit: fn(u8) -> u32| {
        let has = |code: u8| sorted.depends & bit(code) != 0;
        let names = PLURALS.iter().zip(1..).filter_map(|(name, code)| match (has(code), has(code + 8)) {
            (true, true) => Some((*name).to_owned()),
            (true, false) => Some(format!("White's {}", if code == KING { "king" } else { name })),
            (false, true) => Some(format!("Black's {}", if code == KING { "king" } else { name })),
            (false, false) => None,
        });
        let names: Vec<String> = names.collect();
        let all = names.len() == PLURALS.len() && names.iter().zip(PLURALS).all(|(name, all)| name == all);
        if all { "all men".to_owned() } else { names.join(", ") }
    };
    let (stand, number) = (listed(squares_of), listed(number_of));
    let castled = (sorted.depends & CASTLED != 0 && sorted.squares == 0 && stand.is_empty())
        .then(|| "who has castled".to_owned());
    let stand = (!stand.is_empty() && sorted.source != Source::Numbers).then(|| format!("the squares of {stand}"));
    let number = (!number.is_empty()).then(|| format!("the numbers of {number}"));
    let parts: Vec<String> = [stand, number, castled].into_iter().flatten().collect();
    if parts.is_empty() { "nothing that changes".to_owned() } else { parts.join("; ") }
}

/// The code of a white king.
const KING: u8 = 6;
/// Men in the order of their codes, from 1.
const PLURALS: [&str; 6] = ["pawns", "knights", "bishops", "rooks", "queens", "kings"];

/// Which of the variants of making a move a replay takes that must keep up `needs`, and what that keeps up.
pub(super) fn policy(needs: Needs) -> (&'static str, &'static str) {
    if needs.include(Needs::RIGHTS_AND_HASH) {
        ("whole", "men, numbers of men, castling rights and en passant")
    } else if needs.include(Needs::TALLY) {
        ("tally", "men and their numbers")
    } else if needs == Needs::PAWNS {
        ("pawns", "pawns alone")
    } else if needs.include(Needs::PAWNS) {
        ("bits", "men, as a board and as sets of squares")
    } else {
        ("mailbox", "men, as a board alone")
    }
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
            Size::Measure(number) => {
                text += number.name;
                continue;
            }
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
