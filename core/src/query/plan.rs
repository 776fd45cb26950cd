//! From a tree to what the scan runs: predicates, each once; conditions over them; gates; the verdict over the conditions.
//!
//! `never` and `always`, `at most` and `exactly` are made of windows that only ever turn from not yet to fulfilled, and of `not`:
//! always A is never not A, at most three times is not at least four times.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Color, Role};

use super::diagram::Diagram;
use super::error::{QueryError, wrong};
use super::fen::Fen;
use super::header::{EloOf, Header, NameOf};
use super::material::Imbalance;
use super::region::Region;
use super::tree::{Counted, Leaf, Side, Sum, Target, Tree};
use super::under::Under;
use super::window::{Often, Phase, Quantifier, Window};
use crate::board::man;
use crate::headers::{Codes, Date, Elo, Field, HeaderTest, NamePattern, NamedSet, Outcome};
use crate::scan::combine::Formula;
use crate::scan::images::Images;
use crate::scan::measure::{FEATURES, Feature};
use crate::scan::predicate::{Attacks, Bounds, Comparison, PawnPattern, Placement, Predicate, Size, Squares, Term};
use crate::scan::when::When;
use crate::scan::{self, Condition, Gate, Query, Times};

/// Points of the men that `points` counts.
pub const POINTS: [(Role, i64); 5] =
    [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];

/// More different numbers of men than these are asked for as one.
const MOST_NUMBERS: usize = 4;

/// Images with no more squares than these in all, those of pawns left out, are asked for one by one.
// PERF: so many squares are watched in less time than a board is replayed.
const MOST_WATCHED: u32 = 16;

/// Finds the ECO codes that the name of an opening means.
pub type Openings<'a> = &'a dyn Fn(&str) -> Result<Codes, QueryError>;

/// Turns a tree into what the scan runs.
///
/// # Errors
///
/// More than 64 different predicates, conditions or gates; an opening that nobody knows; a tree that no text reads as.
pub fn plan(tree: &Tree, openings: Openings<'_>) -> Result<Query, QueryError> {
    let mut plan = Plan { query: Query::everything(), openings };
    let Lowered { verdict, matching, .. } = plan.lower(tree, None)?;
    (plan.query.verdict, plan.query.matching) = (verdict, matching);
    Ok(plan.query)
}

struct Plan<'a> {
    query: Query,
    openings: Openings<'a>,
}

/// A part of a query, over the bits of its conditions.
struct Lowered {
    /// Which games match.
    verdict: Formula,
    /// Which positions match.
    matching: Formula,
    /// At which plies it is fulfilled, if that is known before the end of the game.
    fires: Option<Formula>,
}

impl Lowered {
    fn of(bit: Formula) -> Lowered {
        Lowered { verdict: bit.clone(), matching: bit.clone(), fires: Some(bit) }
    }
}

