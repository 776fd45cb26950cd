//! Numbers and their comparisons.

use plyfold_core::annotations::UNKNOWN_TIME;
use plyfold_core::query::header::NameSelector;
use plyfold_core::query::side::SideSelector;
use plyfold_core::query::squares::{SquareExpression, SquareTarget};
use plyfold_core::query::sum::CountExpression;
use plyfold_core::query::sum::NumberSource;
use plyfold_core::query::sum::SideNumber;
use plyfold_core::query::sum::SumExpression;
use plyfold_core::scan::predicate::{NumberComparison, ThrownAway};
use shakmaty::Color::{Black, White};
use shakmaty::{Color, Role, Square};

use super::truth::{Truth, all_hold, some_holds};
use super::{Trace, has_numbers_of};
use crate::tables::{FakeTables, OracleVerdict};

/// The colour of a player whose name is in a comparison.
type ColourOfPlayer<'a> = &'a dyn Fn(&str) -> Color;

/// The side that a number counts for.
fn side_of(counted: &CountExpression) -> Option<&SideSelector> {
    match counted {
        CountExpression::Squares { side, .. }
        | CountExpression::Points(side)
        | CountExpression::OfSide { side, .. } => Some(side),
        CountExpression::Number(_) => None,
    }
}

/// Whether two numbers compare so.
fn compare(left: i64, comparison: NumberComparison, right: i64) -> bool {
    match comparison {
        NumberComparison::Equal => left == right,
        NumberComparison::Unequal => left != right,
        NumberComparison::Less => left < right,
        NumberComparison::AtMost => left <= right,
        NumberComparison::More => left > right,
        NumberComparison::AtLeast => left >= right,
    }
}

