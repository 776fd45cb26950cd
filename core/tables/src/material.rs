//! The material of a table: its name, its limits, and the tables into which it converts.
//!
//! `KRvK` and `KvKR` name the same endgame but two tables, because the winner of a table is White.

use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use shakmaty::{Board, Color, Role};
use thiserror::Error;

/// The most men of a table, kings included.
pub const MAX_MEN: usize = 7;

/// The most men of a side that can lose, its king included: all their placements together are one chunk of a table.
pub(crate) const MAX_LOSING_MEN: usize = 4;

/// The pieces of one side besides the king, by role. Ordered by their number, then by strength.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SideMaterial {
    len: u8,
    by_role: [u8; 5],
}

impl SideMaterial {
    /// The roles that are counted, strongest first.
    pub const ROLES: [Role; 5] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

    /// The material with these roles; kings are ignored.
    pub fn from_roles(roles: impl IntoIterator<Item = Role>) -> SideMaterial {
        roles.into_iter().fold(SideMaterial::default(), SideMaterial::with)
    }

    /// The material of one side on a board.
    pub fn of_side(board: &Board, color: Color) -> SideMaterial {
        let by_role = SideMaterial::ROLES.map(|role| (board.by_color(color) & board.by_role(role)).count() as u8);
        SideMaterial { len: by_role.iter().sum(), by_role }
    }

    /// Returns how many pieces have this role; 0 for kings.
    pub fn count(self, role: Role) -> u8 {
        role_index(role).map_or(0, |slot| self.by_role[slot])
    }

    /// Returns how many pieces there are, without the king.
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Returns whether the king is alone.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The material with one more piece of this role. It stays the same for a king, and at 255 pieces.
    #[must_use]
    pub fn with(mut self, role: Role) -> SideMaterial {
        if let (Some(slot), Some(len)) = (role_index(role), self.len.checked_add(1)) {
            self.by_role[slot] += 1;
            self.len = len;
        }
        self
    }

    /// The material with one piece less of this role; `None` if there is none.
    #[must_use]
    pub fn without(mut self, role: Role) -> Option<SideMaterial> {
        let slot = role_index(role)?;
        self.by_role[slot] = self.by_role[slot].checked_sub(1)?;
        self.len -= 1;
        Some(self)
    }

    /// The role of each piece, strongest first.
    pub fn roles(self) -> impl DoubleEndedIterator<Item = Role> + Clone {
        let of_role = move |(role, number): (Role, u8)| core::iter::repeat_n(role, number.into());
        SideMaterial::ROLES.into_iter().zip(self.by_role).flat_map(of_role)
    }

    /// The role of each piece that is not a pawn, strongest first.
    pub fn pieces(self) -> impl DoubleEndedIterator<Item = Role> + Clone {
        self.roles().filter(|role| *role != Role::Pawn)
    }

    /// The roles that occur, strongest first.
    fn distinct_roles(self) -> impl Iterator<Item = Role> + Clone {
        SideMaterial::ROLES.into_iter().filter(move |role| self.count(*role) > 0)
    }

    /// The materials after one pawn promotes.
    fn promoted(self) -> impl Iterator<Item = SideMaterial> + Clone {
        let fewer = self.without(Role::Pawn);
        fewer.into_iter().flat_map(|side| {
            SideMaterial::ROLES.into_iter().filter(|role| *role != Role::Pawn).map(move |to| side.with(to))
        })
    }

    /// All materials with this number of pieces.
    fn all_of_size(number: usize) -> Vec<SideMaterial> {
        let mut sides = BTreeSet::from([SideMaterial::default()]);
        for _ in 0..number {
            sides = sides.into_iter().flat_map(|side| SideMaterial::ROLES.map(|role| side.with(role))).collect();
        }
        sides.into_iter().rev().collect()
    }
}

/// With the king, as in `KRB`.
impl fmt::Display for SideMaterial {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("K")?;
        self.roles().try_for_each(|role| write!(out, "{}", role.upper_char()))
    }
}

