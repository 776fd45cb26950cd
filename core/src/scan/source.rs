//! Where a predicate can be tested: the cheapest thing that says all it asks about.
//!
//! | source | what is looked at | for instance |
//! |---|---|---|
//! | [`Header`](Source::Header) | nothing | `result 1-0` |
//! | [`Turn`](Source::Turn) | nothing | who is to move, `move < 20` |
//! | [`Numbers`](Source::Numbers) | captures and promotions | `queens_off`, `count(white rook) >= 2` |
//! | [`Files`](Source::Files) | pawns that change files or go | `isolated_pawn on d` |
//! | [`Pawns`](Source::Pawns) | changes of the pawns | `passed_pawn on d`, a structure |
//! | [`Both`](Source::Both) | both | `count(passed_pawn) > count(queen)` |
//! | [`Clock`](Source::Clock) | when there were captures, promotions and moves of pawns | `clock >= 20` |
//! | [`Squares`](Source::Squares) | moves that touch some squares | `white pawn on e5`, `castled` |
//! | [`Repetition`](Source::Repetition) | moves where none of these was for some plies | `repetition >= 3` |
//! | [`Board`](Source::Board) | the replayed board | `check`, a whole placement |
//!
//! A predicate says by itself what it depends on; nobody chooses by name. Only pawns on a few squares are told by two sources that cost
//! the same; they go along with others that follow the pawns, if there are any.

use alloc::boxed::Box;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Color, Role};
use wide::i16x8;

use super::clock::Compared;
use super::images::Images;
use super::measure::numbers::Told;
use super::measure::{Anywhere, Scope, beside, files_of};
use super::needs::Needs;
use super::predicate::{Comparison, PawnPattern, Predicate, Size, Squares, Term};
use crate::board::{Board, CASTLED, Change, Man, man};

/// Where a predicate is tested, the cheapest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// The header of the game.
    Header,
    /// The number of the ply.
    Turn,
    /// The stream of captures and promotions.
    Numbers,
    /// The stream of changes of the pawns, less those that stay on their file.
    Files,
    /// The stream of changes of the pawns.
    Pawns,
    /// Both streams.
    Both,
    /// The plies of both streams.
    Clock,
    /// The moves that touch some squares.
    Squares,
    /// The moves since the last event of both streams.
    Repetition,
    /// The board.
    Board,
}

impl Source {
    /// One word, for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Source::Header => "header",
            Source::Turn => "turn",
            Source::Numbers => "captures_and_promotions",
            Source::Files => "changes_of_pawns_on_files",
            Source::Pawns => "changes_of_pawns",
            Source::Both => "captures_promotions_and_changes_of_pawns",
            Source::Clock => "plies_of_captures_and_moves_of_pawns",
            Source::Squares => "moves_that_touch_squares",
            Source::Repetition => "moves_between_captures_and_moves_of_pawns",
            Source::Board => "board",
        }
    }

    /// What is looked at, in words that follow "from"; [`Sorted::squares`] has the squares.
    pub const fn looked_at(self) -> &'static str {
        match self {
            Source::Header => "the header of the game alone",
            Source::Turn => "the number of the ply alone",
            Source::Numbers => "captures and promotions alone",
            Source::Files => "pawns that change files or go alone",
            Source::Pawns => "changes of the pawns alone",
            Source::Both => "captures, promotions and changes of the pawns alone",
            Source::Clock => "the plies of captures and moves of pawns alone",
            Source::Squares => "moves that touch some squares",
            Source::Repetition => "moves between captures and moves of pawns",
            Source::Board => "the replayed board",
        }
    }
}

/// More squares than these are cheaper replayed than watched.
const MOST_SQUARES: u32 = 8;
/// Pawns on more squares than these are followed along their changes.
const MOST_SQUARES_OF_PAWNS: u32 = 4;

/// A predicate with what the scan wants to know of it.
#[derive(Clone, Debug)]
pub struct Sorted {
    /// Where it is tested.
    pub source: Source,
    /// What must change for its answer to change.
    pub depends: Change,
    /// Pawns of White, and of Black, that it asks about.
    pub pawns: [u64; 2],
    /// Squares that it asks about, if its source is the squares.
    pub squares: u64,
    /// What a replay must keep up for it, if its source is the board.
    pub needs: Needs,
    form: Form,
}

