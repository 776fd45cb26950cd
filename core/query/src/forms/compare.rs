//! `count(white rook) >= 2`, `points(white) > points(black)`, `tb_dtm <= 10`: two sums, compared.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::fmt;

use plyfold_board::board::PieceCode;
use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::measure::numbers::{NumberOrigin, NumericFeature};
use plyfold_scan::scan::predicate::{
    AnnotationTest, BoardQuantity, FeatureSquares, NumberComparison, PositionPredicate, SumComparison, TableQuestion,
    WeightedTerm,
};
use shakmaty::{Color, Role};

use super::{Form, Leaf};
use crate::error::{QueryError, error_of_query};
use crate::names::{NameMistake, NameReader};
use crate::parse::{Constants, NamedSide, QueryParser};
use crate::plan::squares::squares_for_side;
use crate::plan::{QueryPlanner, table_predicate};
use crate::region::Region;
use crate::side::SideSelector;
use crate::squares::SquareExpression;
use crate::sum::{CountExpression, SumExpression};
use crate::token::TokenKind;

const COMPARISONS: &[&str] = &["`=`", "`!=`", "`<`", "`<=`", "`>`", "`>=`", "`between`"];

/// Points of the pieces that `points` counts.
const POINTS: [(Role, i64); 5] =
    [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];

/// Why a sum has no numbers of both kinds.
const MIXED_NUMBERS: &str = "numbers of the text, such as `eval`, and of tables, such as `tb_dtm`, are not added to or compared with numbers of the board";

/// Two sums, compared.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(try_from = "crate::json::CompareTexts", into = "crate::json::CompareTexts"),
    schemars(with = "crate::json::CompareTexts")
)]
pub struct Compare {
    /// A sum, as in a query: "count(white rook) - 2 * count(black pawn)".
    pub left: SumExpression,
    /// How it compares with the other.
    pub comparison: NumberComparison,
    /// The other.
    pub right: SumExpression,
}

impl Form for Compare {
    const STARTS: &'static [&'static str] = &[
        "`count(`",
        "`points(`",
        "`clock_time(`",
        "`moves_of(`",
        "`captures(`",
        "`attackers(`",
        "`half_points_lost(`",
        "a number",
    ];
    const WORDS: &'static [(&'static str, &'static str)] = &[
        ("count", "how many; to be compared"),
        ("points", "pawn 1, knight and bishop 3, rook 5, queen 9"),
        ("moves_of", "legal moves of these pieces; to be compared"),
        ("attackers", "pieces that attack a square; to be compared"),
    ];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        let begins = match parser.peek() {
            Some(TokenKind::Sign("(")) => !parser.bracket_belongs_to_set(),
            Some(TokenKind::Number(_) | TokenKind::Sign("-")) => true,
            Some(TokenKind::Word(word)) if word == "count" || word == "points" => true,
            _ => parser.is_number(),
        };
        if side.is_named() || !begins {
            return Ok(None);
        }
        parser.counted_noun_error().map_or_else(|| comparison(parser).map(Some), Err)
    }

    /// A side that the game or the position decides is White in one case and Black in the other.
    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        let Compare { left, comparison, right } = self;
        let Some(side) = left.relative_side().or_else(|| right.relative_side()) else {
            return plan.intern_predicate(compare_sums(left, *comparison, right)?);
        };
        plan.for_side(side, &mut |plan, colour| {
            let [left, right] = [left, right].map(|sum| sum.with_side(side, colour));
            Compare { left, comparison: *comparison, right }.lower(plan)
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sums = [&self.left, &self.right];
        let pawns = sums.iter().all(|sum| sum.counts_pawns()) && sums.iter().any(|sum| !sum.terms.is_empty());
        self.left.write(f, pawns)?;
        write!(f, " {} ", self.comparison.symbol())?;
        self.right.write(f, pawns)
    }

    fn asks_tables(&self) -> bool {
        self.left.asks_tables() || self.right.asks_tables()
    }

    fn sides(&self) -> Vec<&SideSelector> {
        let terms = [&self.left, &self.right].into_iter().flat_map(|sum| &sum.terms);
        terms.filter_map(|(_, counted)| counted.side()).collect()
    }

    fn read_names(&self, _: &mut NameReader) -> Result<(), NameMistake> {
        let name = [&self.left, &self.right].into_iter().find_map(SumExpression::first_name);
        name.map_or(Ok(()), |name| {
            Err(NameMistake { name, message: format!("`{name}` cannot be counted: it is one piece") })
        })
    }
}

/// A comparison. If a number in it counts pawns, it is read again, in hundredths.
fn comparison(parser: &mut QueryParser) -> Result<Leaf, QueryError> {
    let (begin, names) = (parser.at, parser.names.len());
    parser.constants = Constants::default();
    let read = compared_sums(parser);
    if !parser.constants.name_pawns() {
        return read;
    }
    parser.at = begin;
    parser.names.truncate(names);
    parser.constants = Constants::in_hundredths();
    compared_sums(parser)
}

