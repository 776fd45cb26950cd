//! Combines several transforms into one: a symmetry, a colour change and a shift, in this order.
//!
//! Every sequence of transforms is such a composite, as long as no piece leaves the board on the way: a shift after a symmetry is
//! the same as the symmetry after another shift, and colours do not depend on squares.

use alloc::vec::Vec;
use core::fmt;

use shakmaty::Setup;

use super::shift::Shift;
use super::symmetry::Symmetry;
use super::{DroppedPieces, SWAP_COLOURS, Transform};

/// The change of colours: those of the pieces, and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum ColourChange {
    /// Nothing changes.
    #[default]
    Unchanged,
    /// The pieces swap colours, and the other side is to move.
    Flipped,
    /// The pieces swap colours, and the side to move stays.
    Swapped,
    /// The pieces keep their colours, and the other side is to move: the result of two different swaps.
    TurnPassed,
}

impl ColourChange {
    /// Two bits: bit 0, the pieces swap colours; bit 1, the other side is to move.
    const fn bits(self) -> u8 {
        match self {
            ColourChange::Unchanged => 0,
            ColourChange::Swapped => 1,
            ColourChange::TurnPassed => 2,
            ColourChange::Flipped => 3,
        }
    }

    const fn then(self, next: ColourChange) -> ColourChange {
        match self.bits() ^ next.bits() {
            0 => ColourChange::Unchanged,
            1 => ColourChange::Swapped,
            2 => ColourChange::TurnPassed,
            _ => ColourChange::Flipped,
        }
    }
}

/// A symmetry, then a colour change on the same squares, then a shift.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CompositeTransform {
    /// The symmetry, which comes before the shift.
    symmetry: Symmetry,
    colours: ColourChange,
    shift: Shift,
}

impl CompositeTransform {
    /// A number below [`COMPOSITES`]; each composite has another.
    fn index(self) -> usize {
        let shift = (self.shift.ranks() + 7) as usize * 15 + (self.shift.files() + 7) as usize;
        let symmetry = Symmetry::ALL.iter().position(|one| *one == self.symmetry).unwrap_or(0);
        (shift * 4 + usize::from(self.colours.bits())) * 8 + symmetry
    }

    /// The transform that changes nothing.
    pub const IDENTITY: CompositeTransform =
        CompositeTransform { symmetry: Symmetry::IDENTITY, colours: ColourChange::Unchanged, shift: Shift::NONE };

    /// A single transform as a composite.
    #[must_use]
    pub const fn of_transform(transform: Transform) -> CompositeTransform {
        match transform {
            Transform::Rigid(symmetry) => CompositeTransform { symmetry, ..CompositeTransform::IDENTITY },
            Transform::Shift(shift) => CompositeTransform { shift, ..CompositeTransform::IDENTITY },
            Transform::FlipColor => CompositeTransform {
                symmetry: Symmetry::FLIP_V,
                colours: ColourChange::Flipped,
                ..CompositeTransform::IDENTITY
            },
            Transform::SwapColours => {
                CompositeTransform { colours: ColourChange::Swapped, ..CompositeTransform::IDENTITY }
            }
        }
    }

    /// The composite that is this one and then `next`; none if that shifts everything off the board.
    #[must_use]
    pub fn then(self, next: CompositeTransform) -> Option<CompositeTransform> {
        let (files, ranks) = transformed_shift(self.shift, next.symmetry);
        let shift = Shift::new(files + next.shift.files(), ranks + next.shift.ranks())?;
        let colours = self.colours.then(next.colours);
        Some(CompositeTransform { symmetry: self.symmetry.then(next.symmetry), colours, shift })
    }

