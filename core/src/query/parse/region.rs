//! Squares, files, ranks, spans of them, named regions: `e4 d5`, `a..c`, `7`, `centre`, `own 7`.

use super::QueryParser;
use crate::query::error::QueryError;
use crate::query::region::{self, OWN_HALF, Region};
use crate::query::token::TokenKind;

const REGION: &[&str] = &["a square", "a file", "a rank", "a named region", "`own`"];

impl QueryParser {
    /// Whether a region begins here.
    pub(super) fn is_region(&self) -> bool {
        match self.peek() {
            Some(TokenKind::Number(_)) => true,
            Some(TokenKind::Word(word)) => {
                matches!(&**word, "own" | "own_half") || region::named_squares(word).is_some()
            }
            _ => false,
        }
    }

    /// One or more squares, files, ranks, spans of them, or named regions; commas may stand between.
    pub(super) fn region(&mut self) -> Result<Region, QueryError> {
        let mut squares = self.region_part()?.ok_or_else(|| self.expected("a region", REGION))?;
        loop {
            let before = self.at;
            let comma = self.take_sign(",");
            match self.region_part()? {
                Some(more) => squares = squares.union(more),
                None if comma => return Err(self.expected("a region", REGION)),
                None => {
                    self.at = before;
                    return Ok(squares);
                }
            }
        }
    }

    fn region_part(&mut self) -> Result<Option<Region>, QueryError> {
        if self.take_word("own_half") {
            return Ok(Some(Region { squares: 0, own: OWN_HALF }));
        }
        if self.take_word("own") {
            if self.take_word("half") {
                return Ok(Some(Region { squares: 0, own: OWN_HALF }));
            }
            let own = self.squares()?.ok_or_else(|| self.expected("a rank", REGION))?;
            return Ok(Some(Region { squares: 0, own }));
        }
        Ok(self.squares()?.map(|squares| Region { squares, own: 0 }))
    }

    fn squares(&mut self) -> Result<Option<u64>, QueryError> {
        if let Some(TokenKind::Number(number)) = self.peek() {
            let rank = |number: i64| u8::try_from(number - 1).ok().filter(|&rank| rank < 8);
            let first = rank(*number).ok_or_else(|| self.error("ranks are 1 to 8", REGION))?;
            self.at += 1;
            if !self.take_sign("..") {
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
            Some(first) if self.take_sign("..") => {
                let last = self.word().and_then(region::file);
                let last = last.ok_or_else(|| self.expected("a file from a to h", &["a file"]))?;
                self.at += 1;
                Ok(Some(region::files(first, last)))
            }
            _ => Ok(Some(squares)),
        }
    }
}
