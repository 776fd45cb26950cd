//! What is asked of a position.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use shakmaty::{Color, Role};

use super::{KEYWORDS, Parser};
use crate::board::man;
use crate::query::diagram::{Diagram, Manner};
use crate::query::error::{QueryError, nearest};
use crate::query::fen::Fen;
use crate::query::material::{Endgame, Imbalance, Material};
use crate::query::region::Region;
use crate::query::token::{Kind, Token};
use crate::query::tree::{Leaf, Side, Target};
use crate::query::under::Under;
use crate::scan::measure::Feature;
use crate::transform::Transform;
use crate::transform::image::Family;
use crate::transform::shift::Shift;

/// Words that begin a condition on both sides, so that no side stands before them.
const OF_BOTH: &[&str] = &["fen", "board", "structure", "material", "imbalance", "endgame"];
/// Sets of transforms that go together, at most.
const MOST_FAMILIES: usize = 8;
/// Names of transforms as they are offered.
pub const FAMILIES: &[&str] = &[
    "`mirror`",
    "`flips`",
    "`rotations`",
    "`shifts`",
    "`colour_flip`",
    "`file_shifts`",
    "`rank_shifts`",
    "`flipH`",
    "`flipV`",
    "`flipD`",
    "`flipAD`",
    "`rot90`",
    "`rot180`",
    "`rot270`",
    "`polish`",
];
/// Other names of some of them.
const FAMILIES_TOO: &[(&str, &str)] =
    &[("color_flip", "colour_flip"), ("flip_colour", "colour_flip"), ("flip_color", "colour_flip")];
const ENDGAMES: &[&str] = &["`pawn`", "`knight`", "`bishop`", "`minor`", "`rook`", "`queen`"];

impl Parser {
    pub(super) fn leaf(&mut self) -> Result<Leaf, QueryError> {
        match self.peek() {
            Some(Kind::Number(_) | Kind::Sign("(" | "-")) => return self.comparison(),
            Some(Kind::Word(word)) if word == "count" || word == "points" => return self.comparison(),
            Some(Kind::Word(word)) if word == "ply" || word == "move" => return self.number_of_ply(),
            _ if self.is_number() => return self.comparison(),
            _ => {}
        }
        if self.take_word("empty") {
            let at = self.at;
            let region = self.region()?;
            if region.own != 0 {
                return Err(self.error_at(at, "`empty` speaks of no side, so nothing is its `own`", &["a region"]));
            }
            return Ok(Leaf::Empty(region));
        }
        if self.take_word("no") {
            return self.absent();
        }
        let at = self.at;
        let side = self.side();
        let named = self.at > at;
        if let Some(word) = self.word().filter(|word| OF_BOTH.contains(word)) {
            if !named {
                return self.of_both();
            }
            let message = match word {
                "material" => String::from("the side stands after `material`: `material white KRPvKR`"),
                "imbalance" => String::from("the side stands after `imbalance`: `imbalance white RvBN`"),
                _ => format!("`{word}` speaks of both sides, and none stands before it"),
            };
            return Err(self.error_at(at, &message, &["a predicate with a side"]));
        }
        let (feature, region) = self.feature_on_region()?;
        if named && !feature.sided {
            let message = format!("`{}` speaks of no side", feature.name);
            return Err(self.error_at(at, &message, &[feature.name]));
        }
        let defends = self.word() == Some("defends");
        if defends || self.word() == Some("attacks") {
            if !feature.sided {
                let message = format!("`{}` has no men that could attack", feature.name);
                return Err(self.error(&message, &self.after()));
            }
            self.at += 1;
            let target = self.target()?;
            return Ok(Leaf::Attacks { side, feature, region, defends, target });
        }
        Ok(Leaf::Feature { side, feature, region })
    }

    /// What comes after `no`.
    fn absent(&mut self) -> Result<Leaf, QueryError> {
        let at = self.at;
        let side = self.side();
        if let Some(word) = self.word().filter(|word| OF_BOTH.contains(word)) {
            let message = format!("`no` asks for men of a side: write `not {word} …`");
            return Err(self.error_at(at - 1, &message, &["`not`"]));
        }
        if matches!(side, Side::Both | Side::Neither) {
            let message = "`no` already speaks of both sides, or of the one that is named";
            return Err(self.error_at(at, message, &["`white`", "`black`"]));
        }
        let (feature, region) = self.feature_on_region()?;
        Ok(Leaf::Absent { side, feature, region })
    }

