//! `material KRPvKR`, `imbalance RvBN` and `endgame rook`: how many pieces of each kind the sides have.

use alloc::format;
use alloc::string::String;
use core::fmt;

use plyfold_board::board::PieceCode;
use plyfold_scan::scan::predicate::PieceCountBounds;
use shakmaty::{Color, Role};

use super::error::{QueryError, error_at};

/// The roles in the order of a name, strongest first.
const ROLES: [Role; 6] = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
/// How a material is written.
const EXAMPLES: &[&str] = &["`KRPvKR`", "`KQvKR`", "the pieces of both sides"];

/// The letters of so many pieces of each role.
fn letters(roles: &[Role], number: impl Fn(Role) -> usize) -> String {
    roles.iter().flat_map(|&role| core::iter::repeat_n(role.upper_char(), number(role))).collect()
}

/// The word of the side whose pieces are named first, with a space after it.
fn side_prefix(first: Option<Color>) -> &'static str {
    first.map_or("", |first| first.fold_wb("white ", "black "))
}

/// How many pieces of each role one side has; a king is among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoleCounts([u8; 6]);

impl RoleCounts {
    fn count(self, role: Role) -> u8 {
        self.0[role as usize - 1]
    }
}

/// With the king first, as in `KRP`.
impl fmt::Display for RoleCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&letters(&ROLES, |role| self.count(role).into()))
    }
}

/// The pieces of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MaterialPattern {
    /// The side whose pieces are named first; none if it may be either side.
    pub first: Option<Color>,
    /// The pieces named first, and those named second.
    pub sides: [RoleCounts; 2],
}

impl MaterialPattern {
    /// Reads a word such as `KRPvKR`; capitals make no difference. `at` is where it begins in the query.
    ///
    /// # Errors
    ///
    /// A letter that is not a piece, a side without a king or with two, or no `v` between the sides.
    pub fn read(word: &str, first: Option<Color>, at: usize) -> Result<MaterialPattern, QueryError> {
        let whole = |message: &str| error_at(message, at, at + word.len(), EXAMPLES);
        let Some((first_side, second_side)) = word.split_once(['v', 'V']) else {
            return Err(whole("write a `v` between the pieces of the two sides, as in `KRPvKR`"));
        };
        let sides = [read_roles(first_side, at)?, read_roles(second_side, at + first_side.len() + 1)?];
        Ok(MaterialPattern { first, sides })
    }

    /// The piece counts that the pattern allows: one entry, or two if either side may have the pieces named first.
    pub fn bounds(&self) -> impl Iterator<Item = PieceCountBounds> {
        let [one, two] = self.sides;
        let swapped = self.first.is_none() && one != two;
        let first = self.first.unwrap_or(Color::White);
        [Some(first), swapped.then_some(!first)].into_iter().flatten().map(move |first| {
            let mut bounds = PieceCountBounds::UNBOUNDED;
            for role in Role::ALL {
                fix_number(&mut bounds, first, role, one.count(role));
                fix_number(&mut bounds, !first, role, two.count(role));
            }
            bounds
        })
    }
}

/// As written after the word `material`.
impl fmt::Display for MaterialPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}v{}", side_prefix(self.first), self.sides[0], self.sides[1])
    }
}

/// The pieces that each side has and the other has not: `RvBN`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Imbalance {
    /// The side that has the pieces named first; none if it may be either side.
    pub first: Option<Color>,
    /// The queens, rooks, bishops, knights and pawns of the side named first, minus those of the other side. The index is that of
    /// the role, minus one.
    pub difference: [i8; 5],
}

impl Imbalance {
    /// The imbalance of `pieces` as they are written: those of side `first` against those of the other side.
    ///
    /// # Errors
    ///
    /// A letter that is not a piece, or a king, whose number is always the same; more pieces than a board has squares.
    pub(crate) fn from_pieces(
        first: Option<Color>,
        pieces: [&[(u8, char)]; 2],
        at: (usize, usize),
    ) -> Result<Imbalance, QueryError> {
        let mut more = [0i64; 5];
        for (pieces, sign) in pieces.into_iter().zip([1, -1]) {
            for &(number, letter) in pieces {
                let Some(role) = Role::from_char(letter).filter(|&role| role != Role::King) else {
                    let message = match letter {
                        'k' | 'K' => String::from("both sides always have a king: an imbalance has only Q R B N P"),
                        _ => format!("`{letter}` is no piece: write Q R B N P, as in `RvBN`"),
                    };
                    return Err(error_at(&message, at.0, at.1, &["`RvBN`"]));
                };
                more[role as usize - 1] += sign * i64::from(number);
            }
        }
        if more.iter().any(|more| more.abs() > 64) {
            return Err(error_at("a board has 64 squares", at.0, at.1, &["`RvBN`"]));
        }
        Ok(Imbalance { first, difference: more.map(|more| more as i8) })
    }
}