fn role_index(role: Role) -> Option<usize> {
    SideMaterial::ROLES.iter().position(|counted| *counted == role)
}

/// The material of both sides. In the name of a table, White is the winner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableMaterial {
    /// White's pieces besides the king.
    pub white: SideMaterial,
    /// Black's pieces besides the king.
    pub black: SideMaterial,
}

impl TableMaterial {
    /// The material of a board.
    pub fn of_board(board: &Board) -> TableMaterial {
        TableMaterial {
            white: SideMaterial::of_side(board, Color::White),
            black: SideMaterial::of_side(board, Color::Black),
        }
    }

    /// The material with colours swapped: the table of the other winner.
    #[must_use]
    pub const fn swapped(self) -> TableMaterial {
        TableMaterial { white: self.black, black: self.white }
    }

    /// Returns how many men there are, kings included.
    pub const fn men(self) -> usize {
        self.white.len() + self.black.len() + 2
    }

    /// Returns how many pawns there are.
    pub fn pawns(self) -> usize {
        (self.white.count(Role::Pawn) + self.black.count(Role::Pawn)).into()
    }

    /// The name of the endgame: the side with more men first, with as many the stronger one (`KQvKR`, `KRBvKR`).
    #[must_use]
    pub fn canonical(self) -> TableMaterial {
        if self.white < self.black { self.swapped() } else { self }
    }

    /// Returns whether White can win at all. A lone king cannot, so there is no table for it.
    pub const fn can_win(self) -> bool {
        !self.white.is_empty()
    }

    /// The canonical materials of tables with exactly this number of men, kings included; strongest first. There are 5 with three
    /// men, 30 with four and 110 with five.
    pub fn all_with_men(men: usize) -> Vec<TableMaterial> {
        let Some(number) = men.checked_sub(2).filter(|_| men <= MAX_MEN) else { return Vec::new() };
        let mut materials = Vec::new();
        for black in 0..=number / 2 {
            for white in SideMaterial::all_of_size(number - black) {
                materials
                    .extend(SideMaterial::all_of_size(black).into_iter().map(|black| TableMaterial { white, black }));
            }
        }
        materials.retain(|material| *material == material.canonical() && material.limit_problem().is_none());
        materials
    }

    /// Every table into which a capture, a promotion or both at once, by either side, converts this one, each once. The winner is
    /// the same, and there are fewer men or fewer pawns. Materials in which the winner has a lone king are left out, because
    /// nothing is won there.
    #[must_use]
    pub fn conversions(self) -> Vec<TableMaterial> {
        let by_white = side_conversions(self.white, self.black);
        let by_black = side_conversions(self.black, self.white).map(|(black, white)| (white, black));
        let conversions = by_white.chain(by_black).map(|(white, black)| TableMaterial { white, black });
        let conversions: BTreeSet<TableMaterial> = conversions.filter(|material| material.can_win()).collect();
        conversions.into_iter().collect()
    }

    /// Reads a name as people write it: `KRvKR`, `KRKR`, `krkr`, `KRK`, `kr v kr`. The pieces of a side may be in any order.
    /// The side written first becomes White.
    ///
    /// # Errors
    /// One sentence, with the nearest name that is valid, if there is one.
    pub fn parse(text: &str) -> Result<TableMaterial, MaterialError> {
        let (sides, problem) = read_sides(text);
        let material = TableMaterial { white: sides[0].pieces, black: sides[1].pieces };
        let problem = problem.or_else(|| kings_problem(&sides)).or_else(|| material.limit_problem());
        let error = |problem| MaterialError { text: shortened(text), problem, nearest: nearest_material(material) };
        problem.map_or(Ok(material), |problem| Err(error(problem)))
    }

