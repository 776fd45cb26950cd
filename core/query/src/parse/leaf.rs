//! Reads conditions on one position.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use plyfold_board::board::PieceCode;
use plyfold_scan::scan::measure::BoardFeature;
use plyfold_scan::scan::predicate::PieceName;
use plyfold_transform::Transform;
use plyfold_transform::composite::TransformFamily;
use plyfold_transform::shift::Shift;
use shakmaty::{Color, Role};

use super::QueryParser;
use super::played::MovingPiece;
use crate::diagram::{Diagram, DiagramSyntax};
use crate::error::QueryError;
use crate::fen_pattern::FenPattern;
use crate::keywords::{is_keyword, named};
use crate::material::{EndgameKind, Imbalance, MaterialPattern};
use crate::region::Region;
use crate::token::{Token, TokenKind};
use crate::tree::{Leaf, SideSelector, TransformedPattern};

/// Words that begin a condition on both sides, so they have no side before them.
const SIDELESS_WORDS: &[&str] = &["fen", "board", "structure", "material", "imbalance", "endgame"];
/// Sets of transforms that go together, at most.
const MAX_FAMILIES: usize = 8;
/// Names of transforms as they are offered.
pub const FAMILY_NAMES: &[&str] = &[
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
    "`swap_colours`",
];
/// Other names of some of them.
const FAMILY_ALIASES: &[(&str, &str)] =
    &[("color_flip", "colour_flip"), ("flip_colour", "colour_flip"), ("flip_color", "colour_flip")];
const ENDGAMES: &[&str] = &["`pawn`", "`knight`", "`bishop`", "`minor`", "`rook`", "`queen`"];

impl QueryParser {
    pub(super) fn leaf(&mut self) -> Result<Leaf, QueryError> {
        match self.peek() {
            Some(TokenKind::Sign("(")) if self.bracket_belongs_to_set() => {}
            Some(TokenKind::Number(_) | TokenKind::Sign("(" | "-")) => {
                return self.counted_noun_error().map_or_else(|| self.comparison(), Err);
            }
            Some(TokenKind::Word(word)) if word == "count" || word == "points" => return self.comparison(),
            Some(TokenKind::Word(word)) if word == "ply" || word == "move" => return self.ply_or_move_number(),
            _ if self.is_number() => return self.comparison(),
            _ => {}
        }
        if self.peek_feature().is_none() && self.take_word("empty") {
            let at = self.at;
            let region = self.region()?;
            if region.own != 0 {
                return Err(self.error_at(at, "`empty` belongs to no side, so it takes no `own`", &["a region"]));
            }
            return Ok(Leaf::Empty(region));
        }
        if self.take_word("no") {
            return self.absent();
        }
        if let Some(endgame) = self.endgame_after_its_kind() {
            return Ok(endgame);
        }
        let at = self.at;
        let side = self.side();
        let has_side = self.at > at;
        if let Some(word) = self.word().filter(|word| SIDELESS_WORDS.contains(word)) {
            if !has_side {
                return self.sideless_leaf();
            }
            let message = match word {
                "material" => String::from("write the side after `material`: `material white KRPvKR`"),
                "imbalance" => String::from("write the side after `imbalance`: `imbalance white RvBN`"),
                _ => format!("`{word}` describes both sides, so no side stands before it"),
            };
            return Err(self.error_at(at, &message, &["a predicate with a side"]));
        }
        if self.is_mark() {
            return self.mark(at, side);
        }
        if self.is_table_condition() {
            return self.table_condition(at, side);
        }
        if self.is_move() {
            return self.played(at, side, None);
        }
        let squares = self.squares_of_side()?;
        if self.is_move()
            && let Some(piece) = MovingPiece::of_squares(&squares)
        {
            return self.played(at, side, Some(piece));
        }
        if has_side && !squares.has_sides() {
            let message = format!("`{squares}` belongs to no side");
            return Err(self.error_at(at, &message, &["a predicate with a side"]));
        }
        Ok(squares.into_leaf(side))
    }

    /// `rook endgame`, for `endgame rook`.
    fn endgame_after_its_kind(&mut self) -> Option<Leaf> {
        let word = self.word()?;
        let &(_, endgame, _) = EndgameKind::NAMED.iter().find(|(name, ..)| *name == word)?;
        matches!(self.word_at(self.at + 1), Some("endgame" | "endgames")).then(|| {
            self.at += 2;
            Leaf::Endgame(endgame)
        })
    }

