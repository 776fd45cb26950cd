//! `under`: a position, a pattern or a structure, and its images under flips, rotations, shifts and colour swaps.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_transform::composite::{CompositeTransform, TransformFamily};

use super::diagram::{ANYTHING, Diagram};
use super::fen_pattern::FenPattern;
use super::forms::Leaf;
use super::forms::structure::Structure;
use super::forms::under::TransformedPattern;
use super::tree::QueryTree;

impl TransformedPattern {
    /// The images, each once, with the first of its names; the pattern itself comes first.
    ///
    /// An image is left out if a part of it leaves the board or a pawn stands on the first or last rank.
    pub fn images(&self) -> Vec<(CompositeTransform, Leaf)> {
        let mut images: Vec<(CompositeTransform, Leaf)> = Vec::new();
        for image in TransformFamily::combinations(&self.families) {
            if let Some(leaf) = self.pattern.transformed(image)
                && images.iter().all(|(_, other)| *other != leaf)
            {
                images.push((image, leaf));
            }
        }
        images
    }
}

impl Leaf {
    /// The image of the leaf under a transform; none if no board can match it, or if the leaf has no images.
    fn transformed(&self, image: CompositeTransform) -> Option<Leaf> {
        match self {
            Leaf::Fen(fen) => fen.transformed(image).map(|fen| Leaf::Fen(fen.into())),
            Leaf::Board(diagram) => diagram.transformed(image).map(|diagram| Leaf::Board(diagram.into())),
            Leaf::Structure(Structure { white, black }) => {
                const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;
                let [mut white, mut black] = [image.bitboard_if_inside(*white)?, image.bitboard_if_inside(*black)?];
                if image.swaps_colours() {
                    (white, black) = (black, white);
                }
                ((white | black) & LAST_RANKS == 0).then_some(Structure { white, black }.into())
            }
            _ => None,
        }
    }

    /// Whether a position matches, if it describes the whole board.
    fn matches(&self, board: &Board) -> bool {
        match self {
            Leaf::Fen(fen) => fen.matches(board),
            Leaf::Board(diagram) => diagram.full_placement().holds(&board.mailbox),
            Leaf::Structure(structure) => board.pawns() == [structure.white, structure.black],
            _ => false,
        }
    }
}

/// Finds the images of a query's patterns that a position matches.
pub struct ImageMatcher {
    /// The images of each part of the query that has some, in their order.
    images: Vec<Vec<(CompositeTransform, Leaf)>>,
}

impl ImageMatcher {
    /// The matcher of a query; none if the query has no `under`.
    pub fn for_query(tree: &QueryTree) -> Option<ImageMatcher> {
        let mut images = Vec::new();
        tree.for_each_part(&mut |part| {
            if let QueryTree::Leaf(Leaf::Under(under)) = part {
                images.push(under.images());
            }
        });
        (!images.is_empty()).then_some(ImageMatcher { images })
    }

    /// The names of the images, for each part of the query that has some.
    pub fn image_names(&self) -> impl Iterator<Item = Vec<String>> {
        self.images.iter().map(|images| images.iter().map(|(image, _)| image.to_string()).collect())
    }

    /// The names of the images that the board matches; empty if the board does not match by an image. Every field of the board
    /// must be up to date.
    pub fn matching_images(&self, board: &Board) -> Vec<String> {
        let mut names = Vec::new();
        for (image, _) in self.images.iter().flatten().filter(|(_, leaf)| leaf.matches(board)) {
            let name = image.to_string();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

impl FenPattern {
    /// The image of the pattern, if all its pieces stay on the board and no pawn comes to the first or last rank.
    fn transformed(&self, image: CompositeTransform) -> Option<FenPattern> {
        let setup = image.apply_strictly(&self.setup()).ok()?;
        let placement = Diagram::from_board(&setup.board)?;
        Some(FenPattern::from_setup(placement, setup, self.requested_fields()))
    }

    fn matches(&self, board: &Board) -> bool {
        self.placement.full_placement().holds(&board.mailbox)
            && self.turn.is_none_or(|turn| turn == board.side_to_move())
            && self.castling.is_none_or(|rooks| rooks == board.castling_rooks)
            && self.en_passant.is_none_or(|square| square == board.en_passant)
    }
}

impl Diagram {
    /// The image of the diagram, if every square that it restricts stays on the board.
    fn transformed(&self, image: CompositeTransform) -> Option<Diagram> {
        const PAWNS: u16 = 1 << 1 | 1 << 9;
        let mut image_diagram = Diagram { allowed: [ANYTHING; 64] };
        for (square, allowed) in self.allowed.into_iter().enumerate().filter(|(_, allowed)| *allowed != ANYTHING) {
            let target = usize::from(image.square(square as u8)?);
            // The code of a black piece is the code of the white one plus 8.
            let pieces =
                if image.swaps_colours() { (allowed & 0x7e) << 8 | allowed >> 8 & 0x7e | allowed & 1 } else { allowed };
            let pieces = if matches!(target / 8, 0 | 7) { pieces & !PAWNS } else { pieces };
            if pieces == 0 {
                return None;
            }
            image_diagram.allowed[target] = pieces;
        }
        Some(image_diagram)
    }
}
