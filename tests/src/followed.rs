//! Followed pieces, from the grammar: where the piece of a name stands, and which pieces a name may mean.
//!
//! A piece is found backwards: what stands on a square came from where the last move to this square began.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use plyfold_core::query::forms::Leaf;
use plyfold_core::query::forms::played::Played;
use plyfold_core::query::forms::squares::Squares;
use plyfold_core::query::names::PieceReference;
use plyfold_core::query::relation::{RelatedSquares, RelationExpression};
use plyfold_core::query::side::SideSelector;
use plyfold_core::query::squares::{SquareExpression, SquareTarget};
use plyfold_core::query::tree::QueryTree;
use plyfold_core::scan::predicate::{LeftSquares, PieceName};
use shakmaty::Color::{self, Black, White};
use shakmaty::{Role, Square};

use crate::oracle::Trace;

/// The squares on which a game's pieces began, by ply and square, and the pieces that names mean just now.
#[derive(Default)]
pub struct Followed {
    origins: OnceCell<Vec<[Option<u8>; 64]>>,
    choice: RefCell<Vec<(PieceName, Option<u8>)>>,
    /// By piece, as far as asked for, and by ply: the squares that it has left, and the last one of them.
    left: RefCell<HashMap<u8, Vec<(u64, u64)>>>,
}

/// A name, and what is introduced by it.
struct Named<'t> {
    name: PieceName,
    colours: Vec<Color>,
    place: Place<'t>,
}

enum Place<'t> {
    Set(&'t SquareExpression),
    Kind(Option<Role>),
}

impl Followed {
    /// The piece that a name means.
    fn piece(&self, name: PieceName) -> Option<u8> {
        self.choice.borrow().iter().find(|(chosen, _)| *chosen == name).expect("a chosen name").1
    }

    /// The square of the piece of a name after a ply.
    pub fn square_of(&self, trace: &Trace<'_>, name: PieceName, ply: usize) -> u64 {
        self.piece(name).map_or(0, |piece| self.square_of_piece(trace, piece, ply))
    }

    fn square_of_piece(&self, trace: &Trace<'_>, piece: u8, ply: usize) -> u64 {
        let origins = &self.origins(trace)[ply];
        (0..64).filter(|&square| origins[square] == Some(piece)).map(|square| 1 << square).sum()
    }

    /// Squares that the piece of a name has left up to a ply: those on which it stood before it stood elsewhere.
    pub fn left_by(&self, trace: &Trace<'_>, name: PieceName, which: LeftSquares, ply: usize) -> u64 {
        let Some(piece) = self.piece(name) else { return 0 };
        let mut known = self.left.borrow_mut();
        let by_ply = known.entry(piece).or_insert_with(|| {
            let path = (0..=trace.moves().len()).map(|ply| self.square_of_piece(trace, piece, ply));
            let mut before = 0;
            let left = path.scan((0, 0), |(trail, origin), square| {
                if square != 0 && before != 0 && square != before {
                    (*trail, *origin) = (*trail | before, before);
                }
                before = square;
                Some((*trail, *origin))
            });
            left.collect()
        });
        let (trail, origin) = by_ply[ply];
        match which {
            LeftSquares::Trail => trail,
            LeftSquares::Origin => origin,
        }
    }

    /// Whether the move of a ply moves the piece of one name and captures that of the other.
    pub fn moves(&self, trace: &Trace<'_>, ply: usize, names: [Option<PieceReference>; 2]) -> bool {
        let Some((_, mv)) = trace.played_at(ply) else { return false };
        let before = &self.origins(trace)[ply - 1];
        let is = |reference: Option<PieceReference>, square: Option<Square>| {
            reference.is_none_or(|reference| {
                let piece = self.piece(reference.name);
                piece.is_some() && square.is_some_and(|square| before[square as usize] == piece)
            })
        };
        let captured = mv.capture().map(|_| match mv {
            shakmaty::Move::EnPassant { from, to } => Square::from_coords(to.file(), from.rank()),
            mv => mv.to(),
        });
        is(names[0], mv.from()) && is(names[1], captured)
    }

