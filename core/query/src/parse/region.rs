//! Reads squares, files, ranks, spans of them, named regions: `e4 d5`, `a..c`, `7`, `centre`, `own 7`.

use super::QueryParser;
use crate::error::QueryError;
use crate::region::{self, OWN_HALF, Region};
use crate::token::TokenKind;

const REGION: &[&str] = &["a square", "a file", "a rank", "a named region", "`own`"];

impl QueryParser {
    /// Whether a region begins here.
    pub(crate) fn is_region(&self) -> bool {
        self.is_region_at(self.at)
    }

    /// Whether a region begins at a token.
    pub(crate) fn is_region_at(&self, at: usize) -> bool {
        match self.kind_at(at) {
            Some(TokenKind::Number(_)) => true,
            Some(TokenKind::Word(word)) => region::is_region_word(word),
            _ => false,
        }
    }

    /// One or more squares, files, ranks, spans of them, or named regions; commas may stand between.
    pub(crate) fn region(&mut self) -> Result<Region, QueryError> {
        if self.take_sign("(") {
            let region = self.nested(QueryParser::region)?;
            return self.require_sign(")", "`)`", &["`)`", "`or`"]).map(|()| region);
        }
        let mut squares = self.region_part()?.ok_or_else(|| self.expected("a region", REGION))?;
        loop {
            let before = self.at;
            // No condition begins with a square but a promotion, `g8=Q`, so `or` before one belongs to the region.
            let promotes = self.kind_at(before + 2) == Some(&TokenKind::Sign("="));
            let or =
                self.word() == Some("or") && !promotes && self.word_at(before + 1).is_some_and(region::is_region_word);
            self.at += usize::from(or);
            let comma = or || self.take_sign(",");
            let next = if comma && self.begins_another_condition() { None } else { self.region_part()? };
            match next {
                Some(more) => squares = squares.union(more),
                // In a list, another condition or a side begins the next item.
                None if comma && self.lists == 0 && !self.is_side() => return Err(self.expected("a region", REGION)),
                None => {
                    self.at = before;
                    return Ok(squares);
                }
            }
        }
    }

    /// Whether a number stands here, in a list of conditions, that is no rank: `2 of (…)`, `2 * count(pawn) > 3`, `0 - 5 < clock`.
    fn begins_another_condition(&self) -> bool {
        let Some(&TokenKind::Number(number)) = self.peek() else { return false };
        // A range of ranks is no difference: `5-7`.
        let is_range =
            self.is_sign(self.at + 1, "-") && matches!(self.kind_at(self.at + 2), Some(TokenKind::Number(_)));
        let goes_on = match self.kind_at(self.at + if is_range { 3 } else { 1 }) {
            Some(TokenKind::Word(word)) => &**word == "of",
            Some(TokenKind::Sign(sign)) => !matches!(*sign, "," | ")" | "}" | "&" | "|" | ".."),
            _ => false,
        };
        self.lists > 0 && (goes_on || !(1..=8).contains(&number))
    }

    fn region_part(&mut self) -> Result<Option<Region>, QueryError> {
        self.take_word("the");
        let own = match self.ordinal_rank() {
            Some(own) => own,
            None if self.take_word("own_half") => OWN_HALF,
            None if self.take_word("own") => match self.take_word("half") {
                true => OWN_HALF,
                false => self.squares()?.ok_or_else(|| self.expected("a rank", REGION))?,
            },
            None => return Ok(self.squares()?.map(|squares| Region { squares, own: 0 })),
        };
        Ok(Some(Region { squares: 0, own }))
    }

    /// `seventh`, `seventh rank`, `7th rank`: a rank as the side counts.
    fn ordinal_rank(&mut self) -> Option<u64> {
        let (rank, tokens) = match self.peek()? {
            TokenKind::Word(word) => (region::ordinal_rank(word)?, 1),
            &TokenKind::Number(number @ 1..=8)
                if matches!(self.word_at(self.at + 1), Some("st" | "nd" | "rd" | "th")) =>
            {
                (number as u8 - 1, 2)
            }
            _ => return None,
        };
        self.at += tokens;
        self.take_word("rank");
        Some(region::ranks(rank, rank))
    }

    /// Squares, with the words that may stand around them: `rank 7`, `e-file`, `light squares`.
    fn squares(&mut self) -> Result<Option<u64>, QueryError> {
        let named = self.take_word("file") || self.take_word("rank");
        let Some(squares) = self.bare_squares()? else {
            return if named { Err(self.expected("a file or rank", REGION)) } else { Ok(None) };
        };
        if self.is_sign(self.at, "-") && self.word_at(self.at + 1) == Some("file") {
            self.at += 1;
        }
        let around = ["file", "files", "rank", "ranks", "square", "squares"];
        self.at += usize::from(self.word().is_some_and(|word| around.contains(&word)));
        Ok(Some(squares))
    }

    fn bare_squares(&mut self) -> Result<Option<u64>, QueryError> {
        if let Some(TokenKind::Number(number)) = self.peek() {
            let rank = |number: i64| u8::try_from(number - 1).ok().filter(|&rank| rank < 8);
            let first = rank(*number).ok_or_else(|| self.error("ranks are 1 to 8", REGION))?;
            self.at += 1;
            if !self.take_range_sign() {
                return Ok(Some(region::ranks(first, first)));
            }
            let last = match self.peek() {
                Some(TokenKind::Number(number)) => rank(*number),
                _ => None,
            };
            let last = last.ok_or_else(|| self.expected("a rank from 1 to 8", &["a rank"]))?;
            self.at += 1;
            return Ok(Some(region::ranks(first, last)));
        }
        let Some(word) = self.word() else { return Ok(None) };
        let Some(squares) = region::named_squares(word) else {
            // A word such as `e9` or `i4` was meant as a square.
            let bytes = word.as_bytes();
            if bytes.len() == 2 && bytes[1].is_ascii_digit() {
                let message = alloc::format!("there is no square `{word}`");
                return Err(self.error(&message, REGION));
            }
            return Ok(None);
        };
        let first = region::file(word);
        self.at += 1;
        match first {
            Some(first) if self.word_at(self.at + 1) != Some("file") && self.take_range_sign() => {
                let last = self.word().and_then(region::file);
                let last = last.ok_or_else(|| self.expected("a file from a to h", &["a file"]))?;
                self.at += 1;
                Ok(Some(region::files(first, last)))
            }
            _ => Ok(Some(squares)),
        }
    }
}
