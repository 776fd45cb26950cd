//! Reads sets of squares: predicates joined by `&` and `|`, and adjectives that stand beside each other: `pinned queen`.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use plyfold_scan::scan::measure::{BoardFeature, FEATURES};
use plyfold_scan::scan::predicate::{LeftSquares, PieceName};

use super::{QueryParser, one_or};
use crate::error::QueryError;
use crate::keywords::named;
use crate::region::{self, Region};
use crate::side::SideSelector;
use crate::squares::{SquareExpression, SquareTarget};
use crate::token::TokenKind;

/// Kinds of pieces as bits, from the pawn to the king.
const ANY_KIND: u8 = 0b11_1111;
const PAWN: u8 = 1;
const ROOK: u8 = 8;
/// Predicates that describe single pieces besides the kinds of pieces, and which kinds these can be.
const PIECE_FEATURES: &[(&str, u8)] = &[
    ("piece", ANY_KIND),
    ("attacked", ANY_KIND),
    ("defended", ANY_KIND),
    ("hanging_piece", 0b01_1110),
    ("pinned", 0b01_1111),
    ("fork", ANY_KIND),
    ("skewer", 0b01_1100),
    ("outpost", 0b00_0110),
    ("battery", 0b01_1100),
    ("fianchetto", 0b00_0100),
    ("doubled_pawn", PAWN),
    ("isolated_pawn", PAWN),
    ("backward_pawn", PAWN),
    ("passed_pawn", PAWN),
    ("protected_passed_pawn", PAWN),
    ("connected_pawn", PAWN),
    ("connected_passed_pawn", PAWN),
    ("outside_passed_pawn", PAWN),
    ("tripled_pawn", PAWN),
    ("blocked_pawn", PAWN),
    ("rook_on_open_file", ROOK),
    ("rook_on_half_open_file", ROOK),
    ("rook_on_seventh", ROOK),
    ("doubled_rook", ROOK),
];

/// What can describe a piece.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Feature(&'static BoardFeature),
    Name,
    Left,
}

/// A place with the name that is introduced there, if one is.
fn named_place(place: SquareExpression, name: Option<PieceName>) -> SquareExpression {
    match name {
        Some(name) => SquareExpression::Introduced { place: Box::new(place), name },
        None => place,
    }
}

/// The kinds of pieces that a predicate describes, as bits.
fn kinds_described(feature: &BoardFeature) -> u8 {
    match feature.role() {
        Some(role) => 1 << (role as u8 - 1),
        None => PIECE_FEATURES.iter().find(|(name, _)| *name == feature.name).map_or(0, |&(_, kinds)| kinds),
    }
}

/// Whether two predicates beside each other, without `and`, describe one piece.
fn describe_one_piece(one: &BoardFeature, other: &BoardFeature) -> bool {
    let kinds = kinds_described;
    let names_kind = |feature: &BoardFeature| feature.role().is_some() || feature.name == "piece";
    kinds(one) & kinds(other) != 0 && !(names_kind(one) && names_kind(other)) && one != other
}

impl QueryParser {
    /// Whether the bracket that opens here is a set of squares: `(knight or bishop) on e5`.
    pub(crate) fn bracket_belongs_to_set(&self) -> bool {
        let Some(after) = self.token_after_bracket() else { return false };
        match self.kind_at(after) {
            Some(TokenKind::Sign("&" | "|")) => true,
            Some(TokenKind::Word(word)) => {
                matches!(&**word, "on" | "as" | "attacks" | "defends")
                    || word == "at" && self.word_at(after + 1).is_some_and(region::is_region_word)
                    || self.is_relation_at(after)
            }
            _ => false,
        }
    }