impl Trace<'_> {
    /// Whether two sums compare.
    pub(super) fn compares(
        &self,
        left: &SumExpression,
        comparison: NumberComparison,
        right: &SumExpression,
        ply: usize,
    ) -> bool {
        let compares =
            |colour_of: &dyn Fn(&str) -> Color| Some(self.compares_for((left, comparison, right), colour_of, ply));
        self.for_players(left, right, &compares) == Some(true)
    }

    /// Whether a comparison holds for the colours of the players whose names are in it.
    pub(super) fn for_players(
        &self,
        left: &SumExpression,
        right: &SumExpression,
        compares: &dyn Fn(ColourOfPlayer<'_>) -> Truth,
    ) -> Truth {
        // Which player is White and which is Black, once for each colour that a named player may have.
        let mut players: Vec<&str> = Vec::new();
        for (_, counted) in left.terms.iter().chain(&right.terms) {
            if let Some(SideSelector::Player(name) | SideSelector::Opponent(name)) = side_of(counted)
                && !players.contains(&&**name)
            {
                players.push(name);
            }
        }
        some_holds((0..1u32 << players.len()).map(|cases| {
            let colour_of = |name: &str| {
                let nth = players.iter().position(|player| *player == name).expect("a player of the comparison");
                if cases >> nth & 1 == 0 { White } else { Black }
            };
            let plays =
                |name: &&str| self.named(colour_of(name).fold_wb(NameSelector::White, NameSelector::Black), name);
            if players.iter().all(plays) { compares(&colour_of) } else { Some(false) }
        }))
    }

    /// The colour of a side, `both` for both; none if no colour is that side.
    pub(super) fn colours_of(
        &self,
        side: &SideSelector,
        colour_of: &dyn Fn(&str) -> Color,
        ply: usize,
    ) -> Option<Vec<Color>> {
        let turn = self.boards[ply].side_to_move();
        let winner = self.winner();
        Some(match side {
            SideSelector::White => vec![White],
            SideSelector::Black => vec![Black],
            SideSelector::Mover => vec![turn],
            SideSelector::Waiter => vec![!turn],
            SideSelector::Winner => vec![winner?],
            SideSelector::Loser => vec![!winner?],
            SideSelector::Player(name) => vec![colour_of(name)],
            SideSelector::Opponent(name) => vec![!colour_of(name)],
            SideSelector::Either | SideSelector::Both | SideSelector::Neither => vec![White, Black],
        })
    }

    pub(super) fn compares_for(
        &self,
        (left, comparison, right): (&SumExpression, NumberComparison, &SumExpression),
        colour_of: &dyn Fn(&str) -> Color,
        ply: usize,
    ) -> bool {
        let of_text = [left, right].into_iter().any(|sum| has_numbers_of(sum, NumberSource::Text));
        let sum = |sum| if of_text { self.sum_of_text(sum, colour_of, ply) } else { self.sum(sum, colour_of, ply) };
        let sides = (sum(left), sum(right));
        let (Some(left), Some(right)) = sides else { return false };
        compare(left, comparison, right)
    }

    /// Whether two sums of numbers that tables know compare, if that is known.
    pub(super) fn compares_by_tables(
        &self,
        (left, comparison, right): (&SumExpression, NumberComparison, &SumExpression),
        ply: usize,
    ) -> Truth {
        self.for_players(left, right, &|colour_of| {
            let mut sums = [left.constant, right.constant];
            let mut is_known = true;
            for (sum, total) in [left, right].into_iter().zip(&mut sums) {
                for (factor, counted) in &sum.terms {
                    let number = match counted {
                        CountExpression::Number(number) => self.number_of_tables(number.name, ply),
                        CountExpression::OfSide { side, number } => match self.colours_of(side, colour_of, ply) {
                            None => Some(None),
                            Some(colours) => {
                                let [colour] = colours[..] else { panic!("{side} is two sides") };
                                let SideNumber::Named(number) = number else { panic!("{number:?} is not of tables") };
                                let side = colour.fold_wb("white", "black");
                                self.number_of_tables(&format!("{}({side})", number.name), ply)
                            }
                        },
                        counted => panic!("{counted:?} is not of tables"),
                    };
                    match number {
                        Some(Some(number)) => *total += factor * number,
                        // There is no such number here.
                        Some(None) => return Some(false),
                        None => is_known = false,
                    }
                }
            }
            is_known.then(|| compare(sums[0], comparison, sums[1]))
        })
    }

    /// A number that tables know: unknown, known not to exist, or known.
    pub(super) fn number_of_tables(&self, name: &str, ply: usize) -> Option<Option<i64>> {
        let moves = |winner: Option<Color>| {
            let verdict = self.verdicts[ply]?;
            match verdict.winner {
                Some(side) if winner.is_none_or(|winner| winner == side) => verdict.moves.map(Some),
                _ => Some(None),
            }
        };
        match name {
            "tb_dtm" => moves(None),
            "tb_dtm(white)" => moves(Some(White)),
            "tb_dtm(black)" => moves(Some(Black)),
            "half_points_lost(white)" => self.half_points_lost(White, ply).map(Some),
            "half_points_lost(black)" => self.half_points_lost(Black, ply).map(Some),
            name => panic!("{name} has no definition here"),
        }
    }

    /// What the move of a ply gave away, if a side made it. It is known if it follows from one verdict alone.
    pub(super) fn half_points_lost(&self, side: Color, ply: usize) -> Option<i64> {
        if !self.is_mover(side, ply) {
            return Some(0);
        }
        let points = |ply: usize| self.verdicts[ply].map(|verdict| verdict.half_points(side));
        // All that the verdicts may be.
        let any = |known: Option<i64>| known.map_or(vec![0, 1, 2], |points| vec![points]);
        let lost: Vec<i64> = any(points(ply - 1))
            .iter()
            .flat_map(|before| any(points(ply)).into_iter().map(move |after| (before - after).max(0)))
            .collect();
        lost.iter().all(|one| one == &lost[0]).then(|| lost[0])
    }

    pub(super) fn threw_away(&self, side: Color, thrown: ThrownAway, ply: usize) -> Truth {
        if !self.is_mover(side, ply) {
            return Some(false);
        }
        let points = |ply: usize| self.verdicts[ply].map(|verdict| verdict.half_points(side));
        match thrown {
            ThrownAway::Win => {
                all_hold([points(ply - 1).map(|had| had == 2), points(ply).map(|has| has < 2)].into_iter())
            }
            ThrownAway::Draw => {
                all_hold([points(ply - 1).map(|had| had == 1), points(ply).map(|has| has == 0)].into_iter())
            }
            ThrownAway::Anything => self.half_points_lost(side, ply).map(|lost| lost > 0),
        }
    }

    /// Whether a side is to move, is not in check, and would get more if it were the other side's turn.
    pub(super) fn zugzwang(&self, side: Color, ply: usize) -> Truth {
        let board = &self.boards[ply];
        let now = self.verdicts[ply]?.half_points(side);
        if board.side_to_move() != side || board.is_in_check(side) {
            return Some(false);
        }
        let mut passed = board.to_setup();
        (passed.turn, passed.ep_square) = (!side, None);
        Some(OracleVerdict::of_setup(passed, &FakeTables)?.half_points(side) > now)
    }

    /// Whether a side made the move of a ply. A null move is none.
    pub(super) fn is_mover(&self, side: Color, ply: usize) -> bool {
        ply > 0 && self.boards[ply].side_to_move() != side && !self.moves()[ply - 1].is_null()
    }

    /// The sum of numbers of the text; none if one of them is unknown.
    pub(super) fn sum_of_text(
        &self,
        sum: &SumExpression,
        colour_of: &dyn Fn(&str) -> Color,
        ply: usize,
    ) -> Option<i64> {
        let numbers = sum.terms.iter().map(|(factor, counted)| match counted {
            CountExpression::Number(number) => Some(factor * self.number_of_text(number.name, ply)?),
            CountExpression::OfSide { side, number: SideNumber::Named(number) } if number.name == "clock_time" => {
                let [colour] = self.colours_of(side, colour_of, ply)?[..] else { panic!("{side} is two sides") };
                let name = colour.fold_wb("clock_time(white)", "clock_time(black)");
                Some(factor * self.number_of_text(name, ply)?)
            }
            counted => panic!("{counted:?} is not of the text"),
        });
        numbers.sum::<Option<i64>>().map(|numbers| numbers + sum.constant)
    }

    /// A number of the text after a ply, none if it is unknown or before the first ply.
    pub(super) fn number_of_text(&self, name: &str, ply: usize) -> Option<i64> {
        let said = &self.annotations;
        let eval_after = |ply: usize| {
            let score = match ply {
                0 if self.span.game(self.nth).has_custom_start() => return None,
                0 => return Some(15),
                ply => said.scores.get(ply - 1).filter(|score| score.is_known())?,
            };
            match score.as_mate() {
                Some((_, white_mates)) => Some(if white_mates { 100_000 } else { -100_000 }),
                None => score.as_centipawns().map(i64::from),
            }
        };
        let time = |times: &[u32], ply: usize| {
            let known = times.get(ply.checked_sub(1)?).filter(|&&tenths| tenths != UNKNOWN_TIME);
            known.map(|&tenths| i64::from(tenths))
        };
        // The side that made a ply is not to move after it.
        let mover = |ply: usize| !self.boards[ply].side_to_move();
        if ply == 0 {
            return None;
        }
        let clock = |side: Color| {
            let last = (1..=ply).rev().find(|&ply| mover(ply) == side)?;
            time(&said.clocks, last).map(|tenths| tenths / 10)
        };
        match name {
            "eval_cp" => eval_after(ply),
            "mate_in" => {
                let (moves, white_mates) = said.scores.get(ply - 1)?.as_mate()?;
                Some(if white_mates { i64::from(moves) } else { -i64::from(moves) })
            }
            "eval_change_cp" => {
                let change = eval_after(ply)? - eval_after(ply - 1)?;
                Some(mover(ply).fold_wb(change, -change))
            }
            "clock_time(white)" => clock(White),
            "clock_time(black)" => clock(Black),
            "time_spent" => {
                let by_clocks = || {
                    let (before, after) = (time(&said.clocks, ply.checked_sub(2)?)?, time(&said.clocks, ply)?);
                    Some(before + i64::from(said.time_control.increment) - after).filter(|&tenths| tenths >= 0)
                };
                time(&said.elapsed, ply).or_else(by_clocks).map(|tenths| tenths / 10)
            }
            name => panic!("{name} has no definition here"),
        }
    }

    /// The squares of an expression for a side.
    pub(crate) fn squares(&self, squares: &SquareExpression, colour: Color, ply: usize) -> u64 {
        let board = &self.boards[ply];
        let each = |part: &SquareExpression| self.squares(part, colour, ply);
        match squares {
            SquareExpression::Feature { feature, region } => {
                feature.squares_on(board, colour) & region.for_side(colour)
            }
            SquareExpression::Named { name, region } => {
                self.followed.square_of(self, *name, ply) & board.occupied_by(colour) & region.for_side(colour)
            }
            SquareExpression::Left { name, which } => self.followed.left_by(self, *name, *which, ply),
            SquareExpression::Introduced { place, name } => each(place) & self.followed.square_of(self, *name, ply),
            SquareExpression::All(parts) => parts.iter().map(each).fold(u64::MAX, |all, part| all & part),
            SquareExpression::Any(parts) => parts.iter().map(each).fold(0, |any, part| any | part),
            SquareExpression::Not(part) => !each(part),
            SquareExpression::On(part, region) => each(part) & region.for_side(colour),
            SquareExpression::Related(relation) => self.related(relation, colour, ply),
            SquareExpression::XRaying { pieces, ray } => {
                let pieces = each(pieces);
                Square::ALL
                    .into_iter()
                    .filter(|from| pieces >> *from as u32 & 1 != 0)
                    .fold(0, |all, from| all | u64::from(self.xrays(from, ray, colour, ply)) << from as u32)
            }
            SquareExpression::Attacking { pieces, defends, target } => {
                let target = match &**target {
                    SquareTarget::Region(region) => region.for_side(colour),
                    SquareTarget::Squares(target) => self.squares(target, if *defends { colour } else { !colour }, ply),
                };
                let position = board.to_setup().board;
                let attacks = |from: &Square| {
                    position.color_at(*from) == Some(colour) && position.attacks_from(*from).0 & target != 0
                };
                shakmaty::Bitboard(each(pieces)).into_iter().filter(attacks).fold(0, |all, from| all | 1 << from as u32)
            }
        }
    }

    /// A sum, by its terms one after the other.
    pub(super) fn sum(&self, sum: &SumExpression, colour_of: &dyn Fn(&str) -> Color, ply: usize) -> Option<i64> {
        let board = &self.boards[ply];
        let each = |side: &SideSelector, of: &dyn Fn(Color) -> i64| {
            Some(self.colours_of(side, colour_of, ply)?.into_iter().map(of).sum::<i64>())
        };
        let squares = |side: &SideSelector, squares: &SquareExpression| {
            let number = |colour| i64::from(self.squares(squares, colour, ply).count_ones());
            if squares.has_sides() { each(side, &number) } else { each(side, &number).map(|_| number(White)) }
        };
        let worth = [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];
        let number = |counted: &CountExpression| match counted {
            CountExpression::Squares { side, squares: set } => squares(side, set),
            CountExpression::Points(side) => each(side, &|colour| {
                worth.iter().map(|&(role, points)| points * i64::from(board.pieces(colour, role).count_ones())).sum()
            }),
            CountExpression::Number(number) => Some((number.value)(board)),
            CountExpression::OfSide { side, number } => each(side, &|colour| match number {
                SideNumber::MovesOf(_) if board.side_to_move() != colour => 0,
                SideNumber::MovesOf(role) => {
                    let from = role.map_or(board.occupied_by(colour), |role| board.pieces(colour, role));
                    i64::from(board.legal_move_count(from))
                }
                SideNumber::Captures => 16 - i64::from(board.occupied_by(!colour).count_ones()),
                SideNumber::Named(number) => panic!("{} is not of the board", number.name),
            }),
        };
        let terms = sum.terms.iter().map(|(factor, counted)| Some(factor * number(counted)?));
        Some(terms.sum::<Option<i64>>()? + sum.constant)
    }
}