impl Plan<'_> {
    /// Outside braces: every part is a condition of its own.
    fn lower(&mut self, tree: &Tree, gate: Option<u8>) -> Result<Lowered, QueryError> {
        match tree {
            Tree::Everything => Ok(Lowered { verdict: Formula::True, matching: Formula::True, fires: None }),
            Tree::And(parts) => self.several(parts, gate, Formula::And),
            Tree::Or(parts) => self.several(parts, gate, Formula::Or),
            Tree::Not(inner) => {
                let inner = self.lower(inner, gate)?;
                Ok(Lowered { verdict: not(inner.verdict), matching: not(inner.matching), fires: None })
            }
            Tree::Together(_) | Tree::Leaf(_) => self.window(tree, &Window::EVER, gate),
            Tree::Condition { what, window } => self.window(what, window, gate),
            Tree::Header(_) => {
                let formula = self.position(tree)?;
                let window = scan::Window { times: Times::Fact, ..scan::Window::EVER };
                self.condition(formula, window, None).map(Lowered::of)
            }
            Tree::Then { first, within, second } => {
                let first = self.lower(first, gate)?;
                let Some(fires) = first.fires else {
                    return Err(wrong("what comes before `then` is known only at the end of the game", 0, 0, &[]));
                };
                let gate = Gate { first: fires, within: within.map(|plies| plies.max(1)) };
                let gate = number(&mut self.query.gates, gate, "`then`s")?;
                let second = self.lower(second, Some(gate))?;
                Ok(Lowered {
                    verdict: Formula::And(vec![first.verdict, second.verdict]),
                    matching: Formula::Or(vec![first.matching, second.matching]),
                    fires: second.fires,
                })
            }
        }
    }

    fn several(
        &mut self,
        parts: &[Tree],
        gate: Option<u8>,
        all: fn(Vec<Formula>) -> Formula,
    ) -> Result<Lowered, QueryError> {
        let parts = parts.iter().map(|part| self.lower(part, gate)).collect::<Result<Vec<_>, _>>()?;
        let fires = parts.iter().map(|part| part.fires.clone()).collect::<Option<Vec<_>>>();
        let (verdicts, matching) = parts.into_iter().map(|part| (part.verdict, part.matching)).unzip();
        Ok(Lowered { verdict: all(verdicts), matching: all(matching), fires: fires.map(all) })
    }

    /// What holds at one position, within its window.
    fn window(&mut self, what: &Tree, window: &Window, gate: Option<u8>) -> Result<Lowered, QueryError> {
        let formula = self.position(what)?;
        let phase = window.phase.map_or(Ok(Formula::True), |phase| self.phase(phase))?;
        let told = |times| scan::Window { edge: window.edge, when: window.when, phase: phase.clone(), times };
        if window.quantifier == Quantifier::Always {
            let contrary = self.condition(not(formula), told(Times::Once), gate)?;
            return Ok(Lowered { verdict: not(contrary.clone()), matching: not(contrary), fires: None });
        }
        let mut condition = |times| self.condition(formula.clone(), told(times), gate);
        let count = |plies: u32| if plies <= 1 { Times::Once } else { Times::Count(plies) };
        let lowered = match window.often {
            Often::Once | Often::Row(0 | 1) => Lowered::of(condition(Times::Once)?),
            Often::Row(plies) => Lowered::of(condition(Times::Row(plies))?),
            Often::Times { least, most } => {
                let at_least = if least > 0 { Some(condition(count(least))?) } else { None };
                let more = if most < u32::MAX { Some(condition(count(most + 1))?) } else { None };
                match (at_least, more) {
                    (Some(bit), None) => Lowered::of(bit),
                    (None, Some(more)) => Lowered { verdict: not(more.clone()), matching: more, fires: None },
                    (Some(bit), Some(more)) => {
                        let verdict = Formula::And(vec![bit.clone(), not(more)]);
                        Lowered { verdict, matching: bit, fires: None }
                    }
                    (None, None) => return Err(wrong("any number of times is no condition", 0, 0, &[])),
                }
            }
        };
        Ok(match window.quantifier {
            Quantifier::Never => {
                Lowered { verdict: not(lowered.verdict), matching: not(lowered.matching), fires: None }
            }
            _ => lowered,
        })
    }

    fn condition(&mut self, formula: Formula, window: scan::Window, gate: Option<u8>) -> Result<Formula, QueryError> {
        let condition = Condition { formula, window, gate };
        number(&mut self.query.conditions, condition, "conditions").map(Formula::Bit)
    }

    fn predicate(&mut self, predicate: Predicate) -> Result<Formula, QueryError> {
        number(&mut self.query.predicates, predicate, "predicates").map(Formula::Bit)
    }

    /// Inside braces: everything holds at the same position.
    fn position(&mut self, tree: &Tree) -> Result<Formula, QueryError> {
        let mut each = |parts: &[Tree]| parts.iter().map(|part| self.position(part)).collect::<Result<Vec<_>, _>>();
        match tree {
            Tree::Everything => Ok(Formula::True),
            Tree::And(parts) => Ok(flat(each(parts)?)),
            Tree::Or(parts) => Ok(Formula::Or(each(parts)?)),
            Tree::Not(inner) => Ok(not(self.position(inner)?)),
            Tree::Together(inner) => self.position(inner),
            Tree::Leaf(leaf) => self.leaf(leaf),
            Tree::Header(header) => self.header(header),
            // No text reads as such a tree.
            Tree::Condition { .. } => {
                Err(wrong("words about plies cannot stand inside braces, which are one position", 0, 0, &[]))
            }
            Tree::Then { .. } => Err(wrong("`then` cannot stand inside braces, which are one position", 0, 0, &[])),
        }
    }

    /// What holds in a part of the game.
    fn phase(&mut self, phase: Phase) -> Result<Formula, QueryError> {
        let pieces = || {
            let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
            let men = Color::ALL.into_iter().flat_map(move |colour| roles.map(|role| man(colour, role)));
            men.map(|man| Term { weight: 1, size: Size::Number(man) }).collect::<Vec<_>>()
        };
        let mut at_most =
            |constant| self.predicate(Predicate::Compare { terms: pieces(), comparison: Comparison::AtMost, constant });
        if phase == Phase::Endgame {
            return at_most(6);
        }
        let mut left = vec![at_most(10)?];
        for colour in Color::ALL {
            let Some(feature) = FEATURES.iter().copied().find(|feature| feature.name == "man") else { continue };
            let region = Region { squares: 0, own: 0xff }.of(colour);
            let terms = vec![Term { weight: 1, size: Squares { feature, colour, region }.counted() }];
            left.push(self.predicate(Predicate::Compare { terms, comparison: Comparison::Less, constant: 4 })?);
        }
        let left = Formula::Or(left);
        Ok(match phase {
            Phase::Opening => not(left),
            _ => Formula::And(vec![not(self.phase(Phase::Endgame)?), left]),
        })
    }

    fn leaf(&mut self, leaf: &Leaf) -> Result<Formula, QueryError> {
        match leaf {
            Leaf::Feature { feature, region, .. } if !feature.sided => {
                self.somewhere(feature, Color::White, region.of(Color::White))
            }
            Leaf::Feature { side, feature, region } => {
                self.of_side(side, &mut |plan, colour| plan.somewhere(feature, colour, region.of(colour)))
            }
            Leaf::Absent { side, feature, region } => {
                let side = if matches!(side, Side::Either | Side::Neither) { &Side::Both } else { side };
                self.of_side(side, &mut |plan, colour| Ok(not(plan.somewhere(feature, colour, region.of(colour))?)))
            }
            Leaf::Attacks { side, feature, region, defends, target } => self.of_side(side, &mut |plan, colour| {
                let by = Squares { feature, colour, region: region.of(colour) };
                let target = match target {
                    Target::Region(region) => scan::predicate::Target::Region(region.of(colour)),
                    Target::Feature { feature, region } => {
                        let whose = if *defends { colour } else { !colour };
                        scan::predicate::Target::Feature(Squares { feature, colour: whose, region: region.of(whose) })
                    }
                };
                plan.predicate(Predicate::Attacks(Box::new(Attacks { by, target })))
            }),
            Leaf::Empty(region) => self.predicate(Predicate::Empty(region.squares)),
            Leaf::Compare(left, comparison, right) => self.predicate(compare(left, *comparison, right)),
            Leaf::Number { of_move, first, last } => {
                let range = (*first, *last);
                let when = match of_move {
                    true => When { moves: range, ..When::ALWAYS },
                    false => When { plies: range, ..When::ALWAYS },
                };
                self.predicate(Predicate::When(when))
            }
            Leaf::Fen(fen) => self.together(position_of(fen)),
            Leaf::Board(diagram) => self.together(pattern(diagram, diagram.rest())),
            Leaf::Structure { white, black } => {
                let pawns = Diagram::of_pawns(*white, *black).pawns().map(Predicate::Pawns);
                self.together(pawns.into_iter().collect())
            }
            Leaf::Under(under) => self.one_of_images(under),
            Leaf::Material(material) => self.one_of(material.bounds()),
            Leaf::Imbalance(imbalance) => self.imbalance(imbalance),
            Leaf::Endgame(endgame) => self.one_of(endgame.bounds()),
        }
    }

    fn somewhere(&mut self, feature: &'static Feature, colour: Color, region: u64) -> Result<Formula, QueryError> {
        self.predicate(Predicate::Somewhere(Squares { feature, colour, region }))
    }

    /// What is said of a colour, said of a side.
    fn of_side(
        &mut self,
        side: &Side,
        of: &mut dyn FnMut(&mut Self, Color) -> Result<Formula, QueryError>,
    ) -> Result<Formula, QueryError> {
        if let Some(colour) = side.colour() {
            return of(self, colour);
        }
        // Which side it is, where it is one: a condition under which it is White, and one under which it is Black.
        let is: Option<[Predicate; 2]> = match side {
            Side::Mover => Some([Predicate::Turn(Color::White), Predicate::Turn(Color::Black)]),
            Side::Waiter => Some([Predicate::Turn(Color::Black), Predicate::Turn(Color::White)]),
            Side::Winner => Some([Outcome::White, Outcome::Black].map(|one| Predicate::Header(result(&[one])))),
            Side::Loser => Some([Outcome::Black, Outcome::White].map(|one| Predicate::Header(result(&[one])))),
            Side::Player(name) => Some([Field::White, Field::Black].map(|field| Predicate::Header(named(field, name)))),
            _ => None,
        };
        let colours = match is {
            None => Color::ALL.into_iter().map(|colour| of(self, colour)).collect::<Result<Vec<_>, _>>()?,
            Some(is) => {
                let parts = Color::ALL.into_iter().zip(is).map(|(colour, is)| {
                    let (is, holds) = (self.predicate(is)?, of(self, colour)?);
                    Ok(flat(vec![is, holds]))
                });
                parts.collect::<Result<Vec<_>, _>>()?
            }
        };
        Ok(match side {
            Side::Both => flat(colours),
            Side::Neither => not(Formula::Or(colours)),
            _ => Formula::Or(colours),
        })
    }

    /// All of `predicates` at one position.
    fn together(&mut self, predicates: Vec<Predicate>) -> Result<Formula, QueryError> {
        let mut formulas = self.interned(predicates.into_iter())?;
        match formulas.len() {
            0 => Ok(Formula::True),
            1 => Ok(formulas.swap_remove(0)),
            _ => Ok(Formula::And(formulas)),
        }
    }

    /// One of the images. Those that ask for the same of everything but squares are tested as one.
    fn one_of_images(&mut self, under: &Under) -> Result<Formula, QueryError> {
        let ways: Vec<Way> = under.images().iter().filter_map(|(_, leaf)| Way::of(leaf)).collect();
        let mut groups: Vec<(Rest, Vec<&Way>)> = Vec::new();
        for way in &ways {
            let rest = way.rest.clone();
            match groups.iter_mut().find(|(other, _)| *other == rest) {
                Some((_, group)) => group.push(way),
                None => groups.push((rest, Vec::from([way]))),
            }
        }
        let groups = groups.into_iter().map(|(rest, group)| {
            let mut formulas = self.interned(rest.predicates().into_iter())?;
            formulas.extend(self.numbers_of(&group)?);
            let watched = group.iter().map(|way| way.others.map_or(0, |others| others.squares.count_ones()));
            // Where pawns tell enough, what they leave open is soon replayed.
            let most = if group.iter().any(|way| way.pawns.is_none()) { MOST_WATCHED } else { MOST_WATCHED / 2 };
            if group.len() > 1 && (1..=most).contains(&watched.sum()) {
                let each = group.iter().map(|way| self.together(Way::squares(&[*way])));
                formulas.push(Formula::Or(each.collect::<Result<_, _>>()?));
            } else {
                formulas.extend(self.interned(Way::squares(&group).into_iter())?);
            }
            Ok(flat(formulas))
        });
        let mut groups = groups.collect::<Result<Vec<Formula>, QueryError>>()?;
        Ok(if groups.len() == 1 { groups.swap_remove(0) } else { Formula::Or(groups) })
    }

    /// The numbers of men that one of these asks for, if each asks for some and many ask for the same.
    fn numbers_of(&mut self, ways: &[&Way]) -> Result<Option<Formula>, QueryError> {
        let mut bounds: Vec<Bounds> = Vec::new();
        for way in ways {
            let Some(numbers) = way.numbers else { return Ok(None) };
            if !bounds.contains(&numbers) {
                bounds.push(numbers);
            }
        }
        if bounds.len() > MOST_NUMBERS {
            let all = |one: Bounds, two: &Bounds| Bounds {
                least: core::array::from_fn(|man| one.least[man].min(two.least[man])),
                most: core::array::from_fn(|man| one.most[man].max(two.most[man])),
            };
            bounds = Vec::from([bounds.iter().skip(1).fold(bounds[0], all)]);
        }
        self.one_of(bounds.into_iter()).map(Some)
    }

    /// Numbers of men within one of `bounds`, of which there are some.
    fn one_of(&mut self, bounds: impl Iterator<Item = Bounds>) -> Result<Formula, QueryError> {
        let mut formulas = self.interned(bounds.map(|bounds| Predicate::Numbers(Box::new(bounds))))?;
        Ok(if formulas.len() == 1 { formulas.swap_remove(0) } else { Formula::Or(formulas) })
    }

    fn interned(&mut self, predicates: impl Iterator<Item = Predicate>) -> Result<Vec<Formula>, QueryError> {
        predicates.map(|predicate| self.predicate(predicate)).collect()
    }

    /// Each number of men of one side less that of the other.
    fn imbalance(&mut self, imbalance: &Imbalance) -> Result<Formula, QueryError> {
        let mut of = |first: Color| {
            let mut parts = Vec::new();
            for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn] {
                // In the order of colours, so that the same question is one predicate whoever is named first.
                let sign = first.fold_wb(1, -1);
                let constant = sign * i64::from(imbalance.more[role as usize - 1]);
                let terms = [(Color::White, 1), (Color::Black, -1)];
                let terms = terms.map(|(colour, weight)| Term { weight, size: Size::Number(man(colour, role)) });
                let comparison = Comparison::Equal;
                parts.push(self.predicate(Predicate::Compare { terms: terms.to_vec(), comparison, constant })?);
            }
            Ok(Formula::And(parts))
        };
        match imbalance.first {
            Some(first) => of(first),
            None if imbalance.more == [0; 5] => of(Color::White),
            None => Ok(Formula::Or(vec![of(Color::White)?, of(Color::Black)?])),
        }
    }

    fn header(&mut self, header: &Header) -> Result<Formula, QueryError> {
        let mask = |bits: &mut dyn Iterator<Item = u16>| bits.fold(0, |all, bit| all | 1 << bit);
        let mut test = |test| self.predicate(Predicate::Header(test));
        match header {
            Header::Result(outcomes) => test(result(outcomes)),
            Header::Name { of, pattern } => match of {
                NameOf::White => test(named(Field::White, pattern)),
                NameOf::Black => test(named(Field::Black, pattern)),
                NameOf::Event => test(named(Field::Event, pattern)),
                NameOf::Site => test(named(Field::Site, pattern)),
                NameOf::Source => test(named(Field::Source, pattern)),
                NameOf::Player => {
                    Ok(Formula::Or(vec![test(named(Field::White, pattern))?, test(named(Field::Black, pattern))?]))
                }
                NameOf::Winner | NameOf::Loser => {
                    let side = if *of == NameOf::Winner { Side::Winner } else { Side::Loser };
                    self.of_side(&side, &mut |plan, colour| {
                        let field = colour.fold_wb(Field::White, Field::Black);
                        plan.predicate(Predicate::Header(named(field, pattern)))
                    })
                }
            },
            Header::Elo { of, range } => {
                let clamp = |number: u32| number.min(u32::from(u16::MAX)) as u16;
                let (least, most) = (clamp(range.least), clamp(range.most));
                let elo = |which| HeaderTest::Elo { which, least, most };
                match of {
                    EloOf::White => test(elo(Elo::White)),
                    EloOf::Black => test(elo(Elo::Black)),
                    EloOf::Average => test(elo(Elo::Average)),
                    EloOf::Difference => test(elo(Elo::Difference)),
                    EloOf::Both => Ok(flat(vec![test(elo(Elo::White))?, test(elo(Elo::Black))?])),
                    EloOf::Either => Ok(Formula::Or(vec![test(elo(Elo::White))?, test(elo(Elo::Black))?])),
                    EloOf::Winner | EloOf::Loser => {
                        let side = if *of == EloOf::Winner { Side::Winner } else { Side::Loser };
                        self.of_side(&side, &mut |plan, colour| {
                            plan.predicate(Predicate::Header(elo(colour.fold_wb(Elo::White, Elo::Black))))
                        })
                    }
                }
            }
            Header::Eco(ranges) => {
                let mut codes = Codes::default();
                ranges.iter().for_each(|&(from, to)| codes.add(&Codes::range(from, to)));
                test(HeaderTest::Eco(codes))
            }
            Header::Opening(name) => {
                let codes = (self.openings)(name)?;
                self.predicate(Predicate::Header(HeaderTest::Eco(codes)))
            }
            Header::Date { from, to } => {
                let part = |part: u8, last: u8| u32::from(if part == 0 { last } else { part });
                let from =
                    from.map_or(Date::default(), |day| Date::new(day.year.into(), day.month.into(), day.day.into()));
                let to = to.map_or(Date::new(9999, 12, 31), |day| {
                    Date::new(day.year.into(), part(day.month, 12), part(day.day, 31))
                });
                test(HeaderTest::Date { from, to })
            }
            Header::Plies(range) => {
                let clamp = |number: u32| number.min(u32::from(u16::MAX)) as u16;
                test(HeaderTest::Plies { least: clamp(range.least), most: clamp(range.most) })
            }
            Header::Set(name) => test(HeaderTest::Set(NamedSet::unbound(name))),
            Header::Ended(endings) => test(HeaderTest::Ending(mask(&mut endings.iter().map(|&one| one as u16)))),
            Header::TimeClass(classes) => test(HeaderTest::TimeClass(mask(&mut classes.iter().map(|&one| one as u16)))),
        }
    }
}