    /// Returns why there are no tables of this material, if there are none.
    fn limit_problem(self) -> Option<MaterialProblem> {
        let (more, less) = (self.white.max(self.black), self.white.min(self.black));
        if more.is_empty() {
            Some(MaterialProblem::OnlyKings)
        } else if self.men() > MAX_MEN {
            Some(MaterialProblem::TooManyMen { men: self.men() })
        } else if !less.is_empty() && more.len() + 1 > MAX_LOSING_MEN {
            // A lone king wins nothing and has no table, so its opponent may have any number of pieces.
            Some(MaterialProblem::TooManyLosing { men: more.len() + 1 })
        } else {
            None
        }
    }
}

impl fmt::Display for TableMaterial {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}v{}", self.white, self.black)
    }
}

impl FromStr for TableMaterial {
    type Err = MaterialError;

    fn from_str(text: &str) -> Result<TableMaterial, MaterialError> {
        TableMaterial::parse(text)
    }
}

/// The materials after the first side captures, promotes, or does both at once.
fn side_conversions(own: SideMaterial, other: SideMaterial) -> impl Iterator<Item = (SideMaterial, SideMaterial)> {
    let fewer = other.distinct_roles().filter_map(move |role| Some((role, other.without(role)?)));
    let captures = fewer.clone().map(move |(_, other)| (own, other));
    let promotions = own.promoted().map(move |own| (own, other));
    // No pawn stands on a last rank, so a promotion never captures one.
    let both = fewer.filter(|(role, _)| *role != Role::Pawn);
    let both = both.flat_map(move |(_, other)| own.promoted().map(move |own| (own, other)));
    captures.chain(promotions).chain(both)
}

/// Counts by material, the largest first: names of the same material in any order of pieces or sides are added up under its canonical
/// name. A name that is no material of tables stays as it is.
#[must_use]
pub fn canonical_counts<'a>(counts: impl IntoIterator<Item = (&'a str, u64)>) -> Vec<(String, u64)> {
    let mut by_material: BTreeMap<String, u64> = BTreeMap::new();
    for (name, count) in counts {
        let name = TableMaterial::parse(name).map_or_else(|_| name.to_owned(), |one| one.canonical().to_string());
        *by_material.entry(name).or_default() += count;
    }
    let mut counts: Vec<(String, u64)> = by_material.into_iter().collect();
    counts.sort_by_key(|&(_, count)| core::cmp::Reverse(count));
    counts
}

/// Every table that is needed to generate the requested ones, and these themselves, each once and after all tables into which it
/// converts: fewer men first, then fewer pawns. White is the winner; for both winners request a material and its
/// [`swapped`](TableMaterial::swapped). Materials in which the winner has a lone king are left out, requested or not.
#[must_use]
pub fn closure(requested: &[TableMaterial]) -> Vec<TableMaterial> {
    let mut closed = BTreeSet::new();
    let mut open: Vec<TableMaterial> = requested.iter().copied().filter(|material| material.can_win()).collect();
    while let Some(material) = open.pop() {
        if closed.insert((material.men(), material.pawns(), material)) {
            open.extend(material.conversions());
        }
    }
    closed.into_iter().map(|(_, _, material)| material).collect()
}

/// The error of a name that is not the material of a table.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{text}` {problem}{}", .nearest.map_or(String::new(), |nearest| alloc::format!("; did you mean {nearest}?")))]
pub struct MaterialError {
    /// What was written, shortened if it is long.
    pub text: String,
    /// What is wrong with it.
    pub problem: MaterialProblem,
    /// The nearest valid name.
    pub nearest: Option<TableMaterial>,
}

