//! Reads `2 of (A, B, C)`: at least so many of several conditions.

use alloc::format;
use alloc::vec;

use super::{QueryParser, one_or};
use crate::error::QueryError;
use crate::token::TokenKind;
use crate::tree::QueryTree;

impl QueryParser {
    /// Reads a number of conditions of a list, if one stands here.
    pub(crate) fn some_of(&mut self) -> Result<Option<QueryTree>, QueryError> {
        let at = self.at;
        let Some(&TokenKind::Number(least)) = self.peek() else { return Ok(None) };
        self.at += 1;
        if !self.take_word("of") {
            self.at = at;
            return Ok(None);
        }
        self.require_sign("(", "`(` and a list of conditions", &["`(`"])?;
        self.lists += 1;
        let mut parts = vec![self.nested(QueryParser::or)?];
        while self.take_sign(",") {
            parts.push(self.nested(QueryParser::or)?);
        }
        self.lists -= 1;
        self.close(")", "`)`")?;
        let number = parts.len();
        match usize::try_from(least) {
            Ok(least) if least == number => Ok(Some(one_or(QueryTree::And, parts))),
            Ok(1) => Ok(Some(QueryTree::Or(parts))),
            Ok(least) if (1..number).contains(&least) => Ok(Some(QueryTree::SomeOf { number: least, parts })),
            _ => {
                let message = format!("the list has {number}: write a number from 1 to {number} before `of`");
                Err(self.error_at(at, &message, &["a number"]))
            }
        }
    }
}