    fn origins(&self, trace: &Trace<'_>) -> &[[Option<u8>; 64]] {
        self.origins.get_or_init(|| {
            let mut all: Vec<[Option<u8>; 64]> = Vec::new();
            for (ply, board) in trace.boards().iter().enumerate() {
                let came_from = |square: Square| match (ply, trace.played_at(ply)) {
                    (0, _) => Some(square as u8),
                    (_, Some((side, mv))) => match mv.castling_side() {
                        Some(wing) if wing.king_to(side) == square => all[ply - 1][mv.from()? as usize],
                        Some(wing) if wing.rook_to(side) == square => all[ply - 1][mv.to() as usize],
                        None if mv.to() == square => all[ply - 1][mv.from()? as usize],
                        _ => all[ply - 1][square as usize],
                    },
                    (ply, None) => all[ply - 1][square as usize],
                };
                let occupied = board.to_setup().board;
                let origin = |square: usize| {
                    let square = Square::new(square as u32);
                    occupied.piece_at(square).and_then(|_| came_from(square))
                };
                let origins = std::array::from_fn(origin);
                all.push(origins);
            }
            all
        })
    }

    /// Evaluates something for every choice of pieces for the names of a query.
    pub fn for_each_choice(&self, trace: &Trace<'_>, tree: &QueryTree, mut evaluate: impl FnMut()) {
        let mut named = Vec::new();
        find_named(tree, &mut named);
        let mut choices: Vec<Vec<(PieceName, Option<u8>)>> = vec![Vec::new()];
        for Named { name, colours, place } in &named {
            let mut pieces: Vec<Option<u8>> = Vec::new();
            for (ply, board) in trace.boards().iter().enumerate() {
                for &colour in colours {
                    let squares = match place {
                        Place::Set(set) => trace.squares(set, colour, ply),
                        Place::Kind(Some(role)) => board.pieces(colour, *role),
                        Place::Kind(None) => board.occupied_by(colour),
                    };
                    for square in shakmaty::Bitboard(squares) {
                        let piece = self.origins(trace)[ply][square as usize];
                        if piece.is_some() && !pieces.contains(&piece) {
                            pieces.push(piece);
                        }
                    }
                }
            }
            if pieces.is_empty() {
                pieces.push(None);
            }
            let more = |choice: &Vec<(PieceName, Option<u8>)>| {
                pieces.iter().map(|&piece| [&choice[..], &[(*name, piece)]].concat()).collect::<Vec<_>>()
            };
            choices = choices.iter().flat_map(more).collect();
        }
        for choice in choices {
            self.choice.replace(choice);
            evaluate();
        }
    }
}

/// Whether a query has names.
pub fn has_names(tree: &QueryTree) -> bool {
    let mut named = Vec::new();
    find_named(tree, &mut named);
    !named.is_empty()
}

/// Whether a condition is made of places of named pieces alone: kinds of pieces, names and regions, without what is around them.
pub fn is_place_of_named_pieces(tree: &QueryTree) -> bool {
    match tree {
        QueryTree::Leaf(Leaf::Squares(leaf)) => is_named(&leaf.squares) && is_place(&leaf.squares),
        QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => {
            parts.iter().all(is_place_of_named_pieces)
        }
        QueryTree::Not(inner) | QueryTree::Together(inner) => is_place_of_named_pieces(inner),
        _ => false,
    }
}

fn is_place(set: &SquareExpression) -> bool {
    match set {
        SquareExpression::Feature { feature, .. } => feature.name == "piece" || feature.role().is_some(),
        SquareExpression::Named { .. } | SquareExpression::Left { .. } => true,
        SquareExpression::All(parts) | SquareExpression::Any(parts) => parts.iter().all(is_place),
        SquareExpression::Not(part) | SquareExpression::On(part, _) => is_place(part),
        SquareExpression::Introduced { place, .. } => is_place(place),
        SquareExpression::Attacking { .. } | SquareExpression::Related(_) | SquareExpression::XRaying { .. } => false,
    }
}

