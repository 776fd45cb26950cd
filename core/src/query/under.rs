//! `under`: a position, a pattern or a structure, and its images under flips, rotations, shifts and a change of colours.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use shakmaty::{Color, Role};

use super::diagram::{ANYTHING, Diagram};
use super::fen::Fen;
use super::tree::{Leaf, Tree};
use crate::board::{Board, man};
use crate::transform::image::{Family, Image};

/// Something of the whole board, and the transforms under which it is sought.
#[derive(Clone, PartialEq, Debug)]
pub struct Under {
    /// `fen`, `board` or `structure`.
    pub what: Leaf,
    /// Every choice of one of each is an image.
    pub families: Vec<Family>,
}

impl Under {
    /// The images: each once, by the first name that it has; what it is of itself comes first.
    ///
    /// One is left out in which something that is asked for leaves the board, or a pawn stands on the first or last rank.
    pub fn images(&self) -> Vec<(Image, Leaf)> {
        let mut found: Vec<(Image, Leaf)> = Vec::new();
        for image in Family::all(&self.families) {
            if let Some(leaf) = self.what.under(image)
                && found.iter().all(|(_, other)| *other != leaf)
            {
                found.push((image, leaf));
            }
        }
        found
    }
}

/// As it is read.
impl fmt::Display for Under {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} under ", self.what)?;
        for (nth, family) in self.families.iter().enumerate() {
            write!(f, "{}{family}", if nth > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

impl Leaf {
    /// Whether it speaks of the whole board, so that it has images.
    pub fn is_of_board(&self) -> bool {
        matches!(self, Leaf::Fen(_) | Leaf::Board(_) | Leaf::Structure { .. })
    }

    /// What it becomes under a transform; none if nothing on a board can be that, or it has no images.
    fn under(&self, image: Image) -> Option<Leaf> {
        match self {
            Leaf::Fen(fen) => fen.under(image).map(|fen| Leaf::Fen(fen.into())),
            Leaf::Board(diagram) => diagram.under(image).map(|diagram| Leaf::Board(diagram.into())),
            Leaf::Structure { white, black } => {
                const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;
                let [mut white, mut black] = [image.strictly(*white)?, image.strictly(*black)?];
                if image.exchanges() {
                    (white, black) = (black, white);
                }
                ((white | black) & LAST_RANKS == 0).then_some(Leaf::Structure { white, black })
            }
            _ => None,
        }
    }

    /// Whether a position is as this says, where it speaks of the whole board.
    fn is(&self, board: &Board) -> bool {
        match self {
            Leaf::Fen(fen) => fen.is(board),
            Leaf::Board(diagram) => diagram.whole().holds(&board.men),
            Leaf::Structure { white, black } => {
                board.of[usize::from(man(Color::White, Role::Pawn))] == *white
                    && board.of[usize::from(man(Color::Black, Role::Pawn))] == *black
            }
            _ => false,
        }
    }
}

/// Says as which of its images a position was found.
pub struct Found {
    /// The images of each part of the query that has some, in their order.
    images: Vec<Vec<(Image, Leaf)>>,
}

impl Found {
    /// For a query. None if nothing is sought `under` anything in it.
    pub fn of(tree: &Tree) -> Option<Found> {
        let mut images = Vec::new();
        each(tree, &mut |under| images.push(under.images()));
        (!images.is_empty()).then_some(Found { images })
    }

    /// The images by name, of each part of the query that has some.
    pub fn all(&self) -> impl Iterator<Item = Vec<String>> {
        self.images.iter().map(|images| images.iter().map(|(image, _)| image.to_string()).collect())
    }

    /// The images as which something of the query stands on the board, each by its name; none where another part of the query has matched.
    /// Everything on the board must be kept up.
    pub fn names(&self, board: &Board) -> Vec<String> {
        let mut names = Vec::new();
        for (image, leaf) in self.images.iter().flatten() {
            if !leaf.is(board) {
                continue;
            }
            let name = image.to_string();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

fn each(tree: &Tree, visit: &mut dyn FnMut(&Under)) {
    match tree {
        Tree::Leaf(Leaf::Under(under)) => visit(under),
        Tree::And(parts) | Tree::Or(parts) => parts.iter().for_each(|part| each(part, visit)),
        Tree::Not(inner) | Tree::Together(inner) => each(inner, visit),
        Tree::Condition { what, .. } => each(what, visit),
        Tree::Then { first, second, .. } => {
            each(first, visit);
            each(second, visit);
        }
        Tree::Everything | Tree::Leaf(_) | Tree::Header(_) => {}
    }
}

impl Fen {
    /// What it becomes, if all its men stay on the board and no pawn comes to the first or last rank.
    fn under(&self, image: Image) -> Option<Fen> {
        let setup = image.apply_strictly(&self.setup()).ok()?;
        let placement = Diagram::of_men(&setup.board)?;
        Some(Fen::asking(placement, setup, self.fields()))
    }

    fn is(&self, board: &Board) -> bool {
        self.placement.whole().holds(&board.men)
            && self.turn.is_none_or(|turn| turn == board.turn())
            && self.castling.is_none_or(|rooks| rooks == board.castling)
            && self.en_passant.is_none_or(|square| square == board.en_passant)
    }
}

impl Diagram {
    /// What it becomes, if every square of which it says something stays on the board.
    fn under(&self, image: Image) -> Option<Diagram> {
        const PAWNS: u16 = 1 << 1 | 1 << 9;
        let mut turned = Diagram { allowed: [ANYTHING; 64] };
        for (square, allowed) in self.allowed.into_iter().enumerate().filter(|(_, allowed)| *allowed != ANYTHING) {
            let there = usize::from(image.square(square as u8)?);
            // The codes of Black's men are those of White's and 8.
            let men =
                if image.exchanges() { (allowed & 0x7e) << 8 | allowed >> 8 & 0x7e | allowed & 1 } else { allowed };
            let men = if matches!(there / 8, 0 | 7) { men & !PAWNS } else { men };
            if men == 0 {
                return None;
            }
            turned.allowed[there] = men;
        }
        Some(turned)
    }
}