/// Two sums with a sign between them, or a sum `between` two others.
fn compared_sums(parser: &mut QueryParser) -> Result<Leaf, QueryError> {
    let begin = parser.at;
    let mut left = parser.sum()?;
    if parser.take_word("between") {
        let mut lower = parser.sum()?;
        if !parser.take_word("and") && !parser.take_range_sign() {
            return Err(parser.expected("`and` and the second number", &["`and`", "`..`"]));
        }
        let mut upper = parser.sum()?;
        parser.check_units(&mut [&mut left, &mut lower, &mut upper])?;
        check_sources(parser, begin, &[&left, &lower, &upper])?;
        let at_most = Compare { left: left.clone(), comparison: NumberComparison::AtMost, right: upper };
        parser.upper_bound = Some(at_most.into());
        return Ok(Compare { left, comparison: NumberComparison::AtLeast, right: lower }.into());
    }
    let Some(comparison) = parser.comparison_sign() else {
        return Err(parser.expected("a comparison", COMPARISONS));
    };
    let mut right = parser.sum()?;
    parser.check_units(&mut [&mut left, &mut right])?;
    check_sources(parser, begin, &[&left, &right])?;
    Ok(Compare { left, comparison, right }.into())
}

/// Rejects a comparison of numbers that different sources know.
fn check_sources(parser: &mut QueryParser, begin: usize, sums: &[&SumExpression]) -> Result<(), QueryError> {
    let source = |(_, counted): &(i64, CountExpression)| counted.source();
    let mut sources = sums.iter().flat_map(|sum| &sum.terms).map(source);
    let first = sources.next();
    if sources.any(|other| Some(other) != first) {
        return Err(parser.error_at(begin, MIXED_NUMBERS, &[]));
    }
    Ok(())
}

/// The comparison of two sums, with all counts moved to the left and all constants to the right.
fn compare_sums(
    left: &SumExpression,
    comparison: NumberComparison,
    right: &SumExpression,
) -> Result<PositionPredicate, QueryError> {
    let mut terms: Vec<WeightedTerm> = Vec::new();
    let mut add = |weight: i64, size: BoardQuantity| match terms.iter_mut().find(|term| term.quantity == size) {
        Some(term) => term.weight = term.weight.saturating_add(weight),
        None => terms.push(WeightedTerm { weight, quantity: size }),
    };
    let counts = [(left, 1), (right, -1)]
        .into_iter()
        .flat_map(|(sum, sign)| sum.terms.iter().map(move |(factor, counted)| (sign * factor, counted)));
    for (weight, counted) in counts {
        let colours = |side: &SideSelector, has_sides: bool| {
            let named = side.colour();
            let is_counted =
                move |colour: &Color| named.is_none_or(|one| one == *colour) && (has_sides || *colour == Color::White);
            Color::ALL.into_iter().filter(is_counted)
        };
        match counted {
            CountExpression::Squares { side, squares } => {
                for colour in colours(side, squares.has_sides()) {
                    match squares {
                        // The piece counts are known without the squares.
                        SquareExpression::Feature { feature, region: Region::ANYWHERE } if feature.name == "piece" => {
                            let counts = Role::ALL.map(|role| BoardQuantity::PieceCount(PieceCode::new(colour, role)));
                            counts.into_iter().for_each(|count| add(weight, count));
                        }
                        SquareExpression::Feature { feature, region } => {
                            add(
                                weight,
                                FeatureSquares { feature, colour, region: region.for_side(colour) }.into_quantity(),
                            );
                        }
                        // No name is counted.
                        set => {
                            let set = squares_for_side(set, colour, u64::MAX, &[]);
                            add(weight, BoardQuantity::SquareSet(Box::new(set)));
                        }
                    }
                }
            }
            CountExpression::Number(number) => add(weight, BoardQuantity::Number(number)),
            // A colour stands in its place by now.
            CountExpression::OfSide { side, .. } => {
                return Err(error_of_query(&format!("`{side}` is no side here")));
            }
            CountExpression::Points(side) => {
                for colour in colours(side, true) {
                    for (role, points) in POINTS {
                        add(weight.saturating_mul(points), BoardQuantity::PieceCount(PieceCode::new(colour, role)));
                    }
                }
            }
        }
    }
    comparison_of_terms(terms, comparison, right.constant - left.constant)
}

/// The comparison of a sum with a constant, by what knows its numbers.
fn comparison_of_terms(
    mut terms: Vec<WeightedTerm>,
    comparison: NumberComparison,
    constant: i64,
) -> Result<PositionPredicate, QueryError> {
    // A number that is not known makes the comparison false, even if its weight is 0.
    let of_annotations = |origin| if let NumberOrigin::Annotations(number) = origin { Some(number) } else { None };
    if let Some(terms) = terms_of_origin(&terms, of_annotations)? {
        return Ok(PositionPredicate::Annotations(AnnotationTest::Compare { terms, comparison, constant }));
    }
    let of_tables = |origin| if let NumberOrigin::Tables(number) = origin { Some(number) } else { None };
    if let Some(terms) = terms_of_origin(&terms, of_tables)? {
        return Ok(table_predicate(TableQuestion::Compare { terms, comparison, constant }));
    }
    terms.retain(|term| term.weight != 0);
    Ok(SumComparison { terms, comparison, constant }.into())
}

/// The terms as numbers that no board shows, if they are.
fn terms_of_origin<N>(
    terms: &[WeightedTerm],
    of_origin: impl Fn(NumberOrigin) -> Option<N>,
) -> Result<Option<Vec<(i64, N)>>, QueryError> {
    let number = |term: &WeightedTerm| match &term.quantity {
        BoardQuantity::Number(NumericFeature { derived_from, .. }) => Some((term.weight, of_origin(*derived_from)?)),
        _ => None,
    };
    if !terms.iter().any(|term| number(term).is_some()) {
        return Ok(None);
    }
    let all = terms.iter().map(number).collect::<Option<Vec<_>>>();
    all.map(Some).ok_or_else(|| error_of_query(MIXED_NUMBERS))
}
