//! Reads conditions on one position: a side, if one is named, and the first form that begins behind it.

use alloc::format;
use alloc::string::String;

use plyfold_scan::scan::measure::BoardFeature;
use plyfold_scan::scan::predicate::PieceName;
use shakmaty::Color;

use super::QueryParser;
use crate::error::QueryError;
use crate::forms::{FORMS, Leaf};
use crate::keywords::named;
use crate::region::Region;
use crate::side::{OPPONENT, SideSelector};
use crate::span::SpannedName;
use crate::token::{Token, TokenKind};

/// The side before a condition.
pub(crate) struct NamedSide {
    /// The side; the default if none is named.
    pub side: SideSelector,
    /// Its token.
    pub at: usize,
    /// The token after it.
    after: usize,
}

impl NamedSide {
    /// Whether a side is named.
    pub fn is_named(&self) -> bool {
        self.after > self.at
    }
}

impl QueryParser {
    pub(crate) fn leaf(&mut self) -> Result<Leaf, QueryError> {
        let at = self.at;
        let side = self.side();
        let side = NamedSide { side, at, after: self.at };
        for form in FORMS {
            if let Some(leaf) = (form.read)(self, &side)? {
                return Ok(leaf);
            }
        }
        Err(self.expected("a condition", &super::condition_starts()))
    }

    /// Takes the word of a condition on both sides, before which no side stands.
    pub(crate) fn take_sideless(&mut self, word: &str, side: &NamedSide) -> Result<bool, QueryError> {
        if self.word() != Some(word) {
            return Ok(false);
        }
        if !side.is_named() {
            self.at += 1;
            return Ok(true);
        }
        let message = match word {
            "material" => String::from("write the side after `material`: `material white KRPvKR`"),
            "imbalance" => String::from("write the side after `imbalance`: `imbalance white RvBN`"),
            _ => format!("`{word}` describes both sides, so no side stands before it"),
        };
        Err(self.error_at(side.at, &message, &["a predicate with a side"]))
    }

    /// A colour, if one is named.
    pub(crate) fn optional_colour(
        &mut self,
        word: &str,
        expected: &[&'static str],
    ) -> Result<Option<Color>, QueryError> {
        let at = self.at;
        let side = self.side();
        if self.at > at && side.colour().is_none() {
            let message = format!("`{word}` takes `white`, `black`, or no side for either");
            return Err(self.error_at(at, &message, expected));
        }
        Ok(side.colour())
    }

    /// The text in quotes at this token, without the space around it, and where the text begins.
    pub(crate) fn quoted_text(&mut self, what: &str) -> Result<(String, usize), QueryError> {
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

    /// Whether a side is named here.
    pub(crate) fn is_side(&self) -> bool {
        self.quoted_name_at(self.at).is_some()
            || self.opponent_of().is_some()
            || self.word().is_some_and(|word| named(word, SideSelector::NAMED).is_some())
    }

    /// The player whose opponent is named here: `opponent "Carlsen*"`.
    fn opponent_of(&self) -> Option<SpannedName> {
        if self.word() == Some(OPPONENT) { self.quoted_name_at(self.at + 1) } else { None }
    }

    /// A side, if one is named here.
    pub(crate) fn side(&mut self) -> SideSelector {
        if let Some(name) = self.quoted_name_at(self.at) {
            self.at += 1;
            return SideSelector::Player(name);
        }
        if let Some(name) = self.opponent_of() {
            self.at += 2;
            return SideSelector::Opponent(name);
        }
        self.take_named(SideSelector::NAMED).unwrap_or(SideSelector::Either)
    }

    /// A feature, its name as a followed piece and its region, if it has these: `knight as N on b1`, `knight on b1 as N`.
    pub(crate) fn named_feature_on_region(
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