/// How a predicate is tested, with everything looked up beforehand.
#[derive(Clone, Debug)]
enum Form {
    /// A man of this code stands on one of these squares.
    Man(usize, u64),
    /// A feature has one of these squares.
    Squares(fn(&Board, Color) -> u64, Color, u64),
    /// The numbers of men say so.
    Numbers(fn(&[u8; 16], Color) -> bool, Color),
    /// One of these bits of [`Board::castled`].
    Castled(u8),
    /// These men stand on all 64 squares.
    Exactly(Box<[Man; 64]>),
    /// A sum of the numbers of men, each with a weight, lies between these.
    Sum(Box<[i16; 16]>, i32, i32),
    /// As the predicate says.
    Plain(Box<Predicate>),
}

impl Form {
    /// A comparison of a sum of nothing but numbers of men, none of them with a great weight.
    fn sum(terms: &[Term], comparison: Comparison, constant: i64) -> Option<Form> {
        const FAR: i32 = 1 << 24;
        let mut weights = [0i16; 16];
        for term in terms {
            let Size::Number(man) = term.size else { return None };
            weights[usize::from(man) & 15] = i16::try_from(term.weight).ok().filter(|weight| weight.abs() < 1 << 10)?;
        }
        let constant = i32::try_from(constant).ok().filter(|constant| constant.abs() < FAR)?;
        let (least, most) = match comparison {
            Comparison::Equal => (constant, constant),
            Comparison::Less => (-FAR, constant - 1),
            Comparison::AtMost => (-FAR, constant),
            Comparison::More => (constant + 1, FAR),
            Comparison::AtLeast => (constant, FAR),
            Comparison::Unequal => return None,
        };
        Some(Form::Sum(Box::new(weights), least, most))
    }

    fn new(predicate: &Predicate, source: Source) -> Form {
        match predicate {
            Predicate::Somewhere(Squares { feature, colour, region }) => {
                if *region == u64::MAX && source != Source::Board {
                    match feature.anywhere {
                        Anywhere::Numbers(any) => return Form::Numbers(any, *colour),
                        Anywhere::Castled(wings) => return Form::Castled(castled(wings, *colour)),
                        Anywhere::Squares => {}
                    }
                }
                match feature.role() {
                    Some(role) => Form::Man(man(*colour, role).into(), *region),
                    None => Form::Squares(feature.squares, *colour, *region),
                }
            }
            Predicate::Placement(placement) if placement.squares == u64::MAX => match only_men(&placement.allowed) {
                Some(men) => Form::Exactly(Box::new(men)),
                None => Form::Plain(Box::new(predicate.clone())),
            },
            Predicate::Compare { terms, comparison, constant } => {
                Form::sum(terms, *comparison, *constant).unwrap_or_else(|| Form::Plain(Box::new(predicate.clone())))
            }
            predicate => Form::Plain(Box::new(predicate.clone())),
        }
    }
}

impl Sorted {
    /// Sorts the predicates of a query.
    pub fn all(predicates: &[Predicate]) -> Vec<Sorted> {
        let sorted: Vec<Sorted> = predicates.iter().map(|predicate| Sorted::new(predicate, false)).collect();
        if sorted.iter().all(|one| one.source != Source::Pawns) {
            return sorted;
        }
        predicates.iter().map(|predicate| Sorted::new(predicate, true)).collect()
    }

