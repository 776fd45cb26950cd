//! What a query means, written straight from the definitions: linear temporal logic over the finite trace of a game.
//!
//! It evaluates the tree of a query on the stored positions of one game, a ply at a time, as often as it likes. It shares nothing with
//! the plan, the windows and the gates of the engine; what single predicates say of a position is asked of the features themselves.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use plyfold_core::board::Board;
use plyfold_core::board::make::Whole;
use plyfold_core::game::Span;
use plyfold_core::query::header::{EloOf, Header, NameOf};
use plyfold_core::query::parse::parse;
use plyfold_core::query::plan::plan;
use plyfold_core::query::tree::{Leaf, Side, Target, Tree};
use plyfold_core::query::under::Under;
use plyfold_core::query::window::{Often, Phase, Quantifier, Window};
use plyfold_core::query::{no_openings, region::Region};
use plyfold_core::scan::Edge;
use plyfold_core::scan::measure::Feature;
use shakmaty::Color::{Black, White};
use shakmaty::{Color, Role};

use crate::images;
use crate::queries::is_in_set;

/// The stored trace of a game.
pub struct Trace<'a> {
    /// The boards before the first ply and after each.
    boards: Vec<Board>,
    span: Span<'a>,
    nth: u32,
    /// What has been read of images.
    images: RefCell<HashMap<String, Vec<Leaf>>>,
    /// Where parts of queries hold that have been asked for, by their text: by ply, from 0.
    held: RefCell<HashMap<String, Rc<[bool]>>>,
}

/// Whether a condition is fulfilled, and at which plies it is, from 0 for what holds before the first.
struct Fulfilled {
    verdict: bool,
    at: Vec<bool>,
}

/// Each image as a leaf of its own.
fn images_of(under: &Under) -> Vec<Leaf> {
    let written = under.what.to_string();
    let (word, text) = written.split_once(' ').expect("a word and a text");
    let images = images::images(word, text.trim_matches('"'), &under.families);
    let parsed = images.iter().map(|(_, text)| match parse(&format!("{word} \"{text}\"")).expect(text) {
        Tree::Leaf(leaf) => leaf,
        other => panic!("{other} is no leaf"),
    });
    parsed.collect()
}