/// What is wrong with the name of a material.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum MaterialProblem {
    /// No pieces at all.
    #[error("names no pieces; write the pieces of both sides from the king down, such as KRvKR")]
    Empty,
    /// A sign that is not the letter of a piece.
    #[error("has `{sign}`, which is no piece: write K, Q, R, B, N, P, with a v between the sides")]
    UnknownSign {
        /// The first such sign.
        sign: char,
    },
    /// More than one v.
    #[error("has more than two sides")]
    ManySides,
    /// Pieces, but no king.
    #[error("has no king; each side needs one")]
    NoKings,
    /// One king.
    #[error("has only one king; each side needs one")]
    OneKing,
    /// Two kings on one side.
    #[error("has both kings on one side; each side needs one")]
    KingsTogether,
    /// More than two kings.
    #[error("has {kings} kings; each side needs one")]
    TooManyKings {
        /// How many.
        kings: usize,
    },
    /// Nothing but kings.
    #[error("has only kings, which is always a draw and needs no table")]
    OnlyKings,
    /// More men than tables are made of.
    #[error("has {men} men; tables have at most {MAX_MEN}, kings included")]
    TooManyMen {
        /// How many, kings included.
        men: usize,
    },
    /// A side that can lose has more men than fit in a chunk.
    #[error(
        "has a side of {men} men that can lose; against more than a lone king a side has at most {MAX_LOSING_MEN} men, its king included"
    )]
    TooManyLosing {
        /// How many, its king included.
        men: usize,
    },
}

/// One side as it was written.
#[derive(Clone, Copy, Default)]
struct ParsedSide {
    kings: usize,
    pieces: SideMaterial,
}

/// The sides of a name, and what is wrong with its signs, which are left out then. Without a `v`, the second side begins with its king.
fn read_sides(text: &str) -> ([ParsedSide; 2], Option<MaterialProblem>) {
    let is_cut = text.contains(['v', 'V']);
    let (mut sides, mut at, mut problem) = ([ParsedSide::default(); 2], 0, None);
    for sign in text.chars().filter(|sign| !sign.is_whitespace()) {
        match Role::from_char(sign) {
            Some(Role::King) => {
                if !is_cut && sides[at].kings > 0 {
                    at = 1;
                }
                sides[at].kings += 1;
            }
            Some(role) => sides[at].pieces = sides[at].pieces.with(role),
            None if matches!(sign, 'v' | 'V') && at == 0 => at = 1,
            None if matches!(sign, 'v' | 'V') => problem = problem.or(Some(MaterialProblem::ManySides)),
            None => problem = problem.or(Some(MaterialProblem::UnknownSign { sign })),
        }
    }
    (sides, problem)
}

/// Returns what is wrong with the kings of a name.
fn kings_problem(sides: &[ParsedSide; 2]) -> Option<MaterialProblem> {
    match sides[0].kings + sides[1].kings {
        0 if sides.iter().all(|side| side.pieces.is_empty()) => Some(MaterialProblem::Empty),
        0 => Some(MaterialProblem::NoKings),
        1 => Some(MaterialProblem::OneKing),
        2 if sides[0].kings == 1 => None,
        2 => Some(MaterialProblem::KingsTogether),
        kings => Some(MaterialProblem::TooManyKings { kings }),
    }
}

/// The material that was probably meant: each side gets its king, and the weakest pieces are removed until there are few enough.
fn nearest_material(mut material: TableMaterial) -> Option<TableMaterial> {
    while let Some(problem) = material.limit_problem() {
        let larger = match problem {
            MaterialProblem::OnlyKings => return None,
            _ if material.white >= material.black => &mut material.white,
            _ => &mut material.black,
        };
        let weakest = larger.roles().next_back()?;
        *larger = larger.without(weakest)?;
    }
    Some(material)
}