    /// A set of squares, of which a condition needs one.
    pub(crate) fn squares_of_side(&mut self) -> Result<SquareExpression, QueryError> {
        let at = self.at;
        let squares = self.square_union(false)?;
        let is_composed = !matches!(squares, SquareExpression::Feature { .. });
        if let Some(feature) = squares.without_location().filter(|_| is_composed) {
            let message = match &squares {
                SquareExpression::Attacking { .. } => format!("`{}` has no pieces that could attack", feature.name),
                _ => format!("`{}` has no squares", feature.name),
            };
            return Err(self.error_at(at, &message, &["a predicate with squares"]));
        }
        Ok(squares)
    }

    /// Parts with `|` between them, in brackets also `or`.
    fn square_union(&mut self, in_brackets: bool) -> Result<SquareExpression, QueryError> {
        let first = self.attacking_squares()?;
        let mut parts = alloc::vec![first];
        while self.take_sign("|") || in_brackets && self.take_word("or") {
            parts.push(self.attacking_squares()?);
        }
        Ok(one_or(SquareExpression::Any, parts))
    }

    fn attacking_squares(&mut self) -> Result<SquareExpression, QueryError> {
        let squares = self.square_intersection()?;
        let defends = self.word() == Some("defends");
        let is_xray = self.is_xray();
        if !defends && !is_xray && self.word() != Some("attacks") {
            return Ok(squares);
        }
        if !squares.has_sides() {
            let message = format!("`{squares}` has no pieces that could attack");
            return Err(self.error(&message, &self.expected_next()));
        }
        let pieces = Box::new(squares);
        if is_xray {
            return Ok(SquareExpression::XRaying { pieces, ray: Box::new(self.xray()?) });
        }
        self.at += 1;
        let target = Box::new(self.square_target()?);
        Ok(SquareExpression::Attacking { pieces, defends, target })
    }

    /// Parts with `&` between them, adjectives, and where the squares lie.
    fn square_intersection(&mut self) -> Result<SquareExpression, QueryError> {
        let last = self.peek_place();
        let mut parts = alloc::vec![self.square_part()?];
        self.adjectives(last, &mut parts)?;
        self.relations(&mut parts)?;
        while self.take_sign("&") {
            let is_negated = self.take_word("not");
            let last = self.peek_place();
            let part = match self.square_relation()? {
                Some(relation) => SquareExpression::Related(Box::new(relation)),
                None => self.square_part()?,
            };
            parts.push(if is_negated { SquareExpression::Not(Box::new(part)) } else { part });
            self.adjectives(last, &mut parts)?;
            self.relations(&mut parts)?;
        }
        Ok(one_or(SquareExpression::All, parts))
    }

    /// A predicate with its adjectives, or a set in brackets.
    pub(crate) fn described_squares(&mut self) -> Result<SquareExpression, QueryError> {
        let last = self.peek_place();
        let mut parts = alloc::vec![self.square_part()?];
        self.adjectives(last, &mut parts)?;
        Ok(one_or(SquareExpression::All, parts))
    }

    /// Adds the predicates that stand beside the last one and describe the same piece.
    fn adjectives(&mut self, mut last: Option<Place>, parts: &mut Vec<SquareExpression>) -> Result<(), QueryError> {
        loop {
            let next = self.peek_place();
            match (last, next) {
                (Some(Place::Feature(one)), Some(Place::Feature(other))) if describe_one_piece(one, other) => {}
                (Some(Place::Name), Some(Place::Feature(one))) | (Some(Place::Feature(one)), Some(Place::Name))
                    if kinds_described(one) != 0 => {}
                _ => return Ok(()),
            }
            last = next;
            parts.push(self.square_part()?);
        }
    }

    /// Adds where the squares lie.
    fn relations(&mut self, parts: &mut Vec<SquareExpression>) -> Result<(), QueryError> {
        while let Some(relation) = self.square_relation()? {
            parts.push(SquareExpression::Related(Box::new(relation)));
        }
        Ok(())
    }