    /// What comes after `no`.
    fn absent(&mut self) -> Result<Leaf, QueryError> {
        let at = self.at;
        let side = self.side();
        if let Some(word) = self.word().filter(|word| SIDELESS_WORDS.contains(word)) {
            let message = format!("`no` is for the pieces of a side: write `not {word} …`");
            return Err(self.error_at(at - 1, &message, &["`not`"]));
        }
        if matches!(side, SideSelector::Both | SideSelector::Neither) {
            let message = "`no` already means both sides, or the one that is named";
            return Err(self.error_at(at, message, &["`white`", "`black`"]));
        }
        Ok(self.squares_of_side()?.into_absent_leaf(side))
    }

    /// What begins with a word of [`SIDELESS_WORDS`].
    fn sideless_leaf(&mut self) -> Result<Leaf, QueryError> {
        if self.take_word("material") {
            return self.material();
        }
        if self.take_word("imbalance") {
            return self.imbalance();
        }
        if self.take_word("endgame") {
            let kinds = EndgameKind::NAMED.iter().map(|&(name, endgame, _)| (name, endgame));
            return self.choose_named("a kind of endgame", kinds, ENDGAMES).map(Leaf::Endgame);
        }
        let what = if self.take_word("fen") {
            let (text, at) = self.quoted_text("a FEN in quotes")?;
            Leaf::Fen(Box::new(FenPattern::read(&text, at)?))
        } else if self.take_word("board") {
            let (text, at) = self.quoted_text("a pattern in quotes")?;
            Leaf::Board(Box::new(Diagram::read(&text, at, DiagramSyntax::Pattern)?))
        } else {
            self.at += 1;
            let (text, at) = self.quoted_text("a board of pawns in quotes")?;
            let pawns = Diagram::read(&text, at, DiagramSyntax::Pawns)?;
            let [white, black] =
                [Color::White, Color::Black].map(|colour| pawns.must_hold(PieceCode::new(colour, Role::Pawn)));
            Leaf::Structure { white, black }
        };
        self.with_transforms(what)
    }

    /// The leaf `what`, or its images if transforms follow.
    fn with_transforms(&mut self, what: Leaf) -> Result<Leaf, QueryError> {
        if !self.take_word("under") {
            self.followers = (self.at, &["`under`"]);
            return Ok(what);
        }
        let mut number = 0;
        let families = self.list(|parser| {
            number += 1;
            if number > MAX_FAMILIES {
                let message = format!("at most {MAX_FAMILIES} sets of transforms can be combined");
                return Err(parser.error(&message, &[]));
            }
            parser.family()
        })?;
        Ok(Leaf::Under(Box::new(TransformedPattern { pattern: what, families })))
    }

    /// A set of transforms, or one of them by its name.
    fn family(&mut self) -> Result<TransformFamily, QueryError> {
        if self.word() == Some("shift") && self.is_sign(self.at + 1, "(") {
            return self.shift();
        }
        let known = |name: &str| {
            let family = named(named(name, FAMILY_ALIASES).unwrap_or(name), &TransformFamily::NAMED);
            family.or_else(|| Transform::named(name).map(TransformFamily::Single))
        };
        if let Some((family, after)) = self.longest_name(known) {
            self.at = after;
            return Ok(family);
        }
        let error = self.expected("a set of transforms", FAMILY_NAMES);
        Err(self.with_nearest(error, "transform", FAMILY_NAMES.iter().map(|name| name.trim_matches('`'))))
    }

    /// `shift(2,-1)`: files to the right, ranks up.
    fn shift(&mut self) -> Result<TransformFamily, QueryError> {
        let begin = self.at;
        self.at += 2;
        let files = self.signed_number()?;
        self.require_sign(",", "`,` and the ranks of the shift", &["`,`"])?;
        let ranks = self.signed_number()?;
        self.require_sign(")", "`)`", &["`)`"])?;
        match Shift::new(files, ranks) {
            Some(shift) => Ok(TransformFamily::Single(Transform::Shift(shift))),
            None => Err(self.error_at(begin, "a shift moves by at most 7 files and 7 ranks", &["a number"])),
        }
    }

    /// A number with its sign; 100 if it is too large anyway.
    fn signed_number(&mut self) -> Result<i8, QueryError> {
        let is_negative = self.take_sign("-");
        let number = self.require_number("a number of files or ranks", &["a number", "`-`"])?;
        self.at += 1;
        let number = i8::try_from(number).unwrap_or(100);
        Ok(if is_negative { -number } else { number })
    }