/// Whether each of the squares is that of a named piece.
fn is_named(set: &SquareExpression) -> bool {
    match set {
        SquareExpression::Named { .. } | SquareExpression::Left { .. } | SquareExpression::Introduced { .. } => true,
        SquareExpression::All(parts) => parts.iter().any(is_named),
        SquareExpression::Any(parts) => parts.iter().all(is_named),
        SquareExpression::On(part, _) => is_named(part),
        _ => false,
    }
}

fn find_named<'t>(tree: &'t QueryTree, named: &mut Vec<Named<'t>>) {
    match tree {
        QueryTree::Everything | QueryTree::Header(_) => {}
        QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => {
            parts.iter().for_each(|part| find_named(part, named));
        }
        QueryTree::Not(inner) | QueryTree::Together(inner) | QueryTree::Condition { inner, .. } => {
            find_named(inner, named);
        }
        QueryTree::Then { first, second, .. } => [first, second].into_iter().for_each(|part| find_named(part, named)),
        QueryTree::Leaf(Leaf::Squares(Squares { side, squares, .. })) => find_in_set(squares, &colours(side), named),
        QueryTree::Leaf(Leaf::Played(Played { side, pattern })) => {
            let own = colours(side);
            let other = own.iter().map(|colour| colour.other()).collect();
            for (reference, role, colours) in
                [(pattern.piece_name, pattern.piece, own), (pattern.object_name, pattern.object, other)]
            {
                if let Some(PieceReference { name, is_introduced: true }) = reference {
                    named.push(Named { name, colours, place: Place::Kind(role) });
                }
            }
        }
        QueryTree::Leaf(_) => {}
    }
}

fn find_in_set<'t>(set: &'t SquareExpression, colours: &[Color], named: &mut Vec<Named<'t>>) {
    match set {
        SquareExpression::Feature { .. } | SquareExpression::Named { .. } | SquareExpression::Left { .. } => {}
        SquareExpression::Introduced { place, name } => {
            named.push(Named { name: *name, colours: colours.to_vec(), place: Place::Set(place) });
        }
        SquareExpression::All(parts) | SquareExpression::Any(parts) => {
            parts.iter().for_each(|part| find_in_set(part, colours, named));
        }
        SquareExpression::Not(part) | SquareExpression::On(part, _) => find_in_set(part, colours, named),
        SquareExpression::Attacking { pieces, defends, target } => {
            find_in_set(pieces, colours, named);
            if let SquareTarget::Squares(target) = &**target {
                let others: Vec<Color> = colours.iter().map(|&one| if *defends { one } else { one.other() }).collect();
                find_in_set(target, &others, named);
            }
        }
        SquareExpression::Related(relation) => match &**relation {
            RelationExpression::To(_, to) => find_in_end(to, colours, named),
            RelationExpression::Between(one, other) => {
                find_in_end(one, colours, named);
                find_in_end(other, colours, named);
            }
        },
        SquareExpression::XRaying { pieces, ray } => {
            find_in_set(pieces, colours, named);
            find_in_end(&ray.target, colours, named);
            ray.through.iter().for_each(|through| find_in_end(through, colours, named));
        }
    }
}

fn find_in_end<'t>(end: &'t RelatedSquares, colours: &[Color], named: &mut Vec<Named<'t>>) {
    if let SquareTarget::Squares(squares) = &end.squares {
        let mut owners: Vec<Color> = Vec::new();
        for colour in colours.iter().flat_map(|&side| end.owner.colours(side)) {
            if !owners.contains(colour) {
                owners.push(*colour);
            }
        }
        find_in_set(squares, &owners, named);
    }
}

fn colours(side: &SideSelector) -> Vec<Color> {
    match side {
        SideSelector::White => vec![White],
        SideSelector::Black => vec![Black],
        _ => vec![White, Black],
    }
}
