//! Finds the transforms that turn one board into another.
//!
//! A shift may drop pieces, so the order of the boards matters: the possible image comes first, then the possible original.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Setup};

use super::Transform;
use super::composite::{CompositeTransform, TransformFamily};
use super::shift::Shift;
use super::symmetry::Symmetry;

/// The flips that turn `original` into `image`.
pub fn flips(image: u64, original: u64) -> impl Iterator<Item = Symmetry> {
    let flips = Symmetry::NAMED.into_iter().map(|(_, symmetry)| symmetry).filter(|symmetry| symmetry.is_flip());
    flips.filter(move |flip| flip.bitboard(original) == image)
}

/// The rotations that turn `original` into `image`.
pub fn rotations(image: u64, original: u64) -> impl Iterator<Item = Symmetry> {
    let all = Symmetry::NAMED.into_iter().map(|(_, symmetry)| symmetry).filter(|symmetry| symmetry.is_rotation());
    all.filter(move |rotation| rotation.bitboard(original) == image)
}

/// The shifts that turn `original` into `image`; squares may be lost over the edge. The shift that moves nothing is not among them.
pub fn shifts(image: u64, original: u64) -> impl Iterator<Item = Shift> {
    Shift::all().filter(move |shift| *shift != Shift::NONE && shift.bitboard(original) == image)
}

/// Returns whether a flip turns `original` into `image`. The order of the two makes no difference.
pub fn is_flip(image: u64, original: u64) -> bool {
    flips(image, original).next().is_some()
}

/// Returns whether a rotation turns `original` into `image`. The order of the two makes no difference.
pub fn is_rotation(image: u64, original: u64) -> bool {
    rotations(image, original).next().is_some()
}

/// Returns whether a shift turns `original` into `image`; squares may be lost over the edge.
pub fn is_shift(image: u64, original: u64) -> bool {
    shifts(image, original).next().is_some()
}

/// All transforms that turn the pieces of `original` into those of `image`: first the symmetries, alone and with a colour swap, then
/// the shifts. A symmetry with a shift is tried only if nothing else fits. Castling rights are not compared; the side to move
/// only decides whether a colour swap is `flipcolor` or `polish`.
pub fn transforms_between(image: &Setup, original: &Setup) -> Vec<CompositeTransform> {
    let other_to_move = image.turn != original.turn;
    let simplify = |transform: CompositeTransform| transform.simplified(other_to_move);
    let families =
        [TransformFamily::Flips, TransformFamily::Rotations, TransformFamily::Single(Transform::SwapColours)];
    let symmetries = TransformFamily::combinations(&families);
    let fits = |transform: &CompositeTransform| transformed_sets(*transform, original) == piece_sets(image);
    let mut transforms: Vec<CompositeTransform> = symmetries.iter().copied().filter(fits).map(simplify).collect();
    let shifts = || {
        Shift::all()
            .filter(|shift| *shift != Shift::NONE)
            .map(|shift| CompositeTransform::of_transform(Transform::Shift(shift)))
    };
    transforms.extend(shifts().filter(fits));
    if transforms.is_empty() {
        let composites = symmetries.iter().skip(1).flat_map(|way| shifts().filter_map(|shift| way.then(shift)));
        transforms.extend(composites.filter(fits).map(simplify));
    }
    transforms
}

/// The squares of White, of Black, and of each of the six roles.
fn piece_sets(position: &Setup) -> [u64; 8] {
    let board = &position.board;
    let roles = [board.pawns(), board.knights(), board.bishops(), board.rooks(), board.queens(), board.kings()];
    let [a, b, c, d, e, f] = roles.map(|Bitboard(set)| set);
    [board.white().0, board.black().0, a, b, c, d, e, f]
}

/// The same after `transform`.
fn transformed_sets(transform: CompositeTransform, position: &Setup) -> [u64; 8] {
    let mut sets = piece_sets(position).map(|set| transform.bitboard(set));
    if transform.swaps_colours() {
        sets.swap(0, 1);
    }
    sets
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use super::super::position_text;
    use super::*;

    fn told_between(image: &str, original: &str) -> Vec<String> {
        let [image, original] = [image, original].map(|text| position_text::read_fen(text).expect(text));
        transforms_between(&image, &original).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_way_is_named() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        assert_eq!(told_between(start, start), ["identity", "flipcolor"]);
        assert_eq!(told_between("RNBQKBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbqkbnr", start), ["flipV", "polish"]);
        // One delta for all men: each for itself would be one.
        assert!(told_between("8/8/8/8/8/8/8/1K1k4", "8/8/8/8/8/8/8/K1k5").contains(&"shift:1,0".to_string()));
        assert_eq!(told_between("8/8/8/8/8/8/8/1K2k3", "8/8/8/8/8/8/8/K1k5"), [""; 0]);
        // The bishop leaves the board; it does not come from beyond it.
        assert_eq!(told_between("8/8/8/8/8/3k4/K7/8", "8/8/8/8/8/4k3/1K6/B7"), ["shift:-1,0"]);
        assert_eq!(told_between("8/8/8/8/8/4k3/1K6/B7", "8/8/8/8/8/3k4/K7/8"), [""; 0]);
    }

    #[test]
    fn who_is_to_move_tells_how_colours_are_exchanged() {
        let original = "8/2k5/3p4/4P3/8/1N6/2K5/8 b";
        for row in ["flipcolor", "flipH flipcolor", "rot180 polish", "polish", "flipV flipcolor", "rot90 flipcolor"] {
            let position = position_text::read_fen(original).expect("a FEN");
            let turned =
                row.split(' ').fold(position, |position, name| Transform::named(name).expect(name).apply(&position));
            assert_eq!(told_between(&position_text::to_fen(&turned), original), [row]);
        }
    }

    #[test]
    fn rows_of_two_are_found_where_one_is_not_enough() {
        let original = "8/2k5/3p4/4P3/8/1N6/2K5/8";
        let position = position_text::read_fen(original).expect("a FEN");
        for row in ["rot90 shift:1,0", "flipH shift:0,1", "flipD polish shift:1,1"] {
            let way = row.split(' ').map(|name| CompositeTransform::of_transform(Transform::named(name).expect(name)));
            let way = way.fold(CompositeTransform::IDENTITY, |all, next| all.then(next).expect("near"));
            let image = position_text::placement(&way.apply(&position));
            assert!(told_between(&image, original).contains(&row.to_string()), "{row}");
        }
    }
}