    /// What a man attacks or defends.
    fn target(&mut self) -> Result<Target, QueryError> {
        if let Some((feature, _)) = self.known_feature() {
            let at = self.at;
            let (_, region) = self.feature_on_region()?;
            if !feature.sided {
                let message = format!("`{}` is nobody's, so it cannot be attacked", feature.name);
                return Err(self.error_at(at, &message, &["a predicate", "a region"]));
            }
            return Ok(Target::Feature { feature, region });
        }
        if let Some(word) = self.word().filter(|word| Side::NAMED.iter().any(|(name, _)| name == word)) {
            let message =
                format!("`attacks` means men of the other side, `defends` those of its own: leave out `{word}`");
            return Err(self.error(&message, &["a predicate", "a region"]));
        }
        if self.is_region() {
            return self.region().map(Target::Region);
        }
        Err(self.expected("what is attacked or defended", &["a predicate", "a region"]))
    }

    /// What begins with a word of [`OF_BOTH`].
    fn of_both(&mut self) -> Result<Leaf, QueryError> {
        if self.take_word("material") {
            return self.material();
        }
        if self.take_word("imbalance") {
            return self.imbalance();
        }
        if self.take_word("endgame") {
            let kinds: Vec<(&'static str, Endgame)> =
                Endgame::NAMED.iter().map(|&(name, endgame, _)| (name, endgame)).collect();
            return self.one_of("a kind of endgame", &kinds, ENDGAMES).map(Leaf::Endgame);
        }
        if self.take_word("fen") {
            let (text, at) = self.text("a FEN in quotes")?;
            return self.perhaps_under(Leaf::Fen(Box::new(Fen::read(&text, at)?)));
        }
        if self.take_word("board") {
            let (text, at) = self.text("a pattern in quotes")?;
            return self.perhaps_under(Leaf::Board(Box::new(Diagram::read(&text, at, Manner::Pattern)?)));
        }
        self.at += 1;
        let (text, at) = self.text("a board of pawns in quotes")?;
        let pawns = Diagram::read(&text, at, Manner::Pawns)?;
        let [white, black] = [Color::White, Color::Black].map(|colour| pawns.surely(man(colour, Role::Pawn)));
        self.perhaps_under(Leaf::Structure { white, black })
    }

    /// `what`, or its images where transforms are named behind it.
    fn perhaps_under(&mut self, what: Leaf) -> Result<Leaf, QueryError> {
        if !self.take_word("under") {
            self.whole = self.at;
            return Ok(what);
        }
        let mut families = Vec::new();
        loop {
            if families.len() == MOST_FAMILIES {
                let message = format!("at most {MOST_FAMILIES} sets of transforms go together");
                return Err(self.error(&message, &[]));
            }
            families.push(self.family()?);
            if !self.take_sign(",") {
                return Ok(Leaf::Under(Box::new(Under { what, families })));
            }
        }
    }

    /// A set of transforms, or one of them by its name.
    fn family(&mut self) -> Result<Family, QueryError> {
        if self.word() == Some("shift") && self.is_sign(self.at + 1, "(") {
            return self.shift();
        }
        let named = |name: &str| {
            let other = FAMILIES_TOO.iter().find(|(other, _)| *other == name).map_or(name, |(_, name)| name);
            let family = Family::NAMED.iter().find(|(known, _)| *known == other).map(|(_, family)| *family);
            family.or_else(|| Transform::named(name).map(Family::One))
        };
        if let Some((family, after)) = self.longest(named) {
            self.at = after;
            return Ok(family);
        }
        let mut error = self.expected("a set of transforms", FAMILIES);
        let names = FAMILIES.iter().map(|name| name.trim_matches('`'));
        if let Some(word) = self.word()
            && let Some(nearest) = nearest(word, names)
        {
            error.message = format!("unknown transform `{word}`: did you mean `{nearest}`?");
            error.nearest = Some(nearest);
        }
        Err(error)
    }

    /// `shift(2,-1)`: files to the right, ranks up.
    fn shift(&mut self) -> Result<Family, QueryError> {
        let begin = self.at;
        self.at += 2;
        let files = self.step()?;
        if !self.take_sign(",") {
            return Err(self.expected("`,` and the ranks of the shift", &["`,`"]));
        }
        let ranks = self.step()?;
        if !self.take_sign(")") {
            return Err(self.expected("`)`", &["`)`"]));
        }
        match Shift::new(files, ranks) {
            Some(shift) => Ok(Family::One(Transform::Shift(shift))),
            None => Err(self.error_at(begin, "a shift goes at most 7 files and 7 ranks", &["a number"])),
        }
    }

    /// A number with its sign; 100 for what is too far anyway.
    fn step(&mut self) -> Result<i8, QueryError> {
        let is_negative = self.take_sign("-");
        match self.peek() {
            Some(&Kind::Number(number)) => {
                self.at += 1;
                let number = i8::try_from(number).unwrap_or(100);
                Ok(if is_negative { -number } else { number })
            }
            _ => Err(self.expected("a number of files or ranks", &["a number", "`-`"])),
        }
    }

    /// The text in quotes that stands here, without the space around it, and where that begins.
    pub(super) fn text(&mut self, what: &str) -> Result<(String, usize), QueryError> {
        match self.tokens.get(self.at) {
            Some(Token { kind: Kind::Text(text), from, .. }) => {
                let trimmed = text.trim_start();
                let at = from + 1 + text.len() - trimmed.len();
                self.at += 1;
                Ok((String::from(trimmed.trim_end()), at))
            }
            _ => Err(self.expected(what, &["`\"`"])),
        }
    }

    fn material(&mut self) -> Result<Leaf, QueryError> {
        let side = self.side_or_none("material", &["`white`", "`black`", "`KRPvKR`"])?;
        match self.tokens.get(self.at) {
            Some(Token { kind: Kind::Word(word), from, .. }) => {
                let material = Material::read(word, side, *from)?;
                self.at += 1;
                Ok(Leaf::Material(material))
            }
            _ => Err(self.expected("a material such as `KRPvKR`", &["`KRPvKR`"])),
        }
    }

    /// White, Black or neither of them.
    fn side_or_none(&mut self, word: &str, expected: &[&'static str]) -> Result<Option<Color>, QueryError> {
        let at = self.at;
        let side = self.side();
        if self.at > at && side.colour().is_none() {
            let message = format!("`{word}` takes `white`, `black` or no side, which means either");
            return Err(self.error_at(at, &message, expected));
        }
        Ok(side.colour())
    }

    /// `RvBN`, `R+2P v BN`, `2P v 0`.
    fn imbalance(&mut self) -> Result<Leaf, QueryError> {
        const FORM: &[&str] = &["`RvBN`"];
        let first = self.side_or_none("imbalance", &["`white`", "`black`", "`RvBN`"])?;
        let begin = self.at;
        let mut sides: [Vec<(u8, char)>; 2] = [Vec::new(), Vec::new()];
        let mut second = false;
        let mut number = None;
        // Men of each side are there, or a 0 for none.
        let mut some = [false; 2];
        loop {
            match self.peek() {
                Some(Kind::Word(word))
                    if !KEYWORDS.contains(&&**word) && word.chars().all(|one| "kqrbnpv".contains(one)) =>
                {
                    for letter in word.chars() {
                        if letter == 'v' {
                            if second || number.is_some() || !some[0] {
                                return Err(self.expected("men", FORM));
                            }
                            second = true;
                        } else {
                            sides[usize::from(second)].push((number.take().unwrap_or(1), letter));
                            some[usize::from(second)] = true;
                        }
                    }
                }
                Some(&Kind::Number(0)) if !some[usize::from(second)] => some[usize::from(second)] = true,
                Some(&Kind::Number(many)) if number.is_none() => {
                    let many = u8::try_from(many).ok().filter(|many| (1..=64).contains(many));
                    number = Some(many.ok_or_else(|| self.error("so many men are 1 to 64", FORM))?);
                }
                Some(Kind::Sign("+")) if some[usize::from(second)] && number.is_none() => {}
                _ => break,
            }
            self.at += 1;
        }
        if number.is_some() || !second || !some[1] {
            return Err(
                self.expected("the men of both sides with a `v` between them, as in `RvBN` or `R+2P v BN`,", FORM)
            );
        }
        let place = (self.tokens[begin].from, self.tokens[self.at - 1].to);
        Imbalance::of(first, [&sides[0], &sides[1]], place).map(Leaf::Imbalance)
    }

    /// A side, if one is named here.
    pub(super) fn side(&mut self) -> Side {
        if let Some(Kind::Text(name)) = self.peek() {
            let side = Side::Player(String::from(name.trim()));
            self.at += 1;
            return side;
        }
        let side = self.word().and_then(|word| Side::NAMED.iter().find(|(name, _)| *name == word));
        let side = side.map(|(_, side)| side.clone());
        self.at += usize::from(side.is_some());
        side.unwrap_or(Side::Either)
    }

    pub(super) fn feature_on_region(&mut self) -> Result<(&'static Feature, Region), QueryError> {
        let feature = self.feature()?;
        if !self.take_word("on") {
            self.bare = self.at;
            return Ok((feature, Region::ANYWHERE));
        }
        if !feature.placed {
            self.at -= 1;
            let message = format!("`{}` speaks of no square", feature.name);
            return Err(self.error(&message, &self.after()));
        }
        Ok((feature, self.region()?))
    }
}
