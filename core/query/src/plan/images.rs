//! Plans the images of a description of the whole board.

use alloc::boxed::Box;
use alloc::vec::Vec;

use plyfold_board::board::ByPiece;
use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::{
    PawnPattern, PawnPatternImages, PieceCountBounds, Placement, PlacementImages, PositionPredicate, SideToMove,
};

use super::{QueryPlanner, any_of, flatten_and};
use crate::diagram::Diagram;
use crate::error::QueryError;
use crate::forms::Leaf;
use crate::forms::fen::rights_predicate;
use crate::forms::under::TransformedPattern;

/// If there are more different piece counts than these, one predicate with widened bounds replaces them.
const MAX_PIECE_BOUNDS: usize = 4;

/// If images restrict at most this many squares in all, without those of pawns, they are tested one by one.
// PERF: watching this many squares takes less time than replaying a board.
const MAX_WATCHED_SQUARES: u32 = 16;

impl QueryPlanner<'_> {
    /// The formula of the images, at least one of which must hold. Images that differ only in squares are tested together.
    pub(crate) fn lower_transformed(&mut self, under: &TransformedPattern) -> Result<Formula, QueryError> {
        let images: Vec<ImageRequirements> =
            under.images().iter().filter_map(|(_, leaf)| ImageRequirements::of_leaf(leaf)).collect();
        let mut groups: Vec<Vec<&ImageRequirements>> = Vec::new();
        for image in &images {
            match groups.iter_mut().find(|group| group[0].state == image.state) {
                Some(group) => group.push(image),
                None => groups.push(Vec::from([image])),
            }
        }
        let groups = groups.into_iter().map(|group| {
            let mut formulas = self.intern_predicates(group[0].state.iter().cloned())?;
            formulas.extend(self.common_piece_bounds(&group)?);
            let watched_squares =
                group.iter().map(|image| image.other_squares.map_or(0, |others| others.squares.count_ones()));
            // If the pawns decide most positions, the few others are replayed quickly.
            let max_squares =
                if group.iter().any(|way| way.pawns.is_none()) { MAX_WATCHED_SQUARES } else { MAX_WATCHED_SQUARES / 2 };
            if group.len() > 1 && (1..=max_squares).contains(&watched_squares.sum()) {
                let per_image = group.iter().map(|way| self.conjunction(ImageRequirements::square_predicates(&[*way])));
                formulas.push(Formula::Or(per_image.collect::<Result<_, _>>()?));
            } else {
                formulas.extend(self.intern_predicates(ImageRequirements::square_predicates(&group))?);
            }
            Ok(flatten_and(formulas))
        });
        groups.collect::<Result<_, _>>().map(any_of)
    }

    /// The formula of the images' piece counts; none unless each image has some.
    fn common_piece_bounds(&mut self, images: &[&ImageRequirements]) -> Result<Option<Formula>, QueryError> {
        let mut bounds: Vec<PieceCountBounds> = Vec::new();
        for image in images {
            let Some(numbers) = image.numbers else { return Ok(None) };
            if !bounds.contains(&numbers) {
                bounds.push(numbers);
            }
        }
        if bounds.len() > MAX_PIECE_BOUNDS {
            let widen = |one: PieceCountBounds, two: &PieceCountBounds| PieceCountBounds {
                min: ByPiece::from_fn(|piece| one.min[piece].min(two.min[piece])),
                max: ByPiece::from_fn(|piece| one.max[piece].max(two.max[piece])),
            };
            bounds = Vec::from([bounds.iter().skip(1).fold(bounds[0], widen)]);
        }
        self.any_piece_bounds(bounds.into_iter()).map(Some)
    }
}

/// The requirements of an image.
struct ImageRequirements {
    /// What it requires besides pieces.
    state: Vec<PositionPredicate>,
    /// The piece counts that its squares imply.
    numbers: Option<PieceCountBounds>,
    pawns: Option<PawnPattern>,
    /// The requirements that [`pawns`](Self::pawns) does not have.
    other_squares: Option<Placement>,
    /// Every square that the image restricts.
    all_squares: Placement,
}

impl ImageRequirements {
    /// The requirements of a leaf that describes the whole board.
    fn of_leaf(leaf: &Leaf) -> Option<ImageRequirements> {
        let requirements = |diagram: &Diagram, state| ImageRequirements {
            state,
            numbers: diagram.piece_bounds(),
            pawns: diagram.pawn_pattern(),
            other_squares: diagram.remaining_placement(),
            all_squares: diagram.constrained_placement(),
        };
        match leaf {
            Leaf::Fen(fen) => Some(requirements(
                &fen.placement,
                fen.turn.map(|side| SideToMove(side).into()).into_iter().chain(rights_predicate(fen)).collect(),
            )),
            Leaf::Board(diagram) => Some(requirements(diagram, Vec::new())),
            Leaf::Structure(structure) => {
                let diagram = structure.diagram();
                Some(ImageRequirements { numbers: None, other_squares: None, ..requirements(&diagram, Vec::new()) })
            }
            _ => None,
        }
    }

    /// The predicates of squares that at least one image must satisfy: first the pawns alone, then the exact test.
    fn square_predicates(images: &[&ImageRequirements]) -> Vec<PositionPredicate> {
        let exactly = |placement: &Placement| PositionPredicate::Placement(Box::new(*placement));
        if let [way] = images {
            return [way.pawns.map(PositionPredicate::PawnPattern), way.other_squares.as_ref().map(exactly)]
                .into_iter()
                .flatten()
                .collect();
        }
        let mut pawns: Vec<PawnPattern> = Vec::new();
        for image in images {
            pawns.extend(image.pawns.filter(|pattern| !pawns.contains(pattern)));
        }
        let mut predicates = Vec::new();
        if images.iter().all(|way| way.pawns.is_some()) {
            predicates.push(PawnPatternImages(pawns.into()).into());
        }
        if images.iter().any(|way| way.other_squares.is_some()) {
            let placements = images.iter().map(|way| way.all_squares).collect();
            predicates.push(PositionPredicate::PlacementImages(Box::new(PlacementImages::new(placements))));
        }
        predicates
    }
}