    /// Sorts a predicate. Where changes of the pawns are `followed` anyway, whatever they say is tested along them.
    pub(super) fn new(predicate: &Predicate, followed: bool) -> Sorted {
        let (mut source, mut squares, mut pawns) = (Source::Board, 0, [u64::MAX; 2]);
        let few = |squares: u64| if squares.count_ones() <= MOST_SQUARES { Source::Squares } else { Source::Board };
        match predicate {
            Predicate::Header(_) => source = Source::Header,
            Predicate::Turn(_) | Predicate::When(_) => source = Source::Turn,
            Predicate::Numbers(_) => source = Source::Numbers,
            Predicate::Pawns(pattern) => {
                source = Source::Pawns;
                pawns = [pattern.white.mask, pattern.black.mask];
            }
            Predicate::PawnImages(patterns) => {
                source = Source::Pawns;
                let seen = |of: fn(&PawnPattern) -> u64| patterns.iter().fold(0, |all, pattern| all | of(pattern));
                pawns = [seen(|pattern| pattern.white.mask), seen(|pattern| pattern.black.mask)];
            }
            Predicate::Somewhere(asked) => {
                (source, squares, pawns) = somewhere(asked);
                if source == Source::Squares {
                    source = few(squares);
                } else if let (Source::Pawns, Scope::Square(_)) = (source, asked.feature.scope)
                    && !followed
                    && asked.region.count_ones() <= MOST_SQUARES_OF_PAWNS
                {
                    (source, squares) = (Source::Squares, asked.region);
                }
            }
            Predicate::Empty(region) => (source, squares) = (few(*region), *region),
            Predicate::Placement(placement) => {
                (source, squares) = (few(placement.squares), placement.squares);
            }
            Predicate::Attacks(_) | Predicate::Images(_) | Predicate::Rights { .. } => {}
            Predicate::Compare { terms, comparison, constant } => {
                let numbers = terms.iter().any(|term| matches!(term.size, Size::Number(_)));
                let counted = terms.iter().filter_map(|term| match &term.size {
                    Size::Squares(squares) => Some(somewhere(&Squares { ..*squares })),
                    Size::Measure(_) => Some((Source::Board, 0, [u64::MAX; 2])),
                    Size::Number(_) => None,
                });
                let mut others = Source::Numbers;
                pawns = [0; 2];
                for (of_term, _, seen) in counted {
                    let of_pawns = matches!(of_term, Source::Files | Source::Pawns);
                    others = others.max(if of_pawns { of_term } else { Source::Board });
                    pawns = [pawns[0] | seen[0], pawns[1] | seen[1]];
                }
                let told = match (&terms[..], Compared::of_terms(terms, *comparison, *constant)) {
                    ([Term { size: Size::Measure(number), .. }], Some(_)) => number.told,
                    _ => Told::Board,
                };
                others = match told {
                    Told::Board => others,
                    Told::Clock => Source::Clock,
                    Told::Repetition => Source::Repetition,
                };
                source = if numbers && matches!(others, Source::Files | Source::Pawns) { Source::Both } else { others };
            }
        }
        let depends = match source {
            // A feature says which men it is about; here it is about their numbers.
            Source::Numbers | Source::Both => predicate.depends() | predicate.depends() << 16,
            Source::Squares => predicate.depends() | CASTLED,
            _ => predicate.depends(),
        };
        let form = Form::new(predicate, source);
        Sorted { source, depends, pawns, squares, needs: predicate.needs(), form }
    }

    /// Whether the predicate holds, where its source has kept up `board`.
    #[inline(always)]
    pub fn test(&self, board: &Board) -> bool {
        match &self.form {
            Form::Man(code, region) => board.of[code & 15] & region != 0,
            Form::Squares(squares, colour, region) => squares(board, *colour) & region != 0,
            Form::Numbers(any, colour) => any(&board.number, *colour),
            Form::Castled(wings) => board.castled & wings != 0,
            Form::Exactly(men) => board.men == **men,
            Form::Sum(weights, least, most) => {
                // PERF: one vector of products instead of a loop over terms.
                let number = |half: usize| i16x8::new(core::array::from_fn(|nth| board.number[half * 8 + nth].into()));
                let weights = |half: usize| i16x8::new(core::array::from_fn(|nth| weights[half * 8 + nth]));
                let sum = (number(0).dot(weights(0)) + number(1).dot(weights(1))).reduce_add();
                *least <= sum && sum <= *most
            }
            Form::Plain(predicate) => match &**predicate {
                Predicate::Numbers(bounds) => bounds.hold(&board.number),
                Predicate::Pawns(pattern) => pattern.holds(board.of[1], board.of[9]),
                Predicate::Images(images) => images.hold(board),
                predicate => predicate.test(board),
            },
        }
    }

    /// The images that it asks for, if it does.
    pub(super) fn images(&self) -> Option<&Images> {
        match &self.form {
            Form::Plain(predicate) => match &**predicate {
                Predicate::Images(images) => Some(images),
                _ => None,
            },
            _ => None,
        }
    }

    /// The weights of a sum of numbers of men and the bounds between which it must lie, if that is what it asks for. The sum of any men that
    /// can be on a board fits into 16 bits.
    pub(super) fn sum(&self) -> Option<(&[i16; 16], i32, i32)> {
        match &self.form {
            Form::Sum(weights, least, most) => {
                let size: i32 = weights.iter().map(|weight| i32::from(weight.abs())).sum();
                (size < 1 << 8).then_some((&**weights, *least, *most))
            }
            _ => None,
        }
    }

    /// What a replay must keep up for those of `sorted` whose source is the board.
    pub fn kept(sorted: &[Sorted]) -> Needs {
        let on_board = sorted.iter().filter(|sorted| sorted.source == Source::Board);
        on_board.fold(Needs::NOTHING, |all, sorted| all.and(sorted.needs))
    }

