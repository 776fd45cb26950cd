//! `white comment "*novelty*"`: the text has such a comment on the move.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::headers::NamePattern;
use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::{AnnotationTest, CommentTest, PositionPredicate};

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::header::quoted;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::side::SideSelector;
use crate::span::SpannedName;

/// A comment on a move in the text of the game.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Comment {
    /// Who moved; no "both", "neither", "mover" or "waiter".
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "SideSelector::is_either"))]
    pub side: SideSelector,
    /// The words without commands such as `[%eval 0.3]`; `*` is any run of characters.
    #[cfg_attr(feature = "json", serde(rename = "like"))]
    pub pattern: SpannedName,
}

impl Form for Comment {
    const STARTS: &'static [&'static str] = &[];
    const WORDS: &'static [(&'static str, &'static str)] = &[("comment", "a comment on the move says this")];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if parser.word() != Some("comment") {
            return Ok(None);
        }
        parser.check_mover(side)?;
        parser.at += 1;
        let Some(pattern) = parser.quoted_name_at(parser.at) else {
            return Err(parser.expected("the words of a comment in quotes", &["`\"*novelty*\"`"]));
        };
        if pattern.is_empty() {
            return Err(parser.error("there are no words between the quotes", &["words"]));
        }
        parser.at += 1;
        Ok(Some(Comment { side: side.side.clone(), pattern }.into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.predicate_for_side(&self.side, &|mover| {
            let test = CommentTest::unbound(NamePattern::new(&self.pattern), mover);
            PositionPredicate::Annotations(AnnotationTest::Comment(test))
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.side.fmt_before(f)?;
        write!(f, "comment {}", quoted(&self.pattern))
    }

    fn sides(&self) -> Vec<&SideSelector> {
        vec![&self.side]
    }
}
