//! Which men a table is about: names, limits, and which other tables it converts into.
//!
//! As the name of an endgame, `KRvK` and `KvKR` are the same; as the name of a table they are two, for its winner is White.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use shakmaty::{Board, Color, Role};
use thiserror::Error;

/// At most so many men, kings included.
pub const MOST_MEN: usize = 7;

/// At most so many men, its king included, has a side that can lose: all their placements are one chunk of a table.
pub const MOST_LOSING_MEN: usize = 4;

/// How many men besides the king one side has, by role. Ordered by their number, then by strength.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Men {
    len: u8,
    by_role: [u8; 5],
}

impl Men {
    /// The roles that are counted, strongest first.
    pub const ROLES: [Role; 5] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

    /// Of these roles; kings are passed over.
    #[must_use]
    pub fn of(roles: impl IntoIterator<Item = Role>) -> Men {
        roles.into_iter().fold(Men::default(), Men::with)
    }

    /// Those of one side on a board.
    #[must_use]
    pub fn on(board: &Board, color: Color) -> Men {
        let by_role = Men::ROLES.map(|role| (board.by_color(color) & board.by_role(role)).count() as u8);
        Men { len: by_role.iter().sum(), by_role }
    }

    /// How many of one role; none for a king.
    #[must_use]
    pub fn count(self, role: Role) -> u8 {
        slot(role).map_or(0, |slot| self.by_role[slot])
    }

    /// How many in all, without the king.
    #[must_use]
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Whether the king is alone.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// One more of a role; a king changes nothing. Stays as it is at 255 men.
    #[must_use]
    pub fn with(mut self, role: Role) -> Men {
        if let (Some(slot), Some(len)) = (slot(role), self.len.checked_add(1)) {
            self.by_role[slot] += 1;
            self.len = len;
        }
        self
    }

    /// One less of a role; `None` if there is none.
    #[must_use]
    pub fn without(mut self, role: Role) -> Option<Men> {
        let slot = slot(role)?;
        self.by_role[slot] = self.by_role[slot].checked_sub(1)?;
        self.len -= 1;
        Some(self)
    }

    /// The role of each man, strongest first.
    pub fn roles(self) -> impl DoubleEndedIterator<Item = Role> + Clone {
        let of_role = move |(role, number): (Role, u8)| core::iter::repeat_n(role, number.into());
        Men::ROLES.into_iter().zip(self.by_role).flat_map(of_role)
    }

    /// The role of each man that is no pawn, strongest first.
    pub fn pieces(self) -> impl DoubleEndedIterator<Item = Role> + Clone {
        self.roles().filter(|role| *role != Role::Pawn)
    }

    /// The different roles that are there, strongest first.
    fn kinds(self) -> impl Iterator<Item = Role> + Clone {
        Men::ROLES.into_iter().filter(move |role| self.count(*role) > 0)
    }

    /// What becomes of them when one pawn promotes.
    fn promoted(self) -> impl Iterator<Item = Men> + Clone {
        let fewer = self.without(Role::Pawn);
        fewer
            .into_iter()
            .flat_map(|men| Men::ROLES.into_iter().filter(|role| *role != Role::Pawn).map(move |to| men.with(to)))
    }

    /// All ways to have so many men.
    fn all(number: usize) -> Vec<Men> {
        let mut all = BTreeSet::from([Men::default()]);
        for _ in 0..number {
            all = all.into_iter().flat_map(|men| Men::ROLES.map(|role| men.with(role))).collect();
        }
        all.into_iter().rev().collect()
    }
}

/// With the king, as in `KRB`.
impl fmt::Display for Men {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("K")?;
        self.roles().try_for_each(|role| write!(out, "{}", role.upper_char()))
    }
}

fn slot(role: Role) -> Option<usize> {
    Men::ROLES.iter().position(|counted| *counted == role)
}

/// The men of both sides. As the name of a table: White is the winner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Material {
    /// White's, besides the king.
    pub white: Men,
    /// Black's, besides the king.
    pub black: Men,
}

impl Material {
    /// That of a board.
    #[must_use]
    pub fn on(board: &Board) -> Material {
        Material { white: Men::on(board, Color::White), black: Men::on(board, Color::Black) }
    }

    /// Colours changed: the table of the other winner.
    #[must_use]
    pub const fn flipped(self) -> Material {
        Material { white: self.black, black: self.white }
    }

    /// How many men there are, kings included.
    #[must_use]
    pub const fn men(self) -> usize {
        self.white.len() + self.black.len() + 2
    }

