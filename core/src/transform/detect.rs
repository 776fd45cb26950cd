//! Which transforms lie between two boards.
//!
//! Of a shift, men may be lost; so the order of the boards counts: first what may be the image, then what it may be the image of.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Setup};

use super::Transform;
use super::image::{Family, Image};
use super::shift::Shift;
use super::symmetry::Symmetry;

/// The flips that make `image` of `original`.
pub fn flips(image: u64, original: u64) -> impl Iterator<Item = Symmetry> {
    let flips = Symmetry::NAMED.into_iter().map(|(_, symmetry)| symmetry).filter(|symmetry| symmetry.is_flip());
    flips.filter(move |flip| flip.word(original) == image)
}

/// The rotations that make `image` of `original`.
pub fn rotations(image: u64, original: u64) -> impl Iterator<Item = Symmetry> {
    let all = Symmetry::NAMED.into_iter().map(|(_, symmetry)| symmetry).filter(|symmetry| symmetry.is_rotation());
    all.filter(move |rotation| rotation.word(original) == image)
}

/// The shifts that make `image` of `original`, which may lose squares over the edge. The one that moves nothing is none.
pub fn shifts(image: u64, original: u64) -> impl Iterator<Item = Shift> {
    Shift::all().filter(move |shift| *shift != Shift::NONE && shift.word(original) == image)
}

/// Whether a flip makes `image` of `original`. Their order makes no difference.
pub fn is_flip(image: u64, original: u64) -> bool {
    flips(image, original).next().is_some()
}

/// Whether a rotation makes `image` of `original`. Their order makes no difference.
pub fn is_rotate(image: u64, original: u64) -> bool {
    rotations(image, original).next().is_some()
}

/// Whether a shift makes `image` of `original`, which may lose squares over the edge.
pub fn is_shift(image: u64, original: u64) -> bool {
    shifts(image, original).next().is_some()
}

/// Everything that makes the men of `image` of those of `original`: one transform for all of them. First the symmetries, alone and with
/// colours exchanged, then shifts; rows of a symmetry and a shift only where nothing else fits. Who may castle is not compared; who is to move
/// tells only whether colours are exchanged by `flipcolor` or by `polish`.
pub fn between(image: &Setup, original: &Setup) -> Vec<Image> {
    let other_to_move = image.turn != original.turn;
    let told = |way: Image| way.commonly(other_to_move);
    let families = [Family::Flips, Family::Rotations, Family::One(Transform::Polish)];
    let symmetries = Family::all(&families);
    let fits = |way: &Image| placed(*way, original) == sets(image);
    let mut found: Vec<Image> = symmetries.iter().copied().filter(fits).map(told).collect();
    let shifts = || Shift::all().filter(|shift| *shift != Shift::NONE).map(|shift| Image::of(Transform::Shift(shift)));
    found.extend(shifts().filter(fits));
    if found.is_empty() {
        let all = symmetries.iter().skip(1).flat_map(|way| shifts().filter_map(|shift| way.then(shift)));
        found.extend(all.filter(fits).map(told));
    }
    found
}

/// The sets of squares of each kind of man: White's, Black's, then the six roles.
fn sets(position: &Setup) -> [u64; 8] {
    let board = &position.board;
    let roles = [board.pawns(), board.knights(), board.bishops(), board.rooks(), board.queens(), board.kings()];
    let [a, b, c, d, e, f] = roles.map(|Bitboard(set)| set);
    [board.white().0, board.black().0, a, b, c, d, e, f]
}

/// The same once `way` has been applied.
fn placed(way: Image, position: &Setup) -> [u64; 8] {
    let mut sets = sets(position).map(|set| way.word(set));
    if way.exchanges() {
        sets.swap(0, 1);
    }
    sets
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use super::super::read;
    use super::*;

    fn told_between(image: &str, original: &str) -> Vec<String> {
        let [image, original] = [image, original].map(|text| read::fen(text).expect(text));
        between(&image, &original).iter().map(ToString::to_string).collect()
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
            let position = read::fen(original).expect("a FEN");
            let turned =
                row.split(' ').fold(position, |position, name| Transform::named(name).expect(name).apply(&position));
            assert_eq!(told_between(&read::write(&turned), original), [row]);
        }
    }

    #[test]
    fn rows_of_two_are_found_where_one_is_not_enough() {
        let original = "8/2k5/3p4/4P3/8/1N6/2K5/8";
        let position = read::fen(original).expect("a FEN");
        for row in ["rot90 shift:1,0", "flipH shift:0,1", "flipD polish shift:1,1"] {
            let way = row.split(' ').map(|name| Image::of(Transform::named(name).expect(name)));
            let way = way.fold(Image::IDENTITY, |all, next| all.then(next).expect("near"));
            let image = read::placement(&way.apply(&position));
            assert!(told_between(&image, original).contains(&row.to_string()), "{row}");
        }
    }
}