    /// The transforms of which it is composed, in their order; none for the identity.
    #[must_use]
    pub fn transforms(self) -> Vec<Transform> {
        let (symmetry, colours): (Symmetry, &[Transform]) = match self.colours {
            ColourChange::Unchanged => (self.symmetry, &[]),
            ColourChange::Swapped => (self.symmetry, &[Transform::SwapColours]),
            ColourChange::Flipped => (self.symmetry.then(Symmetry::FLIP_V), &[Transform::FlipColor]),
            ColourChange::TurnPassed => {
                (self.symmetry.then(Symmetry::FLIP_V), &[Transform::FlipColor, Transform::SwapColours])
            }
        };
        let symmetry = Some(Transform::Rigid(symmetry)).filter(|_| symmetry != Symmetry::IDENTITY);
        let shift = Some(Transform::Shift(self.shift)).filter(|_| self.shift != Shift::NONE);
        symmetry.into_iter().chain(colours.iter().copied()).chain(shift).collect()
    }

    /// The transformed position. Pieces that leave the board are dropped.
    #[must_use]
    pub fn apply(self, position: &Setup) -> Setup {
        self.transforms().iter().fold(position.clone(), |position, transform| transform.apply(&position))
    }

    /// The transformed position, if every piece stays on the board.
    ///
    /// # Errors
    ///
    /// The pieces that would leave the board, and their squares before the shift.
    pub fn apply_strictly(self, position: &Setup) -> Result<Setup, DroppedPieces> {
        self.transforms().iter().try_fold(position.clone(), |position, transform| transform.apply_strictly(&position))
    }

    /// Returns where a set of squares goes, without those that leave the board.
    #[must_use]
    pub const fn bitboard(self, word: u64) -> u64 {
        self.shift.bitboard(self.symmetry.bitboard(word))
    }

    /// Returns where a set of squares goes; none if some of them leave the board.
    #[must_use]
    pub const fn bitboard_if_inside(self, word: u64) -> Option<u64> {
        self.shift.bitboard_if_inside(self.symmetry.bitboard(word))
    }

    /// Returns where a square, 0 to 63, goes; none if it leaves the board.
    #[must_use]
    pub const fn square(self, square: u8) -> Option<u8> {
        self.shift.square(self.symmetry.square(square))
    }

    /// Returns whether the pieces swap colours.
    #[must_use]
    pub const fn swaps_colours(self) -> bool {
        self.colours.bits() & 1 != 0
    }

    /// A composite with the same effect on the pieces, under its common name: a colour swap with the other side to move is
    /// `flipcolor`, and so is `flipV` with `polish`.
    #[must_use]
    pub fn simplified(self, other_to_move: bool) -> CompositeTransform {
        let is_flip = other_to_move || self.symmetry == Symmetry::FLIP_V;
        match self.colours {
            ColourChange::Swapped if is_flip => CompositeTransform { colours: ColourChange::Flipped, ..self },
            _ => self,
        }
    }
}

/// The files and ranks of a shift once a symmetry is applied to its direction.
fn transformed_shift(shift: Shift, symmetry: Symmetry) -> (i8, i8) {
    // d4 and its neighbours to the right and above show where the directions go.
    let at = |square: u8| {
        let target = symmetry.square(square);
        ((target & 7) as i8, (target >> 3) as i8)
    };
    let ((file, rank), right, up) = (at(27), at(28), at(35));
    let (files, ranks) = (shift.files(), shift.ranks());
    (files * (right.0 - file) + ranks * (up.0 - file), files * (right.1 - rank) + ranks * (up.1 - rank))
}

/// The names of its transforms, in their order.
impl fmt::Display for CompositeTransform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transforms = self.transforms();
        if transforms.is_empty() {
            return f.write_str(Symmetry::IDENTITY.name());
        }
        for (index, transform) in transforms.iter().enumerate() {
            write!(f, "{}{transform}", if index > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}

/// A set of transforms under which a pattern is searched. The identity belongs to each of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransformFamily {
    /// The board and its mirror image, in which left and right change places.
    Mirror,
    /// The four flips.
    Flips,
    /// The three rotations.
    Rotations,
    /// All shifts.
    Shifts,
    /// Shifts along the ranks, from file to file.
    FileShifts,
    /// Shifts along the files, from rank to rank.
    RankShifts,
    /// The board as the other side sees it.
    ColourFlip,
    /// One transform.
    Single(Transform),
}

