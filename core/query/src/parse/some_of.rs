//! `2 of (A, B, C)`: so many of several conditions, as the alternatives for which it stands.

use alloc::format;

use super::{QueryParser, one_or};
use crate::error::QueryError;
use crate::token::TokenKind;
use crate::tree::QueryTree;

/// The most conditions of a list, since the alternatives grow fast with them.
const MAX_CONDITIONS: usize = 8;
/// The most conditions for which the lists of a query stand together. They are copied only after they have been counted, so no text
/// takes long, however lists stand in lists.
const MAX_COPIES: usize = 20_000;

impl QueryParser {
    /// Reads a number of conditions of a list, if one stands here.
    pub(super) fn some_of(&mut self) -> Result<Option<QueryTree>, QueryError> {
        let at = self.at;
        let Some(&TokenKind::Number(wanted)) = self.peek() else { return Ok(None) };
        self.at += 1;
        if !self.take_word("of") {
            self.at = at;
            return Ok(None);
        }
        self.require_sign("(", "`(` and a list of conditions", &["`(`"])?;
        let parts = self.list(|parser| parser.nested(QueryParser::or))?;
        self.close(")", "`)`")?;
        let number = parts.len();
        if number > MAX_CONDITIONS {
            let message = format!("a list has at most {MAX_CONDITIONS} conditions");
            return Err(self.error_at(at, &message, &[]));
        }
        match usize::try_from(wanted) {
            Ok(wanted) if (1..=number).contains(&wanted) => {
                let copies: usize = parts.iter().map(leaves).sum::<usize>() * choices(number - 1, wanted - 1);
                self.copies += copies;
                if self.copies > MAX_COPIES {
                    let message = format!(
                        "with this list, the lists of the query stand for {} conditions, and {MAX_COPIES} is the most: \
                         put fewer lists into lists, or fewer conditions into them",
                        self.copies
                    );
                    return Err(self.error_at(at, &message, &[]));
                }
                Ok(Some(alternatives(&parts, wanted)))
            }
            _ => {
                let message = format!("the list has {number}: write a number from 1 to {number} before `of`");
                Err(self.error_at(at, &message, &["a number"]))
            }
        }
    }
}

/// How many conditions stand in a part.
fn leaves(part: &QueryTree) -> usize {
    let mut leaves = 0;
    part.for_each_part(&mut |part| leaves += usize::from(matches!(part, QueryTree::Leaf(_) | QueryTree::Header(_))));
    leaves
}

/// The number of ways to choose `wanted` of `number`.
fn choices(number: usize, wanted: usize) -> usize {
    (0..wanted).fold(1, |ways, nth| ways * (number - nth) / (nth + 1))
}

/// The alternatives in which so many of the conditions hold, others beside them or not.
fn alternatives(parts: &[QueryTree], wanted: usize) -> QueryTree {
    let choices = (0..1u32 << parts.len()).filter(|choice| choice.count_ones() as usize == wanted);
    let all = |choice: u32| {
        let chosen = parts.iter().enumerate().filter(|(nth, _)| choice >> nth & 1 != 0);
        one_or(QueryTree::And, chosen.map(|(_, part)| part.clone()).collect())
    };
    one_or(QueryTree::Or, choices.map(all).collect())
}