/// As written after the word `imbalance`: without the pieces that both have.
impl fmt::Display for Imbalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |sign: i8| match letters(&ROLES[1..], |role| {
            self.difference[role as usize - 1].saturating_mul(sign).max(0) as usize
        }) {
            none if none.is_empty() => String::from("0"),
            letters => letters,
        };
        write!(f, "{}{} v {}", side_prefix(self.first), side(1), side(-1))
    }
}

fn read_roles(word: &str, at: usize) -> Result<RoleCounts, QueryError> {
    let mut counts = RoleCounts([0; 6]);
    for (at_letter, letter) in word.char_indices() {
        let Some(role) = Role::from_char(letter) else {
            let message = format!("`{letter}` is no piece: write K Q R B N P, as in `KRPvKR`");
            return Err(error_at(&message, at + at_letter, at + at_letter + letter.len_utf8(), EXAMPLES));
        };
        let number = &mut counts.0[role as usize - 1];
        *number += 1;
        if *number > 64 {
            return Err(error_at("a board has 64 squares", at, at + word.len(), EXAMPLES));
        }
    }
    match counts.count(Role::King) {
        1 => Ok(counts),
        0 => Err(error_at("name the king of each side too, as in `KRPvKR`", at, at + word.len(), EXAMPLES)),
        _ => Err(error_at("each side has one king, as in `KRPvKR`", at, at + word.len(), EXAMPLES)),
    }
}

fn fix_number(bounds: &mut PieceCountBounds, colour: Color, role: Role, number: u8) {
    let code = PieceCode::new(colour, role);
    (bounds.min[code], bounds.max[code]) = (number, number);
}

/// Kinds of endgames: what each side has besides its king and any number of pawns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndgameKind {
    /// Nothing.
    Pawn,
    /// One knight.
    Knight,
    /// One bishop.
    Bishop,
    /// One knight or one bishop.
    Minor,
    /// One rook.
    Rook,
    /// One queen.
    Queen,
}

impl EndgameKind {
    /// Names as written after `endgame`, what they mean, and that in words.
    pub const NAMED: &[(&str, EndgameKind, &str)] = &[
        ("pawn", EndgameKind::Pawn, "kings and pawns only"),
        ("knight", EndgameKind::Knight, "one knight each and pawns"),
        ("bishop", EndgameKind::Bishop, "one bishop each and pawns"),
        ("minor", EndgameKind::Minor, "one knight or bishop each and pawns"),
        ("rook", EndgameKind::Rook, "one rook each and pawns"),
        ("queen", EndgameKind::Queen, "one queen each and pawns"),
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, endgame, _)| *endgame == self).map_or("", |(name, ..)| name)
    }

    /// The piece counts that the endgame allows; one entry for each choice.
    pub fn bounds(self) -> impl Iterator<Item = PieceCountBounds> {
        const NONE: &[Option<Role>] = &[None];
        const MINORS: &[Option<Role>] = &[Some(Role::Knight), Some(Role::Bishop)];
        let pieces = match self {
            EndgameKind::Pawn => NONE,
            EndgameKind::Knight => &MINORS[..1],
            EndgameKind::Bishop => &MINORS[1..],
            EndgameKind::Minor => MINORS,
            EndgameKind::Rook => &[Some(Role::Rook)],
            EndgameKind::Queen => &[Some(Role::Queen)],
        };
        pieces.iter().flat_map(move |&white| pieces.iter().map(move |&black| one_piece_each(white, black)))
    }
}

/// A piece or none for each side, and pawns.
fn one_piece_each(white: Option<Role>, black: Option<Role>) -> PieceCountBounds {
    let mut bounds = PieceCountBounds::UNBOUNDED;
    for (colour, piece) in [(Color::White, white), (Color::Black, black)] {
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            fix_number(&mut bounds, colour, role, u8::from(piece == Some(role)));
        }
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_material_that_is_its_own_mirror_image_is_sought_once() {
        let bounds = |word| MaterialPattern::read(word, None, 0).expect("a material").bounds().count();
        assert_eq!(["KRvKR", "KRPvKR", "PRKvrk"].map(bounds), [1, 2, 2]);
    }
}