/// The text, or its beginning, fit for a sentence.
fn shortened(text: &str) -> String {
    const MAX_SHOWN: usize = 40;
    let mut text_shown: String =
        text.chars().take(MAX_SHOWN).map(|sign| if sign.is_control() { '\u{FFFD}' } else { sign }).collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        text_shown.push('…');
    }
    text_shown
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use proptest::prelude::*;

    use super::*;

    fn material(name: &str) -> TableMaterial {
        name.parse().expect("a name of the test")
    }

    fn names(materials: &[TableMaterial]) -> Vec<String> {
        materials.iter().map(ToString::to_string).collect()
    }

    fn said(name: &str) -> String {
        TableMaterial::parse(name).expect_err("a name that is none").to_string()
    }

    #[test]
    fn counts_of_one_material_are_added_up() {
        let counted = canonical_counts([("KvKR", 2), ("KQvKR", 4), ("KRvK", 3), ("KRvKQ", 1), ("other", 1)]);
        let expected = [("KQvKR", 5), ("KRvK", 5), ("other", 1)].map(|(name, count)| (name.to_owned(), count));
        assert_eq!(counted, expected);
    }

    #[test]
    fn names_are_read_as_people_write_them() {
        for name in ["KRvKR", "KRKR", "krkr", "kr v kr", "RKvRK", "kRVKr"] {
            assert_eq!(material(name).to_string(), "KRvKR", "{name}");
        }
        for name in ["KRK", "KRvK", "krk", "KR v K"] {
            assert_eq!(material(name).to_string(), "KRvK", "{name}");
        }
        assert_eq!(material("KBRvKR").to_string(), "KRBvKR");
        assert_eq!(material("KvKPQ").to_string(), "KvKQP", "the first side stays the first");
    }

    #[test]
    fn what_is_no_material_gets_one_sentence() {
        let cases = [
            ("KR", "`KR` has only one king; each side needs one; did you mean KRvK?"),
            ("KRvR", "`KRvR` has only one king; each side needs one; did you mean KRvKR?"),
            ("QvR", "`QvR` has no king; each side needs one; did you mean KQvKR?"),
            ("QR", "`QR` has no king; each side needs one; did you mean KQRvK?"),
            ("KKRvR", "`KKRvR` has both kings on one side; each side needs one; did you mean KRvKR?"),
            ("KRKRK", "`KRKRK` has 3 kings; each side needs one; did you mean KRvKR?"),
            ("KK", "`KK` has only kings, which is always a draw and needs no table"),
            ("k v k", "`k v k` has only kings, which is always a draw and needs no table"),
            ("KRvKvK", "`KRvKvK` has more than two sides; did you mean KRvK?"),
            (
                "KRxKR",
                "`KRxKR` has `x`, which is no piece: write K, Q, R, B, N, P, with a v between the sides; did you mean KRvKR?",
            ),
            (
                "KQvKRRBN",
                "`KQvKRRBN` has a side of 5 men that can lose; against more than a lone king a side has at most 4 men, its king included; did you mean KQvKRRB?",
            ),
            ("KQRBvKRBNP", "`KQRBvKRBNP` has 9 men; tables have at most 7, kings included; did you mean KQRvKRBN?"),
            ("", "`` names no pieces; write the pieces of both sides from the king down, such as KRvKR"),
            ("v", "`v` names no pieces; write the pieces of both sides from the king down, such as KRvKR"),
        ];
        for (name, sentence) in cases {
            assert_eq!(said(name), sentence);
        }
        assert!(said(&"Q".repeat(1000)).len() < 200, "a long text is shortened");
    }

    #[test]
    fn against_a_lone_king_any_number_of_men_may_stand() {
        assert_eq!(material("KQRBNvK").men(), 6);
        assert_eq!(material("KvKQRBNP").men(), 7);
        assert_eq!(material("KQRBvKQR").men(), 7);
    }

    #[test]
    fn canonical_names_put_more_men_first_then_the_stronger() {
        for (name, canonical) in
            [("KRvKQ", "KQvKR"), ("KPvKR", "KRvKP"), ("KNvKB", "KBvKN"), ("KQvKPP", "KPPvKQ"), ("KvKP", "KPvK")]
        {
            assert_eq!(material(name).canonical().to_string(), canonical);
            assert_eq!(material(canonical).canonical().to_string(), canonical);
        }
    }

    #[test]
    fn materials_are_counted() {
        assert_eq!(names(&TableMaterial::all_with_men(3)), ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]);
        assert_eq!([2, 3, 4, 5, 8].map(|men| TableMaterial::all_with_men(men).len()), [0, 5, 30, 110, 0]);
        // Six men: 4 against 0, 3 against 1 (5 men against 2 would lose too many), 2 against 2.
        assert_eq!(TableMaterial::all_with_men(6).len(), 70 + 35 * 5 + 15 * 16 / 2);
        let seven = TableMaterial::all_with_men(7);
        assert_eq!(seven.len(), 126 + 35 * 15, "of seven men, five do not stand against two");
        assert!(seven.iter().all(|material| material.canonical() == *material));
    }

    #[test]
    fn conversions_of_a_pawn_against_a_pawn() {
        let conversions = names(&material("KPvKP").conversions());
        let mut by_hand =
            ["KPvK", "KQvKP", "KRvKP", "KBvKP", "KNvKP", "KPvKQ", "KPvKR", "KPvKB", "KPvKN"].map(String::from);
        by_hand.sort();
        let mut sorted = conversions.clone();
        sorted.sort();
        assert_eq!(sorted, by_hand);
        // Those nine, their pawns promoted: 16 with two pieces, 4 with one.
        assert_eq!(closure(&[material("KPvKP")]).len(), 1 + 9 + 16 + 4);
    }

    #[test]
    fn conversions_with_captures_at_promotion() {
        let mut conversions = names(&material("KPvKR").conversions());
        conversions.sort();
        let mut by_hand =
            ["KPvK", "KQvKR", "KRvKR", "KBvKR", "KNvKR", "KQvK", "KRvK", "KBvK", "KNvK"].map(String::from);
        by_hand.sort();
        assert_eq!(conversions, by_hand);
    }

    #[test]
    fn a_lone_king_has_no_table() {
        assert_eq!(names(&material("KRvKR").conversions()), ["KRvK"]);
        assert!(material("KRvK").conversions().is_empty());
        assert_eq!(names(&closure(&[material("KvKR"), material("KRvKR")])), ["KRvK", "KRvKR"]);
    }

    fn any_pieces(most: usize) -> impl Strategy<Value = SideMaterial> {
        proptest::collection::vec(proptest::sample::select(SideMaterial::ROLES.to_vec()), 0..=most)
            .prop_map(SideMaterial::from_roles)
    }

    proptest! {
        #[test]
        fn names_are_read_back(white in any_pieces(3), black in any_pieces(3)) {
            let material = TableMaterial { white, black };
            match TableMaterial::parse(&material.to_string()) {
                Ok(read) => prop_assert_eq!(read, material),
                Err(error) => {
                    let is_limit = matches!(error.problem, MaterialProblem::OnlyKings | MaterialProblem::TooManyMen { .. });
                    prop_assert!(is_limit, "{}", error);
                }
            }
            prop_assert_eq!(material.swapped().canonical(), material.canonical());
            prop_assert_eq!(SideMaterial::from_roles(white.roles()), white);
        }

        #[test]
        fn any_text_is_read_or_refused_with_a_valid_name(text in "[KQRBNPvkqrx ]{0,12}|.{0,60}") {
            if let Err(MaterialError { nearest: Some(nearest), .. }) = TableMaterial::parse(&text) {
                prop_assert_eq!(TableMaterial::parse(&nearest.to_string()), Ok(nearest));
            }
        }

        #[test]
        fn a_table_comes_after_all_that_it_needs(white in any_pieces(3), black in any_pieces(2)) {
            let asked = TableMaterial { white, black };
            let tables = closure(&[asked, asked.swapped()]);
            for (at, table) in tables.iter().enumerate() {
                prop_assert!(!tables[..at].contains(table));
                for needed in table.conversions() {
                    prop_assert!(tables[..at].contains(&needed), "{} before {}", needed, table);
                }
            }
            prop_assert_eq!(tables.contains(&asked), !white.is_empty());
        }
    }
}