    /// How many pawns there are.
    #[must_use]
    pub fn pawns(self) -> usize {
        (self.white.count(Role::Pawn) + self.black.count(Role::Pawn)).into()
    }

    /// Whether both sides have the same men, so that one table serves both winners.
    #[must_use]
    pub fn is_symmetric(self) -> bool {
        self.white == self.black
    }

    /// The name of the endgame: the side with more men first, with as many the stronger one (`KQvKR`, `KRBvKR`).
    #[must_use]
    pub fn canonical(self) -> Material {
        if self.white < self.black { self.flipped() } else { self }
    }

    /// Whether White can win at all. A lone king cannot, so there is no table for it.
    #[must_use]
    pub const fn can_win(self) -> bool {
        !self.white.is_empty()
    }

    /// The canonical materials with exactly so many men, kings included, that tables can be made of; strongest first.
    /// There are 5, 30, 110 with 3, 4, 5 men.
    #[must_use]
    pub fn all(men: usize) -> Vec<Material> {
        let Some(number) = men.checked_sub(2).filter(|_| men <= MOST_MEN) else { return Vec::new() };
        let mut all = Vec::new();
        for black in 0..=number / 2 {
            for white in Men::all(number - black) {
                all.extend(Men::all(black).into_iter().map(|black| Material { white, black }));
            }
        }
        all.retain(|material| *material == material.canonical() && material.limit().is_none());
        all
    }

    /// Every table that one capture, one promotion or both at once, by either side, leads to, each once: the same winner,
    /// fewer men or fewer pawns. Materials in which the winner is left with a lone king are left out: nothing is won there.
    #[must_use]
    pub fn conversions(self) -> Vec<Material> {
        let mut found = BTreeSet::new();
        for (white, black) in leaving(self.white, self.black) {
            found.insert(Material { white, black });
        }
        for (black, white) in leaving(self.black, self.white) {
            found.insert(Material { white, black });
        }
        found.retain(|material| material.can_win());
        found.into_iter().collect()
    }

    /// Reads a name as people write it: `KRvKR`, `KRKR`, `krkr`, `KRK`, `kr v kr`; the order of a side's men is free.
    /// The side written first becomes White.
    ///
    /// # Errors
    /// One sentence, with the nearest name that is valid, if there is one.
    pub fn parse(text: &str) -> Result<Material, MaterialError> {
        let sides = read(text)?;
        let error = |problem| MaterialError { text: shown(text), problem, nearest: nearest(text) };
        if sides.iter().all(|side| side.kings == 0 && side.men.is_empty()) {
            return Err(error(Problem::Empty));
        }
        match sides[0].kings + sides[1].kings {
            0 => return Err(error(Problem::NoKings)),
            1 => return Err(error(Problem::OneKing)),
            2 if sides[0].kings == 1 => {}
            2 => return Err(error(Problem::KingsTogether)),
            kings => return Err(error(Problem::TooManyKings { kings })),
        }
        let material = Material { white: sides[0].men, black: sides[1].men };
        material.limit().map_or(Ok(material), |problem| Err(error(problem)))
    }

    /// Why no tables are made of this material, if so.
    fn limit(self) -> Option<Problem> {
        let (more, less) = (self.white.max(self.black), self.white.min(self.black));
        if more.is_empty() {
            Some(Problem::OnlyKings)
        } else if self.men() > MOST_MEN {
            Some(Problem::TooManyMen { men: self.men() })
        } else if !less.is_empty() && more.len() + 1 > MOST_LOSING_MEN {
            // The lone king's wins are no table, so against it any number of men may stand.
            Some(Problem::TooManyLosing { men: more.len() + 1 })
        } else {
            None
        }
    }
}

impl fmt::Display for Material {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}v{}", self.white, self.black)
    }
}

impl FromStr for Material {
    type Err = MaterialError;

    fn from_str(text: &str) -> Result<Material, MaterialError> {
        Material::parse(text)
    }
}

/// What becomes of both sides when the first of them captures, promotes, or both.
fn leaving(own: Men, other: Men) -> impl Iterator<Item = (Men, Men)> {
    let fewer = other.kinds().filter_map(move |role| Some((role, other.without(role)?)));
    let captures = fewer.clone().map(move |(_, other)| (own, other));
    let promotions = own.promoted().map(move |own| (own, other));
    // No pawn stands where pawns promote, so none is captured there.
    let both = fewer.filter(|(role, _)| *role != Role::Pawn);
    let both = both.flat_map(move |(_, other)| own.promoted().map(move |own| (own, other)));
    captures.chain(promotions).chain(both)
}