    /// The text in quotes at this token, without the space around it, and where the text begins.
    pub(super) fn quoted_text(&mut self, what: &str) -> Result<(String, usize), QueryError> {
        match self.tokens.get(self.at) {
            Some(Token { kind: TokenKind::Text(text), from, .. }) => {
                let trimmed = text.trim_start();
                let at = from + 1 + text.len() - trimmed.len();
                self.at += 1;
                Ok((String::from(trimmed.trim_end()), at))
            }
            _ => Err(self.expected(what, &["`\"`"])),
        }
    }

    fn material(&mut self) -> Result<Leaf, QueryError> {
        let side = self.optional_colour("material", &["`white`", "`black`", "`KRPvKR`"])?;
        match self.tokens.get(self.at) {
            Some(Token { kind: TokenKind::Word(word), from, .. }) => {
                let material = MaterialPattern::read(word, side, *from)?;
                self.at += 1;
                Ok(Leaf::Material(material))
            }
            _ => Err(self.expected("a material such as `KRPvKR`", &["`KRPvKR`"])),
        }
    }

    /// A colour, if one is named.
    fn optional_colour(&mut self, word: &str, expected: &[&'static str]) -> Result<Option<Color>, QueryError> {
        let at = self.at;
        let side = self.side();
        if self.at > at && side.colour().is_none() {
            let message = format!("`{word}` takes `white`, `black`, or no side for either");
            return Err(self.error_at(at, &message, expected));
        }
        Ok(side.colour())
    }

    /// `RvBN`, `R+2P v BN`, `2P v 0`.
    fn imbalance(&mut self) -> Result<Leaf, QueryError> {
        const EXAMPLE: &[&str] = &["`RvBN`"];
        let first = self.optional_colour("imbalance", &["`white`", "`black`", "`RvBN`"])?;
        let begin = self.at;
        let mut sides: [Vec<(u8, char)>; 2] = [Vec::new(), Vec::new()];
        let mut side = 0;
        let mut number = None;
        // Whether each side has pieces, or a 0 for none.
        let mut has_pieces = [false; 2];
        loop {
            match self.peek() {
                Some(TokenKind::Word(word)) if !is_keyword(word) && word.chars().all(|one| "kqrbnpv".contains(one)) => {
                    for letter in word.chars() {
                        if letter == 'v' {
                            if side == 1 || number.is_some() || !has_pieces[0] {
                                return Err(self.expected("a piece", EXAMPLE));
                            }
                            side = 1;
                        } else {
                            sides[side].push((number.take().unwrap_or(1), letter));
                            has_pieces[side] = true;
                        }
                    }
                }
                Some(&TokenKind::Number(0)) if !has_pieces[side] => has_pieces[side] = true,
                Some(&TokenKind::Number(many)) if number.is_none() => {
                    let many = u8::try_from(many).ok().filter(|many| (1..=64).contains(many));
                    number = Some(many.ok_or_else(|| self.error("a number of pieces is from 1 to 64", EXAMPLE))?);
                }
                Some(TokenKind::Sign("+")) if has_pieces[side] && number.is_none() => {}
                _ => break,
            }
            self.at += 1;
        }
        if number.is_some() || !has_pieces[1] {
            return Err(self.expected("the material of both sides, as in `RvBN` or `R+2P v BN`,", EXAMPLE));
        }
        let range = (self.tokens[begin].from, self.tokens[self.at - 1].to);
        Imbalance::from_pieces(first, [&sides[0], &sides[1]], range).map(Leaf::Imbalance)
    }

    /// Whether a side is named here.
    pub(super) fn is_side(&self) -> bool {
        self.quoted_name_at(self.at).is_some()
            || self.word().is_some_and(|word| named(word, SideSelector::NAMED).is_some())
    }

    /// A side, if one is named here.
    pub(super) fn side(&mut self) -> SideSelector {
        if let Some(name) = self.quoted_name_at(self.at) {
            self.at += 1;
            return SideSelector::Player(name);
        }
        self.take_named(SideSelector::NAMED).unwrap_or(SideSelector::Either)
    }

    /// A feature, its name as a followed piece and its region, if it has these: `knight as N on b1`, `knight on b1 as N`.
    pub(super) fn named_feature_on_region(
        &mut self,
    ) -> Result<(&'static BoardFeature, Option<PieceName>, Region), QueryError> {
        let feature = self.feature()?;
        let name = self.introduced_name()?;
        if !self.take_on() {
            self.followers = (self.at, super::FEATURE_FOLLOWERS);
            return Ok((feature, name, Region::ANYWHERE));
        }
        if !feature.has_location {
            self.at -= 1;
            let message = format!("`{}` has no squares", feature.name);
            return Err(self.error(&message, &self.expected_next()));
        }
        let region = self.region()?;
        let name = if name.is_none() { self.introduced_name()? } else { name };
        Ok((feature, name, region))
    }
}