fn result(outcomes: &[Outcome]) -> HeaderTest {
    HeaderTest::Result(outcomes.iter().fold(0, |all, &outcome| all | 1 << outcome as u16))
}

fn named(field: Field, pattern: &str) -> HeaderTest {
    HeaderTest::Name { field, pattern: NamePattern::new(pattern) }
}

fn not(formula: Formula) -> Formula {
    match formula {
        Formula::Not(inner) => *inner,
        formula => Formula::Not(Box::new(formula)),
    }
}

/// All of them, those of an `and` within each by itself: so the scan sees what it can begin with.
fn flat(parts: Vec<Formula>) -> Formula {
    let flat = parts.into_iter().flat_map(|part| match part {
        Formula::And(inner) => inner,
        part => vec![part],
    });
    Formula::And(flat.collect())
}

/// What an image asks for.
struct Way {
    rest: Rest,
    /// Numbers of men, which its squares imply.
    numbers: Option<Bounds>,
    pawns: Option<PawnPattern>,
    /// What [`pawns`](Self::pawns) does not say.
    others: Option<Placement>,
    /// Every square of which it says something.
    all: Placement,
}

/// What an image asks for besides men.
#[derive(Clone, PartialEq)]
struct Rest {
    turn: Option<Color>,
    rights: Option<Predicate>,
}