/// Every table that is needed to make the asked ones, with these, each once and after all that it converts into: fewer men
/// first, then fewer pawns. White is the winner; for both winners ask for a material and its [`flipped`](Material::flipped).
/// Those where the winner is a lone king are left out, asked for or not.
#[must_use]
pub fn closure(asked: &[Material]) -> Vec<Material> {
    let mut found = BTreeSet::new();
    let mut open: Vec<Material> = asked.iter().copied().filter(|material| material.can_win()).collect();
    while let Some(material) = open.pop() {
        if found.insert((material.men(), material.pawns(), material)) {
            open.extend(material.conversions());
        }
    }
    found.into_iter().map(|(_, _, material)| material).collect()
}

/// A name that is no material that tables are made of.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{text}` {problem}{}", .nearest.map_or(String::new(), |nearest| alloc::format!("; did you mean {nearest}?")))]
pub struct MaterialError {
    /// What was written, shortened if it is long.
    pub text: String,
    /// What is wrong with it.
    pub problem: Problem,
    /// The nearest name that would do.
    pub nearest: Option<Material>,
}

/// What is wrong with the name of a material.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// No men at all.
    #[error("names no men; write both sides' men from the king down, such as KRvKR")]
    Empty,
    /// A sign that is no man.
    #[error("has `{sign}`, which is no man: those are K, Q, R, B, N, P, with a v between the sides")]
    UnknownSign {
        /// The first such sign.
        sign: char,
    },
    /// More than one v.
    #[error("has more than two sides")]
    ManySides,
    /// Men, but no king.
    #[error("has no king; each side has one")]
    NoKings,
    /// One king.
    #[error("has only one king; each side has one")]
    OneKing,
    /// Two kings on one side.
    #[error("has both kings on one side; each side has one")]
    KingsTogether,
    /// More than two kings.
    #[error("has {kings} kings; each side has one")]
    TooManyKings {
        /// How many.
        kings: usize,
    },
    /// Nothing but kings.
    #[error("has only kings, which is a draw without any table")]
    OnlyKings,
    /// More men than tables are made of.
    #[error("has {men} men; tables are made of at most {MOST_MEN}, kings included")]
    TooManyMen {
        /// How many, kings included.
        men: usize,
    },
    /// A side that can lose has more men than fit in a chunk.
    #[error(
        "has a side of {men} men that can lose; against more than a lone king a side has at most {MOST_LOSING_MEN}, its king included"
    )]
    TooManyLosing {
        /// How many, its king included.
        men: usize,
    },
}

/// One side as it was written.
#[derive(Clone, Copy, Default)]
struct Side {
    kings: usize,
    men: Men,
}

/// The sides of a name. Without a v, the second side begins with its king.
fn read(text: &str) -> Result<[Side; 2], MaterialError> {
    let error = |problem| MaterialError { text: shown(text), problem, nearest: nearest(text) };
    let is_cut = text.contains(['v', 'V']);
    let (mut sides, mut at) = ([Side::default(); 2], 0);
    for sign in text.chars().filter(|sign| !sign.is_whitespace()) {
        match Role::from_char(sign) {
            Some(Role::King) => {
                if !is_cut && sides[at].kings > 0 && at == 0 {
                    at = 1;
                }
                sides[at].kings += 1;
            }
            Some(role) => sides[at].men = sides[at].men.with(role),
            None if matches!(sign, 'v' | 'V') && at == 0 => at = 1,
            None if matches!(sign, 'v' | 'V') => return Err(error(Problem::ManySides)),
            None => return Err(error(Problem::UnknownSign { sign })),
        }
    }
    Ok(sides)
}

/// The name that is meant, perhaps: signs that are no men are passed over, each side gets its king, and the weakest men
/// go until the rest are few enough.
fn nearest(text: &str) -> Option<Material> {
    let is_cut = text.contains(['v', 'V']);
    let (mut sides, mut at, mut kings) = ([Men::default(); 2], 0, 0);
    for sign in text.chars() {
        match (sign, Role::from_char(sign)) {
            ('v' | 'V', _) => at = 1,
            (_, Some(Role::King)) => {
                kings += 1;
                if !is_cut && kings > 1 {
                    at = 1;
                }
            }
            (_, Some(role)) => sides[at] = sides[at].with(role),
            (_, None) => {}
        }
    }
    let mut material = Material { white: sides[0], black: sides[1] };
    while let Some(problem) = material.limit() {
        let larger = match problem {
            Problem::OnlyKings => return None,
            _ if material.white >= material.black => &mut material.white,
            _ => &mut material.black,
        };
        let weakest = larger.roles().next_back()?;
        *larger = larger.without(weakest)?;
    }
    Some(material)
}

