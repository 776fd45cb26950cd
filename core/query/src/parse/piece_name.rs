//! Reads names of followed pieces: `as N` introduces one, and `N` stands for the piece wherever a place may stand.

use alloc::format;
use alloc::string::ToString;

use plyfold_scan::scan::measure::FEATURES;
use plyfold_scan::scan::measure::numbers::NUMBERS;
use plyfold_scan::scan::predicate::{LeftSquares, PieceName, PlyMark, SquareRelation};

use super::QueryParser;
use super::advice::advice_for;
use super::name::has_name;
use crate::error::{QueryError, edit_distance};
use crate::forms::under::FAMILY_NAMES;
use crate::keywords::{is_keyword, named};
use crate::names::NameMistake;
use crate::played::MoveAction;
use crate::region;
use crate::side::SideSelector;
use crate::squares::SquareExpression;
use crate::token::TokenKind;

/// Words that stand in no list.
const OTHER_WORDS: &[&str] = &["x_rays", "ahead", "of", "v", "drawn", "rating", "files", "ranks"];

/// Whether a word means something in the language, so that it cannot be a name.
pub(crate) fn is_word_of_language(word: &str) -> bool {
    // `X` is a name, although `x_ray` is a word.
    let is_part_of = |name: &str| name.split('_').any(|part| part.len() > 1 && part == word) || name == word;
    is_keyword(word)
        || OTHER_WORDS.contains(&word)
        || named(word, SideSelector::NAMED).is_some()
        || region::is_region_word(word)
        || advice_for(word).is_some()
        || FEATURES
            .iter()
            .any(|one| has_name(one, word) || is_part_of(one.name) || one.aliases.iter().any(|name| is_part_of(name)))
        || NUMBERS.iter().any(|one| is_part_of(one.name) || one.aliases.iter().any(|name| is_part_of(name)))
        || SquareRelation::NAMED.iter().any(|(_, name)| is_part_of(name))
        || MoveAction::NAMED.iter().any(|(name, _)| is_part_of(name))
        || PlyMark::named(word).is_some()
        || FAMILY_NAMES.iter().any(|name| is_part_of(name.trim_matches('`')))
}

impl QueryParser {
    /// The name that stands at a token, if it is known.
    pub(crate) fn name_at(&self, at: usize) -> Option<PieceName> {
        let word = self.word_at(at)?;
        let name = PieceName::new(word)?;
        let is_known = self.names.iter().any(|(known, _)| *known == name);
        (is_known || self.takes_any_name && !is_word_of_language(word)).then_some(name)
    }

    /// Reads `as N`, if it stands here.
    pub(crate) fn introduced_name(&mut self) -> Result<Option<PieceName>, QueryError> {
        if !self.take_word("as") {
            return Ok(None);
        }
        const EXPECTED: &[&str] = &["a name"];
        let Some(word) = self.word() else {
            return Err(self.expected("a name for the piece, such as `N`,", EXPECTED));
        };
        if is_word_of_language(word) {
            let message = format!(
                "`{word}` is a word of the language, so no piece can have it as its name: write `N`, `X1` or `hero`"
            );
            return Err(self.error(&message, EXPECTED));
        }
        let Some(name) = PieceName::new(word) else {
            let message = format!("the name of a piece has at most {} letters", PieceName::MAX_LENGTH);
            return Err(self.error(&message, EXPECTED));
        };
        let at = self.at;
        self.at += 1;
        self.names.push((name, at));
        Ok(Some(name))
    }

    /// Squares that a named piece has left, after `trail` or `origin`.
    pub(crate) fn left_squares(&mut self, which: LeftSquares) -> Result<SquareExpression, QueryError> {
        const EXPECTED: &[&str] = &["the name of a piece"];
        if !self.take_word("of") {
            let what = format!("`of` and the name of a piece after `{}`", which.word());
            return Err(self.expected(&what, &["`of`"]));
        }
        let Some(name) = self.name_at(self.at) else {
            let unknown = self.unknown_name_error();
            return Err(
                unknown.unwrap_or_else(|| self.expected("the name of a piece, as `N` after `knight as N`,", EXPECTED))
            );
        };
        self.at += 1;
        Ok(SquareExpression::Left { name, which })
    }

    /// The error of a word that is used as a name although it is none, or not yet.
    pub(crate) fn unknown_name_error(&self) -> Option<QueryError> {
        let name = PieceName::new(self.word()?)?;
        let introduces =
            |at: usize| self.word_at(at) == Some("as") && self.word_at(at + 1).and_then(PieceName::new) == Some(name);
        if (self.at..self.tokens.len()).any(introduces) {
            return Some(self.error(&format!("`{name}` is used before `as {name}` introduces it"), &[]));
        }
        let written = name.to_string();
        if self.names.is_empty() && written.len() == 1 {
            return Some(
                self.error(&format!("unknown name `{name}`: a piece gets a name as in `knight as {name}`"), &[]),
            );
        }
        let is_near = |known: &PieceName| {
            let known = known.to_string();
            // One letter is as near to any other as can be.
            known.len() > 1 && written.len() > 1 && edit_distance(&written, &known) <= (written.len() / 3).max(1)
        };
        let known = self.names.iter().map(|(known, _)| known).find(|known| is_near(known) || written.len() == 1)?;
        Some(self.error(&format!("unknown name `{name}`: did you mean `{known}`, or `as {name}` after a piece?"), &[]))
    }

    /// The error of a mistake with a name, at the last token that is this name.
    pub(crate) fn name_mistake(&self, mistake: &NameMistake) -> QueryError {
        let is_name =
            |kind: &TokenKind| matches!(kind, TokenKind::Word(word) if PieceName::new(word) == Some(mistake.name));
        let token = self.tokens.iter().rev().find(|token| is_name(&token.kind));
        let (from, to) = token.map_or((0, self.end), |token| (token.from, token.to));
        crate::error::error_at(&mistake.message, from, to, &[])
    }
}