impl Rest {
    fn predicates(self) -> Vec<Predicate> {
        [self.turn.map(Predicate::Turn), self.rights].into_iter().flatten().collect()
    }
}

impl Way {
    /// What speaks of the whole board.
    fn of(leaf: &Leaf) -> Option<Way> {
        let of = |diagram: &Diagram, turn, rights| Way {
            rest: Rest { turn, rights },
            numbers: diagram.numbers(),
            pawns: diagram.pawns(),
            others: diagram.rest(),
            all: diagram.everywhere(),
        };
        match leaf {
            Leaf::Fen(fen) => Some(of(&fen.placement, fen.turn, rights_of(fen))),
            Leaf::Board(diagram) => Some(of(diagram, None, None)),
            Leaf::Structure { white, black } => {
                let diagram = Diagram::of_pawns(*white, *black);
                let rest = Rest { turn: None, rights: None };
                Some(Way { rest, numbers: None, pawns: diagram.pawns(), others: None, all: diagram.everywhere() })
            }
            _ => None,
        }
    }

    /// One of these, as far as squares go: what can be told from the pawns alone, and what is exact.
    fn squares(ways: &[&Way]) -> Vec<Predicate> {
        let exactly = |placement: &Placement| Predicate::Placement(Box::new(*placement));
        if let [way] = ways {
            return [way.pawns.map(Predicate::Pawns), way.others.as_ref().map(exactly)].into_iter().flatten().collect();
        }
        let mut pawns: Vec<PawnPattern> = Vec::new();
        for way in ways {
            pawns.extend(way.pawns.filter(|pattern| !pawns.contains(pattern)));
        }
        let mut predicates = Vec::new();
        if ways.iter().all(|way| way.pawns.is_some()) {
            predicates.push(Predicate::PawnImages(pawns.into()));
        }
        if ways.iter().any(|way| way.others.is_some()) {
            let all = ways.iter().map(|way| way.all).collect();
            predicates.push(Predicate::Images(Box::new(Images::new(all))));
        }
        predicates
    }
}