    /// A predicate, perhaps in a region, what a piece has left, or a set in brackets.
    fn square_part(&mut self) -> Result<SquareExpression, QueryError> {
        if let Some(which) = self.take_named(LeftSquares::NAMED) {
            return self.left_squares(which);
        }
        if let Some(name) = self.name_at(self.at) {
            self.at += 1;
            let region = if self.take_on() { self.region()? } else { Region::ANYWHERE };
            return Ok(SquareExpression::Named { name, region });
        }
        if !self.take_sign("(") {
            let (feature, name, region) = self.named_feature_on_region()?;
            return Ok(named_place(SquareExpression::Feature { feature, region }, name));
        }
        let inner = self.nested(|parser| parser.square_union(true))?;
        self.require_sign(")", "`)`", &["`)`", "`|`", "`&`", "`or`"])?;
        let name = self.introduced_name()?;
        let place = match (self.take_on(), inner) {
            (false, inner) => inner,
            (true, SquareExpression::Feature { feature, region: Region::ANYWHERE }) => {
                SquareExpression::Feature { feature, region: self.region()? }
            }
            (true, inner) => SquareExpression::On(Box::new(inner), self.region()?),
        };
        let name = if name.is_none() { self.introduced_name()? } else { name };
        Ok(named_place(place, name))
    }

    /// What stands here, if it can describe a piece or squares: a predicate, a name, or what a piece has left.
    pub(crate) fn peek_place(&self) -> Option<Place> {
        if self.word().is_some_and(|word| named(word, LeftSquares::NAMED).is_some()) {
            return Some(Place::Left);
        }
        if self.name_at(self.at).is_some() {
            return Some(Place::Name);
        }
        self.peek_square_feature().map(|(feature, _)| Place::Feature(feature))
    }

    /// Takes `on`, or `at` before a square.
    pub(crate) fn take_on(&mut self) -> bool {
        // `at` also stands before plies, and then no square follows.
        let at_square = self.word() == Some("at") && self.word_at(self.at + 1).is_some_and(region::is_region_word);
        self.at += usize::from(at_square);
        at_square || !self.is_same_line() && self.take_word("on")
    }

    /// The feature that is named here, also by an adjective of pawns: `isolated passed pawn`.
    pub(crate) fn peek_square_feature(&self) -> Option<(&'static BoardFeature, usize)> {
        self.peek_feature().or_else(|| {
            let word = self.word()?;
            let is_adjective = |feature: &&&BoardFeature| feature.name.strip_suffix("_pawn") == Some(word);
            let feature = FEATURES.iter().find(is_adjective)?;
            let is_followed = self.word_at(self.at + 1).is_some_and(|next| {
                FEATURES.iter().any(|feature| {
                    feature.name.strip_suffix("pawn").is_some_and(|before| before.split('_').next() == Some(next))
                })
            });
            is_followed.then_some((*feature, self.at + 1))
        })
    }

    /// What a piece attacks or defends.
    pub(crate) fn square_target(&mut self) -> Result<SquareTarget, QueryError> {
        let in_bracket = usize::from(self.is_sign(self.at, "("));
        if let Some(word) = self.word_at(self.at + in_bracket).filter(|word| named(word, SideSelector::NAMED).is_some())
        {
            let message = format!(
                "`attacks` means pieces of the other side, `defends` those of its own side: leave out `{word}`"
            );
            return Err(self.error_at(self.at + in_bracket, &message, &["a predicate", "a region"]));
        }
        let is_feature = self.peek_place().is_some();
        if !is_feature
            && (self.is_region() || in_bracket > 0 && self.word_at(self.at + 1).is_some_and(region::is_region_word))
        {
            return self.region().map(SquareTarget::Region);
        }
        if !is_feature && in_bracket == 0 {
            return Err(self.expected("what is attacked or defended", &["a predicate", "a region"]));
        }
        let at = self.at;
        let squares = self.square_intersection()?;
        if !squares.has_sides() {
            let message = format!("`{squares}` belongs to no side, so it cannot be attacked");
            return Err(self.error_at(at, &message, &["a predicate", "a region"]));
        }
        Ok(SquareTarget::Squares(squares))
    }
}
