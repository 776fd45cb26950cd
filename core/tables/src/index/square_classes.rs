//! Divides squares into classes, of which the tiles of a table are made.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_transform::symmetry::Symmetry;

/// The white king's squares where there are no pawns: a corner of the board, up to its diagonal.
pub(super) const CORNER: [u8; 10] = [0, 1, 2, 3, 9, 10, 11, 18, 19, 27];

/// Classes of squares, and the place of each square in them.
#[derive(Clone, Debug)]
pub struct SquareClasses {
    classes: Vec<Vec<u8>>,
    /// Class and number in it, by square; the class is `NONE` for squares that have none.
    class_of: [(u8, u8); 64],
}

const NO_CLASS: u8 = u8::MAX;

impl SquareClasses {
    pub(super) fn new(classes: Vec<Vec<u8>>) -> SquareClasses {
        let mut class_of = [(NO_CLASS, 0); 64];
        for (number, class) in (0..).zip(&classes) {
            for (slot, &square) in (0..).zip(class) {
                class_of[usize::from(square)] = (number, slot);
            }
        }
        SquareClasses { classes, class_of }
    }

    /// The single class of a piece that the material does not have.
    pub(super) fn single() -> SquareClasses {
        SquareClasses::new(vec![vec![0]])
    }

    /// The number of classes.
    pub fn count(&self) -> usize {
        self.classes.len()
    }

    /// The squares of a class.
    pub fn squares(&self, class: usize) -> &[u8] {
        &self.classes[class]
    }

    /// The class of a square and the square's number in it; `None` if it has no class.
    pub fn find(&self, square: u8) -> Option<(usize, usize)> {
        let (class, slot) = self.class_of[usize::from(square)];
        (class != NO_CLASS).then_some((class.into(), slot.into()))
    }
}

/// The orbits of the squares under the eight symmetries, as ten classes.
pub(super) fn symmetry_orbits() -> SquareClasses {
    let orbit = |corner: &u8| {
        let mut squares: Vec<u8> = Symmetry::ALL.iter().map(|symmetry| symmetry.square(*corner)).collect();
        squares.sort_unstable();
        squares.dedup();
        squares
    };
    SquareClasses::new(CORNER.iter().map(orbit).collect())
}