/// A placement and what else a FEN asks for: what is cheap to test, and what is exact.
fn position_of(fen: &Fen) -> Vec<Predicate> {
    let mut predicates: Vec<Predicate> = fen.turn.map(Predicate::Turn).into_iter().collect();
    predicates.extend(pattern(&fen.placement, Some(fen.placement.whole())));
    predicates.extend(rights_of(fen));
    predicates
}

fn rights_of(fen: &Fen) -> Option<Predicate> {
    let (castling, en_passant) = (fen.castling, fen.en_passant);
    (castling.is_some() || en_passant.is_some()).then_some(Predicate::Rights { castling, en_passant })
}

/// What a diagram says of numbers and of pawns, and `placement`, which makes it exact.
fn pattern(diagram: &Diagram, placement: Option<Placement>) -> Vec<Predicate> {
    let numbers = diagram.numbers().map(|bounds| Predicate::Numbers(Box::new(bounds)));
    let pawns = diagram.pawns().map(Predicate::Pawns);
    let placement = placement.map(|placement| Predicate::Placement(Box::new(placement)));
    [numbers, pawns, placement].into_iter().flatten().collect()
}

/// All counts to the left, all constants to the right.
fn compare(left: &Sum, comparison: Comparison, right: &Sum) -> Predicate {
    let mut terms: Vec<Term> = Vec::new();
    let mut add = |weight: i64, size: Size| match terms.iter_mut().find(|term| term.size == size) {
        Some(term) => term.weight = term.weight.saturating_add(weight),
        None => terms.push(Term { weight, size }),
    };
    for (sum, sign) in [(left, 1), (right, -1)] {
        for (factor, counted) in &sum.terms {
            let weight = sign * factor;
            let colours = |side: &Side| {
                let one = side.colour();
                Color::ALL.into_iter().filter(move |&colour| one.is_none_or(|one| one == colour))
            };
            match counted {
                Counted::Squares { side, feature, region } => {
                    for colour in colours(side).filter(|&colour| feature.sided || colour == Color::White) {
                        if feature.name == "man" && *region == Region::ANYWHERE {
                            // Their numbers are known without a look at the squares.
                            Role::ALL.iter().for_each(|&role| add(weight, Size::Number(man(colour, role))));
                        } else {
                            add(weight, Squares { feature, colour, region: region.of(colour) }.counted());
                        }
                    }
                }
                Counted::Number(number) => add(weight, Size::Measure(number)),
                Counted::Points(side) => {
                    for colour in colours(side) {
                        for (role, points) in POINTS {
                            add(weight.saturating_mul(points), Size::Number(man(colour, role)));
                        }
                    }
                }
            }
        }
    }
    terms.retain(|term| term.weight != 0);
    Predicate::Compare { terms, comparison, constant: right.constant - left.constant }
}

/// The number of `item` in `list`, which it joins if it is new.
fn number<T: PartialEq>(list: &mut Vec<T>, item: T, what: &str) -> Result<u8, QueryError> {
    let at = list.iter().position(|known| *known == item).unwrap_or(list.len());
    if at == 64 {
        let message = alloc::format!("a query has at most 64 different {what}");
        return Err(wrong(&message, 0, 0, &[]));
    }
    if at == list.len() {
        list.push(item);
    }
    Ok(at as u8)
}
