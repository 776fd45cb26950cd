//! Reads what the text says about a move in a word: `white blunder`, `time_trouble`, `nag "??"`, `comment "*novelty*"`.

use plyfold_scan::scan::predicate::PlyMark;

use super::QueryParser;
use crate::error::QueryError;
use crate::token::{Token, TokenKind};
use crate::tree::{Leaf, SideSelector};

impl QueryParser {
    /// Whether the name of a mark begins here.
    pub(super) fn is_mark(&self) -> bool {
        matches!(self.word(), Some("nag" | "comment")) || self.longest_name(PlyMark::named).is_some()
    }

    /// A mark. The side, which `side_at` begins, has been read.
    pub(super) fn mark(&mut self, side_at: usize, side: SideSelector) -> Result<Leaf, QueryError> {
        self.check_mover(side_at, &side)?;
        if let Some((mark, after)) = self.longest_name(PlyMark::named) {
            self.at = after;
            return Ok(Leaf::Marked { side, mark });
        }
        if self.word() == Some("comment") {
            self.at += 1;
            return self.comment(side);
        }
        self.at += 1;
        const GLYPH: &[&str] = &["a number from 1 to 255", "`\"??\"`"];
        let mark = match self.tokens.get(self.at) {
            Some(Token { kind: TokenKind::Number(number), .. }) => {
                u8::try_from(*number).ok().filter(|&number| number > 0).map(PlyMark::Nag)
            }
            Some(Token { kind: TokenKind::Text(signs), .. }) => PlyMark::of_glyph(signs.trim()),
            _ => return Err(self.expected("a glyph", GLYPH)),
        };
        let Some(mark) = mark else {
            let message = "a glyph is one of `!`, `?`, `!!`, `??`, `!?`, `?!` in quotes, or a number from 1 to 255";
            return Err(self.error(message, GLYPH));
        };
        self.at += 1;
        Ok(Leaf::Marked { side, mark })
    }

    /// What comes after `comment`.
    fn comment(&mut self, side: SideSelector) -> Result<Leaf, QueryError> {
        let Some(pattern) = self.quoted_name_at(self.at) else {
            return Err(self.expected("the words of a comment in quotes", &["`\"*novelty*\"`"]));
        };
        if pattern.is_empty() {
            return Err(self.error("there are no words between the quotes", &["words"]));
        }
        self.at += 1;
        Ok(Leaf::Comment { side, pattern: (*pattern).into() })
    }
}