impl TransformFamily {
    /// The families that have a name of their own.
    pub const NAMED: [(&'static str, TransformFamily); 7] = [
        ("mirror", TransformFamily::Mirror),
        ("flips", TransformFamily::Flips),
        ("rotations", TransformFamily::Rotations),
        ("shifts", TransformFamily::Shifts),
        ("file_shifts", TransformFamily::FileShifts),
        ("rank_shifts", TransformFamily::RankShifts),
        ("colour_flip", TransformFamily::ColourFlip),
    ];

    /// The transforms of the family, the identity first.
    #[must_use]
    pub fn members(self) -> Vec<CompositeTransform> {
        let rigid = |is_member: &dyn Fn(Symmetry) -> bool| -> Vec<Transform> {
            let named = Symmetry::NAMED.iter().map(|(_, symmetry)| *symmetry);
            named.filter(|one| is_member(*one)).map(Transform::Rigid).collect()
        };
        let shifts = |is_member: &dyn Fn(Shift) -> bool| -> Vec<Transform> {
            Shift::all().filter(|one| *one != Shift::NONE && is_member(*one)).map(Transform::Shift).collect()
        };
        let transforms = match self {
            TransformFamily::Mirror => rigid(&|one| one == Symmetry::FLIP_H),
            TransformFamily::Flips => rigid(&Symmetry::is_flip),
            TransformFamily::Rotations => rigid(&Symmetry::is_rotation),
            TransformFamily::Shifts => shifts(&|_| true),
            TransformFamily::FileShifts => shifts(&|one| one.ranks() == 0),
            TransformFamily::RankShifts => shifts(&|one| one.files() == 0),
            TransformFamily::ColourFlip => [Transform::FlipColor].into(),
            TransformFamily::Single(transform) => [transform].into(),
        };
        let others = transforms
            .into_iter()
            .map(CompositeTransform::of_transform)
            .filter(|image| *image != CompositeTransform::IDENTITY);
        core::iter::once(CompositeTransform::IDENTITY).chain(others).collect()
    }

    /// All choices of one transform from each family, one after the other: every composite once, the identity first.
    #[must_use]
    pub fn combinations(families: &[TransformFamily]) -> Vec<CompositeTransform> {
        let mut composites = [CompositeTransform::IDENTITY].to_vec();
        for family in families {
            let members = family.members();
            let mut is_there = [false; COMPOSITES];
            for next in composites.iter().flat_map(|one| members.iter().filter_map(|two| one.then(*two))) {
                is_there[next.index()] = true;
            }
            composites = simplest_first().filter(|image| is_there[image.index()]).collect();
        }
        composites
    }
}

/// How many composites there are.
const COMPOSITES: usize = 8 * 4 * 15 * 15;

/// All composites; those that change least come first.
fn simplest_first() -> impl Iterator<Item = CompositeTransform> {
    let far = |shift: &Shift| shift.files().abs() + shift.ranks().abs();
    let shifts = (0..=14).flat_map(move |steps| Shift::all().filter(move |shift| far(shift) == steps));
    shifts.flat_map(|shift| {
        [ColourChange::Unchanged, ColourChange::Flipped, ColourChange::Swapped, ColourChange::TurnPassed]
            .into_iter()
            .flat_map(move |colours| {
                Symmetry::NAMED.into_iter().map(move |(_, symmetry)| CompositeTransform { symmetry, colours, shift })
            })
    })
}

/// As a query writes it: by its name, single shifts as `shift(2,-1)`.
impl fmt::Display for TransformFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransformFamily::Single(Transform::Shift(shift)) => write!(f, "shift({},{})", shift.files(), shift.ranks()),
            TransformFamily::Single(Transform::SwapColours) => f.write_str(SWAP_COLOURS),
            TransformFamily::Single(transform) => write!(f, "{transform}"),
            family => {
                f.write_str(TransformFamily::NAMED.iter().find(|(_, one)| one == family).map_or("", |(name, _)| name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::super::position_text;
    use super::*;

    fn image(names: &str) -> CompositeTransform {
        let transforms =
            names.split(' ').map(|name| CompositeTransform::of_transform(Transform::named(name).expect(name)));
        transforms.fold(CompositeTransform::IDENTITY, |image, next| image.then(next).expect("a near shift"))
    }

    #[test]
    fn rows_of_transforms_are_one() {
        for (row, one) in [
            ("flipH flipV", "rot180"),
            ("flipcolor flipV", "flipV flipcolor"),
            ("shift:1,0 rot90", "rot90 shift:0,1"),
            ("shift:1,2 flipD", "flipD shift:2,1"),
            ("flipcolor shift:3,-1 flipcolor", "shift:3,1"),
            ("shift:1,0 shift:-1,0", "identity"),
        ] {
            assert_eq!(image(row), image(one), "{row}");
        }
        assert_eq!(image("flipH flipcolor shift:1,0").to_string(), "flipH flipcolor shift:1,0");
        assert_eq!(image("identity").to_string(), "identity");
        let far = CompositeTransform::of_transform(Transform::named("shift:4,0").expect("a shift"));
        assert_eq!(far.then(far), None);
    }

    #[test]
    fn one_image_does_what_the_row_does() {
        // In the middle of the board, nobody leaves it.
        let position = position_text::read_fen("8/8/8/3pB3/3KQ3/8/8/8 b - - 5 9").expect("a FEN");
        let all = TransformFamily::combinations(&[
            TransformFamily::Flips,
            TransformFamily::Rotations,
            TransformFamily::ColourFlip,
            TransformFamily::Single(Transform::SwapColours),
        ]);
        assert_eq!(all.len(), 32);
        let steps = ["flipH", "flipD", "rot90", "rot270", "flipcolor", "polish", "shift:1,0", "shift:-2,1"];
        for first in all {
            assert_eq!(image(&first.to_string()), first);
            for second in steps {
                for third in steps {
                    let then = image(&alloc::format!("{first} {second} {third}"));
                    let [second, third] = [second, third].map(|name| Transform::named(name).expect(name));
                    let row = third.apply(&second.apply(&first.apply(&position)));
                    assert_eq!(
                        position_text::to_fen(&then.apply(&position)),
                        position_text::to_fen(&row),
                        "{first} {second} {third}"
                    );
                }
            }
        }
    }

    #[test]
    fn families_go_together_as_every_choice() {
        let number = |families: &[TransformFamily]| TransformFamily::combinations(families).len();
        assert_eq!(number(&[]), 1);
        assert_eq!(number(&[TransformFamily::Flips]), 5);
        assert_eq!(number(&[TransformFamily::Rotations]), 4);
        assert_eq!(number(&[TransformFamily::Flips, TransformFamily::Rotations]), 8);
        assert_eq!(number(&[TransformFamily::Mirror, TransformFamily::ColourFlip]), 4);
        assert_eq!(number(&[TransformFamily::Flips, TransformFamily::Rotations, TransformFamily::ColourFlip]), 16);
        assert_eq!(number(&[TransformFamily::Shifts]), 225);
        assert_eq!(number(&[TransformFamily::FileShifts, TransformFamily::RankShifts]), 225);
        assert_eq!(
            number(&[
                TransformFamily::Shifts,
                TransformFamily::Flips,
                TransformFamily::Rotations,
                TransformFamily::ColourFlip
            ]),
            225 * 16
        );
        let all = TransformFamily::combinations(&[TransformFamily::ColourFlip, TransformFamily::Mirror]);
        assert_eq!(
            all.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["identity", "flipH", "flipcolor", "flipH flipcolor"]
        );
    }
}
