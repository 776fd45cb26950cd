//! Puts predicates, and what conditions imply, into words.

use plyfold_core::board::{
    ANY_CHANGE, ByPiece, CASTLING_CHANGE, ColorCode, NO_SQUARE, PieceCode, count_change, placement_change,
};
use plyfold_core::headers::{
    Date, Ending, GameResult, HeaderTest, HeaderText, NameField, NamePattern, RatingField, TimeClass,
};
use plyfold_core::matsig::target::MaterialBounds;
use plyfold_core::query::diagram::Diagram;
use plyfold_core::query::forms::Leaf;
use plyfold_core::query::forms::move_number::MoveNumber;
use plyfold_core::query::forms::ply::PlyNumber;
use plyfold_core::query::forms::tb::TableCondition;
use plyfold_core::query::forms::threw_away::ThrewAway;
use plyfold_core::query::forms::zugzwang::Zugzwang;
use plyfold_core::query::header::{
    EloLead, EloSelector, HeaderCondition, NameSelector, NumberRange, PartialDate, PlayerSelector, quoted,
};
use plyfold_core::query::played::MovePattern;
use plyfold_core::query::region;
use plyfold_core::query::side::SideSelector;
use plyfold_core::query::written::{WrittenLine, WrittenMove};
use plyfold_core::scan::measure::BoardFeature;
use plyfold_core::scan::measure::mate::NamedMate;
use plyfold_core::scan::measure::numbers::{NumberOrigin, number_derived_from};
use plyfold_core::scan::plan::{AccessPath, PlannedPredicate};
use plyfold_core::scan::ply_filter::PlyFilter;
use plyfold_core::scan::predicate::{
    AnnotationTest, AttackPredicate, AttackTarget, BoardQuantity, FeatureSquares, FollowedTest, MovePredicate,
    NumberComparison, PawnPattern, Placement, PositionPredicate, SquareSet, TableQuestion, WeightedTerm,
};
use plyfold_core::scan::replay_needs::ReplayNeeds;
use shakmaty::{Color, Role};

use crate::diagram::squares;

/// Squares on which a pawn can stand.
pub(super) const PAWN_SQUARES: u64 = 0x00ff_ffff_ffff_ff00;
/// Names of pieces other than kings, in the order of their codes, from 1.
pub(super) const PIECE_NAMES: [&str; 5] = ["pawn", "knight", "bishop", "rook", "queen"];
/// Where the codes of a side begin: White's at 0, Black's at 8.
pub(super) const SIDES: [&str; 2] = ["White", "Black"];

/// Describes what a predicate tests, in the words of a query if the language has any for it.
pub(super) fn describe_predicate(predicate: &PositionPredicate) -> String {
    match predicate {
        PositionPredicate::FeatureInRegion(asked) if is_named_mate(asked.feature) => {
            format!("{} {}", side(!asked.colour), asked.feature.name)
        }
        PositionPredicate::FeatureInRegion(asked) => describe_squares(asked),
        PositionPredicate::Empty(squares) => format!("empty {}", region::describe(*squares)),
        PositionPredicate::Compare { terms, comparison, constant } => {
            describe_comparison(terms, *comparison, *constant)
        }
        PositionPredicate::Ply(PlyFilter { ply_bounds: plies, move_bounds: moves, .. }) => {
            let of_move = *moves != PlyFilter::EVERY_PLY.move_bounds;
            let (min, max) = if of_move { *moves } else { *plies };
            let range = NumberRange { min: if min == 1 { 0 } else { min }, max };
            if of_move { Leaf::from(MoveNumber(range)).to_string() } else { Leaf::from(PlyNumber(range)).to_string() }
        }
        PositionPredicate::Played(played) => describe_move(played),
        PositionPredicate::FirstMoves(moves) => {
            let line = WrittenLine::from_packed(moves).map(|line| line.to_string()).unwrap_or_default();
            format!("the first moves of the game are {line}")
        }
        PositionPredicate::Followed(test) => describe_followed(test),
        PositionPredicate::DiscoveredCheck(colour) => format!("{} gives_discovered_check", side(*colour)),
        PositionPredicate::PerpetualCheck(colour) => format!("{} perpetual", side(*colour)),
        PositionPredicate::Motif(motif, colour) => format!("{} {}", side(*colour), motif.words().0[0]),
        PositionPredicate::Header(test) => header_of_test(test).to_string(),
        PositionPredicate::Annotations(test) => describe_annotations(test),
        PositionPredicate::Table(test) if test.is_negated => format!("not {}", describe_table_question(&test.question)),
        PositionPredicate::Table(test) => describe_table_question(&test.question),
        PositionPredicate::Attacks(attacks) => describe_attacks(attacks),
        PositionPredicate::SquareSet(set) => describe_square_set_of_side(set),
        PositionPredicate::SideToMove(colour) => format!("{} to move", colour.fold_wb("White", "Black")),
        PositionPredicate::PieceCounts(bounds) => {
            join_sides(|side| join_list("has", describe_piece_counts(&bounds.min, &bounds.max, side_of(side))))
                .unwrap_or_default()
        }
        PositionPredicate::PawnPattern(pattern) => describe_pawn_pattern(pattern),
        PositionPredicate::Placement(placement) => format!("pieces as in \"{}\"", placement_diagram(placement)),
        PositionPredicate::PawnPatternImages(patterns) => {
            let first = patterns.first().map(describe_pawn_pattern).unwrap_or_default();
            format!("one of {} images of: {first}", patterns.len())
        }
        PositionPredicate::PlacementImages(images) => match images.placements() {
            [] => "no image".to_owned(),
            all @ [first, ..] => {
                format!("pieces as in one of {} images of \"{}\"", all.len(), placement_diagram(first))
            }
        },
        PositionPredicate::Rights { castling, en_passant } => describe_rights(*castling, *en_passant),
    }
}