/// The text, or its beginning, fit for a sentence.
fn shown(text: &str) -> String {
    const MOST: usize = 40;
    let mut shown: String =
        text.chars().take(MOST).map(|sign| if sign.is_control() { '\u{FFFD}' } else { sign }).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use proptest::prelude::*;

    use super::*;

    fn material(name: &str) -> Material {
        name.parse().expect("a name of the test")
    }

    fn names(materials: &[Material]) -> Vec<String> {
        materials.iter().map(ToString::to_string).collect()
    }

    fn said(name: &str) -> String {
        Material::parse(name).expect_err("a name that is none").to_string()
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
            ("KR", "`KR` has only one king; each side has one; did you mean KRvK?"),
            ("KRvR", "`KRvR` has only one king; each side has one; did you mean KRvKR?"),
            ("QvR", "`QvR` has no king; each side has one; did you mean KQvKR?"),
            ("QR", "`QR` has no king; each side has one; did you mean KQRvK?"),
            ("KKRvR", "`KKRvR` has both kings on one side; each side has one; did you mean KRvKR?"),
            ("KRKRK", "`KRKRK` has 3 kings; each side has one; did you mean KRvKR?"),
            ("KK", "`KK` has only kings, which is a draw without any table"),
            ("k v k", "`k v k` has only kings, which is a draw without any table"),
            ("KRvKvK", "`KRvKvK` has more than two sides; did you mean KRvK?"),
            (
                "KRxKR",
                "`KRxKR` has `x`, which is no man: those are K, Q, R, B, N, P, with a v between the sides; did you mean KRvKR?",
            ),
            (
                "KQvKRRBN",
                "`KQvKRRBN` has a side of 5 men that can lose; against more than a lone king a side has at most 4, its king included; did you mean KQvKRRB?",
            ),
            (
                "KQRBvKRBNP",
                "`KQRBvKRBNP` has 9 men; tables are made of at most 7, kings included; did you mean KQRvKRBN?",
            ),
            ("", "`` names no men; write both sides' men from the king down, such as KRvKR"),
            ("v", "`v` names no men; write both sides' men from the king down, such as KRvKR"),
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
        assert!(material("KRPvKPR").is_symmetric() && !material("KRvKB").is_symmetric());
    }

    #[test]
    fn materials_are_counted() {
        assert_eq!(names(&Material::all(3)), ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]);
        assert_eq!([2, 3, 4, 5, 8].map(|men| Material::all(men).len()), [0, 5, 30, 110, 0]);
        // Six men: 4 against 0, 3 against 1 (5 men against 2 would lose too many), 2 against 2.
        assert_eq!(Material::all(6).len(), 70 + 35 * 5 + 15 * 16 / 2);
        let seven = Material::all(7);
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

    fn any_men(most: usize) -> impl Strategy<Value = Men> {
        proptest::collection::vec(proptest::sample::select(Men::ROLES.to_vec()), 0..=most).prop_map(Men::of)
    }

    proptest! {
        #[test]
        fn names_are_read_back(white in any_men(3), black in any_men(3)) {
            let material = Material { white, black };
            match Material::parse(&material.to_string()) {
                Ok(read) => prop_assert_eq!(read, material),
                Err(error) => {
                    let is_limit = matches!(error.problem, Problem::OnlyKings | Problem::TooManyMen { .. });
                    prop_assert!(is_limit, "{}", error);
                }
            }
            prop_assert_eq!(material.flipped().canonical(), material.canonical());
            prop_assert_eq!(Men::of(white.roles()), white);
        }

        #[test]
        fn any_text_is_read_or_refused_with_a_valid_name(text in "[KQRBNPvkqrx ]{0,12}|.{0,60}") {
            if let Err(MaterialError { nearest: Some(nearest), .. }) = Material::parse(&text) {
                prop_assert_eq!(Material::parse(&nearest.to_string()), Ok(nearest));
            }
        }

        #[test]
        fn a_table_comes_after_all_that_it_needs(white in any_men(3), black in any_men(2)) {
            let asked = Material { white, black };
            let tables = closure(&[asked, asked.flipped()]);
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