    /// What it asks of each of its squares, if its source is the squares.
    pub(super) fn on_squares(&self) -> OnSquares {
        let each = |allowed: &dyn Fn(u8) -> u16| -> Vec<(u8, u16)> {
            Bitboard(self.squares).into_iter().map(|square| (square as u8, allowed(square as u8))).collect()
        };
        let all = OnSquares { any: false, castled: 0, each: Vec::new() };
        let any = OnSquares { any: true, ..all.clone() };
        match &self.form {
            Form::Man(code, _) => OnSquares { each: each(&|_| 1 << (code & 15)), ..any },
            Form::Squares(squares, colour, _) => {
                let men = |castled| each(&|square| men_of(*squares, *colour, square, castled));
                let wings = if men(0) == men(15) {
                    0
                } else {
                    [1, 2, 4, 8].into_iter().filter(|&wing| men(wing) == men(15)).sum()
                };
                OnSquares { each: men(15), castled: wings, ..any }
            }
            Form::Castled(wings) => OnSquares { castled: *wings, ..all },
            Form::Plain(predicate) => match &**predicate {
                Predicate::Placement(placement) => {
                    OnSquares { each: each(&|square| placement.allowed[usize::from(square)]), ..all }
                }
                _ => OnSquares { each: each(&|_| 1), ..all },
            },
            Form::Numbers(..) | Form::Sum(..) | Form::Exactly(_) => all,
        }
    }
}

/// What a predicate asks of its squares, each taken by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct OnSquares {
    /// The squares and what may stand there: bit `m` for a man with code `m`, bit 0 for none.
    pub each: Vec<(u8, u16)>,
    /// Whether one of them is enough.
    pub any: bool,
    /// If not 0, one of these bits of [`Board::castled`] is asked for as well.
    pub castled: u8,
}

/// Which men make a square one of a feature's, where that depends on nothing else but who has castled.
pub(super) fn men_of(squares: fn(&Board, Color) -> u64, colour: Color, square: u8, castled: u8) -> u16 {
    let mut board = Board::from_start(&bytemuck::Zeroable::zeroed());
    board.castled = castled;
    let mut men = 0;
    for code in (0..16).filter(|code| !matches!(code, 7 | 8 | 15)) {
        board.men[usize::from(square)] = code;
        board.of = [0; 16];
        board.of[usize::from(code)] = 1 << square;
        men |= u16::from(squares(&board, colour) >> square & 1 != 0) << code;
    }
    men
}

/// The bits of [`Board::castled`] for wings (bit 0 short, bit 1 long) of a side.
const fn castled(wings: u8, colour: Color) -> u8 {
    match colour {
        Color::White => wings,
        Color::Black => wings << 2,
    }
}

/// Source, squares and pawns of a feature's squares within a region; `Squares` for any number of squares.
fn somewhere(asked: &Squares) -> (Source, u64, [u64; 2]) {
    let &Squares { feature, colour, region } = asked;
    let mut pawns = [u64::MAX; 2];
    if region == u64::MAX {
        match feature.anywhere {
            Anywhere::Numbers(_) => return (Source::Numbers, 0, pawns),
            Anywhere::Castled(_) => return (Source::Squares, 0, pawns),
            Anywhere::Squares => {}
        }
    }
    if feature.needs == Needs::PAWNS {
        let seen = match feature.scope {
            Scope::Square(_) => region,
            Scope::Files { .. } => files_of(region) | beside(files_of(region)),
            Scope::Board => u64::MAX,
        };
        for (colour, pawns) in [Color::White, Color::Black].into_iter().zip(&mut pawns) {
            let depends = feature.depends_on(asked.colour) & crate::board::squares_of(man(colour, Role::Pawn)) != 0;
            *pawns = if depends { seen } else { 0 };
        }
        let whole = feature.scope == Scope::Files { ranks: false } && region == files_of(region);
        return (if whole { Source::Files } else { Source::Pawns }, 0, pawns);
    }
    match feature.scope {
        Scope::Square(within) => (Source::Squares, region & within[usize::from(colour == Color::Black)], pawns),
        Scope::Files { .. } | Scope::Board => (Source::Board, 0, pawns),
    }
}

/// The one man that is allowed on each square, if it is one everywhere.
fn only_men(allowed: &[u16; 64]) -> Option<[Man; 64]> {
    let one = allowed.iter().all(|men| men.count_ones() == 1);
    one.then(|| allowed.map(|men| men.trailing_zeros() as Man))
}