fn describe_move(test: &MovePredicate) -> String {
    let written = WrittenMove::from_predicate(test).map(|written| written.to_string());
    format!("{} {}", side(test.colour), written.unwrap_or_else(|| MovePattern::from_predicate(test).to_string()))
}

/// The side as a query names it.
fn side(colour: Color) -> &'static str {
    colour.fold_wb("white", "black")
}

/// Whether the feature is a mate with a name, of which a query names the side that mates.
fn is_named_mate(feature: &BoardFeature) -> bool {
    NamedMate::ALL.iter().any(|mate| mate.feature().name == feature.name)
}

fn describe_pawn_pattern(pattern: &PawnPattern) -> String {
    let sides = [pattern.white, pattern.black];
    let pawns =
        |side: usize| describe_pawns(sides[side].mask & sides[side].value, sides[side].mask & !sides[side].value);
    join_sides(pawns).unwrap_or_default()
}

fn describe_followed(test: &FollowedTest) -> String {
    match test {
        FollowedTest::Squares(set) => describe_square_set_of_side(set),
        FollowedTest::Moves(piece) => format!("{} plays", piece.name),
        FollowedTest::IsCaptured(piece) => format!("captures {}", piece.name),
    }
}

fn describe_rights(castling: Option<u64>, en_passant: Option<u8>) -> String {
    let castling = castling.map(|rooks| match rooks {
        0 => "no castling rights".to_owned(),
        rooks => format!("castling rights with exactly the rooks on {}", squares(rooks).join(" ")),
    });
    let en_passant = en_passant.map(|square| match square {
        NO_SQUARE.. => "no en passant capture is legal".to_owned(),
        square => format!("an en passant capture on {} is legal", squares(1 << square).join("")),
    });
    [castling, en_passant].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Describes what is tested of the annotations, in the words of a query.
fn describe_annotations(test: &AnnotationTest) -> String {
    match test {
        AnnotationTest::Mark { mark, mover } => format!("{} {mark}", side(*mover)),
        AnnotationTest::Comment(test) => format!("{} comment {}", side(test.mover), quoted(test.pattern.text())),
        AnnotationTest::Compare { terms, comparison, constant } => {
            let quantity = |number| BoardQuantity::Number(number_derived_from(NumberOrigin::Annotations(number)));
            describe_comparison(&weighted_terms(terms, quantity), *comparison, *constant)
        }
    }
}

fn weighted_terms<N: Copy>(terms: &[(i64, N)], quantity: impl Fn(N) -> BoardQuantity) -> Vec<WeightedTerm> {
    terms.iter().map(|&(weight, number)| WeightedTerm { weight, quantity: quantity(number) }).collect()
}

fn describe_comparison(terms: &[WeightedTerm], comparison: NumberComparison, constant: i64) -> String {
    let right = if constant < 0 { format!("0 - {}", constant.unsigned_abs()) } else { constant.to_string() };
    format!("{} {} {right}", describe_sum(terms), comparison.symbol())
}

/// Describes what endgame tables are asked, in the words of a query.
fn describe_table_question(question: &TableQuestion) -> String {
    match question {
        TableQuestion::Outcome(color, outcome) => {
            Leaf::from(TableCondition { side: SideSelector::of_colour(*color), outcome: *outcome }).to_string()
        }
        TableQuestion::ThrewAway(color, thrown) => {
            Leaf::from(ThrewAway { side: SideSelector::of_colour(*color), thrown: *thrown }).to_string()
        }
        TableQuestion::Zugzwang(color) => Leaf::from(Zugzwang { side: SideSelector::of_colour(*color) }).to_string(),
        TableQuestion::Compare { terms, comparison, constant } => {
            let quantity = |number| BoardQuantity::Number(number_derived_from(NumberOrigin::Tables(number)));
            describe_comparison(&weighted_terms(terms, quantity), *comparison, *constant)
        }
    }
}

fn describe_attacks(attacks: &AttackPredicate) -> String {
    let (verb, target) = match &attacks.target {
        AttackTarget::Region(squares) => ("attacks", region::describe(*squares)),
        AttackTarget::Feature(target) if target.colour == attacks.attackers.colour => {
            ("defends", describe_squares_of_either(target))
        }
        AttackTarget::Feature(target) => ("attacks", describe_squares_of_either(target)),
    };
    format!("{} {verb} {target}", describe_squares(&attacks.attackers))
}

fn describe_square_set_of_side(set: &SquareSet) -> String {
    match first_side(set) {
        Some(colour) => format!("{} {}", side(colour), describe_square_set(set)),
        None => describe_square_set(set),
    }
}

/// The side of the first feature that has one.
fn first_side(set: &SquareSet) -> Option<Color> {
    match set {
        SquareSet::Feature(squares) => squares.feature.has_sides.then_some(squares.colour),
        SquareSet::Region(_) | SquareSet::Left { .. } => None,
        SquareSet::Named { colour, .. } => Some(*colour),
        SquareSet::All(parts) | SquareSet::Any(parts) => parts.iter().find_map(first_side),
        SquareSet::Not(part) => first_side(part),
        SquareSet::Attacking { colour, .. } | SquareSet::XRaying { colour, .. } => Some(*colour),
        SquareSet::Related { to, .. } => first_side(to),
        SquareSet::Between(ends) => ends.iter().find_map(first_side),
    }
}

/// The squares, in the words of a query without a side.
fn describe_square_set(set: &SquareSet) -> String {
    let part = |part: &SquareSet| match part {
        SquareSet::Feature(_)
        | SquareSet::Region(_)
        | SquareSet::Named { .. }
        | SquareSet::Left { .. }
        | SquareSet::Not(_) => describe_square_set(part),
        part => format!("({})", describe_square_set(part)),
    };
    let list = |parts: &[SquareSet], sign: &str| parts.iter().map(part).collect::<Vec<_>>().join(sign);
    match set {
        SquareSet::Feature(squares) => describe_squares_of_either(squares),
        SquareSet::Region(squares) => region::describe(*squares),
        SquareSet::Named { piece, region: u64::MAX, .. } => piece.name.to_string(),
        SquareSet::Named { piece, region, .. } => format!("{} on {}", piece.name, region::describe(*region)),
        SquareSet::Left { piece, which, region: u64::MAX } => format!("{} of {}", which.word(), piece.name),
        SquareSet::Left { piece, which, region } => {
            format!("({} of {}) on {}", which.word(), piece.name, region::describe(*region))
        }
        SquareSet::All(parts) => list(parts, " & "),
        SquareSet::Any(parts) => list(parts, " | "),
        SquareSet::Not(inner) => format!("not {}", part(inner)),
        SquareSet::Attacking { colour, pieces, target } => {
            let verb = if first_side(target) == Some(*colour) { "defends" } else { "attacks" };
            format!("{} {verb} {}", part(pieces), part(target))
        }
        SquareSet::Related { relation, to, .. } => format!("{} {}", relation.name(), describe_square_set_of_side(to)),
        SquareSet::Between(ends) => {
            let [one, other] = &**ends;
            format!("between {} and {}", describe_square_set_of_side(one), describe_square_set_of_side(other))
        }
        SquareSet::XRaying { pieces, line, .. } => {
            let [target, through] = &**line;
            let through = match through {
                SquareSet::Region(u64::MAX) => String::new(),
                through => format!(" through {}", describe_square_set_of_side(through)),
            };
            format!("{} xrays {}{through}", part(pieces), describe_square_set_of_side(target))
        }
    }
}

fn describe_squares(constraints: &FeatureSquares) -> String {
    let side = if constraints.feature.has_sides { constraints.colour.fold_wb("white ", "black ") } else { "" };
    format!("{side}{}", describe_squares_of_either(constraints))
}

/// The same, without the side.
fn describe_squares_of_either(constraints: &FeatureSquares) -> String {
    let place = match constraints.region {
        u64::MAX => String::new(),
        squares => format!(" on {}", region::describe(squares)),
    };
    format!("{}{place}", constraints.feature.name)
}

/// The test of a header, in the words of a query.
fn header_of_test(test: &HeaderTest) -> HeaderCondition {
    let open = |most: u16| if most == u16::MAX { u32::MAX } else { most.into() };
    match test {
        HeaderTest::Result(mask) => HeaderCondition::Result(select_by_mask(GameResult::ALL, *mask)),
        HeaderTest::Ending(mask) => HeaderCondition::Ended(select_by_mask(Ending::ALL, *mask)),
        HeaderTest::Incomplete => HeaderCondition::Incomplete,
        HeaderTest::TimeClass(mask) => HeaderCondition::TimeClass(select_by_mask(TimeClass::ALL, *mask)),
        HeaderTest::Name { field, pattern } => {
            let of = match field {
                NameField::Text(HeaderText::WhiteTitle) => return title_condition(PlayerSelector::White, pattern),
                NameField::Text(HeaderText::BlackTitle) => return title_condition(PlayerSelector::Black, pattern),
                NameField::Text(HeaderText::Round) => NameSelector::Round,
                NameField::Text(HeaderText::Annotator) => NameSelector::Annotator,
                NameField::Text(HeaderText::TimeControl) => NameSelector::TimeControl,
                NameField::White => NameSelector::White,
                NameField::Black => NameSelector::Black,
                NameField::Event => NameSelector::Event,
                NameField::Site => NameSelector::Site,
                NameField::Source => NameSelector::Source,
            };
            HeaderCondition::Name { selector: of, pattern: pattern.text().to_owned().into() }
        }
        HeaderTest::Elo { which, least, most } => {
            let of = match which {
                RatingField::White => EloSelector::Of(PlayerSelector::White),
                RatingField::Black => EloSelector::Of(PlayerSelector::Black),
                RatingField::Average => EloSelector::Average,
                RatingField::Difference => EloSelector::Difference,
            };
            HeaderCondition::Elo { selector: of, range: NumberRange { min: (*least).into(), max: open(*most) } }
        }
        &HeaderTest::EloLead { least, most } => {
            let (comparison, margin) = match (least, most) {
                (i32::MIN, most) => (NumberComparison::AtMost, most),
                (least, i32::MAX) => (NumberComparison::AtLeast, least),
                (least, _) => (NumberComparison::Equal, least),
            };
            HeaderCondition::EloLead(EloLead { player: PlayerSelector::White, comparison, margin })
        }
        HeaderTest::Tag(tag) => {
            HeaderCondition::Tag { name: tag.name.clone().into(), pattern: tag.value.text().to_owned().into() }
        }
        HeaderTest::Set(set) => HeaderCondition::Set(set.name.clone().into()),
        HeaderTest::Eco(codes) => HeaderCondition::Eco(codes.ranges().collect()),
        HeaderTest::EcoTag(codes) => HeaderCondition::EcoTag(codes.ranges().collect()),
        HeaderTest::Opening(opening) => HeaderCondition::Opening(opening.name.clone().into()),
        HeaderTest::Date { from, to } => {
            let day = |date: &Date| PartialDate {
                year: date.year() as u16,
                month: date.month() as u8,
                day: date.day() as u8,
            };
            HeaderCondition::Date {
                from: (*from != Date::default()).then(|| day(from)),
                to: (*to != Date::new(9999, 12, 31)).then(|| day(to)),
            }
        }
        HeaderTest::Plies { least, most } => {
            HeaderCondition::Plies(NumberRange { min: (*least).into(), max: open(*most) })
        }
    }
}

fn title_condition(selector: PlayerSelector, title: &NamePattern) -> HeaderCondition {
    HeaderCondition::Title { selector, titles: vec![title.text().to_owned().into()] }
}

/// The names in `all` whose bit is set.
fn select_by_mask<T: Copy>(all: &[T], mask: u16) -> Vec<T> {
    all.iter().enumerate().filter(|(index, _)| mask >> index & 1 != 0).map(|(_, &one)| one).collect()
}

/// Describes what must change before the value of a predicate can change.
pub(super) fn describe_dependency(sorted: &PlannedPredicate) -> String {
    match sorted.access_path {
        AccessPath::Header => return "the header of the game".to_owned(),
        AccessPath::PlyNumber => return "the number of the ply".to_owned(),
        AccessPath::Tables => return "the position, and the one before the move".to_owned(),
        AccessPath::Checks => return "the move, and the lines to the king".to_owned(),
        AccessPath::GameEnds => return "the board before a null move, or at the end of the game".to_owned(),
        AccessPath::Annotations => return "what the text says of the ply and of those before it".to_owned(),
        _ if sorted.dependencies == ANY_CHANGE => return "anything on the board".to_owned(),
        _ => {}
    }
    let listed = |bit: fn(PieceCode) -> u32| {
        let has = |color: Color, role: Role| sorted.dependencies & bit(PieceCode::new(color, role)) != 0;
        let kinds = PLURAL_PIECE_NAMES.iter().zip(Role::ALL);
        let names = kinds.filter_map(|(name, role)| match (has(Color::White, role), has(Color::Black, role)) {
            (true, true) => Some((*name).to_owned()),
            (true, false) => Some(format!("White's {}", if role == Role::King { "king" } else { name })),
            (false, true) => Some(format!("Black's {}", if role == Role::King { "king" } else { name })),
            (false, false) => None,
        });
        let names: Vec<String> = names.collect();
        let all = names.len() == PLURAL_PIECE_NAMES.len()
            && names.iter().zip(PLURAL_PIECE_NAMES).all(|(name, all)| name == all);
        if all { "all pieces".to_owned() } else { names.join(", ") }
    };
    let (stand, number) = (listed(placement_change), listed(count_change));
    let castled = (sorted.dependencies & CASTLING_CHANGE != 0 && sorted.squares == 0 && stand.is_empty())
        .then(|| "the castling of both sides".to_owned());
    let stand = (!stand.is_empty() && sorted.access_path != AccessPath::MaterialEvents)
        .then(|| format!("the squares of {stand}"));
    let number = (!number.is_empty()).then(|| format!("the number of {number}"));
    let parts: Vec<String> = [stand, number, castled].into_iter().flatten().collect();
    if parts.is_empty() { "nothing that changes".to_owned() } else { parts.join("; ") }
}

/// Pieces in the order of `Role::ALL`.
const PLURAL_PIECE_NAMES: [&str; 6] = ["pawns", "knights", "bishops", "rooks", "queens", "kings"];

/// The variant of making a move that a replay uses to maintain `needs`, and what this variant maintains.
pub(super) fn make_policy(needs: ReplayNeeds) -> (&'static str, &'static str) {
    if needs.contains(ReplayNeeds::RIGHTS_AND_HASH) {
        ("whole", "pieces, piece counts, castling rights and en passant")
    } else if needs.contains(ReplayNeeds::PIECE_COUNTS) {
        ("tally", "pieces and piece counts")
    } else if needs == ReplayNeeds::PAWN_BITBOARDS {
        ("pawns", "pawns only")
    } else if needs.contains(ReplayNeeds::PAWN_BITBOARDS) {
        ("bits", "pieces, as a board and as bitboards")
    } else {
        ("mailbox", "pieces, as a board only")
    }
}

fn describe_sum(terms: &[WeightedTerm]) -> String {
    let mut text = String::new();
    for (index, WeightedTerm { weight, quantity: size }) in terms.iter().enumerate() {
        text += match (index, *weight < 0) {
            (0, false) => "",
            (0, true) => "0 - ",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        if weight.unsigned_abs() != 1 {
            text += &format!("{} * ", weight.unsigned_abs());
        }
        let counted = match size {
            BoardQuantity::Number(number) => {
                text += number.name;
                continue;
            }
            BoardQuantity::SquareSet(set) => describe_square_set_of_side(set),
            BoardQuantity::SquareCount(squares) => describe_squares(squares),
            BoardQuantity::PieceCount(code) => {
                let name = PIECE_NAMES.get(usize::from(code.role_code()).wrapping_sub(1)).unwrap_or(&"king");
                format!("{} {name}", side(code.color()))
            }
        };
        text += &format!("count({counted})");
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

/// The pieces on the squares of the pattern, as `board` writes them.
fn placement_diagram(placement: &Placement) -> String {
    Diagram::from_placement(placement).map_or_else(String::new, |diagram| diagram.to_string())
}

/// `White …; Black …`, without a side that has no text; `None` if neither side has any.
fn join_sides(said: impl Fn(usize) -> Option<String>) -> Option<String> {
    let sides = SIDES.into_iter().enumerate().filter_map(|(side, name)| Some(format!("{name} {}", said(side)?)));
    Some(sides.collect::<Vec<_>>().join("; ")).filter(|text| !text.is_empty())
}

fn join_list(verb: &str, things: Vec<String>) -> Option<String> {
    (!things.is_empty()).then(|| format!("{verb} {}", things.join(", ")))
}

/// White for 0, Black for 1.
pub(super) fn side_of(index: usize) -> ColorCode {
    if index == 0 { ColorCode::WHITE } else { ColorCode::BLACK }
}

/// Describes how many pieces of each kind a side has, without kings and without kinds of any number.
fn describe_piece_counts(least: &ByPiece<u8>, most: &ByPiece<u8>, side: ColorCode) -> Vec<String> {
    let of_kind = |(role, name): (Role, &str)| {
        let (least, most) = (least[side.piece(role)], most[side.piece(role)]);
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
    Role::ALL.into_iter().zip(PIECE_NAMES).filter_map(of_kind).collect()
}

/// Describes where a side must have pawns, and where it must have none; empty if nothing is known.
fn describe_pawns(on: u64, not_on: u64) -> Option<String> {
    let not_on = not_on & PAWN_SQUARES;
    if on & not_on == 0 && (on | not_on) & PAWN_SQUARES == PAWN_SQUARES {
        return Some(match on {
            0 => "has no pawn".to_owned(),
            on => format!("has pawns on {} and nowhere else", squares(on).join(" ")),
        });
    }
    let on = (on != 0).then(|| format!("pawns on {}", squares(on).join(" ")));
    let not_on = (not_on != 0).then(|| format!("no pawn on {}", region::describe(not_on)));
    join_list("has", [on, not_on].into_iter().flatten().collect())
}

/// The implied pieces of both sides; `None` if nothing is implied.
pub(super) fn describe_bounds(bounds: &MaterialBounds) -> Option<String> {
    let said = |side: usize| {
        let numbers = join_list("has", describe_piece_counts(&bounds.min_pieces, &bounds.max_pieces, side_of(side)));
        let said = [numbers, describe_pawns(bounds.required_pawns[side], !bounds.allowed_pawns[side])];
        let said: Vec<String> = said.into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(", "))
    };
    let most = (bounds.max_total < u8::MAX)
        .then(|| format!("at most {} pieces are left, kings included", u32::from(bounds.max_total) + 2));
    let parts: Vec<String> = [most, join_sides(said)].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Describes where a predicate is tested. `alone` means that all predicates are tested on the board.
pub(super) fn describe_access_path(sorted: &PlannedPredicate, alone: bool) -> String {
    match sorted.access_path {
        AccessPath::TouchedSquares if sorted.squares == 0 => "from castling moves only".to_owned(),
        AccessPath::TouchedSquares => format!("from moves that touch {}", squares(sorted.squares).join(", ")),
        AccessPath::Replay if alone => "on the board".to_owned(),
        AccessPath::Replay => "on the board, at plies that the other predicates leave open".to_owned(),
        source => format!("from {}", source.description()),
    }
}