impl<'a> Trace<'a> {
    /// The trace of game `nth` of `span`.
    pub fn of(span: Span<'a>, nth: u32) -> Trace<'a> {
        let game = span.game(nth);
        let mut board = game.start();
        // How often each position has stood, by all that makes it the same.
        let mut seen: HashMap<String, u16> = HashMap::new();
        let mut boards = Vec::new();
        for ply in 0..=game.moves.len() {
            if ply > 0 {
                board.make::<Whole>(game.moves[ply - 1]);
            }
            let fen = board.fen().to_string();
            let same = fen.rsplitn(3, ' ').last().unwrap_or("").to_owned();
            let times = seen.entry(same).or_default();
            *times += 1;
            board.repetition = *times;
            boards.push(board.clone());
        }
        Trace { boards, span, nth, images: RefCell::default(), held: RefCell::default() }
    }

    /// Whether the game matches.
    pub fn matches(&self, tree: &Tree) -> bool {
        self.fulfilled(tree, &|_| true).verdict
    }

    /// Plies whose positions match, from 1: windows left aside.
    pub fn matching_plies(&self, tree: &Tree) -> Vec<u32> {
        let matching = self.matching(tree);
        (1..=self.plies()).filter(|&ply| matching[ply]).map(|ply| ply as u32).collect()
    }

    fn plies(&self) -> usize {
        self.boards.len() - 1
    }

    /// By ply, from 0, whether its position matches: by the same combination of what holds at it, whatever the windows; after `then` or
    /// before it.
    fn matching(&self, tree: &Tree) -> Rc<[bool]> {
        let each = |parts: &[Tree]| parts.iter().map(|part| self.matching(part)).collect::<Vec<_>>();
        let at = |holds: &dyn Fn(usize) -> bool| (0..=self.plies()).map(holds).collect::<Rc<[bool]>>();
        match tree {
            Tree::And(parts) => {
                let parts = each(parts);
                at(&|ply| parts.iter().all(|part| part[ply]))
            }
            Tree::Or(parts) => {
                let parts = each(parts);
                at(&|ply| parts.iter().any(|part| part[ply]))
            }
            Tree::Not(inner) => {
                let inner = self.matching(inner);
                at(&|ply| !inner[ply])
            }
            Tree::Then { first, second, .. } => {
                let (first, second) = (self.matching(first), self.matching(second));
                at(&|ply| first[ply] || second[ply])
            }
            Tree::Condition { what, window } => {
                let what = self.held(what);
                at(&|ply| what[ply] != (window.quantifier == Quantifier::Never))
            }
            tree => self.held(tree),
        }
    }

    /// By ply, from 0, whether a part of a query without windows holds.
    fn held(&self, tree: &Tree) -> Rc<[bool]> {
        let text = tree.to_string();
        if let Some(held) = self.held.borrow().get(&text) {
            return held.clone();
        }
        let each = |parts: &[Tree]| parts.iter().map(|part| self.held(part)).collect::<Vec<_>>();
        let at = |holds: &dyn Fn(usize) -> bool| (0..=self.plies()).map(holds).collect::<Rc<[bool]>>();
        let held = match tree {
            Tree::And(parts) => {
                let parts = each(parts);
                at(&|ply| parts.iter().all(|part| part[ply]))
            }
            Tree::Or(parts) => {
                let parts = each(parts);
                at(&|ply| parts.iter().any(|part| part[ply]))
            }
            Tree::Not(inner) => {
                let inner = self.held(inner);
                at(&|ply| !inner[ply])
            }
            Tree::Together(inner) => self.held(inner),
            tree => at(&|ply| self.holds(tree, ply)),
        };
        self.held.borrow_mut().insert(text, held.clone());
        held
    }

    /// What a part of a query comes to, if only plies count at which `counts`.
    fn fulfilled(&self, tree: &Tree, counts: &dyn Fn(usize) -> bool) -> Fulfilled {
        let each = |parts: &[Tree]| parts.iter().map(|part| self.fulfilled(part, counts)).collect::<Vec<_>>();
        let by = |part: &Fulfilled, ply: usize| part.at[..=ply].contains(&true);
        let at = |holds: &dyn Fn(usize) -> bool| (0..=self.plies()).map(holds).collect::<Vec<_>>();
        match tree {
            Tree::Everything => Fulfilled { verdict: true, at: at(&|ply| ply == 0) },
            Tree::And(parts) => {
                let parts = each(parts);
                // All are fulfilled by then, the last of them at this very ply.
                let now = |ply: usize| parts.iter().any(|part| part.at[ply]) && parts.iter().all(|part| by(part, ply));
                Fulfilled { verdict: parts.iter().all(|part| part.verdict), at: at(&now) }
            }
            Tree::Or(parts) => {
                let parts = each(parts);
                let now = |ply: usize| parts.iter().any(|part| part.at[ply]);
                Fulfilled { verdict: parts.iter().any(|part| part.verdict), at: at(&now) }
            }
            Tree::Not(inner) => Fulfilled { verdict: !self.fulfilled(inner, counts).verdict, at: at(&|_| false) },
            Tree::Header(_) => {
                let holds = self.holds(tree, 0);
                Fulfilled { verdict: holds, at: at(&|ply| ply == 0 && holds) }
            }
            Tree::Leaf(_) | Tree::Together(_) => self.windowed(tree, &Window::EVER, counts),
            Tree::Condition { what, window } => self.windowed(what, window, counts),
            Tree::Then { first, within, second } => {
                let first = self.fulfilled(first, counts);
                let after = |ply: usize| {
                    let limit = within.map_or(usize::MAX, |plies| plies as usize);
                    (0..ply).any(|earlier| first.at[earlier] && ply - earlier <= limit)
                };
                let second = self.fulfilled(second, &after);
                Fulfilled { verdict: first.verdict && second.verdict, at: second.at }
            }
        }
    }

    fn windowed(&self, what: &Tree, window: &Window, counts: &dyn Fn(usize) -> bool) -> Fulfilled {
        let plies = self.plies();
        let all = self.held(what);
        let within: Vec<bool> = (0..=plies).map(|ply| ply > 0 && counts(ply) && self.is_within(window, ply)).collect();
        let hit = |ply: usize| {
            within[ply]
                && match window.edge {
                    None => all[ply],
                    Some(Edge::Became) => all[ply] && !all[ply - 1],
                    Some(Edge::Ceased) => !all[ply] && all[ply - 1],
                }
        };
        if window.quantifier == Quantifier::Always {
            let verdict = (1..=plies).all(|ply| !within[ply] || all[ply]);
            return Fulfilled { verdict, at: vec![false; plies + 1] };
        }
        let hits: Vec<bool> = (0..=plies).map(hit).collect();
        let times = |ply: usize| hits[..=ply].iter().filter(|&&hit| hit).count() as u64;
        let (at, verdict): (Vec<bool>, bool) = match window.often {
            Often::Once => (hits.clone(), hits.contains(&true)),
            Often::Row(least) => {
                let ends =
                    |ply: usize| ply >= least as usize && hits[ply + 1 - least as usize..=ply].iter().all(|&hit| hit);
                let at: Vec<bool> = (0..=plies).map(ends).collect();
                let verdict = at.contains(&true);
                (at, verdict)
            }
            Often::Times { least, most } => {
                let at = (0..=plies).map(|ply| hits[ply] && times(ply) >= u64::from(least)).collect();
                (at, (u64::from(least)..=u64::from(most)).contains(&times(plies)))
            }
        };
        match window.quantifier {
            Quantifier::Never => Fulfilled { verdict: !verdict, at: vec![false; plies + 1] },
            _ => Fulfilled { verdict, at },
        }
    }

    /// Whether a ply lies in a window, whatever holds there.
    fn is_within(&self, window: &Window, ply: usize) -> bool {
        let within = |number: usize, (first, last): (u32, u32)| first as usize <= number && number <= last as usize;
        within(ply, window.when.plies)
            && within(self.number_of_move(ply), window.when.moves)
            && (!window.when.at_end || ply == self.plies())
            && window.phase.is_none_or(|phase| self.phase(ply) == phase)
    }

    /// The number of the move as printed in the score: counted from the start's, one on after each move of Black's.
    fn number_of_move(&self, ply: usize) -> usize {
        let start = &self.boards[0];
        let blacks = (1..ply).filter(|&played| (played % 2 == 1) == (start.turn() == Black)).count();
        usize::from(start.fullmoves.max(1)) + blacks
    }

    fn phase(&self, ply: usize) -> Phase {
        let board = &self.boards[ply];
        let pieces: u32 = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
            .into_iter()
            .map(|role| (board.by(White, role) | board.by(Black, role)).count_ones())
            .sum();
        let at_home = |colour: Color| (board.occupied_by(colour) & colour.fold_wb(0xff, 0xff << 56)).count_ones();
        if pieces <= 6 {
            Phase::Endgame
        } else if pieces <= 10 || at_home(White) < 4 || at_home(Black) < 4 {
            Phase::Middlegame
        } else {
            Phase::Opening
        }
    }

    /// Whether a part of a query that has no parts holds at one position.
    fn holds(&self, tree: &Tree, ply: usize) -> bool {
        match tree {
            Tree::Everything => true,
            Tree::Leaf(leaf) => self.leaf(leaf, ply),
            Tree::Header(header) => self.header(header),
            tree => panic!("{tree} is put together of parts"),
        }
    }

    /// What is said of a colour, said of a side.
    fn side(&self, side: &Side, ply: usize, of: &dyn Fn(Color) -> bool) -> bool {
        let turn = self.boards[ply].turn();
        let record = self.span.record(self.nth);
        let winner = match record.result().name() {
            "1-0" => Some(White),
            "0-1" => Some(Black),
            _ => None,
        };
        match side {
            Side::White => of(White),
            Side::Black => of(Black),
            Side::Either => of(White) || of(Black),
            Side::Both => of(White) && of(Black),
            Side::Neither => !of(White) && !of(Black),
            Side::Mover => of(turn),
            Side::Waiter => of(!turn),
            Side::Winner => winner.is_some_and(of),
            Side::Loser => winner.is_some_and(|winner| of(!winner)),
            Side::Player(name) => {
                (self.named(NameOf::White, name) && of(White)) || (self.named(NameOf::Black, name) && of(Black))
            }
        }
    }

    fn leaf(&self, leaf: &Leaf, ply: usize) -> bool {
        let board = &self.boards[ply];
        let squares =
            |feature: &Feature, colour: Color, region: Region| (feature.squares)(board, colour) & region.of(colour);
        match leaf {
            Leaf::Feature { feature, region, .. } if !feature.sided => squares(feature, White, *region) != 0,
            Leaf::Feature { side, feature, region } => {
                self.side(side, ply, &|colour| squares(feature, colour, *region) != 0)
            }
            Leaf::Absent { side, feature, region } => {
                let side = if *side == Side::Either { &Side::Both } else { side };
                self.side(side, ply, &|colour| squares(feature, colour, *region) == 0)
            }
            Leaf::Attacks { side, feature, region, defends, target } => self.side(side, ply, &|colour| {
                let whose = if *defends { colour } else { !colour };
                let target = match target {
                    Target::Feature { feature, region } => squares(feature, whose, *region),
                    Target::Region(region) => region.of(colour),
                };
                let position = board.to_setup().board;
                shakmaty::Bitboard(squares(feature, colour, *region))
                    .into_iter()
                    .any(|from| position.color_at(from) == Some(colour) && position.attacks_from(from).0 & target != 0)
            }),
            Leaf::Number { of_move, first, last } => {
                let number = if *of_move { self.number_of_move(ply.max(1)) } else { ply };
                ply > 0 && *first as usize <= number && number <= *last as usize
            }
            Leaf::Imbalance(imbalance) => {
                let more = |first: Color| {
                    (0..5).all(|nth| {
                        let role = Role::ALL[nth];
                        let men = |colour| board.by(colour, role).count_ones() as i32;
                        men(first) - men(!first) == i32::from(imbalance.more[nth])
                    })
                };
                imbalance.first.map_or_else(|| more(White) || more(Black), more)
            }
            Leaf::Under(under) => {
                let mut known = self.images.borrow_mut();
                let images = known.entry(under.to_string()).or_insert_with(|| images_of(under));
                images.iter().any(|image| self.leaf(image, ply))
            }
            // What these say is tested against other programs; here they are predicates like any.
            _ => {
                let query = plan(&Tree::Leaf(leaf.clone()), &no_openings).expect("a predicate");
                let predicates = query.predicates.iter().enumerate();
                let bits = predicates.fold(0, |all, (n, predicate)| all | u64::from(predicate.test(board)) << n);
                query.conditions.first().is_none_or(|condition| condition.formula.holds(bits))
            }
        }
    }

    fn named(&self, of: NameOf, pattern: &str) -> bool {
        let pattern = plyfold_core::headers::NamePattern::new(pattern);
        let (record, names) = (self.span.record(self.nth), self.span.names());
        let white = || pattern.matches(names.players.get(record.white));
        let black = || pattern.matches(names.players.get(record.black));
        match (of, record.result().name()) {
            (NameOf::White, _) | (NameOf::Winner, "1-0") | (NameOf::Loser, "0-1") => white(),
            (NameOf::Black, _) | (NameOf::Winner, "0-1") | (NameOf::Loser, "1-0") => black(),
            (NameOf::Player, _) => white() || black(),
            (NameOf::Winner | NameOf::Loser, _) => false,
            (NameOf::Event, _) => pattern.matches(names.events.get(record.event)),
            (NameOf::Site, _) => pattern.matches(names.sites.get(record.site)),
            (NameOf::Source, _) => false,
        }
    }

    fn header(&self, header: &Header) -> bool {
        let record = self.span.record(self.nth);
        match header {
            Header::Result(results) => results.contains(&record.result()),
            Header::Name { of, pattern } => self.named(*of, pattern),
            Header::Elo { of, range } => {
                let (white, black) = (u32::from(record.white_elo), u32::from(record.black_elo));
                let within = |elo: u32| elo != 0 && range.least <= elo && elo <= range.most;
                let known = white != 0 && black != 0;
                match (of, record.result().name()) {
                    (EloOf::White, _) | (EloOf::Winner, "1-0") | (EloOf::Loser, "0-1") => within(white),
                    (EloOf::Black, _) | (EloOf::Winner, "0-1") | (EloOf::Loser, "1-0") => within(black),
                    (EloOf::Winner | EloOf::Loser, _) => false,
                    (EloOf::Either, _) => within(white) || within(black),
                    (EloOf::Both, _) => within(white) && within(black),
                    (EloOf::Average, _) => known && within((white + black) / 2),
                    (EloOf::Difference, _) => {
                        let difference = white.abs_diff(black);
                        known && range.least <= difference && difference <= range.most
                    }
                }
            }
            Header::Eco(ranges) => {
                !record.eco.is_unknown() && ranges.iter().any(|(from, to)| *from <= record.eco && record.eco <= *to)
            }
            Header::Set(name) => is_in_set(name, self.span.first + self.nth),
            Header::Opening(_) => panic!("no names of openings are at hand"),
            Header::Date { from, to } => {
                let date = (record.date.year(), record.date.month(), record.date.day());
                let late =
                    from.is_none_or(|day| (u32::from(day.year), u32::from(day.month), u32::from(day.day)) <= date);
                let end = |part: u8| if part == 0 { 99 } else { u32::from(part) };
                let early = to.is_none_or(|day| date <= (u32::from(day.year), end(day.month), end(day.day)));
                date.0 != 0 && late && early
            }
            Header::Plies(range) => (range.least..=range.most).contains(&u32::from(record.plies)),
            Header::Ended(endings) => endings.contains(&record.ending()),
            Header::TimeClass(classes) => classes.contains(&record.time_class()),
        }
    }
}
